/*
 * Which tensors each module owns, and how large its parameters are.
 */
#ifndef HTP_HIERARCHY_PARAMETERS_H
#define HTP_HIERARCHY_PARAMETERS_H

#include "base/arena.h"
#include "interpret/trace/instances.h"

/** Parameters of one module; a tied one (same storage and geometry) counts once. */
typedef struct htp_parameter_count {
    uint64_t own;       /* elements of the module's own */
    uint64_t total;     /* elements of its own and its descendants' */
    uint64_t trainable; /* those of the total that require a gradient */
    uint64_t bytes;     /* of the total */
} htp_parameter_count;

typedef struct htp_parameters {
    const htp_parameter_count *modules; /* by module */
    const uint32_t *first_weight;       /* by module, in order of weights; HTP_NONE: none */
    const uint32_t *next_weight;        /* by weight: the same module's next */
    const uint32_t *same_as;            /* by weight: the first weight of its storage and geometry,
                                           often itself */
} htp_parameters;

/**
 * Counts parameters. @p modules are in depth-first order. Takes linear time, and the logarithm of
 * the depth for each tied parameter.
 */
htp_parameters *htp_parameters_count(htp_arena *arena, const htp_instance *modules,
                                     uint32_t module_count, const htp_weight *weights,
                                     uint32_t weight_count);

/** The attribute name of a weight in the module at @p module_path: "weight" of
 * "encoder.linear.weight". The whole name if it does not begin with the path. */
const char *htp_parameters_local_name(const char *module_path, const htp_weight *weight);

#endif
