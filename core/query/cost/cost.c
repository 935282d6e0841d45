#include "query/cost/cost.h"

#include "base/dtype.h"
#include "onnx/shape_inference/infer.h"
#include "onnx/shape_inference/infer_builder.h"
#include "query/cost/cost_parts.h"
#include "query/dataflow/flow.h"

bool htp_cost_number(const htp_cost *cost, htp_polynomial_id id, uint64_t *number)
{
    int64_t found = 0;
    bool is_number =
        id != HTP_NONE && htp_polynomial_is_number(&cost->symbols->algebra, id, &found);
    *number = is_number && found > 0 ? (uint64_t)found : 0;
    return is_number && found >= 0;
}

/* State while nodes are counted. */
struct counter {
    htp_cost *cost;
    htp_counting counting;
    htp_map rows;      /* by name of the operator, behind "DOMAIN " where that is not ONNX's */
    uint32_t *row_of;  /* by name of the view, for ONNX's own: the row plus one; 0: none */
    bool *is_function; /* by name: a function of the model is called like this */
    htp_polynomial_id *bytes; /* by value */
};

/* ---- multiply-adds ---- */

static void note_rows(struct counter *c)
{
    htp_arena *arena = c->cost->arena;
    const htp_view *view = c->cost->view;
    c->row_of = HTP_NEW_ARRAY(arena, uint32_t, view->names.count + 1);
    c->is_function = HTP_NEW_ARRAY(arena, bool, view->names.count + 1);
    for (uint32_t i = 0; i < htp_count_row_count; i++) {
        const htp_count_row *row = &htp_count_rows[i];
        if (*row->domain) {
            htp_map_set(arena, &c->rows, htp_arena_join(arena, row->domain, " ", row->op_type), i);
        } else {
            htp_view_name name = htp_view_find_name(view, row->op_type);
            c->row_of[name] = name ? i + 1 : 0;
        }
    }
    for (size_t i = 0; i < view->functions.count; i++) {
        c->is_function[view->functions.items[i].name] = true;
    }
}

/* @return false for an operator that nothing is known of; @p row is NULL for one without
 * multiply-adds */
static bool find_row(const struct counter *c, const htp_view_node *node, const htp_count_row **row)
{
    const htp_view *view = c->cost->view;
    uint32_t found = 0;
    *row = NULL;
    if (c->is_function[node->op_type]) {
        return false;
    }
    if (htp_view_is_own_domain(view, node->domain)) {
        found = c->row_of[node->op_type];
        *row = found ? &htp_count_rows[found - 1] : NULL;
        return true;
    }
    const char *key = htp_arena_join(c->cost->arena, htp_view_text(view, node->domain), " ",
                                     htp_view_text(view, node->op_type));
    bool is_known = htp_map_get(&c->rows, key, &found);
    *row = is_known ? &htp_count_rows[found] : NULL;
    return is_known;
}

static htp_polynomial_id count_multiply_adds(struct counter *c, uint32_t number)
{
    const htp_view_node *node = &c->cost->view->nodes.items[number];
    const htp_count_row *row;
    if (!find_row(c, node, &row)) {
        return HTP_NONE;
    }
    if (!row) {
        return htp_polynomial_number(&c->cost->symbols->algebra, 0);
    }
    c->counting.node = node;
    c->counting.number = number;
    c->counting.a = row->a;
    c->counting.b = row->b;
    return row->count(&c->counting);
}

/* ---- bytes ---- */

/* The bytes of each value that nodes compute, or that the model is given. */
static void find_bytes(struct counter *c)
{
    const htp_view *view = c->cost->view;
    htp_algebra *algebra = &c->cost->symbols->algebra;
    c->bytes = HTP_NEW_ARRAY(c->cost->arena, htp_polynomial_id, view->values.count + 1);
    for (uint32_t v = 0; v < view->values.count; v++) {
        const htp_view_value *value = &view->values.items[v];
        const htp_tensor *tensor = &c->cost->builder->tensors.items[v];
        bool is_weight = value->initializer != HTP_NONE ||
                         (value->node != HTP_NONE && htp_flow_is_constant(view, value->node));
        c->bytes[v] = HTP_NONE;
        if (is_weight) {
            continue;
        }
        uint32_t size = tensor->has_type ? htp_dtype_size(tensor->dtype) : 0;
        if (size > 0 && !tensor->is_sequence) {
            htp_polynomial_id elements = htp_counting_elements(&c->counting, tensor);
            c->bytes[v] =
                htp_counting_times(&c->counting, elements, htp_polynomial_number(algebra, size));
        }
        c->cost->unsized += c->bytes[v] == HTP_NONE && value->maker != HTP_VIEW_BY_NOBODY;
    }
}

