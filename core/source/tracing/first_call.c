#include "source/tracing/first_call.h"

#include "base/bits.h"
#include "base/map.h"
#include "source/tracing/uniform.h"

#include <string.h>

/* Two values that must be equal: one of the first call, one of the settled call. */
typedef struct pair {
    uint32_t first;
    uint32_t settled;
} pair;

typedef struct comparison {
    htp_arena *arena;
    const htp_trace *first;
    const htp_trace *settled;
    uint32_t lane_count;
    HTP_VECTOR(pair) pending;
    htp_map seen;      /* pairs already compared */
    htp_map parts;     /* from value of the settled call to part of the state */
    htp_map positions; /* from value of the first call to input */
    htp_map settled_positions;
    const htp_states *states;
    htp_first *found;
    bool *is_found; /* by part */
} comparison;

static const htp_trace_node *producer_of(const htp_trace *trace, uint32_t id)
{
    uint32_t node = trace->values[id].producer;
    return node == HTP_NONE ? NULL : &trace->nodes[node];
}

/* ---- constants ---- */

/* Reads both from the list of the settled trace, since a later trace may have moved that of the
 * first one. */
static bool is_same_weight(const comparison *c, const htp_trace_value *a, const htp_trace_value *b)
{
    const htp_weight *first = &c->settled->weights[a->weight];
    const htp_weight *settled = &c->settled->weights[b->weight];
    bool is_same = first->data == settled->data && first->dtype == settled->dtype &&
                   first->rank == settled->rank && first->storage_offset == settled->storage_offset;
    for (uint32_t dim = 0; is_same && dim < first->rank; dim++) {
        is_same =
            first->dims[dim] == settled->dims[dim] && first->strides[dim] == settled->strides[dim];
    }
    return is_same;
}

static bool has_same_dims(const comparison *c, const htp_trace_value *a, const htp_trace_value *b)
{
    bool is_same = a->dtype == b->dtype && a->rank == b->rank;
    for (uint32_t lane = 0; is_same && lane < c->lane_count; lane++) {
        is_same = a->rank == 0 ||
                  memcmp(a->dims[lane], b->dims[lane], a->rank * sizeof(a->dims[0][0])) == 0;
    }
    return is_same;
}

/* Whether two values without a producer are equal. */
static bool is_same_constant(const comparison *c, const htp_trace_value *a,
                             const htp_trace_value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case HTP_TRACE_NOTHING:
    case HTP_TRACE_OPAQUE:
        return true;
    case HTP_TRACE_STRING:
        return a->s_bytes == b->s_bytes && memcmp(a->s, b->s, a->s_bytes) == 0;
    case HTP_TRACE_INT:
    case HTP_TRACE_BOOL:
        return a->is_constant && b->is_constant && a->i[0] == b->i[0];
    case HTP_TRACE_FLOAT:
        return a->is_constant && b->is_constant && htp_bits_are_equal(a->f[0], b->f[0]);
    case HTP_TRACE_TENSOR:
    case HTP_TRACE_COMPLEX:
        if (a->weight != HTP_NONE || b->weight != HTP_NONE) {
            return a->weight != HTP_NONE && b->weight != HTP_NONE && is_same_weight(c, a, b);
        }
        return a->data && b->data && has_same_dims(c, a, b) && a->data_bytes == b->data_bytes &&
               memcmp(a->data, b->data, a->data_bytes) == 0;
    default:
        return false;
    }
}

/* ---- the walk ---- */

static void add_pair(comparison *c, uint32_t first, uint32_t settled)
{
    const pair item = {first, settled};
    if (htp_map_add_bytes(c->arena, &c->seen, &item, sizeof(item), NULL)) {
        HTP_PUSH(c->arena, &c->pending, item);
    }
}

static bool add_pairs(comparison *c, const uint32_t *first, uint32_t first_count,
                      const uint32_t *settled, uint32_t settled_count)
{
    for (uint32_t i = 0; i < first_count && first_count == settled_count; i++) {
        if ((first[i] == HTP_NONE) != (settled[i] == HTP_NONE)) {
            return false;
        }
        if (first[i] != HTP_NONE) {
            add_pair(c, first[i], settled[i]);
        }
    }
    return first_count == settled_count;
}

