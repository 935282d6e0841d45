#include "arguments_fixture.h"
#include "unit.h"

static const htp_argument arguments[] = {
    {.name = "ids", .kind = HTP_TRACE_TENSOR, .type = "Tensor"},
    {.name = "scale", .kind = HTP_TRACE_FLOAT, .type = "float", .is_optional = true},
    {.name = "flag", .kind = HTP_TRACE_BOOL, .type = "bool", .is_optional = true},
    {.name = "past",
     .kind = HTP_TRACE_LIST,
     .type = "List[Dict[str, Tensor]]",
     .is_optional = true},
};

static htp_status parse(htp_arena *arena, const char *text, htp_inputs *inputs)
{
    return htp_inputs_parse_json(arena, "in.json", text, true, arguments, 4, inputs);
}

UNIT_TEST(all_forms_mean_the_same)
{
    static const char *const forms[] = {
        "{\"ids\": {\"dtype\": \"int64\", \"shape\": [{\"batch\": 2}, 8]}}",
        "{\"ids\": {\"shape\": [\"batch=2\", 8], \"dtype\": \"int64\"}}",
        "{\"ids\": \"int64[batch=2,8]\"}",
        " {\n\"ids\"\t:\"int64[batch=2, 8]\" } \n",
        "{\"\": \"int64[batch=2,8]\"}",
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        htp_inputs inputs;
        expect_ok(parse(arena, forms[i], &inputs));
        ck_assert_uint_eq(inputs.count, 4);
        ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 0), "ids:int64[batch=2,8]");
        ck_assert(inputs.items[1].is_none);
    }
}

UNIT_TEST(numbers_and_truth)
{
    htp_inputs inputs;
    expect_ok(parse(arena, "{\"ids\": \"int64[]\", \"scale\": 0.25, \"flag\": true}", &inputs));
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 1), "scale:float=0.25");
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 2), "flag:bool=true");
    expect_ok(parse(arena, "{\"ids\": \"int64[]\", \"scale\": 3}", &inputs));
    ck_assert_double_eq(inputs.items[1].scalar, 3);
}

UNIT_TEST(values_are_checked)
{
    static const char *const values[] = {"0", "-3", "\"arange\"", "true"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        htp_inputs inputs;
        const char *dtype = i == 3 ? "bool" : "int64";
        expect_ok(parse(arena,
                        htp_arena_printf(arena,
                                         "{\"ids\": {\"dtype\": \"%s\", \"shape\": [2], "
                                         "\"value\": %s}}",
                                         dtype, values[i]),
                        &inputs));
    }
}

UNIT_TEST(parts_are_nested)
{
    htp_inputs inputs;
    expect_ok(parse(arena,
                    "{\"ids\": \"int64[]\", \"past\": [{\"k\": \"float32[2]\"}, "
                    "{\"k\": {\"dtype\": \"float32\", \"shape\": [3]}}, {}]}",
                    &inputs));
    ck_assert_uint_eq(inputs.count, 6);
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 3), "past.0.k:float32[2]");
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 4), "past.1.k:float32[3]");
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 5), "past.2:[]");
    expect_ok(parse(arena, "{\"ids\": \"int64[]\", \"past.0.k\": \"float32[2]\"}", &inputs));
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 3), "past.0.k:float32[2]");
}

/* Inputs in an archive must not open files of the user who exports it. */
UNIT_TEST(an_archive_names_no_files)
{
    static const char *const texts[] = {
        "{\"ids\": \"@/dev/zero\"}",
        "{\"ids\": \"int64[2]=@/dev/zero\"}",
        "{\"ids\": {\"dtype\": \"@/dev/zero\", \"shape\": [2]}}",
        "{\"ids\": {\"dtype\": \"int64\", \"shape\": [2], \"value\": \"@/dev/zero\"}}",
        "{\"ids:@/dev/zero\": 3}",
        "{\"past\": [\"@/dev/zero\"]}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        htp_inputs inputs;
        expect_failure(
            htp_inputs_parse_json(arena, "in.json", texts[i], false, arguments, 4, &inputs),
            HTP_CODE_USAGE, "names a file, which an archive must not");
        expect_failure(parse(arena, texts[i], &inputs), HTP_CODE_USAGE, "/dev/zero");
    }
}

