/*
 * The parts of a measurement. Private to core/quality.
 */
#ifndef HTP_QUALITY_PARTS_H
#define HTP_QUALITY_PARTS_H

#include "quality/quality.h"

/** Names of one module that are looked through. Of one that has more nothing is said: whoever looks
 * through names does so node by node. */
enum { HTP_QUALITY_MAX_NAMES = 256 };

/** A module that is called in another one's place; in a list. */
typedef struct htp_alias {
    uint32_t module, next;
} htp_alias;

/** Modules that are one under several names, as records tell. */
typedef struct htp_aliases {
    uint32_t *first; /* by module: of `list`; HTP_NONE: it has no other name */
    uint32_t *names; /* by module: total; HTP_QUALITY_MAX_NAMES of them are listed */
    HTP_VECTOR(htp_alias) list;
} htp_aliases;

/** Where modules of a reference are, see quality/places.h. */
typedef struct htp_places htp_places;

/** The state of a measurement, shared by all parts. */
typedef struct htp_measuring {
    htp_arena *arena;
    const htp_subject *subject;
    const htp_reference *reference; /* or NULL */
    htp_places *places;             /* of its modules; NULL without one */
    htp_quality *quality;
    uint16_t *judged, *problems;  /* by node */
    uint32_t *truth[HTP_ORACLES]; /* by node */
    uint32_t *deepest;            /* by node: the module that it could be tagged with, as far as
                                     it is known; HTP_NONE */
    bool *is_deeper;              /* by node: even that one is above the module that ran it */
    uint32_t *expected;           /* by node: the module by its counterparts in other layers;
                                     HTP_NONE */
    htp_quality_module *modules;
    htp_aliases aliases;
    bool *is_shared; /* by module: its tag is that of others, too */
} htp_measuring;

/** A metric has looked at a node, and perhaps found something. */
static inline void htp_judge(htp_measuring *m, uint32_t node, htp_metric metric, bool is_problem)
{
    m->judged[node] |= (uint16_t)(1U << metric);
    m->problems[node] |= (uint16_t)((unsigned)is_problem << metric);
}

/** Adds to a measure of the whole, of a module and those above it, and of that module's depth. */
void htp_count(htp_measuring *m, htp_metric metric, uint32_t module, bool counts);

/** Says why there is no value. */
static inline void htp_give_up(htp_measuring *m, htp_metric metric, const char *reason)
{
    m->quality->measures.of[metric] = (htp_measure){.reason = reason};
}

/** Reads which modules are one. */
void htp_find_aliases(htp_measuring *m);

/** Whether a module is another one under another name, or lies in one as the other one does. */
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
