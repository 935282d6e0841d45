#include "base/limits/limits.h"

#include "unit.h"

#include <pthread.h>
#include <stdint.h>

enum { SMALL = 256 << 10, FRAME = 512, MOST = 1 << 20 };

/* Calls itself until the stack is low, or too often. @return the number of calls */
static size_t descend(size_t depth)
{
    volatile char frame[FRAME];
    frame[0] = 0;
    size_t reached = htp_stack_is_low() || depth == MOST ? depth : descend(depth + 1);
    return reached + (size_t)frame[0];
}

static void *descend_in_thread(void *depth)
{
    *(size_t *)depth = descend(0);
    ck_assert_uint_le(htp_stack_kilobytes(), SMALL >> 10);
    return NULL;
}

/* Runs a function on a small stack. */
UNIT_TEST(a_small_stack_has_an_end)
{
    pthread_attr_t attributes;
    pthread_t thread;
    size_t depth = 0;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, SMALL), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, descend_in_thread, &depth), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(pthread_attr_destroy(&attributes), 0);
    ck_assert_uint_gt(depth, 8);
    ck_assert_uint_le(depth, SMALL / FRAME);
}

UNIT_TEST(the_stack_of_a_process_has_an_end)
{
    ck_assert(!htp_stack_is_low());
    ck_assert_uint_gt(htp_stack_kilobytes(), SMALL >> 10);
}

UNIT_MAIN("stack", a_small_stack_has_an_end, the_stack_of_a_process_has_an_end)
