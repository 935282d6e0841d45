#include "onnx/pieces.h"

#include "onnx/view_read.h"

/* The edits, and the next of them. */
struct cutter {
    const htp_view *view;
    const htp_edit_list *edits;
    size_t next;
    htp_pieces *pieces;
};

static htp_piece_frame *innermost(const struct cutter *cutter)
{
    return &cutter->pieces->stack.items[cutter->pieces->stack.count - 1];
}

/* Adds bytes to the innermost message. Neighbours in the file become one piece. */
static void add(const struct cutter *cutter, htp_span span)
{
    const htp_span file = cutter->view->bytes;
    htp_pieces *pieces = cutter->pieces;
    htp_piece *last = pieces->list.count > 0 ? &pieces->list.items[pieces->list.count - 1] : NULL;
    bool is_mapped = span.at >= file.at && span.at < file.at + file.bytes;
    innermost(cutter)->bytes += span.bytes;
    if (last && is_mapped && last->is_mapped && last->at + last->bytes == span.at) {
        last->bytes += span.bytes;
    } else if (span.bytes > 0) {
        HTP_PUSH(cutter->view->arena, &pieces->list,
                 (htp_piece){.at = span.at, .bytes = span.bytes, .is_mapped = is_mapped});
    }
}

static void enter(const struct cutter *cutter, htp_span message, uint32_t number)
{
    htp_arena *arena = cutter->view->arena;
    htp_pieces *pieces = cutter->pieces;
    const htp_piece_frame frame = {
        .wire = htp_wire_begin(message), .number = number, .prefix = pieces->list.count};
    if (pieces->stack.count > 0) { /* the file itself has no prefix */
        HTP_PUSH(arena, &pieces->list, (htp_piece){.at = NULL});
    }
    HTP_PUSH(arena, &pieces->stack, frame);
}

static unsigned char *next_prefix(const struct cutter *cutter)
{
    htp_arena *arena = cutter->view->arena;
    htp_pieces *pieces = cutter->pieces;
    if (pieces->prefixes_used == pieces->prefixes.count) {
        HTP_PUSH(arena, &pieces->prefixes, htp_arena_alloc(arena, HTP_WIRE_PREFIX_SIZE));
    }
    return pieces->prefixes.items[pieces->prefixes_used++];
}

/* The message is complete: its length is known. */
static void leave(const struct cutter *cutter)
{
    const htp_piece_frame left = *innermost(cutter);
    unsigned char *prefix = next_prefix(cutter);
    size_t bytes = htp_wire_put_prefix(left.number, left.bytes, prefix);
    cutter->pieces->list.items[left.prefix] = (htp_piece){.at = prefix, .bytes = bytes};
    cutter->pieces->stack.count--;
    innermost(cutter)->bytes += bytes + left.bytes;
}

static void take_field(struct cutter *cutter, const htp_wire_field *field)
{
    const htp_edit *edit =
        cutter->next < cutter->edits->count ? &cutter->edits->items[cutter->next] : NULL;
    if (!edit || edit->field.at >= field->whole.at + field->whole.bytes) {
        add(cutter, field->whole);
    } else if (edit->field.at == field->whole.at) {
        add(cutter, edit->bytes);
        cutter->next++;
    } else {
        enter(cutter, field->content, field->number);
    }
}

htp_status htp_pieces_cut(const htp_view *view, const htp_edit_list *edits, htp_pieces *pieces)
{
    struct cutter cutter = {.view = view, .edits = edits, .pieces = pieces};
    htp_wire_field field;
    pieces->list.count = 0;
    pieces->stack.count = 0;
    pieces->prefixes_used = 0;
    enter(&cutter, view->bytes, 0);
    for (;;) {
        htp_wire *wire = &innermost(&cutter)->wire;
        if (htp_wire_next(wire, &field)) {
            take_field(&cutter, &field);
        } else if (wire->is_broken) {
            return htp_view_damaged(view, wire->at, "it was changed while it was read");
        } else if (pieces->stack.count > 1) {
            leave(&cutter);
        } else {
            break;
        }
    }
    pieces->bytes = innermost(&cutter)->bytes;
    return cutter.next == edits->count
               ? HTP_OK
               : htp_status_make(HTP_CODE_INTERNAL, "%s: an edit names no field", view->path);
}
