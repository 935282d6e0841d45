#include "source/input_search/axes.h"

#include <string.h>

/* ---- making ---- */

static bool is_tensor(const htp_input *input)
{
    return !input->is_none && !input->is_scalar && !input->is_nested;
}

static uint32_t count_dims(const htp_inputs *inputs)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->count; i++) {
        count += is_tensor(&inputs->items[i]) ? inputs->items[i].rank : 0;
    }
    return count;
}

/* The common description of dims in a family, as text. */
static const char *describe_family(htp_arena *arena, const htp_inputs *inputs, uint32_t input,
                                   uint32_t dim)
{
    const htp_input *item = &inputs->items[input];
    htp_text text = {.arena = arena};
    bool is_number = false;
    for (const char *at = inputs->paths[input].text; *at; at++) {
        bool was_number = is_number;
        is_number = *at >= '0' && *at <= '9';
        if (!is_number || !was_number) {
            htp_text_addf(&text, "%c", is_number ? '#' : *at);
        }
    }
    htp_text_addf(&text, ":%d[%u of %u]=%lld", (int)item->dtype, dim, item->rank,
                  (long long)item->dims[0][dim]);
    return htp_text_string(&text);
}

static htp_axes_dim *list_dims(htp_arena *arena, const htp_inputs *inputs, uint32_t count)
{
    htp_map families = {0};
    htp_axes_dim *dims = HTP_NEW_ARRAY(arena, htp_axes_dim, (size_t)count + 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i < inputs->count; i++) {
        for (uint32_t d = 0; is_tensor(&inputs->items[i]) && d < inputs->items[i].rank; d++) {
            const char *family = describe_family(arena, inputs, i, d);
            dims[at] = (htp_axes_dim){i, d, at};
            if (!htp_map_get(&families, family, &dims[at].family)) {
                htp_map_set(arena, &families, family, at);
            }
            at++;
        }
    }
    return dims;
}

htp_axes htp_axes_apart(htp_arena *arena, const htp_inputs *inputs)
{
    htp_inputs *given = HTP_NEW(arena, htp_inputs);
    *given = *inputs;
    uint32_t count = count_dims(inputs);
    htp_axes axes = {
        .arena = arena,
        .given = given,
        .dims = list_dims(arena, inputs, count),
        .count = count,
        .axis_of = HTP_NEW_ARRAY(arena, uint32_t, (size_t)count + 1),
        .is_fixed = HTP_NEW_ARRAY(arena, bool, (size_t)count + 1),
        .formulas = HTP_NEW_ARRAY(arena, const htp_size_formula *, (size_t)count + 1),
    };
    for (uint32_t i = 0; i < count; i++) {
        axes.axis_of[i] = i;
    }
    return axes;
}

/* Rewrites a formula over input axes as one over dims. */
static const htp_size_formula *of_dims(htp_arena *arena, const htp_size_formula *formula,
                                       const uint32_t *first)
{
    htp_size_formula *changed = HTP_NEW(arena, htp_size_formula);
    *changed = *formula;
    for (uint32_t i = 0; i < changed->count; i++) {
        htp_size_formula_step *step = &changed->steps[i];
        step->number = step->kind == HTP_SIZE_AXIS ? first[step->number] : step->number;
    }
    return changed;
}

