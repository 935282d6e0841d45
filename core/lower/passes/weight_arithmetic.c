#include "lower/passes/weight_arithmetic.h"

#include "base/checked.h"
#include "lower/passes/fixed.h"
#include "lower/passes/precompute.h"

typedef struct pass {
    htp_lowering *l;
    htp_fixed *fixed;
    htp_precomputer *precomputer;
} pass;

/* The bytes of a value; UINT64_MAX if a size is dynamic. */
static uint64_t bytes_of(const pass *p, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(p->l->graph, id);
    uint64_t bytes = htp_dtype_size(value->dtype);
    for (uint32_t i = 0; i < value->rank; i++) {
        const htp_dim *dim = &p->l->graph->values[id].dims[i];
        if (dim->symbol || !htp_checked_mul(bytes, (uint64_t)dim->size, &bytes)) {
            return UINT64_MAX;
        }
    }
    return bytes;
}

/* Computes a tensor. @return false if it stays */
static bool compute(void *with, htp_tensor_id id)
{
    pass *p = with;
    htp_cone cone;
    htp_value_id value = p->fixed->values[id];
    if (value == HTP_NONE) {
        return false;
    }
    uint64_t bytes = bytes_of(p, value);
    if (bytes > HTP_PRECOMPUTE_MAX_BYTES || !htp_precompute_follows(p->precomputer, value) ||
        !htp_fixed_cone(p->fixed, id, &cone) || bytes > htp_fixed_most(p->fixed, &cone)) {
        return false;
    }
    const htp_trace_value *told = htp_graph_value(p->l->graph, value);
    int64_t dims[HTP_MAX_RANK + 1] = {0};
    const void *contents = htp_precompute_contents(p->precomputer, value, dims);
    if (contents) {
        p->fixed->instead[id] =
            htp_fixed_make(p->fixed, id, &cone, told->dtype, told->rank, dims, contents);
    }
    return contents != NULL;
}

void htp_lower_weight_arithmetic(htp_lowering *l)
{
    pass p = {.l = l, .precomputer = htp_precompute_begin(l)};
    if (!p.precomputer) {
        return;
    }
    p.fixed = htp_fixed_find(l);
    htp_fixed_sweep(p.fixed, compute, &p);
    htp_fixed_replace(p.fixed);
}
