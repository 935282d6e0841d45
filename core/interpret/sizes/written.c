/*
 * In-place changes with data-dependent sizes: of the part that is written, or of the value.
 *
 * The value has the sizes of the part, or 1; otherwise libtorch raises. So a difference between
 * sizes made up for each has no meaning.
 */
#include "interpret/memory/memory.h"
#include "interpret/operators/operator_facts.h"
#include "interpret/sizes/sizes.h"

#include <string.h>

/* Whether an operator changes its first operand and broadcasts the others to it. */
static bool broadcasts_into_first(const htp_call *call)
{
    const htp_program_schema *schema = &call->schema;
    bool is_written = schema->argument_count > 0 && schema->arguments[0].is_written &&
                      call->inputs.count > 0 && htp_is_tensor(call->inputs.items[0]);
    size_t length = strlen(schema->name);
    return is_written && length > 0 && schema->name[length - 1] == '_' &&
           htp_operator_has_fact(schema->name, HTP_FACT_BROADCASTS);
}

/* Whether a dim is 1 in all lanes, so that it is broadcast. */
static bool is_one(const htp_machine *m, const htp_item *tensor, int64_t dim)
{
    return htp_item_is_fixed(m, tensor, dim) && htp_tensor_in(tensor, 0)->dims[dim] == 1;
}

/* Gives an operand the size of the corresponding dim of @p first, which has @p more further dims.
 */
static htp_outcome fit_dim(htp_machine *m, const htp_item *first, int64_t dim, int64_t more,
                           htp_item **operand)
{
    htp_trace_size size = {0};
    const htp_item *like = is_one(m, *operand, dim) ? *operand : first;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        size.sizes[lane] = htp_tensor_in(like, lane)->dims[like == first ? dim + more : dim];
    }
    return htp_sizes_with(m, *operand, dim, &size, operand);
}

/* Gives an operand the sizes of @p first where its own are data-dependent; and its own memory,
 * since made-up positions may overlap. */
static htp_outcome fit(htp_machine *m, const htp_item *first, htp_item **operand)
{
    int64_t rank = htp_tensor_in(*operand, 0)->rank;
    int64_t more = (int64_t)htp_tensor_in(first, 0)->rank - rank;
    bool is_data = htp_is_data(first) || htp_is_data(*operand);
    bool is_same = htp_memory_of(first) == htp_memory_of(*operand);
    for (int64_t dim = 0; dim < rank && is_data && more >= 0; dim++) {
        bool differs = !is_one(m, *operand, dim) &&
                       !htp_item_has_same_size(m, *operand, dim, first, dim + more);
        if (differs || is_same) {
            HTP_DO(fit_dim(m, first, dim, more, operand));
        }
    }
    return HTP_GOES_ON;
}

htp_outcome htp_sizes_written(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    *is_done = false;
    if (!broadcasts_into_first(call)) {
        return HTP_GOES_ON;
    }
    htp_items made = htp_items_copy(m, &call->inputs);
    for (size_t i = 1; i < made.count; i++) {
        if (htp_is_tensor(made.items[i])) {
            HTP_DO(fit(m, call->inputs.items[0], &made.items[i]));
        }
    }
    if (htp_items_are_equal(&made, &call->inputs)) {
        return HTP_GOES_ON;
    }
    *is_done = true;
    htp_call other = htp_call_with(call, &made);
    return htp_call_run_lanes(m, &other, HTP_MODE_SIZES, results);
}
