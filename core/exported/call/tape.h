/*
 * The trace of a program under construction: values, nodes and scopes so far. Private to
 * core/exported.
 */
#ifndef HTP_EXPORTED_TAPE_H
#define HTP_EXPORTED_TAPE_H

#include "base/limits/limits.h"
#include "exported/call/schemas.h"
#include "exported/document/document.h"
#include "exported/modules/modules.h"
#include "exported/symbols/symbols.h"
#include "interpret/trace/trace.h"

/** Small integers that have one value each, from 0 on. */
enum { HTP_KEPT_INTEGERS = 64 };

/** The place of a node. */
typedef struct htp_exported_place {
    uint32_t scope;
    const char *file; /**< "": unknown */
    uint32_t line;
    const char *text; /**< a space and the line; or NULL */
    const char *function;
    const char *stack; /**< of modules, from the node itself; NULL: the file has none */
} htp_exported_place;

typedef struct htp_tape {
    htp_arena *arena; /**< of the trace */
    const htp_exported_program *program;
    const htp_exported_modules *modules;
    const htp_exported_weights *weights;
    const htp_limits *limits; /**< NULL: all defaults */
    htp_exported_symbols *symbols;
    htp_exported_number *numbers[HTP_MAX_LANES]; /**< by expression */
    bool *moves; /**< by expression: it has a data-dependent symbol, or one that differs between
                     lanes */
    bool *is_of_data; /**< by expression: it has a data-dependent symbol */
    HTP_VECTOR(htp_trace_value) values;
    HTP_VECTOR(htp_trace_node) nodes;
    HTP_VECTOR(const char *) stacks; /**< by node: of its place */
    HTP_VECTOR(htp_trace_block) blocks;
    HTP_VECTOR(htp_trace_scope) scopes;
    HTP_VECTOR(htp_trace_call) calls;
    uint32_t *module_calls;
    htp_map scope_by_stack;
    htp_map scope_by_key;
    htp_map schemas;                                /**< by kind: those parsed, on first use */
    HTP_VECTOR(const htp_exported_schema *) parsed; /**< NULL: not in the table */
    uint32_t *bound;                    /**< by value of the program: its current value; HTP_NONE */
    const htp_exported_node **deferred; /**< by value of the program: its producer on demand */
    struct htp_lying *lying;            /**< by value of the program: memory.h */
    uint32_t changes;                   /**< how many in-place changes there were */
    bool moves_statistics;              /**< a norm in training mode updates running statistics */
    uint32_t block;                     /**< that nodes are added to */
    const htp_exported_graph *graph;    /**< that nodes are read from */
    uint32_t untold;                    /**< nodes of inner graphs without a module stack */
    htp_exported_place place;           /**< of the current node */
    uint32_t depth;                     /**< of nodes made on demand */
    uint32_t none;                      /**< values made once; HTP_NONE before */
    uint32_t integers[HTP_KEPT_INTEGERS];
    uint32_t truths[2];
    htp_status failure; /**< the first one; or NULL */
    htp_tick tick;
    void *user;
} htp_tape;

/** Evaluates the formulas of the program, whose symbols have numbers. */
void htp_tape_take_sizes(htp_tape *r);

/** Notes a failure; the first one counts. @param status  is owned by the tape, or freed */
void htp_tape_fail(htp_tape *r, htp_status status);

/** Adds a value. @return its number */
uint32_t htp_tape_add(htp_tape *r, htp_trace_value value);

/** Constants. */
uint32_t htp_tape_none(htp_tape *r);
uint32_t htp_tape_integer(htp_tape *r, int64_t number);
uint32_t htp_tape_truth(htp_tape *r, bool truth);
uint32_t htp_tape_real(htp_tape *r, double number);
uint32_t htp_tape_text(htp_tape *r, const char *text);
uint32_t htp_tape_list(htp_tape *r, const uint32_t *elements, uint32_t count);

/** Adds a value of the program, with its sizes in each lane. @param producer  node of the trace */
uint32_t htp_tape_described(htp_tape *r, const htp_exported_value *value, uint32_t producer);

/** A tensor of the archive. */
uint32_t htp_tape_weight(htp_tape *r, uint32_t weight);

/** Whether a number of the program is the same in all lanes, and at all sizes of the axes. */
bool htp_tape_is_fixed(const htp_tape *r, const htp_exported_size *size);

/** Whether a number of the program depends on data. */
bool htp_tape_is_of_data(const htp_tape *r, const htp_exported_size *size);

/** As htp_exported_schema_find(), parsed once for all nodes of a kind. */
const htp_exported_schema *htp_tape_schema(htp_tape *r, const char *kind);

/** Adds a node to the current block. Its outputs are set by one of the functions below.
 * @return its number */
uint32_t htp_tape_node(htp_tape *r, const char *kind, const uint32_t *inputs,
                       const char *const *names, uint32_t count);

/** Makes the outputs of the program's node @p from those of a node. */
void htp_tape_give(htp_tape *r, uint32_t node, const htp_exported_node *from);

/** Sets the outputs of a node. */
void htp_tape_gives(htp_tape *r, uint32_t node, const uint32_t *outputs, uint32_t count);

#endif
