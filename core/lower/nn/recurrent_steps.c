/*
 * Recurrent layers as Loops over the sequence: LSTM with projections, which ONNX lacks, and all
 * kinds in float64, for which runtimes have no kernels.
 */
#include "lower/nn/recurrent.h"

#include "lower/compose/compose.h"
#include "lower/emit/sizes.h"
#include "lower/emit/steps.h"

#include <string.h>

struct pass;

/**
 * One step of a kind of layer.
 * @param gates  from the input: [batch, gates · hidden]
 * @param states  in and out: h and c
 */
typedef void (*step_fn)(htp_lowering *l, const struct pass *p, htp_tensor_id gates,
                        htp_tensor_id *states);

typedef struct kind {
    const char *row;     /* the parameter in its operators' rows */
    size_t states;       /* 2 with a cell state c */
    bool has_state_bias; /* b_hh is added to the state's gates before these meet the input's */
    step_fn step;
} kind;

/** One layer in one direction. */
typedef struct pass {
    const kind *kind;
    htp_dtype dtype;
    bool is_backward;
    htp_tensor_id input;      /* w_ih x + b_ih + b_hh: [length, batch, gates · hidden] */
    htp_tensor_id length;     /* [1] */
    htp_tensor_id lengths;    /* int64 [batch]; HTP_NONE: all sequences have the same length */
    htp_tensor_id recurrence; /* w_hhᵀ */
    htp_tensor_id state_bias; /* b_hh, or HTP_NONE */
    htp_tensor_id projection; /* w_hrᵀ, or HTP_NONE */
    htp_tensor_id states[2];  /* h [batch, projected], c [batch, hidden] */
} pass;

/** All layers of a node. */
typedef struct layers {
    const kind *kind;
    htp_dtype dtype;
    uint32_t count;
    uint32_t directions;
    const htp_value_id *weights;
    uint32_t per_set; /* w_ih, w_hh, biases b_ih and b_hh, projection w_hr */
    bool has_biases;
    htp_tensor_id states[2]; /* [count · directions, batch, ...] */
    htp_tensor_id lengths;
} layers;

/* ---- steps ---- */

static htp_tensor_id from_state(htp_lowering *l, const pass *p, htp_tensor_id h)
{
    htp_tensor_id product = htp_emit_binary(l, "MatMul", h, p->recurrence);
    return p->state_bias == HTP_NONE ? product : htp_emit_binary(l, "Add", product, p->state_bias);
}

static void step_lstm(htp_lowering *l, const pass *p, htp_tensor_id gates, htp_tensor_id *states)
{
    gates = htp_emit_binary(l, "Add", gates, from_state(l, p, states[0]));
    states[0] = htp_emit_lstm_step(l, gates, &states[1]);
    if (p->projection != HTP_NONE) {
        states[0] = htp_emit_binary(l, "MatMul", states[0], p->projection);
    }
}

static void step_gru(htp_lowering *l, const pass *p, htp_tensor_id gates, htp_tensor_id *states)
{
    states[0] = htp_emit_gru_step(l, gates, from_state(l, p, states[0]), states[0]);
}

/** A step of an RNN, whose activation the row names. */
static void step_plain(htp_lowering *l, const pass *p, htp_tensor_id gates, htp_tensor_id *states)
{
    gates = htp_emit_binary(l, "Add", gates, from_state(l, p, states[0]));
    states[0] = htp_emit_unary(l, p->kind->row, gates);
}

static const kind *find_kind(htp_lowering *l)
{
    static const kind kinds[] = {{"LSTM", 2, false, step_lstm},
                                 {"GRU", 1, true, step_gru},
                                 {"Tanh", 1, false, step_plain},
                                 {"Relu", 1, false, step_plain}};
    const kind *found = kinds;
    while (strcmp(l->row->op, found->row) != 0 && found + 1 < kinds + 4) {
        found++;
    }
    return found;
}

/* ---- arguments ---- */

