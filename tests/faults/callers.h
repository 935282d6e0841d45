/*
 * The return addresses on the stack of a call, as far as the core, the shim, and libraries that
 * these called.
 */
#ifndef TESTS_FAULTS_CALLERS_H
#define TESTS_FAULTS_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

enum { HTP_CALLER_DEPTH = 6 };

typedef struct htp_callers {
    uintptr_t addresses[HTP_CALLER_DEPTH]; /* of the core and the shim, within their files */
    int depth;
} htp_callers;

/** Once the program and its libraries are open. */
void htp_callers_init(void);

/** Whether an address is of the core or the shim. */
bool htp_callers_are_ours(const void *address);

/** @param caller  the return address at which the stack begins. @return whether the core or the
 * shim called, directly or through the C library, protobuf-c, cJSON, zlib or the C++ library */
bool htp_callers_find(const void *caller, htp_callers *stack);

/** Never a small number. */
uint64_t htp_callers_hash(const htp_callers *stack);

#endif
