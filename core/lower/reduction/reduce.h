/*
 * Reductions on which other operators are built. Private to core/lower.
 */
#ifndef HTP_LOWER_REDUCE_H
#define HTP_LOWER_REDUCE_H

#include "lower/compose/formula.h"

/** The operands of a reduction: a tensor, the axes, and whether these keep size 1. */
typedef struct htp_reduction {
    htp_tensor_id x;
    htp_dtype dtype;
    const int64_t *axes;
    size_t axis_count; /* 0 for a 0-d tensor */
    bool takes_all;    /* all axes are reduced */
    bool keepdims;
} htp_reduction;

/** The argument @p name along the axes of the argument dim, or all of them without it. */
htp_reduction htp_arg_reduction(htp_lowering *l, const char *name, htp_dtype dtype);

/** One ONNX reduction, of @p x in place of r->x. */
htp_tensor_id htp_emit_reduced(htp_lowering *l, const char *op, const htp_reduction *r,
                               htp_tensor_id x, bool keepdims);

/** The mean. ONNX Runtime gives 0 for no elements, libtorch NaN: if there may be none, the sum is
 * divided by the number of elements. */
htp_tensor_id htp_emit_mean(htp_lowering *l, const htp_reduction *r, bool keepdims);

/** Whether a tensor argument of the node may have no elements. */
bool htp_args_may_be_empty(const htp_lowering *l);

/** Whether the operator is a reduction whose result for no elements is known. */
bool htp_reduces_nothing(const htp_lowering *l);

/** Binds the output to that result, for a tensor without elements: runtimes differ there. */
void htp_lower_reduction_of_nothing(htp_lowering *l);

/** The norm of order @p p: infinite, 0 or any other number. */
htp_tensor_id htp_emit_norm(htp_lowering *l, const htp_reduction *r, double p);

/** aten::pairwise_distance along one axis. */
typedef struct htp_pair_distance {
    int64_t axis;
    double p;
    double eps; /* added to the differences */
    bool keepdims;
} htp_pair_distance;

htp_tensor_id htp_emit_pair_distance(const htp_formula *f, htp_tensor_id a, htp_tensor_id b,
                                     const htp_pair_distance *d);

/** The cumulative sum along an axis. */
htp_tensor_id htp_emit_cumsum(htp_lowering *l, htp_dtype dtype, htp_tensor_id x, int64_t axis);

#endif
