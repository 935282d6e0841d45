#include "api/paths.h"

#include "onnx/files/external.h"
#include "onnx/files/output.h"

/* Whether a data file of the output would replace the input, or belongs to the model at the
 * output's path. */
static bool is_data_file(const char *input, const char *output, bool has_external)
{
    char path[PATH_MAX];
    htp_external_use use;
    htp_external_find_use(output, &use);
    for (unsigned i = 0; i < HTP_EXTERNAL_NUMBERS; i++) {
        bool is_touched = has_external || use.numbers & UINT64_C(1) << i;
        if (is_touched && htp_external_path(output, i, path, sizeof(path)) &&
            htp_output_is_same(input, path)) {
            return true;
        }
    }
    return false;
}

htp_status htp_paths_check_model(const char *model_path)
{
    return model_path ? HTP_OK : htp_status_make(HTP_CODE_USAGE, "the model has no name");
}

htp_status htp_paths_check(htp_arena *arena, const char *const *inputs, size_t input_count,
                           const char *onnx_path, bool has_external)
{
    if (!onnx_path || *onnx_path == '\0') {
        return htp_status_make(HTP_CODE_USAGE, "the output has no name");
    }
    htp_output *output = HTP_NEW(arena, htp_output);
    HTP_TRY(htp_output_find(output, onnx_path));
    for (size_t i = 0; i < input_count; i++) {
        if (htp_output_is_same(inputs[i], onnx_path)) {
            return htp_status_make(HTP_CODE_USAGE,
                                   "the output '%s' is the input itself; choose another output",
                                   onnx_path);
        }
        if (!output->is_direct && is_data_file(inputs[i], output->path, has_external)) {
            return htp_status_make(HTP_CODE_USAGE,
                                   "the external data file of output '%s' would replace the "
                                   "input; choose another output",
                                   onnx_path);
        }
    }
    return HTP_OK;
}
