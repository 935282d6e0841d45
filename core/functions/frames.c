#include "functions/frames.h"

#include "base/numbers.h"

/* Rounds in which invalid frames are dropped; after them, all frames are. */
enum { MAX_ROUNDS = 32 };

/* A graph in the walk. */
typedef struct graph_level {
    uint32_t graph;
    size_t next;      /* index of the next node */
    htp_numbers open; /* frames around the current node, the innermost last */
} graph_level;

typedef struct finder {
    htp_arena *arena;
    const htp_builder *model;
    const htp_trace_scope *scopes;
    htp_frames *found;
    bool *is_frame;                 /* by scope */
    uint32_t *frame_of;             /* by scope: its innermost frame, or HTP_NONE */
    htp_numbers *graphs;            /* by graph: its nodes */
    HTP_VECTOR(graph_level) levels; /* nested graphs, and those that follow them */
    bool *is_closed;                /* by scope: its nodes have ended */
    bool is_any_refused;
} finder;

/* ---- which scope lies in which ---- */

/* The scope of the innermost frame around a scope; HTP_NONE: none. */
static uint32_t frame_scope(const finder *f, uint32_t scope)
{
    while (scope != HTP_NONE && !f->is_frame[scope]) {
        scope = f->scopes[scope].parent;
    }
    return scope;
}

bool htp_frames_is_within(const htp_frames *frames, uint32_t inner, uint32_t outer)
{
    if (outer == HTP_NONE) {
        return true;
    }
    uint32_t depth = frames->frames.items[outer].depth;
    while (inner != HTP_NONE && frames->frames.items[inner].depth > depth) {
        inner = frames->frames.items[inner].parent;
    }
    return inner == outer;
}

/* ---- the frames of one graph ---- */

static uint32_t add_frame(finder *f, uint32_t scope, uint32_t parent, uint32_t graph)
{
    htp_frames *found = f->found;
    uint32_t index = (uint32_t)found->frames.count;
    uint32_t depth = parent == HTP_NONE ? 1 : found->frames.items[parent].depth + 1;
    HTP_PUSH(f->arena, &found->frames,
             (htp_frame){.scope = scope,
                         .module = f->scopes[scope].module,
                         .parent = parent,
                         .depth = depth,
                         .graph = graph});
    f->frame_of[scope] = index;
    return index;
}

/* The list of entries of a frame in a graph. */
static htp_entry_list *entries_of(finder *f, uint32_t frame, uint32_t graph)
{
    return frame == f->found->graph_frames[graph] ? &f->found->graphs[graph]
                                                  : &f->found->frames.items[frame].entries;
}

/* The frame of a scope around a node, created at its first node. A frame with nodes in another
 * graph, or with foreign nodes in between, is refused. */
static uint32_t enter(finder *f, uint32_t scope, uint32_t graph)
{
    uint32_t base = f->found->graph_frames[graph];
    htp_numbers entered = {0};
    while (scope != HTP_NONE && f->frame_of[scope] == HTP_NONE) {
        HTP_PUSH(f->arena, &entered, scope);
        scope = frame_scope(f, f->scopes[scope].parent);
    }
    uint32_t frame = scope == HTP_NONE ? HTP_NONE : f->frame_of[scope];
    if (!htp_frames_is_within(f->found, frame, base)) {
        return base; /* it was made for an operation outside */
    }
    while (entered.count > 0) {
        uint32_t next = entered.items[--entered.count];
        uint32_t parent = frame;
        frame = add_frame(f, next, parent, graph);
        HTP_PUSH(f->arena, entries_of(f, parent, graph),
                 (htp_entry){.node = HTP_NONE, .frame = frame});
    }
    return frame;
}

static void refuse(finder *f, uint32_t frame)
{
    uint32_t scope = f->found->frames.items[frame].scope;
    f->found->scattered += f->is_frame[scope];
    f->is_frame[scope] = false;
    f->is_any_refused = true;
}

/* Notes that the next node of a graph is in @p frame. */
static void come_to(finder *f, uint32_t frame, graph_level *level)
{
    htp_numbers *open = &level->open;
    const htp_frame *frames = f->found->frames.items;
    while (open->count > 0 &&
           !htp_frames_is_within(f->found, frame, open->items[open->count - 1])) {
        f->is_closed[frames[open->items[--open->count]].scope] = true;
    }
    uint32_t base = f->found->graph_frames[level->graph];
    uint32_t above = open->count > 0 ? open->items[open->count - 1] : base;
    size_t first = open->count;
    for (uint32_t at = frame; at != above; at = frames[at].parent) {
        if (frames[at].graph != level->graph || f->is_closed[frames[at].scope]) {
            refuse(f, at);
        }
        HTP_PUSH(f->arena, open, at);
    }
    for (size_t i = first, j = open->count; i + 1 < j; i++) {
        uint32_t swapped = open->items[--j];
        open->items[j] = open->items[i];
        open->items[i] = swapped;
    }
}

