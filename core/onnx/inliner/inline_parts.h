/*
 * The shared state of inlining. Private to core/onnx.
 *
 * Functions are not recursive, so one list holds the current names of their values, by value of the
 * file's view. Outputs of a call take the caller's names once a node makes them.
 */
#ifndef HTP_ONNX_INLINE_PARTS_H
#define HTP_ONNX_INLINE_PARTS_H

#include "base/text.h"
#include "onnx/inliner/inline.h"
#include "onnx/inliner/inline_plan.h"
#include "onnx/inliner/inline_texts.h"

/** A call being inlined. */
typedef struct htp_inline_frame {
    const struct htp_inline_frame *caller; /* NULL: the model's own graph has the call */
    uint32_t function;
    uint32_t node;          /* the call */
    const char *prefix;     /* of names; "" for none */
    htp_map attributes;     /* of the call, by name */
    htp_inline_texts texts; /* of the call */
} htp_inline_frame;

/** A module that uses a constant. */
typedef struct htp_inline_user {
    htp_span tag;    /* as JSON */
    uint32_t module; /* in the order of htp.module_tree */
} htp_inline_user;

/** A Constant that became an initializer. */
typedef struct htp_inline_constant {
    uint32_t tensor; /* of the file's view; HTP_NONE: an initializer of the model is equal */
    const char *name;
    HTP_VECTOR(htp_inline_user) tags;
    htp_map known; /* of these */
} htp_inline_constant;

/** A graph or call in the walk. */
typedef enum htp_inline_level_kind {
    HTP_INLINE_CALL,
    HTP_INLINE_GRAPH, /* a body */
    HTP_INLINE_NODE,
    HTP_INLINE_ATTRIBUTE, /* that has bodies */
} htp_inline_level_kind;

typedef struct htp_inline_level {
    htp_inline_level_kind kind;
    const htp_inline_frame *frame; /* NULL: of the model's own graph */
    uint32_t item;                 /* graph, node or attribute; of a call: its function's graph */
    uint32_t next;                 /* the next node, attribute or graph in it */
    htp_wire wire;
    uint32_t inputs, outputs, initializers, sparse; /* fields seen so far */
    bool is_begun;                                  /* a body: its values have names */
    size_t infos;     /* of a body: where its own types begin in `infos` */
    bool is_relative; /* a node: its tag is below the call's */
    const char *name; /* of a node; "" for none */
    size_t begin;     /* of the message in `out` */
} htp_inline_level;

typedef struct htp_inliner {
    htp_arena *arena;
    const htp_view *view; /* of the file */
    htp_inline_plan plan;
    htp_view_flat *flat;
    HTP_VECTOR(htp_inline_level) stack;
    uint32_t bodies;       /* of these */
    htp_text out;          /* nodes being written */
    htp_text infos;        /* types of values: of the main graph, then of open bodies */
    uint64_t spent;        /* bytes besides those in `out` */
    const char **names;    /* by value of a function: its current name, or NULL */
    uint32_t *up;          /* by value of a function: the caller's value that it becomes */
    bool *is_repeated;     /* by node: a call whose name has a number because it is repeated */
    bool *is_returned;     /* by value: its function returns it */
    bool *is_handed_on;    /* by value of a function: a call in it handed on a value that has
                              another name, and makes none */
    uint32_t *first_value; /* by graph, and one more */
    uint32_t *value_of;    /* by tensor: the initializer's value */
    htp_map node_names;
    htp_map value_names;
    HTP_VECTOR(htp_inline_constant) constants;
    htp_map constant_numbers; /* by name */
    uint32_t *constant_of;    /* by node; HTP_NONE */
    htp_inline_text_maker texts;
    htp_inline_texts now;      /* texts of node now_node */
    uint32_t now_node;         /* or HTP_NONE */
    htp_inline_places *places; /* that are listed; NULL: none are */
    uint32_t place;            /* the innermost of them that is open, or HTP_NONE */
    uint32_t position;         /* of the next node of the flat view */
} htp_inliner;

/* ---- writing ---- */

/** Begins a message that is field @p number. @param expected  its approximate size. @return the
 * argument of htp_inline_end() */
size_t htp_inline_begin(htp_text *out, uint32_t number, size_t expected);
void htp_inline_end(htp_text *out, size_t begin);

