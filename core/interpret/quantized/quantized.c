#include "interpret/quantized/quantized.h"

#include "interpret/lanes/call_facts.h"

#include <string.h>

static const char *const per_channel =
    "tensors with a scale for each channel can only be dequantised";

bool htp_quantized_is(const htp_item *item)
{
    bool is = item->levels != NULL;
    for (size_t i = 0; htp_is_container(item) && i < item->elements.count && !is; i++) {
        is = htp_quantized_is(item->elements.items[i]);
    }
    return is;
}

static htp_outcome require_constant(htp_machine *m, const htp_item *item)
{
    bool is_known = htp_is_constant(item) && (!htp_is_tensor(item) || htp_is_real(item));
    if (!is_known && item->weight == HTP_NONE) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "its scale or zero point depends on the model's input");
    }
    return HTP_GOES_ON;
}

static htp_outcome levels_of(htp_machine *m, const htp_item *item, const htp_levels **levels)
{
    *levels = item->levels;
    return *levels
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_UNSUPPORTED, "a tensor that it needs is not quantised");
}

static htp_outcome require_one_scale(htp_machine *m, const htp_item *item)
{
    const htp_levels *levels;
    HTP_DO(levels_of(m, item, &levels));
    return levels->axis < 0 ? HTP_GOES_ON : htp_machine_stop(m, HTP_UNSUPPORTED, "%s", per_channel);
}

static htp_outcome require_count(htp_machine *m, const htp_call *call, size_t count)
{
    return call->inputs.count >= count
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_FAILS, "it is given too few operands");
}

static htp_outcome require_tensor(htp_machine *m, const htp_item *item)
{
    return htp_is_tensor(item) ? HTP_GOES_ON
                               : htp_machine_stop(m, HTP_FAILS, "a tensor is expected");
}

static const htp_levels *keep(htp_machine *m, htp_levels levels)
{
    htp_levels *kept = HTP_NEW(m->arena, htp_levels);
    *kept = levels;
    return kept;
}

/* An output like input 0 with other sizes or another type. @param last_size  -1: that of input 0 */
static htp_outcome make_like(htp_machine *m, htp_call *call, int32_t type, int64_t last_size,
                             htp_items *outputs)
{
    HTP_DO(require_tensor(m, call->inputs.items[0]));
    htp_lanes results = htp_lanes_make(m, 1);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *given = htp_tensor_in(call->inputs.items[0], lane);
        int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, (size_t)given->rank + 1);
        for (uint32_t i = 0; i < given->rank; i++) {
            dims[i] = given->dims[i];
        }
        if (last_size >= 0 && given->rank > 0) {
            dims[given->rank - 1] = last_size;
        }
        htp_operand *made = &results.lane[lane][0];
        made->kind = HTP_OPERAND_TENSOR;
        HTP_DO(htp_tensor_empty(m, type, dims, given->rank, &made->as.tensor));
    }
    return htp_call_make_outputs(m, call, HTP_MODE_SIZES, &results, false, outputs);
}

/* The integer type that stores a quantised type. */
static htp_outcome type_of_levels(htp_machine *m, const htp_item *asked, int32_t *type)
{
    int64_t number = htp_is_constant(asked) && htp_is_int(asked) ? asked->lane[0].as.i : -1;
    *type = number == HTP_SCALAR_QINT8 ? HTP_SCALAR_CHAR : HTP_SCALAR_BYTE;
    return number == HTP_SCALAR_QINT8 || number == HTP_SCALAR_QUINT8
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_UNSUPPORTED,
                                  "only levels of 8 bits (qint8, quint8) are supported");
}

static htp_outcome require_known_number(htp_machine *m, const htp_item *item)
{
    if (!htp_is_constant(item)) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a number that it needs depends on the data");
    }
    return htp_is_int(item) ? HTP_GOES_ON : htp_machine_stop(m, HTP_FAILS, "an int is expected");
}

