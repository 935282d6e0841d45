/*
 * Nodes and weights of modules, added up over the tree.
 */
#include "query/tree/tree_find.h"

#include "onnx/proto/tensor_type.h"

/* The deepest common ancestor; HTP_NONE: none. Levels count modules without tags, too. */
static uint32_t join(const htp_tree_module *modules, const uint32_t *levels, uint32_t a, uint32_t b)
{
    while (a != b && a != HTP_NONE && b != HTP_NONE) {
        uint32_t *deeper = levels[a] >= levels[b] ? &a : &b;
        *deeper = modules[*deeper].parent;
    }
    return a == b ? a : HTP_NONE;
}

static void measure_depths(htp_tree_finder *finder, uint32_t *levels)
{
    for (size_t i = 0; i < finder->modules.count; i++) {
        htp_tree_module *module = &finder->modules.items[i];
        if (module->parent != HTP_NONE) {
            const htp_tree_module *parent = &finder->modules.items[module->parent];
            module->depth = parent->depth + parent->has_tag;
            levels[i] = levels[module->parent] + 1;
        }
    }
}

static void count_nodes(htp_tree_finder *finder)
{
    htp_tree *tree = finder->tree;
    tree->nodes = finder->view->nodes.count;
    for (size_t i = 0; i < finder->view->nodes.count; i++) {
        htp_view_range tags = finder->places[i].tags;
        if (tags.count == 0) {
            tree->untagged++;
        } else {
            finder->modules.items[tree->owners.items[tags.first]].nodes_own++;
        }
    }
}

uint64_t htp_tree_elements(const htp_view *view, const htp_view_tensor *tensor)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->dims.count; i++) {
        elements *= (uint64_t)view->dims.items[tensor->dims.first + i];
    }
    return elements;
}

bool htp_tree_is_weight(const htp_view_tensor *tensor)
{
    enum { INT32 = 6, INT64 = 7, BOOL = 9 };
    return tensor->data_type != INT64 && tensor->data_type != INT32 && tensor->data_type != BOOL;
}

/* The owner of each weight: the deepest module around all its readers. */
static void find_owners(const htp_tree_finder *finder, const uint32_t *levels, uint32_t *owners,
                        bool *is_read)
{
    const htp_view *view = finder->view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        htp_view_range tags = finder->places[n].tags;
        uint32_t reader = tags.count > 0 ? finder->tree->owners.items[tags.first] : HTP_NONE;
        for (uint32_t i = 0; i < node->inputs.count; i++) {
            uint32_t value = view->operands.items[node->inputs.first + i];
            uint32_t tensor = value == HTP_NONE ? HTP_NONE : view->values.items[value].initializer;
            if (tensor != HTP_NONE) {
                owners[tensor] = is_read[tensor]
                                     ? join(finder->modules.items, levels, owners[tensor], reader)
                                     : reader;
                is_read[tensor] = true;
            }
        }
    }
}

/* Without records, or with stale ones: counts the tensors that nodes read. */
static void count_weights(htp_tree_finder *finder, const uint32_t *levels)
{
    const htp_view *view = finder->view;
    for (size_t i = 0; i < finder->modules.count; i++) {
        finder->modules.items[i].parameters = finder->modules.items[i].bytes = 0;
    }
    uint32_t *owners = HTP_NEW_ARRAY(finder->arena, uint32_t, view->tensors.count + 1);
    bool *is_read = HTP_NEW_ARRAY(finder->arena, bool, view->tensors.count + 1);
    find_owners(finder, levels, owners, is_read);
    for (size_t i = 0; i < view->tensors.count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[i];
        bool is_weight = is_read[i] && htp_tree_is_weight(tensor);
        if (is_weight) {
            uint32_t owner = owners[i] == HTP_NONE ? 0 : owners[i];
            finder->modules.items[owner].parameters += htp_tree_elements(view, tensor);
            finder->modules.items[owner].bytes += tensor->bytes;
        }
    }
}

static void add_up_weights(htp_tree_finder *finder)
{
    for (size_t i = finder->modules.count; i-- > 1;) {
        const htp_tree_module *module = &finder->modules.items[i];
        if (module->parent != HTP_NONE) {
            finder->modules.items[module->parent].parameters += module->parameters;
            finder->modules.items[module->parent].bytes += module->bytes;
        }
    }
}

void htp_tree_count(htp_tree_finder *finder)
{
    size_t count = finder->modules.count;
    uint32_t *levels = HTP_NEW_ARRAY(finder->arena, uint32_t, count);
    measure_depths(finder, levels);
    count_nodes(finder);
    for (size_t i = 0; i < count; i++) {
        finder->modules.items[i].nodes_total = finder->modules.items[i].nodes_own;
    }
    for (size_t i = count; i-- > 1;) {
        const htp_tree_module *module = &finder->modules.items[i];
        if (module->parent == HTP_NONE) {
            continue;
        }
        htp_tree_module *parent = &finder->modules.items[module->parent];
        parent->nodes_total += module->nodes_total;
    }
    finder->tree->are_records_stale = finder->tree->has_records && htp_tree_is_stale(finder);
    if (!finder->tree->has_records || finder->tree->are_records_stale) {
        count_weights(finder, levels);
        add_up_weights(finder);
    }
}
