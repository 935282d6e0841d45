/*
 * cat() of tensors with data-dependent sizes, and operands of such sizes that are broadcast.
 *
 * If cat() succeeds, all sizes except the joined dim are equal: a known one determines the others.
 * Broadcast sizes are equal, too, or one is 1; the run decides.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"
#include "interpret/lanes/call_facts.h"

#include <inttypes.h>
#include <string.h>

/* ---- cat() ---- */

/* Whether a size is static, or derived from input sizes. */
static bool is_known(const htp_machine *m, const htp_item *part, int64_t dim)
{
    return !htp_is_data(part) || htp_item_is_fixed(m, part, dim);
}

/* A part with a known size of a dim; else the first part. */
static const htp_item *find_model(const htp_machine *m, const htp_items *parts, int64_t dim)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (is_known(m, parts->items[i], dim)) {
            return parts->items[i];
        }
    }
    return parts->items[0];
}

/* Gives parts the size of a dim in @p model, if their own is data-dependent. */
static htp_outcome align(htp_machine *m, htp_items *parts, int64_t dim, const htp_item *model,
                         bool *differs)
{
    htp_trace_size size = {0};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        HTP_DO(htp_sizes_dim_in(m, model, lane, dim, &size.sizes[lane]));
    }
    for (size_t i = 0; i < parts->count; i++) {
        const htp_item *part = parts->items[i];
        if (!htp_item_has_same_size(m, part, dim, model, dim) && !is_known(m, part, dim)) {
            HTP_DO(htp_sizes_with(m, part, dim, &size, &parts->items[i]));
            *differs = true;
        }
    }
    return HTP_GOES_ON;
}

static bool has_one_rank(const htp_items *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (!htp_is_tensor(parts->items[i]) ||
            htp_tensor_in(parts->items[i], 0)->rank != htp_tensor_in(parts->items[0], 0)->rank) {
            return false;
        }
    }
    return parts->count > 0;
}

htp_outcome htp_sizes_joined(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    *is_done = false;
    if (strcmp(call->schema.name, "aten::cat") != 0) {
        return HTP_GOES_ON;
    }
    HTP_DO(htp_sizes_require(m, &call->inputs, 2));
    const htp_item *list = call->inputs.items[0];
    htp_item *along = call->inputs.items[1];
    if (list->kind != HTP_ITEM_LIST || !htp_is_decided(along) || !has_one_rank(&list->elements) ||
        !htp_items_have_data(&call->inputs)) {
        return HTP_GOES_ON;
    }
    int64_t rank = htp_tensor_in(list->elements.items[0], 0)->rank;
    int64_t joined_dim;
    HTP_DO(htp_sizes_int_in(m, along, 0, &joined_dim));
    joined_dim += joined_dim < 0 ? rank : 0;
    htp_items made = htp_items_copy(m, &list->elements);
    for (int64_t dim = 0; dim < rank; dim++) {
        if (dim != joined_dim) {
            HTP_DO(align(m, &made, dim, find_model(m, &list->elements, dim), is_done));
        }
    }
    if (!*is_done) {
        return HTP_GOES_ON;
    }
    htp_item *joined = htp_item_hold(m, HTP_ITEM_LIST, &made);
    htp_items inputs = HTP_ITEMS(m, joined, along);
    htp_call other = htp_call_with(call, &inputs);
    return htp_call_run_lanes(m, &other, HTP_MODE_SIZES, results);
}

/* ---- operands that broadcast ---- */

/* Whether an operand has a dim that is not 1 in all lanes. */
static bool is_wide(const htp_machine *m, const htp_item *input, int64_t dim)
{
    return dim >= 0 &&
           (!htp_item_is_fixed(m, input, dim) || htp_tensor_in(input, 0)->dims[dim] != 1);
}

/* Gives operands their common size along a dim, if one of them is data-dependent. */
static htp_outcome meet(htp_machine *m, htp_items *inputs, int64_t from_end)
{
    const htp_item *first = NULL;
    bool differs = false;
    bool is_data = false;
    htp_text text = {.arena = m->arena};
    htp_text_add(&text, "meeting of");
    for (size_t i = 0; i < inputs->count; i++) {
        const htp_item *input = inputs->items[i];
        int64_t dim = htp_sizes_dim_from_end(input, from_end);
        if (!is_wide(m, input, dim)) {
            continue;
        }
        for (uint32_t lane = 0; lane < m->lane_count; lane++) {
            htp_text_addf(&text, " %" PRId64, htp_tensor_in(input, lane)->dims[dim]);
        }
        first = first ? first : input;
        differs = differs || !htp_item_has_same_size(m, input, dim, first,
                                                     htp_sizes_dim_from_end(first, from_end));
        is_data = is_data || htp_is_data(input);
    }
    if (!differs || !is_data) {
        return HTP_GOES_ON;
    }
    htp_trace_size size;
    HTP_DO(htp_sizes_of(m, htp_text_string(&text), "size", &size));
    for (size_t i = 0; i < inputs->count; i++) {
        const htp_item *input = inputs->items[i];
        int64_t dim = htp_sizes_dim_from_end(input, from_end);
        if (is_wide(m, input, dim)) {
            HTP_DO(htp_sizes_with(m, input, dim, &size, &inputs->items[i]));
        }
    }
    return HTP_GOES_ON;
}

/* The outputs of an operator whose operand sizes do not fit because one is data-dependent. */
htp_outcome htp_sizes_met(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    *is_done = false;
    if (!htp_call_has_fact(call, HTP_FACT_BROADCASTS) || call->schema.is_mutable) {
        return HTP_GOES_ON;
    }
    int64_t rank = 0;
    for (size_t i = 0; i < call->inputs.count; i++) {
        int64_t own = htp_sizes_dim_from_end(call->inputs.items[i], 0);
        rank = own > rank ? own : rank;
    }
    htp_items made = htp_items_copy(m, &call->inputs);
    for (int64_t from_end = 1; from_end <= rank; from_end++) {
        HTP_DO(meet(m, &made, from_end));
    }
    if (htp_items_are_equal(&made, &call->inputs)) {
        return HTP_GOES_ON;
    }
    *is_done = true;
    htp_call other = htp_call_with(call, &made);
    return htp_call_run_lanes(m, &other, HTP_MODE_SIZES, results);
}