/* quantize_per_tensor(self, scale, zero_point, dtype),
 * quantize_per_channel(self, scales, zero_points, axis, dtype) */
static htp_outcome quantize(htp_machine *m, htp_call *call, htp_items *outputs)
{
    bool has_channels = strcmp(call->schema.name, "aten::quantize_per_channel") == 0;
    HTP_DO(require_count(m, call, has_channels ? 5 : 4));
    htp_item *const *inputs = call->inputs.items;
    if (!htp_is_tensor(inputs[0])) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "lists of tensors are not supported");
    }
    const htp_runner_tensor *given = htp_tensor_in(inputs[0], 0);
    if (given->type != HTP_SCALAR_FLOAT) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "it takes tensors of float32 only");
    }
    htp_levels made = {inputs[1], inputs[2], -1};
    HTP_DO(require_constant(m, made.scale));
    HTP_DO(require_constant(m, made.zero_point));
    if (has_channels) {
        HTP_DO(require_known_number(m, inputs[3]));
        int64_t axis = inputs[3]->lane[0].as.i;
        made.axis = (int32_t)(axis < 0 ? axis + given->rank : axis);
    }
    int32_t type;
    HTP_DO(type_of_levels(m, inputs[call->inputs.count - 1], &type));
    HTP_DO(make_like(m, call, type, -1, outputs));
    outputs->items[0]->levels = keep(m, made);
    return HTP_GOES_ON;
}

static htp_outcome dequantize(htp_machine *m, htp_call *call, htp_items *outputs)
{
    const htp_levels *levels;
    HTP_DO(levels_of(m, call->inputs.items[0], &levels));
    return make_like(m, call, HTP_SCALAR_FLOAT, -1, outputs);
}

static htp_outcome int_repr(htp_machine *m, htp_call *call, htp_items *outputs)
{
    const htp_levels *levels;
    HTP_DO(levels_of(m, call->inputs.items[0], &levels));
    HTP_DO(require_tensor(m, call->inputs.items[0]));
    return make_like(m, call, htp_tensor_in(call->inputs.items[0], 0)->type, -1, outputs);
}

/* q_scale(), q_zero_point(): known numbers. */
static htp_outcome number_of_levels(htp_machine *m, htp_call *call, htp_items *outputs)
{
    const htp_levels *own;
    HTP_DO(levels_of(m, call->inputs.items[0], &own));
    bool is_scale = strcmp(call->schema.name, "aten::q_scale") == 0;
    const htp_item *item = is_scale ? own->scale : own->zero_point;
    if (own->axis >= 0 || (htp_is_tensor(item) && !htp_is_real(item))) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "its scale is not a known number");
    }
    double number;
    HTP_DO(htp_quantized_number(m, item, &number));
    htp_items_push(m, outputs,
                   is_scale ? htp_item_float(m, number) : htp_item_int(m, (int64_t)number));
    return HTP_GOES_ON;
}

/* The broadcast sizes of two tensors. */
static htp_outcome broadcast(htp_machine *m, const htp_runner_tensor *a, const htp_runner_tensor *b,
                             htp_operand *made)
{
    const htp_runner_tensor *longer = a->rank >= b->rank ? a : b;
    const htp_runner_tensor *shorter = longer == a ? b : a;
    uint32_t first = longer->rank - shorter->rank;
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, (size_t)longer->rank + 1);
    for (uint32_t i = 0; i < longer->rank; i++) {
        int64_t size = longer->dims[i];
        int64_t other = i < first ? 1 : shorter->dims[i - first];
        if (size != other && size != 1 && other != 1) {
            return htp_machine_stop(m, HTP_FAILS,
                                    "The size of tensor a (%lld) must match the size of tensor b "
                                    "(%lld) at non-singleton dimension %u",
                                    (long long)(longer == a ? size : other),
                                    (long long)(longer == a ? other : size), i);
        }
        dims[i] = size == 1 ? other : size;
    }
    made->kind = HTP_OPERAND_TENSOR;
    return htp_tensor_empty(m, a->type, dims, longer->rank, &made->as.tensor);
}

