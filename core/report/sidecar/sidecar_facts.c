/*
 * Lists from values and modules to nodes, from which the sidecar is written.
 */
#include "report/sidecar/sidecar_facts.h"

#include "onnx/metadata/complex_border.h"
#include "query/tree/python_list.h"
#include "report/tree/values.h"

#include <string.h>

/* ---- lists ---- */

/* Counts an entry, in the first of two passes. */
static void count_item(htp_number_lists *lists, uint32_t thing)
{
    lists->first[thing + 2U]++;
}

/* Adds an entry, in the second pass. first[i + 1] moves from the beginning of list i to its end. */
static void add_item(htp_number_lists *lists, uint32_t thing, uint32_t item)
{
    lists->items[lists->first[thing + 1U]++] = item;
}

static void begin_lists(htp_arena *arena, htp_number_lists *lists, size_t things)
{
    lists->first = HTP_NEW_ARRAY(arena, uint32_t, things + 2);
}

/* Between the passes. */
static void lay_out_lists(htp_arena *arena, htp_number_lists *lists, size_t things)
{
    for (size_t i = 1; i < things + 2; i++) {
        lists->first[i] += lists->first[i - 1];
    }
    lists->items = HTP_NEW_ARRAY(arena, uint32_t, lists->first[things + 1] + 1U);
}

/* ---- readers ---- */

typedef void note_function(htp_sidecar *sidecar, uint32_t value, uint32_t node);

static void count_reader(htp_sidecar *sidecar, uint32_t value, uint32_t node)
{
    (void)node;
    count_item(&sidecar->readers, value);
}

static void add_reader(htp_sidecar *sidecar, uint32_t value, uint32_t node)
{
    add_item(&sidecar->readers, value, node);
}

static void note_values(htp_sidecar *sidecar, htp_view_range range, uint32_t node,
                        note_function *note)
{
    for (uint32_t i = range.first; i < range.first + range.count; i++) {
        uint32_t value = sidecar->view->operands.items[i];
        if (value != HTP_NONE) {
            note(sidecar, value, node);
        }
    }
}

static void note_readers(htp_sidecar *sidecar, note_function *note)
{
    const htp_view *view = sidecar->view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        note_values(sidecar, view->nodes.items[n].inputs, n, note);
    }
    for (size_t g = 0; g < view->graphs.count; g++) {
        if (view->graphs.items[g].node != HTP_NONE) {
            note_values(sidecar, view->graphs.items[g].outputs, view->graphs.items[g].node, note);
        }
    }
}

static void mark_output(htp_sidecar *sidecar, uint32_t value, uint32_t node)
{
    (void)node;
    sidecar->is_output[value] = true;
}

static void find_readers(htp_sidecar *sidecar)
{
    size_t count = sidecar->view->values.count;
    begin_lists(sidecar->arena, &sidecar->readers, count);
    note_readers(sidecar, count_reader);
    lay_out_lists(sidecar->arena, &sidecar->readers, count);
    note_readers(sidecar, add_reader);
    sidecar->is_output = HTP_NEW_ARRAY(sidecar->arena, bool, count + 1);
    note_values(sidecar, sidecar->view->graphs.items[0].outputs, HTP_NONE, mark_output);
}

/* Inputs or outputs of the model; weights that old files list among the inputs are left out. */
static const char *find_types(htp_sidecar *sidecar, htp_view_range range, const char *complex_key)
{
    const htp_view *view = sidecar->view;
    const htp_map complex = htp_complex_border_read(sidecar->arena, view, complex_key);
    htp_json json = {.text.arena = sidecar->arena};
    htp_json_begin(&json, NULL, '[');
    for (uint32_t i = range.first; i < range.first + range.count; i++) {
        const htp_view_value *value = &view->values.items[view->operands.items[i]];
        if (value->maker != HTP_VIEW_BY_INPUT || value->initializer == HTP_NONE) {
            htp_value_type type =
                htp_value_type_find(sidecar->arena, view, view->operands.items[i]);
            htp_json_begin(&json, NULL, '{');
            const char *name = htp_view_text(view, value->name);
            htp_json_string(&json, "name", name);
            htp_report_type_json(&json, &type);
            if (htp_complex_border_holds(sidecar->arena, &complex, name, &type)) {
                htp_json_bool(&json, "complex", true);
            }
            htp_json_end(&json, '}');
        }
    }
    htp_json_end(&json, ']');
    return htp_text_string(&json.text);
}

static void find_tensors(htp_sidecar *sidecar)
{
    const htp_view *view = sidecar->view;
    sidecar->tensor_values = HTP_NEW_ARRAY(sidecar->arena, uint32_t, view->tensors.count + 1);
    for (size_t i = 0; i < view->tensors.count; i++) {
        sidecar->tensor_values[i] = HTP_NONE;
    }
    for (uint32_t i = 0; i < view->values.count; i++) {
        if (view->values.items[i].initializer != HTP_NONE) {
            sidecar->tensor_values[view->values.items[i].initializer] = i;
        }
    }
}

/* ---- owners of weights ---- */

