/*
 * Functions of the program, read when they first run.
 */
#include "interpret/machine/machine.h"

#include "interpret/operators/message.h"

#include <string.h>

static htp_outcome read_function(htp_machine *m, uint32_t function)
{
    if (m->program->functions[function].is_loaded) {
        return HTP_GOES_ON;
    }
    htp_error *error = &m->unread; /* too large for the stack */
    htp_shim_code code = m->program->load_function(m->program, function, error);
    if (code == HTP_SHIM_OK) {
        return HTP_GOES_ON;
    }
    htp_outcome outcome = code == HTP_SHIM_INTERNAL ? HTP_BREAKS : HTP_FAILS;
    htp_message_shorten(error);
    return htp_machine_stop(m, outcome, "%s", error->message);
}

/* A function that was read. */
static htp_loaded_function *make_loaded(htp_machine *m, uint32_t number)
{
    htp_loaded_function *code = HTP_NEW(m->arena, htp_loaded_function);
    code->function = m->program->functions[number];
    const htp_program_function *function = &code->function;
    code->is_unpacked = HTP_NEW_ARRAY(m->arena, bool, function->value_count);
    code->file_lines = HTP_NEW_ARRAY(m->arena, uint32_t, function->node_count);
    code->constants = HTP_NEW_ARRAY(m->arena, htp_item *, function->node_count);
    for (uint32_t i = 0; i < function->node_count; i++) {
        const htp_program_node *node = &function->nodes[i];
        bool unpacks = strcmp(node->kind, "prim::ListUnpack") == 0;
        for (uint32_t k = 0; unpacks && k < node->input_count; k++) {
            code->is_unpacked[node->inputs[k]] = true;
        }
    }
    return code;
}

htp_outcome htp_machine_load(htp_machine *m, uint32_t function, htp_loaded_function **code)
{
    if (function == HTP_NONE) {
        return htp_machine_stop(m, HTP_FAILS,
                                "a function is called that the program does not have");
    }
    while (m->control.functions.count <= function) {
        HTP_PUSH(m->arena, &m->control.functions, NULL);
    }
    if (!m->control.functions.items[function]) {
        HTP_DO(read_function(m, function));
        m->control.functions.items[function] = make_loaded(m, function);
    }
    *code = m->control.functions.items[function];
    return HTP_GOES_ON;
}
