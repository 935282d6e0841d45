#include "api/session/session.h"
#include "unit.h"

static unsigned closed;

static void count_closed(htp_source *source)
{
    (void)source;
    closed++;
}

/* Closes a session that has a model. */
static void close_session(bool leaves_memory)
{
    static const htp_reader reader = {.name = "counted", .close = count_closed};
    htp_session session = {.source = {.reader = &reader},
                           .options = {.leaves_memory = leaves_memory}};
    htp_arena_init(&session.arena);
    htp_session_close(&session);
}

START_TEST(a_model_is_closed_unless_the_process_ends)
{
    closed = 0;
    close_session(true);
    ck_assert_uint_eq(closed, 0);
    close_session(false);
    ck_assert_uint_eq(closed, 1);
}
END_TEST

UNIT_MAIN("session", a_model_is_closed_unless_the_process_ends)
