/*
 * Metadata about modules of inlined nodes.
 *
 * A tag without a leading slash is relative: the call's tag is prepended. So are the call's chain
 * and stack trace, unless the node's `namespace` begins with the model itself (": "). Other nodes
 * keep their texts, except call numbers, which count within the call. A call's missing texts follow
 * from its `namespace`. A node without such metadata, as in functions of other exporters, gets the
 * call's, since it ran in that module.
 *
 * Texts are joined in encoded form (JSON, Python's lists), as onnx/metadata/annotate.h writes them.
 * Other texts stay unchanged.
 */
#ifndef HTP_ONNX_INLINE_TEXTS_H
#define HTP_ONNX_INLINE_TEXTS_H

#include "base/text.h"
#include "onnx/reader/view.h"

#include <string.h>

/** Metadata keys of nodes about modules. */
typedef enum htp_inline_key {
    HTP_INLINE_TAG, /* source_module */
    HTP_INLINE_TAGS,
    HTP_INLINE_FULL_TAG,
    HTP_INLINE_FULL_TAGS,
    HTP_INLINE_NUMBER,  /* call */
    HTP_INLINE_NUMBERS, /* calls */
    HTP_INLINE_NAMESPACE,
    HTP_INLINE_CLASSES,
    HTP_INLINE_SCOPES,
    HTP_INLINE_STACK,
    HTP_INLINE_LAYER,
    HTP_INLINE_FIRST, /* first_calls: only on calls */
    HTP_INLINE_KEYS,
} htp_inline_key;

/** The calls of modules to which a node belongs by its own metadata: lists of numbers by path. */
typedef struct htp_inline_own {
    bool is_relative; /* paths are relative to the call's */
    htp_map calls;    /* of `lists` */
    HTP_VECTOR(htp_span) lists;
} htp_inline_own;

/** The texts of one node. A missing text has a NULL `at`. */
typedef struct htp_inline_texts {
    const struct htp_inline_texts
        *caller; /* the texts of the call that contains this one; or NULL */
    htp_span of[HTP_INLINE_KEYS];
    htp_span tag;            /* wherever stored: source_module, an attribute, a doc string... */
    htp_span doc_string;     /* if it is a tag */
    bool is_relative;        /* its tags are relative to the call's */
    bool has_relative_chain; /* so is its chain */
    bool is_silent;          /* it has no metadata about modules */
    /* Of calls: */
    htp_span attributes;      /* tags, as attributes of a node */
    htp_span chain;           /* namespace without the operation */
    htp_span chain_path;      /* the callee's path, as spelled in the chain */
    htp_span classes, scopes; /* the lists up to the operation: "['', 'encoder', " */
    htp_span path;            /* the callee's path, as spelled in the list */
    htp_map calls;            /* by whole path: of `lists` */
    HTP_VECTOR(htp_span) lists;
    htp_map first; /* by path below the callee: of `numbers` */
    HTP_VECTOR(uint64_t) numbers;
} htp_inline_texts;

/** State shared by all nodes. */
typedef struct htp_inline_text_maker {
    htp_arena *arena;
    const htp_view *view;
    htp_view_name keys[HTP_INLINE_KEYS]; /* 0: not in the file */
    htp_text scratch;                    /* texts of the last node */
    htp_text chain, path;                /* scratch for calls of modules */
    size_t limit;                        /* limit of its bytes */
} htp_inline_text_maker;

htp_inline_text_maker htp_inline_text_maker_of(htp_arena *arena, const htp_view *view,
                                               size_t limit);

/** The key of a property; HTP_INLINE_KEYS if it is another. */
htp_inline_key htp_inline_key_of(const htp_inline_text_maker *maker, htp_view_name key);

/** The text of a key: "source_module". */
const char *htp_inline_key_text(htp_inline_key key);

/** The texts of a node. @param call  the call's texts; NULL: a node of the main graph. Valid until
 * the next call of this function. */
void htp_inline_texts_of(htp_inline_text_maker *maker, const htp_inline_texts *call, uint32_t node,
                         htp_inline_texts *texts);

