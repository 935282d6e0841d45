/*
 * Finds nodes that compute a size, a position or a mask for several modules.
 */
#include "base/dtype.h"
#include "onnx/builder/builder.h"
#include "onnx/reader/shared.h"
#include "onnx/reader/value_type.h"
#include "query/tree/tree_find.h"

#include <string.h>

struct finding {
    const htp_tree_finder *finder;
    htp_view_name full_tags, call;
    bool *is_light;       /* by node: onnx/reader/shared.h allows it to be shared */
    bool *is_returned;    /* by value: an output of a graph */
    bool *is_light_input; /* by value: a non-floating input of the model */
};

static bool is_operand_light(const struct finding *f, uint32_t operand)
{
    const htp_view_value *value =
        operand == HTP_NONE ? NULL : &f->finder->view->values.items[operand];
    return !value || value->initializer != HTP_NONE || f->is_light_input[operand] ||
           (value->maker == HTP_VIEW_BY_NODE && f->is_light[value->node]);
}

static bool is_light(const struct finding *f, uint32_t n)
{
    const htp_view *view = f->finder->view;
    const htp_view_node *node = &view->nodes.items[n];
    const char *op_type = htp_view_text(view, node->op_type);
    bool is_onnx = htp_view_is_own_domain(view, node->domain);
    htp_shareable rule = is_onnx ? htp_shareable_rule(op_type) : HTP_SHAREABLE_NEVER;
    if (rule != HTP_SHAREABLE_WITH_OPERANDS) {
        return rule == HTP_SHAREABLE_ALWAYS ||
               (is_onnx && node->inputs.count == 0 && strcmp(op_type, "Constant") == 0);
    }
    bool are_light = true;
    for (uint32_t i = 0; i < node->inputs.count && are_light; i++) {
        are_light = is_operand_light(f, view->operands.items[node->inputs.first + i]);
    }
    return are_light;
}

/* Whether a node serves several modules, or several calls of one. */
static bool serves_several(const struct finding *f, uint32_t n)
{
    const htp_view *view = f->finder->view;
    htp_view_range properties = view->nodes.items[n].properties;
    const htp_view_property *call = htp_view_find_property(view, properties, f->call);
    return f->finder->places[n].tags.count > 1 ||
           htp_view_find_property(view, properties, f->full_tags) ||
           (call && memchr(call->value.at, ',', call->value.bytes));
}

static bool is_returned(const struct finding *f, uint32_t n)
{
    const htp_view *view = f->finder->view;
    htp_view_range made = view->nodes.items[n].outputs;
    return made.count != 1 || view->operands.items[made.first] == HTP_NONE ||
           f->is_returned[view->operands.items[made.first]];
}

static void find_light_inputs(const struct finding *f)
{
    const htp_view *view = f->finder->view;
    htp_view_range inputs = view->graphs.items[0].inputs;
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t value = view->operands.items[inputs.first + i];
        const htp_value_type type = htp_value_type_find(f->finder->arena, view, value);
        htp_dtype dtype;
        f->is_light_input[value] = type.is_known && *type.container == '\0' &&
                                   htp_dtype_of_onnx(type.data_type, &dtype) &&
                                   !htp_dtype_is_float(dtype);
    }
}

void htp_tree_find_shared(htp_tree_finder *finder)
{
    const htp_view *view = finder->view;
    struct finding f = {
        .finder = finder,
        .full_tags = htp_view_find_name(view, "full_tags"),
        .call = htp_view_find_name(view, "call"),
        .is_light = HTP_NEW_ARRAY(finder->arena, bool, view->nodes.count + 1),
        .is_returned = HTP_NEW_ARRAY(finder->arena, bool, view->values.count + 1),
        .is_light_input = HTP_NEW_ARRAY(finder->arena, bool, view->values.count + 1),
    };
    bool *is_shared = HTP_NEW_ARRAY(finder->arena, bool, view->nodes.count + 1);
    for (size_t g = 0; g < view->graphs.count; g++) {
        htp_view_range returned = view->graphs.items[g].outputs;
        for (uint32_t i = 0; i < returned.count; i++) {
            uint32_t value = view->operands.items[returned.first + i];
            f.is_returned[value == HTP_NONE ? view->values.count : value] = true;
        }
    }
    find_light_inputs(&f);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        f.is_light[n] = is_light(&f, n);
        is_shared[n] = f.is_light[n] && view->nodes.items[n].inputs.count > 0 &&
                       !is_returned(&f, n) && serves_several(&f, n);
    }
    finder->tree->is_shared = is_shared;
}
