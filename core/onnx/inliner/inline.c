#include "onnx/inliner/inline.h"

#include "onnx/inliner/inline_parts.h"
#include "onnx/reader/view_read.h"

/* Reference: onnx.proto. */
enum {
    GRAPH_NODE = 1,
    GRAPH_INFO = 13,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4
};

/* ---- beginning ---- */

/* Values of one graph are consecutive. */
static void list_values(htp_inliner *i)
{
    const htp_view *view = i->view;
    size_t count = view->values.count + 1;
    i->names = HTP_NEW_ARRAY(i->arena, const char *, count);
    i->up = HTP_NEW_ARRAY(i->arena, uint32_t, count);
    i->is_returned = HTP_NEW_ARRAY(i->arena, bool, count);
    i->is_handed_on = HTP_NEW_ARRAY(i->arena, bool, count);
    i->first_value = HTP_NEW_ARRAY(i->arena, uint32_t, view->graphs.count + 1);
    i->value_of = HTP_NEW_ARRAY(i->arena, uint32_t, view->tensors.count + 1);
    for (size_t t = 0; t < view->tensors.count; t++) {
        i->value_of[t] = HTP_NONE;
    }
    for (uint32_t v = 0; v < view->values.count; v++) {
        const htp_view_value *value = &view->values.items[v];
        i->up[v] = HTP_NONE;
        i->first_value[value->graph + 1]++;
        if (value->initializer != HTP_NONE) {
            i->value_of[value->initializer] = v;
        }
    }
    for (size_t g = 0; g < view->graphs.count; g++) {
        i->first_value[g + 1] += i->first_value[g];
    }
    for (size_t f = 0; f < view->functions.count; f++) {
        htp_view_range outputs = view->graphs.items[view->functions.items[f].graph].outputs;
        for (uint32_t k = 0; k < outputs.count; k++) {
            i->is_returned[view->operands.items[outputs.first + k]] = true;
        }
    }
}

/* ---- calls ---- */

static uint32_t operand_of(const htp_view *view, htp_view_range operands, uint32_t index)
{
    return index < operands.count ? view->operands.items[operands.first + index] : HTP_NONE;
}

/* Whether a node, perhaps inside a call, makes a value. */
static bool is_made(const htp_inliner *i, uint32_t value)
{
    const htp_view_value *made = &i->view->values.items[value];
    return made->maker == HTP_VIEW_BY_NODE && i->constant_of[made->node] == HTP_NONE;
}

/* Binds inputs to the caller's names; outputs become the caller's, once. */
static void bind(htp_inliner *i, uint32_t node, uint32_t graph)
{
    const htp_view *view = i->view;
    const htp_view_node *call = &view->nodes.items[node];
    const htp_view_graph *called = &view->graphs.items[graph];
    for (uint32_t v = i->first_value[graph]; v < i->first_value[graph + 1]; v++) {
        i->names[v] = NULL;
        i->up[v] = HTP_NONE;
        i->is_handed_on[v] = false;
    }
    for (uint32_t k = 0; k < called->inputs.count; k++) {
        uint32_t given = operand_of(view, call->inputs, k);
        i->names[view->operands.items[called->inputs.first + k]] = htp_inline_value_name(i, given);
    }
    for (uint32_t k = 0; k < called->outputs.count; k++) {
        uint32_t value = view->operands.items[called->outputs.first + k];
        if (is_made(i, value) && i->up[value] == HTP_NONE) {
            i->up[value] = operand_of(view, call->outputs, k);
        }
    }
}

