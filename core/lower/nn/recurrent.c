/*
 * Recurrent layers: aten::lstm, gru, rnn_tanh, rnn_relu over padded sequences.
 *
 * Reference: ONNX LSTM, GRU, RNN. Each layer is one node. ONNX orders the gates differently, so
 * nodes split and join the weights; lower/passes/weights.c turns the results into initializers.
 * Runtimes compute these operators in float32 only; float64 becomes loops over cells, see
 * recurrent_steps.c.
 */
#include "lower/nn/recurrent.h"

#include "lower/compose/compose.h"
#include "lower/emit/rows.h"

#include <string.h>

#define MAX_GATES 4

/** A kind of cell. */
typedef struct cell {
    const char *op;
    const char *activation; /* attribute of RNN; NULL: ONNX's default */
    uint32_t gates;
    uint32_t order[MAX_GATES]; /* PyTorch's number of each of ONNX's gates */
    bool has_memory;           /* a second state, c */
} cell;

static const cell cells[] = {
    {"LSTM", NULL, 4, {0, 3, 1, 2}, true},
    {"GRU", NULL, 3, {1, 0, 2, 0}, false},
    {"RNN", "Tanh", 1, {0}, false},
    {"RNN", "Relu", 1, {0}, false},
};

/** Finds the kind by the operator, or an RNN's activation, that the row names. */
static const cell *find_cell(const char *name)
{
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        if (strcmp(name, cells[i].activation ? cells[i].activation : cells[i].op) == 0) {
            return &cells[i];
        }
    }
    return NULL;
}

typedef struct recurrent {
    const cell *cell;
    htp_dtype dtype;
    uint32_t layers;
    uint32_t directions;
    const htp_value_id *weights; /* of every layer and direction: w_ih, w_hh, b_ih, b_hh */
    uint32_t weights_per_set;    /* 4, or 2 without biases */
    int64_t hidden;
    htp_tensor_id states[2]; /* h, and c where there is one: [layers · directions, batch, hidden] */
    htp_tensor_id lengths;   /* of the sequences, or HTP_NONE */
} recurrent;

/** The size of the hidden state: the columns of w_hh. */
static int64_t read_hidden(htp_lowering *l, const recurrent *r)
{
    const htp_trace_value *weight = htp_graph_value(l->graph, r->weights[1]);
    const htp_dim *dims = l->graph->values[r->weights[1]].dims;
    if (weight->kind != HTP_TRACE_TENSOR || weight->rank != 2 || dims[1].symbol) {
        htp_lower_fail(l, "its weights are not matrices of known sizes");
        return 1;
    }
    return dims[1].size;
}

static void read_weights(htp_lowering *l, recurrent *r)
{
    const int64_t most = INT64_C(1) << 16;
    int64_t layers = htp_arg_int(l, "num_layers");
    size_t count = 0;
    r->weights = htp_arg_list(l, "params", &count);
    r->weights_per_set = htp_arg_bool(l, "has_biases") ? 4 : 2;
    r->directions = htp_arg_bool(l, "bidirectional") ? 2 : 1;
    if (layers < 1 || layers > most) {
        htp_lower_fail(l, "%lld layers are not valid", (long long)layers);
        return;
    }
    r->layers = (uint32_t)layers;
    size_t sets = (size_t)r->layers * r->directions;
    if (count != sets * r->weights_per_set) {
        htp_lower_fail(l, "it has %zu weights for %zu layers and directions", count, sets);
    }
    r->hidden = l->failure ? 1 : read_hidden(l, r);
}

static recurrent read_recurrent(htp_lowering *l, htp_dtype dtype)
{
    recurrent r = {.cell = find_cell(l->row->op), .dtype = dtype, .states = {HTP_NONE, HTP_NONE}};
    read_weights(l, &r);
    htp_recurrent_read_states(l, r.cell->has_memory, r.dtype, r.states);
    if (r.layers > 1 && htp_arg_bool(l, "train") && htp_arg_float(l, "dropout") != 0) {
        htp_lower_fail_training(l);
    }
    return r;
}

/** Appends the gates of weight @p which (w_ih, w_hh, b_ih, b_hh) of one direction of a layer, in
 * ONNX's order. @return the new count */
static size_t add_gates(htp_lowering *l, const recurrent *r, uint32_t set, uint32_t which,
                        htp_tensor_id *ordered, size_t count)
{
    htp_tensor_id gates[MAX_GATES];
    htp_value_id weight = r->weights[set * r->weights_per_set + which];
    htp_tensor_id x = htp_value_tensor_as(l, weight, r->dtype);
    if (r->cell->gates == 1) {
        ordered[count] = x;
        return count + 1;
    }
    htp_emit_split(l, x, 0, gates, r->cell->gates);
    for (uint32_t i = 0; i < r->cell->gates; i++) {
        ordered[count + i] = gates[r->cell->order[i]];
    }
    return count + r->cell->gates;
}

/** Weights @p first to @p last of both directions of a layer, concatenated per direction:
 * [directions, gates · hidden, ...]. They are only sliced along their first axis and joined, so
 * that they can be rearranged while the model is written. */
