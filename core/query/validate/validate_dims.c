/*
 * Ranks and dims: those inferred from the model's inputs against those declared.
 *
 * Our inference knows more than ONNX's, such as computed sizes. Dims that only ours knows are not
 * reported.
 */
#include "query/validate/validate_onnx.h"

#include "onnx/reader/inner_first.h"
#include "onnx/shape_inference/infer.h"

#include <inttypes.h>
#include <string.h>

/* ---- what ONNX infers ---- */

/* Operators whose output dims depend on operand contents: bit N stands for input N. */
static const struct contents_row {
    const char *op_type;
    uint32_t operands;
    bool tells_rank; /* the rank follows from dims alone */
} contents_rows[] = {
    {"AffineGrid", 1 << 1, false},
    {"CenterCropPad", 1 << 1, false},
    {"Col2Im", 1 << 1 | 1 << 2, false},
    {"ConstantOfShape", 1 << 0, true},
    {"Expand", 1 << 1, true},
    {"GatherND", 1 << 0, false},           /* ONNX infers nothing for a scalar */
    {"GroupNormalization", 1 << 0, false}, /* ONNX infers nothing */
    {"OneHot", 1 << 1, true},
    {"Pad", 1 << 1 | 1 << 3, true},
    {"Range", 1 << 0 | 1 << 1 | 1 << 2, true},
    {"ReduceL1", 1 << 1, false},
    {"ReduceL2", 1 << 1, false},
    {"ReduceLogSum", 1 << 1, false},
    {"ReduceLogSumExp", 1 << 1, false},
    {"ReduceMax", 1 << 1, false},
    {"ReduceMean", 1 << 1, false},
    {"ReduceMin", 1 << 1, false},
    {"ReduceProd", 1 << 1, false},
    {"ReduceSum", 1 << 1, false},
    {"ReduceSumSquare", 1 << 1, false},
    {"Reshape", 1 << 1, true},
    {"Resize", 1 << 1 | 1 << 2 | 1 << 3, true},
    {"Slice", 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4, true},
    {"Split", 1 << 1, true},
    {"SplitToSequence", 1 << 1, false},
    {"Squeeze", 1 << 1, false},
    {"Tile", 1 << 1, true},
    {"TopK", 1 << 1, true},
    {"Unsqueeze", 1 << 1, false},
    {"Upsample", 1 << 1, true},
};

static const struct contents_row *find_row(const char *op_type)
{
    for (size_t i = 0; i < sizeof(contents_rows) / sizeof(contents_rows[0]); i++) {
        if (strcmp(contents_rows[i].op_type, op_type) == 0) {
            return &contents_rows[i];
        }
    }
    return NULL;
}

static void note_node(const htp_validator *v, htp_sizes *s, uint32_t node)
{
    const htp_view *view = v->view;
    const htp_view_node *noted = &view->nodes.items[node];
    const char *op_type = htp_view_text(view, noted->op_type);
    const struct contents_row *row = find_row(op_type);
    bool is_inferred = v->schema[node] != NULL;
    bool has_rank = is_inferred;
    for (uint32_t i = 0; i < noted->inputs.count; i++) {
        uint32_t value = view->operands.items[noted->inputs.first + i];
        if (value != HTP_NONE) {
            bool needs_contents = row && i < 32 && (row->operands >> i & 1);
            bool has_contents = !needs_contents || s->is_constant[value];
            is_inferred = is_inferred && has_contents && htp_sizes_are_known(s, value);
            has_rank =
                has_rank && (has_contents || row->tells_rank) && htp_sizes_have_rank(s, value);
        }
    }
    for (uint32_t i = 0; i < noted->outputs.count; i++) {
        uint32_t value = view->operands.items[noted->outputs.first + i];
        if (value != HTP_NONE) {
            s->is_constant[value] = strcmp(op_type, "Constant") == 0;
            s->is_inferred[value] = is_inferred;
            s->has_rank[value] = has_rank;
        }
    }
}

static void note_all(const htp_validator *v, htp_sizes *s)
{
    const htp_view *view = v->view;
    const htp_view_order order = htp_view_inner_first(v->arena, view);
    s->is_constant = HTP_NEW_ARRAY(v->arena, bool, view->values.count);
    s->is_inferred = HTP_NEW_ARRAY(v->arena, bool, view->values.count);
    s->has_rank = HTP_NEW_ARRAY(v->arena, bool, view->values.count);
    for (uint32_t i = 0; i < view->values.count; i++) {
        s->is_constant[i] = view->values.items[i].maker == HTP_VIEW_BY_INITIALIZER;
        s->is_inferred[i] = view->values.items[i].maker != HTP_VIEW_BY_NODE;
        s->has_rank[i] = s->is_inferred[i];
    }
    for (size_t i = 0; i < order.own; i++) {
        note_node(v, s, order.nodes[i]);
    }
}

/* ---- declared dims ---- */

/* Whether two dims are numbers that differ. */
static bool differ(const htp_value_dim *declared, htp_dim inferred)
{
    return declared->size >= 0 && !declared->symbol && !inferred.symbol &&
           declared->size != inferred.size;
}

static void check_value(htp_validator *v, uint32_t value, const htp_value_type *declared,
                        const htp_tensor *inferred)
{
    const htp_view_value *made = &v->view->values.items[value];
    const char *name = htp_view_text(v->view, made->name);
    if (!declared->is_known || !declared->has_dims || *declared->container ||
        inferred->is_sequence) {
        return;
    }
    if (declared->rank != inferred->rank) {
        htp_validate_node(v, made->node, "'%s' is declared with %zu dims, and it makes %" PRIu32,
                          name, declared->rank, inferred->rank);
        return;
    }
    for (uint32_t i = 0; i < inferred->rank; i++) {
        if (differ(&declared->dims[i], inferred->dims[i])) {
            htp_validate_node(v, made->node,
                              "dim %" PRIu32 " of '%s' is declared as %" PRId64
                              ", and it makes %" PRId64,
                              i, name, declared->dims[i].size, inferred->dims[i].size);
            return;
        }
    }
}

void htp_validate_dims(htp_validator *v)
{
    const htp_view *view = v->view;
    htp_sizes s = {.built = htp_view_builder_make(v->arena, view, false, NULL)};
    if (!s.built.builder) {
        return;
    }
    (void)htp_builder_infer_types(s.built.builder);
    note_all(v, &s);
    htp_validate_operands(v, &s);
    for (uint32_t i = 0; i < view->values.count; i++) {
        const htp_tensor *tensor = &s.built.builder->tensors.items[i];
        if (view->values.items[i].maker == HTP_VIEW_BY_NODE && tensor->has_type &&
            s.is_inferred[i]) {
            check_value(v, i, &s.built.types[i], tensor);
        }
    }
}