/** Appends a field of bytes. */
void htp_inline_put(htp_text *out, uint32_t number, const void *bytes, size_t count);

static inline void htp_inline_put_text(htp_text *out, uint32_t number, const char *text)
{
    htp_inline_put(out, number, text, strlen(text));
}

static inline void htp_inline_copy(htp_text *out, htp_span field)
{
    htp_text_add_bytes(out, (const char *)field.at, field.bytes);
}

/* ---- names ---- */

/** Reserves the names of the model's own nodes and values. */
void htp_inline_names_begin(htp_inliner *i);

/** The name of a value. */
const char *htp_inline_value_name(const htp_inliner *i, uint32_t value);

/** The prefix of names of a call's nodes. */
const char *htp_inline_prefix(htp_inliner *i, const htp_inline_frame *caller, uint32_t node);

/** Names a node of a function and its outputs. @return the node's name; "" for none */
const char *htp_inline_name_node(htp_inliner *i, const htp_inline_frame *frame, uint32_t node);

/** The name of a body; derived from its node's name if it was so in the file. @param node  its new
 * name */
const char *htp_inline_body_name(htp_inliner *i, uint32_t graph, const char *node);

/** Names an input of a body, or an initializer that is none. @param node  the new name of the
 * body's node. @param index  of the input */
void htp_inline_name_input(htp_inliner *i, uint32_t value, const char *node, uint32_t index);

/** An unused name below that of a call. */
const char *htp_inline_new_name(htp_inliner *i, htp_map *taken, const char *prefix,
                                const char *local);

/** The outermost caller's value that a value becomes; itself if it becomes none. */
uint32_t htp_inline_top(const htp_inliner *i, uint32_t value);

/** Whether a value is of the model's own graph, or of a body in it: its name is the file's. */
static inline bool htp_inline_is_fixed(const htp_inliner *i, uint32_t value)
{
    return i->plan.function_of[i->view->values.items[value].graph] == HTP_NONE;
}

/** Sets the name of a value and of those that it becomes. */
void htp_inline_set_name(htp_inliner *i, uint32_t value, const char *name);

/* ---- constants ---- */

/** Finds the Constants that become initializers. */
void htp_inline_find_constants(htp_inliner *i);

/** Uses a constant in a call: its value gets the initializer's name, and the initializer the users'
 * tags. */
void htp_inline_use_constant(htp_inliner *i, const htp_inline_frame *frame, uint32_t node);

/** Lists the initializers of the flat model as an export does: those of the file, then constants by
 * number, of any function. */
void htp_inline_list_constants(htp_inliner *i);

/* ---- fields of nodes and bodies ---- */

/** Each writes the next field of the level, or enters it. @return false at the level's end */
bool htp_inline_node_field(htp_inliner *i, htp_inline_level *level);
bool htp_inline_attribute_field(htp_inliner *i, htp_inline_level *level);
bool htp_inline_graph_field(htp_inliner *i, htp_inline_level *level);

/** A node's texts; valid until the next node's are made. */
const htp_inline_texts *htp_inline_texts_now(htp_inliner *i, const htp_inline_frame *frame,
                                             uint32_t node);

/** Appends a node's metadata about modules after its own fields. */
void htp_inline_finish_node(htp_inliner *i, const htp_inline_level *level);

/** Appends a call's metadata about modules to a node that replaces part of it. */
void htp_inline_put_call(htp_inliner *i, const htp_inline_frame *frame);

/** Appends the types of the values of a graph to `infos`, as values of the graph that is written.
 */
void htp_inline_put_infos(htp_inliner *i, uint32_t graph);

/* ---- places ---- */

/** Begins the place of a call, or of a node whose bodies have calls. @param function  that is
 * called; or HTP_NONE */
void htp_inline_place_begin(htp_inliner *i, uint32_t function, uint32_t node);

/** Ends the innermost place, whose values have names. @param call  NULL: no call */
void htp_inline_place_end(htp_inliner *i, const htp_inline_frame *call);

/** The new name of the node that owns the innermost body: two levels up, since its attribute is
 * between. */
static inline const char *htp_inline_owner_name(const htp_inliner *i)
{
    return i->stack.items[i->stack.count - 3].name;
}

#endif
