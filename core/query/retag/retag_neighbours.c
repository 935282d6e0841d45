/*
 * Places new nodes by their neighbours.
 */
#include "query/retag/retag_parts.h"

#include <string.h>

/* Sources that are kept per node. A few are enough. */
enum { MAX_SOURCES = 4 };

struct sources {
    uint32_t values[MAX_SOURCES];
    uint32_t count;
    uint32_t beside;  /* the deepest common module of the other nodes that it reads from;
                         HTP_NONE */
    bool are_far;     /* another new node lies in between */
    bool are_unknown; /* some are unknown */
    bool is_size;     /* it computes sizes or other small numbers */
};

/* A module that a new node serves. */
struct served {
    uint32_t module;
    uint32_t next; /* HTP_NONE: the last */
};

struct neighbours {
    htp_retagger *r;
    struct sources *sources; /* by node of the changed model */
    uint32_t *reader;        /* by node: its first reader */
    uint32_t *target;        /* by node: the first node downstream that is not a new one */
    uint32_t *head;          /* by node: into `served` */
    HTP_VECTOR(struct served) served;
    uint32_t *mark; /* by module: the last node that serves it, plus one */
};

/* ---- sources ---- */

static void add_source(struct sources *sources, uint32_t value)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        if (sources->values[i] == value) {
            return;
        }
    }
    if (sources->count < MAX_SOURCES) {
        sources->values[sources->count++] = value;
    }
}

static void add_beside(const struct neighbours *t, struct sources *sources, uint32_t module)
{
    sources->beside =
        sources->beside == HTP_NONE ? module : htp_retag_around(t->r, sources->beside, module);
}

/* Adds the sources of a maker that has no place itself. */
static void add_from_maker(const struct neighbours *t, struct sources *sources, uint32_t maker)
{
    const struct sources *its = &t->sources[maker];
    if (htp_retag_is_placed(t->r, maker)) {
        add_beside(t, sources, t->r->out->places[maker].module);
        sources->is_size = false;
        return;
    }
    for (uint32_t i = 0; i < its->count; i++) {
        add_source(sources, its->values[i]);
    }
    if (its->beside != HTP_NONE) {
        add_beside(t, sources, its->beside);
    }
    sources->are_far = true;
    sources->are_unknown = sources->are_unknown || its->are_unknown;
    sources->is_size = sources->is_size && its->is_size;
}

static bool asks_sizes(const htp_view *view, uint32_t n)
{
    const char *op_type = htp_view_text(view, view->nodes.items[n].op_type);
    return htp_view_is_own_domain(view, view->nodes.items[n].domain) &&
           (strcmp(op_type, "Shape") == 0 || strcmp(op_type, "Size") == 0);
}

static void find_sources(struct neighbours *t, uint32_t n)
{
    const htp_view *changed = t->r->changed;
    htp_view_range read = changed->nodes.items[n].inputs;
    struct sources *sources = &t->sources[n];
    sources->is_size = true;
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t value = changed->operands.items[i];
        if (value == HTP_NONE || changed->values.items[value].initializer != HTP_NONE) {
            continue;
        }
        uint32_t maker = changed->values.items[value].node;
        if (t->r->meant[value] != HTP_NONE) {
            add_source(sources, t->r->meant[value]);
            sources->is_size = false;
        } else if (maker != HTP_NONE) {
            add_from_maker(t, sources, maker);
        } else {
            sources->are_unknown = true;
            sources->is_size = false;
        }
    }
    sources->is_size = asks_sizes(changed, n) || (sources->is_size && sources->count > 0);
}

/* The first operand that is a weight of one module in the tagged model. HTP_NONE: there is none, or
 * several weights disagree. */
static uint32_t find_weight(const htp_retagger *r, uint32_t n)
{
    const htp_view *changed = r->changed;
    htp_view_range read = changed->nodes.items[n].inputs;
    uint32_t found = HTP_NONE;
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t value = changed->operands.items[i];
        bool is_constant =
            value != HTP_NONE && changed->values.items[value].initializer != HTP_NONE;
        uint32_t meant = is_constant ? r->meant[value] : HTP_NONE;
        if (meant == HTP_NONE || r->readers[meant].first == HTP_NONE ||
            r->readers[meant].module == HTP_RETAG_SEVERAL) {
            continue;
        }
        if (found != HTP_NONE && r->readers[found].module != r->readers[meant].module) {
            return HTP_NONE;
        }
        found = found == HTP_NONE ? meant : found;
    }
    return found;
}

