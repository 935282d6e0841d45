/*
 * Facts about the values of a running function, shared by hints.c, hint_notes.c and hint_results.c.
 */
#ifndef HTP_SOURCE_HINT_SCOPE_H
#define HTP_SOURCE_HINT_SCOPE_H

#include "base/vector.h"
#include "source/hints/hints.h"
#include "source/program/operands.h"

/** A known value: an argument of the method or a part of one, an object, or weights. */
typedef struct htp_hint_known {
    uint32_t argument; /* HTP_NONE: none */
    const char *path;  /* of the part of the argument: "0.key" */
    int32_t shift;     /* how many dims it has more than that part */
    uint32_t joined;   /* how many like it were joined along the features */
    bool is_converted; /* it may have another dtype */
    bool is_turned;    /* its dims may be permuted */
    bool is_positions; /* 0, 1, 2 and so on */
    bool is_number;    /* not that part, which has one element, but the number in it */
    bool is_weight;
    uint32_t weights; /* number of data: a tensor or a list of them; HTP_NONE: none */
    uint32_t object;
} htp_hint_known;

/** An unknown value. */
#define HTP_HINT_UNKNOWN                                                                           \
    ((htp_hint_known){                                                                             \
        .argument = HTP_NONE, .path = "", .joined = 1, .weights = HTP_NONE, .object = HTP_NONE})

typedef HTP_VECTOR(htp_hint) htp_hint_list;

/** A search of a program. */
typedef struct htp_hint_search {
    htp_arena *arena;
    const htp_program *program;
    htp_hint_list hints;
    size_t visited; /* nodes so far */
    size_t values;  /* of all functions so far */
    size_t depth;
    htp_status failure; /* of reading the program; ends the search */
} htp_hint_search;

/** A running function, and its current node. */
typedef struct htp_hint_scope {
    htp_hint_search *search;
    htp_program_function function; /* the table may move */
    htp_hint_known *values;
    const htp_program_node *node;
} htp_hint_scope;

/** The node, for queries about its operands. */
static inline htp_operands htp_hint_operands(const htp_hint_scope *s)
{
    return (htp_operands){s->search->program, &s->function, s->node};
}

/** The known value of an operand of the node. */
static inline htp_hint_known *htp_hint_input(const htp_hint_scope *s, uint32_t number)
{
    return &s->values[s->node->inputs[number]];
}

static inline void htp_hint_set_output(const htp_hint_scope *s, uint32_t number,
                                       htp_hint_known known)
{
    s->values[s->node->outputs[number]] = known;
}

static inline bool htp_hint_is_argument(const htp_hint_known *known)
{
    return known->argument != HTP_NONE && !known->is_number;
}

/** Whether the value is the number in an argument or in a part of one. */
static inline bool htp_hint_is_number(const htp_hint_known *known)
{
    return known->argument != HTP_NONE && known->is_number;
}

/** Adds a "part" hint, which names the part that the next hint is about. */
void htp_hint_add_part(htp_hint_search *f, const htp_hint_known *k);

/** Adds hints about the operands of the node. */
void htp_hint_note_operands(const htp_hint_scope *s);

/** Adds a hint that the number in an argument is converted to a type: int(x.item()). */
void htp_hint_note_converted(const htp_hint_scope *s);

/** Adds hints that arguments are joined with other values. */
void htp_hint_note_joined(const htp_hint_scope *s);

/** Adds hints that arguments have similar shapes, since the node takes them element-wise, or joins
 * them. */
void htp_hint_note_beside(const htp_hint_scope *s);

/** Adds hints that arguments are compared with positions, or used with them as indices. */
void htp_hint_note_positions(const htp_hint_scope *s);

/** Adds a hint that a slice() with constant numbers reads @p k. */
void htp_hint_note_slice(const htp_hint_scope *s, const htp_hint_known *k);

/** Adds a hint that a select() with constant numbers picks an element of @p k. */
void htp_hint_note_pick(const htp_hint_scope *s, const htp_hint_known *k);

/** Derives the node's outputs from its operands. */
void htp_hint_pass_on(const htp_hint_scope *s);

/** Sets the results of a branch: the first known one of its sides; arguments take precedence. */
void htp_hint_merge_branches(const htp_hint_scope *s);

#endif
