#include "source/program.h"

#include "interpret/operators/message.h"

#include <string.h>

uint32_t htp_program_find_method(const htp_program *program, uint32_t class_number,
                                 const char *name)
{
    const htp_program_class *of = &program->classes[class_number];
    for (uint32_t i = 0; i < of->method_count; i++) {
        if (strcmp(of->method_names[i], name) == 0) {
            return of->methods[i];
        }
    }
    return HTP_PROGRAM_NONE;
}

htp_shim_code htp_program_load(const htp_program *program, uint32_t number,
                               htp_program_function *function, htp_shim_error *error)
{
    htp_shim_code code = HTP_SHIM_OK;
    if (!program->functions[number].is_loaded) {
        code = program->load_function(program, number, error);
    }
    if (code != HTP_SHIM_OK) {
        htp_message_shorten(error);
    }
    *function = program->functions[number];
    return code;
}