/* add(qa, qb, scale, zero_point), mul(qa, qb, scale, zero_point) */
static htp_outcome level_arithmetic(htp_machine *m, htp_call *call, htp_items *outputs)
{
    HTP_DO(require_count(m, call, 4));
    htp_item *const *inputs = call->inputs.items;
    const htp_levels made = {inputs[2], inputs[3], -1};
    HTP_DO(require_one_scale(m, inputs[0]));
    HTP_DO(require_one_scale(m, inputs[1]));
    HTP_DO(require_constant(m, made.scale));
    HTP_DO(require_constant(m, made.zero_point));
    HTP_DO(require_tensor(m, inputs[0]));
    HTP_DO(require_tensor(m, inputs[1]));
    int32_t type = htp_tensor_in(inputs[0], 0)->type;
    if (type != htp_tensor_in(inputs[1], 0)->type) {
        return htp_machine_stop(m, HTP_FAILS, "its operands are of two dtypes");
    }
    bool are_plain;
    const htp_levels *const of[] = {inputs[0]->levels, inputs[1]->levels, &made};
    HTP_DO(htp_levels_are_plain(m, call, type, of, &are_plain));
    if (!are_plain) {
        return htp_machine_stop(
            m, HTP_UNSUPPORTED,
            "with these scales libtorch rounds some levels in more than one way");
    }
    htp_lanes results = htp_lanes_make(m, 1);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        HTP_DO(broadcast(m, htp_tensor_in(inputs[0], lane), htp_tensor_in(inputs[1], lane),
                         &results.lane[lane][0]));
    }
    HTP_DO(htp_call_make_outputs(m, call, HTP_MODE_SIZES, &results, false, outputs));
    outputs->items[0]->levels = keep(m, made);
    return HTP_GOES_ON;
}

static htp_outcome join_in_lanes(htp_machine *m, const htp_items *parts, const htp_item *dim,
                                 htp_lanes *results)
{
    *results = htp_lanes_make(m, 1);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        htp_operand *tensors = HTP_NEW_ARRAY(m->arena, htp_operand, parts->count);
        for (size_t i = 0; i < parts->count; i++) {
            tensors[i] = parts->items[i]->lane[lane];
        }
        htp_operand list = {.kind = HTP_OPERAND_LIST,
                            .count = (uint32_t)parts->count,
                            .type = HTP_NONE,
                            .as.elements = tensors};
        const htp_operand operands[] = {list, dim->lane[lane]};
        const htp_operand *made;
        uint32_t count;
        HTP_DO(htp_kernel_run(m, "aten::cat", "", HTP_RUN_SIZES, operands, 2, &made, &count));
        if (count != 1 || made->kind != HTP_OPERAND_TENSOR) {
            return htp_machine_stop(m, HTP_FAILS, "cat() gives no tensor");
        }
        results->lane[lane][0] = *made;
    }
    return HTP_GOES_ON;
}

/* aten::cat(tensors, dim), with the scale of the first one; quantized::cat(qx, dim, scale?,
 * zero_point?) */
static htp_outcome cat_levels(htp_machine *m, htp_call *call, htp_items *outputs)
{
    HTP_DO(require_count(m, call, 2));
    htp_item *const *inputs = call->inputs.items;
    const htp_items *parts = &inputs[0]->elements;
    if (parts->count == 0) {
        return htp_machine_stop(m, HTP_FAILS, "cat() of no tensors");
    }
    const htp_levels *first;
    HTP_DO(levels_of(m, parts->items[0], &first));
    htp_levels made = *first;
    for (size_t i = 0; i < parts->count; i++) {
        HTP_DO(require_one_scale(m, parts->items[i]));
    }
    if (call->inputs.count == 4 && !htp_is_none(inputs[2])) {
        made.scale = inputs[2];
    }
    if (call->inputs.count == 4 && !htp_is_none(inputs[3])) {
        made.zero_point = inputs[3];
    }
    HTP_DO(require_constant(m, made.scale));
    HTP_DO(require_constant(m, made.zero_point));
    HTP_DO(require_known_number(m, inputs[1]));
    htp_lanes results;
    HTP_DO(join_in_lanes(m, parts, inputs[1], &results));
    HTP_DO(htp_call_make_outputs(m, call, HTP_MODE_SIZES, &results, false, outputs));
    outputs->items[0]->levels = keep(m, made);
    return HTP_GOES_ON;
}

