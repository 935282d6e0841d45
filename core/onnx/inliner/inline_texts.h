/*
 * Metadata about modules of inlined nodes.
 *
 * A tag without a leading slash is relative: the call's tag goes in front. So do the call's chain
 * and stack trace, unless the node's `namespace` begins with the model itself (": "). Other nodes
 * keep their texts, except call numbers, which count within the call. Missing texts of a call's
 * chain follow from its `namespace`. A node without such metadata, as in functions of other
 * exporters, gets the call's: it ran in that module.
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
    HTP_INLINE_FIRST, /* first_calls: of calls alone */
    HTP_INLINE_KEYS,
} htp_inline_key;

/** Which calls of modules a node says that it belongs to: lists of numbers by path. */
typedef struct htp_inline_own {
    bool is_relative; /* paths go on from the call's */
    htp_map calls;    /* of `lists` */
    HTP_VECTOR(htp_span) lists;
} htp_inline_own;

/** The texts of one node. A missing text has no place (`at`). */
typedef struct htp_inline_texts {
    const struct htp_inline_texts *caller; /* the module in the call's texts; or NULL */
    htp_span of[HTP_INLINE_KEYS];
    htp_span tag;            /* wherever it stands: source_module, an attribute, a doc string... */
    htp_span doc_string;     /* that is a tag */
    bool is_relative;        /* its tags continue the call's */
    bool has_relative_chain; /* so does its chain */
    bool is_silent;          /* it says nothing of its own */
    /* Of calls: */
    htp_span attributes;      /* tags, as attributes of a node */
    htp_span chain;           /* of namespace: all but the operation */
    htp_span chain_path;      /* of the callee, as spelled there */
    htp_span classes, scopes; /* the lists up to the operation: "['', 'encoder', " */
    htp_span path;            /* the callee's, as spelled in the list */
    htp_map calls;            /* by whole path: of `lists` */
    HTP_VECTOR(htp_span) lists;
    htp_map first; /* by path below the callee: of `numbers` */
    HTP_VECTOR(uint64_t) numbers;
} htp_inline_texts;

/** State shared by all nodes. */
typedef struct htp_inline_text_maker {
    htp_arena *arena;
    const htp_view *view;
    htp_view_name keys[HTP_INLINE_KEYS]; /* 0: the file has none such */
    htp_text scratch;                    /* texts of the last node */
    htp_text chain, path;                /* for the calls of its modules */
    size_t limit;                        /* of its bytes */
} htp_inline_text_maker;

htp_inline_text_maker htp_inline_text_maker_of(const htp_view *view, size_t limit);

/** Which key a property has; HTP_INLINE_KEYS: none of these. */
htp_inline_key htp_inline_key_of(const htp_inline_text_maker *maker, htp_view_name key);

/** The text of a key: "source_module". */
const char *htp_inline_key_text(htp_inline_key key);

/** The texts of a node. @param call  the call's texts; NULL: a node of the main graph. Valid until
 * the next call of this function. */
void htp_inline_texts_of(htp_inline_text_maker *maker, const htp_inline_texts *call, uint32_t node,
                         htp_inline_texts *texts);

/** The texts of a call, with those its nodes need; valid as long as the arena. */
void htp_inline_texts_of_call(htp_inline_text_maker *maker, const htp_inline_texts *caller,
                              uint32_t node, htp_inline_texts *texts);

/** Appends an attribute that holds tags, each below the call's if @p is_relative. */
void htp_inline_put_tags(htp_text *out, const htp_inline_texts *call, bool is_relative,
                         const htp_view_attribute *attribute);

/* ---- forms of texts; private to inline_texts.c ---- */

/** Appends a tag below another one: "/Net/A" and "B" are "/Net/A/B"; "." is the other one. */
void htp_inline_join_tag(htp_text *text, htp_span above, htp_span tag);

/** Appends a JSON list of tags, each below another one. */
void htp_inline_join_tags(htp_text *text, htp_span above, htp_span list, size_t limit);

/** Appends "path: Class/.../operation: target" behind the chain of a call. */
void htp_inline_join_chain(htp_text *text, const htp_inline_texts *call, htp_span chain,
                           size_t limit);

/** Appends a Python list to a call's; its entries except the last are below @p path, unless that is
 * empty. */
void htp_inline_join_list(htp_text *text, htp_span begun, htp_span path, htp_span list,
                          size_t limit);

/** Splits "['a', 'b', 'c']": "['a', 'b', " and the text of 'b'. Both are empty for no such list. */
void htp_inline_split_list(htp_span list, htp_span *begun, htp_span *last_but_one);

/** The lists that a chain, up to the operation, begins: of classes, and of paths. */
void htp_inline_lists_of_chain(htp_text *classes, htp_text *scopes, htp_span chain);

/** The last text of a list, with its quotes; empty: none. */
void htp_inline_last_of_list(htp_span list, htp_span *last);

/** Whether a chain begins with the model itself; otherwise it goes on from that of a call. */
bool htp_inline_is_whole_chain(htp_span chain);

/** The next element of a chain, "path: Class", up to a slash that is walked over. */
bool htp_inline_next_element(htp_span *rest, htp_span *element, bool *is_last);

/** The path of "path: Class". */
htp_span htp_inline_element_path(htp_span element);

/** Appends a text without what chains encode. */
void htp_inline_add_plain(htp_text *plain, htp_span encoded);

/** Splits a chain: "path: Class/" of "path: Class/operation: target", and its last path. */
void htp_inline_split_chain(htp_span chain, htp_span *begun, htp_span *path);

/** Appends the numbers of the calls of module @p path that a node belongs to: what the outermost
 * call says; below its callee the number that it counts from, and on from there those of the calls
 * within and of the node. @return false where the module runs once */
bool htp_inline_add_calls(htp_text *text, const htp_inline_texts *call, const htp_inline_own *own,
                          htp_span path, size_t limit);

/** Appends {"path": [0]} of all modules of a chain. @param path  memory. @return whether there is
 * one that runs several times */
bool htp_inline_join_calls(htp_text *text, htp_text *path, const htp_inline_texts *call,
                           const htp_inline_own *own, htp_span chain, size_t limit);

/** Reads {"path": [0]}; paths are below @p above, with quotes, unless that is empty. */
void htp_inline_read_calls(htp_arena *arena, htp_inline_own *own, htp_span above, htp_span json);

/** Reads {"path": 1} into the call's list. */
void htp_inline_read_first(htp_arena *arena, htp_inline_texts *call, htp_span json);

/** The path, below the call, of the module that a tag is of, as the chain spells it. */
htp_span htp_inline_tagged_path(const htp_inline_texts *call, htp_span tag, htp_span chain);

/** The whole path of the module that an absolute tag is of, which need not be below any call: the
 * last of a whole chain that is of the class which the tag ends in. Not there: none is. */
htp_span htp_inline_elsewhere_path(htp_span tag, htp_span chain);

static inline htp_span htp_inline_span(const char *text)
{
    return (htp_span){(const unsigned char *)text, strlen(text)};
}

#endif
