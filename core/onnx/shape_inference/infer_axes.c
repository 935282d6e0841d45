#include "onnx/shape_inference/infer_axes.h"

#include "base/text.h"
#include "onnx/builder/builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sizes beyond are no sizes of tensors: products of them would overflow anyway. */
enum { LARGEST_SIZE = INT32_MAX };

bool htp_view_names_hold(const htp_view *view)
{
    return view->flat || strcmp(htp_view_text(view, view->producer_name), HTP_ONNX_PRODUCER) == 0;
}

/* ---- finding ---- */

/* An input that must be passed. */
static bool is_input(const htp_view *view, uint32_t value)
{
    const htp_view_value *made = &view->values.items[value];
    return made->graph == 0 && made->maker == HTP_VIEW_BY_INPUT && made->initializer == HTP_NONE;
}

static void add_axis(htp_arena *arena, htp_view_axes *axes, const char *name)
{
    if (!htp_map_get(&axes->numbers, name, NULL)) {
        htp_map_set(arena, &axes->numbers, name, (uint32_t)axes->items.count);
        HTP_PUSH(arena, &axes->items, (htp_axis){.symbol = name});
    }
}

static bool is_formula(htp_arena *arena, const htp_view_axes *axes, const char *symbol)
{
    htp_size_formula formula = {.count = 0};
    return !htp_size_formula_parse(arena, symbol, &axes->numbers, &formula);
}

/* The name of a dim without one. */
static const char *name_dim(htp_arena *arena, const htp_view *view, uint32_t value, size_t dim)
{
    return htp_arena_printf(arena, "%s.%zu", htp_view_text(view, view->values.items[value].name),
                            dim);
}

/* The axis that a dim makes: names, or with @p of_others those that are no formula of them, and
 * dims without a name. NULL: none. */
static const char *find_axis(htp_arena *arena, const htp_view *view, uint32_t value, size_t dim,
                             const htp_value_dim *facts, bool of_others, const htp_view_axes *axes)
{
    const char *symbol = facts->symbol;
    if (!of_others) {
        return symbol && htp_size_formula_is_name(symbol) ? symbol : NULL;
    }
    if (symbol && *symbol) {
        return is_formula(arena, axes, symbol) ? NULL : symbol;
    }
    return facts->size < 0 ? name_dim(arena, view, value, dim) : NULL;
}

static void add_axes(htp_arena *arena, const htp_view *view, uint32_t value, bool of_others,
                     htp_view_axes *axes)
{
    const htp_value_type type = htp_value_type_find(arena, view, value);
    for (size_t i = 0; i < type.rank; i++) {
        const char *axis = find_axis(arena, view, value, i, &type.dims[i], of_others, axes);
        if (axis) {
            add_axis(arena, axes, axis);
        }
    }
}

htp_view_axes htp_view_axes_find(htp_arena *arena, const htp_view *view)
{
    htp_view_axes axes = {.input_count = 0};
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t v = 0; v < view->values.count; v++) {
            if (is_input(view, v)) {
                add_axes(arena, view, v, turn == 1, &axes);
            }
        }
    }
    axes.input_count = axes.items.count;
    for (uint32_t v = 0; v < view->values.count && htp_view_names_hold(view); v++) {
        if (view->values.items[v].graph == 0 && view->values.items[v].maker == HTP_VIEW_BY_NODE) {
            add_axes(arena, view, v, false, &axes);
        }
    }
    return axes;
}

/* ---- sizes ---- */

static const char *list_axes(htp_arena *arena, const htp_view_axes *axes)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < axes->items.count; i++) {
        htp_text_addf(&text, "%s%s", i ? ", " : "", axes->items.items[i].symbol);
    }
    return axes->items.count > 0 ? htp_text_string(&text) : "none";
}

static htp_status set_size(htp_arena *arena, htp_view_axes *axes, bool *is_set, const char *word)
{
    const char *equals = strrchr(word, '=');
    char *end = NULL;
    errno = 0;
    long long size =
        equals && equals[1] >= '0' && equals[1] <= '9' ? strtoll(equals + 1, &end, 10) : -1;
    if (!end || *end || errno != 0 || size > LARGEST_SIZE || equals == word) {
        return htp_status_make(
            HTP_CODE_USAGE, "'%s' is no size: pass AXIS=NUMBER, with commas between several", word);
    }
    const char *name = htp_arena_copy(arena, word, (size_t)(equals - word));
    uint32_t axis;
    if (!htp_map_get(&axes->numbers, name, &axis)) {
        return htp_status_make(HTP_CODE_USAGE, "the model has no axis '%s'; its axes: %s", name,
                               list_axes(arena, axes));
    }
    axes->items.items[axis].sizes[0] = size;
    is_set[axis] = true;
    return HTP_OK;
}