static void enter_call(htp_inliner *i, const htp_inline_frame *caller, uint32_t node)
{
    const htp_view *view = i->view;
    htp_inline_frame *frame = HTP_NEW(i->arena, htp_inline_frame);
    htp_view_range attributes = view->nodes.items[node].attributes;
    uint32_t function = i->plan.call_of[node];
    uint32_t graph = view->functions.items[function].graph;
    *frame = (htp_inline_frame){.caller = caller, .function = function, .node = node};
    frame->prefix = htp_inline_prefix(i, caller, node);
    for (uint32_t k = attributes.first; k < attributes.first + attributes.count; k++) {
        htp_map_set_bytes(i->arena, &frame->attributes, &view->attributes.items[k].name,
                          sizeof(htp_view_name), k);
    }
    htp_inline_texts_of_call(&i->texts, caller ? &caller->texts : NULL, node, &frame->texts);
    i->spent += sizeof(*frame) + view->nodes.items[node].whole.bytes + i->texts.scratch.length;
    i->now_node = HTP_NONE;
    bind(i, node, graph);
    htp_inline_place_begin(i, function, node);
    HTP_PUSH(i->arena, &i->stack,
             (htp_inline_level){.kind = HTP_INLINE_CALL, .frame = frame, .item = graph});
}

/* A value passed through by the function gets a second name if the main graph needs one. */
static void hand_on(htp_inliner *i, const htp_inline_frame *frame, const char *from, const char *to)
{
    size_t begin = htp_inline_begin(&i->out, GRAPH_NODE, strlen(from) + strlen(to));
    const char *name = htp_inline_new_name(i, &i->node_names, frame->prefix, "Identity");
    htp_inline_put_text(&i->out, NODE_INPUT, from);
    htp_inline_put_text(&i->out, NODE_OUTPUT, to);
    htp_inline_put_text(&i->out, NODE_NAME, name);
    htp_inline_put_text(&i->out, NODE_OP, "Identity");
    htp_inline_put_call(i, frame);
    htp_inline_end(&i->out, begin);
    i->position++;
}

/* Handles outputs that are returned twice, or that the function does not make. */
static void return_rest(htp_inliner *i, const htp_inline_frame *frame, uint32_t graph)
{
    const htp_view *view = i->view;
    htp_view_range returned = view->graphs.items[graph].outputs;
    htp_view_range wanted = view->nodes.items[frame->node].outputs;
    for (uint32_t k = 0; k < wanted.count; k++) {
        uint32_t value = view->operands.items[returned.first + k];
        uint32_t to = operand_of(view, wanted, k);
        if (to == HTP_NONE || i->up[value] == to) {
            continue;
        }
        uint32_t top = htp_inline_is_fixed(i, to) ? to : htp_inline_top(i, to);
        const char *name = htp_inline_value_name(i, value);
        if (htp_inline_is_fixed(i, top)) {
            const char *fixed = htp_view_text(view, view->values.items[top].name);
            hand_on(i, frame, name, fixed);
            name = fixed;
        }
        for (uint32_t v = to; v != HTP_NONE && v != top; v = i->up[v]) {
            i->is_handed_on[v] = true;
        }
        i->is_handed_on[top] = !htp_inline_is_fixed(i, top);
        htp_inline_set_name(i, to, name);
    }
}

static void leave_call(htp_inliner *i)
{
    const htp_inline_level level = i->stack.items[i->stack.count - 1];
    return_rest(i, level.frame, level.item);
    htp_inline_put_infos(i, level.item);
    htp_inline_place_end(i, level.frame);
}

/* ---- nodes ---- */

static void enter_node(htp_inliner *i, const htp_inline_frame *frame, uint32_t node)
{
    htp_span content = htp_wire_content(i->view->nodes.items[node].whole);
    htp_inline_level level = {.kind = HTP_INLINE_NODE,
                              .frame = frame,
                              .item = node,
                              .wire = htp_wire_begin(content),
                              .name = ""};
    if (frame) {
        level.name = htp_inline_name_node(i, frame, node);
        level.is_relative = htp_inline_texts_now(i, frame, node)->is_relative;
    }
    level.begin = htp_inline_begin(&i->out, GRAPH_NODE, content.bytes);
    HTP_PUSH(i->arena, &i->stack, level);
}

