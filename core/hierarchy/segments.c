#include "hierarchy/segments.h"

#include "base/map.h"
#include "hierarchy/hierarchy.h"

#include <string.h>

typedef struct group {
    uint32_t members;
    bool all_numeric;
    bool all_different;
} group;

static bool must_encode(uint32_t code, bool keep_dots)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == '%' || code == '/' ||
           (code == '.' && !keep_dots);
}

/* The number of letters, digits and underscores from here on: most of a name. */
static size_t plain_bytes(const char *name)
{
    size_t count = 0;
    while ((name[count] >= 'a' && name[count] <= 'z') ||
           (name[count] >= 'A' && name[count] <= 'Z') ||
           (name[count] >= '0' && name[count] <= '9') || name[count] == '_') {
        count++;
    }
    return count;
}

void htp_hierarchy_add_encoded(htp_text *text, const char *name, bool keep_dots)
{
    for (;;) {
        size_t plain = plain_bytes(name);
        htp_text_add_bytes(text, name, plain);
        name += plain;
        if (!*name) {
            break;
        }
        uint32_t code = 0;
        size_t length = htp_text_utf8(name, &code);
        if (length && !must_encode(code, keep_dots)) {
            htp_text_add_bytes(text, name, length);
            name += length;
        } else {
            htp_text_addf(text, "%%%02X", (unsigned)(unsigned char)*name);
            name++;
        }
    }
}

/* An empty name becomes "%", which no other name becomes. Borrows the name if it needs no encoding.
 */
static const char *encode(htp_arena *arena, htp_text *scratch, const char *name)
{
    scratch->length = 0;
    htp_hierarchy_add_encoded(scratch, name, false);
    if (!*name) {
        return "%";
    }
    if (strlen(name) == scratch->length) {
        return name;
    }
    return htp_arena_copy(arena, scratch->bytes, scratch->length);
}

/* The number of an encoding: that of its first module. */
static uint32_t number_of(htp_arena *arena, htp_map *numbers, const char *spelling, uint32_t module)
{
    uint32_t number;
    if (!htp_map_get(numbers, spelling, &number)) {
        number = module;
        htp_map_set(arena, numbers, spelling, number);
    }
    return number;
}

const htp_module_spelling *htp_segments_spell(htp_arena *arena, const htp_instance *modules,
                                              uint32_t module_count)
{
    htp_module_spelling *spellings = HTP_NEW_ARRAY(arena, htp_module_spelling, module_count);
    htp_map classes = {0};
    htp_map names = {0};
    htp_text scratch = {.arena = arena};
    for (uint32_t i = 0; i < module_count; i++) {
        htp_module_spelling *spelling = &spellings[i];
        const char *name = modules[i].name;
        const char *last_dot = strrchr(modules[i].qualified_class, '.');
        spelling->class_name = last_dot ? last_dot + 1 : modules[i].qualified_class;
        spelling->class_part = encode(arena, &scratch, spelling->class_name);
        spelling->name_part = encode(arena, &scratch, name);
        spelling->class_number = number_of(arena, &classes, spelling->class_part, i);
        spelling->name_number = number_of(arena, &names, spelling->name_part, i);
        spelling->is_numeric = *name && !name[strspn(name, "0123456789")];
    }
    htp_map_release(arena, &classes);
    htp_map_release(arena, &names);
    return spellings;
}

/* Finds or creates the group of siblings (ancestor, class). @return its index */
static uint32_t find_group(htp_arena *arena, htp_map *by_pair, uint32_t ancestor,
                           uint32_t class_number, group *groups, uint32_t *group_count)
{
    const uint32_t key[2] = {ancestor, class_number};
    uint32_t index = *group_count;
    if (htp_map_add_bytes(arena, by_pair, key, sizeof(key), &index)) {
        groups[index] = (group){.all_numeric = true, .all_different = true};
        (*group_count)++;
    }
    return index;
}

static void join_group(htp_arena *arena, htp_map *name_pairs, group *groups, uint32_t index,
                       const htp_module_spelling *spelling)
{
    const uint32_t key[2] = {index, spelling->name_number};
    bool is_new = htp_map_add_bytes(arena, name_pairs, key, sizeof(key), NULL);
    groups[index].members++;
    groups[index].all_numeric &= spelling->is_numeric;
    groups[index].all_different &= is_new;
}

static htp_segment_form form_of(const group *siblings)
{
    if (siblings->all_numeric && siblings->all_different) {
        return HTP_SEGMENT_NUMBER;
    }
    return siblings->members > 1 ? HTP_SEGMENT_PATH : HTP_SEGMENT_CLASS;
}

const htp_segment_form *htp_segments_forms(htp_arena *arena, const htp_module_spelling *spellings,
                                           const uint32_t *ancestors, const bool *eligible,
                                           uint32_t module_count)
{
    htp_segment_form *forms = HTP_NEW_ARRAY(arena, htp_segment_form, module_count);
    uint32_t *group_of = HTP_NEW_ARRAY(arena, uint32_t, module_count);
    group *groups = HTP_NEW_ARRAY(arena, group, module_count);
    uint32_t group_count = 0;
    htp_map by_pair = {0};
    htp_map name_pairs = {0};
    htp_map_reserve(arena, &name_pairs, module_count);
    for (uint32_t i = 1; i < module_count; i++) {
        if (eligible[i]) {
            group_of[i] = find_group(arena, &by_pair, ancestors[i], spellings[i].class_number,
                                     groups, &group_count);
            join_group(arena, &name_pairs, groups, group_of[i], &spellings[i]);
        }
    }
    for (uint32_t i = 1; i < module_count; i++) {
        forms[i] = eligible[i] ? form_of(&groups[group_of[i]]) : HTP_SEGMENT_CLASS;
    }
    htp_map_release(arena, &by_pair);
    htp_map_release(arena, &name_pairs);
    htp_arena_release(arena, groups, module_count * sizeof(*groups));
    htp_arena_release(arena, group_of, module_count * sizeof(*group_of));
    return forms;
}
