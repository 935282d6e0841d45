/*
 * Making and passing on failures. The type and its accessors are public: <htp/htp.h>.
 */
#ifndef HTP_BASE_STATUS_H
#define HTP_BASE_STATUS_H

#include "base/arena.h"

#include <htp/htp.h>

/** A failure with a one-line message (newlines become spaces). Never NULL: without memory it
 * returns a static out-of-memory status. */
HTP_MUST_USE htp_status htp_status_make(htp_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Appends a detail line to a failure; ignored for the static out-of-memory status. */
void htp_status_add_detail(htp_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The same failure with "PREFIX: " in front of its message; detail lines stay. NULL stays NULL. */
HTP_MUST_USE htp_status htp_status_prefix(htp_status status, const char *prefix);

/** Returns from the calling function when @p expression is a failure. */
#define HTP_TRY(expression)                                                                        \
    do {                                                                                           \
        htp_status htp_try_status_ = (expression);                                                 \
        if (htp_try_status_ != HTP_OK) {                                                           \
            return htp_try_status_;                                                                \
        }                                                                                          \
    } while (0)

/** A status that a frame owns while it allocates in an arena: memory that runs out frees it. */
typedef struct htp_held_status {
    htp_arena_guard guard;
    htp_status status; /* may be replaced */
} htp_held_status;

/** Begins to hold a status, which may be HTP_OK. */
void htp_status_hold(htp_held_status *held, htp_arena *arena, htp_status status);

/** Ends the innermost hold of the arena. @return its status, which is the caller's */
htp_status htp_status_let_go(htp_held_status *held, htp_arena *arena);

/** Keeps the message of a failure in the arena, and frees the failure, also if memory runs out. ""
 * for HTP_OK. */
const char *htp_status_keep_message(htp_arena *arena, htp_status status);

#endif
