/*
 * Records the results of an operator.
 */
#include "interpret/lanes/call_facts.h"
#include "interpret/lanes/devices.h"
#include "interpret/lanes/elsewhere.h"
#include "interpret/lanes/execute.h"
#include "interpret/machine/costs.h"
#include "interpret/memory/memory.h"
#include "interpret/sizes/sizes.h"

#include <string.h>

/* ---- nodes ---- */

static void name_output(const htp_machine *m, const htp_call *call, size_t index, htp_item *output)
{
    if (call->node && index < call->node->output_count) {
        const htp_program_function *function = &m->program->functions[call->place->function];
        output->name = function->values[call->node->outputs[index]].name;
    }
}

static htp_outcome record(htp_machine *m, const htp_call *call, const htp_items *outputs,
                          const char *failure, uint32_t *number)
{
    if (m->recording.nodes.count >= htp_limit_value(m->limits, HTP_LIMIT_OPERATORS)) {
        return htp_machine_exceed(m, HTP_LIMIT_OPERATORS, call->place, "%s() runs without end",
                                  m->method);
    }
    size_t input_count = call->inputs.count;
    uint32_t *inputs = HTP_NEW_ARRAY(m->arena, uint32_t, input_count);
    const char **names = HTP_NEW_ARRAY(m->arena, const char *, input_count);
    for (size_t i = 0; i < input_count; i++) {
        inputs[i] = call->inputs.items[i]->id;
        names[i] = i < call->schema.argument_count ? call->schema.arguments[i].name : "";
    }
    uint32_t *ids = HTP_NEW_ARRAY(m->arena, uint32_t, outputs->count);
    for (size_t i = 0; i < outputs->count; i++) {
        ids[i] = outputs->items[i]->id;
        name_output(m, call, i, outputs->items[i]);
    }
    const htp_recorded_node node = {.kind = call->schema.kind,
                                    .schema = call->schema_number,
                                    .inputs = inputs,
                                    .input_names = names,
                                    .input_count = (uint32_t)input_count,
                                    .outputs = ids,
                                    .output_count = (uint32_t)outputs->count,
                                    .place = *call->place,
                                    .failure = failure,
                                    .block = m->recording.block};
    *number = htp_recording_add(m, &node);
    return HTP_GOES_ON;
}

/* ---- operators with unknown outputs ---- */

htp_outcome htp_call_fail(htp_machine *m, htp_call *call, const char *reason, htp_items *outputs)
{
    htp_items made = {0};
    size_t count = htp_call_output_count(m, call);
    for (size_t i = 0; i < count; i++) {
        htp_items_push(m, &made, htp_item_make(m, HTP_ITEM_UNKNOWN));
    }
    uint32_t node = HTP_NONE;
    HTP_DO(record(m, call, &made, reason, &node));
    HTP_DO(htp_memory_note_failed_changes(m, call, node));
    *outputs = made;
    return HTP_GOES_ON;
}

htp_outcome htp_call_fail_on_data(htp_machine *m, htp_call *call, const char *reason,
                                  htp_items *outputs)
{
    HTP_DO(htp_call_fail(m, call, reason, outputs));
    return m->sizes.has_flats
               ? htp_machine_stop(m, HTP_BAD_INPUTS, "%s raised %s: %s", call->schema.kind,
                                  htp_place_describe(m, call->place), reason)
               : HTP_GOES_ON;
}

/* ---- unknown numbers ---- */

/* A data-dependent size instead of an int. */
static htp_outcome make_up(htp_machine *m, const htp_call *call, htp_item *item)
{
    if (call->inputs.count == 0) {
        return htp_machine_stop(m, HTP_FAILS, "%s is given 0 operands", call->schema.kind);
    }
    const htp_item *source = call->inputs.items[0];
    htp_trace_size size;
    HTP_DO(htp_is_tensor(source)
               ? htp_sizes_number_in(m, source, call->base_name, &size)
               : htp_sizes_of(m, htp_coinciding_formula(m, call), call->base_name, &size));
    htp_item_take_size(m, item, &size);
    return HTP_GOES_ON;
}

