/*
 * Operands whose ranks and dims do not fit each other, and attributes that do not fit the operands.
 *
 * Reference: the type inference functions of onnx/defs, which refuse the same.
 */
#include "query/validate/validate_onnx.h"

#include "onnx/reader/literals.h"

#include <inttypes.h>
#include <string.h>

/* The node under check. */
struct looking {
    htp_validator *v;
    const htp_sizes *sizes;
    uint32_t node;
};

typedef struct row {
    const char *op_type;
    void (*check)(const struct looking *l, const struct row *row);
    uint32_t input;        /* whose rank counts */
    uint32_t rank;         /* the required rank, or the least one */
    const char *attribute; /* of the check */
} row;

/* ---- known dims ---- */

static bool is_declared(const htp_sizes *sizes, uint32_t value)
{
    const htp_value_type *declared = &sizes->built.types[value];
    return declared->is_known && declared->has_dims;
}

bool htp_sizes_are_known(const htp_sizes *sizes, uint32_t value)
{
    return sizes->is_inferred[value] || is_declared(sizes, value);
}

bool htp_sizes_have_rank(const htp_sizes *sizes, uint32_t value)
{
    return sizes->has_rank[value] || is_declared(sizes, value);
}

/* ---- operands ---- */

/* The value of an input; HTP_NONE: none. */
static uint32_t find_value(const struct looking *l, uint32_t input)
{
    htp_view_range inputs = l->v->view->nodes.items[l->node].inputs;
    return input < inputs.count ? l->v->view->operands.items[inputs.first + input] : HTP_NONE;
}

static const htp_tensor *find_tensor(const struct looking *l, uint32_t input,
                                     bool (*is_known)(const htp_sizes *sizes, uint32_t value))
{
    uint32_t value = find_value(l, input);
    const htp_tensor *tensor =
        value == HTP_NONE ? NULL : &l->sizes->built.builder->tensors.items[value];
    bool is_found = tensor && tensor->has_type && !tensor->is_sequence && is_known(l->sizes, value);
    return is_found ? tensor : NULL;
}

/* An input whose dims are known as far as they are numbers, or NULL. */
static const htp_tensor *find_operand(const struct looking *l, uint32_t input)
{
    return find_tensor(l, input, htp_sizes_are_known);
}

/* An input whose rank is known. */
static const htp_tensor *find_ranked(const struct looking *l, uint32_t input)
{
    return find_tensor(l, input, htp_sizes_have_rank);
}

static const htp_view_attribute *find_attribute(const struct looking *l, const char *name,
                                                htp_view_kind kind)
{
    const htp_view_attribute *attribute =
        htp_view_find_attribute(l->v->view, l->node, htp_view_find_name(l->v->view, name));
    return attribute && attribute->kind == kind && !attribute->reference ? attribute : NULL;
}

static int64_t find_int(const struct looking *l, const char *name, int64_t otherwise)
{
    const htp_view_attribute *attribute = find_attribute(l, name, HTP_VIEW_INT);
    return attribute ? attribute->i : otherwise;
}

static int64_t version_of(const struct looking *l)
{
    return l->v->schema[l->node]->since;
}

static bool is_in_range(int64_t axis, int64_t rank)
{
    return axis >= -rank && axis < rank;
}

/* ---- dims ---- */

static bool can_meet(htp_dim a, htp_dim b)
{
    return a.symbol || b.symbol || a.size == b.size;
}

static bool can_broadcast(htp_dim a, htp_dim b)
{
    return can_meet(a, b) || a.size == 1 || b.size == 1;
}

static void tell_dims(const struct looking *l, uint32_t a, htp_dim of_a, uint32_t b, htp_dim of_b)
{
    htp_validate_node(l->v, l->node,
                      "inputs %" PRIu32 " and %" PRIu32 " have dims of %" PRId64 " and %" PRId64
                      " that cannot meet",
                      a, b, of_a.size, of_b.size);
}

/* Compares the last @p count axes but @p skipped, from the last one on. */
static bool check_pair(const struct looking *l, uint32_t i, uint32_t k, uint32_t skipped)
{
    const htp_tensor *a = find_operand(l, i);
    const htp_tensor *b = find_operand(l, k);
    for (uint32_t at = 1 + skipped; a && b && at <= a->rank && at <= b->rank; at++) {
        if (!can_broadcast(a->dims[a->rank - at], b->dims[b->rank - at])) {
            tell_dims(l, i, a->dims[a->rank - at], k, b->dims[b->rank - at]);
            return false;
        }
    }
    return true;
}

