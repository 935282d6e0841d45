#include "base/limits/limits.h"
#include "unit.h"

UNIT_TEST(limits_have_defaults)
{
    const htp_limits chosen = {{0}};
    for (int i = 0; i < HTP_LIMIT_COUNT; i++) {
        ck_assert_uint_gt(htp_limit_value(NULL, (htp_limit)i), 0);
        ck_assert_uint_eq(htp_limit_value(&chosen, (htp_limit)i),
                          htp_limit_value(NULL, (htp_limit)i));
    }
}

UNIT_TEST(limits_are_set_by_name)
{
    htp_limits limits = {{0}};
    ck_assert_ptr_null(htp_limits_set(&limits, "steps=12"));
    ck_assert_uint_eq(htp_limit_value(&limits, HTP_LIMIT_STEPS), 12);
    ck_assert_uint_eq(htp_limit_value(&limits, HTP_LIMIT_NODES),
                      htp_limit_value(NULL, HTP_LIMIT_NODES));
    ck_assert_ptr_null(htp_limits_set(&limits, "steps=18446744073709551615"));
    ck_assert_uint_eq(htp_limit_value(&limits, HTP_LIMIT_STEPS), UINT64_MAX);
}

UNIT_TEST(blocks_follow_the_limit_of_calls)
{
    htp_limits limits = {{0}};
    ck_assert_uint_eq(htp_limit_blocks(NULL), 1200);
    ck_assert_ptr_null(htp_limits_set(&limits, "call-depth=7"));
    ck_assert_uint_eq(htp_limit_blocks(&limits), 207);
    ck_assert_ptr_null(htp_limits_set(&limits, "call-depth=18446744073709551615"));
    ck_assert_uint_eq(htp_limit_blocks(&limits), UINT64_MAX);
}

UNIT_TEST(other_limits_are_refused)
{
    static const char *const texts[] = {
        "",         "=",         "=1",        "steps",
        "steps=",   "steps=0",   "step=1",    "stepss=1",
        "STEPS=1",  "steps=-1",  "steps=+1",  "steps= 1",
        "steps=1 ", "steps=0x1", "steps=1e3", "steps=18446744073709551616",
    };
    htp_limits limits = {{0}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        htp_status status = htp_limits_set(&limits, texts[i]);
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_USAGE);
        htp_status_free(status);
    }
    ck_assert_uint_eq(limits.values[HTP_LIMIT_STEPS], 0);
}

UNIT_MAIN("limits", limits_have_defaults, limits_are_set_by_name, blocks_follow_the_limit_of_calls,
          other_limits_are_refused)
