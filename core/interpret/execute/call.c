/*
 * Executes an operator, of the program or of the interpreter's own.
 */
#include "interpret/lanes/call_facts.h"
#include "interpret/lanes/devices.h"
#include "interpret/lanes/execute.h"
#include "interpret/machine/costs.h"
#include "interpret/memory/turns.h"
#include "interpret/quantized/quantized.h"
#include "interpret/sizes/sizes.h"
#include "interpret/steps/control.h"

#include <string.h>

/* ---- operators that the program names ---- */

static bool is_complex(int32_t type)
{
    return type == HTP_SCALAR_COMPLEX_HALF || type == HTP_SCALAR_COMPLEX_FLOAT ||
           type == HTP_SCALAR_COMPLEX_DOUBLE;
}

/* Whether libtorch's executor treats the second operand as a number, as the tracer wrote it.
 * Numbers promote types differently from 0-d tensors; complex ones only beside integers or 0-d
 * tensors. */
static bool becomes_number(const htp_program_schema *schema, const htp_items *inputs)
{
    if (!htp_operator_takes_constants_as_numbers(schema) || inputs->count < 2 ||
        !inputs->items[1]->is_literal || !htp_is_real(inputs->items[1]) ||
        htp_tensor_in(inputs->items[1], 0)->rank != 0) {
        return false;
    }
    bool is_wide = false;
    if (htp_is_tensor(inputs->items[0])) {
        const htp_runner_tensor *first = htp_tensor_in(inputs->items[0], 0);
        is_wide =
            first->rank > 0 && !htp_type_is_whole(first->type) && first->type != HTP_SCALAR_BOOL;
    }
    return !is_wide || !is_complex(htp_tensor_in(inputs->items[1], 0)->type);
}