/* Notes that the initial value of a part is the value in its place in the first call. */
static bool note_first(comparison *c, uint32_t part, const htp_first *value)
{
    htp_first *known = &c->found[part];
    if (!c->is_found[part]) {
        c->is_found[part] = true;
        *known = *value;
        return true;
    }
    if (known->is_uniform || value->is_uniform) {
        return known->is_uniform && value->is_uniform &&
               htp_bits_are_equal(known->number, value->number) &&
               (!known->value || has_same_dims(c, known->value, value->value));
    }
    return known->value == value->value || is_same_constant(c, known->value, value->value);
}

/* Like has_same_dims(), without open dims. */
static bool has_fixed_dims(const comparison *c, const htp_trace_value *a, const htp_trace_value *b,
                           const uint32_t *open_dims)
{
    bool is_same = a->dtype == b->dtype && a->rank == b->rank;
    for (uint32_t dim = 0; is_same && dim < a->rank; dim++) {
        for (uint32_t lane = 0; lane < c->lane_count && !open_dims[dim]; lane++) {
            is_same = is_same && a->dims[lane][dim] == b->dims[lane][dim];
        }
    }
    return is_same;
}

static bool has_open_dims(const htp_trace_value *value, const htp_state_part *part)
{
    for (uint32_t dim = 0; value->kind == HTP_TRACE_TENSOR && dim < value->rank; dim++) {
        if (part->open_dims[dim]) {
            return true;
        }
    }
    return false;
}

/* @return whether the pair is decided: @p holds tells whether it is equal */
static bool compare_state(comparison *c, pair item, bool *holds)
{
    uint32_t source = htp_uniform_source(c->settled, item.settled);
    uint32_t part;
    if (!htp_map_get_bytes(&c->parts, &source, sizeof(source), &part)) {
        return false;
    }
    const htp_trace_value *first = &c->first->values[item.first];
    const htp_trace_value *settled = &c->settled->values[source];
    const htp_state_part *state = &c->states->parts.items[part];
    bool is_whole = source == item.settled;
    bool is_growing = has_open_dims(settled, state);
    htp_first value = {.is_uniform = true, .value = is_growing ? first : NULL};
    if (first->kind == HTP_TRACE_TENSOR && (is_whole || !is_growing) &&
        htp_uniform_find(c->first, item.first, &value.number)) {
        const htp_trace_value *moved = &c->settled->values[item.settled];
        bool has_dims = is_growing ? has_fixed_dims(c, first, moved, state->open_dims)
                                   : has_same_dims(c, first, moved);
        *holds = has_dims && note_first(c, part, &value);
        return true;
    }
    if (!is_whole) {
        return false;
    }
    bool is_known = first->producer == HTP_NONE || first->is_constant;
    bool is_number = first->kind != HTP_TRACE_TENSOR && first->kind == settled->kind;
    bool is_tensor = first->kind == HTP_TRACE_TENSOR &&
                     (first->data || first->weight != HTP_NONE) && has_same_dims(c, first, settled);
    value = (htp_first){.value = first};
    *holds =
        is_known && (is_tensor || (is_number && first->is_constant)) && note_first(c, part, &value);
    return true;
}

static uint32_t output_index(const htp_trace_node *node, uint32_t id)
{
    uint32_t index = 0;
    while (index < node->output_count && node->outputs[index] != id) {
        index++;
    }
    return index;
}