static void start(htp_inliner *i, const htp_inline_frame *frame, uint32_t node)
{
    i->spent += HTP_INLINE_COST;
    if (htp_inline_is_call(&i->plan, node)) {
        enter_call(i, frame, node);
    } else if (i->constant_of[node] != HTP_NONE) {
        htp_inline_use_constant(i, frame, node);
    } else {
        if (!frame && i->plan.has_calls[node]) {
            htp_inline_place_begin(i, HTP_NONE, node);
        }
        i->flat->node_count++;
        i->position++;
        enter_node(i, frame, node);
    }
}

/* Inputs and initializers of a body are named before its nodes. */
static void begin_body(htp_inliner *i, const htp_inline_level *level)
{
    uint32_t graph = level->item;
    uint32_t input = 0;
    const char *node = htp_inline_owner_name(i);
    for (uint32_t v = i->first_value[graph]; level->frame && v < i->first_value[graph + 1]; v++) {
        i->names[v] = NULL;
        if (i->view->values.items[v].maker != HTP_VIEW_BY_NODE) {
            htp_inline_name_input(i, v, node, input++);
        }
    }
}

/* ---- walking ---- */

/* Steps to the next node of a body or a call. @return false at the end */
static bool walk_nodes(htp_inliner *i, htp_inline_level *level)
{
    htp_view_range nodes = i->view->graphs.items[level->item].nodes;
    if (level->next == nodes.count) {
        return false;
    }
    uint32_t node = nodes.first + level->next++;
    start(i, level->frame, node);
    return true;
}

/* Continues at the innermost level. @return false at its end */
static bool walk(htp_inliner *i, htp_inline_level *level)
{
    switch (level->kind) {
    case HTP_INLINE_CALL:
        return walk_nodes(i, level);
    case HTP_INLINE_NODE:
        return htp_inline_node_field(i, level);
    case HTP_INLINE_ATTRIBUTE:
        return htp_inline_attribute_field(i, level);
    default:
        if (!level->is_begun) {
            level->is_begun = true;
            level->infos = i->infos.length;
            i->bodies++;
            begin_body(i, level);
        }
        return walk_nodes(i, level) || htp_inline_graph_field(i, level);
    }
}

/* Types of values made by its calls follow its own fields. */
static void leave_body(htp_inliner *i, const htp_inline_level *level)
{
    if (level->frame) {
        htp_inline_put_infos(i, level->item);
    }
    if (i->infos.length > level->infos) {
        htp_text_add_bytes(&i->out, i->infos.bytes + level->infos, i->infos.length - level->infos);
        i->infos.length = level->infos;
    }
    i->bodies--;
}

static void leave(htp_inliner *i)
{
    const htp_inline_level level = i->stack.items[i->stack.count - 1];
    switch (level.kind) {
    case HTP_INLINE_CALL:
        leave_call(i);
        break;
    case HTP_INLINE_GRAPH:
        leave_body(i, &level);
        break;
    case HTP_INLINE_NODE:
        htp_inline_finish_node(i, &level);
        if (!level.frame && i->plan.has_calls[level.item]) {
            htp_inline_place_end(i, NULL);
        }
        break;
    default:
        break;
    }
    if (level.kind != HTP_INLINE_CALL) {
        htp_inline_end(&i->out, level.begin);
    }
    i->stack.count--;
}

static htp_status inline_node(htp_inliner *i, uint32_t node)
{
    start(i, NULL, node);
    while (i->stack.count > 0) {
        if (!walk(i, &i->stack.items[i->stack.count - 1])) {
            leave(i);
        }
        if (i->spent + i->out.length + i->infos.length > i->plan.limit) {
            return htp_inline_too_much(&i->plan);
        }
        if (i->bodies > HTP_VIEW_DEEPEST) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "%s: more than %d bodies in each other",
                                   i->view->path, HTP_VIEW_DEEPEST);
        }
    }
    return HTP_OK;
}

/* ---- the whole ---- */

/* Moves the bytes written so far into the arena. */
static void keep(htp_inliner *i, htp_text *text, htp_view_spans *spans)
{
    if (text->length > 0) {
        const char *copy = htp_arena_copy(i->arena, text->bytes, text->length);
        HTP_PUSH(i->arena, spans, (htp_span){(const unsigned char *)copy, text->length});
        i->spent += text->length;
        text->length = 0;
    }
}

