#include "query/validate/validate.h"

#include "query/validate/validate_onnx.h"

/* ---- structure ---- */

/* The outermost graph around a graph, or itself. */
static uint32_t outermost(const htp_view *view, uint32_t graph)
{
    while (view->graphs.items[graph].parent != HTP_NONE) {
        graph = view->graphs.items[graph].parent;
    }
    return graph;
}

/* Each function has its own names. Constants count, since runtimes turn them into initializers. */
static void check_node_names(const htp_view *view, htp_findings *findings)
{
    const htp_view_name constant = htp_view_find_name(view, "Constant");
    htp_map known = {0};
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        const htp_view_node *node = &view->nodes.items[i];
        const uint32_t key[] = {outermost(view, node->graph), node->name};
        if (node->name == 0 || node->op_type == constant) {
            continue;
        }
        if (htp_map_get_bytes(&known, key, sizeof(key), NULL)) {
            htp_finding_add(findings, "node '%s': another node has this name",
                            htp_view_text(view, node->name));
        }
        htp_map_set_bytes(findings->arena, &known, key, sizeof(key), i);
    }
}

/* A function's imports count for its own nodes, the model's for all. */
static void check_domains(const htp_view *view, htp_findings *findings)
{
    bool *is_imported = HTP_NEW_ARRAY(findings->arena, bool, view->names.count);
    for (size_t i = 0; i < view->imports.count; i++) {
        is_imported[htp_view_domain(view, view->imports.items[i].domain)] = true;
    }
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        const htp_view_node *node = &view->nodes.items[i];
        uint32_t graph = outermost(view, node->graph);
        htp_view_name domain = htp_view_domain(view, node->domain);
        if (view->graphs.items[graph].function == HTP_NONE && !is_imported[domain]) {
            htp_finding_add(findings, "node '%s': its operators, '%s', are not imported",
                            htp_view_call_node(view, i),
                            domain == 0 ? "ai.onnx" : htp_view_text(view, domain));
        }
    }
}

void htp_validate_structure(const htp_view *view, htp_findings *findings)
{
    for (size_t i = 0; i < view->flaws.count; i++) {
        htp_finding_add(findings, "%s", htp_view_flaw_text(view, &view->flaws.items[i]));
    }
    check_node_names(view, findings);
    check_domains(view, findings);
    htp_validate_onnx(view, findings);
}

void htp_validate(const htp_view *file, const htp_view *view, const htp_tree *tree,
                  htp_findings *findings)
{
    bool is_ours = tree->source >= HTP_TREE_ATTRIBUTES && tree->source <= HTP_TREE_LAYER_ANN;
    htp_findings_turn_to(findings, HTP_NONE, HTP_NONE, HTP_NONE);
    htp_validate_structure(file, findings);
    if (is_ours && htp_validate_is_changed(view, tree)) {
        htp_validate_changed(view, tree, findings);
    } else if (is_ours) {
        htp_validate_functions(file, findings);
        htp_validate_nodes(view, tree, findings);
        htp_validate_records(view, tree, findings);
        htp_validate_weights(view, tree, findings);
    }
}
