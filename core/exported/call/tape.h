/*
 * A trace that is made of a program: its values, nodes and scopes so far. Private to core/exported.
 */
#ifndef HTP_EXPORTED_TAPE_H
#define HTP_EXPORTED_TAPE_H

#include "exported/call/schemas.h"
#include "exported/document/document.h"
#include "exported/modules/modules.h"
#include "exported/symbols/symbols.h"
#include "interpret/trace/trace.h"

/** Small integers that are kept, from 0 on. */
enum { HTP_KEPT_INTEGERS = 64 };

/** Where a node stands. */
typedef struct htp_exported_place {
    uint32_t scope;
    const char *file; /**< "" when not known */
    uint32_t line;
    const char *text; /**< a space and the line; NULL */
    const char *function;
    const char *stack; /**< of modules, as the node itself has it; NULL: the file does not say */
} htp_exported_place;

typedef struct htp_tape {
    htp_arena *arena; /**< of the trace */
    const htp_exported_program *program;
    const htp_exported_modules *modules;
    const htp_exported_weights *weights;
    htp_exported_symbols *symbols;
    htp_exported_number *numbers[HTP_MAX_LANES]; /**< by expression */
    bool *moves; /** < by expression: it has a data-dependent symbol, or one that differs between
                     lanes */
    bool *is_of_data; /**< by expression: it has a symbol that the data decides */
    HTP_VECTOR(htp_trace_value) values;
    HTP_VECTOR(htp_trace_node) nodes;
    HTP_VECTOR(const char *) stacks; /**< by node: that of its place */
    HTP_VECTOR(htp_trace_block) blocks;
    HTP_VECTOR(htp_trace_scope) scopes;
    HTP_VECTOR(htp_trace_call) calls;
    uint32_t *module_calls;
    htp_map scope_by_stack;
    htp_map scope_by_key;
    uint32_t *bound;                    /**< by value of the program: its value now; HTP_NONE */
    const htp_exported_node **deferred; /** < by value of the program: its producer on demand */
    struct htp_lying *lying;            /**< by value of the program: memory.h */
    uint32_t changes;                   /**< in their places, so far */
    bool moves_statistics;              /**< a norm in training mode updates running statistics */
    uint32_t block;                     /**< that nodes are added to */
    const htp_exported_graph *graph;    /**< that nodes are added of */
    uint32_t untold;                    /**< nodes of inner graphs without a module stack */
    htp_exported_place place;           /**< of the node that is read */
    uint32_t depth;                     /**< of nodes that are made when others are read */
    uint32_t none;                      /**< values that are kept: HTP_NONE as yet */
    uint32_t integers[HTP_KEPT_INTEGERS];
    uint32_t truths[2];
    htp_status failure; /**< the first one; NULL */
    htp_tick tick;
    void *user;
} htp_tape;

/** Takes the formulas of the program, once its symbols have numbers. */
void htp_tape_take_sizes(htp_tape *r);

/** Something is wrong; the first one counts. @param status  is taken */
void htp_tape_fail(htp_tape *r, htp_status status);

/** Adds a value of its own kind. @return its number */
uint32_t htp_tape_add(htp_tape *r, htp_trace_value value);

/** Constants. */
uint32_t htp_tape_none(htp_tape *r);
uint32_t htp_tape_integer(htp_tape *r, int64_t number);
uint32_t htp_tape_truth(htp_tape *r, bool truth);
uint32_t htp_tape_real(htp_tape *r, double number);
uint32_t htp_tape_text(htp_tape *r, const char *text);
uint32_t htp_tape_list(htp_tape *r, const uint32_t *elements, uint32_t count);

/** A value as the program describes it, with its sizes in each lane; @p producer makes it. */
uint32_t htp_tape_described(htp_tape *r, const htp_exported_value *value, uint32_t producer);

/** A tensor of the archive. */
uint32_t htp_tape_weight(htp_tape *r, uint32_t weight);

/** Whether a number of the program is the same in all lanes, and at all sizes of the axes. */
bool htp_tape_is_fixed(const htp_tape *r, const htp_exported_size *size);

/** Adds a node at the recording's place, whose outputs are to be set. @return its number */
uint32_t htp_tape_node(htp_tape *r, const char *kind, const uint32_t *inputs,
                       const char *const *names, uint32_t count);

/** Adds the values of a node, as those of the program's outputs. */
void htp_tape_give(htp_tape *r, uint32_t node, const htp_exported_node *from);

/** Sets the outputs of a node. */
void htp_tape_gives(htp_tape *r, uint32_t node, const uint32_t *outputs, uint32_t count);

#endif
