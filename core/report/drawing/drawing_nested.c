/*
 * Drawings in formats with nested frames.
 */
#include "report/drawing/drawing.h"

/* The contents of each frame as a linked list: the first item, and the next one of each. Boxes and
 * frames are numbered from 1 on; 0 ends a list. Index 0 holds the items outside of all frames. */
struct contents {
    uint32_t *first_box, *next_box;
    uint32_t *first_frame, *next_frame;
};

static struct contents find_contents(htp_arena *arena, const htp_drawing_graph *drawing)
{
    size_t frames = drawing->frames.count + 1;
    size_t boxes = drawing->boxes.count + 1;
    struct contents found = {
        HTP_NEW_ARRAY(arena, uint32_t, frames), HTP_NEW_ARRAY(arena, uint32_t, boxes),
        HTP_NEW_ARRAY(arena, uint32_t, frames), HTP_NEW_ARRAY(arena, uint32_t, frames)};
    for (size_t i = boxes; i-- > 1;) {
        uint32_t frame = drawing->boxes.items[i - 1].frame;
        size_t place = frame == HTP_NONE ? 0 : frame + 1;
        found.next_box[i] = found.first_box[place];
        found.first_box[place] = (uint32_t)i;
    }
    for (size_t i = frames; i-- > 1;) {
        uint32_t frame = drawing->frames.items[i - 1].parent;
        size_t place = frame == HTP_NONE ? 0 : frame + 1;
        found.next_frame[i] = found.first_frame[place];
        found.first_frame[place] = (uint32_t)i;
    }
    return found;
}

/* Not recursive, since nesting has no limit. */
void htp_drawing_add_nested(htp_stream *stream, const htp_drawing_graph *drawing,
                            const htp_drawing_nesting *nesting)
{
    htp_text *text = &stream->text;
    struct contents contents = find_contents(text->arena, drawing);
    size_t depth = 0;
    for (uint32_t at = 0;;) {
        for (uint32_t box = contents.first_box[at]; box > 0; box = contents.next_box[box]) {
            nesting->add_box(text, drawing, box - 1);
            (void)htp_stream_pass(stream);
        }
        uint32_t next = contents.first_frame[at];
        while (next == 0 && at > 0) {
            uint32_t parent = drawing->frames.items[at - 1].parent;
            htp_text_add(text, nesting->end_frame);
            next = contents.next_frame[at];
            at = parent == HTP_NONE ? 0 : parent + 1;
            depth--;
        }
        if (next == 0) {
            return;
        }
        at = next;
        nesting->begin_frame(text, drawing, at - 1, depth++);
    }
}
