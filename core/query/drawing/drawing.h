/*
 * Drawings of a model: modules as nested frames, their nodes as boxes, values as arrows.
 *
 * Without a depth every node is a box of its own. At a depth, a module of that level, or a leaf
 * with nodes, is one box. Nodes of a module above are put into one box as long as no path between
 * two of them leads through others, so that there are no cycles.
 *
 * The bodies of a node lie in a frame beside it, in its module's frame; so does a function that it
 * alone calls. Other functions have frames of their own. A module that runs in a body has a frame
 * there, inside that of its nearest ancestor in the body.
 *
 * Weights are not drawn. Values that a part of a model exchanges with the rest are drawn like
 * inputs and outputs.
 */
#ifndef HTP_QUERY_DRAWING_H
#define HTP_QUERY_DRAWING_H

#include "onnx/shape_inference/infer_view.h"
#include "query/select/region.h"

typedef enum htp_drawing_frame_kind {
    HTP_DRAWING_MODULE_FRAME,
    HTP_DRAWING_BODY_FRAME,     /* of an attribute of a node, such as then_branch */
    HTP_DRAWING_FUNCTION_FRAME, /* of a function, beside the node that calls it or alone */
} htp_drawing_frame_kind;

typedef struct htp_drawing_frame {
    htp_drawing_frame_kind kind;
    uint32_t parent; /* frame around it, with a lower number; HTP_NONE: none */
    uint32_t module; /* of a module's frame */
    uint32_t graph;  /* of a body's or a function's */
    uint32_t nodes;  /* in all boxes in it */
} htp_drawing_frame;

typedef enum htp_drawing_box_kind {
    HTP_DRAWING_NODE,
    HTP_DRAWING_NODES, /* of one module, without those in modules below it */
    HTP_DRAWING_MODULE,
    HTP_DRAWING_INPUT,
    HTP_DRAWING_OUTPUT,
    HTP_DRAWING_BOX_KINDS,
} htp_drawing_box_kind;

/** Nodes of one op type. */
typedef struct htp_drawing_count {
    htp_view_name op_type;
    uint32_t count;
} htp_drawing_count;

typedef struct htp_drawing_box {
    htp_drawing_box_kind kind;
    uint32_t frame;  /* HTP_NONE: none */
    uint32_t module; /* that its nodes belong to; HTP_NONE: none, or unknown */
    uint32_t node;   /* of HTP_DRAWING_NODE */
    uint32_t value;  /* of an input or output */
    uint32_t nodes;  /* in it */
    uint64_t cost;   /* of these, where they have some */
    HTP_VECTOR(htp_drawing_count)
    counts; /* of HTP_DRAWING_NODES and HTP_DRAWING_MODULE, in the
               order of their first nodes */
} htp_drawing_box;

/** The values that go from one box to another one, each once. */
typedef struct htp_drawing_arrow {
    uint32_t from, to; /* boxes */
    HTP_VECTOR(uint32_t) values;
} htp_drawing_arrow;

typedef struct htp_drawing_graph {
    const htp_view *view;
    const htp_tree *tree;
    htp_view_types *types; /* all inferred */
    bool has_costs;        /* its boxes do: */
    uint64_t most;         /* that a box costs */
    double sum;            /* of all boxes */
    HTP_VECTOR(htp_drawing_frame) frames;
    HTP_VECTOR(htp_drawing_box) boxes;
    HTP_VECTOR(htp_drawing_arrow) arrows;
} htp_drawing_graph;

/** Options of a graph drawing. */
typedef struct htp_drawing_choice {
    const char *module;    /* an address; NULL: the whole model */
    bool own;              /* only the modules named, without those below */
    int depth;             /* below the root, or below the address; negative: no limit */
    const uint64_t *costs; /* by node of the view; NULL: none */
} htp_drawing_choice;

/**
 * Makes a drawing in @p arena, in time and memory that are linear in the file.
 * @return as htp_address_find().
 */
HTP_MUST_USE htp_status htp_drawing_make(htp_arena *arena, const htp_view *view,
                                         const htp_tree *tree, const htp_drawing_choice *choice,
                                         htp_drawing_graph *drawing);

/** Adds the arrows to a drawing that has all boxes of nodes. Private to core/query. */
typedef struct htp_drawing_places {
    htp_drawing_graph *drawing;
    htp_arena *arena;
    const uint32_t *boxes;  /* by node; HTP_NONE: it is not drawn */
    const uint32_t *frames; /* by graph; the same */
    const uint32_t *hosts;  /* by graph: the node that it belongs to, whether drawn or not */
    bool is_whole;          /* the whole model is drawn */
} htp_drawing_places;
void htp_drawing_add_arrows(const htp_drawing_places *places);

#endif
