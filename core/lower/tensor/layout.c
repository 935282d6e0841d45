/*
 * Derives the layout of a value from the operators that made it: new memory, which libtorch fills
 * in order, and views.
 *
 * Reference: computeStride() in libtorch's TensorUtils.h for when reshaping copies.
 */
#include "lower/tensor/layout.h"

#include "lower/compose/compose.h"

#include <string.h>

enum { MAX_VISITS = 256 };

/** The graph, and how many values were visited. */
typedef struct search {
    const htp_lowering *l;
    uint32_t visits;
} search;

/** Turns the layout of an operator's first argument into that of output @p value; @p at has the
 * operator as its node. */
typedef bool (*derive_fn)(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout);

typedef struct maker {
    const char *kind;
    derive_fn derive; /* NULL: new memory, whatever the operands' layouts */
} maker;

static bool find(search *s, htp_value_id value, htp_layout *layout);

static const htp_dim *dims_of(const htp_lowering *l, htp_value_id value)
{
    return l->graph->values[value].dims;
}

static uint32_t rank_of(const htp_lowering *l, htp_value_id value)
{
    return htp_graph_value(l->graph, value)->rank;
}

static bool is_static(const htp_lowering *l, htp_value_id value)
{
    return htp_dims_are_static(dims_of(l, value), rank_of(l, value));
}

/** Makes a value its own base. */
static bool be_base(const htp_lowering *l, htp_value_id value, htp_layout *layout)
{
    *layout = (htp_layout){.base = value, .is_contiguous = true, .rank = rank_of(l, value)};
    return true;
}

/** Sets sizes and strides of a layout known to be contiguous. @return false if a dim is dynamic */
static bool spell_out(const htp_lowering *l, htp_value_id value, htp_layout *layout)
{
    if (!is_static(l, value)) {
        return false;
    }
    const htp_dim *dims = dims_of(l, value);
    int64_t stride = 1;
    for (uint32_t i = layout->rank; i-- > 0;) {
        layout->sizes[i] = dims[i].size;
        if (layout->is_contiguous) {
            layout->strides[i] = stride;
            stride *= dims[i].size > 1 ? dims[i].size : 1;
        }
    }
    return true;
}

/** Sets is_contiguous if the strides are those of a contiguous tensor. */
static void settle(htp_layout *layout)
{
    int64_t stride = 1;
    layout->is_contiguous = true;
    for (uint32_t i = layout->rank; i-- > 0;) {
        if (layout->sizes[i] != 1) {
            layout->is_contiguous = layout->is_contiguous && layout->strides[i] == stride;
            stride *= layout->sizes[i];
        }
    }
}

/* ---- views ---- */

static bool keep(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    (void)s;
    (void)at;
    (void)value;
    (void)layout;
    return true;
}

bool htp_layout_reshape_strides(uint32_t from_rank, const int64_t *sizes, const int64_t *from,
                                uint32_t rank, const int64_t *dims, int64_t *strides)
{
    int64_t next = (int64_t)rank - 1;
    int64_t base = from_rank ? from[from_rank - 1] : 1;
    int64_t elements = 1; /* of a run of dims in the old shape, and of one in the new */
    int64_t covered = 1;
    for (int64_t i = (int64_t)from_rank - 1; i >= 0; i--) {
        elements *= sizes[i];
        bool ends = i == 0 || (sizes[i - 1] != 1 && from[i - 1] != elements * base);
        if (!ends) {
            continue;
        }
        while (next >= 0 && (covered < elements || dims[next] == 1)) {
            strides[next] = covered * base;
            covered *= dims[next--];
        }
        if (covered != elements) {
            return false;
        }
        if (i > 0) {
            base = from[i - 1];
            elements = covered = 1;
        }
    }
    for (; next >= 0 && from_rank == 0; next--) {
        strides[next] = 1;
    }
    return next < 0;
}

