/*
 * Programs of tests and their traces as text in which every value has a name, so that it is told
 * which one an operator takes. A node of the method is a line, which has its blocks.
 *
 *     %1[?,3] = prim::If(c) { %2[?,3] = aten::relu(x); -> %2 } { -> x }
 *     => %1
 *
 * Inputs and weights have names of their own, all others are numbered in the order in which they
 * are made, and say there what they are; so are other tensors with contents, where they are read.
 * Known numbers are written as they are, a list as "(..)". What is read where nothing has made it,
 * or in a block that does not see it, is "lost". Nodes that say that nobody knows what a memory
 * holds are left out where nobody asks.
 */
#ifndef HTP_TESTS_NAMED_TRACE_H
#define HTP_TESTS_NAMED_TRACE_H

#include "interpret_fixture.h"

/* ---- programs -------------------------------------------------------------------------------- */

/** Constants are in no trace but where they are read. */
#define NAMED_CONSTANTS                                                                            \
    "  %0:int = prim::Constant<0>()\n"                                                             \
    "  %1:int = prim::Constant<1>()\n"                                                             \
    "  %2:int = prim::Constant<2>()\n"                                                             \
    "  %3:int = prim::Constant<3>()\n"                                                             \
    "  %6:int = prim::Constant<6>()\n"                                                             \
    "  %8:int = prim::Constant<8>()\n"                                                             \
    "  %257:int = prim::Constant<257>()\n"                                                         \
    "  %many:int = prim::Constant<9223372036854775807>()\n"                                        \
    "  %true:bool = prim::Constant<True>()\n"                                                      \
    "  %false:bool = prim::Constant<False>()\n"                                                    \
    "  %none = prim::Constant<None>()\n"                                                           \
    "  %text:str = prim::Constant<\"it is wrong\">()\n"

/** A method whose data are two tensors, two flags and a number, which NAMED_INPUTS are. */
#define NAMED_METHOD                                                                               \
    "def Net.forward(%self:Net, %x, %y, %c:bool, %d:bool, %n:int)\n" NAMED_CONSTANTS

#define NAMED_INPUTS "[?,3] [?,3] bool bool int"

/* ---- what is read ---------------------------------------------------------------------------- */

typedef struct named_trace {
    const interpretation *of;
    htp_text text;
    const char **names; /* by value; NULL: it has none yet */
    bool *is_seen;      /* by value: from where the text is now */
    bool *is_read;      /* by value: by anybody */
    unsigned count;     /* of names */
    unsigned data_count;
} named_trace;

static inline const htp_trace_value *named_value(const named_trace *t, uint32_t id)
{
    return &t->of->trace->values[id];
}

static inline void named_note(named_trace *t, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] != HTP_NONE) {
            const htp_trace_value *value = named_value(t, ids[i]);
            t->is_read[ids[i]] = true;
            named_note(t, value->elements, value->element_count);
        }
    }
}

static inline void named_note_reads(named_trace *t)
{
    const htp_trace *trace = t->of->trace;
    for (uint32_t n = 0; n < trace->node_count; n++) {
        named_note(t, trace->nodes[n].inputs, trace->nodes[n].input_count);
    }
    for (uint32_t b = 0; b < trace->block_count; b++) {
        named_note(t, trace->blocks[b].outputs, trace->blocks[b].output_count);
    }
    named_note(t, trace->outputs, trace->output_count);
    for (uint32_t s = 0; s < trace->state_count; s++) {
        named_note(t, &trace->states[s].after, 1);
    }
}

/** Whether a node says no more than that nobody knows what a memory holds, and nobody asks. */
static inline bool named_is_idle(const named_trace *t, const htp_trace_node *node)
{
    return node->failure && node->input_count == 0 && !t->is_read[node->outputs[0]];
}

/* ---- values ---------------------------------------------------------------------------------- */

static inline void named_set(named_trace *t, uint32_t id, const char *name)
{
    const htp_trace_value *value = named_value(t, id);
    t->names[id] = name;
    t->is_seen[id] = true;
    for (uint32_t i = 0; i < value->element_count; i++) {
        named_set(t, value->elements[i], named_value(t, value->elements[i])->name);
    }
}

