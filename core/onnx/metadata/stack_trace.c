#include "onnx/metadata/stack_trace.h"

#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"

#include <string.h>

enum { LONGEST_STACK = 256, LONGEST_LINE = 1000 };

#define FORWARD "forward"
#define SEPARATOR "\n  "

typedef struct frame {
    const char *file;
    const char *line; /* digits */
    const char *function;
    const char *text; /* NULL if unknown */
} frame;

typedef struct stack {
    htp_arena *arena;
    const char *method;       /* the exported method */
    HTP_VECTOR(frame) frames; /* the innermost first */
    bool has_python;          /* a traced file, where one place holds the frames of several calls */
} stack;

/* The tracer names the second call of one module forward1, and so on. */
static bool is_forward(const char *function)
{
    size_t length = strlen(FORWARD);
    return strncmp(function, FORWARD, length) == 0 &&
           function[length + strspn(function + length, "0123456789")] == '\0';
}

/* Whether a file belongs to the tracer: torch.jit._trace. */
static bool is_tracer(const char *file)
{
    static const char *const names[] = {"_trace.py", "jit", "torch"}; /* the innermost first */
    size_t end = strlen(file);
    bool is_alike = true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && is_alike; i++) {
        size_t begin = end;
        while (begin > 0 && file[begin - 1] != '/') {
            begin--;
        }
        is_alike =
            end - begin == strlen(names[i]) && strncmp(file + begin, names[i], end - begin) == 0;
        end = begin > 0 ? begin - 1 : 0;
    }
    return is_alike;
}

static void add_frame(stack *s, frame added)
{
    if (s->frames.count < LONGEST_STACK) {
        HTP_PUSH(s->arena, &s->frames, added);
    }
}

/* ---- Python's stacks in traced files ---- */

/* Reads "FILE(LINE): FUNCTION". */
static bool read_frame(htp_arena *arena, const char *line, size_t length, frame *read)
{
    char *file = htp_arena_copy(arena, line, length);
    char *close = NULL;
    for (char *at = strstr(file, "): "); at; at = strstr(at + 1, "): ")) {
        close = at;
    }
    char *open = close;
    while (open && open > file && open[-1] >= '0' && open[-1] <= '9') {
        open--;
    }
    if (!close || open == close || open - file < 2 || open[-1] != '(') {
        return false;
    }
    open[-1] = '\0';
    *close = '\0';
    *read = (frame){file, open, close + strlen("): "), NULL};
    return true;
}

/* Adds the frames of forward() from a stack; without one, the innermost frame. */
static void add_python_stack(stack *s, const char *text)
{
    s->has_python = true;
    size_t before = s->frames.count;
    frame innermost = {0};
    while (*text && s->frames.count < LONGEST_STACK) {
        size_t length = strcspn(text, "\n");
        frame read;
        bool is_read = read_frame(s->arena, text, length, &read);
        if (is_read && is_tracer(read.file)) {
            break;
        }
        if (is_read &&
            (strcmp(read.function, FORWARD) == 0 || strcmp(read.function, s->method) == 0)) {
            add_frame(s, read);
        }
        innermost = is_read && !innermost.file ? read : innermost;
        text += length + (text[length] != '\0');
    }
    if (s->frames.count == before && innermost.file) {
        add_frame(s, innermost);
    }
}

/* ---- the chain of calls ---- */

static bool is_line(const char *text)
{
    return *text == ' ';
}

/* Whether a place holds a stack of Python's. */
static bool is_python(const htp_trace_call *place)
{
    return place->source_text && *place->source_text && !is_line(place->source_text);
}

/* Adds the frames of a place. */
static void add_place(stack *s, const htp_trace_call *place)
{
    const char *text = place->source_text ? place->source_text : "";
    if (is_python(place)) {
        add_python_stack(s, text);
        return;
    }
    const char *function = place->function && *place->function ? place->function : FORWARD;
    add_frame(s, (frame){.file = place->source_file,
                         .line = htp_arena_printf(s->arena, "%u", (unsigned)place->source_line),
                         .function = is_forward(function) ? FORWARD : function,
                         .text = *text ? text : NULL});
}

static const htp_trace_call *caller_of(const htp_trace *trace, const htp_trace_call *place)
{
    return place->call ? &trace->calls[place->call - 1] : NULL;
}

/* Lists the places of a node. For each module call the outermost known place counts, which is in
 * forward() itself. */
static void list_places(htp_arena *arena, const htp_trace *trace, const htp_trace_call *innermost,
                        htp_stack_places *places)
{
    const htp_trace_call *known = *innermost->source_file ? innermost : NULL;
    places->count = 0;
    for (const htp_trace_call *at = innermost; at; at = caller_of(trace, at)) {
        known = at->source_text && *at->source_text ? at : known;
        const htp_trace_call *caller = caller_of(trace, at);
        if (known && (!caller || caller->scope != at->scope)) {
            HTP_PUSH(arena, places, known);
            known = NULL;
        }
    }
}

