/*
 * The parts of a measurement. Private to core/quality.
 */
#ifndef HTP_QUALITY_PARTS_H
#define HTP_QUALITY_PARTS_H

#include "quality/quality.h"

/** The most names of one module that are searched. Modules with more are not judged, since the
 * names are searched for every node. */
enum { HTP_QUALITY_MAX_NAMES = 256 };

/** An element of a list: a module that is another name of one. */
typedef struct htp_alias {
    uint32_t module, next;
} htp_alias;

/** Modules that records list as aliases of each other. */
typedef struct htp_aliases {
    uint32_t *first; /* by module: index into `list`; HTP_NONE: it has no other name */
    uint32_t *names; /* by module: how many there are; at most HTP_QUALITY_MAX_NAMES are listed */
    HTP_VECTOR(htp_alias) list;
} htp_aliases;

/** Places of a reference's modules, see quality/places.h. */
typedef struct htp_places htp_places;

/** The state of a measurement, shared by all parts. */
typedef struct htp_measuring {
    htp_arena *arena;
    const htp_subject *subject;
    const htp_reference *reference; /* or NULL */
    htp_places *places;             /* of its modules; NULL without a reference */
    htp_quality *quality;
    uint16_t *judged, *problems;  /* by node */
    uint32_t *truth[HTP_ORACLES]; /* by node */
    uint32_t *deepest;            /* by node: the deepest module that it could be tagged with;
                                     HTP_NONE: unknown */
    bool *is_deeper;              /* by node: it ran in a module below that one */
    uint32_t *expected;           /* by node: the module by its counterparts in other layers;
                                     HTP_NONE */
    htp_quality_module *modules;
    htp_aliases aliases;
    bool *is_shared; /* by module: other instances have its tag, too */
} htp_measuring;

/** Notes that a metric judged a node, and whether it found a problem. */
static inline void htp_judge(htp_measuring *m, uint32_t node, htp_metric metric, bool is_problem)
{
    m->judged[node] |= (uint16_t)(1U << metric);
    m->problems[node] |= (uint16_t)((unsigned)is_problem << metric);
}

/** Adds an item to the measures of the model, of a module and its ancestors, and of its depth. */
void htp_count(htp_measuring *m, htp_metric metric, uint32_t module, bool counts);

/** Sets the reason why a metric has no value. */
static inline void htp_give_up(htp_measuring *m, htp_metric metric, const char *reason)
{
    m->quality->measures.of[metric] = (htp_measure){.reason = reason};
}

/** Reads the aliases of modules from records. */
void htp_find_aliases(htp_measuring *m);

/** Whether two modules are one under two names, or lie at the same path below such modules. */
bool htp_is_alias(const htp_measuring *m, uint32_t module, uint32_t other);

void htp_find_layers(htp_measuring *m);
void htp_judge_weights(htp_measuring *m);
void htp_judge_calls(htp_measuring *m);
void htp_judge_structure(htp_measuring *m);
void htp_judge_cohesion(htp_measuring *m);
void htp_judge_specificity(htp_measuring *m);
void htp_judge_scopes(htp_measuring *m);
void htp_judge_tensors(htp_measuring *m);
void htp_judge_injectivity(htp_measuring *m);
void htp_judge_consistency(htp_measuring *m);
void htp_fill_confusion(htp_measuring *m);

#endif