/* All inputs against the first one, and against the second. */
static void check_broadcast(const struct looking *l, const row *row)
{
    (void)row;
    uint32_t count = l->v->view->nodes.items[l->node].inputs.count;
    for (uint32_t i = 0; i < 2 && i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            if (!check_pair(l, i, k, 0)) {
                return;
            }
        }
    }
}

static void check_matmul(const struct looking *l, const row *row)
{
    (void)row;
    const htp_tensor *a = find_operand(l, 0);
    const htp_tensor *b = find_operand(l, 1);
    if (!a || !b) {
        return;
    }
    if (a->rank == 0 || b->rank == 0) {
        htp_validate_node(l->v, l->node, "a scalar is no matrix");
        return;
    }
    htp_dim inner = a->dims[a->rank - 1];
    htp_dim outer = b->dims[b->rank > 1 ? b->rank - 2 : 0];
    if (!can_meet(inner, outer)) {
        tell_dims(l, 0, inner, 1, outer);
    } else if (a->rank > 2 && b->rank > 2) {
        (void)check_pair(l, 0, 1, 2);
    }
}

static void check_gemm(const struct looking *l, const row *row)
{
    (void)row;
    const htp_tensor *a = find_operand(l, 0);
    const htp_tensor *b = find_operand(l, 1);
    if (!a || !b || a->rank != 2 || b->rank != 2) {
        return;
    }
    htp_dim inner = a->dims[find_int(l, "transA", 0) ? 0 : 1];
    htp_dim outer = b->dims[find_int(l, "transB", 0) ? 1 : 0];
    if (!can_meet(inner, outer)) {
        tell_dims(l, 0, inner, 1, outer);
    }
}

static void check_concat(const struct looking *l, const row *row)
{
    (void)row;
    const htp_tensor *first = find_operand(l, 0);
    int64_t axis = find_int(l, "axis", 1);
    uint32_t count = l->v->view->nodes.items[l->node].inputs.count;
    for (uint32_t i = 1; first && i < count; i++) {
        const htp_tensor *other = find_operand(l, i);
        if (other && other->rank != first->rank) {
            htp_validate_node(l->v, l->node,
                              "input 0 has %" PRIu32 " dims, and input %" PRIu32 " %" PRIu32,
                              first->rank, i, other->rank);
            return;
        }
        for (uint32_t k = 0; other && k < first->rank; k++) {
            bool is_axis = k == (axis < 0 ? axis + (int64_t)first->rank : axis);
            if (!is_axis && !can_meet(first->dims[k], other->dims[k])) {
                tell_dims(l, 0, first->dims[k], i, other->dims[k]);
                return;
            }
        }
    }
}

/* ---- ranks ---- */

static void tell_rank(const struct looking *l, const row *row, const htp_tensor *x,
                      const char *wanted)
{
    htp_validate_node(l->v, l->node, "input %" PRIu32 " has %" PRIu32 " dims, and needs %s%" PRIu32,
                      row->input, x->rank, wanted, row->rank);
}

static void check_rank(const struct looking *l, const row *row)
{
    const htp_tensor *x = find_ranked(l, row->input);
    if (x && x->rank != row->rank) {
        tell_rank(l, row, x, "");
    }
}

static void check_least_rank(const struct looking *l, const row *row)
{
    const htp_tensor *x = find_ranked(l, row->input);
    if (x && x->rank < row->rank) {
        tell_rank(l, row, x, "at least ");
    }
}

/* ---- axes ---- */

static void tell_axis(const struct looking *l, const char *name, int64_t axis, uint32_t rank)
{
    htp_validate_node(l->v, l->node, "%s is %" PRId64 ", and there are %" PRIu32 " dims", name,
                      axis, rank);
}

/* An attribute that is an axis of an input; row->rank widens its range. */
static void check_axis(const struct looking *l, const row *row)
{
    const htp_tensor *x = find_ranked(l, row->input);
    const htp_view_attribute *axis = find_attribute(l, row->attribute, HTP_VIEW_INT);
    if (x && axis && !is_in_range(axis->i, (int64_t)x->rank + row->rank)) {
        tell_axis(l, row->attribute, axis->i, x->rank);
    }
}

