#include "source/axes.h"

#include "base/dtype.h"

#include <ctype.h>
#include <string.h>

/* ---- names ---- */

typedef struct place {
    uint32_t input;
    uint32_t dim;
} place;

static const char *usual_name(const htp_input *input, uint32_t dim)
{
    static const char *const spatial[] = {"width", "height", "depth"};
    bool is_image = htp_dtype_is_float(input->dtype) && input->rank >= 4 && input->rank <= 5;
    uint32_t from_end = input->rank - 1 - dim;
    if (dim == 0 && input->rank > 1) {
        return "batch";
    }
    if (dim == 1 && (input->rank == 2 ? !htp_dtype_is_float(input->dtype) : input->rank == 3)) {
        return "sequence";
    }
    return is_image && dim >= 2 ? spatial[from_end] : NULL;
}

/* A path as part of a name: "past_0_key". */
static const char *name_of_path(htp_arena *arena, const char *path)
{
    char *name = htp_arena_strdup(arena, path);
    for (char *at = name; *at; at++) {
        if (*at != '_' && !isalnum((unsigned char)*at)) {
            *at = '_';
        }
    }
    return name;
}

static const char *name_axis(htp_arena *arena, htp_map *taken, const htp_inputs *inputs, place at)
{
    const char *argument = name_of_path(arena, inputs->paths[at.input].text);
    const char *usual = usual_name(&inputs->items[at.input], at.dim);
    const char *name = usual;
    if (!usual) {
        name = htp_arena_printf(arena, "%s_dim_%u", argument, at.dim);
    } else if (htp_map_get(taken, usual, NULL)) {
        name = htp_arena_printf(arena, "%s_%s", argument, usual);
    }
    for (uint32_t number = 2; htp_map_get(taken, name, NULL); number++) {
        name = htp_arena_printf(arena, "%s_dim_%u_%u", argument, at.dim, number);
    }
    htp_map_set(arena, taken, name, 0);
    return name;
}

/* ---- guessing ---- */

static bool is_tensor(const htp_input *input)
{
    return !input->is_none && !input->is_scalar && !input->is_nested;
}

static bool has_axis(const htp_inputs *inputs, uint32_t input, uint32_t axis)
{
    bool found = false;
    for (uint32_t d = 0; d < inputs->items[input].rank && !found; d++) {
        found = inputs->dim_axes[input][d] == axis;
    }
    return found;
}

/* Whether two dims lie in the same place of their inputs, counted as @p order tells. */
static bool is_same_place(const htp_inputs *inputs, place a, place b, htp_axes_order order)
{
    return order == HTP_AXES_BY_SIZE
               ? a.dim == b.dim
               : inputs->items[a.input].rank - a.dim == inputs->items[b.input].rank - b.dim;
}

/* The axis of an earlier input that a dim joins. @p first tells where each axis was met first. */
static uint32_t find_axis(const htp_inputs *inputs, const place *first, place at,
                          htp_axes_order order)
{
    int64_t size = inputs->items[at.input].dims[0][at.dim];
    uint32_t found = HTP_NONE;
    for (uint32_t axis = 0; axis < inputs->axis_count; axis++) {
        if (inputs->axes[axis].sizes[0] != size || has_axis(inputs, at.input, axis)) {
            continue;
        }
        bool is_better = is_same_place(inputs, first[axis], at, order) &&
                         (found == HTP_NONE || !is_same_place(inputs, first[found], at, order));
        if (is_better || (found == HTP_NONE && order == HTP_AXES_BY_SIZE)) {
            found = axis;
        }
    }
    return found;
}

static uint32_t count_dims(const htp_inputs *inputs)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->count; i++) {
        count += is_tensor(&inputs->items[i]) ? inputs->items[i].rank : 0;
    }
    return count;
}

void htp_axes_guess(htp_arena *arena, htp_inputs *inputs, htp_axes_order order)
{
    uint32_t most = count_dims(inputs);
    place *first = HTP_NEW_ARRAY(arena, place, (size_t)most + 1);
    htp_map taken = {0};
    inputs->axes = HTP_NEW_ARRAY(arena, htp_axis, (size_t)most + 1);
    inputs->axis_count = 0;
    for (uint32_t i = 0; i < inputs->count; i++) {
        if (!is_tensor(&inputs->items[i])) {
            continue;
        }
        inputs->dim_axes[i] = HTP_NEW_ARRAY(arena, uint32_t, (size_t)inputs->items[i].rank + 1);
        memset(inputs->dim_axes[i], 0xff, inputs->items[i].rank * sizeof(uint32_t));
        for (uint32_t d = 0; d < inputs->items[i].rank; d++) {
            const place at = {i, d};
            uint32_t axis = find_axis(inputs, first, at, order);
            if (axis == HTP_NONE) {
                axis = inputs->axis_count++;
                first[axis] = at;
                inputs->axes[axis] =
                    (htp_axis){name_axis(arena, &taken, inputs, at), {inputs->items[i].dims[0][d]}};
            }
            inputs->dim_axes[i][d] = axis;
        }
    }
}

/* ---- choosing ---- */

htp_inputs htp_axes_copy(htp_arena *arena, const htp_inputs *inputs)
{
    htp_inputs copy = *inputs;
    copy.items =
        htp_arena_grow(arena, inputs->items, inputs->count, inputs->count, sizeof(*inputs->items));
    copy.dim_axes = HTP_NEW_ARRAY(arena, uint32_t *, (size_t)inputs->count + 1);
    for (uint32_t i = 0; i < inputs->count; i++) {
        uint32_t rank = is_tensor(&inputs->items[i]) ? inputs->items[i].rank : 0;
        copy.dim_axes[i] = htp_arena_grow(arena, inputs->dim_axes[i], rank, rank, sizeof(uint32_t));
    }
    return copy;
}

htp_inputs htp_axes_select(htp_arena *arena, const htp_inputs *inputs, const bool *kept)
{
    htp_inputs selected = htp_axes_copy(arena, inputs);
    uint32_t *moved = HTP_NEW_ARRAY(arena, uint32_t, (size_t)inputs->axis_count + 1);
    selected.axes = HTP_NEW_ARRAY(arena, htp_axis, (size_t)inputs->axis_count + 1);
    selected.axis_count = 0;
    for (uint32_t axis = 0; axis < inputs->axis_count; axis++) {
        moved[axis] = kept[axis] ? selected.axis_count : HTP_NONE;
        if (kept[axis]) {
            selected.axes[selected.axis_count++] = inputs->axes[axis];
        }
    }
    for (uint32_t i = 0; i < inputs->count; i++) {
        for (uint32_t d = 0; is_tensor(&inputs->items[i]) && d < inputs->items[i].rank; d++) {
            uint32_t *axis = &selected.dim_axes[i][d];
            *axis = *axis == HTP_NONE ? HTP_NONE : moved[*axis];
        }
    }
    return selected;
}

void htp_axes_join(htp_inputs *inputs, uint32_t to, uint32_t from)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        for (uint32_t d = 0; is_tensor(&inputs->items[i]) && d < inputs->items[i].rank; d++) {
            if (inputs->dim_axes[i][d] == from) {
                inputs->dim_axes[i][d] = to;
            }
        }
    }
}
