/*
 * Buffered text output: a buffer that is passed to a function when it is full.
 */
#ifndef HTP_BASE_STREAM_H
#define HTP_BASE_STREAM_H

#include "base/text.h"

#include <htp/htp.h>

typedef struct htp_stream {
    htp_text text; /* appended text; htp_stream_pass() empties it */
    htp_write_fn write;
    void *user;
    bool is_stopped; /* the function refused text: nothing is passed on any more */
} htp_stream;

/** A stream to a function. @p arena holds the buffer; other allocations in it live until the next
 * htp_stream_pass(). */
htp_stream htp_stream_new(htp_arena *arena, htp_write_fn write, void *user);

/**
 * Passes on the text if there is enough of it. Call it after each line.
 * @return false: the output is closed
 */
bool htp_stream_pass(htp_stream *stream);

/** Passes on all that was added. @return as htp_stream_pass() */
bool htp_stream_end(htp_stream *stream);

#endif