static htp_outcome make_unknown_number(htp_machine *m, const htp_call *call, size_t index,
                                       htp_item **output)
{
    uint32_t type = htp_call_output_type(m, call, index);
    htp_type_kind kind = type == HTP_NONE ? HTP_TYPE_OTHER : m->program->types[type].kind;
    bool reads =
        kind == HTP_TYPE_NUMBER && call->inputs.count > 0 && htp_is_tensor(call->inputs.items[0]);
    int32_t read = reads ? htp_tensor_in(call->inputs.items[0], 0)->type : HTP_SCALAR_FLOAT;
    bool is_bool = kind == HTP_TYPE_BOOL || read == HTP_SCALAR_BOOL;
    *output = is_bool ? htp_item_bool(m, false) : htp_item_float(m, 0);
    (*output)->known = HTP_KNOWN_OPEN;
    return kind == HTP_TYPE_INT || htp_type_is_whole(read) ? make_up(m, call, *output)
                                                           : HTP_GOES_ON;
}

htp_outcome htp_call_make_unknown_numbers(htp_machine *m, htp_call *call, htp_items *outputs)
{
    htp_items made = {0};
    size_t count = htp_call_output_count(m, call);
    for (size_t i = 0; i < count; i++) {
        htp_item *output = NULL;
        HTP_DO(make_unknown_number(m, call, i, &output));
        htp_items_push(m, &made, output);
    }
    uint32_t node = HTP_NONE;
    HTP_DO(record(m, call, &made, NULL, &node));
    *outputs = made;
    return HTP_GOES_ON;
}

/* ---- items for results ---- */

/* A result in all lanes. */
typedef struct result {
    htp_operand lane[HTP_MAX_LANES];
    htp_mode mode;
    bool is_constant; /* as far as the inputs of the operator show */
} result;

/* A value has one kind, rank and dtype at all sizes. */
static htp_outcome require_same_kind(htp_machine *m, const result *of)
{
    const htp_operand *first = &of->lane[0];
    for (uint32_t lane = 1; lane < m->lane_count; lane++) {
        if (of->lane[lane].kind != first->kind) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "its output's type depends on a dynamic axis");
        }
    }
    if (first->kind != HTP_OPERAND_TENSOR) {
        return HTP_GOES_ON;
    }
    if (first->as.tensor->rank > HTP_MAX_RANK) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "its output has more than %u dims",
                                HTP_MAX_RANK);
    }
    for (uint32_t lane = 1; lane < m->lane_count; lane++) {
        const htp_runner_tensor *other = of->lane[lane].as.tensor;
        if (other->rank != first->as.tensor->rank || other->type != first->as.tensor->type) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "its output's rank or dtype depends on a dynamic axis");
        }
    }
    return HTP_GOES_ON;
}

static htp_outcome wrap(htp_machine *m, const result *of, htp_item **item);

static htp_outcome wrap_elements(htp_machine *m, const result *of, htp_item **item)
{
    uint32_t count = of->lane[0].count;
    for (uint32_t lane = 1; lane < m->lane_count; lane++) {
        if (of->lane[lane].count != count) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "the length of a list depends on a dynamic dim");
        }
    }
    htp_items elements = {0};
    for (uint32_t i = 0; i < count; i++) {
        result element = *of;
        for (uint32_t lane = 0; lane < m->lane_count; lane++) {
            element.lane[lane] = of->lane[lane].as.elements[i];
        }
        htp_item *wrapped = NULL;
        HTP_DO(wrap(m, &element, &wrapped));
        htp_items_push(m, &elements, wrapped);
    }
    bool is_list = of->lane[0].kind == HTP_OPERAND_LIST;
    *item = htp_item_hold(m, is_list ? HTP_ITEM_LIST : HTP_ITEM_TUPLE, &elements);
    return HTP_GOES_ON;
}

static htp_item *put_in_lanes(htp_machine *m, const result *of, htp_item_kind kind)
{
    htp_item *item = htp_item_make(m, kind);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        item->lane[lane] = of->lane[lane];
    }
    return item;
}

/* Some operators return real tensors for meta operands: a tensor of sizes. */
static htp_outcome wrap_tensor(htp_machine *m, const result *of, htp_item **item)
{
    *item = put_in_lanes(m, of, HTP_ITEM_TENSOR);
    if (!of->lane[0].as.tensor->is_real) {
        (*item)->known = HTP_KNOWN_OPEN;
        return HTP_GOES_ON;
    }
    (*item)->known = HTP_KNOWN_SIZED;
    return of->is_constant || of->mode == HTP_MODE_SIZES ? htp_item_note_contents(m, *item)
                                                         : HTP_GOES_ON;
}

