/*
 * Programs of tests, interpreted with the made-up runner, and their traces as text: a node a line,
 * what it takes and gives by type, and the blocks of control flow in braces.
 *
 *     aten::add.Tensor([2,?], [?]) -> [2,?]
 *     prim::If(bool) -> [2,?] {
 *       aten::relu([2,?]) -> [2,?]
 *       -> [2,?]
 *     } {
 *       -> [2,?]
 *     }
 *     => [2,?]
 *
 * A dim is "?" where lanes differ. Known numbers are written as they are, others as "int"; a list
 * is "(..)", what failed "unknown", with "! why" behind its node.
 */
#ifndef HTP_TESTS_INTERPRET_FIXTURE_H
#define HTP_TESTS_INTERPRET_FIXTURE_H

#include "interpret/interpret.h"
#include "runner_fixture.h"

#include <inttypes.h>

/** One interpretation. */
typedef struct interpretation {
    htp_arena *arena;
    const htp_program *program;
    runner_fixture *runner;
    htp_instances instances;
    htp_interpreter *interpreter;
    uint32_t lanes;
    htp_code code;       /* of the last run */
    const char *message; /* why it failed; "" */
    bool needs_lanes;
    const htp_trace *trace;
} interpretation;

/* ---- inputs ---------------------------------------------------------------------------------- */

/** A dim that is written as "?": another size in every lane. */
static const int64_t interpret_open[HTP_MAX_LANES] = {10, 7, 13, 5};

/** "[2,?]" or "long[3]" a tensor, "3" an int, "int" one that nobody knows, "None". Several are
 * apart by blanks. @return how many there are */
static inline uint32_t interpret_inputs(const char *text, htp_input *inputs)
{
    uint32_t count = 0;
    for (const char *at = text; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        htp_input *input = &inputs[count++];
        *input = (htp_input){.dtype = HTP_DTYPE_FLOAT32};
        if (strncmp(at, "None", 4) == 0) {
            input->is_none = true;
            continue;
        }
        input->is_open = strncmp(at, "int", 3) == 0 || strncmp(at, "bool", 4) == 0;
        input->is_scalar = input->is_open || *at == '-' || isdigit((unsigned char)*at);
        if (input->is_scalar) {
            input->dtype = *at == 'b' ? HTP_DTYPE_BOOL : HTP_DTYPE_INT64;
            input->scalar = input->is_open ? 0 : strtod(at, NULL);
            continue;
        }
        input->dtype = strncmp(at, "long", 4) == 0   ? HTP_DTYPE_INT64
                       : strncmp(at, "mask", 4) == 0 ? HTP_DTYPE_BOOL
                                                     : HTP_DTYPE_FLOAT32;
        at += strcspn(at, "[") + 1;
        while (*at && *at != ']') {
            int64_t size = strtoll(at, NULL, 10);
            for (uint32_t lane = 0; lane < HTP_MAX_LANES; lane++) {
                input->dims[lane][input->rank] = *at == '?' ? interpret_open[lane] : size;
            }
            input->rank++;
            at += strcspn(at, ",]");
            at += *at == ',';
        }
    }
    return count;
}

/* ---- text ------------------------------------------------------------------------------------ */

