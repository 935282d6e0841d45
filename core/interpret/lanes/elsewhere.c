#include "interpret/lanes/elsewhere.h"

#include "interpret/lanes/lanes.h"
#include "interpret/meta/builds.h"
#include "interpret/meta/layout.h"

#include <string.h>

enum { MAX_NESTING = 64 }; /* of lists of operands */

/* ---- operands ---- */

/* The reason of an item, or of its elements; or NULL. */
static const char *reason_of(const htp_item *item, size_t depth)
{
    const char *reason = item->elsewhere ? item->elsewhere->reason : NULL;
    for (size_t i = 0; depth < MAX_NESTING && i < item->elements.count && !reason; i++) {
        reason = reason_of(item->elements.items[i], depth + 1);
    }
    return reason;
}

static bool is_strided(const htp_machine *m, const htp_call *call)
{
    bool is = false;
    for (size_t i = 0; i < call->inputs.count; i++) {
        const htp_item *input = call->inputs.items[i];
        for (uint32_t lane = 0; htp_is_tensor(input) && lane < m->lane_count; lane++) {
            is = is || !htp_tensor_in(input, lane)->is_contiguous;
        }
    }
    return is;
}

static const char *find_reason(const htp_machine *m, const htp_call *call)
{
    const htp_meta_builds *row = htp_meta_builds_find(call->schema.name);
    if (row && (row->when == HTP_BUILDS_ALWAYS || is_strided(m, call))) {
        return row->reason;
    }
    const char *reason = NULL;
    for (size_t i = 0; m->memory.has_elsewhere && i < call->inputs.count && !reason; i++) {
        reason = reason_of(call->inputs.items[i], 0);
    }
    return reason;
}

/* A substitute for an item with its layout elsewhere, without contents. */
static htp_item *as_elsewhere(htp_machine *m, htp_item *item)
{
    if (!reason_of(item, 0)) {
        return item;
    }
    htp_item *other = HTP_NEW(m->arena, htp_item);
    *other = *item;
    if (item->elsewhere) {
        memcpy(other->lane, item->elsewhere->lane, sizeof(other->lane));
        other->known = htp_is_data(item) ? HTP_KNOWN_OPEN_SIZES : HTP_KNOWN_OPEN;
        return other;
    }
    other->elements = htp_items_copy(m, &item->elements);
    for (size_t i = 0; i < item->elements.count; i++) {
        other->elements.items[i] = as_elsewhere(m, item->elements.items[i]);
    }
    return other;
}

htp_outcome htp_elsewhere_ask(htp_machine *m, htp_call *call, htp_call_elsewhere *elsewhere)
{
    *elsewhere = (htp_call_elsewhere){.reason = find_reason(m, call)};
    if (!elsewhere->reason) {
        return HTP_GOES_ON;
    }
    htp_items inputs = {0};
    for (size_t i = 0; i < call->inputs.count; i++) {
        htp_items_push(m, &inputs, as_elsewhere(m, call->inputs.items[i]));
    }
    htp_call asked = htp_call_with(call, &inputs);
    asked.is_elsewhere = true;
    htp_outcome outcome = htp_call_run_lanes(m, &asked, HTP_MODE_SIZES, &elsewhere->results);
    if (outcome >= HTP_BREAKS) {
        return outcome;
    }
    elsewhere->is_told = outcome == HTP_GOES_ON;
    elsewhere->raises = outcome == HTP_FAILS;
    memcpy(call->storages_elsewhere, asked.storages, sizeof(asked.storages));
    return HTP_GOES_ON;
}

/* ---- numbers ---- */

static bool holds_tensors(const htp_operand *operand)
{
    bool holds = operand->kind == HTP_OPERAND_TENSOR;
    bool is_list = operand->kind == HTP_OPERAND_LIST || operand->kind == HTP_OPERAND_TUPLE;
    for (uint32_t i = 0; is_list && i < operand->count && !holds; i++) {
        holds = holds_tensors(&operand->as.elements[i]);
    }
    return holds;
}

const char *htp_elsewhere_refusal(htp_machine *m, const htp_call *call, const htp_lanes *results,
                                  const htp_call_elsewhere *elsewhere)
{
    bool differs = false;
    for (uint32_t lane = 0; elsewhere->is_told && lane < m->lane_count; lane++) {
        for (size_t i = 0; i < results->count && i < elsewhere->results.count; i++) {
            const htp_operand *here = &results->lane[lane][i];
            const htp_operand *there = &elsewhere->results.lane[lane][i];
            differs =
                differs || (!holds_tensors(here) && !htp_operand_is_equal(m->runner, here, there));
        }
    }
    return differs ? htp_arena_printf(m->arena,
                                      "the result of %s depends on %s; copy it first, with "
                                      ".clone(memory_format=torch.contiguous_format)",
                                      call->schema.kind, elsewhere->reason)
                   : NULL;
}

