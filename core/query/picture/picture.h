/*
 * Pictures of a model: modules as nested frames, their nodes as boxes, values as arrows.
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
#ifndef HTP_QUERY_PICTURE_H
#define HTP_QUERY_PICTURE_H

#include "onnx/shape_inference/infer_view.h"
#include "query/select/region.h"

typedef enum htp_picture_frame_kind {
    HTP_PICTURE_MODULE_FRAME,
    HTP_PICTURE_BODY_FRAME,     /* of an attribute of a node, such as then_branch */
    HTP_PICTURE_FUNCTION_FRAME, /* of a function, beside the node that calls it or alone */
} htp_picture_frame_kind;

typedef struct htp_picture_frame {
    htp_picture_frame_kind kind;
    uint32_t parent; /* frame around it, with a lower number; HTP_NONE: none */
    uint32_t module; /* of a module's frame */
    uint32_t graph;  /* of a body's or a function's */
    uint32_t nodes;  /* in all boxes in it */
} htp_picture_frame;

typedef enum htp_picture_box_kind {
    HTP_PICTURE_NODE,
    HTP_PICTURE_NODES, /* of one module, without those in modules below it */
    HTP_PICTURE_MODULE,
    HTP_PICTURE_INPUT,
    HTP_PICTURE_OUTPUT,
    HTP_PICTURE_BOX_KINDS,
} htp_picture_box_kind;

/** Nodes of one op type. */
typedef struct htp_picture_count {
    htp_view_name op_type;
    uint32_t count;
} htp_picture_count;

typedef struct htp_picture_box {
    htp_picture_box_kind kind;
    uint32_t frame;  /* HTP_NONE: none */
    uint32_t module; /* that its nodes belong to; HTP_NONE: none, or unknown */
    uint32_t node;   /* of HTP_PICTURE_NODE */
    uint32_t value;  /* of an input or output */
    uint32_t nodes;  /* in it */
    HTP_VECTOR(htp_picture_count)
    counts; /* of HTP_PICTURE_NODES and HTP_PICTURE_MODULE, in the
               order of their first nodes */
} htp_picture_box;

/** The values that go from one box to another one, each once. */
typedef struct htp_picture_arrow {
    uint32_t from, to; /* boxes */
    HTP_VECTOR(uint32_t) values;
} htp_picture_arrow;

typedef struct htp_picture {
    const htp_view *view;
    const htp_tree *tree;
    htp_view_types *types; /* all inferred */
    HTP_VECTOR(htp_picture_frame) frames;
    HTP_VECTOR(htp_picture_box) boxes;
    HTP_VECTOR(htp_picture_arrow) arrows;
} htp_picture;

/** Options of a graph picture. */
typedef struct htp_picture_choice {
    const char *module; /* an address; NULL: the whole model */
    bool own;           /* only the modules named, without those below */
    int depth;          /* below the root, or below the address; negative: no limit */
} htp_picture_choice;

/**
 * Makes a picture in @p arena, in time and memory that are linear in the file.
 * @return as htp_address_find().
 */
HTP_MUST_USE htp_status htp_picture_make(htp_arena *arena, const htp_view *view,
                                         const htp_tree *tree, const htp_picture_choice *choice,
                                         htp_picture *picture);

/** Adds the arrows to a picture that has all boxes of nodes. Private to core/query. */
typedef struct htp_picture_places {
    htp_picture *picture;
    htp_arena *arena;
    const uint32_t *boxes;  /* by node; HTP_NONE: it is not drawn */
    const uint32_t *frames; /* by graph; the same */
    const uint32_t *hosts;  /* by graph: the node that it belongs to, whether drawn or not */
    bool is_whole;          /* the whole model is drawn */
} htp_picture_places;
void htp_picture_add_arrows(const htp_picture_places *places);

#endif
