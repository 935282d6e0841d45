/*
 * Addresses of modules in a model with layers, a line each: inspected, selected and left out.
 */
#include "fuzz.h"

#include <string.h>

enum { MOST_LINES = 8 };

static htp_model *open_layers(void)
{
    static const char *const names[] = {
        "/embeddings/word/Gather",      "/encoder/layer.0/attention/MatMul",
        "/encoder/layer.0/dense/Gemm",  "/encoder/layer.1/attention/MatMul",
        "/encoder/layer.1/dense/Gemm",  "/encoder/layer.10/attention/MatMul",
        "/encoder/layer.10/dense/Gemm", "/head%2Aa/norm/Mul",
    };
    htp_model *model = NULL;
    htp_status status = htp_model_open(
        fuzz_named_nodes(1, names, sizeof(names) / sizeof(names[0]), NULL, 0), &model);
    FUZZ_CHECK(!status);
    return model;
}

static void inspect(htp_model *model, const char *address)
{
    htp_inspect_options options;
    htp_inspect_options_init(&options);
    options.module = address;
    fuzz_inspect(model, &options);
}

/* The first line selects, the others are left out. */
static void select_nodes(htp_model *model, const char *const *addresses, size_t count)
{
    htp_selection selection;
    htp_selection_init(&selection);
    selection.modules = addresses;
    selection.module_count = 1;
    selection.except = addresses + 1;
    selection.except_count = count - 1;
    selection.op = addresses[count - 1];
    char *text = NULL;
    if (fuzz_is_ok(htp_model_select(model, &selection, &text))) {
        FUZZ_CHECK(text != NULL);
    }
    htp_string_free(text);
}

void fuzz_addresses(const uint8_t *data, size_t size)
{
    static htp_model *model;
    const char *addresses[MOST_LINES];
    size_t count = 0;
    char *text = calloc(size + 1, 1);
    FUZZ_CHECK(text);
    if (size > 0) {
        memcpy(text, data, size);
    }
    if (!model) {
        model = open_layers();
    }
    for (char *line = strtok(text, "\n"); line && count < MOST_LINES; line = strtok(NULL, "\n")) {
        addresses[count++] = line;
    }
    for (size_t i = 0; i < count; i++) {
        inspect(model, addresses[i]);
    }
    if (count > 0) {
        select_nodes(model, addresses, count);
    }
    free(text);
}