/** The same elements in another shape; @p may_copy if the operator copies when no view is
 * possible. */
static bool reshape(const htp_lowering *l, htp_value_id value, htp_layout *layout, bool may_copy)
{
    int64_t dims[HTP_MAX_RANK] = {0};
    int64_t strides[HTP_MAX_RANK] = {0};
    uint32_t rank = rank_of(l, value);
    if (layout->is_contiguous) {
        layout->rank = rank; /* a view at all sizes */
        return true;
    }
    if (!is_static(l, value)) {
        return false;
    }
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = dims_of(l, value)[i].size;
    }
    if (!htp_layout_reshape_strides(layout->rank, layout->sizes, layout->strides, rank, dims,
                                    strides)) {
        return may_copy && be_base(l, value, layout);
    }
    layout->rank = rank;
    memcpy(layout->strides, strides, sizeof(strides));
    for (uint32_t i = 0; i < rank; i++) {
        layout->sizes[i] = dims_of(l, value)[i].size;
    }
    settle(layout);
    return true;
}

static bool derive_view(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    (void)at;
    return reshape(s->l, value, layout, false);
}

static bool derive_reshape(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    (void)at;
    return reshape(s->l, value, layout, true);
}

/** Permutes dims: dim i was dim order[i]. */
static bool reorder(const htp_lowering *l, htp_value_id input, htp_layout *layout,
                    const int64_t *order)
{
    if (!spell_out(l, input, layout)) {
        return false;
    }
    const htp_layout old = *layout;
    for (uint32_t i = 0; i < layout->rank; i++) {
        layout->sizes[i] = old.sizes[order[i]];
        layout->strides[i] = old.strides[order[i]];
    }
    settle(layout);
    return true;
}

static bool swap(htp_lowering *at, htp_layout *layout, int64_t a, int64_t b)
{
    int64_t order[HTP_MAX_RANK];
    for (uint32_t i = 0; i < layout->rank; i++) {
        order[i] = i == a ? b : i == b ? a : (int64_t)i;
    }
    return reorder(at, at->node->inputs[0], layout, order);
}

static bool derive_transpose(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    (void)s;
    (void)value;
    return swap(at, layout, htp_arg_dim(at, "dim0", layout->rank),
                htp_arg_dim(at, "dim1", layout->rank));
}

static bool derive_t(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    (void)s;
    (void)value;
    return layout->rank < 2 || swap(at, layout, layout->rank - 2, layout->rank - 1);
}

static bool derive_permute(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    (void)s;
    (void)value;
    size_t count = 0;
    const int64_t *order = htp_arg_dims_list(at, "dims", layout->rank, false, &count);
    return count == layout->rank && reorder(at, at->node->inputs[0], layout, order);
}

/** A slice of one dim from the argument start on; its length is the output's. */
static bool derive_slice(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    int64_t dim = htp_arg_dim(at, "dim", layout->rank);
    if (!spell_out(s->l, at->node->inputs[0], layout) || !is_static(s->l, value)) {
        return false;
    }
    int64_t start = htp_arg_int_or(at, "start", 0);
    start += start < 0 ? layout->sizes[dim] : 0;
    start = start < 0 ? 0 : start;
    start = start > layout->sizes[dim] ? layout->sizes[dim] : start;
    layout->offset += start * layout->strides[dim];
    layout->strides[dim] *= htp_arg_int_or(at, "step", 1);
    layout->sizes[dim] = dims_of(s->l, value)[dim].size;
    settle(layout);
    return true;
}

static bool derive_select(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    (void)value;
    int64_t dim = htp_arg_dim(at, "dim", layout->rank);
    int64_t index = htp_arg_int(at, "index");
    if (!spell_out(s->l, at->node->inputs[0], layout)) {
        return false;
    }
    layout->offset += (index + (index < 0 ? layout->sizes[dim] : 0)) * layout->strides[dim];
    for (uint32_t i = (uint32_t)dim; i + 1 < layout->rank; i++) {
        layout->sizes[i] = layout->sizes[i + 1];
        layout->strides[i] = layout->strides[i + 1];
    }
    layout->rank--;
    settle(layout);
    return true;
}