htp_axes htp_axes_named(htp_arena *arena, const htp_inputs *inputs)
{
    htp_axes axes = htp_axes_apart(arena, inputs);
    const char **names = HTP_NEW_ARRAY(arena, const char *, (size_t)axes.count + 1);
    uint32_t *first = HTP_NEW_ARRAY(arena, uint32_t, (size_t)inputs->axis_count + 1);
    memset(first, 0xff, inputs->axis_count * sizeof(*first));
    for (uint32_t i = 0; i < axes.count; i++) {
        uint32_t axis = inputs->dim_axes[axes.dims[i].input][axes.dims[i].dim];
        axes.is_fixed[i] = axis == HTP_NONE;
        if (axis != HTP_NONE && first[axis] == HTP_NONE) {
            first[axis] = i;
            names[i] = inputs->axes[axis].symbol;
        }
        axes.axis_of[i] = axis == HTP_NONE ? i : first[axis];
    }
    for (uint32_t axis = 0; axis < inputs->axis_count; axis++) {
        const htp_size_formula *formula = inputs->axes[axis].formula;
        if (formula && first[axis] != HTP_NONE) {
            axes.formulas[first[axis]] = of_dims(arena, formula, first);
        }
    }
    axes.names = names;
    return axes;
}

htp_axes htp_axes_copy(const htp_axes *axes)
{
    htp_axes copy = *axes;
    uint32_t count = axes->count;
    copy.axis_of = htp_arena_grow(axes->arena, axes->axis_of, count, (size_t)count + 1,
                                  sizeof(*axes->axis_of));
    copy.is_fixed = htp_arena_grow(axes->arena, axes->is_fixed, count, (size_t)count + 1,
                                   sizeof(*axes->is_fixed));
    copy.formulas = htp_arena_grow(axes->arena, axes->formulas, count, (size_t)count + 1,
                                   sizeof(*axes->formulas));
    return copy;
}

/* ---- changing ---- */

bool htp_axes_join(htp_axes *axes, uint32_t a, uint32_t b)
{
    uint32_t first = axes->axis_of[a];
    uint32_t other = axes->axis_of[b];
    if (first == other || htp_axes_size(axes, first) != htp_axes_size(axes, other) ||
        axes->formulas[first] || axes->formulas[other]) {
        return false;
    }
    uint32_t to = first < other ? first : other;
    uint32_t from = first < other ? other : first;
    axes->is_fixed[to] = axes->is_fixed[to] || axes->is_fixed[from];
    for (uint32_t i = from; i < axes->count; i++) {
        axes->axis_of[i] = axes->axis_of[i] == from ? to : axes->axis_of[i];
    }
    return true;
}

/* Substitutes a formula for an axis; NULL if the result is too long. */
static const htp_size_formula *replace(const htp_axes *axes, const htp_size_formula *in,
                                       uint32_t axis, const htp_size_formula *by)
{
    htp_size_formula *made = HTP_NEW(axes->arena, htp_size_formula);
    bool fits = true;
    for (uint32_t i = 0; i < in->count; i++) {
        const htp_size_formula_step *step = &in->steps[i];
        bool is_it = step->kind == HTP_SIZE_AXIS && axes->axis_of[step->number] == axis;
        const htp_size_formula_step *from = is_it ? by->steps : step;
        for (uint32_t k = 0; k < (is_it ? by->count : 1); k++) {
            fits = htp_size_formula_push(made, from[k].kind, from[k].number) && fits;
        }
    }
    return fits ? made : NULL;
}

bool htp_axes_set_formula(htp_axes *axes, uint32_t axis, const htp_size_formula *formula)
{
    htp_axes changed = htp_axes_copy(axes);
    bool fits = true;
    for (uint32_t i = 0; i < axes->count; i++) {
        if (axes->formulas[i]) {
            changed.formulas[i] = replace(axes, axes->formulas[i], axes->axis_of[axis], formula);
            fits = fits && changed.formulas[i];
        }
    }
    changed.formulas[axes->axis_of[axis]] = formula;
    *axes = fits ? changed : *axes;
    return fits;
}

bool htp_axes_moves(const htp_axes *axes, uint32_t dim)
{
    return axes->axis_of[dim] == dim && !axes->is_fixed[dim] && !axes->formulas[dim];
}

uint32_t htp_axes_count_moving(const htp_axes *axes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < axes->count; i++) {
        count += htp_axes_moves(axes, i);
    }
    return count;
}

