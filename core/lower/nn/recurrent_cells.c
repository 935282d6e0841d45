/*
 * Cells of recurrent layers: aten::lstm_cell and its kin, and the steps of Loops.
 */
#include "lower/nn/recurrent.h"

#include "lower/compose/compose.h"
#include "lower/emit/rows.h"

void htp_recurrent_read_states(htp_lowering *l, bool are_two, htp_dtype dtype,
                               htp_tensor_id states[2])
{
    if (!are_two) {
        states[0] = htp_arg_tensor_as(l, "hx", dtype);
        return;
    }
    size_t count = 0;
    const htp_value_id *given = htp_arg_list(l, "hx", &count);
    if (count != 2) {
        htp_lower_fail(l, "it has %zu states", count);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        states[i] = htp_value_tensor_as(l, given[i], dtype);
    }
}

/** The arguments of one step. */
typedef struct step {
    htp_dtype dtype;
    htp_tensor_id h;
    htp_tensor_id c;          /* LSTM only */
    htp_tensor_id from_input; /* w_ih x + b_ih: [batch, gates · hidden] */
    htp_tensor_id from_state; /* w_hh h + b_hh */
} step;

static htp_tensor_id gates_of(htp_lowering *l, const step *s, htp_tensor_id x, uint32_t rank,
                              const char *weight, const char *bias)
{
    return htp_emit_linear(l, x, rank, htp_arg_tensor_as(l, weight, s->dtype),
                           htp_arg_optional_as(l, bias, s->dtype), s->dtype);
}

static step read_step(htp_lowering *l)
{
    step s = {.dtype = htp_arg_math_dtype(l, "input", HTP_MATH_ALLOW_DOUBLE),
              .h = HTP_NONE,
              .c = HTP_NONE};
    htp_value_id state = htp_arg_value(l, "hx");
    if (state != HTP_NONE && htp_graph_value(l->graph, state)->kind == HTP_TRACE_LIST) {
        size_t count = 0;
        const htp_value_id *states = htp_arg_list(l, "hx", &count);
        if (count != 2) {
            htp_lower_fail(l, "it has %zu states", count);
            return s;
        }
        s.h = htp_value_tensor_as(l, states[0], s.dtype);
        s.c = htp_value_tensor_as(l, states[1], s.dtype);
    } else {
        s.h = htp_arg_tensor_as(l, "hx", s.dtype);
    }
    uint32_t rank = htp_arg_rank(l, "input");
    if (rank != 2) {
        htp_lower_fail(l, "an input of rank %u is not supported", rank);
    }
    htp_tensor_id x = htp_arg_tensor_as(l, "input", s.dtype);
    s.from_input = gates_of(l, &s, x, rank, "w_ih", "b_ih");
    s.from_state = gates_of(l, &s, s.h, rank, "w_hh", "b_hh");
    return s;
}

/** c' = f · c + i · g, h' = o · tanh(c') */
htp_tensor_id htp_emit_lstm_step(htp_lowering *l, htp_tensor_id gates, htp_tensor_id *c)
{
    static const char *const activations[] = {"Sigmoid", "Sigmoid", "Tanh", "Sigmoid"};
    htp_tensor_id parts[4];
    htp_emit_split(l, gates, 1, parts, 4);
    for (size_t i = 0; i < 4; i++) {
        parts[i] = htp_emit_unary(l, activations[i], parts[i]);
    }
    htp_tensor_id kept = htp_emit_binary(l, "Mul", parts[1], *c);
    *c = htp_emit_binary(l, "Add", kept, htp_emit_binary(l, "Mul", parts[0], parts[2]));
    return htp_emit_binary(l, "Mul", parts[3], htp_emit_unary(l, "Tanh", *c));
}

void htp_lower_lstm_cell(htp_lowering *l)
{
    step s = read_step(l);
    htp_tensor_id c = s.c;
    htp_tensor_id gates = htp_emit_binary(l, "Add", s.from_input, s.from_state);
    htp_bind_cast(l, 0, htp_emit_lstm_step(l, gates, &c), s.dtype);
    htp_bind_cast(l, 1, c, s.dtype);
}

/** h' = n + z · (h - n) with n = tanh(x_n + r · h_n) */
htp_tensor_id htp_emit_gru_step(htp_lowering *l, htp_tensor_id from_input, htp_tensor_id from_state,
                                htp_tensor_id h)
{
    htp_tensor_id inputs[3];
    htp_tensor_id states[3];
    htp_tensor_id gates[2];
    htp_emit_split(l, from_input, 1, inputs, 3);
    htp_emit_split(l, from_state, 1, states, 3);
    for (size_t i = 0; i < 2; i++) {
        gates[i] = htp_emit_unary(l, "Sigmoid", htp_emit_binary(l, "Add", inputs[i], states[i]));
    }
    htp_tensor_id reset = htp_emit_binary(l, "Mul", gates[0], states[2]);
    htp_tensor_id fresh = htp_emit_unary(l, "Tanh", htp_emit_binary(l, "Add", inputs[2], reset));
    htp_tensor_id kept = htp_emit_binary(l, "Mul", gates[1], htp_emit_binary(l, "Sub", h, fresh));
    return htp_emit_binary(l, "Add", kept, fresh);
}

void htp_lower_gru_cell(htp_lowering *l)
{
    step s = read_step(l);
    htp_bind_cast(l, 0, htp_emit_gru_step(l, s.from_input, s.from_state, s.h), s.dtype);
}

/** The row names the activation. */
void htp_lower_rnn_cell(htp_lowering *l)
{
    step s = read_step(l);
    htp_tensor_id sum = htp_emit_binary(l, "Add", s.from_input, s.from_state);
    htp_bind_cast(l, 0, htp_emit_unary(l, l->row->op, sum), s.dtype);
}
