#include "interpret/recording/recording.h"

#include <string.h>

/* ---- data-dependent sizes ---- */

static bool is_prime(int64_t number)
{
    for (int64_t divisor = 2; divisor * divisor <= number; divisor++) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return true;
}

static int64_t next_prime(int64_t number)
{
    do {
        number++;
    } while (!is_prime(number));
    return number;
}

htp_outcome htp_recording_new_size(htp_machine *m, const char *name, htp_trace_size *size)
{
    /* It has many divisors, because programs split selections into equal parts. Fewer leave room
     * for the sums of those that the last lanes make up. */
    enum { MANY_DIVISORS = 5040, SOME_DIVISORS = 720 };
    const int64_t divisors = m->sizes.has_last_lanes ? SOME_DIVISORS : MANY_DIVISORS;
    if (m->lane_count == 1) {
        return HTP_NEEDS_LANES;
    }
    *size = (htp_trace_size){.name = htp_arena_strdup(m->arena, name)};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        m->recording.last_prime = next_prime(m->recording.last_prime);
        size->sizes[lane] = divisors * m->recording.last_prime;
    }
    HTP_PUSH(m->arena, &m->recording.data_sizes, *size);
    return HTP_GOES_ON;
}

htp_outcome htp_item_make_up(htp_machine *m, htp_item *item, const char *name)
{
    htp_trace_size size;
    HTP_DO(htp_recording_new_size(m, name, &size));
    htp_item_take_size(m, item, &size);
    return HTP_GOES_ON;
}

void htp_item_take_size(htp_machine *m, htp_item *item, const htp_trace_size *size)
{
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        item->lane[lane] = (htp_operand){.kind = HTP_OPERAND_INT, .as.i = size->sizes[lane]};
    }
    item->known = HTP_KNOWN_MADE_UP;
}

/* ---- lists that change ---- */

htp_contents htp_contents_of(htp_machine *m, const htp_item *list)
{
    return (htp_contents){htp_items_copy(m, &list->elements), list->stacked};
}

static htp_list_journal *innermost(const htp_machine *m)
{
    const size_t count = m->recording.journals.count;
    return count ? m->recording.journals.items[count - 1] : NULL;
}

/* Records the contents of an older list, once. */
static void note_list(htp_machine *m, htp_item *list, htp_list_states *states, htp_map *known)
{
    uint32_t place = (uint32_t)states->count;
    if (htp_map_add_bytes(m->arena, known, &list->creation_id, sizeof(list->creation_id), &place)) {
        HTP_PUSH(m->arena, states, (htp_list_state){list, htp_contents_of(m, list)});
    }
}

/* Gives a list that nodes have read a new id: the nodes keep the old contents, and its maker keeps
 * its output. */
static void let_go(htp_machine *m, htp_item *list)
{
    if (list->is_used || list->producer != HTP_NONE) {
        htp_item *kept = HTP_NEW(m->arena, htp_item);
        *kept = *list;
        kept->elements = htp_items_copy(m, &list->elements);
        m->recording.items.items[list->id] = kept;
        list->id = (uint32_t)m->recording.items.count;
        list->is_used = false;
        HTP_PUSH(m->arena, &m->recording.items, list);
    }
    list->producer = HTP_NONE;
}

static htp_outcome require_changeable(htp_machine *m, const htp_item *list)
{
    if (list->is_of_code) {
        return htp_machine_stop(
            m, HTP_UNSUPPORTED,
            "%s() changes a list or dict of its code, which the next call would read", m->method);
    }
    if (list->is_late) {
        return HTP_NEEDS_EARLIER;
    }
    return list->is_merged ? htp_machine_stop(m, HTP_UNSUPPORTED,
                                              "a list that comes out of a branch or loop on the "
                                              "data is changed")
                           : HTP_GOES_ON;
}

htp_outcome htp_list_begin_change(htp_machine *m, htp_item *list)
{
    HTP_DO(require_changeable(m, list));
    htp_list_journal *journal = innermost(m);
    if (journal && list->creation_id < journal->first_item) {
        note_list(m, list, &journal->lists, &journal->known);
    }
    let_go(m, list);
    return HTP_GOES_ON;
}

htp_outcome htp_list_begin_reading(htp_machine *m, htp_item *list)
{
    HTP_DO(require_changeable(m, list));
    htp_list_journal *journal = innermost(m);
    if (journal && list->creation_id < journal->first_item &&
        !htp_map_get_bytes(&journal->known, &list->creation_id, sizeof(list->creation_id), NULL)) {
        note_list(m, list, &journal->read, &journal->known_read);
    }
    let_go(m, list);
    return HTP_GOES_ON;
}

static void set_contents(htp_machine *m, htp_item *list, const htp_contents *contents)
{
    list->elements = htp_items_copy(m, &contents->elements);
    list->stacked = contents->stacked;
}