static bool compare_nodes(comparison *c, const htp_trace_node *a, const htp_trace_node *b)
{
    if (strcmp(a->kind, b->kind) != 0 || a->block_count != b->block_count || a->failure ||
        b->failure) {
        return false;
    }
    bool holds = add_pairs(c, a->inputs, a->input_count, b->inputs, b->input_count);
    for (uint32_t i = 0; holds && i < a->block_count; i++) {
        const htp_trace_block *first = &c->first->blocks[a->blocks[i]];
        const htp_trace_block *settled = &c->settled->blocks[b->blocks[i]];
        holds = first->input_count == settled->input_count;
        for (uint32_t k = 0; holds && k < first->input_count; k++) { /* equal outside of the block
                                                                        already */
            const pair item = {first->inputs[k], settled->inputs[k]};
            htp_map_set_bytes(c->arena, &c->seen, &item, sizeof(item), 0);
        }
        holds = holds && add_pairs(c, first->outputs, first->output_count, settled->outputs,
                                   settled->output_count);
    }
    return holds;
}

static bool compare(comparison *c, pair item)
{
    const htp_trace_value *a = &c->first->values[item.first];
    const htp_trace_value *b = &c->settled->values[item.settled];
    bool holds;
    if (compare_state(c, item, &holds)) {
        return holds;
    }
    uint32_t position;
    if (htp_map_get_bytes(&c->positions, &item.first, sizeof(item.first), &position)) {
        uint32_t other;
        return htp_map_get_bytes(&c->settled_positions, &item.settled, sizeof(item.settled),
                                 &other) &&
               other == position;
    }
    if (a->kind == HTP_TRACE_LIST && b->kind == HTP_TRACE_LIST && a->producer == HTP_NONE &&
        b->producer == HTP_NONE) {
        return add_pairs(c, a->elements, a->element_count, b->elements, b->element_count);
    }
    if (is_same_constant(c, a, b)) {
        return true;
    }
    const htp_trace_node *first = producer_of(c->first, item.first);
    const htp_trace_node *settled = producer_of(c->settled, item.settled);
    return first && settled &&
           output_index(first, item.first) == output_index(settled, item.settled) &&
           compare_nodes(c, first, settled);
}

/* ---- pairs to compare ---- */

static void note_position(comparison *c, htp_map *positions, const htp_trace *trace, uint32_t id,
                          uint32_t *next)
{
    const htp_trace_value *value = &trace->values[id];
    if (value->kind != HTP_TRACE_LIST) {
        htp_map_set_bytes(c->arena, positions, &id, sizeof(id), (*next)++);
        return;
    }
    for (uint32_t i = 0; i < value->element_count; i++) {
        note_position(c, positions, trace, value->elements[i], next);
    }
}

static const htp_trace_state *find_state(const htp_trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->state_count; i++) {
        if (strcmp(trace->states[i].name, name) == 0) {
            return &trace->states[i];
        }
    }
    return NULL;
}

/* Both calls must leave equal states: their parts that are inputs, and known ones. */
static const char *add_states(comparison *c)
{
    for (uint32_t i = 0; i < c->settled->state_count; i++) {
        const htp_trace_state *settled = &c->settled->states[i];
        const htp_trace_state *first = find_state(c->first, settled->name);
        bool is_read = false;
        for (size_t k = 0; k < c->states->parts.count; k++) {
            is_read = is_read || strncmp(c->states->parts.items[k].name, settled->name,
                                         strlen(settled->name)) == 0;
        }
        if (first) {
            add_pair(c, first->after, settled->after);
        } else if (is_read) {
            return settled->name;
        }
    }
    return NULL;
}

static bool is_loaded(const comparison *c, const htp_state_part *part)
{
    if (part->loaded == HTP_NONE) {
        return false;
    }
    const htp_trace_value *loaded = &c->settled->values[part->loaded];
    const htp_trace_value *before = &c->settled->values[part->before];
    if (loaded->kind != before->kind || loaded->kind != HTP_TRACE_TENSOR) {
        return loaded->kind == before->kind && loaded->is_constant;
    }
    bool fits = loaded->dtype == before->dtype && loaded->rank == before->rank &&
                (loaded->data || loaded->weight != HTP_NONE) &&
                htp_states_are_together(loaded, before);
    for (uint32_t dim = 0; fits && dim < loaded->rank; dim++) {
        bool is_open = part->open_dims[dim] != 0;
        for (uint32_t lane = 0; lane < c->lane_count && !is_open; lane++) {
            fits = fits && loaded->dims[lane][dim] == before->dims[lane][dim];
        }
    }
    return fits;
}

