#include "api/session.h"
#include "unit.h"

static unsigned closed;

static void count_closed(htp_shim_model *model)
{
    (void)model;
    closed++;
}

/* Closes a session that has a model. */
static void close_session(bool leaves_memory)
{
    static const htp_shim shim = {.close = count_closed};
    static char model;
    htp_session session = {.shim = &shim,
                           .model = (htp_shim_model *)&model,
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