/* Whether the features of an input fit a weight in all lanes. */
static htp_outcome check_features(htp_machine *m, const htp_item *input, const htp_item *weight)
{
    HTP_DO(require_tensor(m, input));
    const htp_runner_tensor *w = htp_tensor_in(weight, 0);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *x = htp_tensor_in(input, lane);
        if (w->rank < 2 || x->rank == 0 || x->dims[x->rank - 1] != w->dims[1]) {
            return htp_machine_stop(m, HTP_FAILS,
                                    "the features of its input do not fit its weight");
        }
    }
    return HTP_GOES_ON;
}

/* The node gets the weights instead of the packed object. */
static void unfold_node(htp_machine *m, const htp_call *call, const htp_packed_weights *packed,
                        uint32_t number)
{
    htp_recorded_node *node = &m->recording.nodes.items[number];
    const htp_item *const parts[] = {packed->weight, packed->scale, packed->zero_point,
                                     packed->bias};
    static const char *const part_names[] = {"weight", "weight_scale", "weight_zero_point", "bias"};
    enum { PARTS = sizeof(parts) / sizeof(parts[0]) };
    size_t count = 1 + PARTS + call->inputs.count - 2;
    uint32_t *inputs = HTP_NEW_ARRAY(m->arena, uint32_t, count);
    const char **names = HTP_NEW_ARRAY(m->arena, const char *, count);
    inputs[0] = node->inputs[0];
    names[0] = "X";
    for (size_t i = 0; i < PARTS; i++) {
        inputs[1 + i] = parts[i]->id;
        names[1 + i] = part_names[i];
    }
    for (size_t i = 2; i < call->inputs.count; i++) {
        inputs[PARTS + i - 1] = call->inputs.items[i]->id;
        names[PARTS + i - 1] = call->schema.arguments[i].name;
    }
    node->inputs = inputs;
    node->input_names = names;
    node->input_count = (uint32_t)count;
}

/* linear(X, W_prepack, Y_scale_i, Y_zero_point_i), linear_dynamic(X, W_prepack, reduce_range) */
static htp_outcome packed_linear(htp_machine *m, htp_call *call, htp_items *outputs)
{
    const htp_runner_facts *facts = m->runner->facts(m->runner->self);
    if (!facts->knows_engine) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "this libtorch computes it with %s, whose rounding is unknown",
                                facts->engine);
    }
    HTP_DO(require_count(m, call, 3));
    htp_item *const *inputs = call->inputs.items;
    const htp_packed_weights *packed;
    HTP_DO(htp_packed_find(m, inputs[1], "quantized::linear_unpack", &packed));
    bool is_dynamic = call->inputs.count == 3;
    if (!is_dynamic) {
        const htp_levels *levels;
        HTP_DO(levels_of(m, inputs[0], &levels));
        HTP_DO(require_constant(m, inputs[2]));
        HTP_DO(require_constant(m, inputs[3]));
    } else if (htp_quantized_is(inputs[0]) || !htp_is_tensor(inputs[0]) ||
               htp_tensor_in(inputs[0], 0)->type != HTP_SCALAR_FLOAT) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "it takes tensors of float32 only");
    }
    HTP_DO(check_features(m, inputs[0], packed->weight));
    int64_t features = htp_tensor_in(packed->weight, 0)->dims[0];
    HTP_DO(make_like(m, call, is_dynamic ? HTP_SCALAR_FLOAT : HTP_SCALAR_BYTE, features, outputs));
    unfold_node(m, call, packed, outputs->items[0]->producer);
    if (!is_dynamic) {
        outputs->items[0]->levels = keep(m, (htp_levels){inputs[2], inputs[3], -1});
    }
    return HTP_GOES_ON;
}

