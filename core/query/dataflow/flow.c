#include "query/dataflow/flow.h"

#include "base/text.h"

#include <string.h>

enum { SHOWN_BEGIN = 3, SHOWN_END = 2 }; /* of a long path */

/* ---- reads ---- */

void htp_flow_each_read(const htp_view *view, uint32_t node, htp_flow_reader *read, void *user)
{
    const htp_view_node *reader = &view->nodes.items[node];
    for (uint32_t i = 0; i < reader->inputs.count; i++) {
        uint32_t value = view->operands.items[reader->inputs.first + i];
        if (value != HTP_NONE) {
            read(user, node, value);
        }
    }
    for (uint32_t a = 0; a < reader->attributes.count; a++) {
        htp_view_range bodies = view->attributes.items[reader->attributes.first + a].graphs;
        for (uint32_t g = bodies.first; g < bodies.first + bodies.count; g++) {
            htp_view_range returned = view->graphs.items[g].outputs;
            for (uint32_t i = 0; i < returned.count; i++) {
                read(user, node, view->operands.items[returned.first + i]);
            }
        }
    }
}

/* A node with a body reads what the body reads, whatever operator a damaged model says it is. */
static bool is_operator(const htp_view *view, uint32_t node, const char *op_type,
                        uint32_t input_count)
{
    const htp_view_node *maker = &view->nodes.items[node];
    return maker->inputs.count == input_count &&
           strcmp(htp_view_text(view, maker->op_type), op_type) == 0 &&
           htp_view_is_own_domain(view, maker->domain) && !htp_view_has_body(view, maker);
}

bool htp_flow_is_constant(const htp_view *view, uint32_t node)
{
    if (is_operator(view, node, "Constant", 0)) {
        return true;
    }
    if (!is_operator(view, node, "Identity", 1)) {
        return false;
    }
    uint32_t value = view->operands.items[view->nodes.items[node].inputs.first];
    const htp_view_value *named = value == HTP_NONE ? NULL : &view->values.items[value];
    return named &&
           (named->maker == HTP_VIEW_BY_INITIALIZER ||
            (named->maker == HTP_VIEW_BY_NODE && is_operator(view, named->node, "Constant", 0)));
}

bool htp_flow_is_carried(const htp_view *view, const bool *is_shared, uint32_t node)
{
    return (is_shared && is_shared[node]) || htp_flow_is_constant(view, node);
}

/* ---- edges ---- */

/* Two passes: edges are counted, then stored. */
struct finding {
    htp_flow *flow;
    uint32_t *used; /* by node of the graph: used slots of `sources`; NULL in the counting pass */
};

static void note_edge(void *user, uint32_t node, uint32_t value)
{
    struct finding *finding = user;
    const htp_view *view = finding->flow->view;
    const htp_view_value *read = &view->values.items[value];
    uint32_t reader = finding->flow->top[node];
    bool is_edge = read->maker == HTP_VIEW_BY_NODE && reader != HTP_NONE && read->node != reader &&
                   read->graph == finding->flow->graph && !htp_flow_is_constant(view, read->node);
    if (!is_edge) {
        return;
    }
    uint32_t place = reader - finding->flow->first_node;
    if (!finding->used) {
        finding->flow->first[place + 1]++;
    } else {
        finding->flow->sources[finding->flow->first[place] + finding->used[place]++] = read->node;
    }
}

htp_flow htp_flow_find(htp_arena *arena, const htp_view *view, const bool *is_shared,
                       uint32_t graph)
{
    htp_view_range nodes = view->graphs.items[graph].nodes;
    htp_flow flow = {
        .view = view,
        .is_shared = is_shared,
        .graph = graph,
        .first_node = nodes.first,
        .node_count = nodes.count,
        .first = HTP_NEW_ARRAY(arena, uint32_t, (size_t)nodes.count + 1),
    };
    struct finding finding = {.flow = &flow};
    flow.top = htp_view_tops(arena, view, graph);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_flow_each_read(view, n, note_edge, &finding);
    }
    for (uint32_t i = 0; i < nodes.count; i++) {
        flow.first[i + 1] += flow.first[i];
    }
    flow.sources = HTP_NEW_ARRAY(arena, uint32_t, (size_t)flow.first[nodes.count] + 1);
    flow.from = HTP_NEW_ARRAY(arena, uint32_t, (size_t)nodes.count + 1);
    flow.inner = HTP_NEW_ARRAY(arena, uint32_t, (size_t)nodes.count + 1);
    finding.used = HTP_NEW_ARRAY(arena, uint32_t, (size_t)nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_flow_each_read(view, n, note_edge, &finding);
    }
    return flow;
}