static htp_outcome number_of(htp_machine *m, const htp_runner_tensor *tensor, htp_operand *number)
{
    if (htp_tensor_number(m, tensor, number)) {
        return HTP_GOES_ON;
    }
    const htp_operand given = {.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
    const htp_operand *outputs = NULL;
    uint32_t count = 0;
    HTP_DO(htp_kernel_run(m, "aten::item", "", HTP_RUN_AS_IS, &given, 1, &outputs, &count));
    if (count != 1) {
        return htp_machine_stop(m, HTP_FAILS, "aten::item gives no number");
    }
    *number = outputs[0];
    return HTP_GOES_ON;
}

static htp_outcome run_on_number(htp_machine *m, const htp_call *call, htp_items *outputs)
{
    htp_items numbers = htp_items_copy(m, &call->inputs);
    htp_operand number = {.kind = HTP_OPERAND_NONE};
    HTP_DO(number_of(m, htp_tensor_in(numbers.items[1], 0), &number));
    numbers.items[1] = htp_item_plain(m, number);
    uint32_t schema;
    HTP_DO(htp_schema_find(m, call->schema.name, "Scalar", &schema));
    htp_call scalar = htp_call_make(m, schema, call->node, &numbers, call->place);
    return htp_call_run(m, &scalar, outputs);
}

/* An operator that changes dims in place becomes its view operator; the tensor is that view from
 * then on. */
static htp_outcome run_on_view(htp_machine *m, const htp_call *call, htp_items *outputs)
{
    const char *name =
        htp_arena_printf(m->arena, "%.*s", (int)strlen(call->schema.name) - 1, call->schema.name);
    bool is_named_int = strcmp(name, "aten::transpose") == 0;
    HTP_DO(htp_memory_refuse_lasting(m, call));
    HTP_DO(htp_execute_all(m, name, is_named_int ? "int" : call->schema.overload, &call->inputs,
                           call->place, outputs));
    return htp_memory_turn(m, call, outputs->items[0]);
}

static bool is_turning(const htp_call *call)
{
    return call->inputs.count > 0 && htp_is_tensor(call->inputs.items[0]) &&
           htp_call_has_fact(call, HTP_FACT_TURNS);
}

htp_outcome htp_execute_node(htp_machine *m, const htp_items *inputs, const htp_place *place,
                             htp_items *outputs)
{
    if (place->function == HTP_NONE) {
        return htp_machine_stop(m, HTP_FAILS, "an operator is run that stands nowhere");
    }
    htp_loaded_function *code = NULL;
    HTP_DO(htp_machine_load(m, place->function, &code));
    if (place->node >= code->function.node_count) {
        return htp_machine_stop(m, HTP_FAILS, "an operator is run that stands nowhere");
    }
    const htp_program_node *node = &code->function.nodes[place->node];
    if (node->schema == HTP_NONE) {
        return htp_machine_refuse(m, place, "this libtorch has no operator %s for these arguments",
                                  node->kind);
    }
    htp_call call = htp_call_make(m, node->schema, node, inputs, place);
    if (is_turning(&call)) {
        return run_on_view(m, &call, outputs);
    }
    return becomes_number(&call.schema, inputs) ? run_on_number(m, &call, outputs)
                                                : htp_call_run(m, &call, outputs);
}

/* ---- operators that it does not name ---- */

htp_outcome htp_execute(htp_machine *m, const char *name, const char *overload,
                        const htp_items *inputs, const htp_place *place, htp_item **output)
{
    htp_items outputs = {0};
    HTP_DO(htp_execute_all(m, name, overload, inputs, place, &outputs));
    if (outputs.count == 0) {
        return htp_machine_stop(m, HTP_FAILS, "%s gives nothing", name);
    }
    *output = outputs.items[0];
    return HTP_GOES_ON;
}

htp_outcome htp_execute_all(htp_machine *m, const char *name, const char *overload,
                            const htp_items *inputs, const htp_place *place, htp_items *outputs)
{
    uint32_t schema;
    HTP_DO(htp_schema_find(m, name, overload, &schema));
    htp_call call = htp_call_make(m, schema, NULL, inputs, place);
    return htp_call_run(m, &call, outputs);
}

/* ---- running them ---- */

/* Whether the result depends on neither sizes nor contents: cat() of an empty list. */
static bool always_gives_the_same(const htp_call *call)
{
    for (size_t i = 0; i < call->inputs.count; i++) {
        const htp_item *input = call->inputs.items[i];
        if (htp_item_has_tensors(input) || !htp_item_all(input, htp_is_constant)) {
            return false;
        }
    }
    return true;
}

static bool is_known(const htp_item *item)
{
    return item->kind != HTP_ITEM_UNKNOWN;
}

/* Runs the kernels: there is no other way to find the result. */
static htp_outcome run_kernels(htp_machine *m, htp_call *call, htp_items *outputs)
{
    htp_lanes results = {0};
    htp_mode mode = HTP_MODE_SIZES;
    HTP_DO(htp_call_run_in_mode(m, call, &mode, &results));
    if (htp_coinciding_is_one(m, call, &results)) {
        return htp_coinciding_make(m, call, &results, outputs);
    }
    htp_lanes resized = {0};
    bool is_done = false;
    HTP_DO(htp_coinciding_resize(m, call, &results, &resized, &is_done));
    if (is_done) {
        return htp_call_make_outputs(m, call, HTP_MODE_SIZES, &resized, true, outputs);
    }
    HTP_DO(htp_call_make_outputs(m, call, mode, &results, false, outputs));
    htp_quantized_keep(call, outputs);
    return HTP_GOES_ON;
}

static htp_outcome run_known(htp_machine *m, htp_call *call, htp_items *outputs)
{
    bool is_done = false;
    HTP_DO(htp_quantized_run(m, call, outputs, &is_done));
    if (is_done) {
        return HTP_GOES_ON;
    }
    if (htp_call_gives_unknown_numbers(m, call)) {
        return htp_call_make_unknown_numbers(m, call, outputs);
    }
    htp_lanes sized = {0};
    HTP_DO(htp_sizes_decide(m, call, &sized, &is_done));
    return is_done ? htp_call_make_outputs(m, call, HTP_MODE_SIZES, &sized, true, outputs)
                   : run_kernels(m, call, outputs);
}

/* Retries an operator that raised on made-up sizes, which need not fit, with other ones. */
static htp_outcome run_on_others(htp_machine *m, htp_call *call, const char *error,
                                 htp_items *outputs)
{
    htp_items inputs = {0};
    bool is_done = false;
    HTP_DO(htp_sizes_fitted(m, call, &inputs, &is_done));
    if (is_done) {
        htp_call other = htp_call_with(call, &inputs);
        return htp_call_run(m, &other, outputs);
    }
    htp_lanes sized = {0};
    const bool may_fit = !m->sizes.has_flats || m->sizes.has_last_lanes;
    if (may_fit) {
        HTP_DO(htp_sizes_reshaped(m, call, &sized, &is_done));
    }
    if (may_fit && !is_done) {
        HTP_DO(htp_sizes_met(m, call, &sized, &is_done));
    }
    if (!is_done) {
        HTP_DO(htp_sizes_written(m, call, &sized, &is_done));
    }
    if (!is_done) {
        HTP_DO(htp_sizes_padded(m, call, &sized, &is_done));
    }
    if (is_done) {
        return htp_call_make_outputs(m, call, HTP_MODE_SIZES, &sized, true, outputs);
    }
    const char *reason =
        htp_arena_printf(m->arena, "sizes that depend on the data do not fit: %s", error);
    return htp_call_fail_on_data(m, call, reason, outputs);
}

/* Handles an operator that raised: sizes that are not made up are the program's. */
static htp_outcome run_otherwise(htp_machine *m, htp_call *call, const char *error,
                                 htp_items *outputs)
{
    if (htp_items_have_data(&call->inputs)) {
        return run_on_others(m, call, error, outputs);
    }
    if (htp_recording_has_lost_float(m, &call->inputs)) {
        error = htp_arena_printf(m->arena,
                                 "%s; torch.jit.save wrote the tensor's fill value as an int, so "
                                 "libtorch makes a tensor of ints: give it a dtype where it is "
                                 "made",
                                 error);
    }
    HTP_DO(htp_call_fail(m, call, error, outputs));
    return htp_machine_stop(m, always_gives_the_same(call) ? HTP_RAISES : HTP_BAD_INPUTS,
                            "%s raised %s: %s", call->schema.kind,
                            htp_place_describe(m, call->place), error);
}

htp_outcome htp_call_run(htp_machine *m, htp_call *call, htp_items *outputs)
{
    HTP_DO(htp_memory_refuse_lasting(m, call));
    if (!htp_items_all(&call->inputs, is_known)) {
        return htp_call_fail(m, call, "", outputs);
    }
    const char *refusal = NULL;
    HTP_DO(htp_call_find_refusal(m, call, &refusal));
    if (refusal) {
        return htp_call_fail(m, call, refusal, outputs);
    }
    HTP_DO(htp_call_check_parts(m, call));
    htp_items made = {0};
    bool may_stay = htp_call_note_move(m, call);
    m->budget.is_exceeded = false;
    htp_outcome outcome = run_known(m, call, &made);
    if (m->budget.is_exceeded) {
        return htp_machine_refuse(m, call->place, "%s: %s", call->schema.kind, m->message);
    }
    if (outcome == HTP_FAILS || outcome == HTP_NO_KERNEL || outcome == HTP_TOO_LARGE) {
        outcome = run_otherwise(m, call, m->message, &made);
    }
    if (HTP_IS_UNSUPPORTED(outcome)) {
        return htp_call_fail_on_data(m, call, m->message, outputs);
    }
    if (may_stay && made.count > 0 && htp_is_tensor(made.items[0])) {
        htp_memory_note_sharing(m, made.items[0], htp_memory_of(call->inputs.items[0]));
    }
    *outputs = made;
    return outcome == HTP_GOES_ON
               ? htp_machine_charge_made(m, call->schema.kind, &made, call->place)
               : outcome;
}
