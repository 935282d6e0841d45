#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/queries/graphviz.h"
#include "unit.h"

/* @return the lowest file descriptor that is free. */
static int free_descriptor(void)
{
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(file, 0);
    (void)close(file);
    return file;
}

static void expect_missing(bool is_started)
{
    int svg = 0;
    int before = free_descriptor();
    ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
    if (is_started) {
        htp_graphviz_start();
    }
    expect_failure(htp_graphviz_draw(before, &svg, NULL, NULL), HTP_CODE_INTERNAL,
                   "cannot run graphviz");
    ck_assert_int_eq(svg, -1);
    ck_assert_int_eq(free_descriptor(), before);
}

START_TEST(a_missing_program_is_told_and_leaves_no_file_open)
{
    expect_missing(false);
}
END_TEST

START_TEST(so_is_one_that_was_to_wait)
{
    expect_missing(true);
}
END_TEST

UNIT_MAIN("graphviz", a_missing_program_is_told_and_leaves_no_file_open, so_is_one_that_was_to_wait)
