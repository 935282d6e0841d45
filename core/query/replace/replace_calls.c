/*
 * Calls of functions that stay calls.
 *
 * Modules are found, fitted and replaced in the flat view. A call that has nothing of them is
 * written as it was: in the model's own graphs with its bytes, in an inlined function with the
 * names and tags of the flat view.
 */
#include "onnx/builder/names.h"
#include "query/replace/replace_parts.h"

#include <string.h>

/* Reference: onnx.proto. */
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3 };

/* State of the choice. */
struct chooser {
    htp_arena *arena;
    htp_replacement *r;
    const htp_inline_places *places;
    uint32_t *affected; /* by position: how many nodes before it are replaced, or copied */
    bool *is_preserved; /* by place: it can stay as it is */
    bool *is_gone;      /* by value: a module makes it, and nothing else knows it */
    htp_map values;     /* by graph and name */
    htp_map flat_names; /* of nodes of the flat view */
    htp_map names;      /* likewise, and of calls in the model's own graphs */
};

/* ---- positions ---- */

/* The nodes by position, see htp_inline_places. */
static uint32_t *list_positions(htp_arena *arena, const htp_view *view)
{
    uint32_t *counts = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1);
    const uint32_t *totals = htp_inline_count_nodes(arena, view, counts);
    uint32_t *next = HTP_NEW_ARRAY(arena, uint32_t, view->graphs.count + 1); /* by graph */
    uint32_t *at = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1);
    for (uint32_t g = 0; g < view->graphs.count; g++) { /* outer ones first */
        htp_view_range nodes = view->graphs.items[g].nodes;
        bool is_function = g > 0 && next[g] == 0; /* or a body in one */
        for (uint32_t n = nodes.first; n < nodes.first + nodes.count && !is_function; n++) {
            htp_view_range attributes = view->nodes.items[n].attributes;
            uint32_t inner = next[g] + 1;
            at[next[g]] = n;
            next[g] += counts[n];
            for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
                htp_view_range bodies = view->attributes.items[a].graphs;
                for (uint32_t b = bodies.first; b < bodies.first + bodies.count; b++) {
                    next[b] = inner;
                    inner += totals[b];
                }
            }
        }
    }
    return at;
}

/* ---- values by name ---- */

static void list_values(struct chooser *c)
{
    const htp_view *view = c->r->view;
    for (uint32_t v = 0; v < view->values.count; v++) {
        const uint32_t key[] = {view->values.items[v].graph, view->values.items[v].name};
        htp_map_set_bytes(c->arena, &c->values, key, sizeof(key), v);
    }
}

/* The value that a name means in a graph; HTP_NONE: none. */
static uint32_t find_value(const struct chooser *c, uint32_t graph, htp_span name)
{
    const htp_view *view = c->r->view;
    htp_view_name number = htp_view_find_name(view, htp_arena_copy(c->arena, name.at, name.bytes));
    for (; number != 0 && graph != HTP_NONE; graph = view->graphs.items[graph].parent) {
        const uint32_t key[] = {graph, number};
        uint32_t value;
        if (htp_map_get_bytes(&c->values, key, sizeof(key), &value)) {
            return value;
        }
    }
    return HTP_NONE;
}

static void list_operands(const struct chooser *c, htp_staying_call *call)
{
    htp_wire wire = htp_wire_begin(htp_wire_content(call->whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        bool is_input = htp_wire_is_bytes(&field, NODE_INPUT);
        bool is_operand = is_input || htp_wire_is_bytes(&field, NODE_OUTPUT);
        uint32_t value = is_operand ? find_value(c, call->graph, field.content) : HTP_NONE;
        if (value != HTP_NONE) {
            HTP_PUSH(c->arena, is_input ? &call->inputs : &call->outputs, value);
        }
    }
}

/* ---- which stay ---- */

static void mark_values(const struct chooser *c, htp_view_range values)
{
    for (uint32_t k = values.first; k < values.first + values.count; k++) {
        uint32_t value = c->r->view->operands.items[k];
        if (value != HTP_NONE) {
            c->is_gone[value] = true;
        }
    }
}

/* What modules make is gone, except their outputs. */
static void find_gone(struct chooser *c)
{
    const htp_replacement *r = c->r;
    c->is_gone = HTP_NEW_ARRAY(c->arena, bool, r->view->values.count + 1);
    for (uint32_t n = 0; n < r->view->nodes.count; n++) {
        if (r->replaced_by[n] != HTP_NONE) {
            mark_values(c, r->view->nodes.items[n].outputs);
        }
    }
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_numbers *outputs = &r->list.items[i].part.outputs;
        for (size_t k = 0; k < outputs->count; k++) {
            c->is_gone[outputs->items[k]] = false;
        }
    }
}

