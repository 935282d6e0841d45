/*
 * Text that is written while it is made: a buffer that goes on to a function whenever it is full.
 */
#ifndef HTP_BASE_STREAM_H
#define HTP_BASE_STREAM_H

#include "base/text.h"

#include <htp/htp.h>

typedef struct htp_stream {
    htp_text text; /* what is added; htp_stream_pass() empties it */
    htp_write_fn write;
    void *user;
    bool is_stopped; /* the function did not take it: nothing is passed on any more */
} htp_stream;

/** A stream to a function. What is added on the way lives in @p arena, and no longer than to the
 * next htp_stream_pass(), but for its memory. */
htp_stream htp_stream_new(htp_arena *arena, htp_write_fn write, void *user);

/** Passes on what was added, where there is enough of it. To be called now and then: after each
 * line.
 * @return false: nobody takes any more */
bool htp_stream_pass(htp_stream *stream);

/** Passes on all that was added. @return as htp_stream_pass() */
bool htp_stream_end(htp_stream *stream);

#endif
