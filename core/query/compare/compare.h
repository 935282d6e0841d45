/*
 * Compares two models: which nodes correspond (query/compare/correspond.h), and how they differ.
 */
#ifndef HTP_QUERY_COMPARE_H
#define HTP_QUERY_COMPARE_H

#include "query/compare/constant_change.h"
#include "query/compare/correspond.h"
#include "query/compare/roots.h"
#include "query/tree/tree.h"

#include "onnx/reader/value_type.h"

/** The models are numbered. */
enum { HTP_COMPARED_A, HTP_COMPARED_B, HTP_COMPARED };

/** Nodes of one op type, or with one tag; of A and of B, and how many of A's correspond. */
typedef struct htp_compared_count {
    htp_slice name;
    uint32_t nodes[HTP_COMPARED];
    uint32_t corresponding[HTP_COMPARED];
} htp_compared_count;

typedef HTP_VECTOR(htp_compared_count) htp_compared_counts;

/** A node without a corresponding one. */
typedef struct htp_unmatched {
    uint32_t node;
    uint32_t counterpart;       /* in the other model; HTP_NONE: nothing is in its place */
    unsigned differences;       /* set of htp_difference, if there is a counterpart */
    htp_constant_change change; /* of constants, if these differ */
} htp_unmatched;

/** An input or output: its value in each model; HTP_NONE in a model that has no such one. */
typedef struct htp_compared_value {
    bool is_output;
    uint32_t values[HTP_COMPARED];
    bool has_other_type;   /* dtypes differ, or dims that both models know */
    bool has_other_source; /* of outputs: other nodes make it */
} htp_compared_value;

/** A constant, by name: an initializer, or the output of a Constant node. */
typedef struct htp_compared_constant {
    htp_view_name name;
    uint32_t tensor; /* or HTP_NONE */
    htp_digest value;
} htp_compared_constant;

/** Metadata that differ; NULL: the model has none of this name. */
typedef struct htp_compared_fact {
    const char *name;
    const char *texts[HTP_COMPARED];
} htp_compared_fact;

/** Corresponding nodes with different tags. A relative tag, left by another program's inlining,
 * does not differ from a tag that ends with it. */
typedef struct htp_compared_tag {
    uint32_t nodes[HTP_COMPARED];
} htp_compared_tag;

typedef struct htp_comparison {
    const htp_view *views[HTP_COMPARED];
    const htp_tree *trees[HTP_COMPARED];
    htp_fingerprint fingerprints[HTP_COMPARED];
    htp_correspondence correspondence;
    htp_compared_roots roots;
    HTP_VECTOR(htp_unmatched) unmatched[HTP_COMPARED];
    htp_compared_counts operators;
    bool has_modules; /* the tags of both are of one kind */
    htp_compared_counts modules;
    HTP_VECTOR(htp_compared_value) values; /* inputs, then outputs */
    uint32_t function_outputs; /* outputs of functions of A that other nodes make in B */
    uint32_t constants[HTP_COMPARED];
    uint32_t equal_constants[HTP_COMPARED]; /* whose contents the other model has, too */
    HTP_VECTOR(htp_compared_constant) only[HTP_COMPARED];
    HTP_VECTOR(htp_compared_fact) facts;
    bool has_tags; /* as has_modules, and the tags are not derived from names of nodes alone */
    HTP_VECTOR(htp_compared_tag) tags;
    bool has_same_topology; /* all nodes correspond, and so do inputs, outputs and constants */
    bool is_different;      /* in anything listed here */
} htp_comparison;

/**
 * Compares two models. Other names are not a difference; equal names only pair inputs, outputs and
 * functions.
 * @return as htp_contents_read()
 */
HTP_MUST_USE htp_status htp_compare(htp_arena *arena, const htp_view *const views[HTP_COMPARED],
                                    const htp_tree *const trees[HTP_COMPARED],
                                    htp_comparison *comparison);

/** Pairs inputs, outputs and functions. Private to core/query. */
void htp_compare_pair(htp_arena *arena, const htp_view *const views[HTP_COMPARED],
                      htp_pairing pairings[HTP_COMPARED]);

/** Compares types and sources of inputs and outputs; facts of the models. Private to core/query. */
void htp_compare_values(htp_arena *arena, htp_comparison *comparison,
                        const htp_pairing pairings[HTP_COMPARED]);
void htp_compare_facts(htp_arena *arena, htp_comparison *comparison);

/** Compares constants. Private to core/query. */
void htp_compare_constants(htp_arena *arena, htp_comparison *comparison);

#endif
