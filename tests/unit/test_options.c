#include "api/options.h"
#include "arguments_fixture.h"
#include "unit.h"

START_TEST(defaults)
{
    htp_options options;
    expect_ok(htp_options_take(NULL, &options));
    ck_assert_int_eq(options.opset, 18);
    ck_assert_uint_eq(options.tags, HTP_TAG_ATTRIBUTE | HTP_TAG_METADATA);
    ck_assert_str_eq(options.tag_attribute_prefix, "__");
    ck_assert_int_eq(options.external_data, HTP_EXTERNAL_AUTO);
    ck_assert(!options.include_torch_nn);
    ck_assert_uint_eq(options.input_count, 0);
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
    expect_ok(htp_options_take(&given, &options));
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
    expect_failure(htp_options_take(&given, &options), HTP_CODE_USAGE, "htp_options_init()");
    given.struct_size = 0;
    expect_failure(htp_options_take(&given, &options), HTP_CODE_USAGE, "htp_options_init()");
}
END_TEST

START_TEST(opsets)
{
    for (int opset = 15; opset <= 25; opset++) {
        htp_options given;
        htp_options options;
        htp_options_init(&given);
        given.opset = opset;
        htp_status status = htp_options_take(&given, &options);
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
    (htp_options_init(&given), given.field = (value), htp_options_take(&given, &options))

START_TEST(fields_are_checked)
{
    htp_options given;
    htp_options options;
    expect_ok(TAKE(tags, 0));
    expect_failure(TAKE(tags, 8), HTP_CODE_USAGE, "place of tags");
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
    expect_ok(htp_options_take(&given, &options));
    given.inputs_file = "inputs.json";
    expect_failure(htp_options_take(&given, &options), HTP_CODE_USAGE, "pass one of both");
}
END_TEST

UNIT_MAIN("options", defaults, a_shorter_struct_gets_defaults,
          a_struct_of_another_version_is_refused, opsets, fields_are_checked,
          inputs_come_from_one_place)