UNIT_TEST(long_numbers_fit)
{
    htp_text text = {.arena = arena};
    htp_text_add(&text, "{\"ids\":{\"dtype\":\"int64\",\"shape\":[1");
    for (int i = 1; i < 64; i++) {
        htp_text_add(&text, ",1e-9");
    }
    htp_text_add(&text, "]}}");
    htp_inputs inputs;
    expect_failure(parse(arena, htp_text_string(&text), &inputs), HTP_CODE_USAGE,
                   "a formula is made of");
}

UNIT_TEST(wrong_files)
{
    static const struct {
        const char *text;
        const char *words;
    } wrong[] = {
        {"", "in.json: line 1: not valid JSON"},
        {"{", "not valid JSON"},
        {"{\n\"ids\": \"int64[2]\",\n\"x\" 3}", "in.json: line 3: not valid JSON"},
        {"{\"ids\": \"int64[2]\"} x", "not valid JSON"},
        {"[]", "in.json: an object is expected"},
        {"{\"ids\\u0000s\": \"int64[2]\"}", "in.json: line 1: not valid JSON"},
        {"3", "an object is expected"},
        {"{\"ids\": null}", "input \"ids\" is not {\"dtype\""},
        {"{\"ids\": []}", "argument \"ids\" has type Tensor"},
        {"{\"ids\": {}}", "argument \"ids\" has type Tensor"},
        {"{\"ids\": [\"int64[2]\"]}", "argument \"ids\" has type Tensor"},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [2], \"value\": null}}", "has a value"},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [2], \"value\": 0.5}}", "no whole number"},
        {"{\"past\": [[null]]}", "input \"past\" is not {\"dtype\""},
        {"{\"ids\": {\"dtype\": \"int64\"}}", "is not {\"dtype\""},
        {"{\"ids\": {\"dtype\": 3, \"shape\": []}}", "is not {\"dtype\""},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": 3}}", "is not {\"dtype\""},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [], \"x\": 1}}", "is not {\"dtype\""},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [null]}}", "has a dim that is neither"},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [{}]}}", "has a dim that is neither"},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [{\"a\": 2, \"b\": 3}]}}", "neither"},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [{\"a\": \"2\"}]}}", "neither"},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [2.5]}}", "a dim is"},
        {"{\"ids\": {\"dtype\": \"int64\", \"shape\": [1e300]}}", "a formula is made of"},
        {"{\"ids\": {\"dtype\": \"int46\", \"shape\": [2]}}", "in.json: input \"ids:int46[2]\""},
        {"{\"ids\": \"int64[2]\", \"ids\": \"int64[2]\"}", "given twice"},
        {"{\"other\": \"int64[2]\"}", "no argument \"other\""},
        {"{}", "argument \"ids\" is missing"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        htp_inputs inputs;
        expect_failure(parse(arena, wrong[i].text, &inputs), HTP_CODE_USAGE, wrong[i].words);
    }
}

UNIT_TEST(deep_nesting_is_refused)
{
    enum { DEPTH = 100000 };
    char *text = htp_arena_alloc(arena, DEPTH + 1);
    memset(text, '[', DEPTH);
    htp_inputs inputs;
    expect_failure(parse(arena, text, &inputs), HTP_CODE_USAGE, "not valid JSON");
}

UNIT_MAIN("inputs_json", all_forms_mean_the_same, numbers_and_truth, values_are_checked,
          parts_are_nested, an_archive_names_no_files, long_numbers_fit, wrong_files,
          deep_nesting_is_refused)
