/*
 * Tags in functions: an absolute one must hold for every call.
 */
#include "query/validate/validate.h"

#include "onnx/rewriter/strip.h"

#include <string.h>

/* The modules of a function's calls. */
struct callers {
    htp_slice first;
    htp_slice other; /* another one; empty: none */
};

static htp_slice slice_of(htp_span span)
{
    return (htp_slice){(const char *)span.at, span.bytes};
}

/* The absolute tag in a node's attribute or metadata, or empty. */
static htp_slice absolute_tag(const htp_view *view, htp_view_name key, uint32_t n)
{
    const htp_view_node *node = &view->nodes.items[n];
    const htp_view_property *property = htp_view_find_property(view, node->properties, key);
    htp_slice tag = property ? slice_of(property->value) : (htp_slice){NULL, 0};
    for (uint32_t i = 0; i < node->attributes.count && !tag.at; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[node->attributes.first + i];
        bool is_tag = attribute->kind == HTP_VIEW_STRING && htp_strip_is_tag(view, attribute);
        tag = is_tag ? slice_of(attribute->s) : tag;
    }
    bool is_absolute = tag.at && tag.length > 0 && tag.at[0] == '/';
    return is_absolute ? tag : (htp_slice){NULL, 0};
}

static htp_map number_functions(const htp_view *view, htp_arena *arena)
{
    htp_map functions = {0};
    for (uint32_t f = 0; f < view->functions.count; f++) {
        const htp_view_function *function = &view->functions.items[f];
        const htp_view_name key[] = {function->domain, function->name, function->overload};
        htp_map_set_bytes(arena, &functions, htp_arena_copy(arena, key, sizeof(key)), sizeof(key),
                          f);
    }
    return functions;
}

static void note_calls(const htp_view *view, htp_arena *arena, htp_view_name key,
                       struct callers *callers)
{
    const htp_map functions = number_functions(view, arena);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        const htp_view_name operator[] = {node->domain, node->op_type, node->overload};
        uint32_t function;
        if (!htp_map_get_bytes(&functions, operator, sizeof(operator), &function)) {
            continue;
        }
        htp_slice tag = absolute_tag(view, key, n);
        struct callers *of = &callers[function];
        if (tag.at && !of->first.at) {
            of->first = tag;
        } else if (tag.at && !htp_slice_equals(tag, of->first)) {
            of->other = tag;
        }
    }
}

static void check_node(const htp_view *view, const struct callers *callers, uint32_t node,
                       htp_slice tag, htp_findings *findings)
{
    const char *name = htp_view_call_node(view, node);
    if (callers->other.at) {
        htp_finding_add(findings,
                        "node '%s' of a function: the tag '%.*s' is absolute, and calls of '%.*s' "
                        "and '%.*s' run it",
                        name, (int)tag.length, tag.at, (int)callers->first.length,
                        callers->first.at, (int)callers->other.length, callers->other.at);
    }
}

void htp_validate_functions(const htp_view *file, htp_findings *findings)
{
    htp_arena *arena = findings->arena;
    htp_view_name key = htp_view_find_name(file, "source_module");
    if (file->functions.count == 0) {
        return;
    }
    struct callers *callers = HTP_NEW_ARRAY(arena, struct callers, file->functions.count);
    uint32_t *function_of = HTP_NEW_ARRAY(arena, uint32_t, file->graphs.count);
    note_calls(file, arena, key, callers);
    for (size_t g = 0; g < file->graphs.count; g++) { /* a body follows the graph around it */
        const htp_view_graph *graph = &file->graphs.items[g];
        function_of[g] = graph->parent == HTP_NONE ? graph->function : function_of[graph->parent];
    }
    for (uint32_t n = 0; n < file->nodes.count; n++) {
        uint32_t function = function_of[file->nodes.items[n].graph];
        htp_slice tag = absolute_tag(file, key, n);
        if (function != HTP_NONE && tag.at) {
            check_node(file, &callers[function], n, tag, findings);
        }
    }
}