static inline void interpret_add_value(const interpretation *i, htp_text *text, uint32_t id)
{
    const htp_trace_value *value = id < i->trace->value_count ? &i->trace->values[id] : NULL;
    if (!value) {
        htp_text_add(text, "nothing");
        return;
    }
    bool is_known = value->is_constant;
    switch (value->kind) {
    case HTP_TRACE_TENSOR:
    case HTP_TRACE_SEQUENCE:
        htp_text_add(text, value->kind == HTP_TRACE_SEQUENCE ? "sequence[" : "[");
        for (uint32_t dim = 0; dim < value->rank; dim++) {
            bool is_fixed = true;
            for (uint32_t lane = 1; lane < i->lanes; lane++) {
                is_fixed = is_fixed && value->dims[lane][dim] == value->dims[0][dim];
            }
            htp_text_add(text, dim ? "," : "");
            if (is_fixed) {
                htp_text_addf(text, "%" PRId64, value->dims[0][dim]);
            } else {
                htp_text_add(text, "?");
            }
        }
        htp_text_add(text, "]");
        break;
    case HTP_TRACE_INT:
        htp_text_add(text, is_known ? htp_arena_printf(i->arena, "%" PRId64, value->i[0]) : "int");
        break;
    case HTP_TRACE_BOOL:
        htp_text_add(text, !is_known ? "bool" : value->i[0] ? "True" : "False");
        break;
    case HTP_TRACE_FLOAT:
        htp_text_add(text, is_known ? htp_arena_printf(i->arena, "%g", value->f[0]) : "float");
        break;
    case HTP_TRACE_STRING:
        htp_text_addf(text, "\"%s\"", value->s);
        break;
    case HTP_TRACE_NOTHING:
        htp_text_add(text, "None");
        break;
    case HTP_TRACE_LIST:
        htp_text_add(text, "(");
        for (uint32_t k = 0; k < value->element_count; k++) {
            htp_text_add(text, k ? ", " : "");
            interpret_add_value(i, text, value->elements[k]);
        }
        htp_text_add(text, ")");
        break;
    case HTP_TRACE_COMPLEX:
        htp_text_add(text, "complex");
        break;
    case HTP_TRACE_OPAQUE:
        htp_text_add(text, "object");
        break;
    case HTP_TRACE_UNKNOWN:
        htp_text_add(text, "unknown");
    }
}

static inline void interpret_add_values(const interpretation *i, htp_text *text,
                                        const uint32_t *ids, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        htp_text_add(text, k ? ", " : "");
        interpret_add_value(i, text, ids[k]);
    }
}

