/*
 * A profile of ONNX Runtime, told of a model of two nodes, with and without an optimised model.
 */
#include "fuzz.h"

/* An ONNX model: x -> Neg "/a/Neg" -> v -> Neg "/b/Neg" -> y. */
static const char model_bytes[] =
    "\x08\x0a\x3a\x4f\x0a\x13\x0a\x01x\x12\x01v\x1a\x06/a/Neg\x22\x03Neg"
    "\x0a\x13\x0a\x01v\x12\x01y\x1a\x06/b/Neg\x22\x03Neg\x12\x01g"
    "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x01"
    "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x01\x42\x04\x0a\x00\x10\x12";

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
    const char *path = fuzz_file(1, model_bytes, sizeof(model_bytes) - 1);
    htp_profiling_init(&profiling);
    profiling.profile = fuzz_file(0, data, size);
    FUZZ_CHECK(fuzz_is_ok(htp_model_open(path, &model)));
    tell(model, &profiling);
    profiling.optimized = path;
    profiling.module = "a";
    tell(model, &profiling);
    htp_model_free(model);
}