static htp_tensor_id layer_weight(htp_lowering *l, const recurrent *r, uint32_t layer,
                                  uint32_t first, uint32_t last)
{
    const int64_t axis = 0;
    htp_tensor_id sets[2] = {HTP_NONE, HTP_NONE};
    for (uint32_t i = 0; i < r->directions; i++) {
        htp_tensor_id gates[2 * MAX_GATES];
        size_t count = 0;
        for (uint32_t which = first; which <= last; which++) {
            count = add_gates(l, r, layer * r->directions + i, which, gates, count);
        }
        htp_tensor_id all =
            count > 1 ? htp_emit_concat(l, (htp_emit_inputs){gates, count}, 0) : gates[0];
        sets[i] = htp_emit_unsqueeze(l, all, &axis, 1);
    }
    return r->directions == 1 ? sets[0] : htp_emit_concat(l, HTP_IN(sets[0], sets[1]), 0);
}

/** A state of one layer: [directions, batch, hidden]. */
static htp_tensor_id layer_state(htp_lowering *l, const recurrent *r, uint32_t layer, size_t which)
{
    if (r->layers == 1 || r->states[which] == HTP_NONE) {
        return r->states[which];
    }
    return htp_emit_slice(l, r->states[which], 0, (int64_t)layer * r->directions,
                          ((int64_t)layer + 1) * r->directions);
}

/** @return how many there are */
static size_t write_attributes(htp_lowering *l, const recurrent *r, htp_attribute *attributes)
{
    size_t count = 0;
    attributes[count++] = htp_attribute_int("hidden_size", r->hidden);
    attributes[count++] =
        htp_attribute_string("direction", r->directions == 2 ? "bidirectional" : "forward");
    if (r->cell->gates == 3) {
        attributes[count++] = htp_attribute_int("linear_before_reset", 1);
    }
    if (r->cell->activation) {
        const char **names = HTP_NEW_ARRAY(l->arena, const char *, 2);
        names[0] = names[1] = r->cell->activation;
        attributes[count++] = (htp_attribute){.name = "activations",
                                              .kind = HTP_ATTRIBUTE_STRINGS,
                                              .strings = names,
                                              .count = r->directions};
    }
    return count;
}

/**
 * Emits one layer. @param x  [length, batch, features]
 * @param finals  receives the final states, [directions, batch, hidden] each
 * @return [length, batch, directions · hidden]
 */
static htp_tensor_id emit_layer(htp_lowering *l, const recurrent *r, uint32_t layer,
                                htp_tensor_id x, htp_tensor_id finals[2])
{
    htp_tensor_id bias = HTP_NONE;
    if (r->weights_per_set == 4) {
        bias = layer_weight(l, r, layer, 2, 3);
    }
    htp_attribute attributes[4];
    size_t count = write_attributes(l, r, attributes);
    htp_tensor_id outputs[3];
    htp_emit_many(l, r->cell->op,
                  HTP_IN(x, layer_weight(l, r, layer, 0, 0), layer_weight(l, r, layer, 1, 1), bias,
                         r->lengths, layer_state(l, r, layer, 0), layer_state(l, r, layer, 1)),
                  (htp_emit_attributes){attributes, count}, outputs, r->cell->has_memory ? 3 : 2);
    finals[0] = outputs[1];
    finals[1] = r->cell->has_memory ? outputs[2] : HTP_NONE;
    if (r->directions == 1) {
        return htp_emit_squeeze(l, outputs[0], (const int64_t[]){1}, 1);
    }
    x = htp_emit_transpose(l, outputs[0], (const int64_t[]){0, 2, 1, 3}, 4);
    return htp_emit_reshape(l, x, (const int64_t[]){0, 0, 2 * r->hidden}, 3);
}

htp_tensor_id htp_emit_recurrent(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                                 htp_tensor_id lengths)
{
    recurrent r = read_recurrent(l, dtype);
    r.lengths = lengths;
    if (l->failure) {
        return HTP_NONE;
    }
    htp_tensor_id *finals[2];
    for (size_t i = 0; i < 2; i++) {
        finals[i] = HTP_NEW_ARRAY(l->arena, htp_tensor_id, r.layers);
    }
    for (uint32_t i = 0; i < r.layers && !l->failure; i++) {
        htp_tensor_id states[2];
        x = emit_layer(l, &r, i, x, states);
        finals[0][i] = states[0];
        finals[1][i] = states[1];
    }
    for (size_t i = 0; i < (r.cell->has_memory ? 2 : 1); i++) {
        htp_tensor_id last = finals[i][0];
        if (r.layers > 1) {
            last = htp_emit_concat(l, (htp_emit_inputs){finals[i], r.layers}, 0);
        }
        htp_bind_cast(l, i + 1, last, r.dtype);
    }
    return x;
}

/** lstm.input, gru.input, rnn_tanh.input, rnn_relu.input */
void htp_lower_recurrent(htp_lowering *l)
{
    static const int64_t swapped[] = {1, 0, 2};
    htp_dtype dtype = htp_arg_math_dtype(l, "input", HTP_MATH_ALLOW_DOUBLE);
    if (htp_arg_rank(l, "input") != 3) {
        htp_lower_fail(l, "an input of rank %u is not supported", htp_arg_rank(l, "input"));
        return;
    }
    bool batch_first = htp_arg_bool(l, "batch_first");
    htp_tensor_id x = htp_arg_tensor_as(l, "input", dtype);
    x = batch_first ? htp_emit_transpose(l, x, swapped, 3) : x;
    x = htp_recurrent_needs_steps(l, dtype) ? htp_emit_recurrent_steps(l, dtype, x, HTP_NONE)
                                            : htp_emit_recurrent(l, dtype, x, HTP_NONE);
    x = batch_first ? htp_emit_transpose(l, x, swapped, 3) : x;
    htp_bind_cast(l, 0, x, dtype);
}