/* The nodes of the main graph: unchanged ones are copied from the file. */
static htp_status inline_graph(htp_inliner *i)
{
    const htp_view *view = i->view;
    uint32_t *counts = HTP_NEW_ARRAY(i->arena, uint32_t, view->nodes.count + 1);
    (void)htp_inline_count_nodes(i->arena, view, counts);
    htp_view_range nodes = view->graphs.items[0].nodes;
    htp_span run = {NULL, 0};
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_span whole = view->nodes.items[n].whole;
        if (!htp_inline_is_call(&i->plan, n) && !i->plan.has_calls[n]) {
            run.at = run.at ? run.at : whole.at;
            run.bytes = (size_t)(whole.at + whole.bytes - run.at);
            i->flat->node_count++;
            i->position += counts[n];
            continue;
        }
        if (run.at) {
            HTP_PUSH(i->arena, &i->flat->nodes, run);
            run = (htp_span){NULL, 0};
        }
        HTP_TRY(inline_node(i, n));
        keep(i, &i->out, &i->flat->nodes);
    }
    if (run.at) {
        HTP_PUSH(i->arena, &i->flat->nodes, run);
    }
    keep(i, &i->infos, &i->flat->infos);
    return HTP_OK;
}

static htp_inliner begin(htp_arena *arena, const htp_view *file, htp_view_flat *flat)
{
    return (htp_inliner){.arena = arena,
                         .view = file,
                         .flat = flat,
                         .out.arena = arena,
                         .infos.arena = arena,
                         .now_node = HTP_NONE,
                         .place = HTP_NONE};
}

static htp_status make_nodes(htp_inliner *i)
{
    HTP_TRY(htp_inline_plan_make(i->arena, i->view, &i->plan));
    i->texts = htp_inline_text_maker_of(i->arena, i->view, (size_t)i->plan.limit);
    list_values(i);
    htp_inline_names_begin(i);
    htp_inline_find_constants(i);
    return inline_graph(i);
}

static htp_status make_flat(const htp_view *file, htp_view_flat *flat)
{
    htp_inliner i = begin(file->arena, file, flat);
    HTP_TRY(make_nodes(&i));
    htp_inline_list_constants(&i);
    for (size_t k = 0; k < i.plan.imports.count; k++) {
        HTP_PUSH(i.arena, &flat->imports, i.plan.imports.items[k]);
    }
    flat->is_left_out = i.plan.is_left_out;
    return HTP_OK;
}

htp_status htp_view_inline(htp_view *flat, const htp_view *file)
{
    htp_view_flat *made = HTP_NEW(file->arena, htp_view_flat);
    memset(flat, 0, sizeof(*flat));
    HTP_TRY(make_flat(file, made));
    return htp_view_read_flat(flat, file, made);
}

htp_status htp_inline_places_find(htp_arena *arena, const htp_view *file, htp_inline_places *places)
{
    htp_view_flat flat = {0};
    htp_inliner *i = HTP_NEW(arena, htp_inliner); /* its plan stays */
    *i = begin(arena, file, &flat);
    *places = (htp_inline_places){.file = file, .plan = &i->plan};
    i->places = places;
    HTP_TRY(make_nodes(i));
    places->node_count = i->position;
    return HTP_OK;
}

void htp_inline_places_follow(const htp_inline_places *places, bool *is_called)
{
    const htp_inline_plan *plan = places->plan;
    for (size_t k = plan->view->functions.count; k-- > 0;) { /* callers before callees */
        uint32_t f = plan->order[k];
        is_called[f] = is_called[f] || plan->is_kept[f] || !plan->is_reached[f];
        for (uint32_t n = plan->first[f]; n < plan->first[f + 1] && is_called[f]; n++) {
            uint32_t called = plan->call_of[plan->nodes[n]];
            is_called[called == HTP_NONE ? f : called] = true;
        }
    }
}
