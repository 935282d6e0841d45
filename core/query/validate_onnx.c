#include "query/validate_onnx.h"

#include <stdarg.h>

void htp_validate_node(htp_validator *v, uint32_t node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = htp_arena_vprintf(v->arena, format, arguments);
    va_end(arguments);
    htp_finding_add(v->findings, "node '%s' (%s): %s", htp_view_call_node(v->view, node),
                    htp_view_text(v->view, v->view->nodes.items[node].op_type), text);
}

void htp_validate_onnx(const htp_view *file, htp_findings *findings)
{
    htp_arena *arena = findings->arena;
    htp_validator v = {.arena = arena,
                       .view = file,
                       .findings = findings,
                       .schemas = htp_schemas_new(arena),
                       .schema = HTP_NEW_ARRAY(arena, const htp_schema *, file->nodes.count),
                       .roots = HTP_NEW_ARRAY(arena, uint32_t, file->graphs.count)};
    if (file->graphs.count == 0) {
        return;
    }
    for (uint32_t g = 0; g < file->graphs.count; g++) { /* a body comes behind what it lies in */
        uint32_t parent = file->graphs.items[g].parent;
        v.roots[g] = parent == HTP_VIEW_NONE ? g : v.roots[parent];
    }
    htp_validate_operators(&v);
    htp_validate_graphs(&v);
    if (file->flaws.count == 0) {
        htp_validate_types(&v);
        htp_validate_dims(&v);
    }
}
