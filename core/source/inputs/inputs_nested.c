/*
 * Inputs as text, and assembled into the method's arguments.
 */
#include "base/dtype.h"
#include "base/vector.h"
#include "source/inputs/inputs.h"

/* ---- describing ---- */

static const char *describe_scalar(htp_arena *arena, const htp_input *input, const char *name)
{
    const char *type = input->dtype == HTP_DTYPE_BOOL    ? "bool"
                       : input->dtype == HTP_DTYPE_INT64 ? "int"
                                                         : "float";
    if (input->is_open) {
        return htp_arena_printf(arena, "%s:%s", name, type);
    }
    if (input->dtype == HTP_DTYPE_BOOL) {
        return htp_arena_printf(arena, "%s:bool=%s", name, input->scalar != 0 ? "true" : "false");
    }
    return htp_arena_printf(arena, "%s:%s=%.17g", name, type, input->scalar);
}

const char *htp_inputs_describe(htp_arena *arena, const htp_inputs *inputs, uint32_t index)
{
    const htp_input *input = &inputs->items[index];
    const char *name = inputs->paths[index].text;
    if (input->is_none) {
        return NULL;
    }
    if (input->is_scalar) {
        return describe_scalar(arena, input, name);
    }
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%s:%s[", name, input->is_nested ? "" : htp_dtype_name(input->dtype));
    for (uint32_t d = 0; d < input->rank; d++) {
        uint32_t axis = inputs->dim_axes[index][d];
        htp_text_add(&text, d ? "," : "");
        if (axis != HTP_NONE) {
            htp_text_addf(&text, "%s=", inputs->axes[axis].symbol);
        }
        htp_text_addf(&text, "%lld", (long long)input->dims[0][d]);
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

/* ---- the form of an argument ---- */

static bool add_form(htp_text *text, const htp_argument *argument, const char *path)
{
    switch (argument->kind) {
    case HTP_TRACE_TENSOR:
        htp_text_addf(text, " --input %s:DTYPE[DIMS]", path);
        return true;
    case HTP_TRACE_INT:
        htp_text_addf(text, " --input %s:int=VALUE", path);
        return true;
    case HTP_TRACE_FLOAT:
        htp_text_addf(text, " --input %s:float=VALUE", path);
        return true;
    case HTP_TRACE_BOOL:
        htp_text_addf(text, " --input %s:bool=VALUE", path);
        return true;
    case HTP_TRACE_LIST:
        break;
    default:
        return false;
    }
    bool is_possible = argument->item_count > 0;
    for (uint32_t i = 0; i < argument->item_count && is_possible; i++) {
        const htp_argument *item = &argument->items[i];
        const char *name = argument->is_dict ? "KEY" : argument->is_open ? "0" : item->name;
        bool may_stay_out = item->is_optional && !argument->is_open;
        is_possible = may_stay_out ||
                      add_form(text, item, htp_arena_printf(text->arena, "%s.%s", path, name));
    }
    return is_possible;
}

const char *htp_inputs_form(htp_arena *arena, const htp_argument *argument, const char *path)
{
    htp_text text = {.arena = arena};
    return add_form(&text, argument, path) ? htp_text_string(&text) : NULL;
}

/* ---- assembling ---- */

/* An argument or a part of one. */
typedef struct branch {
    const char *name;
    const htp_input *input; /* NULL: it has parts */
    HTP_VECTOR(struct branch *) parts;
    htp_map index; /* parts by name */
} branch;

static branch *find_part(htp_arena *arena, branch *whole, const char *name)
{
    uint32_t index = 0;
    if (htp_map_get(&whole->index, name, &index)) {
        return whole->parts.items[index];
    }
    branch *part = HTP_NEW(arena, branch);
    part->name = name;
    htp_map_set(arena, &whole->index, name, (uint32_t)whole->parts.count);
    HTP_PUSH(arena, &whole->parts, part);
    return part;
}

static bool add_input(htp_arena *arena, branch *root, const htp_inputs *inputs, uint32_t index)
{
    const htp_input_path *path = &inputs->paths[index];
    branch *at = root;
    for (uint32_t i = 0; i < path->depth && !at->input; i++) {
        at = find_part(arena, at, path->parts[i]);
    }
    bool is_free = !at->input && at->parts.count == 0;
    at->input = &inputs->items[index];
    return is_free;
}

static htp_input assemble(htp_arena *arena, const branch *from)
{
    htp_input input = {.is_nested = true};
    if (from->input) {
        input = *from->input;
    } else {
        htp_input *items = HTP_NEW_ARRAY(arena, htp_input, from->parts.count);
        for (size_t i = 0; i < from->parts.count; i++) {
            items[i] = assemble(arena, from->parts.items[i]);
        }
        input.items = items;
        input.count = (uint32_t)from->parts.count;
    }
    input.name = from->name;
    return input;
}

const htp_input *htp_inputs_nest(htp_arena *arena, const htp_inputs *inputs, uint32_t *index)
{
    branch *roots = HTP_NEW_ARRAY(arena, branch, (size_t)inputs->argument_count + 1);
    htp_input *nested = HTP_NEW_ARRAY(arena, htp_input, (size_t)inputs->argument_count + 1);
    for (uint32_t i = 0; i < inputs->count; i++) {
        if (!add_input(arena, &roots[inputs->paths[i].argument], inputs, i)) {
            if (index) {
                *index = i;
            }
            return NULL;
        }
    }
    for (uint32_t i = 0; i < inputs->argument_count; i++) {
        nested[i] = assemble(arena, &roots[i]);
    }
    return nested;
}
