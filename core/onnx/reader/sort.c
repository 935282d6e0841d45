#include "onnx/reader/sort.h"

#include <string.h>

/* The nodes of graph 0 and the sources of each. */
struct sorter {
    const htp_view *view;
    uint32_t *owner; /* by node: itself, or the node of graph 0 that contains it; HTP_NONE: a
                        function's */
    uint32_t *first; /* by node of graph 0, and one more: start in `makers` */
    uint32_t *makers;
    uint8_t *state; /* by node: see below */
    htp_view_flat *flat;
};

enum { NEW, OPEN, DONE };

bool htp_view_is_unsorted(const htp_view *view)
{
    for (size_t i = 0; i < view->flaws.count; i++) {
        const htp_view_flaw *flaw = &view->flaws.items[i];
        if (flaw->kind != HTP_VIEW_MADE_LATER || view->values.items[flaw->value].graph != 0) {
            return false;
        }
    }
    return view->flaws.count > 0;
}

static void find_owners(struct sorter *s)
{
    for (uint32_t n = 0; n < s->view->nodes.count; n++) {
        uint32_t graph = s->view->nodes.items[n].graph;
        uint32_t node = s->view->graphs.items[graph].node;
        s->owner[n] = graph == 0 ? n : node == HTP_NONE ? HTP_NONE : s->owner[node];
    }
}

/* The node of graph 0 that must precede the owner of a reader; HTP_NONE: none. */
static uint32_t maker_of(const struct sorter *s, uint32_t owner, uint32_t value)
{
    uint32_t node = value == HTP_NONE ? HTP_NONE : s->view->values.items[value].node;
    uint32_t maker = node == HTP_NONE ? HTP_NONE : s->owner[node];
    return maker == owner || owner == HTP_NONE ? HTP_NONE : maker;
}

/* Counts the makers of values that are read; lists them once the counts are known. */
static void each_maker(struct sorter *s, uint32_t owner, htp_view_range read, uint32_t *next)
{
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t maker = maker_of(s, owner, s->view->operands.items[i]);
        if (maker != HTP_NONE && next) {
            s->makers[next[owner]++] = maker;
        } else if (maker != HTP_NONE) {
            s->first[owner + 1U]++;
        }
    }
}

static void each_reader(struct sorter *s, uint32_t *next)
{
    for (uint32_t n = 0; n < s->view->nodes.count; n++) {
        each_maker(s, s->owner[n], s->view->nodes.items[n].inputs, next);
    }
    for (uint32_t g = 1; g < s->view->graphs.count; g++) {
        uint32_t node = s->view->graphs.items[g].node;
        if (node != HTP_NONE) {
            each_maker(s, s->owner[node], s->view->graphs.items[g].outputs, next);
        }
    }
}

static void find_makers(struct sorter *s, htp_arena *arena)
{
    size_t count = s->view->nodes.count;
    each_reader(s, NULL);
    for (size_t n = 0; n < count; n++) {
        s->first[n + 1] += s->first[n];
    }
    uint32_t *next = HTP_NEW_ARRAY(arena, uint32_t, count + 1);
    memcpy(next, s->first, count * sizeof(*next));
    s->makers = HTP_NEW_ARRAY(arena, uint32_t, s->first[count] + 1U);
    each_reader(s, next);
}

/* Lists a node after its sources. @return false for a cycle */
static bool list_node(struct sorter *s, htp_arena *arena, uint32_t node, htp_view_spans *spans)
{
    HTP_VECTOR(uint32_t) stack = {0};
    HTP_PUSH(arena, &stack, node);
    while (stack.count > 0) {
        uint32_t n = stack.items[stack.count - 1];
        bool is_first = s->state[n] == NEW;
        bool is_ready = s->state[n] == OPEN;
        if (is_first) {
            s->state[n] = OPEN;
            for (uint32_t i = s->first[n + 1U]; i-- > s->first[n];) {
                if (s->state[s->makers[i]] == OPEN) {
                    return false;
                }
                if (s->state[s->makers[i]] == NEW) {
                    HTP_PUSH(arena, &stack, s->makers[i]);
                }
            }
            continue;
        }
        if (is_ready) {
            s->state[n] = DONE;
            HTP_PUSH(arena, spans, s->view->nodes.items[n].whole);
        }
        stack.count--;
    }
    return true;
}

static htp_view_flat *new_flat(const htp_view *file)
{
    htp_arena *arena = file->arena;
    htp_view_flat *flat = HTP_NEW(arena, htp_view_flat);
    htp_view_range tensors = file->graphs.items[0].initializers;
    for (size_t i = 0; i < file->imports.count; i++) {
        HTP_PUSH(arena, &flat->imports, file->imports.items[i].whole);
    }
    for (uint32_t t = tensors.first; t < tensors.first + tensors.count; t++) {
        if (!file->tensors.items[t].sparse.at) {
            const htp_view_lifted kept = {.whole = file->tensors.items[t].whole};
            HTP_PUSH(arena, &flat->initializers, kept);
        }
    }
    flat->is_left_out = HTP_NEW_ARRAY(arena, bool, file->functions.count + 1);
    return flat;
}

htp_status htp_view_sort(htp_view *sorted, const htp_view *file)
{
    size_t count = file->nodes.count;
    struct sorter s = {.view = file,
                       .owner = HTP_NEW_ARRAY(file->arena, uint32_t, count + 1),
                       .first = HTP_NEW_ARRAY(file->arena, uint32_t, count + 2),
                       .state = HTP_NEW_ARRAY(file->arena, uint8_t, count + 1),
                       .flat = new_flat(file)};
    htp_view_range nodes = file->graphs.items[0].nodes;
    memset(sorted, 0, sizeof(*sorted));
    find_owners(&s);
    find_makers(&s, file->arena);
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        if (!list_node(&s, file->arena, n, &s.flat->nodes)) {
            return htp_view_check(file);
        }
    }
    for (size_t n = 0; n < count; n++) {
        s.flat->node_count += s.owner[n] != HTP_NONE;
    }
    return htp_view_read_flat(sorted, file, s.flat);
}
