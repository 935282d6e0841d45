/*
 * List operators on sequences; concatenation and splits of sequences.
 *
 * Reference: ONNX SequenceConstruct, SequenceEmpty, SequenceInsert, SequenceErase, SequenceAt,
 * SequenceLength, ConcatFromSequence, SplitToSequence.
 */
#include "lower/emit/sequence.h"

#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"

bool htp_value_is_sequence(const htp_lowering *l, htp_value_id id)
{
    return htp_graph_value(l->graph, id)->kind == HTP_TRACE_SEQUENCE;
}

htp_tensor_id htp_emit_empty_sequence(htp_lowering *l, htp_value_id like)
{
    htp_dtype dtype = htp_value_dtype(l, like);
    htp_tensor_id made = htp_emit(l, "SequenceEmpty", (htp_emit_inputs){NULL, 0},
                                  HTP_AT(htp_attribute_int("dtype", htp_onnx_data_type(dtype))));
    htp_builder_set_type(l->model, made, dtype, htp_graph_value(l->graph, like)->rank,
                         l->graph->values[like].dims);
    htp_builder_set_sequence(l->model, made);
    return made;
}

/** prim::ListConstruct */
void htp_lower_sequence_construct(htp_lowering *l)
{
    const htp_trace_node *node = l->node;
    if (node->input_count == 0) {
        htp_bind(l, 0, htp_emit_empty_sequence(l, node->outputs[0]));
        return;
    }
    htp_tensor_id *elements = HTP_NEW_ARRAY(l->arena, htp_tensor_id, node->input_count);
    for (uint32_t i = 0; i < node->input_count && !l->failure; i++) {
        elements[i] = htp_value_tensor(l, node->inputs[i]);
    }
    htp_bind(l, 0,
             htp_emit(l, "SequenceConstruct", (htp_emit_inputs){elements, node->input_count},
                      HTP_NO_AT));
}

/** aten::append.t */
void htp_lower_sequence_append(htp_lowering *l)
{
    htp_tensor_id sequence = htp_arg_tensor(l, "self");
    htp_bind(l, 0,
             htp_emit(l, "SequenceInsert", HTP_IN(sequence, htp_arg_tensor(l, "el")), HTP_NO_AT));
}

/** aten::__getitem__.t */
void htp_lower_sequence_item(htp_lowering *l)
{
    htp_tensor_id sequence = htp_arg_tensor(l, "self");
    htp_bind(l, 0,
             htp_emit(l, "SequenceAt", HTP_IN(sequence, htp_arg_tensor(l, "idx")), HTP_NO_AT));
}

/** aten::_set_item.t: deletes the element, then inserts one. The index counts from the front, so
 * that it means the same place after the deletion. */
void htp_lower_sequence_set_item(htp_lowering *l)
{
    htp_tensor_id sequence = htp_arg_tensor(l, "l");
    htp_tensor_id index = htp_arg_tensor(l, "idx");
    htp_tensor_id length = htp_emit(l, "SequenceLength", HTP_IN(sequence), HTP_NO_AT);
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    htp_tensor_id is_behind = htp_emit(l, "Less", HTP_IN(index, zero), HTP_NO_AT);
    htp_tensor_id from_front = htp_emit(l, "Add", HTP_IN(index, length), HTP_NO_AT);
    index = htp_emit(l, "Where", HTP_IN(is_behind, from_front, index), HTP_NO_AT);
    htp_tensor_id rest = htp_emit(l, "SequenceErase", HTP_IN(sequence, index), HTP_NO_AT);
    htp_bind(
        l, 0,
        htp_emit(l, "SequenceInsert", HTP_IN(rest, htp_arg_tensor(l, "el"), index), HTP_NO_AT));
}

/** aten::insert.t: an index out of range is clamped to the nearest end. */
void htp_lower_sequence_insert(htp_lowering *l)
{
    htp_tensor_id sequence = htp_arg_tensor(l, "l");
    htp_tensor_id length = htp_emit(l, "SequenceLength", HTP_IN(sequence), HTP_NO_AT);
    htp_tensor_id least = htp_emit(l, "Neg", HTP_IN(length), HTP_NO_AT);
    htp_tensor_id index = htp_emit(l, "Max", HTP_IN(htp_arg_tensor(l, "idx"), least), HTP_NO_AT);
    index = htp_emit(l, "Min", HTP_IN(index, length), HTP_NO_AT);
    htp_bind(
        l, 0,
        htp_emit(l, "SequenceInsert", HTP_IN(sequence, htp_arg_tensor(l, "el"), index), HTP_NO_AT));
}

