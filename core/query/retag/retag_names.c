/*
 * Names that a changed model shares with the tagged one.
 */
#include "query/compare/name_parts.h"
#include "query/retag/retag_parts.h"

#include <string.h>

/* ---- the tagged model ---- */

/* A name of several nodes is useless. */
static void note_name(htp_retagger *r, htp_map *map, htp_view_name name, uint32_t number)
{
    const char *text = htp_view_text(r->like, name);
    if (name != 0) {
        bool is_taken = htp_map_get(map, text, NULL);
        htp_map_set(r->arena, map, text, is_taken ? HTP_RETAG_SEVERAL : number);
    }
}

static void note_reader(htp_retagger *r, uint32_t value, uint32_t node)
{
    htp_retag_readers *readers = &r->readers[value];
    uint32_t module = htp_retag_module(r, node);
    if (module == HTP_NONE) {
        return;
    }
    if (readers->first == HTP_NONE) {
        *readers = (htp_retag_readers){node, module, module};
    } else if (readers->module != module) {
        readers->module = HTP_RETAG_SEVERAL;
        readers->around = htp_retag_around(r, readers->around, module);
    }
    HTP_PUSH(r->arena, &r->pairs, (uint64_t)value << 32 | node);
}

static void note_readers(htp_retagger *r)
{
    const htp_view *like = r->like;
    r->readers = HTP_NEW_ARRAY(r->arena, htp_retag_readers, like->values.count + 1);
    for (size_t v = 0; v < like->values.count; v++) {
        r->readers[v].first = HTP_NONE;
    }
    for (uint32_t n = 0; n < like->nodes.count; n++) {
        htp_view_range read = like->nodes.items[n].inputs;
        for (uint32_t i = read.first; i < read.first + read.count; i++) {
            if (like->operands.items[i] != HTP_NONE) {
                note_reader(r, like->operands.items[i], n);
            }
        }
    }
    for (size_t i = 0; i < r->pairs.count; i++) { /* their addresses are final now */
        htp_map_set_bytes(r->arena, &r->reader_nodes, &r->pairs.items[i], sizeof(uint64_t), 0);
    }
}

bool htp_retag_is_reader(const htp_retagger *r, uint32_t value, uint32_t node)
{
    uint64_t pair = (uint64_t)value << 32 | node;
    return htp_map_get_bytes(&r->reader_nodes, &pair, sizeof(pair), NULL);
}

/* ---- names of both ---- */

static bool has_scope(const char *name)
{
    return strpbrk(name, "/.") != NULL;
}

static uint32_t find_name(const htp_retagger *r, const htp_map *map, const char *name,
                          size_t length)
{
    uint32_t number;
    bool is_there =
        length > 0 && htp_map_get_bytes(map, name, length, &number) && number != HTP_RETAG_SEVERAL;
    bool counts = is_there && (r->trusts_counts || has_scope(name) ||
                               (map == &r->values && r->is_border[number]));
    return counts ? number : HTP_NONE;
}

static void note_border(htp_retagger *r)
{
    const htp_view_graph *graph = &r->like->graphs.items[0];
    const htp_view_range borders[] = {graph->inputs, graph->outputs};
    r->is_border = HTP_NEW_ARRAY(r->arena, bool, r->like->values.count + 1);
    for (int b = 0; b < 2; b++) {
        for (uint32_t i = 0; i < borders[b].count; i++) {
            r->is_border[r->like->operands.items[borders[b].first + i]] = true;
        }
    }
}

static void find_values(htp_retagger *r)
{
    for (size_t v = 0; v < r->changed->values.count; v++) {
        const char *name = htp_view_text(r->changed, r->changed->values.items[v].name);
        r->known[v] = r->meant[v] = find_name(r, &r->values, name, strlen(name));
    }
}

