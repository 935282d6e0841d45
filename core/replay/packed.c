/*
 * Layers whose kernels take packed weights: the trace has their levels, scales and zero points, of
 * which an object is made that the kernel takes.
 */
#include "replay/run.h"

#include <string.h>

static const struct {
    const char *name;
    const char *argument; /* the object */
    const char *packer;
} layers[] = {
    {"quantized::linear", "W_prepack", "quantized::linear_prepack"},
    {"quantized::linear_dynamic", "W_prepack", "quantized::linear_prepack"},
    {"quantized::linear_relu", "W_prepack", "quantized::linear_prepack"},
    {"quantized::linear_relu_dynamic", "W_prepack", "quantized::linear_prepack"},
};

static const char *find_packer(const char *name, const char *argument)
{
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
        if (strcmp(layers[i].name, name) == 0 && strcmp(layers[i].argument, argument) == 0) {
            return layers[i].packer;
        }
    }
    return NULL;
}

static bool read_named(htp_replay_state *state, const htp_trace_node *node, const char *name,
                       htp_operand *operand)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (strcmp(node->input_names[i], name) == 0) {
            return htp_replay_read(state, node->inputs[i], operand);
        }
    }
    return htp_replay_fails(state, "its packed weights are not known");
}

/* Runs an operator with one result. */
static bool compute(htp_replay_state *state, const char *kind, const htp_operand *inputs,
                    uint32_t count, htp_operand *made)
{
    const htp_operand *outputs = NULL;
    uint32_t output_count = 0;
    uint32_t schema = htp_replay_find(state->replay->means, kind);
    if (schema == HTP_NONE) {
        return htp_replay_fails(state, "this libtorch cannot pack its weights");
    }
    bool is_made =
        htp_replay_call(state, schema, inputs, count, &outputs, &output_count) && output_count == 1;
    if (!is_made) {
        return htp_replay_fails(state, "its packed weights cannot be made");
    }
    *made = outputs[0];
    return true;
}

/* A tensor of one number as a number. */
static bool as_number(htp_replay_state *state, const htp_operand *tensor, htp_operand *number)
{
    return compute(state, "aten::item", tensor, 1, number);
}

/* A scale and a zero point for all levels, or for each output channel. */
static bool make_weight(htp_replay_state *state, const htp_operand *levels,
                        const htp_operand *scale, const htp_operand *zero_point,
                        htp_operand *weight)
{
    htp_operand inputs[] = {*levels, *scale, *zero_point, {.kind = HTP_OPERAND_INT}};
    if (scale->kind == HTP_OPERAND_TENSOR && scale->as.tensor->rank == 1) {
        return compute(state, "aten::_make_per_channel_quantized_tensor", inputs, 4, weight);
    }
    return as_number(state, scale, &inputs[1]) && as_number(state, zero_point, &inputs[2]) &&
           compute(state, "aten::_make_per_tensor_quantized_tensor", inputs, 3, weight);
}

bool htp_replay_is_packed(const char *name, const char *argument)
{
    return find_packer(name, argument) != NULL;
}

bool htp_replay_pack(htp_replay_state *state, const htp_trace_node *node, const char *name,
                     const char *argument, htp_operand *object)
{
    const char *packer = find_packer(name, argument);
    htp_operand levels = {.type = HTP_NONE};
    htp_operand scale = levels;
    htp_operand zero_point = levels;
    htp_operand inputs[2] = {levels, levels};
    return packer && read_named(state, node, "weight", &levels) &&
           read_named(state, node, "weight_scale", &scale) &&
           read_named(state, node, "weight_zero_point", &zero_point) &&
           read_named(state, node, "bias", &inputs[1]) &&
           make_weight(state, &levels, &scale, &zero_point, &inputs[0]) &&
           compute(state, packer, inputs, 2, object);
}
