#include "lower/refusal/nesting.h"

enum { MAX_DEPTH = 30 };

/* Bodies precede their nodes. */
void htp_lower_check_nesting(htp_lowering *l, htp_unsupported *unsupported)
{
    const htp_builder *model = l->model;
    uint32_t *depths = HTP_NEW_ARRAY(l->arena, uint32_t, model->graphs.count + 1);
    for (size_t i = model->nodes.count; i-- > 0;) {
        const htp_onnx_node *node = &model->nodes.items[i];
        for (uint32_t k = 0; k < node->attribute_count; k++) {
            const htp_attribute *attribute = &node->attributes[k];
            if (attribute->kind != HTP_ATTRIBUTE_GRAPH) {
                continue;
            }
            depths[attribute->i] = depths[node->graph] + 1;
            if (depths[attribute->i] == MAX_DEPTH + 1) {
                const char *reason = htp_arena_printf(l->arena,
                                                      "branches and loops are nested more than %d "
                                                      "deep, which no reader of ONNX takes",
                                                      MAX_DEPTH);
                htp_unsupported_add(unsupported, l->graph, node->origin.node, reason);
            }
        }
    }
}
