/*
 * The module tree in a model's metadata, which the tree of all commands is made from.
 */
#include "fuzz.h"

void fuzz_records(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"/a/Neg", "/b/c/Neg", "/b/Neg", "Neg"};
    const char *path = fuzz_named_nodes(0, names, sizeof(names) / sizeof(names[0]), data, size);
    htp_model *model = NULL;
    if (fuzz_is_ok(htp_model_open(path, &model))) {
        htp_inspect_options options;
        htp_inspect_options_init(&options);
        fuzz_inspect(model, &options);
        options.borders = true;
        fuzz_inspect(model, &options);
        (void)fuzz_is_ok(htp_model_sidecar(model, "/dev/null", NULL));
    }
    htp_model_free(model);
}
