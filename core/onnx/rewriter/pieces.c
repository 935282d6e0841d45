#include "onnx/rewriter/pieces.h"

#include "onnx/reader/view_read.h"

/* The edits, and a position in them. */
struct cutter {
    const htp_view *view;
    const htp_view *second; /* or NULL */
    htp_arena *arena;
    const htp_edit_list *edits;
    size_t next;
    size_t applied;
    htp_pieces *pieces;
};

static htp_piece_frame *innermost(const struct cutter *cutter)
{
    return &cutter->pieces->stack.items[cutter->pieces->stack.count - 1];
}

static bool lies_in(const htp_view *view, htp_span span)
{
    return view && span.at >= view->bytes.at && span.at < view->bytes.at + view->bytes.bytes;
}

/* The model whose file has some bytes; NULL: they are in an arena. */
static const htp_view *find_file(const struct cutter *cutter, htp_span span)
{
    if (lies_in(cutter->view, span)) {
        return cutter->view;
    }
    return lies_in(cutter->second, span) ? cutter->second : NULL;
}

/* Adds bytes to the innermost message. Adjacent ones are merged. */
static void add(const struct cutter *cutter, htp_span span)
{
    htp_pieces *pieces = cutter->pieces;
    htp_piece *last = pieces->list.count > 0 ? &pieces->list.items[pieces->list.count - 1] : NULL;
    const htp_view *of = find_file(cutter, span);
    innermost(cutter)->bytes += span.bytes;
    if (last && of && last->of == of && last->at + last->bytes == span.at) {
        last->bytes += span.bytes;
    } else if (span.bytes > 0) {
        HTP_PUSH(cutter->arena, &pieces->list,
                 (htp_piece){.at = span.at, .bytes = span.bytes, .of = of});
    }
}

static void add_data(const struct cutter *cutter, const htp_moved_range *data)
{
    innermost(cutter)->bytes += data->bytes;
    if (data->bytes > 0) {
        HTP_PUSH(cutter->arena, &cutter->pieces->list,
                 (htp_piece){.bytes = data->bytes, .data = data});
    }
}

/* Begins a message, of the file or of a recipe. */
static void enter(const struct cutter *cutter, htp_piece_frame frame)
{
    htp_pieces *pieces = cutter->pieces;
    frame.prefix = pieces->list.count;
    if (pieces->stack.count > 0) { /* the file itself has no prefix */
        HTP_PUSH(cutter->arena, &pieces->list, (htp_piece){.at = NULL});
    }
    HTP_PUSH(cutter->arena, &pieces->stack, frame);
}

static unsigned char *next_prefix(const struct cutter *cutter)
{
    htp_pieces *pieces = cutter->pieces;
    if (pieces->prefixes_used == pieces->prefixes.count) {
        HTP_PUSH(cutter->arena, &pieces->prefixes,
                 htp_arena_alloc(cutter->arena, HTP_WIRE_PREFIX_SIZE));
    }
    return pieces->prefixes.items[pieces->prefixes_used++];
}

/* Ends a message: its length is known. */
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
        if (edit->data) {
            add_data(cutter, edit->data);
        }
        bool *is_applied = &cutter->pieces->is_applied.items[cutter->next++];
        cutter->applied += !*is_applied;
        *is_applied = true;
    } else {
        enter(cutter,
              (htp_piece_frame){.wire = htp_wire_begin(field->content), .number = field->number});
    }
}

/* The first edit at or after a position. */
static size_t find_edit(const htp_edit_list *edits, const unsigned char *at)
{
    size_t low = 0;
    size_t high = edits->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (edits->items[middle].field.at < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static htp_status changed(const struct cutter *cutter, const unsigned char *at)
{
    return htp_view_damaged(cutter->view, at, "it was changed while it was read");
}

/* Takes the next field of the innermost message. @return false at the end */
static bool take_next_field(struct cutter *cutter)
{
    htp_piece_frame *frame = innermost(cutter);
    htp_wire_field field;
    if (!htp_wire_next(&frame->wire, &field)) {
        return false;
    }
    if (frame->recipe) { /* fields of a recipe are in any order */
        cutter->next = find_edit(cutter->edits, field.whole.at);
    }
    take_field(cutter, &field);
    return true;
}

/* Takes the next piece of the innermost message. @param is_end  set at its end */
static htp_status take_next(struct cutter *cutter, bool *is_end)
{
    htp_piece_frame *frame = innermost(cutter);
    *is_end = false;
    if (take_next_field(cutter)) {
        return HTP_OK;
    }
    if (frame->wire.is_broken) {
        return changed(cutter, frame->wire.at);
    }
    if (!frame->recipe || frame->next_item == frame->recipe->items.count) {
        *is_end = true;
        return HTP_OK;
    }
    const htp_recipe_item *item = &frame->recipe->items.items[frame->next_item++];
    if (item->message) {
        enter(cutter, (htp_piece_frame){.recipe = item->message, .number = item->message->number});
    } else {
        frame->wire = htp_wire_begin(item->bytes);
    }
    return HTP_OK;
}

htp_status htp_pieces_cut(const htp_view *view, const htp_view *second, htp_arena *arena,
                          const htp_edit_list *edits, const htp_recipe *recipe, htp_pieces *pieces)
{
    struct cutter cutter = {
        .view = view, .second = second, .arena = arena, .edits = edits, .pieces = pieces};
    bool is_end = false;
    pieces->list.count = 0;
    pieces->stack.count = 0;
    pieces->prefixes_used = 0;
    pieces->is_applied.count = 0;
    for (size_t i = 0; i < edits->count; i++) {
        HTP_PUSH(arena, &pieces->is_applied, false);
    }
    htp_span whole = recipe ? (htp_span){NULL, 0} : view->bytes;
    enter(&cutter, (htp_piece_frame){.wire = htp_wire_begin(whole), .recipe = recipe});
    while (!is_end || pieces->stack.count > 1) {
        if (is_end) {
            leave(&cutter);
        }
        HTP_TRY(take_next(&cutter, &is_end));
    }
    pieces->bytes = innermost(&cutter)->bytes;
    return cutter.applied == edits->count
               ? HTP_OK
               : htp_status_make(HTP_CODE_INTERNAL, "%s: an edit names no field", view->path);
}
