#include "query/flow.h"

#include "base/text.h"

#include <string.h>

enum { SHOWN_BEGIN = 3, SHOWN_END = 2 }; /* nodes of a long path */

/* ---- reads ---- */

void htp_flow_each_read(const htp_view *view, uint32_t node, htp_flow_reader *read, void *user)
{
    const htp_view_node *reader = &view->nodes.items[node];
    for (uint32_t i = 0; i < reader->inputs.count; i++) {
        uint32_t value = view->operands.items[reader->inputs.first + i];
        if (value != HTP_VIEW_NONE) {
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

static bool is_operator(const htp_view *view, uint32_t node, const char *op_type,
                        uint32_t input_count)
{
    const htp_view_node *maker = &view->nodes.items[node];
    const char *domain = htp_view_text(view, maker->domain);
    return maker->inputs.count == input_count &&
           strcmp(htp_view_text(view, maker->op_type), op_type) == 0 &&
           (*domain == '\0' || strcmp(domain, "ai.onnx") == 0);
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
    const htp_view_value *named = value == HTP_VIEW_NONE ? NULL : &view->values.items[value];
    return named &&
           (named->maker == HTP_VIEW_BY_INITIALIZER ||
            (named->maker == HTP_VIEW_BY_NODE && is_operator(view, named->node, "Constant", 0)));
}

/* ---- edges ---- */

/* Edges are counted first, then noted. */
struct finding {
    htp_flow *flow;
    uint32_t *used; /* by node of the graph: of its room in `sources`; NULL: they are counted */
};

static void note_edge(void *user, uint32_t node, uint32_t value)
{
    struct finding *finding = user;
    const htp_view *view = finding->flow->view;
    const htp_view_value *read = &view->values.items[value];
    uint32_t reader = finding->flow->top[node];
    bool is_edge = read->maker == HTP_VIEW_BY_NODE && reader != HTP_VIEW_NONE &&
                   read->node != reader && read->graph == finding->flow->graph &&
                   !htp_flow_is_constant(view, read->node);
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

static void find_tops(htp_arena *arena, htp_flow *flow)
{
    const htp_view *view = flow->view;
    flow->top = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) { /* bodies come behind their nodes */
        uint32_t graph = view->nodes.items[n].graph;
        uint32_t owner = view->graphs.items[graph].node;
        flow->top[n] = graph == flow->graph     ? n
                       : owner == HTP_VIEW_NONE ? HTP_VIEW_NONE
                                                : flow->top[owner];
    }
}

htp_flow htp_flow_find(htp_arena *arena, const htp_view *view, uint32_t graph)
{
    htp_view_range nodes = view->graphs.items[graph].nodes;
    htp_flow flow = {
        .view = view,
        .graph = graph,
        .first_node = nodes.first,
        .node_count = nodes.count,
        .first = HTP_NEW_ARRAY(arena, uint32_t, (size_t)nodes.count + 1),
    };
    struct finding finding = {.flow = &flow};
    find_tops(arena, &flow);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_flow_each_read(view, n, note_edge, &finding);
    }
    for (uint32_t i = 0; i < nodes.count; i++) {
        flow.first[i + 1] += flow.first[i];
    }
    flow.sources = HTP_NEW_ARRAY(arena, uint32_t, (size_t)flow.first[nodes.count] + 1);
    flow.from = HTP_NEW_ARRAY(arena, uint32_t, (size_t)nodes.count + 1);
    finding.used = HTP_NEW_ARRAY(arena, uint32_t, (size_t)nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_flow_each_read(view, n, note_edge, &finding);
    }
    return flow;
}

/* ---- detours ---- */

/* The node that a path comes from which left the part, for a node outside of it; of a node inside
 * the same is the end of a detour. */
static uint32_t find_source(const htp_flow *flow, const uint32_t *part_of, uint32_t part,
                            const uint32_t *from, uint32_t node)
{
    uint32_t place = node - flow->first_node;
    for (uint32_t i = flow->first[place]; i < flow->first[place + 1]; i++) {
        uint32_t source = flow->sources[i];
        bool is_inside = part_of[source] == part;
        bool is_on_path = from[source - flow->first_node] != HTP_VIEW_NONE;
        if (is_inside ? part_of[node] != part : is_on_path) {
            return source;
        }
    }
    return HTP_VIEW_NONE;
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
    *path = (htp_flow_path){0};
    for (uint32_t i = 0; i < flow->node_count && path->count == 0; i++) {
        uint32_t node = flow->first_node + i;
        uint32_t source = find_source(flow, part_of, part, from, node);
        from[i] = part_of[node] == part ? HTP_VIEW_NONE : source;
        if (part_of[node] != part || source == HTP_VIEW_NONE) {
            continue;
        }
        HTP_PUSH(arena, path, node);
        for (; part_of[source] != part; source = from[source - flow->first_node]) {
            HTP_PUSH(arena, path, source);
        }
        HTP_PUSH(arena, path, source);
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
