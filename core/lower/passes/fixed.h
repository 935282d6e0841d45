/*
 * What follows from initializers alone, and what may become of it: for the passes that compute it
 * (lower/passes/weight_arithmetic.h, lower/passes/fold_constants.h). Private to core/lower.
 *
 * A result is kept that is no larger than 1 MiB, or than 1.1 times the initializers that nothing
 * reads any more because of it.
 */
#ifndef HTP_LOWER_FIXED_H
#define HTP_LOWER_FIXED_H

#include "lower/emit/lowering.h"
#include "lower/weight_layout/weight_layout.h"

/** Bytes that a result may have, whatever it is computed of. */
#define HTP_FIXED_SMALL (UINT64_C(1) << 20)

/** By tensor, of a model as it was when this was made. */
typedef struct htp_fixed {
    htp_lowering *l;
    htp_builder *model;
    size_t tensor_count;
    const bool *used_nodes; /* by node: an output depends on it */
    bool *is_fixed;         /* it follows from initializers alone */
    bool *is_plain;         /* and none of these is a weight, or was made of weights */
    const htp_laid **laid;  /* the layout of weights that it is no more than; or NULL */
    bool *is_read;          /* a node that stays needs it */
    bool *is_counted;       /* of an initializer: something needs no more of it */
    uint32_t *seen;         /* the last cone that it was in */
    uint32_t cones;
    htp_value_id *values;   /* the value of the graph that it is, or HTP_NONE */
    htp_tensor_id *instead; /* what was computed of it, or HTP_NONE */
} htp_fixed;

/** What a tensor is computed of. */
typedef struct htp_cone {
    HTP_VECTOR(htp_tensor_id) open;
    HTP_VECTOR(uint32_t) weights; /* of the trace, each once */
    uint64_t gone;                /* bytes of initializers that nothing else needs */
    uint32_t count;               /* of tensors */
} htp_cone;

/** Finds out. Nodes may be computed that stand before those that read them. */
htp_fixed *htp_fixed_find(htp_lowering *l);

/** The node that makes a tensor, or NULL. */
const htp_onnx_node *htp_fixed_maker(const htp_fixed *fixed, htp_tensor_id id);

/** What a tensor is computed of. @return false where it is too much */
bool htp_fixed_cone(htp_fixed *fixed, htp_tensor_id id, htp_cone *cone);

/** The bytes that a tensor may have that is computed of these. */
uint64_t htp_fixed_most(const htp_cone *cone);

/** Adds what stays because it is too large; @p kept may be NULL. */
void htp_fixed_keep(htp_kept_arithmetic *kept, htp_lowering *l, htp_node_id node, uint64_t bytes);

/** The initializer of what was computed of a tensor: a constant, where no weight is in the cone.
 * @param contents  contiguous; stays as long as the model */
htp_tensor_id htp_fixed_make(const htp_fixed *fixed, htp_tensor_id id, const htp_cone *cone,
                             htp_dtype dtype, uint32_t rank, const int64_t *dims,
                             const void *contents);

/** Calls @p compute for each tensor that follows from initializers, and that nodes which stay read,
 * from the last node to the first. It sets fixed->instead, or returns false: then its node stays.
 */
void htp_fixed_sweep(htp_fixed *fixed, bool (*compute)(void *with, htp_tensor_id id), void *with);

/** Lets nodes read what was computed. */
void htp_fixed_replace(htp_fixed *fixed);

#endif
