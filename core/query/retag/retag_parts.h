/*
 * The shared state of retagging. Private to core/query.
 */
#ifndef HTP_QUERY_RETAG_PARTS_H
#define HTP_QUERY_RETAG_PARTS_H

#include "query/retag/retag.h"

/** More than one node, value or module. */
#define HTP_RETAG_SEVERAL (HTP_NONE - 1)

/** The readers of a value of the tagged model. */
typedef struct htp_retag_readers {
    uint32_t first;  /* node; HTP_NONE: no reader */
    uint32_t module; /* of all of them; or HTP_RETAG_SEVERAL */
    uint32_t around; /* the deepest module around all of them that has a tag */
} htp_retag_readers;

typedef struct htp_retagger {
    htp_arena *arena;
    htp_retagging *out;
    const htp_view *changed, *like;
    const htp_tree *tree; /* of the tagged model */
    htp_map nodes;        /* of the tagged model, by name */
    htp_map values;       /* likewise */
    htp_map tags;         /* from tags to modules */
    bool trusts_counts;   /* names without a scope are used */
    bool *is_border;      /* by value of the tagged model: an input or output, whose name stays */
    uint32_t *known;      /* by value of the changed model: the tagged model's of that name */
    uint32_t *meant;      /* likewise, also by prefixes of names and by outputs of counterparts */
    uint32_t *levels;     /* by module: modules above it */
    htp_retag_readers *readers; /* by value of the tagged model */
    htp_map reader_nodes;       /* pairs of a value and a node that reads it */
    HTP_VECTOR(uint64_t) pairs; /* keys of reader_nodes */
} htp_retagger;

/** The module that a node of the tagged model belongs to first; HTP_NONE: none. */
uint32_t htp_retag_module(const htp_retagger *r, uint32_t node);

/** The deepest tagged module that is, or contains, each of two modules. */
uint32_t htp_retag_around(const htp_retagger *r, uint32_t a, uint32_t b);

/** Whether a node of the tagged model reads a value of that model. */
bool htp_retag_is_reader(const htp_retagger *r, uint32_t value, uint32_t node);

/** Gives a node of the changed model the place of one of the tagged model. @return false if that
 * has none */
bool htp_retag_place_like(htp_retagger *r, uint32_t n, uint32_t node, htp_retag_evidence evidence);

static inline bool htp_retag_is_placed(const htp_retagger *r, uint32_t n)
{
    return r->out->places[n].module != HTP_NONE;
}

/** Finds names, readers, and the meaning of values. */
void htp_retag_names_begin(htp_retagger *r);

/** The node of the tagged model with the name of a changed model's node; HTP_NONE: none that can be
 * trusted. */
uint32_t htp_retag_namesake(const htp_retagger *r, uint32_t n);

/** Places nodes by prefixes of names, and notes the values that prefixes stand for. */
void htp_retag_by_parts(htp_retagger *r);

/** Finds the initializers that hold those of the tagged model. */
void htp_retag_find_held(htp_retagger *r);

/** For fused nodes: lists the modules of the weights that they read. */
void htp_retag_add_weights(htp_retagger *r);

/** Places the remaining nodes by their sources and readers. */
void htp_retag_by_neighbours(htp_retagger *r);

#endif
