#include "base/stream.h"

enum { ENOUGH = 1 << 16 };

htp_stream htp_stream_new(htp_arena *arena, htp_write_fn write, void *user)
{
    return (htp_stream){.text.arena = arena, .write = write, .user = user};
}

bool htp_stream_pass(htp_stream *stream)
{
    return stream->text.length < ENOUGH ? !stream->is_stopped : htp_stream_end(stream);
}

bool htp_stream_end(htp_stream *stream)
{
    htp_text *text = &stream->text;
    if (!stream->is_stopped && text->length > 0) {
        stream->is_stopped = !stream->write(stream->user, text->bytes, text->length);
    }
    text->length = 0;
    return !stream->is_stopped;
}
