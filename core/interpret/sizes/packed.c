/*
 * Sizes of packed sequences: the total number of steps, and the length of the longest.
 */
#include "interpret/sizes/sizes.h"

#include <inttypes.h>
#include <string.h>

static htp_outcome give(htp_machine *m, int32_t type, const int64_t *dims, size_t rank,
                        htp_operand *output)
{
    const htp_runner_tensor *made = NULL;
    HTP_DO(htp_tensor_empty(m, type, dims, rank, &made));
    *output = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = made};
    return HTP_GOES_ON;
}

/* ---- _pack_padded_sequence(input, lengths, batch_first) ---- */

static htp_outcome refuse_input(htp_machine *m, const htp_runner_tensor *input)
{
    return input->rank == 0
               ? htp_machine_stop(m, HTP_FAILS, "expected an input of 2 dims or more, got []")
               : htp_machine_stop(m, HTP_FAILS,
                                  "expected an input of 2 dims or more, got [%" PRId64 "]",
                                  input->dims[0]);
}

/* One length per sequence; sequences are dim @p batch_dim of the input. */
static htp_outcome check_lengths(htp_machine *m, const htp_runner_tensor *input, size_t batch_dim,
                                 const htp_runner_tensor *lengths)
{
    if (lengths->rank != 1 || lengths->type != HTP_SCALAR_LONG) {
        return htp_machine_stop(m, HTP_FAILS, "'lengths' argument should be a 1D CPU int64 tensor");
    }
    return lengths->dims[0] == input->dims[batch_dim]
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_FAILS,
                                  "Expected `len(lengths)` to be equal to batch_size, but got "
                                  "%" PRId64 " (batch_size=%" PRId64 ")",
                                  lengths->dims[0], input->dims[batch_dim]);
}

/* The steps of all sequences, one after another, and the batch size of each step. */
static htp_outcome pack(htp_machine *m, const htp_call *call, htp_lanes *results)
{
    htp_trace_size steps;
    htp_trace_size longest;
    HTP_DO(htp_recording_new_size(m, "steps", &steps));
    HTP_DO(htp_recording_new_size(m, "longest", &longest));
    HTP_DO(htp_sizes_require(m, &call->inputs, 3));
    const htp_item *batch_first = call->inputs.items[2];
    bool is_first =
        htp_is_bool(batch_first) && htp_is_constant(batch_first) && batch_first->lane[0].as.b;
    *results = htp_lanes_make(m, 2);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *input = NULL;
        HTP_DO(htp_sizes_tensor_in(m, call->inputs.items[0], lane, &input));
        if (input->rank < 2) {
            return refuse_input(m, input);
        }
        const htp_runner_tensor *lengths = NULL;
        HTP_DO(htp_sizes_tensor_in(m, call->inputs.items[1], lane, &lengths));
        HTP_DO(check_lengths(m, input, is_first ? 0 : 1, lengths));
        size_t rank = input->rank - 1;
        int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, rank);
        dims[0] = steps.sizes[lane];
        for (size_t i = 1; i < rank; i++) {
            dims[i] = input->dims[i + 1];
        }
        htp_operand *outputs = results->lane[lane];
        HTP_DO(give(m, input->type, dims, rank, &outputs[0]));
        HTP_DO(give(m, HTP_SCALAR_LONG, &longest.sizes[lane], 1, &outputs[1]));
    }
    return HTP_GOES_ON;
}

/* ---- _pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length) ---- */

/* The arguments of unpacking. */
typedef struct packed_sequences {
    const htp_item *steps;
    const htp_item *batch_sizes;
    const htp_item *total;  /* length; that of the longest sequence, if not positive */
    const htp_item *padded; /* the packed tensor; NULL if unknown */
    htp_trace_size count;   /* number of sequences, if unknown */
    bool batch_first;
} packed_sequences;

/* Finds the number of sequences, that of packed lengths. */
static htp_outcome find_count(htp_machine *m, packed_sequences *packed)
{
    const htp_recorded_node *node = htp_sizes_producer(m, packed->batch_sizes);
    if (node && node->input_count > 1 && strcmp(node->kind, "aten::_pack_padded_sequence") == 0) {
        packed->padded = m->recording.items.items[node->inputs[1]];
        return HTP_GOES_ON;
    }
    return htp_recording_new_size(m, "sequences", &packed->count);
}

static htp_outcome find_packed(htp_machine *m, const htp_items *inputs, packed_sequences *packed)
{
    HTP_DO(htp_sizes_require(m, inputs, 5));
    const htp_item *batch_first = inputs->items[2];
    *packed = (packed_sequences){
        .steps = inputs->items[0], .batch_sizes = inputs->items[1], .total = inputs->items[4]};
    if (!htp_is_constant(batch_first) || packed->total->kind != HTP_ITEM_PLAIN) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a number that it needs depends on the data");
    }
    HTP_DO(find_count(m, packed));
    if (!htp_is_bool(batch_first)) {
        return htp_machine_stop(m, HTP_FAILS, "expected bool");
    }
    packed->batch_first = batch_first->lane[0].as.b;
    return HTP_GOES_ON;
}

static htp_outcome pad_lane(htp_machine *m, const packed_sequences *packed, size_t lane,
                            htp_operand *outputs)
{
    const htp_runner_tensor *steps = NULL;
    int64_t batch = packed->count.sizes[lane];
    int64_t time;
    HTP_DO(htp_sizes_tensor_in(m, packed->steps, lane, &steps));
    if (packed->padded) {
        HTP_DO(htp_sizes_dim_in(m, packed->padded, lane, 0, &batch));
    }
    HTP_DO(htp_sizes_int_in(m, packed->total, lane, &time));
    if (time <= 0) {
        HTP_DO(htp_sizes_dim_in(m, packed->batch_sizes, lane, 0, &time));
    }
    if (steps->rank == 0) {
        return htp_machine_stop(m, HTP_FAILS, "expected packed data of 1 dim or more");
    }
    size_t rank = (size_t)steps->rank + 1;
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, rank);
    dims[0] = packed->batch_first ? batch : time;
    dims[1] = packed->batch_first ? time : batch;
    for (size_t i = 2; i < rank; i++) {
        dims[i] = steps->dims[i - 1];
    }
    HTP_DO(give(m, steps->type, dims, rank, &outputs[0]));
    return give(m, HTP_SCALAR_LONG, &batch, 1, &outputs[1]);
}

static htp_outcome pad(htp_machine *m, const htp_call *call, htp_lanes *results)
{
    packed_sequences packed;
    HTP_DO(find_packed(m, &call->inputs, &packed));
    *results = htp_lanes_make(m, 2);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        HTP_DO(pad_lane(m, &packed, lane, results->lane[lane]));
    }
    return HTP_GOES_ON;
}

htp_outcome htp_sizes_packed(htp_machine *m, const htp_call *call, htp_lanes *results,
                             bool *is_done)
{
    bool packs = strcmp(call->schema.name, "aten::_pack_padded_sequence") == 0;
    *is_done = packs || strcmp(call->schema.name, "aten::_pad_packed_sequence") == 0;
    if (!*is_done) {
        return HTP_GOES_ON;
    }
    return packs ? pack(m, call, results) : pad(m, call, results);
}
