/*
 * The module tree in a model's metadata, which the tree of all commands is made from.
 */
#include "fuzz.h"

static void inspect(htp_model *model, bool borders)
{
    htp_inspect_options options;
    htp_inspect_options_init(&options);
    options.borders = borders;
    char *text = NULL;
    char *json = NULL;
    if (fuzz_is_ok(htp_model_inspect(model, &options, &text, &json))) {
        FUZZ_CHECK(text && json && json[0] == '{');
    }
    htp_string_free(text);
    htp_string_free(json);
}

void fuzz_records(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"/a/Neg", "/b/c/Neg", "/b/Neg", "Neg"};
    const char *path = fuzz_named_nodes(0, names, sizeof(names) / sizeof(names[0]), data, size);
    htp_model *model = NULL;
    if (fuzz_is_ok(htp_model_open(path, &model))) {
        inspect(model, false);
        inspect(model, true);
        (void)fuzz_is_ok(htp_model_sidecar(model, "/dev/null", NULL));
    }
    htp_model_free(model);
}