void htp_list_restore(htp_machine *m, htp_item *list, const htp_contents *contents)
{
    let_go(m, list);
    set_contents(m, list, contents);
}

htp_outcome htp_list_fill(htp_machine *m, htp_item *list, const htp_contents *contents)
{
    HTP_DO(htp_list_begin_change(m, list));
    set_contents(m, list, contents);
    return HTP_GOES_ON;
}

/* ---- nodes ---- */

static const void *copy_array(htp_machine *m, const void *array, size_t count, size_t size)
{
    void *copy = htp_arena_calloc(m->arena, count, size);
    if (count) {
        memcpy(copy, array, count * size);
    }
    return copy;
}

uint32_t htp_recording_add(htp_machine *m, const htp_recorded_node *node)
{
    uint32_t number = (uint32_t)m->recording.nodes.count;
    htp_recorded_node added = *node;
    added.inputs = copy_array(m, node->inputs, node->input_count, sizeof(*node->inputs));
    added.input_names =
        copy_array(m, node->input_names, node->input_count, sizeof(*node->input_names));
    added.outputs = copy_array(m, node->outputs, node->output_count, sizeof(*node->outputs));
    added.failure = node->failure && *node->failure ? node->failure : NULL;
    added.blocks = copy_array(m, node->blocks, node->block_count, sizeof(*node->blocks));
    for (uint32_t i = 0; i < added.input_count; i++) {
        m->recording.items.items[added.inputs[i]]->is_used = true;
    }
    for (uint32_t i = 0; i < added.output_count; i++) {
        m->recording.items.items[added.outputs[i]]->producer = number;
    }
    HTP_PUSH(m->arena, &m->recording.nodes, added);
    return number;
}

static const uint32_t *ids_of(htp_machine *m, const htp_items *items)
{
    uint32_t *ids = HTP_NEW_ARRAY(m->arena, uint32_t, items->count);
    for (size_t i = 0; i < items->count; i++) {
        ids[i] = items->items[i]->id;
    }
    return ids;
}

uint32_t htp_recording_add_control(htp_machine *m, const char *kind, const htp_items *inputs,
                                   const char *const *names, const htp_items *outputs,
                                   const uint32_t *blocks, uint32_t block_count,
                                   const htp_place *place)
{
    htp_recorded_node node = {.kind = kind,
                              .schema = HTP_NONE,
                              .inputs = ids_of(m, inputs),
                              .input_names = names,
                              .input_count = (uint32_t)inputs->count,
                              .outputs = ids_of(m, outputs),
                              .output_count = (uint32_t)outputs->count,
                              .place = *place,
                              .block = m->recording.block,
                              .blocks = blocks,
                              .block_count = block_count};
    return htp_recording_add(m, &node);
}

static void forget_above(htp_ids *ids, uint32_t limit)
{
    size_t kept = 0;
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->items[i] < limit) {
            ids->items[kept++] = ids->items[i];
        }
    }
    ids->count = kept;
}

static void forget_sharers(htp_machine *m, uint32_t since)
{
    m->memory.groupings++; /* so that each memory is visited once */
    for (size_t i = since; i < m->recording.items.count; i++) {
        htp_ids *sharers = &m->recording.items.items[i]->sharers;
        for (size_t k = 0; k < sharers->count; k++) {
            htp_item *other = m->recording.items.items[sharers->items[k]];
            if (sharers->items[k] < since && other->grouped != m->memory.groupings) {
                other->grouped = m->memory.groupings;
                forget_above(&other->sharers, since);
            }
        }
        sharers->count = 0;
    }
}

htp_mark htp_recording_mark(const htp_machine *m)
{
    return (htp_mark){.items = m->recording.items.count,
                      .nodes = m->recording.nodes.count,
                      .scopes = m->recording.scopes.count,
                      .blocks = m->recording.blocks.count,
                      .calls = m->recording.calls_made.count,
                      .passed = m->recording.passed.count,
                      .visits = m->recording.visits};
}

void htp_recording_discard(htp_machine *m, const htp_mark *mark)
{
    for (size_t i = mark->items; i < m->recording.items.count; i++) {
        m->recording.items.items[i]->producer = HTP_NONE;
    }
    for (size_t i = mark->scopes; i < m->recording.scopes.count; i++) {
        m->recording.calls[m->recording.scopes.items[i].module]--;
    }
    forget_sharers(m, (uint32_t)mark->items);
    m->recording.nodes.count = mark->nodes;
    m->recording.scopes.count = mark->scopes;
    m->recording.blocks.count = mark->blocks;
    m->recording.calls_made.count = mark->calls;
    m->recording.passed.count = mark->passed;
    m->recording.visits = mark->visits;
}