/* ---- tensors ---- */

uint32_t htp_call_count_shared(const htp_machine *m, const htp_call *call, const htp_item *tensor,
                               size_t input, bool is_elsewhere)
{
    const bool is_other = is_elsewhere && tensor->elsewhere && call->storages_elsewhere[0];
    struct htp_storages *const *storages = is_other ? call->storages_elsewhere : call->storages;
    uint32_t shared = 0;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_operand *seen = is_other ? &tensor->elsewhere->lane[lane] : &tensor->lane[lane];
        const htp_storages *given = &storages[lane][input];
        bool is_shared = false;
        for (size_t i = 0; i < given->count; i++) {
            is_shared = is_shared || given->all[i] == seen->as.tensor->storage;
        }
        shared += is_shared;
    }
    return shared;
}

/* Whether two tensors of equal sizes have equal strides, except for single dims. */
static bool have_same_steps(const htp_runner_tensor *a, const htp_runner_tensor *b)
{
    bool have = true;
    for (uint32_t dim = 0; dim < a->rank && have && a->elements > 1; dim++) {
        have = a->dims[dim] == 1 || a->strides[dim] == b->strides[dim];
    }
    return have;
}

/* Whether two tensors of equal sizes have equal element positions, from 0 on. */
static bool have_same_places(const htp_runner_tensor *a, const htp_runner_tensor *b)
{
    return (a->offset == b->offset || a->elements == 0) && have_same_steps(a, b);
}

/* Whether strides are equal, including those of single dims: memory formats depend on them. */
static bool have_same_strides(const htp_runner_tensor *a, const htp_runner_tensor *b)
{
    return a->elements == 0 || (a->offset == b->offset && a->rank == b->rank &&
                                memcmp(a->strides, b->strides, a->rank * sizeof(*a->strides)) == 0);
}

/* A dense tensor of equal sizes with another order of dims; NULL if there is none. */
static htp_outcome make_other(htp_machine *m, const htp_runner_tensor *tensor,
                              const htp_runner_tensor **made)
{
    uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        order[i] = tensor->is_contiguous ? tensor->rank - 1 - i : i;
    }
    HTP_DO(htp_tensor_ordered(m, tensor, order, made));
    if (have_same_places(*made, tensor)) {
        *made = NULL;
    }
    return HTP_GOES_ON;
}

/* Records that the layout of a tensor elsewhere is unknown. */
static htp_outcome lie_otherwise(htp_machine *m, htp_item *item, const char *reason)
{
    htp_elsewhere *elsewhere = HTP_NEW(m->arena, htp_elsewhere);
    elsewhere->reason = reason;
    bool differs = false;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *here = htp_tensor_in(item, lane);
        const htp_runner_tensor *made = NULL;
        HTP_DO(make_other(m, here, &made));
        differs = differs || made;
        elsewhere->lane[lane] =
            (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = made ? made : here};
    }
    item->elsewhere = differs ? elsewhere : NULL;
    m->memory.has_elsewhere = m->memory.has_elsewhere || differs;
    return HTP_GOES_ON;
}

static bool is_told(const htp_machine *m, const htp_item *item, const htp_elsewhere *elsewhere)
{
    bool is = true;
    for (uint32_t lane = 0; lane < m->lane_count && is; lane++) {
        const htp_operand *there = &elsewhere->lane[lane];
        is = there->kind == HTP_OPERAND_TENSOR &&
             htp_tensor_has_same_dims(there->as.tensor, htp_tensor_in(item, lane));
    }
    return is;
}

static bool is_alike(const htp_machine *m, const htp_call *call, const htp_item *item)
{
    bool is = true;
    for (uint32_t lane = 0; lane < m->lane_count && is; lane++) {
        is = have_same_strides(item->elsewhere->lane[lane].as.tensor, htp_tensor_in(item, lane));
    }
    for (size_t i = 0; i < call->inputs.count && is && call->storages[0]; i++) {
        is = htp_call_count_shared(m, call, item, i, false) ==
             htp_call_count_shared(m, call, item, i, true);
    }
    return is;
}

