/*
 * Which module of the tree that is measured a module of a reference is. Private to core/quality.
 */
#ifndef HTP_QUALITY_PLACES_H
#define HTP_QUALITY_PLACES_H

#include "quality/parts.h"

/** A module of the reference in the tree that is measured. */
typedef struct htp_place {
    uint32_t module; /* it, or the nearest above it that is there; HTP_VIEW_NONE: none is */
    bool is_exact;   /* it is that very one */
} htp_place;

struct htp_places {
    const htp_place *of;      /* by module of the reference */
    const uint32_t *eligible; /* by module of the reference: it, or the nearest above with a tag */
    htp_map by_path;          /* modules of the reference, by their paths */
};

/** Finds the places of all modules of the reference: by paths where both trees have them, else by
 * tags. Of tags, a segment stands for what it may be short for: Class.0 for Class.layer1.0. */
void htp_places_make(htp_measuring *m);

/** The module of a dotted path, by the tree itself or else by the reference. */
bool htp_places_find(const htp_measuring *m, htp_slice path, uint32_t *module);

#endif