/* Continues with the bodies of a node. */
static void push_bodies(finder *f, const htp_onnx_node *node, uint32_t frame)
{
    for (uint32_t k = node->attribute_count; k-- > 0;) {
        if (node->attributes[k].kind == HTP_ATTRIBUTE_GRAPH) {
            f->found->graph_frames[node->attributes[k].i] = frame;
            HTP_PUSH(f->arena, &f->levels, (graph_level){.graph = (uint32_t)node->attributes[k].i});
        }
    }
}

/* Steps to the next node, in the order of the file. */
static void find_next(finder *f)
{
    graph_level *level = &f->levels.items[f->levels.count - 1];
    uint32_t graph = level->graph;
    if (level->next == f->graphs[graph].count) {
        f->levels.count--;
        return;
    }
    uint32_t n = f->graphs[graph].items[level->next++];
    const htp_onnx_node *node = &f->model->nodes.items[n];
    uint32_t frame = enter(f, frame_scope(f, node->origin.scope), graph);
    come_to(f, frame, level);
    f->found->node_frames[n] = frame;
    HTP_PUSH(f->arena, entries_of(f, frame, graph), (htp_entry){.node = n, .frame = HTP_NONE});
    push_bodies(f, node, frame);
}

/* ---- all graphs ---- */

static void find_all(finder *f)
{
    uint32_t scope_count = f->model->graph->trace->scope_count;
    size_t graph_count = f->model->graphs.count + 1;
    htp_frames *found = f->found;
    found->frames.count = 0;
    found->graphs = HTP_NEW_ARRAY(f->arena, htp_entry_list, graph_count);
    f->is_closed = HTP_NEW_ARRAY(f->arena, bool, scope_count);
    f->is_any_refused = false;
    for (uint32_t i = 0; i < scope_count; i++) {
        f->frame_of[i] = HTP_NONE;
    }
    found->graph_frames[0] = HTP_NONE;
    f->levels.count = 0;
    HTP_PUSH(f->arena, &f->levels, (graph_level){.graph = 0});
    while (f->levels.count > 0) {
        find_next(f);
    }
}

static void list_graphs(finder *f)
{
    f->graphs = HTP_NEW_ARRAY(f->arena, htp_numbers, f->model->graphs.count + 1);
    for (uint32_t n = 0; n < f->model->nodes.count; n++) {
        HTP_PUSH(f->arena, &f->graphs[f->model->nodes.items[n].graph], n);
    }
}

/* ---- facts about scopes ---- */

typedef struct call_key {
    uint32_t frame, module;
} call_key;

htp_call_count htp_frames_calls(const htp_frames *frames, uint32_t frame, uint32_t module)
{
    const call_key key = {frame, module};
    uint32_t index;
    if (frame == HTP_NONE) {
        return (htp_call_count){0, htp_graph_module_calls(frames->model->graph, module)};
    }
    return htp_map_get_bytes(&frames->calls, &key, sizeof(key), &index)
               ? frames->call_counts.items[index]
               : (htp_call_count){0, 0};
}

/* Counts a call in each frame around it. Calls come in order, so the first one sets the number. */
static void count_call(finder *f, uint32_t scope)
{
    htp_frames *found = f->found;
    uint32_t module = f->scopes[scope].module;
    uint32_t frame = found->scope_frames[scope];
    bool is_frame = frame != HTP_NONE && found->frames.items[frame].scope == scope;
    frame = is_frame ? found->frames.items[frame].parent : frame;
    for (; frame != HTP_NONE; frame = found->frames.items[frame].parent) {
        const call_key key = {frame, module};
        uint32_t index = (uint32_t)found->call_counts.count;
        if (htp_map_add_bytes(f->arena, &found->calls, &key, sizeof(key), &index)) {
            HTP_PUSH(f->arena, &found->call_counts, (htp_call_count){f->scopes[scope].call, 0});
            HTP_PUSH(f->arena, &found->frames.items[frame].repeated, module);
        }
        found->call_counts.items[index].count++;
    }
}