static bool has_projections(htp_lowering *l)
{
    size_t count = 0;
    htp_arg_list(l, "params", &count);
    return count % (htp_arg_bool(l, "has_biases") ? 5 : 3) == 0 &&
           (int64_t)count == htp_arg_int(l, "num_layers") *
                                 (htp_arg_bool(l, "bidirectional") ? 2 : 1) *
                                 (htp_arg_bool(l, "has_biases") ? 5 : 3);
}

bool htp_recurrent_needs_steps(htp_lowering *l, htp_dtype dtype)
{
    return dtype == HTP_DTYPE_FLOAT64 || (strcmp(l->row->op, "LSTM") == 0 && has_projections(l));
}

static layers read_layers(htp_lowering *l, htp_dtype dtype)
{
    size_t count = 0;
    layers a = {.kind = find_kind(l),
                .dtype = dtype,
                .directions = htp_arg_bool(l, "bidirectional") ? 2 : 1,
                .has_biases = htp_arg_bool(l, "has_biases")};
    int64_t number = htp_arg_int(l, "num_layers");
    a.weights = htp_arg_list(l, "params", &count);
    a.per_set = (a.has_biases ? 4 : 2) + (a.kind->states == 2 && has_projections(l) ? 1 : 0);
    if (number < 1 || (int64_t)count != number * a.directions * a.per_set) {
        htp_lower_fail(l, "it has %zu weights for %lld layers", count, (long long)number);
        return a;
    }
    a.count = (uint32_t)number;
    if (a.count > 1 && htp_arg_bool(l, "train") && htp_arg_float(l, "dropout") != 0) {
        htp_lower_fail_training(l);
    }
    htp_recurrent_read_states(l, a.kind->states != 1, a.dtype, a.states);
    return a;
}

static htp_tensor_id transposed(htp_lowering *l, htp_tensor_id x)
{
    return htp_emit_transpose(l, x, (const int64_t[]){1, 0}, 2);
}

/** State @p which of pass number @p set: [batch, ...] */
static htp_tensor_id state_of(htp_lowering *l, const layers *a, size_t which, uint32_t set)
{
    const int64_t first = 0;
    htp_tensor_id state = htp_emit_slice(l, a->states[which], 0, set, (int64_t)set + 1);
    return htp_emit_squeeze(l, state, &first, 1);
}

/** @param x  [length, batch, features] */
static pass read_pass(htp_lowering *l, const layers *a, uint32_t set, htp_tensor_id x)
{
    static const htp_dim open[3] = {{1, "size"}, {1, "size"}, {1, "size"}};
    htp_tensor_id weights[5] = {HTP_NONE};
    for (uint32_t i = 0; i < a->per_set; i++) {
        weights[i] = htp_value_tensor_as(l, a->weights[set * a->per_set + i], a->dtype);
    }
    pass p = {.kind = a->kind,
              .dtype = a->dtype,
              .is_backward = a->directions == 2 && set % 2 == 1,
              .lengths = a->lengths,
              .state_bias = HTP_NONE};
    p.length = htp_emit_dim(l, x, open, 0);
    p.input = htp_emit_binary(l, "MatMul", x, transposed(l, weights[0]));
    if (a->has_biases && a->kind->has_state_bias) {
        p.input = htp_emit_binary(l, "Add", p.input, weights[2]);
        p.state_bias = weights[3];
    } else if (a->has_biases) {
        p.input =
            htp_emit_binary(l, "Add", p.input, htp_emit_binary(l, "Add", weights[2], weights[3]));
    }
    p.recurrence = transposed(l, weights[1]);
    bool is_projected = a->per_set % 2 == 1;
    p.projection = is_projected ? transposed(l, weights[a->per_set - 1]) : HTP_NONE;
    for (size_t i = 0; i < a->kind->states; i++) {
        p.states[i] = state_of(l, a, i, set);
    }
    return p;
}

/* ---- the loop ---- */

