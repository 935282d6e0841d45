/*
 * Lists the calls that are inlined, and what the flat view has in their places.
 */
#include "onnx/inliner/inline_parts.h"

enum { GRAPH_NODE = 1, NODE_PROPERTY = 9 }; /* Reference: onnx.proto. */

/* The most modules whose calls a call may count for those in it. */
enum { MOST_COUNTED = 64 };

uint32_t *htp_inline_count_nodes(htp_arena *arena, const htp_view *view, uint32_t *counts)
{
    uint32_t *totals = HTP_NEW_ARRAY(arena, uint32_t, view->graphs.count + 1);
    for (uint32_t g = (uint32_t)view->graphs.count; g-- > 0;) { /* inner ones first */
        htp_view_range nodes = view->graphs.items[g].nodes;
        uint32_t owner = view->graphs.items[g].node;
        for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
            totals[g] += ++counts[n];
        }
        if (owner != HTP_NONE) {
            counts[owner] += totals[g];
        }
    }
    return totals;
}

void htp_inline_place_begin(htp_inliner *i, uint32_t function, uint32_t node)
{
    if (!i->places) {
        return;
    }
    const htp_inline_place made = {
        .function = function, .node = node, .around = i->place, .first = i->position};
    i->place = (uint32_t)i->places->list.count;
    HTP_PUSH(i->arena, &i->places->list, made);
}

/* Whether a call in a function can be a node of the flat view. What it returns must be made in it:
 * the flat view has no other name for the rest. */
static bool has_form(const htp_inliner *i, const htp_inline_frame *call)
{
    const htp_view *view = i->view;
    uint32_t graph = view->functions.items[call->function].graph;
    htp_view_range returned = view->graphs.items[graph].outputs;
    htp_view_range wanted = view->nodes.items[call->node].outputs;
    const htp_inline_frame *outermost = call;
    while (outermost->caller) {
        outermost = outermost->caller;
    }
    for (uint32_t k = 0; k < wanted.count; k++) {
        uint32_t to = view->operands.items[wanted.first + k];
        if (to != HTP_NONE && !htp_inline_is_fixed(i, htp_inline_top(i, to)) &&
            (i->up[view->operands.items[returned.first + k]] != to || i->is_handed_on[to])) {
            return false;
        }
    }
    return outermost->texts.numbers.count <= MOST_COUNTED;
}

static void put_first_calls(htp_inliner *i, const htp_inline_frame *call)
{
    htp_text first = {.arena = i->arena};
    htp_inline_join_first(&first, &call->texts);
    if (first.length > 0) {
        htp_wire_add_entry(&i->out, NODE_PROPERTY, htp_inline_key_text(HTP_INLINE_FIRST),
                           first.bytes, first.length);
    }
}

/* The call as a node. It has no bodies, so its fields need no levels. */
static htp_span write_call(htp_inliner *i, const htp_inline_frame *call)
{
    htp_span content = htp_wire_content(i->view->nodes.items[call->node].whole);
    size_t start = i->out.length;
    htp_inline_level level = {.kind = HTP_INLINE_NODE,
                              .frame = call->caller,
                              .item = call->node,
                              .wire = htp_wire_begin(content),
                              .is_relative = call->texts.is_relative,
                              .name = call->prefix,
                              .begin = htp_inline_begin(&i->out, GRAPH_NODE, content.bytes)};
    i->now = call->texts;
    i->now_node = call->node;
    while (htp_inline_node_field(i, &level)) {
    }
    htp_inline_finish_node(i, &level);
    put_first_calls(i, call);
    htp_inline_end(&i->out, level.begin);
    size_t bytes = i->out.length - start;
    const char *copy = htp_arena_copy(i->arena, i->out.bytes + start, bytes);
    i->out.length = start;
    i->spent += bytes;
    return (htp_span){(const unsigned char *)copy, bytes};
}

void htp_inline_place_end(htp_inliner *i, const htp_inline_frame *call)
{
    if (!i->places) {
        return;
    }
    htp_inline_place *place = &i->places->list.items[i->place];
    place->last = i->position;
    place->is_own = !call || !call->caller;
    if (place->is_own) {
        place->whole = i->view->nodes.items[place->node].whole;
    } else if (has_form(i, call)) {
        place->whole = write_call(i, call);
    }
    i->place = place->around;
}