/* A number read off meta tensors depends on their sizes; it is constant if all lanes agree. */
static htp_item *wrap_plain(htp_machine *m, const result *of)
{
    htp_item *item = put_in_lanes(m, of, HTP_ITEM_PLAIN);
    bool is_constant = of->is_constant || of->mode == HTP_MODE_SIZES;
    for (uint32_t lane = 0; of->mode == HTP_MODE_SIZES && lane < m->lane_count; lane++) {
        is_constant = is_constant && htp_operand_is_equal(m->runner, &of->lane[lane], &of->lane[0]);
    }
    item->known = is_constant ? HTP_KNOWN_CONSTANT : HTP_KNOWN_SIZED;
    return item;
}

static htp_outcome wrap(htp_machine *m, const result *of, htp_item **item)
{
    HTP_DO(require_same_kind(m, of));
    switch (of->lane[0].kind) {
    case HTP_OPERAND_LIST:
    case HTP_OPERAND_TUPLE:
        return wrap_elements(m, of, item);
    case HTP_OPERAND_TENSOR:
        return wrap_tensor(m, of, item);
    case HTP_OPERAND_NONE: /* an output that was not requested */
        *item = htp_item_none(m);
        return HTP_GOES_ON;
    case HTP_OPERAND_INT:
    case HTP_OPERAND_FLOAT:
    case HTP_OPERAND_BOOL:
    case HTP_OPERAND_STRING:
    case HTP_OPERAND_DEVICE:
    case HTP_OPERAND_OTHER:
    case HTP_OPERAND_OBJECT:
        break;
    }
    *item = wrap_plain(m, of);
    return HTP_GOES_ON;
}

/* ---- what is known about results ---- */

static bool is_filled(const htp_item *item)
{
    return !htp_is_tensor(item) || htp_tensor_in(item, 0)->elements != 0;
}

/* Some of libtorch's meta kernels give empty outputs by mistake. Only views, and outputs of
 * operators with empty operands or none, are believed to be empty. */
static bool knows_empty(const htp_call *call, size_t output)
{
    bool any_tensor = false;
    for (size_t i = 0; i < call->inputs.count; i++) {
        any_tensor = any_tensor || htp_item_has_tensors(call->inputs.items[i]);
    }
    return !any_tensor || !htp_items_all(&call->inputs, is_filled) ||
           (output < call->schema.return_count && call->schema.returns[output].is_alias);
}

static htp_outcome settle(htp_machine *m, htp_item *item)
{
    for (size_t i = 0; i < item->elements.count; i++) {
        HTP_DO(settle(m, item->elements.items[i]));
    }
    if (!htp_is_tensor(item) || htp_is_real(item)) {
        return HTP_GOES_ON;
    }
    HTP_DO(htp_item_settle_empty(m, item));
    return htp_is_real(item) ? htp_item_note_contents(m, item) : HTP_GOES_ON;
}

/* Whether a lane differs from the first one; contents that are not constant may differ. */
static bool differs(const htp_machine *m, const htp_item *item, uint32_t lane)
{
    if (htp_is_tensor(item)) {
        return item->known == HTP_KNOWN_SIZED ||
               !htp_tensor_has_same_dims(htp_tensor_in(item, lane), htp_tensor_in(item, 0));
    }
    return item->kind == HTP_ITEM_PLAIN &&
           !htp_operand_is_equal(m->runner, &item->lane[lane], &item->lane[0]);
}

/* Whether output sizes depend on the first operand alone, whose sizes are not data-dependent. */
static bool has_known_sizes(const htp_call *call)
{
    bool by_first = htp_call_has_fact(call, HTP_FACT_SIZED_BY_FIRST) ||
                    (call->schema.argument_count > 0 && call->schema.arguments[0].is_written);
    return by_first && call->inputs.count > 0 && htp_is_tensor(call->inputs.items[0]) &&
           !htp_is_data(call->inputs.items[0]);
}

