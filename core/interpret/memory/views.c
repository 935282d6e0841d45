/*
 * Reads views again and writes them back, by functional operators.
 */
#include "interpret/memory/memory.h"

#include <string.h>

htp_outcome htp_item_view_again(htp_machine *m, const htp_item_view *view, htp_item *parent,
                                const htp_place *place, htp_item **seen)
{
    htp_items inputs = htp_items_copy(m, &view->inputs);
    inputs.items[view->input] = parent;
    htp_items outputs = {0};
    HTP_DO(htp_execute_all(m, view->name, view->overload, &inputs, place, &outputs));
    if (view->output >= outputs.count) {
        return htp_machine_stop(m, HTP_FAILS, "%s gives fewer outputs than before", view->name);
    }
    htp_item *output = outputs.items[view->output];
    if (view->element == SIZE_MAX || output->kind == HTP_ITEM_UNKNOWN) {
        *seen = output;
        return HTP_GOES_ON;
    }
    if (view->element >= output->elements.count) {
        return htp_machine_stop(m, HTP_FAILS, "%s gives fewer tensors than before", view->name);
    }
    *seen = output->elements.items[view->element];
    return HTP_GOES_ON;
}

/* ---- writing back ---- */

/* A tensor as one row of elements. */
static htp_outcome flatten(htp_machine *m, htp_item *tensor, htp_item *flat, const htp_place *place,
                           htp_item **made)
{
    htp_items inputs = HTP_ITEMS(m, tensor, flat);
    return htp_execute(m, "aten::reshape", "", &inputs, place, made);
}

static htp_outcome shape_like(htp_machine *m, htp_item *given, htp_item *model,
                              const htp_place *place, htp_item **made)
{
    htp_items inputs = HTP_ITEMS(m, given, model);
    return htp_execute(m, "aten::reshape_as", "", &inputs, place, made);
}

/* The positions of a tensor's elements, in its shape. */
static htp_outcome positions_in(htp_machine *m, htp_item *tensor, htp_item *none,
                                const htp_place *place, htp_item **made)
{
    htp_items inputs = HTP_ITEMS(m, tensor);
    htp_item *count = NULL;
    HTP_DO(htp_execute(m, "aten::numel", "", &inputs, place, &count));
    htp_item *type = htp_item_int(m, HTP_SCALAR_LONG);
    inputs = HTP_ITEMS(m, count, type, none, none, none);
    htp_item *positions = NULL;
    HTP_DO(htp_execute(m, "aten::arange", "", &inputs, place, &positions));
    return shape_like(m, positions, tensor, place, made);
}

/* Writes back through any view: the same view of element positions shows where elements belong. */
static htp_outcome put_back_elements(htp_machine *m, const htp_item_view *view, htp_item *value,
                                     const htp_place *place, htp_item **parent)
{
    htp_item *none = htp_item_none(m);
    htp_items sizes = HTP_ITEMS(m, htp_item_int(m, -1));
    htp_item *flat = htp_item_hold(m, HTP_ITEM_LIST, &sizes);
    htp_item *positions = NULL;
    HTP_DO(positions_in(m, view->parent, none, place, &positions));
    htp_item *seen = NULL;
    HTP_DO(htp_item_view_again(m, view, positions, place, &seen));
    htp_item *into = NULL;
    HTP_DO(flatten(m, view->parent, flat, place, &into));
    htp_item *dim = htp_item_int(m, 0);
    htp_item *at = NULL;
    HTP_DO(flatten(m, seen, flat, place, &at));
    htp_item *elements = NULL;
    HTP_DO(flatten(m, value, flat, place, &elements));
    htp_items inputs = HTP_ITEMS(m, into, dim, at, elements);
    htp_item *scattered = NULL;
    HTP_DO(htp_execute(m, "aten::scatter", "src", &inputs, place, &scattered));
    return shape_like(m, scattered, view->parent, place, parent);
}