int64_t htp_axes_size(const htp_axes *axes, uint32_t dim)
{
    return axes->given->items[axes->dims[dim].input].dims[0][axes->dims[dim].dim];
}

uint32_t htp_axes_count_alike(const htp_axes *axes, uint32_t dim)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < axes->count; i++) {
        count += axes->dims[i].family == axes->dims[dim].family;
    }
    return count;
}

/* ---- applying ---- */

static htp_inputs copy_inputs(htp_arena *arena, const htp_inputs *given)
{
    htp_inputs copy = *given;
    copy.items =
        htp_arena_grow(arena, given->items, given->count, given->count, sizeof(*given->items));
    copy.axes = NULL;
    copy.axis_count = 0;
    copy.bounds = NULL;
    copy.keeps_bounds = false;
    copy.dim_axes = HTP_NEW_ARRAY(arena, uint32_t *, (size_t)given->count + 1);
    for (uint32_t i = 0; i < given->count; i++) {
        uint32_t rank = is_tensor(&given->items[i]) ? given->items[i].rank : 0;
        copy.dim_axes[i] = HTP_NEW_ARRAY(arena, uint32_t, (size_t)rank + 1);
        memset(copy.dim_axes[i], 0xff, rank * sizeof(uint32_t));
    }
    return copy;
}

/* Rewrites a formula over dims as one over input axes. Static dims become numbers. */
static const htp_size_formula *of_axes(const htp_axes *axes, const htp_size_formula *formula,
                                       const uint32_t *index)
{
    htp_size_formula *changed = HTP_NEW(axes->arena, htp_size_formula);
    *changed = *formula;
    for (uint32_t i = 0; i < changed->count; i++) {
        htp_size_formula_step *step = &changed->steps[i];
        if (step->kind == HTP_SIZE_AXIS) {
            uint32_t dim = (uint32_t)step->number;
            uint32_t axis = index[axes->axis_of[dim]];
            *step = axis == HTP_NONE
                        ? (htp_size_formula_step){HTP_SIZE_NUMBER, htp_axes_size(axes, dim)}
                        : (htp_size_formula_step){HTP_SIZE_AXIS, axis};
        }
    }
    return changed;
}

bool htp_axes_apply(const htp_axes *axes, htp_inputs *applied, const uint32_t **moving)
{
    htp_inputs inputs = copy_inputs(axes->arena, axes->given);
    const char *const *names = htp_axes_find_names(axes);
    uint32_t *index = HTP_NEW_ARRAY(axes->arena, uint32_t, (size_t)axes->count + 1);
    uint32_t *dims = HTP_NEW_ARRAY(axes->arena, uint32_t, (size_t)axes->count + 1);
    memset(index, 0xff, axes->count * sizeof(*index));
    for (uint32_t i = 0; i < axes->count; i++) {
        if (htp_axes_moves(axes, i)) {
            dims[inputs.axis_count] = i;
            index[i] = htp_inputs_add_axis(axes->arena, &inputs,
                                           (htp_axis){names[i], {htp_axes_size(axes, i)}, NULL});
        }
    }
    for (uint32_t i = 0; i < axes->count; i++) {
        const htp_axes_dim *dim = &axes->dims[i];
        uint32_t axis = axes->axis_of[i];
        const htp_size_formula *formula = axes->is_fixed[axis] ? NULL : axes->formulas[axis];
        inputs.dim_axes[dim->input][dim->dim] = index[axis];
        if (formula) {
            (void)htp_inputs_set_formula(axes->arena, &inputs, of_axes(axes, formula, index),
                                         dim->input, dim->dim);
            uint32_t found = inputs.dim_axes[dim->input][dim->dim];
            dims[found == HTP_NONE ? axes->count : found] = axis;
        }
    }
    bool fits = htp_inputs_choose_lanes(axes->arena, &inputs, 0);
    *applied = inputs;
    *moving = dims;
    return fits;
}
