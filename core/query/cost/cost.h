/*
 * What the modules of an ONNX model cost: multiply-adds, bytes that are computed, and memory, as
 * formulas of the dynamic axes or as numbers.
 *
 * - Multiply-adds: see multiply_adds.def. A body counts as often as it runs; of an If, the branch
 *   that costs more.
 * - Activations: the bytes of all outputs of nodes, in all runs; constants are none.
 * - Peak: the most bytes of values that live at once, where each value has memory of its own from
 * the node that makes it to its last reader, and nodes run in the order of the file. Inputs and
 * outputs count, weights do not.
 * - Weights: the initializers that a node reads.
 *
 * A node belongs to the module of its first tag.
 */
#ifndef HTP_QUERY_COST_H
#define HTP_QUERY_COST_H

#include "onnx/builder/builder.h"
#include "onnx/shape_inference/infer_axes.h"
#include "query/cost/amount.h"
#include "query/tree/tree.h"

/** One node; HTP_NONE where a size is not known. */
typedef struct htp_cost_node {
    htp_polynomial_id multiply_adds; /* in all runs */
    htp_polynomial_id activations;   /* bytes, the same */
    uint64_t parameters;
    uint64_t bytes;   /* of these */
    bool is_left_out; /* it is in a branch that costs less, or in a function: it has no cost */
} htp_cost_node;

/** What several nodes cost. */
typedef struct htp_cost_sum {
    htp_amount multiply_adds;
    htp_amount activations;
} htp_cost_sum;

/** All nodes of one operator. */
typedef struct htp_cost_operator {
    htp_view_name domain, op_type;
    uint64_t nodes;
    uint64_t parameters, bytes; /* each tensor once */
    htp_cost_sum sum;
} htp_cost_operator;

/** The most alternatives that a peak may have: which is the largest depends on the axes. */
enum { HTP_COST_MAX_PEAKS = 8 };

/** Memory in bytes: the largest of some amounts, where all axes are 1 and more. */
typedef struct htp_cost_peak {
    htp_amount amounts[HTP_COST_MAX_PEAKS];
    uint32_t count;
    bool is_broken; /* there would be more */
} htp_cost_peak;

typedef struct htp_cost {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    const htp_view_axes *axes;
    const htp_builder *builder; /* types by value; NULL: nothing can be inferred */
    htp_symbols *symbols;
    htp_cost_node *nodes;                    /* by node */
    htp_cost_sum whole;                      /* all nodes */
    htp_cost_sum untagged;                   /* nodes without a module */
    htp_cost_sum *own;                       /* by module: nodes of it alone */
    htp_cost_sum *total;                     /* by module: those below it, too */
    HTP_VECTOR(htp_cost_operator) operators; /* in the order of their first nodes */
    htp_cost_peak peak;
    HTP_VECTOR(uint32_t) uncounted; /* nodes whose multiply-adds are not known */
    uint64_t unsized;               /* values whose bytes are not known */
    HTP_VECTOR(const char *) notes; /* what is counted in another way than one would think */
} htp_cost;

/** What a model costs in two ways. */
typedef struct htp_costs {
    const htp_cost *formulas;
    const htp_cost *numbers; /* at the sizes that were given; the formulas where all dims are
                                numbers; NULL: the axes have no sizes */
    const char *sizes;       /* as given; or NULL */
} htp_costs;

/**
 * Finds the cost of a model. Time and memory grow with the nodes.
 * @param sizes  as htp_view_axes_set() takes them; NULL: none
 * @return HTP_CODE_USAGE as htp_view_axes_set(); HTP_CODE_BAD_INPUT if no types can be inferred.
 */
HTP_MUST_USE htp_status htp_costs_find(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                       const char *sizes, htp_costs *costs);

/** A polynomial as a number. @return false where it is HTP_NONE, or a formula */
bool htp_cost_number(const htp_cost *cost, htp_polynomial_id id, uint64_t *number);

#endif