/* ---- readers ---- */

static void serve(struct neighbours *t, uint32_t maker, uint32_t module)
{
    HTP_PUSH(t->r->arena, &t->served, (struct served){module, t->head[maker]});
    t->head[maker] = (uint32_t)t->served.count - 1;
}

/* Adds node @p n to the readers of makers without a place. Nodes come last to first, so the first
 * reader ends up at the head of the list. */
static void tell_makers(struct neighbours *t, uint32_t n)
{
    const htp_view *changed = t->r->changed;
    const htp_retag_place *place = &t->r->out->places[n];
    htp_view_range read = changed->nodes.items[n].inputs;
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t value = changed->operands.items[i];
        uint32_t maker = value == HTP_NONE ? HTP_NONE : changed->values.items[value].node;
        if (maker == HTP_NONE || htp_retag_is_placed(t->r, maker)) {
            continue;
        }
        bool lists_all = place->evidence == HTP_RETAG_BY_READERS;
        for (uint32_t k = place->more.count; lists_all && k-- > 0;) {
            serve(t, maker, t->r->out->more.items[place->more.first + k]);
        }
        serve(t, maker, place->module);
        t->reader[maker] = n;
        t->target[maker] = lists_all ? t->target[n] : n;
    }
}

/* ---- places ---- */

/* Places a node at its first reader, and lists all readers' modules. */
static void place_by_readers(struct neighbours *t, uint32_t n)
{
    htp_retagging *out = t->r->out;
    const htp_retag_place *reader = &out->places[t->reader[n]];
    htp_retag_place place = {
        reader->node, reader->module, {(uint32_t)out->more.count, 0}, HTP_RETAG_BY_READERS};
    t->mark[place.module] = n + 1;
    const struct served *served = t->served.items; /* NULL: the list is empty */
    for (uint32_t i = t->head[n]; served && i != HTP_NONE; i = served[i].next) {
        uint32_t module = served[i].module;
        if (t->mark[module] != n + 1) {
            t->mark[module] = n + 1;
            HTP_PUSH(t->r->arena, &out->more, module);
            place.more.count++;
        }
    }
    out->places[n] = place;
}

static void place_at(struct neighbours *t, uint32_t n, uint32_t module, uint32_t node,
                     htp_retag_evidence evidence)
{
    bool is_its = node != HTP_NONE && htp_retag_module(t->r, node) == module;
    t->r->out->places[n] = (htp_retag_place){is_its ? node : HTP_NONE, module, {0, 0}, evidence};
}

/* Whether a node of the changed model reads a value of the tagged one. */
static bool reads(const struct neighbours *t, uint32_t n, uint32_t meant)
{
    htp_view_range read = t->r->changed->nodes.items[n].inputs;
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t value = t->r->changed->operands.items[i];
        if (value != HTP_NONE && t->r->meant[value] == meant) {
            return true;
        }
    }
    return false;
}

/* Whether a node lies between a source and the first old node downstream. In the tagged model that
 * node reads the source directly, or is in the only module that does. */
static bool is_on_the_way(const struct neighbours *t, uint32_t n)
{
    const struct sources *sources = &t->sources[n];
    const htp_retag_place *reader = &t->r->out->places[t->reader[n]];
    for (uint32_t i = 0; i < sources->count; i++) {
        uint32_t value = sources->values[i];
        if (t->r->readers[value].module == reader->module ||
            (reader->node != HTP_NONE && htp_retag_is_reader(t->r, value, reader->node) &&
             !reads(t, t->target[n], value))) {
            return true;
        }
    }
    return false;
}

/* The deepest common module of all readers of the sources; a source without readers counts as its
 * maker. HTP_NONE: unknown. */
static uint32_t find_around(const struct neighbours *t, const struct sources *sources,
                            uint32_t *node)
{
    uint32_t around = sources->beside;
    *node = HTP_NONE;
    for (uint32_t i = 0; i < sources->count; i++) {
        uint32_t value = sources->values[i];
        const htp_retag_readers *readers = &t->r->readers[value];
        uint32_t maker = t->r->like->values.items[value].node;
        bool is_read = readers->first != HTP_NONE;
        uint32_t module = is_read             ? readers->around
                          : maker == HTP_NONE ? HTP_NONE
                                              : htp_retag_module(t->r, maker);
        *node = is_read ? readers->first : maker;
        if (module != HTP_NONE) {
            around = around == HTP_NONE ? module : htp_retag_around(t->r, around, module);
        }
    }
    return around;
}