static void find_owners(htp_sidecar *sidecar)
{
    const htp_view *view = sidecar->view;
    const htp_tree *tree = sidecar->tree;
    htp_view_name key = htp_view_find_name(view, "name_scopes");
    HTP_VECTOR(uint32_t) items = {0};
    htp_map by_path = {0};
    for (uint32_t i = 0; i < tree->module_count; i++) {
        htp_map_set_bytes(sidecar->arena, &by_path, tree->modules[i].path.at,
                          tree->modules[i].path.length, i);
    }
    sidecar->owners.first = HTP_NEW_ARRAY(sidecar->arena, uint32_t, view->tensors.count + 1);
    sidecar->has_owners = HTP_NEW_ARRAY(sidecar->arena, bool, view->tensors.count + 1);
    for (size_t t = 0; t < view->tensors.count; t++) {
        const htp_view_property *scopes =
            htp_view_find_property(view, view->tensors.items[t].properties, key);
        const htp_slice *paths;
        size_t count = scopes ? htp_python_list_read(sidecar->arena, scopes->value, &paths) : 0;
        sidecar->has_owners[t] = scopes != NULL;
        for (size_t i = 0; i < count; i++) {
            uint32_t module;
            if (htp_map_get_bytes(&by_path, paths[i].at, paths[i].length, &module)) {
                HTP_PUSH(sidecar->arena, &items, module);
            }
        }
        sidecar->owners.first[t + 1] = (uint32_t)items.count;
    }
    sidecar->owners.items = items.items;
}

/* ---- modules ---- */

static void count_nodes(htp_sidecar *sidecar)
{
    const htp_tree *tree = sidecar->tree;
    for (size_t n = 0; n < sidecar->view->nodes.count; n++) {
        if (tree->places[n].innermost != HTP_NONE) {
            sidecar->own[tree->places[n].innermost]++;
        }
    }
    for (uint32_t i = tree->module_count; i-- > 0;) {
        uint32_t parent = tree->modules[i].parent;
        sidecar->ran[i] += sidecar->own[i];
        if (parent != HTP_NONE) {
            sidecar->ran[parent] += sidecar->ran[i];
            sidecar->has_children[parent] = true;
        }
    }
}

/* Gives every module a range inside its parent's, after the parent's own nodes. */
static void lay_out_modules(htp_sidecar *sidecar)
{
    const htp_tree *tree = sidecar->tree;
    uint32_t end = 0;
    uint32_t *next = HTP_NEW_ARRAY(sidecar->arena, uint32_t, tree->module_count + 1U);
    for (uint32_t i = 0; i < tree->module_count; i++) {
        uint32_t parent = tree->modules[i].parent;
        uint32_t *room = parent == HTP_NONE ? &end : &next[parent];
        sidecar->levels[i] = parent == HTP_NONE ? 0 : sidecar->levels[parent] + 1;
        sidecar->begins[i] = *room;
        *room += sidecar->ran[i];
        sidecar->ends[i] = *room;
        next[i] = sidecar->begins[i] + sidecar->own[i];
    }
    for (uint32_t i = 0; i < tree->module_count; i++) {
        next[i] = sidecar->begins[i];
    }
    for (uint32_t n = 0; n < sidecar->view->nodes.count; n++) {
        uint32_t module = tree->places[n].innermost;
        sidecar->places[n] = module == HTP_NONE ? HTP_NONE : next[module]++;
        if (module != HTP_NONE) {
            sidecar->nodes[sidecar->places[n]] = n;
        }
    }
}

static void find_modules(htp_sidecar *sidecar)
{
    htp_arena *arena = sidecar->arena;
    size_t nodes = sidecar->view->nodes.count + 1;
    size_t modules = sidecar->tree->module_count + 1U;
    uint32_t **const by_module[] = {&sidecar->begins, &sidecar->ends, &sidecar->own, &sidecar->ran,
                                    &sidecar->levels};
    for (size_t i = 0; i < sizeof(by_module) / sizeof(by_module[0]); i++) {
        *by_module[i] = HTP_NEW_ARRAY(arena, uint32_t, modules);
    }
    sidecar->has_children = HTP_NEW_ARRAY(arena, bool, modules);
    sidecar->nodes = HTP_NEW_ARRAY(arena, uint32_t, nodes);
    sidecar->places = HTP_NEW_ARRAY(arena, uint32_t, nodes);
    sidecar->seen = HTP_NEW_ARRAY(arena, uint32_t, nodes > modules ? nodes : modules);
    count_nodes(sidecar);
    lay_out_modules(sidecar);
}

uint32_t htp_sidecar_module_of(const htp_sidecar *sidecar, uint32_t node)
{
    htp_view_range tags = sidecar->tree->places[node].tags;
    return tags.count > 0 ? sidecar->tree->owners.items[tags.first] : HTP_NONE;
}

void htp_sidecar_begin_list(htp_sidecar *sidecar)
{
    if (++sidecar->mark == 0) { /* the counter wrapped around */
        size_t nodes = sidecar->view->nodes.count + 1;
        size_t modules = sidecar->tree->module_count + 1U;
        memset(sidecar->seen, 0, (nodes > modules ? nodes : modules) * sizeof(*sidecar->seen));
        sidecar->mark = 1;
    }
}

bool htp_sidecar_is_new(htp_sidecar *sidecar, uint32_t number)
{
    bool is_new = sidecar->seen[number] != sidecar->mark;
    sidecar->seen[number] = sidecar->mark;
    return is_new;
}

void htp_sidecar_find_facts(htp_sidecar *sidecar)
{
    const htp_view *view = sidecar->view;
    htp_unique_ids_make(sidecar->arena, view, sidecar->tree, &sidecar->keys);
    sidecar->inputs = find_types(sidecar, view->graphs.items[0].inputs, HTP_COMPLEX_INPUTS_KEY);
    sidecar->outputs = find_types(sidecar, view->graphs.items[0].outputs, HTP_COMPLEX_OUTPUTS_KEY);
    find_readers(sidecar);
    find_tensors(sidecar);
    find_owners(sidecar);
    find_modules(sidecar);
    sidecar->full_tag = htp_view_find_name(view, "full_tag");
    sidecar->call = htp_view_find_name(view, "call");
    sidecar->stack_trace = htp_view_find_name(view, "pkg.torch.onnx.stack_trace");
}
