/*
 * The syntax tree of TorchScript's code, as libtorch's parser understands it. Private to
 * core/source.
 *
 * Nodes point into the text; names and literals are spans of it. A node's span covers its own token
 * and all of its parts, as in libtorch.
 *
 * Reference: libtorch's csrc/jit/frontend/parser.cpp; import_source.cpp for records.
 */
#ifndef HTP_SOURCE_CODE_SYNTAX_H
#define HTP_SOURCE_CODE_SYNTAX_H

#include "base/arena.h"
#include "source/code/code.h"

#include <stdbool.h>
#include <stdint.h>

/** Kinds of nodes, and their parts in order. "?": NULL if absent. */
typedef enum htp_syntax_kind {
    HTP_SYNTAX_SEQUENCE, /* any sequence: statements, targets, declarations */
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
    HTP_SYNTAX_LIST_COMPREHENSION, /* element, target, source */
    HTP_SYNTAX_DICT_COMPREHENSION, /* key, value, target, source */
    HTP_SYNTAX_ATTRIBUTE,          /* of a value; named */
    HTP_SYNTAX_SUBSCRIPT,          /* value, subscripts */
    HTP_SYNTAX_SLICE,              /* begin?, end?, step? */
    HTP_SYNTAX_CALL,               /* callee, arguments */
    HTP_SYNTAX_KEYWORD,            /* an argument's value; named */
    HTP_SYNTAX_STARRED,            /* value */
    HTP_SYNTAX_UNARY,              /* value */
    HTP_SYNTAX_BINARY,             /* left, right; "not in" is a unary not of an in */
    HTP_SYNTAX_CONDITIONAL,        /* condition, value if true, value if false */
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
    HTP_SYNTAX_IF,        /* condition, sequence, else sequence? */
    HTP_SYNTAX_WHILE,     /* condition, sequence */
    HTP_SYNTAX_FOR,       /* sequences of targets, of sources, of statements */
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
    uint32_t operation; /* token of an operator, or of an augmented assignment (code_tokens.h) */
    uint32_t start;     /* in the text */
    uint32_t end;
    uint32_t name; /* offset of the name */
    uint32_t name_bytes;
    uint32_t height; /* of the tree; 1 without parts */
    uint32_t count;
    const htp_syntax_node *parts[];
};

/** The code of a record. */
typedef struct htp_syntax_module {
    htp_code_record code;
    const char *qualifier; /* prefix of its names: "__torch__.model"; set by the reader */
    const htp_syntax_node *declarations; /* a sequence of classes and functions */
} htp_syntax_module;

/**
 * Parses code that htp_code_check() accepted, in time and memory proportional to its bytes. The
 * tree is in @p arena and points to the text.
 *
 * Refuses with HTP_CODE_BAD_INPUT syntax that libtorch refuses, in its words, and trees too deep
 * for recursion. So trees may be walked recursively.
 */
HTP_MUST_USE htp_status htp_syntax_read(htp_arena *arena, const htp_code_record *code,
                                        const struct htp_code_token_list *tokens,
                                        htp_syntax_module *module);

/** Whether a node is this name. */
bool htp_syntax_is_name(const htp_syntax_module *module, const htp_syntax_node *node,
                        const char *name);

#endif
