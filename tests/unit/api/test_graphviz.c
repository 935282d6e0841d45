#include <fcntl.h>
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

START_TEST(a_pipe_is_refused_and_leaves_no_file_open)
{
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    int before = free_descriptor();
    expect_failure(htp_graphviz_draw(ends[0], ends[1], NULL, NULL), HTP_CODE_INTERNAL,
                   "cannot run graphviz");
    ck_assert_int_eq(free_descriptor(), before);
    (void)close(ends[0]);
    (void)close(ends[1]);
}
END_TEST

UNIT_MAIN("graphviz", a_pipe_is_refused_and_leaves_no_file_open)