static const char *find_method(const htp_trace *trace, const htp_trace_call *place)
{
    const char *method = NULL;
    for (; place; place = caller_of(trace, place)) {
        method = place->function;
    }
    return method ? method : FORWARD;
}

static htp_trace_call place_of(const htp_trace_node *node)
{
    return (htp_trace_call){.scope = node->scope,
                            .source_file = node->source_file,
                            .source_line = node->source_line,
                            .source_text = node->source_text,
                            .function = node->function,
                            .call = node->call};
}

static stack find_frames(htp_arena *arena, const char *method, const htp_stack_places *places)
{
    stack s = {.arena = arena, .method = method};
    for (size_t i = 0; i < places->count; i++) {
        add_place(&s, places->items[i]);
    }
    return s;
}

/* ---- the text ---- */

static void add_line(htp_text *text, const char *line)
{
    static const char blanks[] = " \t\r\n\f\v";
    line += strspn(line, blanks);
    size_t length = strlen(line);
    while (length > 0 && strchr(blanks, line[length - 1])) {
        length--;
    }
    size_t kept = 0;
    while (kept < length && kept < LONGEST_LINE) {
        uint32_t code;
        size_t bytes = htp_text_utf8(line + kept, &code);
        kept += bytes ? bytes : 1;
    }
    if (kept > 0) {
        htp_text_add(text, "\n    ");
        htp_text_add_utf8(text, htp_arena_copy(text->arena, line, kept));
    }
}

static void add_frame_text(htp_text *text, const frame *added)
{
    htp_text_add(text, "File \"");
    htp_text_add(text, htp_text_printable(text->arena, added->file));
    htp_text_add(text, "\", line ");
    htp_text_add(text, added->line);
    htp_text_add(text, ", in ");
    htp_text_add(text, htp_text_printable(text->arena, added->function));
    if (added->text) {
        add_line(text, added->text);
    }
}

static const char *text_of(htp_arena *arena, const stack *s)
{
    htp_text text = {.arena = arena};
    for (size_t i = s->frames.count; i-- > 0;) {
        htp_text_add(&text, text.length ? SEPARATOR : "");
        add_frame_text(&text, &s->frames.items[i]);
    }
    return text.length ? htp_text_string(&text) : NULL;
}

/* A key of all texts from which frames are made. Texts of a trace are interned, so addresses
 * suffice. */
static void make_key(htp_arena *arena, htp_stack_memo *memo, const char *method)
{
    memo->key.count = 0;
    HTP_PUSH(arena, &memo->key, method);
    for (size_t i = 0; i < memo->places.count; i++) {
        const htp_trace_call *place = memo->places.items[i];
        HTP_PUSH(arena, &memo->key, place->source_text);
        if (!is_python(place)) {
            HTP_PUSH(arena, &memo->key, place->source_file);
            HTP_PUSH(arena, &memo->key, (const void *)(uintptr_t)place->source_line);
            HTP_PUSH(arena, &memo->key, place->function);
        }
    }
}

const char *htp_stack_trace_make(htp_arena *arena, htp_stack_memo *memo, const htp_trace *trace,
                                 const htp_trace_node *node)
{
    const htp_trace_call place = place_of(node);
    const char *method = find_method(trace, &place);
    uint32_t number = (uint32_t)memo->texts.count;
    list_places(arena, trace, &place, &memo->places);
    make_key(arena, memo, method);
    const size_t bytes = memo->key.count * sizeof(*memo->key.items);
    const void **known = htp_map_add_bytes(arena, &memo->known, memo->key.items, bytes, &number);
    if (known) {
        *known = htp_arena_copy(arena, memo->key.items, bytes);
        const stack s = find_frames(arena, method, &memo->places);
        HTP_PUSH(arena, &memo->texts, text_of(arena, &s));
    }
    return memo->texts.items[number];
}

/* ---- of all nodes and calls of a graph ---- */

/* A frame and its outer frames: stacks share common beginnings. */
typedef struct link {
    uint32_t outer; /* a link; 0: none */
    uint32_t depth; /* number of frames, including this one */
    const char *text;
} link;

struct htp_stacks {
    const htp_graph *graph;
    HTP_VECTOR(link) links;
    uint32_t *nodes; /* by node: its innermost frame, or 0 */
    uint32_t *calls; /* by scope: the innermost frame of its callers, or 0 */
};

typedef struct finder {
    htp_arena *arena;
    htp_stacks *stacks;
    htp_map known;           /* outer link and text -> link */
    htp_text key;            /* the key of the last look-up */
    uint32_t *depths;        /* by scope: number of callers */
    uint32_t *callers;       /* by scope: number of callers whose places are known without nodes */
    bool *has_stack;         /* by scope: a node of it has a stack */
    htp_stack_places places; /* the last node's */
} finder;

static uint32_t add_link(finder *f, uint32_t outer, const frame *added)
{
    f->key.length = 0;
    htp_text_add_bytes(&f->key, (const char *)&outer, sizeof(outer));
    add_frame_text(&f->key, added);
    uint32_t found = (uint32_t)f->stacks->links.count;
    const void **place =
        htp_map_add_bytes(f->arena, &f->known, f->key.bytes, f->key.length, &found);
    if (place) {
        const char *bytes = htp_arena_copy(f->arena, f->key.bytes, f->key.length);
        *place = bytes;
        uint32_t depth = f->stacks->links.items[outer].depth + 1;
        HTP_PUSH(f->arena, &f->stacks->links, (link){outer, depth, bytes + sizeof(outer)});
    }
    return found;
}

