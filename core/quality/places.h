/*
 * Which module of the tree that is measured a module of a reference is. Private to core/quality.
 */
#ifndef HTP_QUALITY_PLACES_H
#define HTP_QUALITY_PLACES_H

#include "quality/parts.h"

/** A module of the reference in the tree that is measured. */
typedef struct htp_place {
    uint32_t module; /* it, or the nearest above it that is there; HTP_NONE: none is */
    bool is_exact;   /* it is that very one */
} htp_place;

/** One more place of a module of the reference. */
typedef struct htp_more_place {
    htp_place place;
    uint32_t named; /* the module of the reference that has this place by its own name */
    uint32_t next;  /* of `more`; HTP_NONE: none */
} htp_more_place;

struct htp_places {
    const htp_place *of;      /* by module of the reference */
    const uint32_t *eligible; /* by module of the reference: it, or the nearest above with a tag */
    htp_map by_path;          /* modules of the reference, by their paths */
    uint32_t *instance;       /* by module of the reference: the first one that it is, as aliases
                                 tell; mostly itself */
    uint32_t *first;          /* by instance: of `more`, all its places; HTP_NONE: none is known */
    uint32_t *names; /* by instance: the number of places; HTP_QUALITY_MAX_NAMES are listed */
    HTP_VECTOR(htp_more_place) more;
    const uint32_t *holder; /* by measured module that several modules of the reference share: the
                               one it stands for; HTP_NONE */
};

/** Finds the places of the reference's modules: by paths if both trees have them, else by tags. A
 * segment of a tag matches its short form: Class.0 for Class.layer1.0. If records list several
 * names of a module, it has all their places. */
void htp_places_make(htp_measuring *m);

/**
 * Whether a node's tag names a module of the reference or an ancestor, and does not stand for
 * another module with that tag.
 * @param place  the place of the tag's module; if there is none, a correct place. Its module is
 *               HTP_NONE if no tag stands for it
 */
bool htp_places_find_node(const htp_measuring *m, uint32_t node, uint32_t ran, htp_place *place);

/** Whether a module of the reference has more places than are listed. */
static inline bool htp_places_are_many(const htp_measuring *m, uint32_t ran)
{
    return m->places->names[m->places->instance[ran]] > HTP_QUALITY_MAX_NAMES;
}

/** Whether a node is right by calls, in a module that has several names: layers may have it in
 * common. */
bool htp_places_is_common(const htp_measuring *m, uint32_t node);

/** The module of a dotted path, by the tree or else by the reference; and its module of the
 * reference, or HTP_NONE. */
bool htp_places_find(const htp_measuring *m, htp_slice path, uint32_t *module, uint32_t *ran);

#endif