/* The axis that splits an operand into two sides: it may equal the rank. */
static void check_border(const struct looking *l, const row *row)
{
    const htp_tensor *x = find_ranked(l, row->input);
    const htp_view_attribute *axis = find_attribute(l, row->attribute, HTP_VIEW_INT);
    if (x && axis && axis->i != (int64_t)x->rank && !is_in_range(axis->i, x->rank)) {
        tell_axis(l, row->attribute, axis->i, x->rank);
    }
}

/* Ints of an attribute, or of a constant second input. */
static bool find_axes(const struct looking *l, const int64_t **axes, size_t *count)
{
    const htp_view *view = l->v->view;
    const htp_view_attribute *attribute = find_attribute(l, "axes", HTP_VIEW_INTS);
    uint32_t value = find_value(l, 1);
    if (attribute) {
        *count = htp_view_attribute_ints(attribute, l->v->arena, axes);
        return true;
    }
    uint32_t tensor = value == HTP_NONE || !l->sizes->is_constant[value]
                          ? HTP_NONE
                          : view->values.items[value].initializer;
    if (tensor == HTP_NONE || view->tensors.items[tensor].data_type != 7 /* INT64 */) {
        return false;
    }
    const void *data = htp_view_literals(l->v->arena, view, tensor);
    htp_view_range dims = view->tensors.items[tensor].dims;
    *count = dims.count == 0 ? 1 : (size_t)view->dims.items[dims.first];
    int64_t *copy = HTP_NEW_ARRAY(l->v->arena, int64_t, *count);
    if (data && *count > 0) {
        memcpy(copy, data, *count * sizeof(*copy));
    }
    *axes = copy;
    return data != NULL;
}

static void check_axes(const struct looking *l, const row *row)
{
    const htp_tensor *x = find_ranked(l, 0);
    const int64_t *axes;
    size_t count;
    (void)row;
    if (!x || !find_axes(l, &axes, &count)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_in_range(axes[i], x->rank)) {
            tell_axis(l, "one of the axes", axes[i], x->rank);
            return;
        }
    }
}

static void check_perm(const struct looking *l, const row *row)
{
    const htp_tensor *x = find_ranked(l, 0);
    const htp_view_attribute *attribute = find_attribute(l, "perm", HTP_VIEW_INTS);
    const int64_t *perm;
    (void)row;
    if (!x || !attribute) {
        return;
    }
    size_t count = htp_view_attribute_ints(attribute, l->v->arena, &perm);
    bool *is_named = HTP_NEW_ARRAY(l->v->arena, bool, x->rank);
    bool is_order = true;
    for (size_t i = 0; i < count && is_order; i++) {
        is_order = perm[i] >= 0 && perm[i] < x->rank && !is_named[perm[i]];
        if (is_order) {
            is_named[perm[i]] = true;
        }
    }
    if (!is_order) {
        htp_validate_node(l->v, l->node, "perm is no order of %" PRIu32 " dims", x->rank);
    }
}

/* ---- windows ---- */

/* Lists with one number per spatial dim, or two. */
static void check_window(const struct looking *l, const row *row)
{
    static const struct {
        const char *name;
        uint32_t each;
        int64_t least;
    } lists[] = {{"kernel_shape", 1, 1}, {"strides", 1, 1}, {"dilations", 1, 1}, {"pads", 2, 0}};
    const htp_tensor *x = find_ranked(l, row->input);
    if (!x) {
        return;
    }
    if (x->rank < 2) {
        htp_validate_node(l->v, l->node, "an image of %" PRIu32 " dims has no batch and channels",
                          x->rank);
        return;
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const htp_view_attribute *attribute = find_attribute(l, lists[i].name, HTP_VIEW_INTS);
        const int64_t *numbers;
        size_t count = attribute ? htp_view_attribute_ints(attribute, l->v->arena, &numbers) : 0;
        if (attribute && count != (uint64_t)lists[i].each * (x->rank - 2)) {
            htp_validate_node(l->v, l->node,
                              "%s has %zu numbers, and there are %" PRIu32
                              " dims behind batch and channels",
                              lists[i].name, count, x->rank - 2);
            return;
        }
        for (size_t k = 0; k < count && lists[i].least > 0; k++) {
            if (numbers[k] < lists[i].least) {
                htp_validate_node(l->v, l->node, "%s holds %" PRId64, lists[i].name, numbers[k]);
                return;
            }
        }
    }
}

