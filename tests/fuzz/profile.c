/*
 * A profile of ONNX Runtime for a model of two nodes, with and without an optimised model.
 */
#include "fuzz.h"

static void tell(htp_model *model, const htp_profiling *profiling)
{
    char *text = NULL;
    char *json = NULL;
    if (fuzz_is_ok(htp_model_profile(model, profiling, &text, &json))) {
        FUZZ_CHECK(text && json && json[0] == '{');
    }
    htp_string_free(text);
    htp_string_free(json);
}

void fuzz_profile(const uint8_t *data, size_t size)
{
    htp_model *model = NULL;
    htp_profiling profiling;
    const char *path = fuzz_two_nodes(1);
    htp_profiling_init(&profiling);
    profiling.profile = fuzz_file(0, data, size);
    FUZZ_CHECK(fuzz_is_ok(htp_model_open(path, &model)));
    tell(model, &profiling);
    profiling.optimized = path;
    profiling.module = "a";
    tell(model, &profiling);
    htp_model_free(model);
}
