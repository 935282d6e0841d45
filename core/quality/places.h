/*
 * Maps modules of a reference to modules of the measured tree. Private to core/quality.
 */
#ifndef HTP_QUALITY_PLACES_H
#define HTP_QUALITY_PLACES_H

#include "quality/parts.h"

/** The place of a reference's module in the measured tree. */
typedef struct htp_place {
    uint32_t module; /* the module, or its nearest ancestor in the tree; HTP_NONE: none */
    bool is_exact;   /* it is the module itself */
} htp_place;

/** An element of the list of places of a reference's module. */
typedef struct htp_more_place {
    htp_place place;
    uint32_t named; /* the module of the reference whose own name gives this place */
    uint32_t next;  /* index into `more`; HTP_NONE: the end */
} htp_more_place;

struct htp_places {
    const htp_place *of;      /* by module of the reference */
    const uint32_t *eligible; /* by module of the reference: it, or the nearest tagged ancestor */
    htp_map by_path;          /* from paths to modules of the reference */
    uint32_t *instance;       /* by module of the reference: the first of its aliases, mostly
                                 itself */
    uint32_t *first;          /* by instance: index into `more` of its places; HTP_NONE: none */
    uint32_t *names; /* by instance: how many places; at most HTP_QUALITY_MAX_NAMES are listed */
    HTP_VECTOR(htp_more_place) more;
    const uint32_t *holder; /* by measured module that several modules of the reference map to:
                               the one that its tag stands for; HTP_NONE */
};

/** Finds the places of the reference's modules: by paths if both trees have them, else by tags. A
 * segment of a tag matches its short form: Class.0 for Class.layer1.0. If records list several
 * names of a module, it has all their places. */
void htp_places_make(htp_measuring *m);

/**
 * Whether a node's tag names module @p ran of the reference or an ancestor, and does not stand for
 * another module with that tag.
 * @param place  receives the place that the tag names; if it names none, a correct one, whose
 * module is HTP_NONE if no tag stands for @p ran
 */
bool htp_places_find_node(const htp_measuring *m, uint32_t node, uint32_t ran, htp_place *place);

/** Whether a module of the reference has more places than are listed. */
static inline bool htp_places_are_many(const htp_measuring *m, uint32_t ran)
{
    return m->places->names[m->places->instance[ran]] > HTP_QUALITY_MAX_NAMES;
}

/** Whether the oracle of calls finds a node right, in a module with several names, which layers may
 * share. */
bool htp_places_is_common(const htp_measuring *m, uint32_t node);

/** Finds the module of a dotted path, by the tree or else by the reference; @p ran receives its
 * module of the reference, or HTP_NONE. @return whether there is one */
bool htp_places_find(const htp_measuring *m, htp_slice path, uint32_t *module, uint32_t *ran);

#endif
