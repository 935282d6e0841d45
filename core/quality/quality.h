/*
 * The quality of hierarchy tags: metrics of the model, of each depth of the module tree, of each
 * module and of each layer.
 *
 * Oracles, which share no code with what makes tags, judge whether a tag is right:
 * - weights: a node that reads `encoder.layer.1.x.weight` belongs to the module that holds it, or
 *   to one above (quality/weights.c);
 * - calls: a reference knows which module ran the node (quality/calls.c);
 * - structure: equal layers are tagged alike (quality/structure.c).
 *
 * A metric counts correct items; contamination counts misplaced nodes. An unknown metric has a
 * reason instead of a value.
 */
#ifndef HTP_QUALITY_QUALITY_H
#define HTP_QUALITY_QUALITY_H

#include "quality/reference.h"
#include "quality/subject.h"

typedef enum htp_metric {
    HTP_METRIC_COVERAGE,
    HTP_METRIC_CONTAMINATION_WEIGHTS,
    HTP_METRIC_CONTAMINATION_CALLS,
    HTP_METRIC_CONTAMINATION_STRUCTURE,
    HTP_METRIC_SPECIFICITY,
    HTP_METRIC_SCOPE,
    HTP_METRIC_TENSORS,
    HTP_METRIC_WEIGHTS,
    HTP_METRIC_COHESION,
    HTP_METRIC_SEPARATION,
    HTP_METRIC_INJECTIVITY,
    HTP_METRIC_CONSISTENCY,
    HTP_METRICS,
} htp_metric;

/** The name of a metric: "contamination.weights". */
const char *htp_metric_name(htp_metric metric);

/** Whether a metric counts errors. */
bool htp_metric_is_contamination(htp_metric metric);

/** @p count of @p of items; 0 of 0 if there is no value. */
typedef struct htp_measure {
    uint64_t count, of;
    const char *reason; /* why there is no value; NULL */
} htp_measure;

/** The measures of a model, or of a part of one; reasons are with those of the model. */
typedef struct htp_measures {
    htp_measure of[HTP_METRICS];
} htp_measures;

/** What the file says about where a node ran. */
typedef enum htp_scope_quality {
    HTP_SCOPE_FULL,  /* all modules from the root on, with their classes */
    HTP_SCOPE_CLASS, /* a class, without all modules above it */
    HTP_SCOPE_NAME,  /* only names of attributes */
    HTP_SCOPE_NONE,
    HTP_SCOPES,
} htp_scope_quality;

/** How specific a tag is, if the deepest module of its node is known. */
typedef enum htp_specificity {
    HTP_SPECIFIC_DEEPEST,
    HTP_SPECIFIC_ANCESTOR,
    HTP_SPECIFIC_ROOT, /* although a deeper tag exists */
    HTP_SPECIFICITIES,
} htp_specificity;

typedef struct htp_quality_module {
    htp_measures measures; /* of the nodes with its tag, or with one below it */
    uint64_t nodes;        /* how many these are */
    uint64_t good;         /* how many of these have no problem */
    uint64_t ran;          /* nodes that ran in it itself, whatever their tag */
    bool has_region;       /* it has nodes, and a tag of its own */
    bool is_convex;        /* no path leaves its nodes and returns */
    double milliseconds;   /* with modules below it; negative: unknown */
} htp_quality_module;

/** The oracles that know modules of nodes. */
enum { HTP_ORACLE_WEIGHTS, HTP_ORACLE_CALLS, HTP_ORACLES };

/** The confusion matrix of a layer: rows are tagged members, columns the true ones. */
typedef struct htp_confusion {
    bool is_known;
    uint32_t *counts; /* [members][members + 1], the last column for nodes of no member */
} htp_confusion;

/** Repeated instances of one structure below one module. */
typedef struct htp_quality_layer {
    uint32_t parent;
    uint32_t count;
    uint32_t *members; /* modules, in the order in which they run */
    bool *is_judged;   /* by member: other members show which operators it should have */
    bool *is_separate; /* by member: it has exactly these */
    htp_confusion confusion[HTP_ORACLES];
} htp_quality_layer;

/** The most members that have a confusion matrix. */
enum { HTP_CONFUSION_LARGEST = 256 };

typedef struct htp_quality_depth {
    uint64_t modules, nodes; /* with tags of this depth */
    htp_measures measures;
} htp_quality_depth;

typedef struct htp_quality {
    const htp_subject *subject;
    const htp_reference *reference; /* or NULL */
    bool is_against;                /* it is judged by the reference of another model */
    uint64_t tensors, weights;
    htp_measures measures;
    uint64_t specificity[HTP_SPECIFICITIES];
    uint64_t scopes[HTP_SCOPES];
    const uint16_t *judged;             /* by node: bit N: metric N has judged it */
    const uint16_t *problems;           /* by node: bit N: metric N has found a problem */
    const uint8_t *scope;               /* by node: htp_scope_quality */
    const uint32_t *truth[HTP_ORACLES]; /* by node: the module; HTP_NONE: unknown */
    htp_quality_module *modules;
    htp_quality_depth *depths;
    uint32_t depth_count;
    HTP_VECTOR(htp_quality_layer) layers;
} htp_quality;

/**
 * Measures a model in @p arena.
 * @param reference  which modules ran its nodes, by another source; or NULL
 */
void htp_quality_measure(htp_arena *arena, const htp_subject *subject,
                         const htp_reference *reference, htp_quality *quality);

/** A measure in percent; negative if it has no value. */
double htp_measure_percent(const htp_measure *measure);

#endif
