#include "api/options.h"
#include "arguments_fixture.h"
#include "unit.h"

START_TEST(defaults)
{
    htp_options options;
    expect_ok(htp_options_copy(NULL, &options));
    ck_assert_int_eq(options.opset, 0);
    ck_assert_uint_eq(options.tags, HTP_TAG_ATTRIBUTE | HTP_TAG_METADATA);
    ck_assert_str_eq(options.tag_attribute_prefix, "__");
    ck_assert_int_eq(options.external_data, HTP_EXTERNAL_AUTO);
    ck_assert(!options.include_torch_nn);
    ck_assert_uint_eq(options.input_count, 0);
    ck_assert_ptr_null(options.functions);
    ck_assert(!options.functions_per_instance);
}
END_TEST

START_TEST(a_shorter_struct_gets_defaults)
{
    htp_options given;
    htp_options options;
    htp_options_init(&given);
    given.opset = 21;
    given.external_data = HTP_EXTERNAL_NEVER;
    given.struct_size = offsetof(htp_options, external_data);
    expect_ok(htp_options_copy(&given, &options));
    ck_assert_int_eq(options.opset, 21);
    ck_assert_int_eq(options.external_data, HTP_EXTERNAL_AUTO);
    ck_assert_uint_eq(options.struct_size, sizeof(options));
}
END_TEST

START_TEST(a_struct_of_another_version_is_refused)
{
    htp_options given;
    htp_options options;
    htp_options_init(&given);
    given.struct_size = sizeof(given) + 1;
    expect_failure(htp_options_copy(&given, &options), HTP_CODE_USAGE, "htp_options_init()");
    given.struct_size = 0;
    expect_failure(htp_options_copy(&given, &options), HTP_CODE_USAGE, "htp_options_init()");
}
END_TEST

START_TEST(opsets)
{
    for (int opset = 15; opset <= 25; opset++) {
        htp_options given;
        htp_options options;
        htp_options_init(&given);
        given.opset = opset;
        htp_status status = htp_options_copy(&given, &options);
        if (opset >= 17 && opset <= 23) {
            expect_ok(status);
            ck_assert_int_eq(options.opset, opset);
        } else {
            expect_failure(status, HTP_CODE_USAGE, "17 to 23");
        }
    }
}
END_TEST

/* Takes options that differ from the defaults in one field. */
#define TAKE(field, value)                                                                         \
    (htp_options_init(&given), given.field = (value), htp_options_copy(&given, &options))

START_TEST(fields_are_checked)
{
    htp_options given;
    htp_options options;
    expect_ok(TAKE(tags, 0));
    expect_failure(TAKE(tags, 16), HTP_CODE_USAGE, "place of tags");
    expect_ok(TAKE(tag_attribute_prefix, ""));
    expect_failure(TAKE(tag_attribute_prefix, "a b"), HTP_CODE_USAGE, "prefix \"a b\"");
    expect_failure(TAKE(tag_attribute_prefix, "\xff"), HTP_CODE_USAGE, "prefix");
    expect_failure(TAKE(external_data, (htp_external_data)3), HTP_CODE_USAGE, "external data");
    expect_failure(TAKE(input_count, 1), HTP_CODE_USAGE, "list of inputs");
    expect_ok(TAKE(tag_attribute_prefix, NULL));
    ck_assert_str_eq(options.tag_attribute_prefix, "__");
}
END_TEST

START_TEST(inputs_come_from_one_place)
{
    static const char *const inputs[] = {"x:float32[2]"};
    htp_options given;
    htp_options options;
    htp_options_init(&given);
    given.inputs = inputs;
    given.input_count = 1;
    expect_ok(htp_options_copy(&given, &options));
    given.inputs_file = "inputs.json";
    expect_failure(htp_options_copy(&given, &options), HTP_CODE_USAGE, "pass one of both");
}
END_TEST

