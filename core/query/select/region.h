/*
 * Regions: the nodes of some modules, and the values that cross their border.
 */
#ifndef HTP_QUERY_REGION_H
#define HTP_QUERY_REGION_H

#include "query/select/address.h"

/** Which modules and nodes belong to a region. */
typedef struct htp_region {
    const htp_view *view;
    const htp_tree *tree;
    bool *has_tag;    /* by module: nodes with its tag belong to it */
    bool *has_inside; /* by module: nodes that ran in it belong to it, whatever their tag; for
                         addressed modules without a tag of their own, and those below */
    bool *has_node;   /* by node */
    uint32_t node_count;
    bool takes_first_tag; /* a node that serves several modules belongs to the first alone */
} htp_region;

/** Modules; HTP_NONE stands for the model itself (its inputs and outputs), and for nodes
 * without a tag. */
typedef HTP_VECTOR(uint32_t) htp_region_modules;

/** A value that crosses the border. */
typedef struct htp_region_value {
    uint32_t value;
    htp_region_modules others; /* outside: an input's producer, or an output's readers, each once,
                                  in the order of the file */
} htp_region_value;

typedef HTP_VECTOR(htp_region_value) htp_region_values;

/** An empty region. */
htp_region htp_region_new(htp_arena *arena, const htp_view *view, const htp_tree *tree);

/**
 * Adds the modules that @p address names and, unless @p own, all below them.
 * @return as htp_address_find().
 */
HTP_MUST_USE htp_status htp_region_add(htp_arena *arena, htp_region *region, const char *address,
                                       bool own);

/** Adds modules and, unless @p own, all below them. @param is_added  by module */
void htp_region_add_modules(htp_arena *arena, htp_region *region, const bool *is_added, bool own);

/** Resets a region to one module and all below it. */
void htp_region_set_module(htp_region *region, uint32_t module);

/** Removes the nodes of @p other. */
void htp_region_subtract(htp_region *region, const htp_region *other);

/**
 * Lists the values that cross the border of a region, in a stable order: inputs by first use,
 * outputs by production. Weights, Constants and results of shared nodes do not cross it: a reader
 * of a shared node reads that node's operands. Reads of a body are reads of its node.
 */
void htp_region_find_border(htp_arena *arena, const htp_region *region, htp_region_values *inputs,
                            htp_region_values *outputs);

/** The values that cross the border of a module and all below it. */
typedef struct htp_module_border {
    htp_region_values inputs, outputs;
} htp_module_border;

/**
 * Finds the border of each module with a tag: as htp_region_find_border() does for
 * htp_region_set_module(), in the same order. A value leaves the modules around its producer that
 * are not around its reader, and enters those around its reader that are not around its producer.
 * So the cost is linear in operands and in what is found. A shared node with operands that cross
 * adds the shared nodes behind it.
 * @param depth  modules deeper than this have no border; -1: all have one
 * @return by module
 */
const htp_module_border *htp_borders_find(htp_arena *arena, const htp_view *view,
                                          const htp_tree *tree, int depth);

/** Whether a value never crosses a border: a weight, a Constant, or the result of a shared node. */
bool htp_region_is_weight(const htp_view *view, const htp_tree *tree, uint32_t value);

/** Marks the tensors (by number) that nodes of the region read as initializers. */
bool *htp_region_find_weights(htp_arena *arena, const htp_region *region);

#endif
