/*
 * A sidecar of a model of two nodes without tags: the modules come from the sidecar, which is
 * compared with the model.
 */
#include "fuzz.h"

void fuzz_sidecar(const uint8_t *data, size_t size)
{
    char *text = NULL;
    char *json = NULL;
    uint64_t count = 0;
    htp_validate_options options;
    htp_validate_options_init(&options);
    options.sidecar = fuzz_file(0, data, size);
    const char *path = fuzz_two_nodes(1);
    if (fuzz_is_ok(htp_validate_model(path, &options, &text, &json, &count))) {
        FUZZ_CHECK(text && json && json[0] == '{');
    }
    htp_string_free(text);
    htp_string_free(json);
}