static const char *compare_calls(comparison *c)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < c->first->input_count; i++) {
        note_position(c, &c->positions, c->first, c->first->inputs[i], &next);
    }
    next = 0;
    for (uint32_t i = 0; i < c->settled->input_count; i++) {
        note_position(c, &c->settled_positions, c->settled, c->settled->inputs[i], &next);
    }
    const char *unknown = add_states(c);
    const char *other = c->settled->state_count > 0 ? c->settled->states[0].name : "";
    if (unknown || !add_pairs(c, c->first->outputs, c->first->output_count, c->settled->outputs,
                              c->settled->output_count)) {
        return unknown ? unknown : other;
    }
    while (c->pending.count > 0) {
        if (!compare(c, c->pending.items[--c->pending.count])) {
            return other;
        }
    }
    return NULL;
}

/* The initial size of a part. */
typedef struct first_size {
    const htp_trace_value *value;
    uint32_t dim;
} first_size;

static bool is_same_size(const comparison *c, const first_size *a, const first_size *b)
{
    bool is_same = true;
    for (uint32_t lane = 0; lane < c->lane_count; lane++) {
        is_same = is_same && a->value->dims[lane][a->dim] == b->value->dims[lane][b->dim];
    }
    return is_same;
}

/* Parts of one open size must have equal initial sizes. @return NULL, or the name of one that
 * differs */
static const char *compare_sizes(comparison *c)
{
    htp_map firsts = {0}; /* by number: the first of the sizes */
    first_size *sizes =
        HTP_NEW_ARRAY(c->arena, first_size, c->states->parts.count * HTP_MAX_RANK + 1);
    size_t count = 0;
    for (size_t i = 0; i < c->states->parts.count; i++) {
        const htp_state_part *part = &c->states->parts.items[i];
        const htp_trace_value *before = &c->settled->values[part->before];
        for (uint32_t dim = 0; before->kind == HTP_TRACE_TENSOR && dim < before->rank; dim++) {
            uint32_t known;
            if (!part->open_dims[dim]) {
                continue;
            }
            const first_size size = {c->found[i].value, dim};
            if (!htp_map_get_bytes(&firsts, &part->open_dims[dim], sizeof(uint32_t), &known)) {
                htp_map_set_bytes(c->arena, &firsts, &part->open_dims[dim], sizeof(uint32_t),
                                  (uint32_t)count);
                sizes[count++] = size;
            } else if (!is_same_size(c, &sizes[known], &size)) {
                return part->name;
            }
        }
    }
    return NULL;
}

const char *htp_first_call_find(htp_arena *arena, const htp_states *states, uint32_t lane_count,
                                htp_first *first)
{
    size_t count = states->parts.count;
    comparison c = {.arena = arena,
                    .first = states->first,
                    .settled = states->settled,
                    .lane_count = lane_count,
                    .states = states,
                    .found = first,
                    .is_found = HTP_NEW_ARRAY(arena, bool, count + 1)};
    bool are_loaded = !states->has_known;
    for (uint32_t i = 0; i < count; i++) {
        const htp_state_part *part = &states->parts.items[i];
        htp_map_set_bytes(arena, &c.parts, &part->before, sizeof(part->before), i);
        are_loaded = are_loaded && is_loaded(&c, part);
    }
    const char *unknown = are_loaded ? NULL : compare_calls(&c);
    for (size_t i = 0; i < count && !unknown; i++) {
        const htp_state_part *part = &states->parts.items[i];
        bool is_archived = is_loaded(&c, part) && !c.is_found[i];
        if (is_archived) {
            first[i] = (htp_first){.value = &c.settled->values[part->loaded]};
        }
        unknown = is_archived || c.is_found[i] ? NULL : part->name;
    }
    return unknown ? unknown : compare_sizes(&c);
}