/** The nodes of a block. */
static inline void interpret_add_block(const interpretation *i, htp_text *text, uint32_t block,
                                       int depth)
{
    for (uint32_t n = 0; n < i->trace->node_count; n++) {
        const htp_trace_node *node = &i->trace->nodes[n];
        if (node->block != block) {
            continue;
        }
        htp_text_addf(text, "%*s%s(", depth * 2, "", node->kind);
        interpret_add_values(i, text, node->inputs, node->input_count);
        htp_text_add(text, node->output_count ? ") -> " : ")");
        interpret_add_values(i, text, node->outputs, node->output_count);
        for (uint32_t b = 0; b < node->block_count; b++) {
            const htp_trace_block *within = &i->trace->blocks[node->blocks[b]];
            htp_text_add(text, b ? "" : " ");
            htp_text_add(text, "{");
            htp_text_add(text, within->input_count ? " " : "");
            interpret_add_values(i, text, within->inputs, within->input_count);
            htp_text_add(text, "\n");
            interpret_add_block(i, text, node->blocks[b], depth + 1);
            htp_text_addf(text, "%*s-> ", (depth + 1) * 2, "");
            interpret_add_values(i, text, within->outputs, within->output_count);
            htp_text_addf(text, "\n%*s} ", depth * 2, "");
        }
        text->length -= node->block_count ? 1 : 0;
        if (node->failure) {
            htp_text_addf(text, " ! %s", node->failure);
        }
        htp_text_add(text, "\n");
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static inline void interpret_find_place(void *self, uint32_t function, uint32_t node,
                                        const char **file, uint32_t *line)
{
    (void)self;
    (void)function;
    *file = "model.py";
    *line = node + 1;
}

static inline const char *interpret_find_text(void *self, uint32_t function, uint32_t node)
{
    (void)self;
    (void)function;
    (void)node;
    return "";
}

/** Classes are modules, which have their names as paths; weights have the numbers of their data,
 * where other data are weights without dims. */
static inline void interpret_add_instances(interpretation *i)
{
    const program_fixture *p = i->runner->program;
    for (uint32_t m = 0; m < p->classes.count; m++) {
        const char *name = i->program->classes[m].name;
        const htp_instance module = {.name = name,
                                     .path = m ? name : "",
                                     .qualified_class = name,
                                     .parent = m ? 0 : HTP_NONE};
        (void)htp_instances_add_module(i->arena, &i->instances, &module, m);
    }
    for (uint32_t d = 0; d < p->data.count; d++) {
        static const htp_tensor_view none = {.is_plain = false};
        const htp_program_data *data = &p->data.items[d];
        bool is_tensor = data->kind == HTP_DATA_TENSOR;
        const htp_weight named = {
            .name = is_tensor ? htp_arena_printf(i->arena, "weight_%u", d) : "none",
            .module = HTP_NONE,
            .is_parameter = is_tensor && data->tensor->rank > 0, /* counters are none */
        };
        htp_instances_add_weight(i->arena, &i->instances, &named, d,
                                 is_tensor ? data->tensor : &none);
        i->instances.by_data.items[d] = is_tensor ? d + 1 : 0;
    }
}

/** Opens a program that has the schemas of the runner. */
static inline interpretation *interpret_open_read(htp_arena *arena, const htp_program *program)
{
    interpretation *i = HTP_NEW(arena, interpretation);
    i->arena = arena;
    i->program = program;
    i->runner = runner_make_up(arena, i->program);
    interpret_add_instances(i);
    static const htp_place_finder places = {NULL, interpret_find_place, interpret_find_text};
    const htp_interpreted of = {i->program, &i->runner->runner, &places, &i->instances,
                                "forward",  {.home = NULL},     false};
    i->interpreter = htp_interpreter_open(&of);
    UNIT_CHECK(i->interpreter);
    return i;
}

/** The same of a text, behind the schemas of the runner. */
static inline interpretation *interpret_open_program(htp_arena *arena, const char *program)
{
    const char *schemas = runner_schemas_text(arena);
    const char *text = htp_arena_printf(arena, "%s%s", schemas, program);
    return interpret_open_read(arena, program_read(arena, text));
}

/** Runs it as somebody asks. */
static inline void interpret_run(interpretation *i, const htp_trace_request *request)
{
    htp_trace_result result;
    htp_status status = htp_interpreter_run(i->interpreter, request, &result);
    i->lanes = request->lane_count;
    i->code = htp_status_code(status);
    i->message = htp_arena_strdup(i->arena, htp_status_message(status));
    i->needs_lanes = result.needs_lanes;
    i->trace = result.trace;
    htp_status_free(status);
}

/** Runs it, with what earlier calls left. */
static inline void interpret_run_carried(interpretation *i, const char *inputs, uint32_t lanes,
                                         const htp_trace_carried *carried, uint32_t count)
{
    htp_input given[16];
    uint32_t given_count = interpret_inputs(inputs, given);
    const htp_trace_request request = {.inputs = given,
                                       .input_count = given_count,
                                       .lane_count = lanes,
                                       .carried = carried,
                                       .carried_count = count};
    interpret_run(i, &request);
}

/** The trace of the last run as text, or why there is none. */
static inline const char *interpret_text(const interpretation *i)
{
    htp_text text = {.arena = i->arena};
    if (i->code != HTP_CODE_OK) {
        return i->message;
    }
    interpret_add_block(i, &text, 0, 0);
    htp_text_add(&text, "=> ");
    interpret_add_values(i, &text, i->trace->outputs, i->trace->output_count);
    for (uint32_t s = 0; s < i->trace->state_count; s++) {
        const htp_trace_state *state = &i->trace->states[s];
        htp_text_addf(&text, "\nstate %s: ", state->name);
        interpret_add_value(i, &text, state->before);
        htp_text_add(&text, " to ");
        interpret_add_value(i, &text, state->after);
    }
    return htp_text_string(&text);
}

/** What a program does on some inputs, in four lanes: its trace, or why there is none. */
static inline const char *interpret(htp_arena *arena, const char *program, const char *inputs)
{
    interpretation *i = interpret_open_program(arena, program);
    interpret_run_carried(i, inputs, HTP_MAX_LANES, NULL, 0);
    const char *text = htp_arena_strdup(arena, interpret_text(i));
    htp_interpreter_close(i->interpreter);
    return text;
}

#endif