/* ---- detours ---- */

static bool is_shared(const htp_flow *flow, uint32_t node)
{
    return flow->is_shared && flow->is_shared[node];
}

static bool is_inside(const htp_flow *flow, const uint32_t *part_of, uint32_t part, uint32_t node)
{
    return part_of[node] == part && !is_shared(flow, node);
}

/* A node that reads from the part, directly or through shared nodes. */
static uint32_t find_inner(const htp_flow *flow, const uint32_t *part_of, uint32_t part,
                           uint32_t node)
{
    uint32_t place = node - flow->first_node;
    for (uint32_t i = flow->first[place]; i < flow->first[place + 1]; i++) {
        uint32_t source = flow->sources[i];
        if (is_shared(flow, source) ? flow->inner[source - flow->first_node] != HTP_NONE
                                    : part_of[source] == part) {
            return source;
        }
    }
    return HTP_NONE;
}

/* The node of the part at which a detour begins. */
static uint32_t find_from(const htp_flow *flow, const uint32_t *part_of, uint32_t part,
                          uint32_t node)
{
    uint32_t place = node - flow->first_node;
    for (uint32_t i = flow->first[place]; i < flow->first[place + 1]; i++) {
        uint32_t source = flow->sources[i];
        if (!is_inside(flow, part_of, part, source) &&
            flow->from[source - flow->first_node] != HTP_NONE) {
            return source;
        }
    }
    return HTP_NONE;
}

static void reverse(htp_flow_path *path)
{
    for (size_t i = 0; i < path->count / 2; i++) {
        uint32_t other = path->items[path->count - 1 - i];
        path->items[path->count - 1 - i] = path->items[i];
        path->items[i] = other;
    }
}

void htp_flow_find_detour(htp_arena *arena, const htp_flow *flow, const uint32_t *part_of,
                          uint32_t part, htp_flow_path *path)
{
    uint32_t *from = flow->from;
    uint32_t *inner = flow->inner;
    *path = (htp_flow_path){0};
    for (uint32_t i = 0; i < flow->node_count && path->count == 0; i++) {
        uint32_t node = flow->first_node + i;
        uint32_t left = find_from(flow, part_of, part, node);
        uint32_t reads = find_inner(flow, part_of, part, node);
        if (is_shared(flow, node)) {
            from[i] = left;
            inner[i] = reads;
        } else if (part_of[node] != part) {
            from[i] = reads != HTP_NONE ? reads : left;
        } else {
            from[i] = HTP_NONE;
        }
        if (!is_inside(flow, part_of, part, node) || left == HTP_NONE) {
            continue;
        }
        HTP_PUSH(arena, path, node);
        for (uint32_t at = left;;) {
            uint32_t place = at - flow->first_node;
            HTP_PUSH(arena, path, at);
            if (is_inside(flow, part_of, part, at)) {
                break;
            }
            at = from[place] != HTP_NONE ? from[place] : inner[place];
        }
        reverse(path);
    }
}

const char *htp_flow_path_text(htp_arena *arena, const htp_view *view, const htp_flow_path *path)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < path->count; i++) {
        if (path->count > SHOWN_BEGIN + SHOWN_END + 1 && i == SHOWN_BEGIN) {
            size_t left_out = path->count - SHOWN_BEGIN - SHOWN_END;
            htp_text_addf(&text, " -> ... (%zu more)", left_out);
            i += left_out;
        }
        htp_text_addf(&text, "%s'%s'", i ? " -> " : "", htp_view_call_node(view, path->items[i]));
    }
    return htp_text_string(&text);
}
