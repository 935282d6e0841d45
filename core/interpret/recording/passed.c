/*
 * Arguments of module calls, by name.
 */
#include "base/text.h"
#include "interpret/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NESTED = 8, MAX_NAME = 256 /* bytes */ };

/* Limits of recorded parts, since a list may be passed to every layer: each call may have PARTS,
 * and all calls together MORE_PARTS beyond. */
enum { PARTS = 64, MORE_PARTS = 64 * 1024 };

/* A buffer for a name; a name that fills it is too long. */
typedef struct part_name {
    char text[MAX_NAME + 2];
} part_name;

/* State of listing one call's arguments. */
typedef struct passing {
    htp_machine *m;
    size_t few; /* parts left in its budget */
    size_t more;
    size_t depth;
} passing;

/* Takes a part from the budget. @return false if none is left */
static bool take_visit(passing *p)
{
    if (p->few == 0 && p->more == 0) {
        return false;
    }
    size_t *left = p->few != 0 ? &p->few : &p->more;
    (*left)--;
    return true;
}

/* The unique copy of a name. */
static const char *keep_name(htp_machine *m, const char *name)
{
    uint32_t place = (uint32_t)m->recording.name_list.count;
    const void **key = htp_map_add_bytes(m->arena, &m->recording.names, name, strlen(name), &place);
    if (key) {
        const char *copy = htp_arena_strdup(m->arena, name);
        *key = copy;
        HTP_PUSH(m->arena, &m->recording.name_list, copy);
    }
    return m->recording.name_list.items[place];
}

/* A dict's key as part of a name, or NULL. */
static const char *text_of_key(htp_machine *m, const htp_item *key)
{
    if (!htp_is_decided(key)) {
        return NULL;
    }
    const htp_operand *value = &key->lane[0];
    if (value->kind == HTP_OPERAND_INT) {
        return htp_arena_printf(m->arena, "%" PRId64, value->as.i);
    }
    bool is_name = value->kind == HTP_OPERAND_STRING && value->bytes <= MAX_NAME &&
                   strlen(value->as.text) == value->bytes;
    return is_name ? value->as.text : NULL;
}

/* Declared types of the parts of a tuple, list or dict. */
typedef struct part_types {
    const uint32_t *parts; /* of a tuple; or NULL */
    const char *const *names;
    uint32_t each; /* of a list or dict; or HTP_NONE */
} part_types;

static part_types find_part_types(const htp_machine *m, uint32_t declared, const htp_item *whole)
{
    part_types found = {.each = HTP_NONE};
    if (declared == HTP_NONE) {
        return found;
    }
    const htp_program_type *type = &m->program->types[declared];
    if (type->kind == HTP_TYPE_OPTIONAL && type->part_count > 0) {
        type = &m->program->types[type->parts[0]];
    }
    bool is_each = (type->kind == HTP_TYPE_LIST && whole->kind == HTP_ITEM_LIST) ||
                   (type->kind == HTP_TYPE_DICT && whole->kind == HTP_ITEM_DICT);
    if (type->kind == HTP_TYPE_TUPLE && whole->kind == HTP_ITEM_TUPLE &&
        type->part_count == whole->elements.count) {
        found.parts = type->parts;
        found.names = type->fields;
    } else if (is_each && type->part_count > 0) {
        found.each = type->parts[type->part_count - 1];
    }
    return found;
}

static const char *name_of_part(htp_machine *m, const part_types *types, size_t index)
{
    return types->parts ? types->names[index] : htp_arena_printf(m->arena, "%zu", index);
}

static void pass_parts(passing *p, const char *name, const htp_item *whole, uint32_t type);

static void pass(passing *p, const char *name, const htp_item *item, uint32_t type)
{
    if (item->is_unset || strlen(name) > MAX_NAME) {
        return;
    }
    if (htp_is_container(item) && p->depth < MAX_NESTED) {
        p->depth++;
        pass_parts(p, name, item, type);
        p->depth--;
    } else if (htp_is_tensor(item) || htp_is_number(item)) {
        htp_trace_passed passed = {keep_name(p->m, name), item->id};
        HTP_PUSH(p->m->arena, &p->m->recording.passed, passed);
    }
}

static void pass_parts(passing *p, const char *name, const htp_item *whole, uint32_t type)
{
    const part_types types = find_part_types(p->m, type, whole);
    const htp_items *elements = &whole->elements;
    bool is_dict = whole->kind == HTP_ITEM_DICT;
    size_t step = is_dict ? 2 : 1;
    for (size_t i = 0; i + step <= elements->count && take_visit(p); i += step) {
        const char *part =
            is_dict ? text_of_key(p->m, elements->items[i]) : name_of_part(p->m, &types, i);
        if (part) {
            part_name joined;
            (void)snprintf(joined.text, sizeof(joined.text), "%s_%s", name, part);
            pass(p, joined.text, elements->items[i + step - 1],
                 types.parts ? types.parts[i] : types.each);
        }
    }
    if (elements->count == 0 && whole->stacked) {
        /* the list's elements as one tensor */
        pass(p, name, whole->stacked, HTP_NONE);
    }
}

void htp_passed_note(htp_machine *m, uint32_t schema, const htp_items *arguments)
{
    const htp_program_schema declared = m->program->schemas[schema];
    passing p = {.m = m, .few = PARTS, .more = MORE_PARTS - m->recording.visits};
    size_t first = m->recording.passed.count;
    for (size_t i = 1; i < declared.argument_count && i < arguments->count; i++) {
        const htp_program_argument *argument = &declared.arguments[i];
        pass(&p, argument->name, arguments->items[i], argument->type);
    }
    m->recording.visits = MORE_PARTS - p.more;
    m->recording.scopes.items[m->recording.scopes.count - 1].passed_count =
        (uint32_t)(m->recording.passed.count - first);
}
