/*
 * Frames: running calls of chosen modules, which become calls of functions.
 *
 * A frame is a scope of the trace whose module was chosen. A node belongs to the innermost frame
 * around its scope. A node in a body that was made for an operation outside belongs to the frame of
 * the body's node. Frames are numbered in the order of their first nodes, outer ones first.
 *
 * A call can replace its nodes only if they are consecutive in one graph (see
 * onnx/builder/order_nodes.h). Other scopes do not become frames, and their nodes belong to the
 * frame around them.
 */
#ifndef HTP_FUNCTIONS_FRAMES_H
#define HTP_FUNCTIONS_FRAMES_H

#include "onnx/builder/builder.h"

/** An entry of a body: a node, or a call. */
typedef struct htp_entry {
    uint32_t node;  /* of the builder; HTP_NONE: a call */
    uint32_t frame; /* that is called; HTP_NONE: a node */
} htp_entry;

typedef HTP_VECTOR(htp_entry) htp_entry_list;

typedef struct htp_frame {
    uint32_t scope;
    uint32_t module;
    uint32_t parent;               /* the frame around it, or HTP_NONE */
    uint32_t depth;                /* frames around it */
    uint32_t graph;                /* that the call lies in */
    htp_entry_list entries;        /* without nodes in bodies */
    HTP_VECTOR(uint32_t) repeated; /* modules called here that the model calls more than once */
} htp_frame;

/** The calls of a module in a frame. */
typedef struct htp_call_count {
    uint32_t first; /* number of the first call */
    uint32_t count;
} htp_call_count;

typedef struct htp_frames {
    const htp_builder *model;
    HTP_VECTOR(htp_frame) frames;
    htp_entry_list *graphs; /* by graph: entries outside of the graph's own frames */
    uint32_t *node_frames;  /* by node: the frame that it belongs to, or HTP_NONE */
    uint32_t *graph_frames; /* by graph: the graph of its node */
    uint32_t *scope_frames; /* by scope: the innermost frame that it is or lies in, or HTP_NONE */
    htp_map calls;          /* from frame and module to call_counts */
    HTP_VECTOR(htp_call_count) call_counts;
    uint32_t scattered; /* calls that are not frames: they cannot run as a whole */
} htp_frames;

/** Finds the frames of a model. @param is_chosen  by module */
htp_frames *htp_frames_find(const htp_builder *model, const bool *is_chosen);

/** Whether frame @p inner is @p outer or lies in it; HTP_NONE is the frame around all. */
bool htp_frames_is_within(const htp_frames *frames, uint32_t inner, uint32_t outer);

/** The calls of a module within a frame, or in the model (HTP_NONE). Frames do not count modules
 * that the model calls once. */
htp_call_count htp_frames_calls(const htp_frames *frames, uint32_t frame, uint32_t module);

/** The next entry of a body. */
typedef enum htp_event_kind {
    HTP_EVENT_NODE,
    HTP_EVENT_CALL,
    HTP_EVENT_GRAPH, /* the beginning of a body; its node follows all its bodies */
    HTP_EVENT_END,   /* the end of that body */
} htp_event_kind;

typedef struct htp_event {
    htp_event_kind kind;
    uint32_t index; /* of the node, frame or graph */
} htp_event;

/** A walk through a body and the bodies of its nodes, without callees. */
typedef struct htp_walk htp_walk;

/** A walk through a frame's body, or the model's (HTP_NONE). */
htp_walk *htp_walk_begin(htp_arena *arena, const htp_frames *frames, uint32_t frame);

/** @return false at the end */
bool htp_walk_next(htp_walk *walk, htp_event *event);

#endif
