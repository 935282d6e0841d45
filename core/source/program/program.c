#include "source/program/program.h"

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
    return HTP_NONE;
}

htp_status htp_program_status(htp_shim_code code, htp_error *error)
{
    static const htp_code codes[] = {
        [HTP_SHIM_OK] = HTP_CODE_OK,
        [HTP_SHIM_INTERNAL] = HTP_CODE_INTERNAL,
        [HTP_SHIM_NOT_MODEL] = HTP_CODE_BAD_INPUT,
        [HTP_SHIM_BAD_INPUTS] = HTP_CODE_USAGE,
        [HTP_SHIM_UNSUPPORTED] = HTP_CODE_UNSUPPORTED,
    };
    if (code == HTP_SHIM_OK) {
        return HTP_OK;
    }
    htp_message_shorten(error);
    return htp_status_make(codes[code], "%s", error->message);
}

htp_status htp_program_load(const htp_program *program, uint32_t number,
                            htp_program_function *function)
{
    htp_error error = {{0}};
    htp_shim_code code = HTP_SHIM_OK;
    if (!program->functions[number].is_loaded) {
        code = program->load_function(program, number, &error);
    }
    *function = program->functions[number];
    return htp_program_status(code, &error);
}

htp_status htp_program_load_slot(const htp_program *program, uint32_t object, uint32_t slot,
                                 uint32_t *data)
{
    htp_error error = {{0}};
    return htp_program_status(program->load_slot(program, object, slot, data, &error), &error);
}
