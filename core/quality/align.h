/*
 * Counterparts in equal layers. Private to core/quality.
 *
 * Layers are compared in the order in which they run, each with the next. First, nodes with equal
 * relative tags and unique surroundings are counterparts. From these, neighbours follow by operand
 * slot and operator. Tags are trusted as long as possible: at first both nodes must have equal
 * tags; then one may be tagged as a node of another layer, if all sources or all readers are
 * counterparts; then tags may differ.
 */
#ifndef HTP_QUALITY_ALIGN_H
#define HTP_QUALITY_ALIGN_H

#include "quality/parts.h"

/** Rounds of refinement; surroundings of each radius are compared, the widest first. */
enum { HTP_ALIGN_RADII = 5 };

/** Data for all layers of a model. */
typedef struct htp_alignment {
    htp_measuring *m;
    const uint64_t *labels;                    /* by node: its operator */
    const htp_digest *around[HTP_ALIGN_RADII]; /* by node */
    uint64_t seed;
    /* of the current layer: */
    const htp_quality_layer *layer;
    uint32_t *member;   /* by node: the number of the member that it is tagged with; NONE */
    uint32_t *relative; /* by node: the number of its tag below the member; NONE */
    uint32_t *next;     /* by node: its counterpart in the next member; NONE */
    uint32_t *before;   /* by node: its counterpart in the previous member; NONE */
    bool *moved;        /* by node: scratch marks of loops over `touched`; false in between */
    uint32_t *role;     /* by node: the member that it belongs to by its counterparts; NONE */
    htp_map places;     /* from member and relative tag to modules */
    uint32_t relatives; /* how many relative tags there are */
    HTP_VECTOR(uint32_t) touched; /* nodes with any of these set */
} htp_alignment;

/** Makes room, and finds the surroundings of all nodes. Linear. */
void htp_align_begin(htp_alignment *alignment, htp_measuring *m);

/** Finds counterparts in a layer. Linear in its nodes. */
void htp_align_layer(htp_alignment *alignment, const htp_quality_layer *layer);

/** Resets the results for the layer. */
void htp_align_end(htp_alignment *alignment);

/** The module with a relative tag below a member; HTP_NONE: none. */
uint32_t htp_align_module(const htp_alignment *alignment, uint32_t member, uint32_t relative);

#endif