/** aten::Delete.t */
void htp_lower_sequence_delete(htp_lowering *l)
{
    htp_tensor_id sequence = htp_arg_tensor(l, "self");
    htp_bind(l, 0,
             htp_emit(l, "SequenceErase", HTP_IN(sequence, htp_arg_tensor(l, "idx")), HTP_NO_AT));
}

/** aten::len.t */
void htp_lower_sequence_length(htp_lowering *l)
{
    htp_bind(l, 0, htp_emit(l, "SequenceLength", HTP_IN(htp_arg_tensor(l, "a")), HTP_NO_AT));
}

void htp_lower_sequence_join(htp_lowering *l, bool has_new_axis)
{
    htp_tensor_id sequence = htp_arg_tensor(l, "tensors");
    htp_bind(l, 0,
             htp_emit(l, "ConcatFromSequence", HTP_IN(sequence),
                      HTP_AT(htp_attribute_int("axis", htp_arg_int(l, "dim")),
                             htp_attribute_int("new_axis", has_new_axis))));
}

/** How a dim is split: 0-d int64 tensors. */
struct parts {
    htp_tensor_id whole;
    htp_tensor_id size; /**< of each part but the last, which may have fewer elements */
    htp_tensor_id
        least; /**< minimum number of parts: SplitToSequence gives none for an empty dim */
};

static struct parts split_parts(htp_lowering *l, htp_tensor_id whole)
{
    return (struct parts){whole, htp_arg_tensor(l, "split_size"),
                          htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1)};
}

/** aten::chunk: an empty dim gives the requested number of parts. */
static struct parts chunk_parts(htp_lowering *l, htp_tensor_id whole)
{
    const int64_t chunks = htp_arg_int(l, "chunks");
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    htp_tensor_id one = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1);
    htp_tensor_id count = htp_emit_scalar_int(l, HTP_DTYPE_INT64, chunks);
    htp_tensor_id more = htp_emit_scalar_int(l, HTP_DTYPE_INT64, chunks - 1);
    htp_tensor_id is_empty = htp_emit_binary(l, "Equal", whole, zero);
    return (struct parts){whole,
                          htp_emit_binary(l, "Div", htp_emit_binary(l, "Add", whole, more), count),
                          htp_emit(l, "Where", HTP_IN(is_empty, count, one), HTP_NO_AT)};
}

/** The length of each part. */
static htp_tensor_id part_lengths(htp_lowering *l, struct parts parts)
{
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    htp_tensor_id one = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1);
    htp_tensor_id more =
        htp_emit_binary(l, "Add", parts.whole, htp_emit_binary(l, "Sub", parts.size, one));
    htp_tensor_id full =
        htp_emit_binary(l, "Div", more, htp_emit_binary(l, "Max", parts.size, one));
    htp_tensor_id count = htp_emit_binary(l, "Max", full, parts.least);
    htp_tensor_id number = htp_emit(l, "Range", HTP_IN(zero, count, one), HTP_NO_AT);
    htp_tensor_id left =
        htp_emit_binary(l, "Sub", parts.whole, htp_emit_binary(l, "Mul", number, parts.size));
    return htp_emit_binary(l, "Min", left, parts.size);
}

void htp_lower_sequence_split(htp_lowering *l)
{
    /* The dtypes for which ONNX Runtime has SplitToSequence. */
    static const bool splits[HTP_DTYPE_COUNT] = {
        [HTP_DTYPE_FLOAT32] = true, [HTP_DTYPE_FLOAT16] = true, [HTP_DTYPE_FLOAT64] = true,
        [HTP_DTYPE_INT32] = true,   [HTP_DTYPE_INT64] = true,   [HTP_DTYPE_BOOL] = true};
    htp_dtype dtype = htp_value_dtype(l, l->node->inputs[0]);
    if (dtype >= HTP_DTYPE_COUNT || !splits[dtype]) {
        htp_lower_fail(l, "a list of %s whose length depends on the data cannot be a sequence",
                       htp_dtype_name(dtype));
        return;
    }
    const bool is_split = htp_arg_present(l, "split_size");
    const bool has_lengths = is_split || htp_arg_present(l, "chunks");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    const int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    htp_tensor_id lengths = HTP_NONE;
    if (has_lengths && !l->failure) {
        htp_tensor_id whole = htp_emit_squeeze(l, htp_emit_dim(l, x, htp_arg_dims(l, "self"), axis),
                                               (const int64_t[]){0}, 1);
        lengths = part_lengths(l, is_split ? split_parts(l, whole) : chunk_parts(l, whole));
    }
    htp_bind(l, 0,
             htp_emit(l, "SplitToSequence", HTP_IN(x, lengths),
                      HTP_AT(htp_attribute_int("axis", axis),
                             htp_attribute_int("keepdims", has_lengths))));
}