/* Records the layout of one tensor of a call. @p elsewhere its lanes */
static htp_outcome note_tensor(htp_machine *m, const htp_call *call, htp_item *item,
                               htp_elsewhere *elsewhere)
{
    if (!is_told(m, item, elsewhere)) {
        return lie_otherwise(m, item, elsewhere->reason);
    }
    item->elsewhere = elsewhere;
    if (is_alike(m, call, item)) {
        item->elsewhere = NULL;
    }
    m->memory.has_elsewhere = m->memory.has_elsewhere || item->elsewhere;
    return HTP_GOES_ON;
}

static htp_outcome note(htp_machine *m, const htp_call *call, const htp_elsewhere *results,
                        htp_item *item)
{
    if (htp_is_tensor(item)) {
        htp_elsewhere *own = HTP_NEW(m->arena, htp_elsewhere);
        *own = *results;
        return note_tensor(m, call, item, own);
    }
    for (size_t i = 0; i < item->elements.count; i++) {
        htp_elsewhere element = {.reason = results->reason};
        for (uint32_t lane = 0; lane < m->lane_count; lane++) {
            const htp_operand *list = &results->lane[lane];
            bool has = (list->kind == HTP_OPERAND_LIST || list->kind == HTP_OPERAND_TUPLE) &&
                       i < list->count;
            element.lane[lane] = has ? list->as.elements[i] : (htp_operand){0};
        }
        HTP_DO(note(m, call, &element, item->elements.items[i]));
    }
    return HTP_GOES_ON;
}

htp_outcome htp_elsewhere_note(htp_machine *m, const htp_call *call,
                               const htp_call_elsewhere *elsewhere, const htp_items *outputs)
{
    for (size_t i = 0; elsewhere->reason && !elsewhere->raises && i < outputs->count; i++) {
        htp_elsewhere results = {.reason = elsewhere->reason};
        bool has = elsewhere->is_told && i < elsewhere->results.count;
        for (uint32_t lane = 0; has && lane < m->lane_count; lane++) {
            results.lane[lane] = elsewhere->results.lane[lane][i];
        }
        HTP_DO(note(m, call, &results, outputs->items[i]));
    }
    return HTP_GOES_ON;
}

/* ---- items that stand for several values ---- */

/* An empty tensor with the layout of @p model without gaps, and the sizes of @p like. */
static htp_outcome make_laid(htp_machine *m, const htp_runner_tensor *model,
                             const htp_runner_tensor *like, const htp_runner_tensor **made)
{
    uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, model->rank);
    htp_tensor_order(model, order);
    HTP_DO(htp_tensor_ordered(m, like, order, made));
    if (model != like || !have_same_steps(model, *made)) {
        return HTP_GOES_ON;
    }
    /* Strides of single dims are copied as well. */
    const htp_making making = {.way = HTP_MAKE_EMPTY,
                               .type = model->type,
                               .rank = model->rank,
                               .dims = model->dims,
                               .strides = model->strides};
    return htp_tensor_make(m, &making, made);
}

htp_outcome htp_tensor_laid(htp_machine *m, const htp_runner_tensor *model,
                            const htp_runner_tensor **made)
{
    return make_laid(m, model, model, made);
}

/* A layout with no stride and no position in common with @p tensor's. */
static htp_outcome make_strange(htp_machine *m, const htp_runner_tensor *tensor,
                                const htp_runner_tensor **made)
{
    const int64_t room = 2;
    const int64_t one = 1;
    const htp_runner_tensor *whole = NULL;
    const htp_runner_tensor *moved = NULL;
    HTP_DO(htp_tensor_empty(m, tensor->type, &room, 1, &whole));
    const htp_making behind = {.way = HTP_MAKE_VIEW,
                               .of = whole,
                               .rank = 1,
                               .dims = &one,
                               .strides = &one,
                               .offset = tensor->offset == 1 ? 0 : 1};
    HTP_DO(htp_tensor_make(m, &behind, &moved));
    const htp_runner_tensor *turned = NULL;
    HTP_DO(make_other(m, tensor, &turned));
    int64_t *strides = HTP_NEW_ARRAY(m->arena, int64_t, tensor->rank);
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        uint64_t step = (uint64_t)(turned ? turned : tensor)->strides[dim] * 2;
        strides[dim] = (int64_t)(step == (uint64_t)tensor->strides[dim] ? step * 2 : step);
    }
    const htp_making making = {.way = HTP_MAKE_STRETCHED,
                               .of = moved,
                               .rank = tensor->rank,
                               .dims = tensor->dims,
                               .strides = strides};
    return htp_tensor_make(m, &making, made);
}

