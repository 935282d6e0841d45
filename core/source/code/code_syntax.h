/*
 * The syntax tree of TorchScript's code, as libtorch's parser understands it. Private to
 * core/source.
 *
 * Nodes point into the text; names and literals are spans of it. A node reaches from its own token
 * over all of its parts, as libtorch tells places of code.
 *
 * Reference: libtorch's csrc/jit/frontend/parser.cpp; import_source.cpp for what a record holds.
 */
#ifndef HTP_SOURCE_CODE_SYNTAX_H
#define HTP_SOURCE_CODE_SYNTAX_H

#include "base/arena.h"
#include "source/code/code.h"

#include <stdbool.h>
#include <stdint.h>

/** Kinds of nodes, and their parts in order. "?": NULL if absent. */
typedef enum htp_syntax_kind {
    HTP_SYNTAX_SEQUENCE, /* whatever stands in a row: statements, targets, declarations */
    /* Expressions */
    HTP_SYNTAX_NAME,
    HTP_SYNTAX_NUMBER,
    HTP_SYNTAX_STRING, /* one or more, which are joined */
    HTP_SYNTAX_TRUE,
    HTP_SYNTAX_FALSE,
    HTP_SYNTAX_NONE,
    HTP_SYNTAX_ELLIPSIS,
    HTP_SYNTAX_TUPLE,
    HTP_SYNTAX_LIST,
    HTP_SYNTAX_DICT,               /* a key, its value, the next key... */
    HTP_SYNTAX_LIST_COMPREHENSION, /* element, target, what it is taken from */
    HTP_SYNTAX_DICT_COMPREHENSION, /* key, value, target, what it is taken from */
    HTP_SYNTAX_ATTRIBUTE,          /* of a value; named */
    HTP_SYNTAX_SUBSCRIPT,          /* value, subscripts */
    HTP_SYNTAX_SLICE,              /* begin?, end?, step? */
    HTP_SYNTAX_CALL,               /* callee, arguments */
    HTP_SYNTAX_KEYWORD,            /* an argument's value; named */
    HTP_SYNTAX_STARRED,            /* value */
    HTP_SYNTAX_UNARY,              /* value */
    HTP_SYNTAX_BINARY,             /* left, right; "not in" is a unary not of an in */
    HTP_SYNTAX_CONDITIONAL,        /* condition, value if so, value if not */
    /* Statements */
    HTP_SYNTAX_EXPRESSION,           /* value */
    HTP_SYNTAX_ASSIGNMENT,           /* target, its type?, further targets, value? */
    HTP_SYNTAX_AUGMENTED_ASSIGNMENT, /* target, value */
    HTP_SYNTAX_RETURN,               /* value? */
    HTP_SYNTAX_RAISE,                /* value */
    HTP_SYNTAX_ASSERT,               /* condition, message? */
    HTP_SYNTAX_DELETE,               /* targets */
    HTP_SYNTAX_GLOBAL,               /* names */
    HTP_SYNTAX_PASS,
    HTP_SYNTAX_BREAK,
    HTP_SYNTAX_CONTINUE,
    HTP_SYNTAX_IF,        /* condition, sequence, sequence otherwise? */
    HTP_SYNTAX_WHILE,     /* condition, sequence */
    HTP_SYNTAX_FOR,       /* sequence of targets, of what they are taken from, of statements */
    HTP_SYNTAX_WITH,      /* sequence of items, of statements */
    HTP_SYNTAX_WITH_ITEM, /* value, name? */
    /* Declarations */
    HTP_SYNTAX_FUNCTION,  /* sequence of parameters, type of its result?, sequence of the
                             parameters' types in a comment?, sequence of statements; named */
    HTP_SYNTAX_PARAMETER, /* type?, default?; named */
    HTP_SYNTAX_CLASS,     /* base?, sequence; named */
} htp_syntax_kind;

typedef struct htp_syntax_node htp_syntax_node;

struct htp_syntax_node {
    htp_syntax_kind kind;
    uint32_t operation; /* of an operator, of an assignment with one: its token (code_tokens.h) */
    uint32_t start;     /* in the text */
    uint32_t end;
    uint32_t name; /* of what is named, and of a name: where it begins */
    uint32_t name_bytes;
    uint32_t height; /* 1 without parts */
    uint32_t count;
    const htp_syntax_node *parts[];
};

/** The code of a record. */
typedef struct htp_syntax_module {
    htp_code_record code;
    const char *qualifier; /* what its names begin with: "__torch__.model"; by who reads it */
    const htp_syntax_node *declarations; /* a sequence of classes and functions */
} htp_syntax_module;

/**
 * Reads code, of which htp_code_check() has nothing to say but its tokens, in time and memory
 * proportional to its bytes. The tree lies in @p arena and points to the text.
 *
 * Refuses with HTP_CODE_BAD_INPUT what libtorch does not take, with its words, and trees of more
 * levels than it and those who walk them can bear. All that is walked may be walked recursively.
 */
HTP_MUST_USE htp_status htp_syntax_read(htp_arena *arena, const htp_code_record *code,
                                        const struct htp_code_token_list *tokens,
                                        htp_syntax_module *module);

/** Whether a node is this name. */
bool htp_syntax_is_name(const htp_syntax_module *module, const htp_syntax_node *node,
                        const char *name);

#endif
