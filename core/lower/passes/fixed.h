/*
 * Finds tensors that follow from initializers alone, and replaces them: shared by the passes that
 * compute them (lower/passes/weight_arithmetic.h, lower/passes/fold_constants.h). Private to
 * core/lower.
 *
 * A result may have at most 1 MiB, or 1.1 times the bytes of the initializers that become unused
 * because of it. What all results add to these bytes is bounded by the limit of constants.
 */
#ifndef HTP_LOWER_FIXED_H
#define HTP_LOWER_FIXED_H

#include "lower/emit/lowering.h"
#include "lower/weight_layout/weight_layout.h"

/** Results of at most this many bytes are always allowed. */
#define HTP_FIXED_SMALL (UINT64_C(1) << 20)

/** Facts by tensor about a model, as of htp_fixed_find(). */
typedef struct htp_fixed {
    htp_lowering *l;
    htp_builder *model;
    size_t tensor_count;
    const bool *used_nodes; /* by node: an output depends on it */
    bool *is_fixed;         /* it follows from initializers alone */
    bool *is_plain; /* is_fixed, and none of the initializers is a weight or derived from weights */
    const htp_laid **laid;   /* its layout if it only rearranges weights; or NULL */
    bool *is_read;           /* a node that stays reads it */
    bool *is_counted;        /* scratch of htp_fixed_cone() */
    htp_storage_reads reads; /* of the counted ones */
    uint32_t *seen;          /* the number of the last cone that contained it */
    uint32_t cones;
    htp_value_id *values;   /* the value of the graph that it is, or HTP_NONE */
    htp_tensor_id *instead; /* its replacement, or HTP_NONE */
} htp_fixed;

/** The tensors from which one is computed, its cone. */
typedef struct htp_cone {
    HTP_VECTOR(htp_tensor_id) open;
    HTP_VECTOR(uint32_t) weights; /* the trace's weights, each once */
    uint64_t gone;                /* bytes of initializers that nothing else reads, as far as no
                                     other initializer has them */
    uint32_t count;               /* number of tensors */
} htp_cone;

/** Finds these facts. Nodes must be in topological order. */
htp_fixed *htp_fixed_find(htp_lowering *l);

/** The node that makes a tensor, or NULL. */
const htp_onnx_node *htp_fixed_maker(const htp_fixed *fixed, htp_tensor_id id);

/** Finds the cone of a tensor. @return false if it is too large */
bool htp_fixed_cone(htp_fixed *fixed, htp_tensor_id id, htp_cone *cone);

/** Bytes of constants that may still be added. */
uint64_t htp_fixed_left(const htp_fixed *fixed);

/** The most bytes that a result computed from this cone may have. */
uint64_t htp_fixed_most(const htp_fixed *fixed, const htp_cone *cone);

/** Records a result that stays, once for each node that computes it; @p kept may be NULL. */
void htp_fixed_keep(htp_kept_arithmetic *kept, htp_lowering *l, htp_kept_result result);

/** Makes the initializer that replaces a tensor: a constant if no weight is in the cone.
 * @param contents  contiguous; must live as long as the model */
htp_tensor_id htp_fixed_make(const htp_fixed *fixed, htp_tensor_id id, const htp_cone *cone,
                             htp_dtype dtype, uint32_t rank, const int64_t *dims,
                             const void *contents);

/** Calls @p compute for each fixed tensor that a staying node reads, from the last node to the
 * first. It sets fixed->instead, or returns false: then the tensor's node stays.
 */
void htp_fixed_sweep(htp_fixed *fixed, bool (*compute)(void *with, htp_tensor_id id), void *with);

/** Makes nodes read the replacements. */
void htp_fixed_replace(htp_fixed *fixed);

#endif
