/*
 * aten::lstm as a loop over the sequence: with projections, which ONNX's LSTM does not know, and in
 * float64, for which runtimes have no LSTM.
 */
#include "lower/recurrent.h"

#include "lower/compose.h"
#include "lower/sizes.h"
#include "lower/steps.h"

/** One layer in one direction. */
typedef struct pass {
    htp_dtype dtype;
    bool is_backward;
    htp_tensor_id input;      /* w_ih x + b_ih + b_hh: [length, batch, 4 hidden] */
    htp_tensor_id length;     /* [1] */
    htp_tensor_id recurrence; /* w_hhᵀ */
    htp_tensor_id projection; /* w_hrᵀ, or HTP_TENSOR_NONE */
    htp_tensor_id h;          /* [batch, projected] */
    htp_tensor_id c;          /* [batch, hidden] */
} pass;

/** All of them. */
typedef struct layers {
    htp_dtype dtype;
    uint32_t count;
    uint32_t directions;
    const htp_value_id *weights;
    uint32_t per_set; /* w_ih, w_hh, biases b_ih and b_hh, projection w_hr */
    bool has_biases;
    htp_tensor_id states[2]; /* [count · directions, batch, ...] */
} layers;

static bool has_projections(htp_lowering *l)
{
    size_t count = 0;
    htp_arg_list(l, "params", &count);
    return count % (htp_arg_bool(l, "has_biases") ? 5 : 3) == 0 &&
           (int64_t)count == htp_arg_int(l, "num_layers") *
                                 (htp_arg_bool(l, "bidirectional") ? 2 : 1) *
                                 (htp_arg_bool(l, "has_biases") ? 5 : 3);
}

bool htp_recurrent_needs_steps(htp_lowering *l)
{
    return has_projections(l) || htp_arg_dtype(l, "input") == HTP_DTYPE_FLOAT64;
}

static layers read_layers(htp_lowering *l)
{
    size_t count = 0;
    size_t state_count = 0;
    const htp_value_id *states = htp_arg_list(l, "hx", &state_count);
    layers a = {.dtype = htp_arg_math_dtype(l, "input", HTP_MATH_ALLOW_DOUBLE),
                .directions = htp_arg_bool(l, "bidirectional") ? 2 : 1,
                .has_biases = htp_arg_bool(l, "has_biases")};
    int64_t number = htp_arg_int(l, "num_layers");
    a.weights = htp_arg_list(l, "params", &count);
    a.per_set = (a.has_biases ? 4 : 2) + (has_projections(l) ? 1 : 0);
    if (number < 1 || (int64_t)count != number * a.directions * a.per_set || state_count != 2) {
        htp_lower_fail(l, "it has %zu weights and %zu states for %lld layers", count, state_count,
                       (long long)number);
        return a;
    }
    a.count = (uint32_t)number;
    if (a.count > 1 && htp_arg_bool(l, "train") && htp_arg_float(l, "dropout") != 0) {
        htp_lower_fail(l, "it is in training mode; call eval() before the model is traced");
    }
    for (size_t i = 0; i < 2; i++) {
        a.states[i] = htp_value_tensor_as(l, states[i], a.dtype);
    }
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
    htp_tensor_id weights[5] = {HTP_TENSOR_NONE};
    for (uint32_t i = 0; i < a->per_set; i++) {
        weights[i] = htp_value_tensor_as(l, a->weights[set * a->per_set + i], a->dtype);
    }
    pass p = {.dtype = a->dtype, .is_backward = a->directions == 2 && set % 2 == 1};
    p.length = htp_emit_dim(l, x, open, 0);
    p.input = htp_emit_binary(l, "MatMul", x, transposed(l, weights[0]));
    if (a->has_biases) {
        p.input =
            htp_emit_binary(l, "Add", p.input, htp_emit_binary(l, "Add", weights[2], weights[3]));
    }
    p.recurrence = transposed(l, weights[1]);
    bool is_projected = a->per_set % 2 == 1;
    p.projection = is_projected ? transposed(l, weights[a->per_set - 1]) : HTP_TENSOR_NONE;
    p.h = state_of(l, a, 0, set);
    p.c = state_of(l, a, 1, set);
    return p;
}

