/*
 * Makes a flat view of a file, in which functions are inlined. All queries use that view, so their
 * answers equal those for a flat file.
 *
 * Nodes outside functions stay in the file; weights are never copied. Inlined nodes are made in
 * memory, with names of their own, and with tags of the call's instance (see
 * onnx/inliner/inline_texts.h).
 *
 * Names: an inlined node is CALL/NODE. If that is taken, the number at its end is replaced as in
 * htp_name_unique(). The number of a repeated call ("#2") is dropped, too. A value NODE_output_I
 * follows its node's name; inputs of bodies keep their names. Numbers count in the order of nodes,
 * each before those of its bodies; names of the model's own nodes and values are reserved.
 *
 * A Constant of a function, except in bodies, becomes one initializer for all calls. Equal
 * constants with a common name that begins with a slash are shared by all functions.
 *
 * A function stays an operator if it imports another version of a domain than the model, or takes
 * bodies as attributes. Functions without calls are left out.
 */
#ifndef HTP_ONNX_INLINE_H
#define HTP_ONNX_INLINE_H

#include "onnx/reader/view.h"

/**
 * Makes the flat view of @p file in its arena. Time and memory are linear in the result, whose size
 * onnx/inliner/inline_plan.h bounds.
 * @param flat  to be closed in any case, and before @p file, which must not change until then.
 * @param file  opened, without flaws.
 * @return HTP_CODE_BAD_INPUT as htp_inline_plan_make(), and as htp_view_open().
 */
HTP_MUST_USE htp_status htp_view_inline(htp_view *flat, const htp_view *file);

/** Where the flat view has other nodes than the file: a call, or a node of the model's own graphs
 * with calls in its bodies. */
typedef struct htp_inline_place {
    uint32_t function;    /* that is called; HTP_NONE: the bodies have calls */
    uint32_t node;        /* of the file */
    uint32_t around;      /* the place that it is in, or HTP_NONE */
    bool is_own;          /* it is in the model's own graph, or in bodies there */
    uint32_t first, last; /* its nodes in the flat view: positions, without the last */
    htp_span whole;       /* the node itself, with the names and tags of the flat view, as a field
                             of a graph; the file's if it is_own; empty: it cannot be written so */
} htp_inline_place;

/** The places of a file. The nodes of a flat view have positions: in the order in which they are
 * written, each before those of its bodies. */
typedef struct htp_inline_places {
    const htp_view *file;
    HTP_VECTOR(htp_inline_place) list; /* each before those in it */
    uint32_t node_count;               /* of the flat view, without nodes of functions */
    const struct htp_inline_plan *plan;
} htp_inline_places;

/** Counts the positions of nodes: each with those of its bodies. @param counts  by node, zeroes
 * @return by graph: of all its nodes */
uint32_t *htp_inline_count_nodes(htp_arena *arena, const htp_view *view, uint32_t *counts);

/**
 * Lists the places of a file for its flat view. Linear as htp_view_inline(), and fails as it does.
 * A call in a function has no form of its own if it returns a value that it does not make, or if
 * the call around it counts those of many modules (first_calls).
 */
HTP_MUST_USE htp_status htp_inline_places_find(htp_arena *arena, const htp_view *file,
                                               htp_inline_places *places);

/** Adds to the functions that are called those that these call, and those that the flat view has
 * as well, or that the file does not use. @param is_called  by function of the file */
void htp_inline_places_follow(const htp_inline_places *places, bool *is_called);

#endif