static void check_convolution(const struct looking *l, const row *row)
{
    const htp_tensor *x = find_ranked(l, 0);
    const htp_tensor *w = find_ranked(l, row->input);
    check_window(l, &(struct row){.input = 0});
    if (x && w && x->rank != w->rank && !find_attribute(l, "kernel_shape", HTP_VIEW_INTS)) {
        htp_validate_node(l->v, l->node, "the weight has %" PRIu32 " dims, and the input %" PRIu32,
                          w->rank, x->rank);
    }
}

/* ---- dependent operands ---- */

static void check_one_of(const struct looking *l, uint32_t a, uint32_t b, const char *names)
{
    bool has_a = find_value(l, a) != HTP_NONE;
    bool has_b = find_value(l, b) != HTP_NONE;
    if (has_a == has_b) {
        htp_validate_node(l->v, l->node, "it needs %s %s", has_a ? "only one of" : "one of", names);
    }
}

static void check_resize(const struct looking *l, const row *row)
{
    (void)row;
    if (version_of(l) >= 13) {
        check_one_of(l, 2, 3, "scales and sizes");
    }
}

static void check_split(const struct looking *l, const row *row)
{
    (void)row;
    bool has_sizes = find_value(l, 1) != HTP_NONE;
    bool has_number = find_attribute(l, "num_outputs", HTP_VIEW_INT) != NULL;
    if (version_of(l) >= 18 && has_sizes == has_number) {
        htp_validate_node(l->v, l->node, "it needs %s sizes and num_outputs",
                          has_sizes ? "only one of" : "one of");
    }
}

/* One operand per term of the equation. */
static void check_einsum(const struct looking *l, const row *row)
{
    const htp_view_attribute *equation = find_attribute(l, "equation", HTP_VIEW_STRING);
    uint32_t count = l->v->view->nodes.items[l->node].inputs.count;
    uint32_t terms = 1;
    (void)row;
    for (size_t i = 0; equation && i < equation->s.bytes; i++) {
        terms += ((const char *)equation->s.at)[i] == ',';
    }
    if (equation && terms != count) {
        htp_validate_node(l->v, l->node,
                          "its equation is of %" PRIu32 " operands, and it has %" PRIu32, terms,
                          count);
    }
}

/* The number of heads is a dim, or an attribute. */
static void check_attention(const struct looking *l, const row *row)
{
    const htp_tensor *query = find_ranked(l, 0);
    (void)row;
    if (query && query->rank != 3 && query->rank != 4) {
        htp_validate_node(l->v, l->node, "input 0 has %" PRIu32 " dims, and needs 3 or 4",
                          query->rank);
    } else if (query && query->rank == 3 &&
               (!find_attribute(l, "q_num_heads", HTP_VIEW_INT) ||
                !find_attribute(l, "kv_num_heads", HTP_VIEW_INT))) {
        htp_validate_node(l->v, l->node, "operands of 3 dims need q_num_heads and kv_num_heads");
    }
}

/* ---- the table ---- */

static const row rows[] = {
#define OPERANDS(op_type, check, input, rank, attribute) {op_type, check, input, rank, attribute},
#include "query/validate/operand_checks.def"
#undef OPERANDS
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

void htp_validate_operands(htp_validator *v, const htp_sizes *sizes)
{
    htp_map first_rows = {0};
    for (uint32_t i = ROW_COUNT; i-- > 0;) {
        htp_map_set(v->arena, &first_rows, rows[i].op_type, i);
    }
    for (uint32_t n = 0; n < v->view->nodes.count; n++) {
        const struct looking looking = {v, sizes, n};
        uint32_t row;
        if (!v->schema[n] || !htp_map_get(&first_rows, v->schema[n]->op_type, &row)) {
            continue;
        }
        for (uint32_t i = row; i < ROW_COUNT && strcmp(rows[i].op_type, rows[row].op_type) == 0;
             i++) {
            rows[i].check(&looking, &rows[i]);
        }
    }
}
