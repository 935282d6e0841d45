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

/** Marks the tensors (by number) that nodes of the region read as initializers. */
bool *htp_region_find_weights(htp_arena *arena, const htp_region *region);

#endif
