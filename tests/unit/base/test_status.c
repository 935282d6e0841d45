#include "base/status.h"

#include "base/text.h"
#include "unit.h"

#include <string.h>

START_TEST(success_is_null)
{
    ck_assert_int_eq(htp_status_code(HTP_OK), HTP_CODE_OK);
    ck_assert_str_eq(htp_status_message(HTP_OK), "");
    ck_assert_uint_eq(htp_status_detail_count(HTP_OK), 0);
    ck_assert_ptr_null(htp_status_detail_line(HTP_OK, 0));
    htp_status_add_detail(HTP_OK, "ignored");
    htp_status_free(HTP_OK);
}
END_TEST

START_TEST(message_is_one_line)
{
    htp_status status =
        htp_status_make(HTP_CODE_BAD_INPUT, "%s: line\none\ttwo\x1b[31m\r%d\x7f", "a.pt", 3);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    ck_assert_str_eq(htp_status_message(status), "a.pt: line one two [31m 3 ");
    ck_assert_uint_eq(htp_status_detail_count(status), 0);
    htp_status_free(status);
}
END_TEST

START_TEST(bytes_beyond_ascii_stay)
{
    htp_status status = htp_status_make(HTP_CODE_USAGE, "%s", "größe: 2 × 3");
    ck_assert_str_eq(htp_status_message(status), "größe: 2 × 3");
    htp_status_free(status);
}
END_TEST

START_TEST(details_are_kept_in_order)
{
    htp_status status = htp_status_make(HTP_CODE_UNSUPPORTED, "some operators");
    for (int i = 0; i < 1000; i++) {
        htp_status_add_detail(status, "operator %d\nline", i);
    }
    ck_assert_uint_eq(htp_status_detail_count(status), 1000);
    ck_assert_str_eq(htp_status_detail_line(status, 0), "operator 0 line");
    ck_assert_str_eq(htp_status_detail_line(status, 999), "operator 999 line");
    ck_assert_ptr_null(htp_status_detail_line(status, 1000));
    htp_status_free(status);
}
END_TEST

START_TEST(long_messages_keep_both_ends)
{
    htp_status status = htp_status_make(HTP_CODE_USAGE, "a.pt: %*d é", 8000, 1);
    ck_assert_uint_eq(strlen(htp_status_message(status)), strlen("a.pt: ") + 8000 + strlen(" é"));
    htp_status_free(status);
    status = htp_status_make(HTP_CODE_USAGE, "a.pt: %*d: save it again", 1000000, 1);
    const char *message = htp_status_message(status);
    ck_assert_uint_lt(strlen(message), 8200);
    ck_assert_int_eq(strncmp(message, "a.pt: ", strlen("a.pt: ")), 0);
    ck_assert_ptr_nonnull(strstr(message, " ... "));
    ck_assert_ptr_nonnull(strstr(message, "1: save it again"));
    htp_status_free(status);
}
END_TEST

START_TEST(messages_about_as_long_as_allowed_end_as_they_are)
{
    for (int width = 8150; width < 8250; width++) {
        htp_status status = htp_status_make(HTP_CODE_USAGE, "%*d: save it again", width, 1);
        const char *message = htp_status_message(status);
        size_t length = strlen(message);
        ck_assert_uint_le(length, 8192 + strlen(" ... ") + 1);
        ck_assert_str_eq(message + length - strlen("1: save it again"), "1: save it again");
        htp_status_free(status);
    }
}
END_TEST

START_TEST(long_messages_are_cut_between_characters)
{
    enum { COUNT = 5000 };
    char text[2 * COUNT + 2] = "";
    for (size_t i = 0; i < 2; i++) {
        memset(text, 'x', i);
        for (size_t k = 0; k < COUNT; k++) {
            text[i + 2 * k] = '\xc3'; /* é */
            text[i + 2 * k + 1] = '\xa9';
        }
        htp_status status = htp_status_make(HTP_CODE_USAGE, "%s", text);
        ck_assert_uint_lt(strlen(htp_status_message(status)), 8200);
        ck_assert(htp_text_is_utf8(htp_status_message(status), strlen(htp_status_message(status))));
        htp_status_free(status);
    }
}
END_TEST

START_TEST(nothing_is_left_that_a_terminal_obeys)
{
    /* U+009B, U+202E, a byte that is not UTF-8, and U+2066. */
    static const unsigned char bytes[] = {'a', 0xc2, 0x9b, '2', 'J',  ' ',  0xe2, 0x80, 0xae,
                                          'b', ' ',  0xff, ' ', 0xe2, 0x81, 0xa6, '.',  '\0'};
    htp_status status = htp_status_make(HTP_CODE_USAGE, "%s", (const char *)bytes);
    ck_assert_str_eq(htp_status_message(status), "a  2J    b      .");
    htp_status_free(status);
}
END_TEST

START_TEST(prefix_goes_in_front_of_the_message)
{
    htp_status status = htp_status_make(HTP_CODE_USAGE, "bad");
    htp_status_add_detail(status, "detail");
    status = htp_status_prefix(status, "a.pt");
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_USAGE);
    ck_assert_str_eq(htp_status_message(status), "a.pt: bad");
    ck_assert_str_eq(htp_status_detail_line(status, 0), "detail");
    htp_status_free(status);
    ck_assert_ptr_null(htp_status_prefix(HTP_OK, "a.pt"));
}
END_TEST

static htp_status passes_on(htp_status inner, bool *went_on)
{
    HTP_TRY(inner);
    *went_on = true;
    return HTP_OK;
}

START_TEST(try_returns_failures)
{
    bool went_on = false;
    htp_status failure = htp_status_make(HTP_CODE_INTERNAL, "x");
    htp_status passed = passes_on(failure, &went_on);
    ck_assert_ptr_eq(passed, failure);
    ck_assert(!went_on);
    htp_status_free(passed);
    ck_assert_ptr_null(passes_on(HTP_OK, &went_on));
    ck_assert(went_on);
}
END_TEST

START_TEST(a_prefix_keeps_code_and_details)
{
    ck_assert_ptr_null(htp_status_prefix(HTP_OK, "m.pt"));
    htp_status status = htp_status_make(HTP_CODE_UNSUPPORTED, "no");
    htp_status_add_detail(status, "x");
    status = htp_status_prefix(status, "m.pt");
    ck_assert_str_eq(htp_status_message(status), "m.pt: no");
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_UNSUPPORTED);
    ck_assert_uint_eq(htp_status_detail_count(status), 1);
    htp_status_free(status);
}
END_TEST

UNIT_MAIN("status", success_is_null, message_is_one_line, bytes_beyond_ascii_stay,
          details_are_kept_in_order, long_messages_keep_both_ends,
          messages_about_as_long_as_allowed_end_as_they_are,
          long_messages_are_cut_between_characters, nothing_is_left_that_a_terminal_obeys,
          prefix_goes_in_front_of_the_message, try_returns_failures,
          a_prefix_keeps_code_and_details)
