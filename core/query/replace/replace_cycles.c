/*
 * Units of a graph that are on cycles: its strongly connected components (Tarjan), without
 * recursion.
 */
#include "query/replace/replace_parts.h"

/* State of the search. Numbers count from 1, in the order in which units are found. */
struct search {
    const htp_edges *edges;
    const bool *is_in;
    uint32_t *number; /* by unit; 0: it is not found yet */
    uint32_t *lowest; /* by unit: the lowest number that it is known to reach */
    uint32_t *next;   /* by unit: its next edge */
    uint32_t *path;   /* units whose edges are followed */
    uint32_t *open;   /* units whose component is not complete */
    bool *is_open;    /* by unit */
    uint32_t found, path_count, open_count;
    bool *is_on_cycle; /* by unit */
};

static void enter(struct search *s, uint32_t unit)
{
    s->number[unit] = s->lowest[unit] = ++s->found;
    s->next[unit] = s->edges->first[unit];
    s->path[s->path_count++] = unit;
    s->open[s->open_count++] = unit;
    s->is_open[unit] = true;
}

/* A unit that reaches none before itself is the first of its component. */
static void leave(struct search *s)
{
    uint32_t unit = s->path[--s->path_count];
    if (s->lowest[unit] == s->number[unit]) {
        bool is_cycle = s->open[s->open_count - 1] != unit;
        uint32_t last;
        do {
            last = s->open[--s->open_count];
            s->is_open[last] = false;
            s->is_on_cycle[last] = is_cycle;
        } while (last != unit);
    }
    uint32_t before = s->path_count > 0 ? s->path[s->path_count - 1] : unit;
    s->lowest[before] = s->lowest[unit] < s->lowest[before] ? s->lowest[unit] : s->lowest[before];
}

/* Follows one edge of the last unit of the path. */
static void step(struct search *s)
{
    uint32_t unit = s->path[s->path_count - 1];
    if (s->next[unit] == s->edges->first[unit + 1]) {
        leave(s);
        return;
    }
    uint32_t to = s->edges->to[s->next[unit]++];
    if (s->is_in[to] && s->number[to] == 0) {
        enter(s, to);
    } else if (s->is_open[to] && s->number[to] < s->lowest[unit]) {
        s->lowest[unit] = s->number[to];
    }
}

const bool *htp_replace_find_cycles(htp_arena *arena, uint32_t count, const htp_edges *edges,
                                    const bool *is_in)
{
    size_t room = (size_t)count + 1;
    struct search s = {
        .edges = edges,
        .is_in = is_in,
        .number = HTP_NEW_ARRAY(arena, uint32_t, room),
        .lowest = HTP_NEW_ARRAY(arena, uint32_t, room),
        .next = HTP_NEW_ARRAY(arena, uint32_t, room),
        .path = HTP_NEW_ARRAY(arena, uint32_t, room),
        .open = HTP_NEW_ARRAY(arena, uint32_t, room),
        .is_open = HTP_NEW_ARRAY(arena, bool, room),
        .is_on_cycle = HTP_NEW_ARRAY(arena, bool, room),
    };
    for (uint32_t unit = 0; unit < count; unit++) {
        if (is_in[unit] && s.number[unit] == 0) {
            enter(&s, unit);
        }
        while (s.path_count > 0) {
            step(&s);
        }
    }
    return s.is_on_cycle;
}
