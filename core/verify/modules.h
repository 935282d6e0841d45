/*
 * Which modules tensors leave. Private to core/verify.
 */
#ifndef HTP_VERIFY_MODULES_H
#define HTP_VERIFY_MODULES_H

#include "base/numbers.h"
#include "query/dataflow/flow.h"
#include "query/tree/tree.h"

/** The modules of a model. Nodes in bodies count as the node that the body belongs to. */
typedef struct htp_module_borders {
    const htp_view *view;
    const htp_tree *tree;
    htp_flow flow;             /* of graph 0 */
    const uint32_t *innermost; /* by node of graph 0: its module */
    htp_tree_order order;      /* of the modules */
    htp_numbers *outputs;      /* by module: values that are made in it and read outside */
    uint32_t *first;           /* by module: its first node, or HTP_NONE */
} htp_module_borders;

/** Finds them, in time that is linear in the edges and their depths. */
void htp_module_borders_find(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                             htp_module_borders *borders);

/** Whether a value is made in a module. */
bool htp_module_makes(const htp_module_borders *borders, uint32_t module, uint32_t value);

#endif
