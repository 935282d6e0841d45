#include "source/call_oracle/call_oracle.h"

#include "source/call_oracle/static_frames.h"

/*
 * The frame of a place.
 * @param frames  of the calls so far; the first is the method's
 * @return NULL if the program has no such place there
 */
static htp_static_frame *frame_of(const htp_static_search *s, htp_static_frame *const *frames,
                                  uint32_t frame_count, const htp_trace_stand *stand)
{
    htp_static_frame *frame = stand->call < frame_count ? frames[stand->call] : NULL;
    if (frame && frame->function != stand->function) {
        frame = htp_static_find_fork(s, frame, stand->function);
    }
    bool is_there = frame && !frame->is_ambiguous && stand->node < frame->code->node_count;
    return is_there ? frame : NULL;
}

/* The frame of the method, then those of calls; NULL: unknown. */
static htp_static_frame **enter_calls(htp_static_search *s, const htp_static_stands *stands)
{
    htp_static_frame **frames =
        HTP_NEW_ARRAY(s->arena, htp_static_frame *, (size_t)stands->call_count + 1);
    frames[0] = htp_static_begin(s);
    for (uint32_t i = 0; i < stands->call_count; i++) {
        const htp_trace_stand *stand = &stands->calls[i];
        const htp_static_frame *caller = frame_of(s, frames, i + 1, stand);
        frames[i + 1] = caller ? htp_static_enter(s, caller, stand->node) : NULL;
    }
    return frames;
}

htp_status htp_static_calls_find(htp_arena *arena, const htp_program *program,
                                 const htp_static_stands *stands, const htp_static_watch *watch,
                                 htp_static_calls *found)
{
    htp_static_search s = {.arena = arena, .program = program, .watch = watch};
    htp_static_frame *const *frames = enter_calls(&s, stands);
    uint32_t *nodes = HTP_NEW_ARRAY(arena, uint32_t, (size_t)stands->node_count + 1);
    for (uint32_t i = 0; i < stands->node_count; i++) {
        const htp_static_frame *frame =
            frame_of(&s, frames, stands->call_count + 1, &stands->nodes[i]);
        nodes[i] = frame ? frame->running : HTP_NONE;
    }
    *found = (htp_static_calls){.running = s.running.items,
                                .running_count = (uint32_t)s.running.count,
                                .nodes = nodes,
                                .node_count = stands->node_count};
    return s.failure;
}