/** @p x with its first dim reversed within each sequence. */
static htp_tensor_id reversed(htp_lowering *l, const pass *p, htp_tensor_id x)
{
    if (p->lengths != HTP_NONE) {
        return htp_emit(
            l, "ReverseSequence", HTP_IN(x, p->lengths),
            HTP_AT(htp_attribute_int("time_axis", 0), htp_attribute_int("batch_axis", 1)));
    }
    return htp_emit(l, "Slice",
                    HTP_IN(x, htp_emit_int(l, -1), htp_emit_int(l, INT64_MIN), htp_emit_int(l, 0),
                           htp_emit_int(l, -1)),
                    HTP_NO_AT);
}

/** Sequences that have ended keep their states. */
static void keep_ended(htp_lowering *l, const pass *p, const htp_steps *steps,
                       htp_tensor_id *states)
{
    const int64_t last = 1;
    htp_tensor_id goes_on = htp_emit_binary(l, "Less", steps->number, p->lengths);
    goes_on = htp_emit_unsqueeze(l, goes_on, &last, 1);
    for (size_t i = 0; i < p->kind->states; i++) {
        states[i] =
            htp_emit(l, "Where", HTP_IN(goes_on, states[i], steps->state[i].tensor), HTP_NO_AT);
    }
}

/** @param finals  receives the final states, [1, batch, ...] each
 * @return [length, batch, projected] */
static htp_tensor_id emit_pass(htp_lowering *l, const pass *p, htp_tensor_id finals[2])
{
    const int64_t first = 0;
    size_t count = p->kind->states;
    htp_tensor_id input = p->is_backward ? reversed(l, p, p->input) : p->input;
    htp_tensor_id next[3];
    htp_steps steps = {.l = l, .count = count, .stacked = 1};
    for (size_t i = 0; i < count; i++) {
        steps.state[i] = (htp_steps_state){p->states[i], p->dtype, 2};
    }
    steps.state[count] = (htp_steps_state){HTP_NONE, p->dtype, 2};
    htp_steps_begin(&steps);
    htp_tensor_id gates =
        htp_emit(l, "Gather", HTP_IN(input, steps.number), HTP_AT(htp_attribute_int("axis", 0)));
    for (size_t i = 0; i < count; i++) {
        next[i] = steps.state[i].tensor;
    }
    p->kind->step(l, p, gates, next);
    if (p->lengths != HTP_NONE) {
        keep_ended(l, p, &steps, next);
    }
    next[count] = next[0];
    htp_steps_end(&steps, p->length, next);
    for (size_t i = 0; i < count; i++) {
        finals[i] = htp_emit_unsqueeze(l, steps.state[i].tensor, &first, 1);
    }
    htp_tensor_id all = steps.state[count].tensor;
    return p->is_backward ? reversed(l, p, all) : all;
}

htp_tensor_id htp_emit_recurrent_steps(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                                       htp_tensor_id lengths)
{
    layers a = read_layers(l, dtype);
    size_t sets = l->failure ? 0 : (size_t)a.count * a.directions;
    htp_tensor_id *finals[2];
    a.lengths = lengths;
    for (size_t i = 0; i < 2; i++) {
        finals[i] = HTP_NEW_ARRAY(l->arena, htp_tensor_id, sets + 1);
    }
    for (uint32_t layer = 0; layer < a.count && !l->failure; layer++) {
        htp_tensor_id results[2];
        for (uint32_t i = 0; i < a.directions; i++) {
            uint32_t set = layer * a.directions + i;
            htp_tensor_id last[2] = {HTP_NONE, HTP_NONE};
            pass p = read_pass(l, &a, set, x);
            results[i] = emit_pass(l, &p, last);
            finals[0][set] = last[0];
            finals[1][set] = last[1];
        }
        x = a.directions == 1 ? results[0] : htp_emit_concat(l, HTP_IN(results[0], results[1]), 2);
    }
    for (size_t i = 0; sets > 0 && i < 2 && i < a.kind->states; i++) {
        htp_tensor_id all = finals[i][0];
        if (sets > 1) {
            all = htp_emit_concat(l, (htp_emit_inputs){finals[i], sets}, 0);
        }
        htp_bind_cast(l, i + 1, all, a.dtype);
    }
    return x;
}
