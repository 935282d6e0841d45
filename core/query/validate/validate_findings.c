/*
 * Findings, and those about one node.
 */
#include "query/validate/validate_onnx.h"

#include <stdarg.h>

void htp_finding_add(htp_findings *findings, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = htp_arena_vprintf(findings->arena, format, arguments);
    va_end(arguments);
    HTP_PUSH(findings->arena, &findings->list, text);
    HTP_PUSH(findings->arena, &findings->subjects, findings->about);
}

void htp_validate_node(htp_validator *v, uint32_t node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = htp_arena_vprintf(v->arena, format, arguments);
    va_end(arguments);
    htp_finding_add(v->findings, "node '%s' (%s): %s", htp_view_call_node(v->view, node),
                    htp_view_text(v->view, v->view->nodes.items[node].op_type), text);
}
