/*
 * The subject of a measurement: a model, its tree, and indexes that several metrics use.
 */
#ifndef HTP_QUALITY_SUBJECT_H
#define HTP_QUALITY_SUBJECT_H

#include "query/compare/digest.h"
#include "query/tree/tree.h"

/** An edge between nodes of one graph; a node in a body counts as the body's node. */
typedef struct htp_edge {
    uint32_t node; /* at the other end */
    uint32_t slot; /* the operand of the reader */
} htp_edge;

/** Edges by node: those of node N are items[first[N]] to items[first[N + 1] - 1]. */
typedef struct htp_edges {
    const uint32_t *first;
    const htp_edge *items;
} htp_edges;

typedef struct htp_subject {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    uint32_t node_count, module_count;
    const uint32_t *module_of; /* by node: the module of its first tag, or HTP_NONE */
    const uint32_t *eligible;  /* by module: itself, or the nearest tagged ancestor */
    const uint32_t *order;     /* modules in depth-first order */
    const uint32_t *place;     /* by module: its place in `order` */
    const uint32_t *end;       /* by module: the place after its last descendant */
    const uint32_t *nodes;     /* tagged nodes, by the place of their module */
    const uint32_t *nodes_at;  /* by place, and one more: index into `nodes` */
    const htp_slice *paths;    /* by module, dotted */
    bool has_paths;            /* the paths are known */
    htp_map by_path;           /* from paths to modules, if has_paths */
    const bool *is_constant;   /* by node: see htp_flow_is_constant() */
    htp_edges sources;         /* sources of a node, in the order of operands, without constants and
                                  weights */
    htp_edges readers;         /* the same edges from sources to readers */
} htp_subject;

/** Makes a subject in @p arena. Linear in the view and the tree, except for bodies in bodies. */
void htp_subject_make(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                      htp_subject *subject);

/** Whether a module is @p below or an ancestor of it. */
static inline bool htp_subject_is_above(const htp_subject *subject, uint32_t module, uint32_t below)
{
    return subject->place[module] <= subject->place[below] &&
           subject->place[below] < subject->end[module];
}

/** Whether one of a node's tags is that of a module or of an ancestor. */
bool htp_subject_is_tagged_above(const htp_subject *subject, uint32_t node, uint32_t module);

/** The nodes whose first tag is that of a module or a descendant. */
static inline htp_view_range htp_subject_nodes(const htp_subject *subject, uint32_t module)
{
    uint32_t first = subject->nodes_at[subject->place[module]];
    return (htp_view_range){first, subject->nodes_at[subject->end[module]] - first};
}

/** Lists the dotted paths of a tree's modules, also if its tags are paths. @return false if they
 * are unknown, and empty */
bool htp_subject_list_paths(htp_arena *arena, const htp_tree *tree, const htp_slice **paths);

/** Finds the module of a dotted path. @return whether there is one */
bool htp_subject_find_path(const htp_subject *subject, htp_slice path, uint32_t *module);

#endif
