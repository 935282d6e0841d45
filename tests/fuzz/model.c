/*
 * An ONNX file: opened, inspected, validated, its cost and its tags measured, its nodes selected,
 * drawn and extracted, and written without tags.
 */
#include "fuzz.h"

#include <string.h>

static void inspect(htp_model *model, const char *module)
{
    htp_inspect_options options;
    htp_inspect_options_init(&options);
    options.module = module;
    fuzz_inspect(model, &options);
}

/* Multiply-adds as formulas and as numbers, and as Model Explorer's node data. */
static void count_cost(htp_model *model)
{
    static const char *const sizes[] = {NULL, "batch=2"};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        htp_inspect_options options;
        htp_inspect_options_init(&options);
        options.cost = true;
        options.sizes = sizes[i];
        options.node_data = "/dev/null";
        char *text = NULL;
        if (fuzz_is_ok(htp_model_inspect(model, &options, &text, NULL))) {
            FUZZ_CHECK(text != NULL);
        }
        htp_string_free(text);
    }
}

static void measure_quality(const char *path)
{
    htp_quality_options options;
    htp_quality_options_init(&options);
    options.node_data = "/dev/null";
    char *json = NULL;
    if (fuzz_is_ok(htp_measure_quality(&path, 1, &options, NULL, &json, NULL))) {
        FUZZ_CHECK(json && json[0] == '{');
    }
    htp_string_free(json);
}

static void select_all(htp_model *model)
{
    static const char *const modules[] = {"**"};
    htp_selection selection;
    htp_selection_init(&selection);
    selection.modules = modules;
    selection.module_count = 1;
    for (int format = HTP_SELECT_NAMES; format <= HTP_SELECT_TRTEXEC; format++) {
        char *text = NULL;
        selection.format = (htp_selection_format)format;
        selection.weights = format % 2 == 1;
        if (fuzz_is_ok(htp_model_select(model, &selection, &text))) {
            FUZZ_CHECK(text != NULL);
        }
        htp_string_free(text);
    }
}

static void validate(const char *path)
{
    char *text = NULL;
    char *json = NULL;
    uint64_t count = 0;
    if (fuzz_is_ok(htp_validate_model(path, NULL, &text, &json, &count))) {
        FUZZ_CHECK(text && json);
    }
    htp_string_free(text);
    htp_string_free(json);
}

static void strip(htp_model *model)
{
    static const char device[] = "/dev/null";
    (void)fuzz_is_ok(htp_model_strip(model, device, NULL));
}

/* Types of values that cross borders are inferred if the file does not have them. */
static void extract(htp_model *model)
{
    static const char device[] = "/dev/null";
    static const char *const modules[] = {"*"};
    htp_extraction extraction;
    htp_extraction_init(&extraction);
    extraction.modules = modules;
    extraction.module_count = 1;
    (void)fuzz_is_ok(htp_model_extract(model, &extraction, device, NULL, NULL));
}

static bool count(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

static void draw(htp_model *model)
{
    static const struct {
        htp_drawing_format format;
        int depth;
        const char *module;
    } ways[] = {{HTP_DRAW_DOT, -1, NULL}, {HTP_DRAW_GRAPHML, 1, NULL}, {HTP_DRAW_MERMAID, 0, "*"}};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        htp_drawing drawing;
        size_t bytes = 0;
        htp_drawing_init(&drawing);
        drawing.format = ways[i].format;
        drawing.depth = ways[i].depth;
        drawing.module = ways[i].module;
        drawing.write = count;
        drawing.user = &bytes;
        if (fuzz_is_ok(htp_model_draw(model, &drawing, NULL))) {
            FUZZ_CHECK(bytes > 0);
        }
    }
}

void fuzz_model(const uint8_t *data, size_t size)
{
    htp_model *model = NULL;
    const char *path = fuzz_file(0, data, size);
    validate(path);
    measure_quality(path);
    if (fuzz_is_ok(htp_model_open(path, &model))) {
        inspect(model, NULL);
        inspect(model, "*");
        count_cost(model);
        select_all(model);
        strip(model);
        extract(model);
        draw(model);
    }
    htp_model_free(model);
}