/* Whether the place of a call is known, or that of a call around it in the same module call. */
static bool is_known_place(const htp_trace *trace, const htp_trace_call *place)
{
    bool is_known = false;
    for (uint32_t scope = place->scope; place && place->scope == scope && !is_known;
         place = caller_of(trace, place)) {
        is_known = place->source_text && *place->source_text;
    }
    return is_known;
}

static void count_callers(finder *f)
{
    const htp_trace *trace = f->stacks->graph->trace;
    for (uint32_t i = 0; i < trace->scope_count; i++) {
        const htp_trace_call *site = htp_graph_scope_site(f->stacks->graph, i);
        uint32_t parent = trace->scopes[i].parent;
        if (parent < i) {
            f->depths[i] = f->depths[parent] + 1;
            f->callers[i] = f->callers[parent] + (site && is_known_place(trace, site));
        }
    }
}

/*
 * Shortens a scope's shared frames to those in common with the first @p limit of a further stack.
 * @param path  its links, outermost first, after link 0
 */
static void share(finder *f, uint32_t scope, const uint32_t *path, uint32_t limit)
{
    const link *links = f->stacks->links.items;
    uint32_t shared = f->has_stack[scope] ? f->stacks->calls[scope] : path[limit];
    while (links[shared].depth > limit || path[links[shared].depth] != shared) {
        shared = links[shared].outer;
    }
    f->stacks->calls[scope] = shared;
    f->has_stack[scope] = true;
}

static void find_stack(finder *f, htp_node_id id)
{
    const htp_trace *trace = f->stacks->graph->trace;
    const htp_trace_call place = place_of(&trace->nodes[id]);
    list_places(f->arena, trace, &place, &f->places);
    const stack s = find_frames(f->arena, find_method(trace, &place), &f->places);
    uint32_t count = (uint32_t)s.frames.count;
    uint32_t path[LONGEST_STACK + 1] = {0};
    for (uint32_t i = 0; i < count; i++) {
        path[i + 1] = add_link(f, path[i], &s.frames.items[count - 1 - i]);
    }
    f->stacks->nodes[id] = path[count];
    for (uint32_t scope = trace->nodes[id].scope; count > 0 && scope != HTP_NONE;
         scope = trace->scopes[scope].parent) {
        uint32_t limit = s.has_python ? f->depths[scope] : f->callers[scope];
        share(f, scope, path, limit < count ? limit : count - 1);
    }
}

const htp_stacks *htp_stacks_find(htp_arena *arena, const htp_graph *graph)
{
    size_t scope_count = (size_t)graph->trace->scope_count + 1;
    htp_stacks *stacks = HTP_NEW(arena, htp_stacks);
    stacks->graph = graph;
    stacks->nodes = HTP_NEW_ARRAY(arena, uint32_t, (size_t)graph->node_count + 1);
    stacks->calls = HTP_NEW_ARRAY(arena, uint32_t, scope_count);
    HTP_PUSH(arena, &stacks->links, (link){0});
    finder f = {.arena = arena,
                .key = {.arena = arena},
                .stacks = stacks,
                .depths = HTP_NEW_ARRAY(arena, uint32_t, scope_count),
                .callers = HTP_NEW_ARRAY(arena, uint32_t, scope_count),
                .has_stack = HTP_NEW_ARRAY(arena, bool, scope_count)};
    count_callers(&f);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->is_live[i]) {
            find_stack(&f, i);
        }
    }
    return stacks;
}

/* The text of the frames inside @p outer, down to @p inner; NULL if there are none, or @p outer is
 * not around @p inner. */
static const char *text_between(htp_arena *arena, const htp_stacks *stacks, uint32_t outer,
                                uint32_t inner)
{
    const link *links = stacks->links.items;
    const char *frames[LONGEST_STACK];
    uint32_t count = 0;
    for (; links[inner].depth > links[outer].depth; inner = links[inner].outer) {
        frames[count++] = links[inner].text;
    }
    htp_text text = {.arena = arena};
    for (uint32_t i = inner == outer ? count : 0; i-- > 0;) {
        htp_text_add(&text, text.length ? SEPARATOR : "");
        htp_text_add(&text, frames[i]);
    }
    return text.length ? htp_text_string(&text) : NULL;
}

const char *htp_stack_trace_of_call(htp_arena *arena, const htp_stacks *stacks, uint32_t scope,
                                    uint32_t within)
{
    return text_between(arena, stacks, stacks->calls[within], stacks->calls[scope]);
}

const char *htp_stack_trace_within(htp_arena *arena, const htp_stacks *stacks, htp_node_id node,
                                   uint32_t scope)
{
    return text_between(arena, stacks, stacks->calls[scope], stacks->nodes[node]);
}