htp_status htp_view_axes_set(htp_arena *arena, htp_view_axes *axes, const char *text)
{
    bool *is_set = HTP_NEW_ARRAY(arena, bool, axes->items.count + 1);
    const char *at = text;
    while (*at) {
        size_t length = strcspn(at, ",");
        HTP_TRY(set_size(arena, axes, is_set, htp_arena_copy(arena, at, length)));
        at += length + (at[length] == ',');
    }
    for (size_t i = 0; i < axes->input_count; i++) {
        if (!is_set[i]) {
            return htp_status_make(HTP_CODE_USAGE, "axis '%s' has no size: pass %s=NUMBER, too",
                                   axes->items.items[i].symbol, axes->items.items[i].symbol);
        }
    }
    /* Sizes that the data decide and nobody gave stay unknown: they are no axes any more. */
    for (size_t i = axes->input_count; i < axes->items.count; i++) {
        axes->items.items[i].sizes[0] = is_set[i] ? axes->items.items[i].sizes[0] : -1;
    }
    axes->are_sized = true;
    return HTP_OK;
}

/* ---- dims ---- */

/* Whether a formula has an axis without a size. */
static bool lacks_size(const htp_view_axes *axes, const htp_size_formula *formula)
{
    bool lacks = false;
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_size_formula_step *step = &formula->steps[i];
        lacks =
            lacks || (step->kind == HTP_SIZE_AXIS && axes->items.items[step->number].sizes[0] < 0);
    }
    return lacks;
}

static htp_value_dim put_number(const htp_view_axes *axes, htp_arena *arena, const char *symbol)
{
    const htp_value_dim unknown = {.symbol = NULL, .size = -1};
    htp_size_formula formula = {.count = 0};
    uint32_t axis;
    if (htp_map_get(&axes->numbers, symbol, &axis)) {
        return (htp_value_dim){.size = axes->items.items[axis].sizes[0]};
    }
    if (htp_size_formula_parse(arena, symbol, &axes->numbers, &formula) ||
        lacks_size(axes, &formula)) {
        return unknown;
    }
    int64_t size = htp_size_formula_value(&formula, axes->items.items, 0);
    return size > 0 ? (htp_value_dim){.size = size} : unknown; /* 0: or it overflows */
}

static htp_value_dim put_formula(const htp_view_axes *axes, htp_symbols *symbols,
                                 const char *symbol)
{
    const htp_value_dim kept = {.symbol = symbol, .size = -1};
    htp_size_formula formula = {.count = 0};
    if (htp_map_get(&axes->numbers, symbol, NULL) ||
        htp_size_formula_parse(symbols->arena, symbol, &axes->numbers, &formula)) {
        return kept;
    }
    htp_polynomial_id *ids =
        HTP_NEW_ARRAY(symbols->arena, htp_polynomial_id, axes->items.count + 1);
    for (size_t i = 0; i < axes->items.count; i++) {
        ids[i] = htp_symbols_polynomial(symbols, (htp_dim){.symbol = axes->items.items[i].symbol});
    }
    htp_polynomial_id id = htp_size_formula_polynomial(&symbols->algebra, &formula, ids);
    htp_dim dim = id == HTP_NONE ? (htp_dim){.symbol = symbol} : htp_symbols_name(symbols, id);
    return (htp_value_dim){.symbol = dim.symbol, .size = dim.symbol ? -1 : dim.size};
}

htp_value_type htp_view_axes_put(const htp_view_axes *axes, htp_symbols *symbols,
                                 const htp_view *view, uint32_t value, htp_value_type declared)
{
    htp_arena *arena = symbols->arena;
    bool is_of_input = is_input(view, value);
    if (!is_of_input && (view->values.items[value].graph != 0 || !htp_view_names_hold(view))) {
        return declared;
    }
    htp_value_dim *dims = HTP_NEW_ARRAY(arena, htp_value_dim, declared.rank);
    for (size_t i = 0; i < declared.rank; i++) {
        const char *symbol = declared.dims[i].symbol;
        dims[i] = declared.dims[i];
        if (is_of_input && dims[i].size < 0 && (!symbol || !*symbol)) {
            symbol = name_dim(arena, view, value, i);
            dims[i].symbol = symbol;
        }
        if (symbol && *symbol) {
            dims[i] = axes->are_sized ? put_number(axes, arena, symbol)
                                      : put_formula(axes, symbols, symbol);
        }
    }
    declared.dims = dims;
    return declared;
}
