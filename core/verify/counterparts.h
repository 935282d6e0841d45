/*
 * Which tensors of two models are the same one. Private to core/verify.
 *
 * Those of inputs and outputs, by name, else by place. Those of nodes that correspond
 * (query/compare/correspond.h). Those of one name. Those of nodes in the same place that differ in
 * constants or attributes alone. Tensors in bodies have none, nor have constants that are not
 * returned.
 */
#ifndef HTP_VERIFY_COUNTERPARTS_H
#define HTP_VERIFY_COUNTERPARTS_H

#include "query/compare/compare.h"

typedef struct htp_counterparts {
    uint32_t *of_a; /* by value of A: that of B, or HTP_NONE */
    uint32_t *of_b; /* by value of B */
} htp_counterparts;

/** Whether a run returns a value where it is asked to: a node of graph 0 makes it, or it is an
 * initializer there. */
bool htp_counterparts_can_fetch(const htp_view *view, uint32_t value);

/** Finds them. Linear in both models. */
void htp_counterparts_find(htp_arena *arena, const htp_comparison *comparison,
                           htp_counterparts *counterparts);

#endif
