/*
 * Parts of nested arguments. The parts of a tuple follow from its type; the length of a list and
 * the keys of a dict, from what the program reads.
 */
#include "source/input_search/derive.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT_LIMIT = 256 };

struct planning {
    htp_arena *arena;
    const htp_hint *hints;
    uint32_t hint_count;
    uint32_t elements; /* of a list that is only iterated over */
    htp_plan *plan;
};

bool htp_hint_is_part(const htp_hint *hint)
{
    return strcmp(hint->kind, "part") == 0;
}

bool htp_hint_has_steps_first(const htp_hint *hint)
{
    return !htp_hint_is_part(hint) && strcmp(hint->position, "input") == 0 &&
           hint->weight_rank == 2 && hint->weight_dims[2] == 1;
}

/* The name in a hint's path below @p path: "key" of "0.key.1" below "0"; NULL for another path. */
static const char *name_below(const struct planning *p, const htp_hint *hint, uint32_t argument,
                              const char *path)
{
    size_t length = strlen(path);
    if (hint->argument != argument || !htp_hint_is_part(hint) ||
        strncmp(hint->position, path, length) != 0) {
        return NULL;
    }
    const char *rest = hint->position + length;
    if (length > 0 && *rest != '.') {
        return NULL;
    }
    rest += length > 0;
    return *rest ? htp_arena_copy(p->arena, rest, strcspn(rest, ".")) : NULL;
}

static void add_part(struct planning *p, htp_part *whole, const char *name,
                     const htp_argument *type)
{
    whole->parts = htp_arena_grow(p->arena, whole->parts, whole->count, (size_t)whole->count + 1,
                                  sizeof(*whole->parts));
    whole->parts[whole->count++] = (htp_part){.name = name, .type = type, .leaf = HTP_NONE};
}

static bool has_part(const htp_part *whole, const char *name)
{
    for (uint32_t i = 0; i < whole->count; i++) {
        if (strcmp(whole->parts[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void add_keys(struct planning *p, htp_part *whole, uint32_t argument, const char *path)
{
    for (uint32_t i = 0; i < p->hint_count && whole->count < ELEMENT_LIMIT; i++) {
        const char *name = name_below(p, &p->hints[i], argument, path);
        if (name && !has_part(whole, name)) {
            add_part(p, whole, name, whole->type->items);
        }
    }
}

static void add_elements(struct planning *p, htp_part *whole, uint32_t argument, const char *path)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->hint_count; i++) {
        const char *name = name_below(p, &p->hints[i], argument, path);
        if (name && isdigit((unsigned char)*name)) {
            unsigned long index = strtoul(name, NULL, 10);
            count = index < ELEMENT_LIMIT && index >= count ? (uint32_t)index + 1 : count;
        }
    }
    p->plan->is_open = p->plan->is_open || count == 0;
    count = count ? count : p->elements;
    for (uint32_t i = 0; i < count; i++) {
        add_part(p, whole, htp_arena_printf(p->arena, "%u", i), whole->type->items);
    }
}

static void add_leaf(struct planning *p, htp_part *part, uint32_t argument, const char *path)
{
    htp_plan *plan = p->plan;
    plan->leaves = htp_arena_grow(p->arena, plan->leaves, plan->leaf_count,
                                  (size_t)plan->leaf_count + 1, sizeof(*plan->leaves));
    part->leaf = plan->leaf_count++;
    plan->leaves[part->leaf] = (htp_leaf){.type = part->type, .argument = argument, .path = path};
}

/* A type without parts is a leaf; one that is not a tensor is left out. */
static void plan_part(struct planning *p, htp_part *part, uint32_t argument, const char *path)
{
    const htp_argument *type = part->type;
    if (type->kind == HTP_TRACE_LIST && !type->is_optional && type->item_count > 0) {
        if (type->is_dict) {
            add_keys(p, part, argument, path);
        } else if (type->is_open) {
            add_elements(p, part, argument, path);
        } else {
            for (uint32_t i = 0; i < type->item_count; i++) {
                add_part(p, part, type->items[i].name, &type->items[i]);
            }
        }
    }
    for (uint32_t i = 0; i < part->count; i++) {
        const char *name = part->parts[i].name;
        plan_part(p, &part->parts[i], argument,
                  *path ? htp_arena_printf(p->arena, "%s.%s", path, name) : name);
    }
    if (part->count == 0) {
        add_leaf(p, part, argument, path);
    }
}

htp_plan *htp_plan_make(htp_arena *arena, const htp_hint *hints, uint32_t hint_count,
                        const htp_argument *arguments, uint32_t argument_count, uint32_t elements)
{
    htp_plan *plan = HTP_NEW(arena, htp_plan);
    *plan = (htp_plan){.arguments = arguments,
                       .argument_count = argument_count,
                       .parts = HTP_NEW_ARRAY(arena, htp_part, (size_t)argument_count + 1)};
    struct planning p = {.arena = arena,
                         .hints = hints,
                         .hint_count = hint_count,
                         .elements = elements,
                         .plan = plan};
    for (uint32_t i = 0; i < argument_count; i++) {
        plan->parts[i] =
            (htp_part){.name = arguments[i].name, .type = &arguments[i], .leaf = HTP_NONE};
        plan_part(&p, &plan->parts[i], i, "");
    }
    return plan;
}

uint32_t htp_plan_find(const htp_plan *plan, uint32_t argument, const char *path)
{
    for (uint32_t i = 0; i < plan->leaf_count; i++) {
        if (plan->leaves[i].argument == argument && strcmp(plan->leaves[i].path, path) == 0) {
            return i;
        }
    }
    return HTP_NONE;
}

static void find_values(const htp_trace *trace, const htp_part *part, uint32_t id, uint32_t *values)
{
    const htp_trace_value *value = &trace->values[id];
    if (part->leaf != HTP_NONE) {
        values[part->leaf] = id;
        return;
    }
    for (uint32_t i = 0; i < part->count && i < value->element_count; i++) {
        find_values(trace, &part->parts[i], value->elements[i], values);
    }
}

uint32_t *htp_plan_values(htp_arena *arena, const htp_plan *plan, const htp_trace *trace)
{
    uint32_t *values = HTP_NEW_ARRAY(arena, uint32_t, (size_t)plan->leaf_count + 1);
    memset(values, 0xff, plan->leaf_count * sizeof(*values));
    for (uint32_t i = 0; i < plan->argument_count && i < trace->input_count; i++) {
        find_values(trace, &plan->parts[i], trace->inputs[i], values);
    }
    return values;
}

htp_input htp_plan_input(htp_arena *arena, const htp_part *part, const htp_input *leaves)
{
    if (part->leaf != HTP_NONE) {
        htp_input input = leaves[part->leaf];
        input.name = part->name;
        return input;
    }
    htp_input *items = HTP_NEW_ARRAY(arena, htp_input, part->count);
    for (uint32_t i = 0; i < part->count; i++) {
        items[i] = htp_plan_input(arena, &part->parts[i], leaves);
    }
    return (htp_input){.is_nested = true, .items = items, .count = part->count, .name = part->name};
}
