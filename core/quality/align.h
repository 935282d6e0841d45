/*
 * Which nodes of alike layers do the same. Private to core/quality.
 *
 * Layers are taken in the order in which they run, each with the next one. First those nodes are
 * counterparts that have the same place in their layer by their tags, and surroundings that no
 * other node there has. From there on neighbours are: by the operand through which they are
 * reached, and by their operators. Tags are held for right as long as they can be: first both
 * nodes must be tagged alike; then, where all that both take, or all that takes from them, are
 * counterparts, one of both may be tagged as a node of another layer; then otherwise.
 */
#ifndef HTP_QUALITY_ALIGN_H
#define HTP_QUALITY_ALIGN_H

#include "quality/parts.h"

/** Rounds of refinement of the surroundings that are looked at, the widest first. */
enum { HTP_ALIGN_RADII = 5 };

/** What is the same for all layers of a model. */
typedef struct htp_alignment {
    htp_measuring *m;
    const uint64_t *labels;                    /* by node: its operator */
    const htp_digest *around[HTP_ALIGN_RADII]; /* by node */
    uint64_t seed;
    /* of the layer under way: */
    const htp_quality_layer *layer;
    uint32_t *member;   /* by node: the number of the member that it is tagged with; NONE */
    uint32_t *relative; /* by node: the number of its tag below the member; NONE */
    uint32_t *next;     /* by node: its counterpart in the next member; NONE */
    uint32_t *before;   /* by node: the same in the member before */
    bool *moved;        /* by node: for who goes through the touched ones; false in between */
    uint32_t *role;     /* by node: the member that it belongs to by its counterparts; NONE */
    htp_map places;     /* modules by member and relative tag */
    uint32_t relatives; /* different ones */
    HTP_VECTOR(uint32_t) touched; /* nodes for which any of this is set */
} htp_alignment;

/** Makes room, and finds the surroundings of all nodes. Linear. */
void htp_align_begin(htp_alignment *alignment, htp_measuring *m);

/** Finds counterparts in a layer. Linear in its nodes. */
void htp_align_layer(htp_alignment *alignment, const htp_quality_layer *layer);

/** Forgets what was found for the layer. */
void htp_align_end(htp_alignment *alignment);

/** The module with a relative tag below a member; HTP_NONE: it has none such. */
uint32_t htp_align_module(const htp_alignment *alignment, uint32_t member, uint32_t relative);

#endif
