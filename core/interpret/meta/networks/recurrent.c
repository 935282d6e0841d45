/*
 * Sizes of recurrent layers: the sequence length stays, and weights give the number of features
 * (libtorch's RNN.cpp).
 */
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>

/* ---- packed data ---- */

static bool give_steps(htp_meta_call *call, const htp_runner_tensor *state)
{
    const htp_runner_tensor *data = htp_meta_tensor(call, 0);
    if (data->rank != 2 || state->rank != 3) {
        htp_meta_text steps;
        htp_meta_text states;
        return htp_meta_refuse(
            call, "expected packed data of 2 dims and states of 3, got %s and %s",
            htp_meta_sizes_text(&steps, data), htp_meta_sizes_text(&states, state));
    }
    int64_t directions = htp_meta_bool(call, 8) ? 2 : 1;
    const htp_meta_sizes sizes = {
        .dims = {data->dims[0], htp_meta_times(directions, state->dims[2])}, .rank = 2};
    return htp_meta_give(call, data->type, &sizes);
}

bool htp_meta_packed_recurrent(htp_meta_call *call)
{
    const htp_runner_tensor *state = htp_meta_tensor(call, 2);
    return give_steps(call, state) && htp_meta_give_like(call, state);
}

bool htp_meta_packed_lstm(htp_meta_call *call)
{
    const htp_operand *states = &call->operands[2];
    if (states->count != 2) {
        return htp_meta_refuse(call, "lstm expects two hidden states");
    }
    return give_steps(call, states->as.elements[0].as.tensor) &&
           htp_meta_give_like(call, states->as.elements[0].as.tensor) &&
           htp_meta_give_like(call, states->as.elements[1].as.tensor);
}

/* ---- padded data ---- */

/* The operands of aten::lstm.input and its variants. */
enum { INPUT, STATES, WEIGHTS, HAS_BIASES, LAYERS, DROPOUT, TRAINS, IS_BIDIRECTIONAL, BATCH_FIRST };

/* A layer, by its operands. */
typedef struct recurrence {
    int64_t gates;
    int64_t layers; /* each direction counts */
    int64_t directions;
    int64_t batch;
    int64_t given;  /* input features */
    int64_t kept;   /* features of the cell state */
    int64_t hidden; /* output features: fewer with a projection */
    uint32_t weights_of_layer;
} recurrence;

static bool refuse_weights(htp_meta_call *call, const htp_runner_tensor *weight)
{
    htp_meta_text text;
    return htp_meta_refuse(call, "a weight of %s and %s does not fit the input and the states",
                           htp_scalar_type_name(weight->type), htp_meta_sizes_text(&text, weight));
}

/* Whether weight operand @p at has these dims; @p columns is 0 for a vector. */
static bool check_weight(htp_meta_call *call, uint32_t at, int64_t rows, int64_t columns)
{
    const htp_runner_tensor *weight = htp_meta_listed(call, WEIGHTS, at);
    bool fits = weight->type == htp_meta_tensor(call, INPUT)->type &&
                weight->rank == (columns > 0 ? 2 : 1) && weight->dims[0] == rows &&
                (columns == 0 || weight->dims[1] == columns);
    return fits || refuse_weights(call, weight);
}

static bool check_layer(htp_meta_call *call, const recurrence *of, uint32_t layer)
{
    uint32_t at = layer * of->weights_of_layer;
    int64_t rows = htp_meta_times(of->gates, of->kept);
    int64_t given = layer < of->directions ? of->given : htp_meta_times(of->directions, of->hidden);
    bool fits = check_weight(call, at, rows, given) && check_weight(call, at + 1, rows, of->hidden);
    uint32_t next = at + 2;
    if (fits && htp_meta_bool(call, HAS_BIASES)) {
        fits = check_weight(call, next, rows, 0) && check_weight(call, next + 1, rows, 0);
        next += 2;
    }
    return fits && (of->hidden == of->kept || check_weight(call, next, of->hidden, of->kept));
}