START_TEST(lists_without_entries_are_refused)
{
    static const char *const texts[] = {NULL};
    htp_options given;
    htp_options options;
    htp_options_init(&given);
    given.inputs = texts;
    given.input_count = 1;
    expect_failure(htp_options_copy(&given, &options), HTP_CODE_USAGE, "list of inputs");
    htp_options_init(&given);
    given.libraries = texts;
    given.library_count = 1;
    expect_failure(htp_options_copy(&given, &options), HTP_CODE_USAGE, "list of libraries");
    htp_options_init(&given);
    given.custom_operators = texts;
    given.custom_operator_count = 1;
    expect_failure(htp_options_copy(&given, &options), HTP_CODE_USAGE, "custom operators");
}
END_TEST

START_TEST(functions)
{
    htp_options given;
    htp_options options;
    expect_ok(TAKE(functions, NULL));
    expect_ok(TAKE(functions, ""));
    ck_assert_str_eq(options.functions, "");
    expect_ok(TAKE(functions, "Layer, depth=2"));
    ck_assert(!options.functions_per_instance);
    given.functions_per_instance = true;
    expect_ok(htp_options_copy(&given, &options));
    ck_assert(options.functions_per_instance);
    expect_failure(TAKE(functions_per_instance, true), HTP_CODE_USAGE, "no functions");
    expect_failure(TAKE(functions, "Layer,"), HTP_CODE_USAGE, "an empty selector");
    expect_failure(TAKE(functions, "depth=x"), HTP_CODE_USAGE, "is no depth");
    expect_ok(TAKE(functions, ""));
    given.opset = 14;
    expect_failure(htp_options_copy(&given, &options), HTP_CODE_USAGE,
                   "functions need opset 15, and models are written with 17 to 23");
    given.opset = 16;
    expect_failure(htp_options_copy(&given, &options), HTP_CODE_USAGE, "17 to 23 are");
}
END_TEST

/* A missing argument is a failure with a reason, or has a default. */
START_TEST(nothing_is_passed)
{
    htp_result *result = NULL;
    char *text = NULL;
    expect_failure(htp_export(NULL, "x.onnx", NULL, NULL), HTP_CODE_USAGE, "model has no name");
    expect_failure(htp_export("x.pt", NULL, NULL, &result), HTP_CODE_USAGE, "output has no name");
    expect_failure(htp_export("x.pt", "", NULL, &result), HTP_CODE_USAGE, "output has no name");
    ck_assert_ptr_null(result);
    expect_failure(htp_dump_graph(NULL, NULL, &text), HTP_CODE_USAGE, "model has no name");
    expect_failure(htp_dump_graph("x.pt", NULL, NULL), HTP_CODE_USAGE, "no place");
    expect_failure(htp_inspect(NULL, NULL, &text, &text), HTP_CODE_USAGE, "model has no name");
    expect_failure(htp_inspect("", NULL, NULL, NULL), HTP_CODE_BAD_INPUT, "No such file");
    expect_failure(htp_libtorch_version(NULL), HTP_CODE_USAGE, "no place");
    ck_assert_ptr_null(text);
    htp_options_init(NULL);
    ck_assert_str_eq(htp_result_json(NULL), "");
    ck_assert_str_eq(htp_result_tree(NULL), "");
    ck_assert_uint_eq(htp_result_node_count(NULL), 0);
    htp_result_free(NULL);
    htp_string_free(NULL);
    htp_status_free(NULL);
    ck_assert_int_eq(htp_status_code(NULL), HTP_CODE_OK);
    ck_assert_str_eq(htp_status_message(NULL), "");
    ck_assert_uint_eq(htp_status_detail_count(NULL), 0);
    ck_assert_ptr_null(htp_status_detail_line(NULL, 0));
    ck_assert_ptr_null(htp_stage_name((htp_stage)-1));
    ck_assert_ptr_null(htp_operator_name(SIZE_MAX));
}
END_TEST

UNIT_MAIN("options", defaults, a_shorter_struct_gets_defaults,
          a_struct_of_another_version_is_refused, opsets, fields_are_checked,
          inputs_come_from_one_place, lists_without_entries_are_refused, functions,
          nothing_is_passed)
