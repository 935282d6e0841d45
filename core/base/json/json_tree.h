/*
 * JSON as a flat tree: nodes in the order of the text, each with the number of its descendants.
 * Text is not copied; strings are decoded on demand.
 *
 *     for (const htp_json_node *item = htp_json_first(list); item != htp_json_end_of(list);
 *          item = htp_json_end_of(item)) ...
 */
#ifndef HTP_BASE_JSON_TREE_H
#define HTP_BASE_JSON_TREE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/** The deepest nesting of lists and objects. */
#define HTP_JSON_TREE_DEEPEST 256

/** Bytes of the longest text. */
#define HTP_JSON_TREE_LONGEST ((size_t)1 << 30)

/** Nodes of the largest tree, unless the caller names another number: 400 MB of memory. */
#define HTP_JSON_TREE_LARGEST ((uint64_t)1 << 24)

/** A value, or the name of a member, which precedes its value. */
typedef struct htp_json_node {
    const char *at;  /**< its text; of a string, after the quote */
    uint32_t length; /**< of a string without quotes */
    uint32_t span;   /**< nodes: itself and its descendants */
    uint32_t count;  /**< of items or members */
    char kind;       /**< '{', '[', '"', '0' (a number), 't', 'f' or 'n' */
    bool is_plain;   /**< of a string: without escapes */
} htp_json_node;

/** An error in a text. */
typedef struct htp_json_failure {
    const char *what;
    size_t at;         /**< byte */
    bool is_too_large; /**< it has more nodes than it may have */
} htp_json_failure;

/** Reads a text, which must outlive the tree. @return the root, in @p arena; NULL: it is not JSON,
 * or has more than HTP_JSON_TREE_LARGEST nodes */
const htp_json_node *htp_json_tree_read(htp_arena *arena, const char *text, size_t bytes,
                                        htp_json_failure *failure);

/** As htp_json_tree_read(), for at most @p most nodes. */
const htp_json_node *htp_json_tree_read_most(htp_arena *arena, const char *text, size_t bytes,
                                             uint64_t most, htp_json_failure *failure);

/** The first node in a list or an object; its end if it is empty. */
static inline const htp_json_node *htp_json_first(const htp_json_node *node)
{
    return node + 1;
}

/** The node after one and its descendants. */
static inline const htp_json_node *htp_json_end_of(const htp_json_node *node)
{
    return node + node->span;
}

/** Whether a node is a string without escapes that equals @p text. */
bool htp_json_node_is(const htp_json_node *node, const char *text);

/** The member of an object by a name without escapes; NULL: it has none, or the node is no object.
 */
const htp_json_node *htp_json_member(const htp_json_node *object, const char *name);

/** Decodes a string; a NUL follows its bytes. */
char *htp_json_node_text(htp_arena *arena, const htp_json_node *node, size_t *bytes);

/** Reads an integer; false if the node is not one, or it does not fit. */
bool htp_json_node_integer(const htp_json_node *node, int64_t *number);

/** Reads a number, or "Infinity", "-Infinity" or "NaN". */
bool htp_json_node_real(const htp_json_node *node, double *number);

#endif
