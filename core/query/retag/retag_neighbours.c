/*
 * Nodes that a tool made, by what they read and feed.
 */
#include "query/retag/retag_parts.h"

#include <string.h>

/* Tensors of the tagged model that a node works on: some of them tell enough. */
enum { MAX_SOURCES = 4 };

struct sources {
    uint32_t values[MAX_SOURCES];
    uint32_t count;
    uint32_t beside;  /* around the modules of other nodes that it reads from; HTP_NONE */
    bool are_far;     /* a new node stands in between */
    bool are_unknown; /* some are not known */
    bool is_size;     /* it makes sizes of tensors, or numbers out of them */
};

/* A module that a new node works for. */
struct served {
    uint32_t module;
    uint32_t next; /* HTP_NONE: the last */
};

struct neighbours {
    htp_retagger *r;
    struct sources *sources; /* by node of the changed model */
    uint32_t *reader;        /* by node: the first that reads what it makes */
    uint32_t *target;        /* by node: the first behind it that was no such node */
    uint32_t *head;          /* by node: of `served` */
    HTP_VECTOR(struct served) served;
    uint32_t *mark; /* by module: the node, and 1, that serves it */
};

/* ---- what a node reads ---- */

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

/* What the maker of a value that says nothing itself works on. */
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

/* The first weight among what a node reads that one module alone reads in the tagged model;
 * HTP_NONE where there is none, or where several tell different modules. */
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

/* ---- what a node feeds ---- */

static void serve(struct neighbours *t, uint32_t maker, uint32_t module)
{
    HTP_PUSH(t->r->arena, &t->served, (struct served){module, t->head[maker]});
    t->head[maker] = (uint32_t)t->served.count - 1;
}

/* Tells those that make what a node reads, and have no place yet. Nodes come from the last to the
 * first, so the list of a maker begins with its first reader in the end. */
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

/* ---- where it belongs ---- */

/* Works for its readers: the first of them, and all of them are listed. */
static void place_by_readers(struct neighbours *t, uint32_t n)
{
    htp_retagging *out = t->r->out;
    const htp_retag_place *reader = &out->places[t->reader[n]];
    htp_retag_place place = {
        reader->node, reader->module, {(uint32_t)out->more.count, 0}, HTP_RETAG_BY_READERS};
    t->mark[place.module] = n + 1;
    const struct served *served = t->served.items; /* NULL: no list has begun */
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

/* Whether a node stands on the way from one of its sources to the first node behind it, which reads
 * that in the tagged model: itself, and not beside this way, or in the one module that does. */
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

/* The deepest module around all that reads the sources; what nobody reads stands for its maker.
 * HTP_NONE: not known. */
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

/* Somewhere between what it works on and what it feeds: in the module around both. */
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

/* A node that was made of several nodes makes what the last of them made; the others are those that
 * read the weights which it reads. */
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