/* Marks the dims of an output that differ between lanes. */
static void mark_data(const htp_machine *m, const htp_call *call, htp_item *item)
{
    for (size_t i = 0; i < item->elements.count; i++) {
        mark_data(m, call, item->elements.items[i]);
    }
    if (htp_is_tensor(item) && !htp_is_real(item) && has_known_sizes(call)) {
        return;
    }
    bool is_data = false;
    for (uint32_t lane = 1; lane < m->lane_count && !is_data; lane++) {
        is_data = differs(m, item, lane);
    }
    if (is_data) {
        item->known =
            htp_is_tensor(item) && !htp_is_real(item) ? HTP_KNOWN_OPEN_SIZES : HTP_KNOWN_MADE_UP;
    }
}

/* ---- recording them ---- */

static htp_outcome make_output(htp_machine *m, const htp_call *call, const result *of, size_t index,
                               bool is_data, htp_item **output)
{
    HTP_DO(wrap(m, of, output));
    if (knows_empty(call, index)) {
        HTP_DO(settle(m, *output));
    }
    if (is_data) {
        mark_data(m, call, *output);
    }
    return HTP_GOES_ON;
}

static void set_producer(htp_items *elements, uint32_t node)
{
    for (size_t i = 0; i < elements->count; i++) {
        elements->items[i]->producer = node;
    }
}

static void note_stepped(htp_machine *m, const htp_call *call, htp_items *outputs, bool is_stepped)
{
    bool is_slice = strcmp(call->schema.name, "aten::slice") == 0;
    const htp_item *follows = is_stepped ? htp_coinciding_follows(m, call) : NULL;
    for (size_t i = 0; i < outputs->count; i++) {
        htp_item *output = outputs->items[i];
        bool tells_size = is_slice || htp_is_number(output) || htp_is_real(output);
        output->is_stepped = is_stepped && !htp_is_constant(output) && tells_size;
        output->follows = !output->is_stepped ? NULL : follows ? follows : output;
    }
}

/* The lanes in which the value of an item, or of an element of a list, is made up. */
static uint32_t absent_lanes(const htp_item *item)
{
    uint32_t absent = item->absent;
    for (size_t i = 0; i < item->elements.count; i++) {
        absent |= item->elements.items[i]->absent;
    }
    return absent;
}

/* What is computed of a made-up value is made up, too. */
static void note_absent(const htp_call *call, const htp_items *outputs)
{
    uint32_t absent = call->absent;
    for (size_t i = 0; i < call->inputs.count; i++) {
        absent |= absent_lanes(call->inputs.items[i]);
    }
    for (size_t i = 0; absent && i < outputs->count; i++) {
        htp_item *output = outputs->items[i];
        output->absent = absent;
        for (size_t k = 0; k < output->elements.count; k++) {
            output->elements.items[k]->absent = absent;
        }
    }
}

htp_outcome htp_call_make_outputs(htp_machine *m, htp_call *call, htp_mode mode,
                                  const htp_lanes *results, bool decides, htp_items *outputs)
{
    bool is_data = decides || htp_items_have_data(&call->inputs);
    bool is_constant =
        !htp_call_is_nondeterministic(call) && (htp_items_all(&call->inputs, htp_is_settled) ||
                                                htp_call_has_fact(call, HTP_FACT_TELLS_TYPE));
    htp_call_elsewhere elsewhere;
    HTP_DO(htp_elsewhere_ask(m, call, &elsewhere));
    const char *refusal = htp_elsewhere_refusal(m, call, results, &elsewhere);
    if (refusal) {
        return htp_call_fail(m, call, refusal, outputs);
    }
    htp_items made = {0};
    for (size_t i = 0; i < results->count; i++) {
        result of = {.mode = mode, .is_constant = is_constant};
        for (uint32_t lane = 0; lane < m->lane_count; lane++) {
            of.lane[lane] = results->lane[lane][i];
        }
        htp_item *output = NULL;
        HTP_DO(make_output(m, call, &of, i, is_data, &output));
        htp_items_push(m, &made, output);
    }
    uint32_t node = HTP_NONE;
    HTP_DO(record(m, call, &made, NULL, &node));
    note_stepped(m, call, &made, htp_coinciding_is_stepped(m, call, results));
    for (size_t i = 0; i < made.count; i++) {
        set_producer(&made.items[i]->elements, node);
    }
    note_absent(call, &made);
    htp_call_place(m, call, &made);
    HTP_DO(htp_elsewhere_note(m, call, &elsewhere, &made));
    HTP_DO(htp_memory_note_views(m, call, &made));
    HTP_DO(htp_memory_note_changes(m, call, &made));
    *outputs = made;
    return HTP_GOES_ON;
}
