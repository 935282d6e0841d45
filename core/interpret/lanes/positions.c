/*
 * Positions that depend on sizes, in a tensor of other sizes: libtorch's kernels raise if one is
 * out of range, but its meta kernels do not check.
 */
#include "interpret/lanes/execute.h"

#include "interpret/lanes/call_facts.h"

enum { TENSOR, INDICES };

/* Whether the positions in an item are known in every lane. */
static bool has_positions(const htp_item *item)
{
    return htp_is_real(item) && !htp_is_data(item) &&
           htp_tensor_in(item, 0)->type == HTP_SCALAR_LONG;
}

static htp_outcome check(htp_machine *m, const htp_runner_tensor *positions, uint32_t dim,
                         int64_t size)
{
    size_t bytes = 0;
    const int64_t *numbers = m->runner->contents(m->runner->self, positions, &bytes);
    for (size_t i = 0; numbers && i < bytes / sizeof(*numbers); i++) {
        if (numbers[i] < -size || numbers[i] >= size) {
            return htp_machine_stop(m, HTP_FAILS,
                                    "index %lld is out of bounds for dimension %u with size %lld",
                                    (long long)numbers[i], (unsigned)dim, (long long)size);
        }
    }
    return HTP_GOES_ON;
}

htp_outcome htp_call_check_positions(htp_machine *m, const htp_call *call, size_t lane)
{
    if (!htp_call_has_fact(call, HTP_FACT_INDEXES) || call->inputs.count <= INDICES ||
        !htp_is_tensor(call->inputs.items[TENSOR])) {
        return HTP_GOES_ON;
    }
    const htp_item *tensor = call->inputs.items[TENSOR];
    const htp_items *indices = &call->inputs.items[INDICES]->elements;
    uint32_t rank = htp_tensor_in(tensor, lane)->rank;
    for (uint32_t dim = 0; dim < indices->count && dim < rank; dim++) {
        const htp_item *index = indices->items[dim];
        bool is_mask = htp_is_tensor(index) && htp_tensor_in(index, lane)->type != HTP_SCALAR_LONG;
        if (is_mask) { /* it may span several dims */
            return HTP_GOES_ON;
        }
        /* In a static dim, the runtime checks positions. */
        if (has_positions(index) && !htp_item_is_fixed(m, tensor, dim)) {
            HTP_DO(
                check(m, htp_tensor_in(index, lane), dim, htp_tensor_in(tensor, lane)->dims[dim]));
        }
    }
    return HTP_GOES_ON;
}