/* Places a node between its sources and readers: in their deepest common module. */
static void place_between(struct neighbours *t, uint32_t n, uint32_t around, uint32_t node)
{
    if (t->reader[n] != HTP_NONE) {
        around = htp_retag_around(t->r, around, t->r->out->places[t->reader[n]].module);
    }
    place_at(t, n, around, node, HTP_RETAG_BY_SURROUNDINGS);
}

static void place(struct neighbours *t, uint32_t n)
{
    uint32_t weight = find_weight(t->r, n);
    uint32_t node;
    uint32_t around = find_around(t, &t->sources[n], &node);
    bool is_read = t->reader[n] != HTP_NONE;
    bool is_lost = is_read ? t->r->out->places[t->reader[n]].evidence == HTP_RETAG_BY_NOTHING
                           : t->sources[n].are_far || around == HTP_NONE;
    bool is_unknown = is_lost || t->sources[n].are_unknown;
    bool serves = is_read && !is_lost && (t->sources[n].is_size || is_on_the_way(t, n));
    if (weight != HTP_NONE) {
        const htp_retag_readers *readers = &t->r->readers[weight];
        place_at(t, n, readers->module, readers->first, HTP_RETAG_BY_WEIGHT);
    } else if (serves || (around == HTP_NONE && !is_unknown)) {
        place_by_readers(t, n);
    } else if (is_unknown) {
        place_at(t, n, 0, HTP_NONE, HTP_RETAG_BY_NOTHING);
    } else {
        place_between(t, n, around, node);
    }
}

/* A fused node makes the output of its last original node. The others are found as readers of its
 * weights. */
static void add_weights(htp_retagger *r, uint32_t n)
{
    htp_retag_place *place = &r->out->places[n];
    htp_view_range read = r->changed->nodes.items[n].inputs;
    htp_view_range more = {(uint32_t)r->out->more.count, 0};
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t value = r->changed->operands.items[i];
        bool is_weight =
            value != HTP_NONE && r->changed->values.items[value].initializer != HTP_NONE;
        uint32_t known = is_weight ? r->known[value] : HTP_NONE;
        uint32_t module = known == HTP_NONE || r->readers[known].first == HTP_NONE
                              ? HTP_RETAG_SEVERAL
                              : r->readers[known].module;
        bool is_new = module != HTP_RETAG_SEVERAL && module != place->module;
        for (uint32_t k = 0; k < more.count && is_new; k++) {
            is_new = r->out->more.items[more.first + k] != module;
        }
        if (is_new) {
            HTP_PUSH(r->arena, &r->out->more, module);
            more.count++;
        }
    }
    place->more = more.count > 0 ? more : place->more;
}

void htp_retag_add_weights(htp_retagger *r)
{
    for (uint32_t n = 0; n < r->changed->nodes.count; n++) {
        if (r->out->places[n].evidence == HTP_RETAG_BY_TENSOR &&
            r->out->places[n].more.count == 0) {
            add_weights(r, n);
        }
    }
}

void htp_retag_by_neighbours(htp_retagger *r)
{
    uint32_t count = (uint32_t)r->changed->nodes.count;
    struct neighbours t = {
        .r = r,
        .sources = HTP_NEW_ARRAY(r->arena, struct sources, count + 1U),
        .reader = HTP_NEW_ARRAY(r->arena, uint32_t, count + 1U),
        .target = HTP_NEW_ARRAY(r->arena, uint32_t, count + 1U),
        .head = HTP_NEW_ARRAY(r->arena, uint32_t, count + 1U),
        .mark = HTP_NEW_ARRAY(r->arena, uint32_t, r->tree->module_count + 1U),
    };
    for (uint32_t n = 0; n < count; n++) {
        t.reader[n] = t.head[n] = t.sources[n].beside = HTP_NONE;
        if (!htp_retag_is_placed(r, n)) {
            find_sources(&t, n);
        }
    }
    for (uint32_t n = count; n-- > 0;) {
        if (!htp_retag_is_placed(r, n)) {
            place(&t, n);
        }
        tell_makers(&t, n);
    }
}
