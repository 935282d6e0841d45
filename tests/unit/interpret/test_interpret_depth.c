/*
 * How deep calls, branches and loops may be in each other.
 */
#include "named_trace.h"

#include <pthread.h>

static const char calls_itself[] = "%r = prim::CallFunction<f>(%x, %x)\n"
                                   "-> %r\n"
                                   "def f(%a)\n"
                                   "%r = prim::CallFunction<f>(%a, %a)\n"
                                   "-> %r\n";

UNIT_TEST(a_function_that_calls_itself_has_no_end)
{
    gives(arena, calls_itself,
          "forward() takes more than 1000 nested calls (--limit call-depth=N raises this "
          "limit)");
}

UNIT_TEST(a_function_that_calls_itself_on_the_data_has_no_end_either)
{
    gives(arena,
          "%r = prim::CallFunction<f>(%x, %x, %c)\n"
          "-> %r\n"
          "def f(%a, %b:bool)\n"
          "%r = prim::If(%b) { %u = prim::CallFunction<f>(%a, %a, %b) -> %u } { -> %a }\n"
          "-> %r\n",
          "calls, branches and loops are nested more than 1200 deep "
          "(--limit call-depth=N raises this limit)");
}

/* A thread of a host has a small stack. */
static void *call_without_end(void *arena)
{
    gives(arena, calls_itself,
          "forward() is nested too deep for a stack of 512 kB (ulimit -s raises this limit)");
    return NULL;
}

UNIT_TEST(a_function_that_calls_itself_ends_before_the_stack_of_its_thread)
{
    enum { STACK = 512 << 10 };
    pthread_attr_t attributes;
    pthread_t thread;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, call_without_end, arena), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(pthread_attr_destroy(&attributes), 0);
}

UNIT_MAIN("interpret: depth", a_function_that_calls_itself_has_no_end,
          a_function_that_calls_itself_on_the_data_has_no_end_either,
          a_function_that_calls_itself_ends_before_the_stack_of_its_thread)