/* Whether names without a scope can be trusted: most have the same operator in both models. */
static bool trusts_counts(const htp_retagger *r)
{
    size_t same = 0, all = 0;
    for (size_t v = 0; v < r->changed->values.count; v++) {
        const htp_view_value *value = &r->changed->values.items[v];
        const char *name = htp_view_text(r->changed, value->name);
        uint32_t known = has_scope(name) ? HTP_NONE : r->known[v];
        known = known != HTP_NONE && r->is_border[known] ? HTP_NONE : known;
        uint32_t maker = known == HTP_NONE ? HTP_NONE : r->like->values.items[known].node;
        if (value->node != HTP_NONE && maker != HTP_NONE) {
            const htp_view_node *made = &r->changed->nodes.items[value->node];
            const htp_view_node *was = &r->like->nodes.items[maker];
            all++;
            same += strcmp(htp_view_text(r->changed, made->op_type),
                           htp_view_text(r->like, was->op_type)) == 0;
        }
    }
    return same >= all - same;
}

void htp_retag_names_begin(htp_retagger *r)
{
    const htp_view *like = r->like;
    for (uint32_t n = 0; n < like->nodes.count; n++) {
        note_name(r, &r->nodes, like->nodes.items[n].name, n);
    }
    for (uint32_t v = 0; v < like->values.count; v++) {
        note_name(r, &r->values, like->values.items[v].name, v);
    }
    note_readers(r);
    note_border(r);
    r->known = HTP_NEW_ARRAY(r->arena, uint32_t, r->changed->values.count + 1);
    r->meant = HTP_NEW_ARRAY(r->arena, uint32_t, r->changed->values.count + 1);
    r->trusts_counts = true;
    find_values(r);
    r->trusts_counts = trusts_counts(r);
    find_values(r);
}

uint32_t htp_retag_namesake(const htp_retagger *r, uint32_t n)
{
    const char *name = htp_view_text(r->changed, r->changed->nodes.items[n].name);
    return find_name(r, &r->nodes, name, strlen(name));
}

/* ---- names of new nodes and values ---- */

static bool is_value(void *user, const char *name, size_t length)
{
    htp_retagger *r = user;
    return find_name(r, &r->values, name, length) != HTP_NONE;
}

static bool is_any(void *user, const char *name, size_t length)
{
    htp_retagger *r = user;
    return is_value(user, name, length) || find_name(r, &r->nodes, name, length) != HTP_NONE;
}

/* A value whose name begins with a tensor's name holds that tensor in another form. */
static void find_meant(htp_retagger *r)
{
    for (size_t v = 0; v < r->changed->values.count; v++) {
        const htp_view_value *value = &r->changed->values.items[v];
        if (r->meant[v] == HTP_NONE) {
            htp_slice part =
                htp_name_longest_part(htp_view_text(r->changed, value->name), is_value, r);
            uint32_t meant = find_name(r, &r->values, part.at, part.length);
            bool is_weight =
                meant != HTP_NONE && r->like->values.items[meant].initializer != HTP_NONE;
            /* a constant named after another tensor is its scale or zero point */
            r->meant[v] = value->initializer == HTP_NONE || is_weight ? meant : HTP_NONE;
        }
    }
}

/* The node of the tagged model whose name, or whose tensor's name, a name begins with. */
static uint32_t find_named(htp_retagger *r, const char *name)
{
    htp_slice part = htp_name_longest_part(name, is_any, r);
    uint32_t value = find_name(r, &r->values, part.at, part.length);
    return value == HTP_NONE ? find_name(r, &r->nodes, part.at, part.length)
                             : r->like->values.items[value].node;
}

static uint32_t find_by_part(htp_retagger *r, uint32_t n)
{
    const htp_view_node *node = &r->changed->nodes.items[n];
    for (uint32_t i = 0; i < node->outputs.count; i++) {
        uint32_t value = r->changed->operands.items[node->outputs.first + i];
        uint32_t meant = value == HTP_NONE ? HTP_NONE : r->meant[value];
        if (meant != HTP_NONE) {
            return r->like->values.items[meant].node;
        }
    }
    return find_named(r, htp_view_text(r->changed, node->name));
}

