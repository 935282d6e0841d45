/*
 * What the unit tests share: tests that work in an arena, what a status must be, and a main() in
 * one line.
 */
#ifndef HTP_TESTS_UNIT_H
#define HTP_TESTS_UNIT_H

#include "base/arena.h"
#include "base/status.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/** Runs @p body with an arena of its own; to run out of memory fails the test. */
static inline void unit_with_arena(void (*body)(htp_arena *arena))
{
    htp_arena arena;
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena)) {
        htp_arena_free(&arena);
        ck_abort_msg("out of memory");
    }
    body(&arena);
    htp_arena_free(&arena);
}

/** A test whose body has `htp_arena *arena`. */
#define UNIT_TEST(name)                                                                            \
    static void name##_body(htp_arena *arena);                                                     \
    START_TEST(name)                                                                               \
    {                                                                                              \
        unit_with_arena(name##_body);                                                              \
    }                                                                                              \
    END_TEST                                                                                       \
    static void name##_body(htp_arena *arena __attribute__((unused)))

/** Success; the message of a failure is shown. */
static inline void expect_ok(htp_status status)
{
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
}

/** A failure with this code, and these words in its message. Frees it. */
static inline void expect_failure(htp_status status, htp_code code, const char *words)
{
    ck_assert_ptr_nonnull(status);
    ck_assert_msg(strstr(htp_status_message(status), words) != NULL, "\"%s\" is not in: %s", words,
                  htp_status_message(status));
    ck_assert_int_eq(htp_status_code(status), code);
    htp_status_free(status);
}

/** In long loops, as ck_assert() takes its time even when nothing is wrong; and in fixtures that
 * are used outside of tests, too, where it cannot be. What follows is what a failure says. */
#define UNIT_EXPECT(condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                             \
        }                                                                                          \
    } while (0)

#define UNIT_CHECK(condition) UNIT_EXPECT(condition, "%s", #condition)

/** Runs tests as one suite, @p setup before and @p teardown behind each. @return the program's exit
 * code. */
static inline int unit_run(const char *name, SFun setup, SFun teardown, const TTest *const *tests,
                           size_t count)
{
    Suite *suite = suite_create(name);
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 600);
    tcase_add_checked_fixture(cases, setup, teardown);
    for (size_t i = 0; i < count; i++) {
        tcase_add_test(cases, tests[i]);
    }
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/** main() of a test program; with functions that run before and behind each test, or NULL. */
#define UNIT_MAIN_WITH(name, setup, teardown, ...)                                                 \
    int main(void)                                                                                 \
    {                                                                                              \
        const TTest *const tests[] = {__VA_ARGS__};                                                \
        return unit_run(name, setup, teardown, tests, sizeof(tests) / sizeof(tests[0]));           \
    }

/** main() of a test program. */
#define UNIT_MAIN(name, ...) UNIT_MAIN_WITH(name, NULL, NULL, __VA_ARGS__)

#endif
