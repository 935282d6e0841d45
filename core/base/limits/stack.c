/*
 * How much is left of a thread's stack.
 */
#include "base/limits/limits.h"

#include <pthread.h>
#include <stdint.h>

enum { RESERVE = 1 << 20, SHARE = 4, KILOBYTE = 1024 };

static _Thread_local struct {
    bool is_found;
    uintptr_t lowest; /* address */
    size_t size;      /* 0: unknown */
} own;

static void find(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    own.is_found = true;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    if (pthread_attr_getstack(&attributes, &lowest, &own.size) != 0) {
        own.size = 0;
    }
    own.lowest = (uintptr_t)lowest;
    (void)pthread_attr_destroy(&attributes);
}

bool htp_stack_is_low(void)
{
    if (!own.is_found) {
        find();
    }
    size_t share = own.size / SHARE;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    /* Below its end is another stack: a host has changed it. */
    return here >= own.lowest && here - own.lowest < (share < RESERVE ? share : RESERVE);
}

size_t htp_stack_kilobytes(void)
{
    return own.size / KILOBYTE;
}