/* ---- which operators ---- */

typedef htp_outcome rule(htp_machine *m, htp_call *call, htp_items *outputs);

static rule *find_rule(const char *name)
{
    static const struct {
        const char *name;
        rule *rule;
    } rules[] = {
        {"aten::quantize_per_tensor", quantize},
        {"aten::quantize_per_channel", quantize},
        {"aten::q_scale", number_of_levels},
        {"aten::q_zero_point", number_of_levels},
        {"aten::dequantize", dequantize},
        {"aten::int_repr", int_repr},
        {"aten::cat", cat_levels},
        {"quantized::cat", cat_levels},
        {"quantized::add", level_arithmetic},
        {"quantized::add_relu", level_arithmetic},
        {"quantized::mul", level_arithmetic},
        {"quantized::mul_relu", level_arithmetic},
        {"quantized::linear", packed_linear},
        {"quantized::linear_relu", packed_linear},
        {"quantized::linear_dynamic", packed_linear},
        {"quantized::linear_relu_dynamic", packed_linear},
    };
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (strcmp(rules[i].name, name) == 0) {
            return rules[i].rule;
        }
    }
    return NULL;
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Checks all other operators: those that keep levels run on the integers. */
static htp_outcome check_others(htp_machine *m, const htp_call *call, bool has_levels)
{
    const char *name = call->schema.name;
    if (begins_with(name, "quantized::conv")) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "libtorch rounds it differently on machines with other "
                                "instructions");
    }
    bool is_own = begins_with(name, "quantized::");
    if (is_own ||
        (has_levels && !htp_call_has_fact(call, HTP_FACT_KEEPS_LEVELS | HTP_FACT_TELLS_SIZE))) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "there is no lowering for it with quantised numbers");
    }
    if (!has_levels) {
        return HTP_GOES_ON;
    }
    const htp_levels *first = call->inputs.items[0]->levels;
    if (!htp_call_has_fact(call, HTP_FACT_TELLS_SIZE) && !first) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "a quantised tensor is not where one is expected");
    }
    if (htp_call_has_fact(call, HTP_FACT_KEEPS_LEVELS) && first && first->axis >= 0) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "%s", per_channel);
    }
    return HTP_GOES_ON;
}

htp_outcome htp_quantized_run(htp_machine *m, htp_call *call, htp_items *outputs, bool *is_done)
{
    const char *name = call->schema.name;
    rule *found = find_rule(name);
    bool is_fake = begins_with(name, "aten::fake_quantize_per_");
    bool has_levels = false;
    for (size_t i = 0; i < call->inputs.count && !has_levels; i++) {
        has_levels = htp_quantized_is(call->inputs.items[i]);
    }
    /* Operators that also work on plain tensors. */
    bool is_other = strcmp(name, "aten::dequantize") == 0 || strcmp(name, "aten::cat") == 0;
    bool is_quantized = found && (has_levels || !is_other);
    *is_done = false;
    if (is_quantized || is_fake) {
        HTP_DO(htp_rounding_find(m));
    }
    if (is_quantized && call->inputs.count > 0) {
        *is_done = true;
        return found(m, call, outputs);
    }
    return check_others(m, call, has_levels);
}

void htp_quantized_keep(const htp_call *call, const htp_items *outputs)
{
    const htp_levels *own = call->inputs.count > 0 ? call->inputs.items[0]->levels : NULL;
    if (!own || !htp_call_has_fact(call, HTP_FACT_KEEPS_LEVELS)) {
        return;
    }
    for (size_t i = 0; i < outputs->count; i++) {
        if (htp_is_tensor(outputs->items[i])) {
            outputs->items[i]->levels = own;
        }
    }
}