static void count_affected(struct chooser *c)
{
    const htp_replacement *r = c->r;
    bool *is_copied = HTP_NEW_ARRAY(c->arena, bool, r->view->nodes.count + 1);
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_numbers *constants = &r->list.items[i].part.constants;
        for (size_t k = 0; k < constants->count; k++) {
            is_copied[constants->items[k]] = true;
        }
    }
    c->affected = HTP_NEW_ARRAY(c->arena, uint32_t, (size_t)c->places->node_count + 1);
    for (uint32_t p = 0; p < c->places->node_count; p++) {
        uint32_t node = r->at[p];
        c->affected[p + 1] = c->affected[p] + (r->replaced_by[node] != HTP_NONE || is_copied[node]);
    }
}

/* Whether a node has external data in its attributes. Their new places are written into tensors of
 * the flat view, which has no such node where a call stays. */
static bool has_data(const htp_view *file, uint32_t node)
{
    htp_view_range attributes = file->nodes.items[node].attributes;
    for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
        htp_view_range tensors = file->attributes.items[a].tensors;
        for (uint32_t t = tensors.first; t < tensors.first + tensors.count; t++) {
            if (file->tensors.items[t].location != 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether an inlined node has the name of the call. */
static bool is_name_taken(const struct chooser *c, const htp_inline_place *place)
{
    const htp_view *file = c->places->file;
    const char *name = htp_view_text(file, file->nodes.items[place->node].name);
    return htp_map_get(&c->flat_names, name, NULL);
}

/* Whether the new model has all that a call reads. Its function may ignore an input, so this may be
 * more than what its nodes read. */
static bool has_inputs(const struct chooser *c, const htp_inline_place *place)
{
    uint32_t graph = c->r->view->nodes.items[c->r->at[place->first]].graph;
    htp_wire wire = htp_wire_begin(htp_wire_content(place->whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, NODE_INPUT) && field.content.bytes > 0) {
            uint32_t value = find_value(c, graph, field.content);
            if (value == HTP_NONE || c->is_gone[value]) {
                return false;
            }
        }
    }
    return true;
}

/* A node whose bodies have calls stays if all of these do. */
static void find_preserved(struct chooser *c)
{
    size_t count = c->places->list.count;
    c->is_preserved = HTP_NEW_ARRAY(c->arena, bool, count + 1);
    memset(c->is_preserved, 1, count);
    for (size_t i = count; i-- > 0;) {
        const htp_inline_place *place = &c->places->list.items[i];
        bool is_call = place->function != HTP_NONE;
        bool is_own_call = is_call && place->is_own;
        c->is_preserved[i] =
            c->is_preserved[i] && place->whole.bytes > 0 && place->first < place->last &&
            c->affected[place->last] == c->affected[place->first] &&
            !has_data(c->places->file, place->node) && !(is_own_call && is_name_taken(c, place)) &&
            (!is_call || has_inputs(c, place));
        bool is_in_node =
            place->around != HTP_NONE && c->places->list.items[place->around].function == HTP_NONE;
        c->is_preserved[is_in_node ? place->around : i] &= c->is_preserved[i];
    }
}

/* ---- the calls ---- */

/* Gives a call another name if a node has it. */
static void name_call(struct chooser *c, htp_staying_call *call)
{
    htp_text made = {.arena = c->arena};
    htp_text whole = {.arena = c->arena};
    htp_span name = htp_replace_text_of(htp_wire_content(call->whole), NODE_NAME);
    const char *old = htp_arena_copy(c->arena, name.at ? (const char *)name.at : "", name.bytes);
    const char *free_name = *old ? htp_name_unique(c->arena, &c->names, old) : old;
    if (strcmp(free_name, old) == 0) {
        return;
    }
    htp_wire outer = htp_wire_begin(call->whole);
    htp_wire_field field;
    (void)htp_wire_next(&outer, &field);
    uint32_t number = field.number;
    htp_wire wire = htp_wire_begin(field.content);
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, NODE_NAME)) {
            htp_wire_add_text(&made, NODE_NAME, free_name);
        } else {
            htp_text_add_bytes(&made, (const char *)field.whole.at, field.whole.bytes);
        }
    }
    htp_wire_add_bytes(&whole, number, made.bytes, made.length);
    call->whole = htp_wire_span(&whole);
}

static void keep_call(struct chooser *c, const htp_inline_place *place)
{
    htp_replacement *r = c->r;
    htp_staying_call call = {.place = place, .whole = place->whole};
    uint32_t number = (uint32_t)r->calls.count;
    call.graph = r->view->nodes.items[r->at[place->first]].graph;
    for (uint32_t p = place->first; p < place->last; p++) {
        uint32_t node = r->at[p];
        r->call_of[node] = number;
        call.last = r->view->nodes.items[node].graph == call.graph ? node : call.last;
    }
    if (!place->is_own) {
        name_call(c, &call);
    }
    list_operands(c, &call);
    HTP_PUSH(c->arena, &r->calls, call);
}

