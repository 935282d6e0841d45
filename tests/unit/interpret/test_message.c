#include "interpret/operators/message.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const char *shortened(const char *text)
{
    static htp_error error;
    (void)snprintf(error.message, sizeof(error.message), "%s", text);
    htp_message_shorten(&error);
    return error.message;
}

UNIT_TEST(the_first_line_is_told)
{
    ck_assert_str_eq(shortened("one\ntwo"), "one");
    ck_assert_str_eq(shortened("\n \t one \ntwo"), "one ");
    ck_assert_str_eq(shortened("one"), "one");
    ck_assert_str_eq(shortened(""), "no reason given");
    ck_assert_str_eq(shortened(" \n\t"), "no reason given");
}

UNIT_TEST(the_place_below_a_colon_is_told)
{
    ck_assert_str_eq(shortened("Unknown builtin op: a::b.\nHere:\n"), "Unknown builtin op: a::b.");
    ck_assert_str_eq(shortened("it fails:\n  File \"model.py\", line 12, in forward\n"),
                     "it fails, in model.py, line 12");
    ck_assert_str_eq(shortened("it fails:\n\n\tFile \"a b\", line 1"), "it fails, in a b, line 1");
}

UNIT_TEST(a_colon_with_no_place_below_goes)
{
    static const char *const rests[] = {
        "",
        "\n",
        "\nelse",
        "\nFile \"model.py\", line x",
        "\nFile \"model.py",
        "\nFile \"model\n.py\", line 12",
        "\nFile model.py, line 12",
    };
    for (size_t i = 0; i < sizeof(rests) / sizeof(rests[0]); i++) {
        char text[100];
        (void)snprintf(text, sizeof(text), "it fails:%s", rests[i]);
        ck_assert_str_eq(shortened(text), "it fails");
    }
}

UNIT_TEST(assertions_are_told_without_libtorchs_sources)
{
    ck_assert_str_eq(shortened("isTensor() INTERNAL ASSERT FAILED at \"ivalue.h\":1, please report "
                               "a bug to PyTorch.  Expected Tensor but got Int\nmore"),
                     "Expected Tensor but got Int");
    ck_assert_str_eq(shortened("isTensor() INTERNAL ASSERT FAILED at \"ivalue.h\":1, please report "
                               "a bug to PyTorch. "),
                     "libtorch does not expect this (isTensor())");
    ck_assert_str_eq(shortened("x INTERNAL ASSERT FAILED at \"ivalue.h\":1"),
                     "libtorch does not expect this (x)");
    ck_assert_str_eq(shortened("x INTERNAL ASSERT FAILED at y, please report a bug to PyTorch. "
                               "Of code:\nFile \"m.py\", line 2"),
                     "Of code, in m.py, line 2");
}

UNIT_TEST(what_is_too_long_is_cut)
{
    htp_error error;
    memset(error.message, 'x', sizeof(error.message));
    memcpy(error.message + sizeof(error.message) - 2, ":", 2);
    htp_message_shorten(&error);
    ck_assert_uint_eq(strlen(error.message), sizeof(error.message) - 2);
    ck_assert_ptr_null(strchr(error.message, ':'));
}

UNIT_MAIN("message", the_first_line_is_told, the_place_below_a_colon_is_told,
          a_colon_with_no_place_below_goes, assertions_are_told_without_libtorchs_sources,
          what_is_too_long_is_cut)