htp_outcome htp_elsewhere_lie_anyhow(htp_machine *m, htp_item *tensor, const char *reason)
{
    htp_elsewhere *elsewhere = HTP_NEW(m->arena, htp_elsewhere);
    elsewhere->reason = reason;
    elsewhere->is_of_several = true;
    elsewhere->is_anyhow = true;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        htp_operand *there = &elsewhere->lane[lane];
        there->kind = HTP_OPERAND_TENSOR;
        HTP_DO(make_strange(m, htp_tensor_in(tensor, lane), &there->as.tensor));
    }
    tensor->elsewhere = elsewhere;
    m->memory.has_elsewhere = true;
    return HTP_GOES_ON;
}

/* A tensor with the layout of a model and the sizes of @p like; NULL if gaps of the model depend on
 * sizes. */
static htp_outcome make_as(htp_machine *m, const htp_runner_tensor *model,
                           const htp_runner_tensor *like, const htp_runner_tensor **made)
{
    bool is_kept = !model->is_real || model->offset == 0; /* if given without contents */
    if (htp_tensor_has_same_dims(model, like) && is_kept) {
        *made = model;
        return HTP_GOES_ON;
    }
    const htp_runner_tensor *dense = NULL;
    HTP_DO(make_laid(m, model, model, &dense));
    if (!have_same_strides(model, dense)) {
        *made = NULL;
        return HTP_GOES_ON;
    }
    return make_laid(m, model, like, made);
}

/* Whether an item has these layouts in every lane. */
static bool lies_as(const htp_machine *m, const htp_operand *lanes, const htp_elsewhere *there)
{
    bool is = true;
    for (uint32_t lane = 0; lane < m->lane_count && is; lane++) {
        is = have_same_strides(lanes[lane].as.tensor, there->lane[lane].as.tensor);
    }
    return is;
}

/* @param lanes  layouts of the model */
static htp_outcome stand_for(htp_machine *m, htp_item *tensor, const htp_operand *lanes,
                             const char *reason)
{
    if (tensor->elsewhere && tensor->elsewhere->is_anyhow) {
        return HTP_GOES_ON;
    }
    htp_elsewhere *there = HTP_NEW(m->arena, htp_elsewhere);
    there->reason = reason;
    there->is_of_several = true;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *made = NULL;
        HTP_DO(make_as(m, lanes[lane].as.tensor, htp_tensor_in(tensor, lane), &made));
        if (!made) {
            return htp_elsewhere_lie_anyhow(m, tensor, reason);
        }
        there->lane[lane] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = made};
    }
    if (lies_as(m, tensor->lane, there)) {
        return HTP_GOES_ON;
    }
    if (tensor->elsewhere && !lies_as(m, tensor->elsewhere->lane, there)) {
        return htp_elsewhere_lie_anyhow(m, tensor, reason);
    }
    tensor->elsewhere = tensor->elsewhere ? tensor->elsewhere : there;
    m->memory.has_elsewhere = true;
    return HTP_GOES_ON;
}

htp_outcome htp_elsewhere_stand_for(htp_machine *m, htp_item *tensor, const htp_item *model,
                                    const char *reason)
{
    const htp_elsewhere *other = model->elsewhere;
    if (other && other->is_anyhow) {
        return htp_elsewhere_lie_anyhow(m, tensor, other->reason);
    }
    HTP_DO(stand_for(m, tensor, model->lane, reason));
    return other ? stand_for(m, tensor, other->lane, other->reason) : HTP_GOES_ON;
}

htp_outcome htp_elsewhere_stands_for(htp_machine *m, const htp_item *tensor, const htp_item *model,
                                     bool *stands)
{
    htp_item tried = *tensor;
    HTP_DO(htp_elsewhere_stand_for(m, &tried, model, ""));
    bool is_anyhow = tensor->elsewhere && tensor->elsewhere->is_anyhow;
    *stands = is_anyhow || tried.elsewhere == tensor->elsewhere;
    return HTP_GOES_ON;
}

/* ---- places ---- */

static bool is_moved(const htp_machine *m, const htp_item *tensor)
{
    bool is = false;
    for (uint32_t lane = 0; tensor->elsewhere && lane < m->lane_count && !is; lane++) {
        is =
            !have_same_places(tensor->elsewhere->lane[lane].as.tensor, htp_tensor_in(tensor, lane));
    }
    return is;
}

const char *htp_elsewhere_moved(const htp_machine *m, const htp_item *tensor)
{
    const htp_item *whole = tensor;
    while (whole->view) {
        whole = whole->view->parent;
    }
    whole = whole->origin ? whole->origin : whole;
    const htp_item *moved = is_moved(m, tensor) ? tensor : is_moved(m, whole) ? whole : NULL;
    return moved ? moved->elsewhere->reason : NULL;
}