void htp_retag_by_parts(htp_retagger *r)
{
    find_meant(r);
    for (uint32_t n = 0; n < r->changed->nodes.count; n++) {
        htp_retag_place *place = &r->out->places[n];
        uint32_t node = place->node == HTP_NONE ? find_by_part(r, n) : HTP_NONE;
        if (node != HTP_NONE && !htp_retag_is_placed(r, n)) {
            (void)htp_retag_place_like(r, n, node, HTP_RETAG_BY_PART_NAME);
        } else if (node != HTP_NONE && htp_retag_module(r, node) == place->module) {
            place->node = node; /* the tag has set the module, and this node fits it */
        }
    }
}

/* ---- initializers ---- */

bool htp_retag_has_dims(const htp_retagging *retagging, uint32_t tensor, uint32_t was)
{
    const htp_view *changed = retagging->changed.view;
    const htp_view *like = retagging->like.view;
    htp_view_range a = changed->tensors.items[tensor].dims;
    htp_view_range b = like->tensors.items[was].dims;
    return a.count == b.count &&
           (a.count == 0 || memcmp(&changed->dims.items[a.first], &like->dims.items[b.first],
                                   a.count * sizeof(int64_t)) == 0);
}

enum { MOST_PARTS = 16 }; /* of a name, split at underscores */

/* The initializer of the tagged model whose name another one begins with, "layer.weight_quantized":
 * its number plus one; 0: none. */
static uint32_t find_called_after(const htp_retagger *r, const char *name)
{
    size_t length = strlen(name);
    for (int tries = 0; length > 0 && tries < MOST_PARTS; tries++) {
        const char *end = memrchr(name, '_', length);
        length = end ? (size_t)(end - name) : 0;
        uint32_t value = find_name(r, &r->values, name, length);
        if (value != HTP_NONE && r->like->values.items[value].initializer != HTP_NONE) {
            return r->like->values.items[value].initializer + 1;
        }
    }
    return 0;
}

/*
 * Finds the tensors that hold a removed weight in another dtype: they are named after the weight,
 * and have its dims. Scales have other dims, or the weight's dtype. The shortest name wins.
 * @param is_there  by tensor of the tagged model: the changed model has it
 */
static void find_converted(htp_retagger *r, const bool *is_there)
{
    const htp_view *changed = r->changed;
    uint32_t *best = HTP_NEW_ARRAY(r->arena, uint32_t, r->like->tensors.count + 1);
    for (uint32_t v = 0; v < changed->values.count; v++) {
        uint32_t t = changed->values.items[v].initializer;
        const char *name = htp_view_text(changed, changed->values.items[v].name);
        uint32_t was = t == HTP_NONE || r->known[v] != HTP_NONE ? 0 : find_called_after(r, name);
        if (was == 0 || is_there[was - 1] || !htp_retag_has_dims(r->out, t, was - 1) ||
            changed->tensors.items[t].data_type == r->like->tensors.items[was - 1].data_type) {
            continue;
        }
        uint32_t *other = &best[was - 1]; /* plus one */
        if (*other == 0 || strlen(name) < strlen(htp_view_text(
                                              changed, changed->tensors.items[*other - 1].name))) {
            r->out->held[*other == 0 ? t : *other - 1] = HTP_NONE;
            r->out->held[t] = was - 1;
            *other = t + 1;
        }
    }
}

void htp_retag_find_held(htp_retagger *r)
{
    const htp_view *changed = r->changed;
    bool *is_there = HTP_NEW_ARRAY(r->arena, bool, r->like->tensors.count + 1);
    r->out->held = HTP_NEW_ARRAY(r->arena, uint32_t, changed->tensors.count + 1);
    for (size_t t = 0; t < changed->tensors.count; t++) {
        r->out->held[t] = HTP_NONE;
    }
    for (uint32_t v = 0; v < changed->values.count; v++) {
        uint32_t t = changed->values.items[v].initializer;
        uint32_t known = t == HTP_NONE ? HTP_NONE : r->known[v];
        uint32_t was = known == HTP_NONE ? HTP_NONE : r->like->values.items[known].initializer;
        if (was != HTP_NONE) {
            r->out->held[t] = was;
            is_there[was] = true;
        }
    }
    find_converted(r, is_there);
}
