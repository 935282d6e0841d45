/*
 * Failures of lowerings: the first reason counts.
 */
#include "lower/emit/lowering.h"

#include <stdarg.h>

void htp_lower_fail(htp_lowering *l, const char *format, ...)
{
    if (l->failure) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    l->failure = htp_arena_vprintf(l->arena, format, arguments);
    va_end(arguments);
}

void htp_lower_fail_training(htp_lowering *l)
{
    htp_lower_fail(
        l, "%s",
        l->graph->trace->is_inference
            ? "it is in training mode by its own code, whatever eval() says"
            : "it is in training mode: save it after eval(), or export TorchScript with --eval");
}

bool htp_lower_needs_opset(htp_lowering *l, int opset, const char *what)
{
    if (l->model->opset >= opset) {
        return true;
    }
    if (!l->failure && opset > l->model->needed_opset) {
        l->model->needed_opset = opset;
        l->model->needed_by = l->node->kind;
    }
    htp_lower_fail(l, "%s needs opset %d", what, opset);
    return false;
}