static inline bool named_is_known(const htp_trace_value *value)
{
    bool is_number = value->kind == HTP_TRACE_INT || value->kind == HTP_TRACE_FLOAT ||
                     value->kind == HTP_TRACE_BOOL;
    return value->kind == HTP_TRACE_NOTHING || value->kind == HTP_TRACE_STRING ||
           value->kind == HTP_TRACE_OPAQUE || (is_number && value->is_constant);
}

static inline void named_add_all(named_trace *t, const uint32_t *ids, uint32_t count,
                                 void (*add)(named_trace *t, uint32_t id))
{
    for (uint32_t i = 0; i < count; i++) {
        htp_text_add(&t->text, i ? ", " : "");
        add(t, ids[i]);
    }
}

static inline void named_add_list(named_trace *t, uint32_t id,
                                  void (*add)(named_trace *t, uint32_t id))
{
    htp_text_add(&t->text, "(");
    named_add_all(t, named_value(t, id)->elements, named_value(t, id)->element_count, add);
    htp_text_add(&t->text, ")");
}

/** What a call finds of an earlier one has the state's name. */
static inline void named_set_found(named_trace *t, uint32_t id)
{
    const htp_trace_value *value = named_value(t, id);
    bool is_made = value->producer != HTP_NONE || value->weight != HTP_NONE;
    for (uint32_t i = 0; i < value->element_count; i++) {
        named_set_found(t, value->elements[i]);
    }
    if (value->kind != HTP_TRACE_LIST && !value->data && !is_made && !named_is_known(value)) {
        named_set(t, id, value->name);
    }
}

/** Where a value is made. */
static inline void named_make(named_trace *t, uint32_t id)
{
    const htp_trace_value *value = named_value(t, id);
    if (named_is_known(value)) {
        interpret_add_value(t->of, &t->text, id);
    } else if (value->kind == HTP_TRACE_LIST) {
        named_add_list(t, id, named_make);
    } else {
        named_set(t, id, htp_arena_printf(t->of->arena, "%%%u", ++t->count));
        htp_text_add(&t->text, t->names[id]);
        htp_text_add(&t->text, value->kind == HTP_TRACE_TENSOR ? "" : " ");
        interpret_add_value(t->of, &t->text, id);
    }
}

/** "Net.hidden": who has it in the program. */
static inline void named_add_weight(named_trace *t, uint32_t weight)
{
    const program_fixture *p = t->of->program->reader;
    for (size_t i = 0; i < p->classes.count; i++) {
        for (size_t k = 0; k < p->slots.items[i].count; k++) {
            if (p->slots.items[i].items[k] == weight) {
                htp_text_addf(&t->text, "%s.%s", p->classes.items[i].name,
                              p->classes.items[i].attributes[k]);
                return;
            }
        }
    }
    htp_text_add(&t->text, t->of->trace->weights[weight].name);
}