/* The inverse of a permutation: items of numbers; none if the dims are unknown. */
static htp_outcome inverse_of(htp_machine *m, const htp_item_view *view, size_t rank,
                              htp_items *inverse)
{
    int64_t *from = HTP_NEW_ARRAY(m->arena, int64_t, rank);
    for (size_t i = 0; i < rank; i++) {
        from[i] = -1;
    }
    const htp_items *dims = &view->inputs.items[1]->elements;
    for (size_t i = 0; i < dims->count; i++) {
        const htp_item *dim = dims->items[i];
        if (!htp_is_decided(dim)) {
            return HTP_GOES_ON;
        }
        int64_t at = htp_is_int(dim) ? htp_dim_wrap(dim->lane[0].as.i, (int64_t)rank) : -1;
        if (at < 0) {
            return htp_machine_stop(m, HTP_FAILS, "a permutation has a dim out of range");
        }
        from[at] = (int64_t)i;
    }
    for (size_t i = 0; i < rank; i++) {
        htp_items_push(m, inverse, htp_item_int(m, from[i]));
    }
    return HTP_GOES_ON;
}

/* Inverse operators of views. Operands: the parent's value, if the view covers only a part, then
 * the view's value, then the view's other operands. */
typedef struct undoing {
    const char *name;
    const char *by;
    const char *overload;
    bool is_part;
} undoing;

static const undoing undoings[] = {
    {"aten::t", "aten::t", "", false},
    {"aten::numpy_T", "aten::numpy_T", "", false},
    {"aten::transpose", "aten::transpose", "int", false},
    {"aten::select", "aten::select_scatter", "", true},
    {"aten::slice", "aten::slice_scatter", "", true},
};

static const undoing *find_undoing(const char *name)
{
    for (size_t i = 0; i < sizeof(undoings) / sizeof(undoings[0]); i++) {
        if (strcmp(undoings[i].name, name) == 0) {
            return &undoings[i];
        }
    }
    return NULL;
}

static htp_outcome undo(htp_machine *m, const htp_item_view *view, const undoing *how,
                        htp_item *value, const htp_place *place, htp_item **parent)
{
    htp_items inputs = {0};
    if (how->is_part) {
        htp_items_push(m, &inputs, view->parent);
    }
    htp_items_push(m, &inputs, value);
    for (size_t i = 1; i < view->inputs.count; i++) {
        htp_items_push(m, &inputs, view->inputs.items[i]);
    }
    return htp_execute(m, how->by, how->overload, &inputs, place, parent);
}

htp_outcome htp_item_view_put_back(htp_machine *m, const htp_item_view *view, const htp_item *child,
                                   htp_item *value, const htp_place *place, htp_item **parent)
{
    if (!htp_is_tensor(view->parent) || !htp_is_tensor(value)) {
        return htp_machine_stop(m, HTP_FAILS, "a view of something that is no tensor is changed");
    }
    if (htp_tensor_in(child, 0)->type != htp_tensor_in(view->parent, 0)->type) {
        return htp_machine_refuse(m, place, "a tensor is changed through a view of another dtype");
    }
    if (view->input != 0) {
        return put_back_elements(m, view, value, place, parent);
    }
    if (htp_has_fact(view->name, HTP_FACT_RESHAPES)) {
        return shape_like(m, value, view->parent, place, parent);
    }
    const undoing *how = find_undoing(view->name);
    if (how) {
        return undo(m, view, how, value, place, parent);
    }
    htp_items inverse = {0};
    if (strcmp(view->name, "aten::permute") == 0) {
        HTP_DO(inverse_of(m, view, htp_tensor_in(value, 0)->rank, &inverse));
    }
    if (inverse.count == 0) {
        return put_back_elements(m, view, value, place, parent);
    }
    htp_items inputs = HTP_ITEMS(m, value, htp_item_hold(m, HTP_ITEM_LIST, &inverse));
    return htp_execute(m, "aten::permute", "", &inputs, place, parent);
}