static htp_polynomial_id count_activations(const struct counter *c, const htp_view_node *node)
{
    const htp_view *view = c->cost->view;
    htp_polynomial_id sum = htp_polynomial_number(&c->cost->symbols->algebra, 0);
    for (uint32_t i = 0; i < node->outputs.count; i++) {
        uint32_t value = view->operands.items[node->outputs.first + i];
        if (value != HTP_NONE) {
            sum = htp_counting_plus(&c->counting, sum, c->bytes[value]);
        }
    }
    return sum;
}

/* ---- weights ---- */

static void add_weights(const htp_view *view, const htp_view_node *node, htp_cost_node *cost)
{
    for (uint32_t i = 0; i < node->inputs.count; i++) {
        uint32_t value = view->operands.items[node->inputs.first + i];
        uint32_t tensor = value == HTP_NONE ? HTP_NONE : view->values.items[value].initializer;
        bool is_new = tensor != HTP_NONE && htp_tree_is_weight(&view->tensors.items[tensor]);
        for (uint32_t k = 0; k < i && is_new && i < 8; k++) { /* an operator's few weights */
            is_new = view->operands.items[node->inputs.first + k] != value;
        }
        if (is_new) {
            cost->parameters += htp_tree_elements(view, &view->tensors.items[tensor]);
            cost->bytes += view->tensors.items[tensor].bytes;
        }
    }
}

/* ---- the whole ---- */

static void count_nodes(struct counter *c)
{
    htp_cost *cost = c->cost;
    const htp_view *view = cost->view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        htp_cost_node *counted = &cost->nodes[n];
        if (htp_flow_is_constant(view, n)) {
            counted->multiply_adds = counted->activations =
                htp_polynomial_number(&cost->symbols->algebra, 0);
            continue;
        }
        counted->multiply_adds = count_multiply_adds(c, n);
        counted->activations = count_activations(c, node);
        add_weights(view, node, counted);
    }
}

/* NULL where nothing can be inferred. */
static const htp_cost *find(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                            const htp_view_axes *axes)
{
    const htp_view_builder made = htp_view_builder_make(arena, view, true, axes);
    htp_cost *cost = HTP_NEW(arena, htp_cost);
    if (!made.builder) {
        return NULL;
    }
    (void)htp_builder_infer_types(made.builder);
    *cost = (htp_cost){.arena = arena,
                       .view = view,
                       .tree = tree,
                       .axes = axes,
                       .builder = made.builder,
                       .symbols = made.builder->graph->symbols,
                       .nodes = HTP_NEW_ARRAY(arena, htp_cost_node, view->nodes.count + 1)};
    struct counter c = {
        .cost = cost,
        .counting = {
            .arena = arena, .view = view, .builder = made.builder, .symbols = cost->symbols}};
    note_rows(&c);
    find_bytes(&c);
    count_nodes(&c);
    htp_cost_find_peak(cost, c.bytes);
    htp_cost_repeat(cost, made.graphs);
    htp_cost_add_up(cost);
    return cost;
}

htp_status htp_costs_find(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                          const char *sizes, htp_costs *costs)
{
    htp_view_axes *axes = HTP_NEW(arena, htp_view_axes);
    htp_view_axes *sized = HTP_NEW(arena, htp_view_axes);
    *axes = htp_view_axes_find(arena, view);
    *sized = htp_view_axes_find(arena, view);
    if (sizes) {
        HTP_TRY(htp_status_prefix(htp_view_axes_set(arena, sized, sizes), view->path));
    }
    *costs = (htp_costs){.sizes = sizes, .formulas = find(arena, view, tree, axes)};
    if (!costs->formulas) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: sizes cannot be inferred: the model imports no opset from 7 on "
                               "that is known",
                               view->path);
    }
    costs->numbers = sizes                   ? find(arena, view, tree, sized)
                     : axes->items.count > 0 ? NULL
                                             : costs->formulas;
    return HTP_OK;
}