/** Where it is read. */
static inline void named_read(named_trace *t, uint32_t id)
{
    const htp_trace_value *value = id == HTP_NONE ? NULL : named_value(t, id);
    if (!value || named_is_known(value)) {
        interpret_add_value(t->of, &t->text, id);
    } else if (value->kind == HTP_TRACE_LIST) {
        named_add_list(t, id, named_read);
    } else if (t->is_seen[id] || (value->data && t->names[id])) {
        htp_text_add(&t->text, t->names[id]);
    } else if (value->weight != HTP_NONE) {
        named_add_weight(t, value->weight);
    } else if (value->data) {
        t->names[id] = htp_arena_printf(t->of->arena, "data%u", ++t->data_count);
        htp_text_add(&t->text, t->names[id]);
        interpret_add_value(t->of, &t->text, id);
    } else {
        bool is_unknown = value->kind == HTP_TRACE_UNKNOWN; /* its node says why */
        htp_text_add(&t->text, is_unknown ? "" : "lost ");
        interpret_add_value(t->of, &t->text, id);
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static inline void named_add_nodes(named_trace *t, uint32_t block, const char *separator);

static inline bool *named_copy_seen(const named_trace *t)
{
    size_t count = t->of->trace->value_count;
    bool *copy = HTP_NEW_ARRAY(t->of->arena, bool, count);
    memcpy(copy, t->is_seen, count * sizeof(*copy));
    return copy;
}

/** A block of a node; what it makes is seen within it alone. */
static inline void named_add_block(named_trace *t, uint32_t number)
{
    const htp_trace_block *block = &t->of->trace->blocks[number];
    bool *around = t->is_seen;
    t->is_seen = named_copy_seen(t);
    htp_text_add(&t->text, block->input_count ? " { (" : " { ");
    named_add_all(t, block->inputs, block->input_count, named_make);
    htp_text_add(&t->text, block->input_count ? ") " : "");
    named_add_nodes(t, number, "; ");
    htp_text_add(&t->text, block->output_count ? "-> " : "->");
    named_add_all(t, block->outputs, block->output_count, named_read);
    htp_text_add(&t->text, " }");
    t->is_seen = around;
}

/** A node. What it gives is not seen by its operands and blocks. */
static inline void named_add_node(named_trace *t, const htp_trace_node *node)
{
    bool *before = named_copy_seen(t);
    named_add_all(t, node->outputs, node->output_count, named_make);
    bool *behind = t->is_seen;
    t->is_seen = before;
    htp_text_addf(&t->text, "%s%s(", node->output_count ? " = " : "", node->kind);
    named_add_all(t, node->inputs, node->input_count, named_read);
    htp_text_add(&t->text, ")");
    for (uint32_t b = 0; b < node->block_count; b++) {
        named_add_block(t, node->blocks[b]);
    }
    t->is_seen = behind;
    htp_text_addf(&t->text, "%s%s", node->failure ? " ! " : "", node->failure ? node->failure : "");
}

static inline void named_add_nodes(named_trace *t, uint32_t block, const char *separator)
{
    const htp_trace *trace = t->of->trace;
    for (uint32_t n = 0; n < trace->node_count; n++) {
        const htp_trace_node *node = &trace->nodes[n];
        if (node->block == block && !named_is_idle(t, node)) {
            named_add_node(t, node);
            htp_text_add(&t->text, separator);
        }
    }
}

/** Why there is no trace, without the line of the program. */
static inline const char *named_refusal(const interpretation *i)
{
    const char *message = i->message;
    const char *place = strstr(message, " (model.py");
    return place ? htp_arena_printf(i->arena, "%.*s%s", (int)(place - message), message,
                                    strchr(place, ')') + 1)
                 : message;
}

/** The trace of the last run, or why there is none. */
static inline const char *named_text(const interpretation *i)
{
    const htp_trace *trace = i->trace;
    if (i->code != HTP_CODE_OK) {
        return named_refusal(i);
    }
    named_trace t = {.of = i, .text = {.arena = i->arena}};
    t.names = HTP_NEW_ARRAY(i->arena, const char *, trace->value_count);
    t.is_seen = HTP_NEW_ARRAY(i->arena, bool, trace->value_count);
    t.is_read = HTP_NEW_ARRAY(i->arena, bool, trace->value_count);
    named_note_reads(&t);
    for (uint32_t k = 0; k < trace->input_count; k++) {
        named_set(&t, trace->inputs[k], named_value(&t, trace->inputs[k])->name);
    }
    for (uint32_t s = 0; s < trace->state_count; s++) {
        named_set_found(&t, trace->states[s].before);
    }
    named_add_nodes(&t, 0, "\n");
    htp_text_add(&t.text, "=> ");
    named_add_all(&t, trace->outputs, trace->output_count, named_read);
    for (uint32_t s = 0; s < trace->state_count; s++) {
        const htp_trace_state *state = &trace->states[s];
        htp_text_addf(&t.text, "\nstate %s: ", state->name);
        named_read(&t, state->before);
        htp_text_add(&t.text, " to ");
        named_read(&t, state->after);
    }
    return htp_text_string(&t.text);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/** NAMED_METHOD with this body, which functions may follow, behind classes. */
static inline interpretation *named_open(htp_arena *arena, const char *classes, const char *body)
{
    return interpret_open_program(arena,
                                  htp_arena_printf(arena, "%s%s%s", classes, NAMED_METHOD, body));
}

/** It has this trace, or is refused with this message. */
static inline void gives_in(htp_arena *arena, const char *classes, const char *body,
                            const char *expected)
{
    interpretation *i = named_open(arena, classes, body);
    interpret_run_carried(i, NAMED_INPUTS, HTP_MAX_LANES, NULL, 0);
    const char *text = htp_arena_strdup(arena, named_text(i));
    htp_interpreter_close(i->interpreter);
    ck_assert_str_eq(text, expected);
}

static inline void gives(htp_arena *arena, const char *body, const char *expected)
{
    gives_in(arena, "class Net n=1\n", body, expected);
}

#endif