/** c' = f · c + i · g, h' = o · tanh(c'), projected. @param gates  [batch, 4 hidden] */
static void take_step(htp_lowering *l, const pass *p, htp_tensor_id gates, htp_tensor_id *h,
                      htp_tensor_id *c)
{
    static const char *const activations[] = {"Sigmoid", "Sigmoid", "Tanh", "Sigmoid"};
    htp_tensor_id parts[4];
    htp_emit_split(l, gates, 1, parts, 4);
    for (size_t i = 0; i < 4; i++) {
        parts[i] = htp_emit_unary(l, activations[i], parts[i]);
    }
    htp_tensor_id kept = htp_emit_binary(l, "Mul", parts[1], *c);
    *c = htp_emit_binary(l, "Add", kept, htp_emit_binary(l, "Mul", parts[0], parts[2]));
    *h = htp_emit_binary(l, "Mul", parts[3], htp_emit_unary(l, "Tanh", *c));
    if (p->projection != HTP_TENSOR_NONE) {
        *h = htp_emit_binary(l, "MatMul", *h, p->projection);
    }
}

/** @p x with its first dim in reverse. */
static htp_tensor_id reversed(htp_lowering *l, htp_tensor_id x)
{
    return htp_emit(l, "Slice",
                    HTP_IN(x, htp_emit_int(l, -1), htp_emit_int(l, INT64_MIN), htp_emit_int(l, 0),
                           htp_emit_int(l, -1)),
                    HTP_NO_AT);
}

/** @param finals  receives the last states, as [1, batch, ...]
 * @return [length, batch, projected] */
static htp_tensor_id emit_pass(htp_lowering *l, const pass *p, htp_tensor_id finals[2])
{
    const int64_t first = 0;
    htp_tensor_id input = p->is_backward ? reversed(l, p->input) : p->input;
    htp_steps steps = {
        .l = l,
        .count = 2,
        .stacked = 1,
        .state = {{p->h, p->dtype, 2}, {p->c, p->dtype, 2}, {HTP_TENSOR_NONE, p->dtype, 2}}};
    htp_steps_begin(&steps);
    htp_tensor_id gates =
        htp_emit(l, "Gather", HTP_IN(input, steps.number), HTP_AT(htp_attribute_int("axis", 0)));
    htp_tensor_id h = steps.state[0].tensor;
    htp_tensor_id c = steps.state[1].tensor;
    gates = htp_emit_binary(l, "Add", gates, htp_emit_binary(l, "MatMul", h, p->recurrence));
    take_step(l, p, gates, &h, &c);
    htp_steps_end(&steps, p->length, (const htp_tensor_id[]){h, c, h});
    for (size_t i = 0; i < 2; i++) {
        finals[i] = htp_emit_unsqueeze(l, steps.state[i].tensor, &first, 1);
    }
    htp_tensor_id all = steps.state[2].tensor;
    return p->is_backward ? reversed(l, all) : all;
}

htp_tensor_id htp_emit_recurrent_steps(htp_lowering *l, htp_tensor_id x)
{
    layers a = read_layers(l);
    size_t sets = l->failure ? 0 : (size_t)a.count * a.directions;
    htp_tensor_id *finals[2];
    for (size_t i = 0; i < 2; i++) {
        finals[i] = HTP_NEW_ARRAY(l->arena, htp_tensor_id, sets + 1);
    }
    for (uint32_t layer = 0; layer < a.count && !l->failure; layer++) {
        htp_tensor_id results[2];
        for (uint32_t i = 0; i < a.directions; i++) {
            uint32_t set = layer * a.directions + i;
            htp_tensor_id last[2];
            pass p = read_pass(l, &a, set, x);
            results[i] = emit_pass(l, &p, last);
            finals[0][set] = last[0];
            finals[1][set] = last[1];
        }
        x = a.directions == 1 ? results[0] : htp_emit_concat(l, HTP_IN(results[0], results[1]), 2);
    }
    for (size_t i = 0; i < 2 && sets > 0; i++) {
        htp_tensor_id all = finals[i][0];
        if (sets > 1) {
            all = htp_emit_concat(l, (htp_emit_inputs){finals[i], sets}, 0);
        }
        htp_bind_cast(l, i + 1, all, a.dtype);
    }
    return x;
}
