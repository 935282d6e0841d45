/*
 * Models in memory, and the borders of all their modules.
 */
#include "query_fixture.h"

#include <htp/htp.h>

/* Opens a model of bytes that are gone afterwards. */
static htp_model *open_bytes(htp_arena *arena, htp_memory_file **file)
{
    htp_model *model = NULL;
    message made = chain_of(arena, NULL, "source_module", layers, 6);
    expect_ok(htp_memory_file_make(made.bytes, made.length, file));
    memset(made.bytes, 0, made.length);
    expect_ok(htp_model_open(htp_memory_file_path(*file), &model));
    return model;
}

/* The part of an answer from "inputs" on to the end of "outputs". */
static char *take_border(const char *json, const char *module)
{
    const char *at = module ? strstr(json, module) : json;
    ck_assert_msg(at != NULL, "%s is not in %s", module, json);
    const char *begin = strstr(at, "\"inputs\"");
    const char *end = strstr(begin, "\"outputs\"");
    end = strstr(end, "]}") ? strstr(end, "]}") : end + strlen(end);
    return strndup(begin, (size_t)(end - begin));
}

UNIT_TEST(bytes_are_a_model)
{
    htp_memory_file *file = NULL;
    htp_model *model = open_bytes(arena, &file);
    ck_assert_uint_eq(htp_model_node_count(model), 6);
    ck_assert_uint_eq(htp_model_untagged_count(model), 0);
    htp_model_free(model);
    uint64_t findings = 1;
    char *text = NULL;
    expect_ok(htp_validate_model(htp_memory_file_path(file), NULL, &text, NULL, &findings));
    htp_string_free(text);
    htp_memory_file_free(file);
}

UNIT_TEST(other_bytes_are_refused)
{
    htp_memory_file *file = NULL;
    htp_model *model = NULL;
    expect_ok(htp_memory_file_make("no model", 8, &file));
    expect_failure(htp_model_open(htp_memory_file_path(file), &model), HTP_CODE_BAD_INPUT, "");
    ck_assert_ptr_null(model);
    htp_memory_file_free(file);
    expect_ok(htp_memory_file_make(NULL, 0, &file));
    expect_failure(htp_model_open(htp_memory_file_path(file), &model), HTP_CODE_BAD_INPUT, "");
    htp_memory_file_free(file);
    expect_failure(htp_memory_file_make(NULL, 1, &file), HTP_CODE_USAGE, "no bytes");
    expect_failure(htp_memory_file_make("", 0, NULL), HTP_CODE_USAGE, "no place");
    htp_memory_file_free(NULL);
    ck_assert_ptr_null(htp_memory_file_path(NULL));
}

UNIT_TEST(borders_are_those_of_each_module)
{
    htp_memory_file *file = NULL;
    htp_model *model = open_bytes(arena, &file);
    htp_inspect_options options;
    htp_inspect_options_init(&options);
    options.borders = true;
    char *all = NULL;
    char *text = NULL;
    expect_ok(htp_model_inspect(model, &options, &text, &all));
    for (size_t i = 0; i < 6; i++) {
        char *one = NULL;
        options =
            (htp_inspect_options){.struct_size = sizeof(options), .module = layers[i], .depth = -1};
        expect_ok(htp_model_inspect(model, &options, NULL, &one));
        char *alone = take_border(one, NULL);
        char *among = take_border(all, htp_arena_printf(arena, "\"module\": \"%s\"", layers[i]));
        ck_assert_msg(strncmp(alone, among, strlen(among)) == 0, "%s: %s, not %s", layers[i], among,
                      alone);
        ck_assert_ptr_nonnull(strstr(text, layers[i]));
        free(alone);
        free(among);
        htp_string_free(one);
    }
    htp_string_free(all);
    htp_string_free(text);
    htp_model_free(model);
    htp_memory_file_free(file);
}

UNIT_TEST(borders_go_down_to_a_depth)
{
    htp_memory_file *file = NULL;
    htp_model *model = open_bytes(arena, &file);
    htp_inspect_options options;
    htp_inspect_options_init(&options);
    options.borders = true;
    options.depth = 0;
    char *all = NULL;
    expect_ok(htp_model_inspect(model, &options, NULL, &all));
    ck_assert_ptr_nonnull(strstr(all, "\"module\": \"/Net\""));
    ck_assert_ptr_null(strstr(all, "\"module\": \"/Net/Head\""));
    htp_string_free(all);
    options.module = "/Net";
    expect_failure(htp_model_inspect(model, &options, NULL, &all), HTP_CODE_USAGE, "borders");
    htp_model_free(model);
    htp_memory_file_free(file);
}

UNIT_MAIN("memory_file", bytes_are_a_model, other_bytes_are_refused,
          borders_are_those_of_each_module, borders_go_down_to_a_depth)