/* ---- copies ---- */

/** aten::contiguous: a view if the operand is contiguous, which must not depend on sizes. */
static bool derive_contiguous(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    bool is_copied = !layout->is_contiguous && is_static(s->l, value);
    if (htp_arg_int_or(at, "memory_format", 0) != 0) {
        return false;
    }
    return layout->is_contiguous || (is_copied && be_base(s->l, value, layout));
}

/** A copy of a contiguous tensor is contiguous. */
static bool derive_copy(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    bool is_preserved =
        !htp_arg_present(at, "memory_format") || htp_arg_int(at, "memory_format") != 0;
    return (layout->is_contiguous || !is_preserved) && be_base(s->l, value, layout);
}

/** A cast to the same dtype returns its operand. */
static bool derive_cast(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    htp_dtype from = htp_graph_value(s->l->graph, at->node->inputs[0])->dtype;
    bool is_same = from == htp_graph_value(s->l->graph, value)->dtype;
    if (is_same && !htp_arg_bool_or(at, "copy", false)) {
        return true;
    }
    return derive_copy(s, at, value, layout);
}

/** Padding with a constant: new memory, in the order of the dims; beyond three dims, in the input's
 * memory order. Pure cropping copies. */
static bool derive_pad(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    size_t count = 0;
    const int64_t *pads = htp_arg_is_constant(at, "pad") ? htp_arg_ints(at, "pad", &count) : NULL;
    bool adds = false;
    for (size_t i = 0; i < count; i++) {
        adds = adds || pads[i] > 0;
    }
    bool is_constant =
        !htp_arg_present(at, "mode") || strcmp(htp_arg_string(at, "mode"), "constant") == 0;
    return adds && is_constant && (rank_of(s->l, value) <= 3 || layout->is_contiguous) &&
           be_base(s->l, value, layout);
}

/** In eval mode aten::dropout returns its operand. */
static bool derive_dropout(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    (void)s;
    (void)value;
    (void)layout;
    return !htp_arg_bool_or(at, "train", true) || htp_arg_float(at, "p") == 0;
}

/** Element-wise operators: new memory, in order if every operand of the result's shape is. */
static bool derive_elementwise(search *s, htp_lowering *at, htp_value_id value, htp_layout *layout)
{
    for (uint32_t i = 0; i < at->node->input_count; i++) {
        htp_value_id input = at->node->inputs[i];
        if (htp_graph_value(s->l->graph, input)->kind != HTP_TRACE_TENSOR ||
            rank_of(s->l, input) == 0) {
            continue;
        }
        htp_layout other;
        bool same_rank = rank_of(s->l, input) == rank_of(s->l, value);
        if (!same_rank || !find(s, input, &other) || !other.is_contiguous) {
            return false;
        }
    }
    return be_base(s->l, value, layout);
}

