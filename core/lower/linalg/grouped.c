/*
 * aten::_grouped_mm: products of matrices that are slices of one tensor; argument offs has their
 * ends. Mixtures of experts use it to multiply each expert's rows by its weight.
 *
 * Every operand is split once into a part per group, so each element is copied and multiplied once.
 * Reference: ONNX Split, whose sizes may be dynamic.
 */
#include "lower/compose/compose.h"
#include "lower/emit/rows.h"

/** The axes that the groups divide, by the ranks of the operands. */
typedef struct grouping {
    uint32_t ranks[2];
    int64_t axes[2]; /* of the operands */
    int64_t joined;  /* axis of the concatenated products, with the axis of groups in front */
    bool has_tail;   /* the result has elements for those after the last group */
} grouping;

static const grouping groupings[] = {
    {{2, 3}, {0, 0}, 1, true},  /* groups of rows, a matrix each */
    {{3, 2}, {0, 1}, 2, true},  /* a matrix each, groups of columns */
    {{2, 2}, {1, 0}, 0, false}, /* groups of the summed axis */
};

enum { MAX_GROUPS = 4096 };

typedef struct grouped {
    const grouping *form;
    htp_dtype dtype;
    htp_tensor_id operands[2];
    htp_tensor_id ends; /* int64 [groups] */
    size_t count;
} grouped;

static const grouping *find_grouping(uint32_t first, uint32_t second)
{
    for (size_t i = 0; i < sizeof(groupings) / sizeof(*groupings); i++) {
        if (groupings[i].ranks[0] == first && groupings[i].ranks[1] == second) {
            return &groupings[i];
        }
    }
    return NULL;
}

static const char *operand_name(size_t index)
{
    return index == 0 ? "self" : "mat2";
}

/** The number of groups; 0 if unknown. */
static size_t count_groups(htp_lowering *l)
{
    const htp_dim *dims = htp_arg_rank(l, "offs") == 1 ? htp_arg_dims(l, "offs") : NULL;
    if (!dims || dims[0].symbol || dims[0].size < 1 || dims[0].size > MAX_GROUPS) {
        htp_lower_fail(l, "the number of groups must be fixed, and not above %d", MAX_GROUPS);
        return 0;
    }
    return (size_t)dims[0].size;
}

/** The number of elements after the last group along operand @p index's axis, as [1]. */
static htp_tensor_id emit_tail(htp_lowering *l, const grouped *g, size_t index)
{
    int64_t last = (int64_t)g->count - 1;
    htp_tensor_id all = htp_emit_dim(l, g->operands[index], htp_arg_dims(l, operand_name(index)),
                                     g->form->axes[index]);
    return htp_emit_binary(l, "Sub", all, htp_emit_slice(l, g->ends, 0, last, last + 1));
}

/** The sizes of the groups, then that of the tail. */
static htp_tensor_id emit_sizes(htp_lowering *l, const grouped *g, htp_tensor_id tail)
{
    htp_tensor_id sizes = g->ends;
    if (g->count > 1) {
        htp_tensor_id starts = htp_emit_concat(
            l, HTP_IN(htp_emit_int(l, 0), htp_emit_slice(l, g->ends, 0, 0, (int64_t)g->count - 1)),
            0);
        sizes = htp_emit_binary(l, "Sub", g->ends, starts);
    }
    return htp_emit_concat(l, HTP_IN(sizes, tail), 0);
}

/** The parts of operand @p index: matrices, or [1, rows, columns] of an operand with groups. */
static htp_tensor_id *split_operand(htp_lowering *l, const grouped *g, size_t index,
                                    htp_tensor_id sizes)
{
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, g->count + 1);
    htp_attribute axis = htp_attribute_int("axis", g->form->axes[index]);
    if (g->form->ranks[index] == 2) {
        htp_emit_many(l, "Split", HTP_IN(g->operands[index], sizes), HTP_AT(axis), parts,
                      g->count + 1);
    } else if (g->count == 1) {
        parts[0] = g->operands[index];
    } else {
        htp_emit_split(l, g->operands[index], 0, parts, g->count);
    }
    return parts;
}

/** Zeroes where libtorch leaves memory uninitialised: [1, tail, columns], [1, rows, tail] */
static htp_tensor_id emit_tail_of_result(htp_lowering *l, const grouped *g, htp_tensor_id tail)
{
    bool of_rows = g->form->joined == 1;
    htp_tensor_id rows =
        of_rows ? tail : htp_emit_dim(l, g->operands[0], htp_arg_dims(l, "self"), 1);
    htp_tensor_id columns =
        of_rows ? htp_emit_dim(l, g->operands[1], htp_arg_dims(l, "mat2"), 2) : tail;
    htp_tensor_id shape = htp_emit_concat(l, HTP_IN(htp_emit_int(l, 1), rows, columns), 0);
    return htp_emit_binary(l, "Expand", htp_emit_scalar(l, g->dtype, 0), shape);
}

/** The concatenated products of all groups. */
static htp_tensor_id multiply_groups(htp_lowering *l, const grouped *g)
{
    const int64_t front = 0;
    size_t ragged = g->form->ranks[0] == 2 ? 0 : 1;
    htp_tensor_id tail = emit_tail(l, g, ragged);
    htp_tensor_id sizes = emit_sizes(l, g, tail);
    const htp_tensor_id *left = split_operand(l, g, 0, sizes);
    const htp_tensor_id *right = split_operand(l, g, 1, sizes);
    htp_tensor_id *products = HTP_NEW_ARRAY(l->arena, htp_tensor_id, g->count + 1);
    for (size_t i = 0; i < g->count; i++) {
        products[i] = htp_emit_binary(l, "MatMul", left[i], right[i]);
        if (!g->form->has_tail) {
            products[i] = htp_emit_unsqueeze(l, products[i], &front, 1);
        }
    }
    size_t count = g->count;
    if (g->form->has_tail) {
        products[count++] = emit_tail_of_result(l, g, tail);
    }
    htp_tensor_id all = htp_emit_concat(l, (htp_emit_inputs){products, count}, g->form->joined);
    return g->form->has_tail ? htp_emit_squeeze(l, all, &front, 1) : all;
}

/** aten::_grouped_mm */
void htp_lower_grouped_mm(htp_lowering *l)
{
    grouped g = {.dtype = htp_arg_math_dtype(l, "self", HTP_MATH_KEEP_HALF)};
    for (size_t i = 0; i < 2; i++) {
        g.operands[i] = htp_arg_tensor_as(l, operand_name(i), g.dtype);
    }
    if (htp_arg_present(l, "bias")) {
        htp_lower_fail(l, "libtorch has no grouped product with a bias");
    }
    if (!htp_arg_present(l, "offs")) {
        htp_bind_cast(l, 0, htp_emit_binary(l, "MatMul", g.operands[0], g.operands[1]), g.dtype);
        return;
    }
    g.form = find_grouping(htp_arg_rank(l, "self"), htp_arg_rank(l, "mat2"));
    g.count = count_groups(l);
    if (!g.form || l->failure) {
        htp_lower_fail(l, "operands of rank %u and %u have no groups", htp_arg_rank(l, "self"),
                       htp_arg_rank(l, "mat2"));
        return;
    }
    g.ends = htp_arg_tensor_as(l, "offs", HTP_DTYPE_INT64);
    htp_bind_cast(l, 0, multiply_groups(l, &g), g.dtype);
}