static void take_name(const struct chooser *c, htp_map *names, const htp_view *view, uint32_t node)
{
    if (view->nodes.items[node].name != 0) {
        htp_map_set(c->arena, names, htp_view_text(view, view->nodes.items[node].name), 1);
    }
}

static void take_names(struct chooser *c)
{
    const htp_view *view = c->r->view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        take_name(c, &c->flat_names, view, n);
        take_name(c, &c->names, view, n);
    }
    for (size_t i = 0; i < c->places->list.count; i++) {
        const htp_inline_place *place = &c->places->list.items[i];
        if (place->is_own && place->function != HTP_NONE) {
            take_name(c, &c->names, c->places->file, place->node);
        }
    }
}

htp_status htp_replace_keep_calls(htp_arena *arena, htp_replacement *r)
{
    struct chooser c = {.arena = arena, .r = r, .places = &r->places};
    uint32_t end = 0; /* of the last call that stays */
    if (!r->file) {
        return HTP_OK;
    }
    HTP_TRY(htp_inline_places_find(arena, r->file, &r->places));
    r->at = list_positions(arena, r->view);
    count_affected(&c);
    find_gone(&c);
    take_names(&c);
    list_values(&c);
    find_preserved(&c);
    for (size_t i = 0; i < r->places.list.count; i++) {
        const htp_inline_place *place = &r->places.list.items[i];
        if (!c.is_preserved[i] || place->first < end) {
            continue;
        }
        if (place->function == HTP_NONE) {
            r->verbatim[r->at[place->first]] = place->whole;
        } else {
            keep_call(&c, place);
            end = place->last;
        }
    }
    return HTP_OK;
}

void htp_replace_inline_call(htp_replacement *r, uint32_t call)
{
    const htp_inline_place *place = r->calls.items[call].place;
    uint32_t graph = r->calls.items[call].graph;
    for (uint32_t p = place->first; p < place->last; p++) {
        r->call_of[r->at[p]] = HTP_NONE;
    }
    r->calls.items[call].place = NULL;
    while (r->view->graphs.items[graph].node != HTP_NONE) {
        uint32_t owner = r->view->graphs.items[graph].node;
        r->verbatim[owner] = (htp_span){NULL, 0};
        graph = r->view->nodes.items[owner].graph;
    }
}

/* ---- functions ---- */

/* Whether a place is a call that stays, or in one. Places are in order, inner ones later. */
static bool is_in_staying(const htp_replacement *r, const htp_inline_place *place)
{
    uint32_t call = r->call_of[r->at[place->first]];
    const htp_inline_place *stays = call == HTP_NONE ? NULL : r->calls.items[call].place;
    return stays && place >= stays && place->first < stays->last;
}

void htp_replace_list_functions(htp_arena *arena, htp_replacement *r)
{
    const htp_inline_places *places = &r->places;
    size_t count = r->file ? r->file->functions.count : 0;
    uint32_t *replaced = HTP_NEW_ARRAY(arena, uint32_t, (size_t)places->node_count + 1);
    bool *is_inlined = HTP_NEW_ARRAY(arena, bool, count + 1);
    r->is_function_kept = HTP_NEW_ARRAY(arena, bool, count + 1);
    for (uint32_t p = 0; p < places->node_count; p++) {
        replaced[p + 1] = replaced[p] + (r->replaced_by[r->at[p]] != HTP_NONE);
    }
    for (size_t i = 0; i < places->list.count; i++) {
        const htp_inline_place *place = &places->list.items[i];
        uint32_t nodes = place->last - place->first;
        if (place->function == HTP_NONE || nodes == 0) {
            continue;
        }
        if (is_in_staying(r, place)) {
            r->is_function_kept[place->function] = true;
        } else if (replaced[place->last] - replaced[place->first] < nodes) {
            is_inlined[place->function] = true;
        }
    }
    for (size_t i = 0; i < r->needed_functions.count; i++) {
        r->is_function_kept[r->needed_functions.items[i]] = true;
    }
    if (r->file) {
        htp_inline_places_follow(places, r->is_function_kept);
    }
    r->kept_count = r->functions.count;
    for (size_t f = 0; f < count; f++) {
        r->kept_count += r->is_function_kept[f];
        r->inlined_count += is_inlined[f];
    }
}

void htp_replace_take_call_names(htp_arena *arena, const htp_replacement *r, htp_map *names)
{
    for (size_t i = 0; i < r->calls.count; i++) {
        htp_span name = htp_replace_text_of(htp_wire_content(r->calls.items[i].whole), NODE_NAME);
        if (name.bytes > 0) {
            htp_map_set(arena, names, htp_arena_copy(arena, name.at, name.bytes), 1);
        }
    }
}