static bool check_state(htp_meta_call *call, const recurrence *of, const htp_runner_tensor *state,
                        int64_t features)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    htp_meta_text text;
    bool fits = state->rank == 3 && state->type == input->type && state->dims[0] == of->layers &&
                state->dims[1] == of->batch && state->dims[2] == features;
    return fits ||
           htp_meta_refuse(call,
                           "expected a hidden state of %s and sizes [%" PRId64 ", %" PRId64
                           ", %" PRId64 "], got %s and %s",
                           htp_scalar_type_name(input->type), of->layers, of->batch, features,
                           htp_scalar_type_name(state->type), htp_meta_sizes_text(&text, state));
}

/* @p hidden and @p kept are states, and may be the same. */
static bool read_layer(htp_meta_call *call, const htp_runner_tensor *hidden,
                       const htp_runner_tensor *kept, recurrence *of)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    int64_t layers = htp_meta_int(call, LAYERS);
    uint32_t weights = htp_meta_length(call, WEIGHTS);
    htp_meta_text text;
    if (input->rank != 3 || hidden->rank != 3 || kept->rank != 3) {
        return htp_meta_refuse(call, "expected an input and states of 3 dims, got %s",
                               htp_meta_sizes_text(&text, input));
    }
    of->gates = call->parameter;
    of->directions = htp_meta_bool(call, IS_BIDIRECTIONAL) ? 2 : 1;
    of->layers = htp_meta_times(layers, of->directions);
    of->batch = input->dims[htp_meta_bool(call, BATCH_FIRST) ? 0 : 1];
    of->given = input->dims[2];
    of->hidden = hidden->dims[2];
    of->kept = kept->dims[2];
    of->weights_of_layer =
        2u + (htp_meta_bool(call, HAS_BIASES) ? 2u : 0u) + (of->hidden == of->kept ? 0u : 1u);
    bool fits = layers > 0 && htp_meta_times(of->layers, of->weights_of_layer) == weights;
    for (uint32_t layer = 0; layer < of->layers && fits; layer++) {
        if (!check_layer(call, of, layer)) {
            return false;
        }
    }
    return fits || htp_meta_refuse(call, "%u weights are not those of %" PRId64 " layers",
                                   (unsigned)weights, layers);
}

/* Time steps are outermost in memory, even with batch_first. */
static bool give_sequence(htp_meta_call *call, const recurrence *of)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    bool is_batch_first = htp_meta_bool(call, BATCH_FIRST);
    int64_t steps = input->dims[is_batch_first ? 1 : 0];
    int64_t features = htp_meta_times(of->directions, of->hidden);
    if (steps < 1) {
        return htp_meta_refuse(call, "Expected sequence length to be larger than 0 in RNN");
    }
    htp_meta_sizes sizes = {.dims = {steps, of->batch, features}, .rank = 3};
    int64_t strides[3];
    htp_layout_contiguous(sizes.dims, sizes.rank, strides);
    if (is_batch_first) {
        sizes = (htp_meta_sizes){.dims = {of->batch, steps, features}, .rank = 3};
        int64_t step = strides[0];
        strides[0] = strides[1];
        strides[1] = step;
    }
    return htp_meta_give_strided(call, input->type, &sizes, strides);
}

/* Parameter: the number of gates of a cell. */
bool htp_meta_recurrent(htp_meta_call *call)
{
    const htp_runner_tensor *state = htp_meta_tensor(call, STATES);
    recurrence of = {0};
    return read_layer(call, state, state, &of) && check_state(call, &of, state, of.hidden) &&
           give_sequence(call, &of) && htp_meta_give_plain(call, state);
}

bool htp_meta_lstm(htp_meta_call *call)
{
    if (htp_meta_length(call, STATES) != 2) {
        return htp_meta_refuse(call, "lstm expects two hidden states");
    }
    const htp_runner_tensor *hidden = htp_meta_listed(call, STATES, 0);
    const htp_runner_tensor *kept = htp_meta_listed(call, STATES, 1);
    recurrence of = {0};
    return read_layer(call, hidden, kept, &of) && check_state(call, &of, hidden, of.hidden) &&
           check_state(call, &of, kept, of.kept) && give_sequence(call, &of) &&
           htp_meta_give_plain(call, hidden) && htp_meta_give_plain(call, kept);
}
