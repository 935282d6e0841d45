/*
 * Operands with data-dependent sizes that are combined with static sizes.
 */
#include "interpret/sizes/sizes.h"

#include "interpret/lanes/call_facts.h"

/* The size of a dim, counted from the end, if all lanes agree; otherwise 0, and also if there is no
 * such dim. */
static int64_t fixed_size(const htp_machine *m, const htp_item *item, int64_t from_end)
{
    int64_t dim = htp_sizes_dim_from_end(item, from_end);
    return dim >= 0 && htp_item_is_fixed(m, item, dim) ? htp_tensor_in(item, 0)->dims[dim] : 0;
}

/* A tensor in a lane with these sizes; -1 keeps a size. */
static htp_outcome expand_lane(htp_machine *m, const htp_runner_tensor *from, const int64_t *sizes,
                               htp_operand *made)
{
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, from->rank);
    for (uint32_t dim = 0; dim < from->rank; dim++) {
        dims[dim] = sizes[dim] < 0 ? from->dims[dim] : sizes[dim];
    }
    const htp_runner_tensor *expanded = NULL;
    HTP_DO(htp_tensor_empty(m, from->type, dims, from->rank, &expanded));
    *made = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = expanded};
    return HTP_GOES_ON;
}

/* @p tensor with these sizes: it has them already, or 1 in their place. */
static htp_outcome expand(htp_machine *m, htp_item *tensor, const int64_t *sizes,
                          const htp_place *place, htp_item **expanded)
{
    static const char name[] = "aten::expand";
    uint32_t schema = m->runner->find(m->runner->self, name, "");
    if (schema == HTP_NONE) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "this libtorch has no operator %s", name);
    }
    htp_item *asked = htp_constant_ints(m, sizes, htp_tensor_in(tensor, 0)->rank);
    htp_item *is_implicit = htp_item_bool(m, false);
    const htp_items inputs = HTP_ITEMS(m, tensor, asked, is_implicit);
    htp_call call = htp_call_make(m, schema, NULL, &inputs, place);
    htp_lanes results = htp_lanes_make(m, 1);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        HTP_DO(expand_lane(m, htp_tensor_in(tensor, lane), sizes, &results.lane[lane][0]));
    }
    htp_items outputs = {0};
    HTP_DO(htp_call_make_outputs(m, &call, HTP_MODE_SIZES, &results, true, &outputs));
    *expanded = outputs.items[0];
    return HTP_GOES_ON;
}

/*
 * The static sizes that a tensor is combined with; -1: none.
 * @return whether there are any
 */
static bool find_fixed(htp_machine *m, const htp_items *inputs, const htp_item *tensor,
                       int64_t **sizes)
{
    int64_t rank = htp_tensor_in(tensor, 0)->rank;
    bool is_fitted = false;
    *sizes = HTP_NEW_ARRAY(m->arena, int64_t, (size_t)rank);
    for (int64_t dim = 0; dim < rank; dim++) {
        (*sizes)[dim] = -1;
    }
    for (size_t i = 0; i < inputs->count; i++) {
        for (int64_t from_end = 1; from_end <= rank; from_end++) {
            int64_t size = fixed_size(m, inputs->items[i], from_end);
            if (size > 1 && fixed_size(m, tensor, from_end) == 0) {
                (*sizes)[rank - from_end] = size;
                is_fitted = true;
            }
        }
    }
    return is_fitted;
}

/* Where a data-dependent size is combined with a static one, libtorch accepts the static size or 1.
 * So does Expand, and the result has the static size. */
htp_outcome htp_sizes_fitted(htp_machine *m, const htp_call *call, htp_items *inputs, bool *is_done)
{
    *is_done = false;
    if (!htp_call_has_fact(call, HTP_FACT_BROADCASTS) || call->schema.is_mutable) {
        return HTP_GOES_ON;
    }
    *inputs = htp_items_copy(m, &call->inputs);
    for (size_t i = 0; i < inputs->count; i++) {
        htp_item *input = inputs->items[i];
        int64_t *sizes;
        if (htp_is_tensor(input) && htp_is_data(input) &&
            find_fixed(m, &call->inputs, input, &sizes)) {
            HTP_DO(expand(m, input, sizes, call->place, &inputs->items[i]));
            *is_done = true;
        }
    }
    return HTP_GOES_ON;
}