static void look_at_scopes(finder *f)
{
    uint32_t count = f->model->graph->trace->scope_count;
    uint32_t *inner = HTP_NEW_ARRAY(f->arena, uint32_t, count);
    f->found->scope_frames = inner;
    for (uint32_t scope = 0; scope < count; scope++) {
        uint32_t parent = f->scopes[scope].parent;
        uint32_t around = parent == HTP_NONE ? HTP_NONE : inner[parent];
        inner[scope] = f->frame_of[scope] == HTP_NONE ? around : f->frame_of[scope];
        if (htp_graph_module_calls(f->model->graph, f->scopes[scope].module) > 1) {
            count_call(f, scope);
        }
    }
}

htp_frames *htp_frames_find(const htp_builder *model, const bool *is_chosen)
{
    htp_arena *arena = model->arena;
    const htp_trace *trace = model->graph->trace;
    finder f = {.arena = arena, .model = model, .scopes = trace->scopes};
    f.found = HTP_NEW(arena, htp_frames);
    f.found->model = model;
    f.found->node_frames = HTP_NEW_ARRAY(arena, uint32_t, model->nodes.count);
    f.is_frame = HTP_NEW_ARRAY(arena, bool, trace->scope_count);
    f.frame_of = HTP_NEW_ARRAY(arena, uint32_t, trace->scope_count);
    f.found->graph_frames = HTP_NEW_ARRAY(arena, uint32_t, model->graphs.count + 1);
    for (uint32_t scope = 1; scope < trace->scope_count; scope++) {
        uint32_t module = trace->scopes[scope].module;
        bool is_caller = module == trace->scopes[trace->scopes[scope].parent].module;
        f.is_frame[scope] = is_chosen[module] && !is_caller;
    }
    list_graphs(&f);
    find_all(&f);
    for (unsigned round = 1; f.is_any_refused; round++) {
        if (round == MAX_ROUNDS) {
            for (uint32_t i = 0; i < f.found->frames.count; i++) {
                refuse(&f, i);
            }
        }
        find_all(&f);
    }
    look_at_scopes(&f);
    return f.found;
}

/* ---- walks ---- */

/* A list of entries in the walk. */
typedef struct level {
    const htp_entry_list *entries;
    size_t next;
    uint32_t bodies; /* of the next node, visited so far */
    uint32_t graph;  /* a body; HTP_NONE: the start of the walk */
} level;

struct htp_walk {
    htp_arena *arena;
    const htp_frames *frames;
    HTP_VECTOR(level) levels;
};

htp_walk *htp_walk_begin(htp_arena *arena, const htp_frames *frames, uint32_t frame)
{
    htp_walk *walk = HTP_NEW(arena, htp_walk);
    walk->arena = arena;
    walk->frames = frames;
    const htp_entry_list *entries =
        frame == HTP_NONE ? &frames->graphs[0] : &frames->frames.items[frame].entries;
    HTP_PUSH(arena, &walk->levels, (level){.entries = entries, .graph = HTP_NONE});
    return walk;
}

/* Body @p index of a node, or HTP_NONE. */
static uint32_t body_of(const htp_onnx_node *node, uint32_t index)
{
    for (uint32_t k = 0; k < node->attribute_count; k++) {
        if (node->attributes[k].kind == HTP_ATTRIBUTE_GRAPH && index-- == 0) {
            return (uint32_t)node->attributes[k].i;
        }
    }
    return HTP_NONE;
}

static bool end_level(htp_walk *walk, htp_event *event)
{
    *event = (htp_event){HTP_EVENT_END, walk->levels.items[--walk->levels.count].graph};
    return walk->levels.count > 0;
}

bool htp_walk_next(htp_walk *walk, htp_event *event)
{
    level *at = &walk->levels.items[walk->levels.count - 1];
    if (at->next == at->entries->count) {
        return end_level(walk, event);
    }
    const htp_entry *entry = &at->entries->items[at->next];
    if (entry->node == HTP_NONE) {
        at->next++;
        *event = (htp_event){HTP_EVENT_CALL, entry->frame};
        return true;
    }
    uint32_t body = body_of(&walk->frames->model->nodes.items[entry->node], at->bodies);
    if (body == HTP_NONE) {
        at->next++;
        at->bodies = 0;
        *event = (htp_event){HTP_EVENT_NODE, entry->node};
        return true;
    }
    at->bodies++;
    HTP_PUSH(walk->arena, &walk->levels,
             (level){.entries = &walk->frames->graphs[body], .graph = body});
    *event = (htp_event){HTP_EVENT_GRAPH, body};
    return true;
}
