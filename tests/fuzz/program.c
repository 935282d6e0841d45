/*
 * A generated program (program_maker.h), interpreted by the fake runner in one to four lanes,
 * twice: as after loading, and once more.
 */
#include "fuzz.h"
#include "program_maker.h"

/* ---- the runner ---- */

/* Returns results by the schema: tensors like the first operand, and small numbers. */
static htp_run_code give_anything(runner_fixture *r, const htp_program_schema *schema,
                                  runner_call *call)
{
    htp_operand *outputs = HTP_NEW_ARRAY(r->arena, htp_operand, (size_t)schema->return_count + 1);
    for (uint32_t i = 0; i < schema->return_count; i++) {
        switch (r->program->types.items[schema->returns[i].type].kind) {
        case HTP_TYPE_INT:
            outputs[i] = (htp_operand){.kind = HTP_OPERAND_INT, .as.i = (int64_t)r->runs % 7};
            break;
        case HTP_TYPE_FLOAT:
            outputs[i] = (htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = 0.5};
            break;
        case HTP_TYPE_BOOL:
            outputs[i] = (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = r->runs % 2};
            break;
        case HTP_TYPE_TENSOR:
            if (runner_same(call) != HTP_RUN_OK) {
                return HTP_RUN_RAISED;
            }
            outputs[i] = *call->output;
            break;
        default:
            return runner_raise(call, "nobody knows what comes out");
        }
    }
    call->output = outputs;
    *call->output_count = schema->return_count;
    return HTP_RUN_OK;
}

/* Runs a rule if it can take the operands. */
static htp_run_code run_checked(void *self, uint32_t schema, htp_run_mode mode,
                                const htp_operand *inputs, uint32_t input_count,
                                const htp_operand **outputs, uint32_t *output_count,
                                htp_error *error)
{
    runner_fixture *r = self;
    const htp_program_schema *of = &r->program->program.schemas[schema];
    runner_call call = {
        .runner = r,
        .mode = mode,
        .inputs = inputs,
        .count = input_count,
        .output = HTP_NEW_ARRAY(r->arena, htp_operand, RUNNER_OUTPUTS),
        .error = error,
        .output_count = output_count,
    };
    if (!fuzz_takes_operands(&r->program->program, schema, inputs, input_count)) {
        return runner_raise(&call, "the operator does not take such operands");
    }
    if (runner_find_rule(of->kind)) {
        return runner_run(self, schema, mode, inputs, input_count, outputs, output_count, error);
    }
    r->runs++;
    htp_run_code code = give_anything(r, of, &call);
    *outputs = call.output;
    return code;
}

/* ---- the trace ---- */

static void check_values(const htp_trace *trace, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        FUZZ_CHECK(values[i] < trace->value_count || values[i] == HTP_NONE);
    }
}

/* All indices in a trace are within its tables. */
static void check_trace(const htp_trace *trace)
{
    check_values(trace, trace->inputs, trace->input_count);
    check_values(trace, trace->outputs, trace->output_count);
    for (uint32_t i = 0; i < trace->value_count; i++) {
        check_values(trace, trace->values[i].elements, trace->values[i].element_count);
    }
    for (uint32_t i = 0; i < trace->node_count; i++) {
        const htp_trace_node *node = &trace->nodes[i];
        check_values(trace, node->inputs, node->input_count);
        check_values(trace, node->outputs, node->output_count);
        FUZZ_CHECK(node->scope < trace->scope_count && node->block < trace->block_count);
        FUZZ_CHECK(node->call <= trace->call_count);
        for (uint32_t b = 0; b < node->block_count; b++) {
            FUZZ_CHECK(node->blocks[b] < trace->block_count);
        }
    }
    for (uint32_t i = 0; i < trace->block_count; i++) {
        check_values(trace, trace->blocks[i].inputs, trace->blocks[i].input_count);
        check_values(trace, trace->blocks[i].outputs, trace->blocks[i].output_count);
    }
    for (uint32_t i = 0; i < trace->state_count; i++) {
        const htp_trace_state *state = &trace->states[i];
        const uint32_t values[] = {state->loaded, state->before, state->after};
        check_values(trace, values, 3);
    }
}

/* ---- runs ---- */

/* Each value may take some kilobytes, with the runner's tensors. */
enum { MAX_TICKS = 16, MAX_VALUES = 1 << 15, MAX_BYTES = 1 << 28 };

/* Stops after some thousand steps; more would reach nothing new. */
static bool count_tick(void *user, uint64_t done, uint64_t total)
{
    uint32_t *ticks = user;
    (void)done;
    (void)total;
    return ++*ticks < MAX_TICKS;
}

static void run_once(interpretation *i, const htp_input *inputs, uint32_t count)
{
    uint32_t ticks = 0;
    const htp_trace_request request = {.inputs = inputs,
                                       .input_count = count,
                                       .lane_count = i->lanes,
                                       .tick = count_tick,
                                       .user = &ticks};
    interpret_run(i, &request);
    FUZZ_CHECK(i->code != HTP_CODE_OK || i->trace);
    FUZZ_CHECK(i->code == HTP_CODE_OK || i->message[0]);
    FUZZ_CHECK(!strchr(i->message, '\n'));
    if (i->trace) {
        check_trace(i->trace);
    }
}

static void interpret_bytes(htp_arena *arena, fuzz_bytes *bytes)
{
    enum { MAX_INPUTS = 8 };
    const char *text = "";
    uint32_t lanes = 1 + fuzz_take(bytes, HTP_MAX_LANES);
    const htp_program *program = fuzz_make_program(arena, bytes, &text);
    htp_input *inputs = HTP_NEW_ARRAY(arena, htp_input, MAX_INPUTS);
    uint32_t count = interpret_inputs(text, inputs);
    static const htp_limits limits = {{[HTP_LIMIT_VALUES] = MAX_VALUES}};
    interpretation *i = interpret_open_read(arena, program, &limits);
    i->lanes = lanes;
    i->runner->runner.run = run_checked;
    run_once(i, inputs, count);
    run_once(i, inputs, count);
    htp_interpreter_close(i->interpreter);
    FUZZ_CHECK(arena->total < MAX_BYTES);
}

void fuzz_program(const uint8_t *data, size_t size)
{
    enum { MAX_SIZE = 1024 };
    fuzz_bytes bytes = {data, data + (size < MAX_SIZE ? size : MAX_SIZE)};
    htp_arena arena;
    htp_arena_init(&arena);
    FUZZ_CHECK(htp_arena_recover(&arena) == 0);
    interpret_bytes(&arena, &bytes);
    htp_arena_free(&arena);
}