static const maker makers[] = {
    {"aten::add.Tensor", derive_elementwise},
    {"aten::add.Scalar", derive_elementwise},
    {"aten::addmm", NULL},
    {"aten::alias", keep},
    {"aten::arange", NULL},
    {"aten::bmm", NULL},
    {"aten::clone", derive_copy}, /* unless contiguous: is_copy_in_order() */
    {"aten::constant_pad_nd", derive_pad},
    {"aten::contiguous", derive_contiguous},
    {"aten::detach", keep},
    {"aten::div.Scalar", derive_elementwise},
    {"aten::div.Tensor", derive_elementwise},
    {"aten::dropout", derive_dropout},
    {"aten::embedding", NULL},
    {"aten::flatten.using_ints", derive_reshape},
    {"aten::full", NULL},
    {"aten::layer_norm", NULL},
    {"aten::linear", NULL},
    {"aten::masked_fill.Scalar", NULL},
    {"aten::mm", NULL},
    {"aten::mul.Scalar", derive_elementwise},
    {"aten::mul.Tensor", derive_elementwise},
    {"aten::new_ones", NULL},
    {"aten::new_zeros", NULL},
    {"aten::ones", NULL},
    {"aten::pad", derive_pad},
    {"aten::permute", derive_permute},
    {"aten::reshape", derive_reshape},
    {"aten::reshape_as", derive_reshape},
    {"aten::select.int", derive_select},
    {"aten::slice.Tensor", derive_slice},
    {"aten::squeeze", derive_view},
    {"aten::squeeze.dim", derive_view},
    {"aten::sub.Scalar", derive_elementwise},
    {"aten::sub.Tensor", derive_elementwise},
    {"aten::t", derive_t},
    {"aten::to.dtype", derive_cast},
    {"aten::transpose.int", derive_transpose},
    {"aten::type_as", derive_cast},
    {"aten::unflatten.int", derive_view},
    {"aten::unsqueeze", derive_view},
    {"aten::view", derive_view},
    {"aten::zeros", NULL},
};

static const maker *find_maker(const char *kind)
{
    for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
        if (strcmp(makers[i].kind, kind) == 0) {
            return &makers[i];
        }
    }
    return NULL;
}

/** Whether an operator works in place: "aten::div_.Tensor". */
static bool is_in_place(const char *kind)
{
    const char *overload = strchr(kind, '.');
    const char *end = overload ? overload : kind + strlen(kind);
    return end - kind > 2 && end[-1] == '_' && end[-2] != '_';
}

/** Whether an operator copies into the order of the dims, whatever its operand's layout. */
static bool is_copy_in_order(htp_lowering *at)
{
    return strcmp(at->node->kind, "aten::clone") == 0 && htp_arg_present(at, "memory_format") &&
           htp_arg_int(at, "memory_format") == 0;
}

/** Whether a weight is stored in order: archives may have any strides. */
static bool is_weight_in_order(const htp_weight *weight)
{
    int64_t stride = 1;
    for (uint32_t i = weight->rank; i-- > 0;) {
        if (weight->dims[i] != 1 && weight->strides[i] != stride) {
            return false;
        }
        stride *= weight->dims[i];
    }
    return weight->storage_offset == 0;
}

static bool find(search *s, htp_value_id value, htp_layout *layout)
{
    const htp_lowering *l = s->l;
    const htp_trace_value *facts = htp_graph_value(l->graph, value);
    if (facts->kind != HTP_TRACE_TENSOR || facts->rank > HTP_MAX_RANK || s->visits++ > MAX_VISITS) {
        return false;
    }
    if (facts->weight != HTP_NONE) {
        return is_weight_in_order(&l->graph->trace->weights[facts->weight]) &&
               be_base(l, value, layout);
    }
    if (facts->producer == HTP_NONE) {
        /* Inputs are contiguous; a constant may not be. */
        return !facts->data && be_base(l, value, layout);
    }
    htp_lowering at = *l;
    at.node = htp_graph_node(l->graph, facts->producer);
    if (at.node->output_count != 1 || at.node->outputs[0] != value || at.node->input_count == 0) {
        return false;
    }
    if (is_in_place(at.node->kind)) {
        return find(s, at.node->inputs[0], layout) && layout->base == at.node->inputs[0] &&
               be_base(l, value, layout);
    }
    const maker *known = find_maker(at.node->kind);
    if (!known || !known->derive || is_copy_in_order(&at)) {
        return known && be_base(l, value, layout);
    }
    bool found = find(s, at.node->inputs[0], layout) && known->derive(s, &at, value, layout);
    return found && !at.failure;
}

bool htp_layout_find(const htp_lowering *l, htp_value_id value, htp_layout *layout)
{
    search s = {.l = l};
    return find(&s, value, layout);
}