/** The texts of a call, with those that its nodes need; valid as long as the arena. */
void htp_inline_texts_of_call(htp_inline_text_maker *maker, const htp_inline_texts *caller,
                              uint32_t node, htp_inline_texts *texts);

/** Appends an attribute that contains tags, each below the call's if @p is_relative. */
void htp_inline_put_tags(htp_text *out, const htp_inline_texts *call, bool is_relative,
                         const htp_view_attribute *attribute);

/* ---- forms of texts; private to inline_texts.c ---- */

/** Appends a tag below another one: "/Net/A" and "B" give "/Net/A/B"; "." gives the other one
 * itself. */
void htp_inline_join_tag(htp_text *text, htp_span above, htp_span tag);

/** Appends a JSON list of tags, each below another one. */
void htp_inline_join_tags(htp_text *text, htp_span above, htp_span list, size_t limit);

/** Appends "path: Class/.../operation: target" to the chain of a call. */
void htp_inline_join_chain(htp_text *text, const htp_inline_texts *call, htp_span chain,
                           size_t limit);

/** Appends a Python list to a call's; its entries except the last are below @p path, unless that is
 * empty. */
void htp_inline_join_list(htp_text *text, htp_span begun, htp_span path, htp_span list,
                          size_t limit);

/** Splits "['a', 'b', 'c']" into "['a', 'b', " and the text of 'b'. Both are empty if it is no such
 * list. */
void htp_inline_split_list(htp_span list, htp_span *begun, htp_span *last_but_one);

/** Begins the lists of classes and of paths from a chain, up to the operation. */
void htp_inline_lists_of_chain(htp_text *classes, htp_text *scopes, htp_span chain);

/** The last text of a list, with its quotes; empty if none. */
void htp_inline_last_of_list(htp_span list, htp_span *last);

/** Whether a chain begins with the model itself; otherwise it is relative to a call's. */
bool htp_inline_is_whole_chain(htp_span chain);

/** Reads the next element of a chain, "path: Class", and skips the slash after it. */
bool htp_inline_next_element(htp_span *rest, htp_span *element, bool *is_last);

/** The path of "path: Class". */
htp_span htp_inline_element_path(htp_span element);

/** Appends a text with the encoding of chains undone. */
void htp_inline_add_plain(htp_text *plain, htp_span encoded);

/** Splits "path: Class/operation: target" into "path: Class/" and its last path. */
void htp_inline_split_chain(htp_span chain, htp_span *begun, htp_span *path);

/** Appends the numbers of the calls of module @p path to which a node belongs: those of the
 * outermost call; below its callee, numbers within add to that call's first number. @return false
 * if the module runs once */
bool htp_inline_add_calls(htp_text *text, const htp_inline_texts *call, const htp_inline_own *own,
                          htp_span path, size_t limit);

/** Appends {"path": [0]} for all modules of a chain that run several times. @param path  scratch
 * memory. @return whether there is one */
bool htp_inline_join_calls(htp_text *text, htp_text *path, const htp_inline_texts *call,
                           const htp_inline_own *own, htp_span chain, size_t limit);

/** Reads {"path": [0]}; paths are below @p above, a quoted text, unless that is empty. */
void htp_inline_read_calls(htp_arena *arena, htp_inline_own *own, htp_span above, htp_span json);

/** Reads {"path": 1} into the call's list. */
void htp_inline_read_first(htp_arena *arena, htp_inline_texts *call, htp_span json);

/** Makes first_calls of a call as if no call were around it: numbers of all calls around it are
 * added. Empty: no module in it runs several times. */
void htp_inline_join_first(htp_text *text, const htp_inline_texts *call);

/** The path, relative to the call, of a tag's module, as spelled in the chain. */
htp_span htp_inline_tagged_path(const htp_inline_texts *call, htp_span tag, htp_span chain);

/** The absolute path of an absolute tag's module, which need not be below any call: the last
 * element of an absolute chain with the class in which the tag ends. NULL `at` if there is none. */
htp_span htp_inline_elsewhere_path(htp_span tag, htp_span chain);

static inline htp_span htp_inline_span(const char *text)
{
    return (htp_span){(const unsigned char *)text, strlen(text)};
}

#endif
