/*
 * The number of parts that an operator makes of a tensor, before libtorch makes them: a size of a
 * few digits asks for billions.
 */
#include "interpret/lanes/call_facts.h"
#include "interpret/lanes/execute.h"
#include "interpret/machine/costs.h"

#include <string.h>

/* The number of an operand in a lane; @p otherwise if it is no int. */
static int64_t number_at(const htp_call *call, size_t index, size_t lane, int64_t otherwise)
{
    const htp_item *item = index < call->inputs.count ? call->inputs.items[index] : NULL;
    return item && htp_is_int(item) ? item->lane[lane].as.i : otherwise;
}

/* The size of the dim that an operand names; 0 if there is none. */
static int64_t size_at(const htp_call *call, size_t index, size_t lane)
{
    const htp_runner_tensor *tensor = htp_tensor_in(call->inputs.items[0], lane);
    int64_t dim = number_at(call, index, lane, 0);
    dim += dim < 0 ? tensor->rank : 0;
    return dim >= 0 && dim < tensor->rank ? tensor->dims[dim] : 0;
}

/* Operators without a row of their own make as many parts as their second operand says. */
static int64_t count_parts(const htp_call *call, size_t lane)
{
    const char *name = call->base_name;
    int64_t number = number_at(call, 1, lane, 0);
    if (strcmp(name, "unbind") == 0) {
        return size_at(call, 1, lane);
    }
    if (strcmp(name, "split") == 0 || strcmp(name, "unsafe_split") == 0) {
        int64_t size = size_at(call, 2, lane);
        return number > 0 ? size / number + (size % number != 0) : 1;
    }
    if (strcmp(name, "chunk") == 0 || strcmp(name, "unsafe_chunk") == 0) {
        int64_t size = size_at(call, 2, lane);
        return size > 0 && size < number ? size : number;
    }
    return number;
}

htp_outcome htp_call_check_parts(htp_machine *m, const htp_call *call)
{
    if (!htp_call_has_fact(call, HTP_FACT_MAKES_PARTS) || call->inputs.count == 0 ||
        !htp_is_tensor(call->inputs.items[0])) {
        return HTP_GOES_ON;
    }
    uint64_t limit = htp_limit_value(m->limits, HTP_LIMIT_ELEMENTS);
    for (size_t lane = 0; lane < m->lane_count; lane++) {
        int64_t count = count_parts(call, lane);
        if (count > 0 && (uint64_t)count > limit) {
            return htp_machine_exceed(m, HTP_LIMIT_ELEMENTS, call->place, "%s makes %lld parts",
                                      call->schema.name, (long long)count);
        }
    }
    return HTP_GOES_ON;
}
