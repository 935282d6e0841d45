/*
 * Side effects of a loop's body: memory, lists and attributes. They are carried, too.
 */
#include "interpret/loops/loops.h"

#include <string.h>

static size_t find_id(const htp_ids *ids, uint32_t id)
{
    size_t at = 0;
    while (at < ids->count && ids->items[at] != id) {
        at++;
    }
    return at;
}

/*
 * Whether a memory is lost from now on, because of its contents @p after an iteration.
 * @param is_new  whether it was not lost before
 */
static bool note_loss(htp_machine *m, htp_loop *loop, const htp_memory *after, bool *is_new)
{
    bool is_lost = false;
    for (size_t i = 0; i < loop->lost.count && !is_lost; i++) {
        is_lost = loop->lost.items[i].first == after->first;
    }
    *is_new = !is_lost && after->value->kind == HTP_ITEM_UNKNOWN;
    if (*is_new) {
        htp_lost_memory lost = {after->first,
                                htp_loss_behind(m, "prim::Loop", &loop->place, after->value)};
        HTP_PUSH(m->arena, &loop->lost, lost);
    }
    return is_lost || *is_new;
}

static size_t find_item(const htp_items *items, const htp_item *item)
{
    size_t at = 0;
    while (at < items->count && items->items[at] != item) {
        at++;
    }
    return at;
}

static void remove_item(htp_items *items, size_t at)
{
    items->count--;
    memmove(&items->items[at], &items->items[at + 1], (items->count - at) * sizeof(htp_item *));
}

static htp_outcome grow(htp_machine *m, htp_item *list, htp_item *rows)
{
    m->growth = (htp_growth){list, rows};
    return HTP_GROWS;
}

static void hold(htp_machine *m, htp_loop *loop, const htp_held *held)
{
    HTP_PUSH(m->arena, &loop->held, *held);
}

static bool holds_list(const htp_loop *loop, const htp_item *list)
{
    bool holds = false;
    for (size_t i = 0; i < loop->held.count && !holds; i++) {
        holds = loop->held.items[i].list == list;
    }
    return holds;
}

static bool holds_attribute(const htp_loop *loop, htp_object_attribute attribute)
{
    bool holds = false;
    for (size_t i = 0; i < loop->held.count && !holds; i++) {
        const htp_held *held = &loop->held.items[i];
        holds = held->kind == HTP_HELD_ATTRIBUTE && held->attribute.object == attribute.object &&
                held->attribute.slot == attribute.slot;
    }
    return holds;
}

/* The type of a list's rows, from before the loop; NULL if the list is empty. */
static htp_outcome rows_before(htp_machine *m, const htp_loop *loop, htp_item *list,
                               htp_item **rows)
{
    if (holds_list(loop, list)) {
        return htp_machine_refuse(m, &loop->place, HTP_LIST_CHANGED);
    }
    htp_contents before = htp_contents_of(m, list);
    return htp_stack_rows_of(m, &before, rows);
}

htp_outcome htp_loop_note_growth(htp_machine *m, htp_loop *loop, const htp_growth *growth)
{
    size_t at = find_item(&loop->lists, growth->list);
    bool is_own = at < loop->lists.count;
    htp_item *rows = growth->rows;
    if (!rows && !is_own && growth->list->is_growing) {
        return grow(m, growth->list, NULL); /* an outer loop appends to it */
    }
    if (!rows && !is_own) {
        HTP_DO(rows_before(m, loop, growth->list, &rows));
    }
    if (!rows && !is_own) {
        return htp_machine_refuse(m, &loop->place,
                                  "a list whose length depends on the data holds something that is "
                                  "no tensor and no number");
    }
    htp_loop_restart(loop);
    if (is_own) {
        rows = rows ? rows : loop->rows.items[at];
        remove_item(&loop->lists, at);
        remove_item(&loop->rows, at);
    }
    for (size_t i = 0; i < loop->held.count; i++) {
        htp_held *held = &loop->held.items[i];
        if (held->list == growth->list) {
            held->kind = HTP_HELD_STACK;
            held->rows = rows;
            return HTP_GOES_ON;
        }
    }
    hold(m, loop, &(htp_held){.kind = HTP_HELD_STACK, .list = growth->list, .rows = rows});
    return HTP_GOES_ON;
}

/* ---- outer sizes ---- */

static void add_size(htp_machine *m, htp_loop *loop, const htp_lane_sizes *size)
{
    uint32_t at = (uint32_t)loop->size_list.count;
    const void **key = htp_map_add_bytes(m->arena, &loop->sizes, size, sizeof(*size), &at);
    if (key) {
        htp_lane_sizes *kept = HTP_NEW(m->arena, htp_lane_sizes);
        *kept = *size;
        *key = kept;
        HTP_PUSH(m->arena, &loop->size_list, kept);
    }
}

static htp_lane_sizes size_of(const htp_machine *m, const htp_item *tensor, int64_t dim)
{
    htp_lane_sizes size = {0};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        size.in[lane] = htp_tensor_in(tensor, lane)->dims[dim];
    }
    return size;
}

/* The sizes of tensors from before the loop, and the first data-dependent one. */
static void find_sizes_before(htp_machine *m, htp_loop *loop)
{
    if (loop->has_sizes) {
        return;
    }
    loop->has_sizes = true;
    if (loop->first_size != 0) {
        htp_lane_sizes size = {0};
        for (uint32_t lane = 0; lane < m->lane_count; lane++) {
            size.in[lane] = m->recording.data_sizes.items[0].sizes[lane];
        }
        add_size(m, loop, &size);
    }
    for (size_t i = 0; i < loop->first_item; i++) {
        const htp_item *item = m->recording.items.items[i];
        uint32_t rank = htp_item_is_made(m, item) ? htp_tensor_in(item, 0)->rank : 0;
        for (uint32_t dim = 0; dim < rank; dim++) {
            htp_lane_sizes size = size_of(m, item, dim);
            add_size(m, loop, &size);
        }
    }
}

static bool is_alike(const htp_machine *m, const htp_lane_sizes *size)
{
    bool is_alike = true;
    for (uint32_t lane = 1; lane < m->lane_count; lane++) {
        is_alike = is_alike && size->in[lane] == size->in[0];
    }
    return is_alike;
}

/* Whether a size is @p base, or a product, multiple or offset of it. */
static bool follows(const htp_machine *m, const htp_loop *loop, const htp_lane_sizes *size,
                    const htp_lane_sizes *base)
{
    htp_lane_sizes quotient = {0};
    htp_lane_sizes offset = {0};
    bool divides = true;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        offset.in[lane] = size->in[lane] - base->in[lane];
        divides = divides && base->in[lane] > 0 && size->in[lane] % base->in[lane] == 0;
        quotient.in[lane] = divides ? size->in[lane] / base->in[lane] : 0;
    }
    return is_alike(m, &offset) ||
           (divides && (is_alike(m, &quotient) ||
                        htp_map_get_bytes(&loop->sizes, &quotient, sizeof(quotient), NULL)));
}

/* Whether a size may differ between iterations: it depends on data or on carried numbers, and is
 * neither an outer size nor a product, multiple or offset of one. */
static bool is_fleeting(htp_machine *m, htp_loop *loop, const htp_item *tensor, int64_t dim)
{
    htp_lane_sizes size = size_of(m, tensor, dim);
    if (is_alike(m, &size) || !htp_is_data(tensor)) {
        return false;
    }
    find_sizes_before(m, loop);
    for (size_t i = 0; i < loop->size_list.count; i++) {
        if (follows(m, loop, &size, loop->size_list.items[i])) {
            return false;
        }
    }
    return true;
}

/* ---- lists ---- */

/* For a list of unchanged length. */
static void find_element_changes(htp_machine *m, htp_loop *loop, htp_item *list,
                                 const htp_items *after)
{
    bool is_same = true;
    for (size_t i = 0; i < after->count && is_same; i++) {
        const htp_item *element = list->elements.items[i];
        is_same = after->items[i] == element || htp_memory_is_same(after->items[i], element);
    }
    if (!is_same) {
        hold(m, loop, &(htp_held){.kind = HTP_HELD_ELEMENTS, .list = list});
        loop->run.is_stable = false;
    }
}

/* Whether a list was changed by appending one element, and nothing else. */
static bool is_longer(const htp_item *list, const htp_contents *after)
{
    const htp_items *before = &list->elements;
    bool is_longer = list->kind == HTP_ITEM_LIST && !after->stacked && !list->stacked &&
                     after->elements.count == before->count + 1;
    for (size_t i = 0; i < before->count && is_longer; i++) {
        is_longer = before->items[i] == after->elements.items[i];
    }
    return is_longer;
}

/* The type of a stack of a list's elements. */
static htp_outcome rows_of(htp_machine *m, const htp_loop *loop, const htp_item *list,
                           const htp_contents *after, htp_item **rows)
{
    HTP_DO(htp_stack_rows_of(m, after, rows));
    if (!*rows) {
        htp_contents before = htp_contents_of(m, list);
        HTP_DO(htp_stack_rows_of(m, &before, rows));
    }
    if (list->kind != HTP_ITEM_LIST || !*rows) {
        for (size_t i = 0; i < after->elements.count; i++) {
            HTP_DO(htp_item_require_known(m, after->elements.items[i]));
        }
        return htp_machine_refuse(m, &loop->place,
                                  "a loop on the data changes the length of a dict, or of a list "
                                  "of other than tensors and numbers");
    }
    (*rows)->has_numbers = (*rows)->has_numbers || list->has_numbers;
    return HTP_GOES_ON;
}

/* Elements appended by an iteration must have the sizes of all others. */
static htp_outcome require_lasting(htp_machine *m, htp_loop *loop, htp_item *list,
                                   const htp_item *addition)
{
    HTP_DO(htp_list_require_told(m, addition, &loop->place));
    uint32_t rank = htp_is_tensor(addition) ? htp_tensor_in(addition, 0)->rank : 0;
    for (uint32_t dim = 0; dim < rank; dim++) {
        if (is_fleeting(m, loop, addition, dim)) {
            htp_item *sequence;
            HTP_DO(htp_sequence_like(m, addition, false, &sequence));
            return grow(m, list, sequence);
        }
    }
    return HTP_GOES_ON;
}

/* An outer list that the body changes: by appending a tensor per iteration, by new elements, or in
 * another way. */
static htp_outcome find_list_change(htp_machine *m, htp_loop *loop, htp_item *list,
                                    const htp_contents *after)
{
    if (!after->stacked && !list->stacked && after->elements.count == list->elements.count) {
        find_element_changes(m, loop, list, &after->elements);
        return HTP_GOES_ON;
    }
    htp_item *rows;
    HTP_DO(rows_of(m, loop, list, after, &rows));
    if (!is_longer(list, after)) {
        return grow(m, list, rows);
    }
    htp_item *addition = after->elements.items[after->elements.count - 1];
    HTP_DO(require_lasting(m, loop, list, addition));
    size_t at = find_item(&loop->lists, list);
    if (at < loop->lists.count) {
        loop->run.additions.items[at] = addition;
    } else {
        htp_items_push(m, &loop->lists, list);
        htp_items_push(m, &loop->rows, rows);
        loop->run.is_stable = false;
    }
    return HTP_GOES_ON;
}

static htp_outcome find_list_changes(htp_machine *m, htp_loop *loop, const htp_list_states *lists)
{
    size_t count = loop->lists.count;
    for (size_t i = 0; i < count; i++) {
        htp_items_push(m, &loop->run.additions, NULL);
    }
    for (size_t i = 0; i < lists->count; i++) {
        if (!holds_list(loop, lists->items[i].list)) {
            HTP_DO(find_list_change(m, loop, lists->items[i].list, &lists->items[i].contents));
        }
    }
    for (size_t i = 0; i < count && loop->run.is_stable; i++) {
        if (!loop->run.additions.items[i]) {
            return grow(m, loop->lists.items[i], loop->rows.items[i]);
        }
    }
    return HTP_GOES_ON;
}

/* ---- memory and attributes ---- */

/* Records memories that the body changes, or whose contents are unknown. @return false if one is no
 * longer carried: then the body must run again */
static bool find_memory_changes(htp_machine *m, htp_loop *loop, const htp_memories *memories)
{
    htp_loop_run *run = &loop->run;
    for (size_t i = 0; i < memories->count; i++) {
        uint32_t first = memories->items[i].first;
        if (first >= loop->first_item) {
            continue; /* made by a discarded run of the body */
        }
        size_t at = find_id(&loop->memories, first);
        bool is_known = at < loop->memories.count;
        bool is_new;
        if (note_loss(m, loop, &memories->items[i], &is_new)) {
            run->is_stable = run->is_stable && !is_new;
            if (is_known) {
                loop->memories.count--;
                memmove(&loop->memories.items[at], &loop->memories.items[at + 1],
                        (loop->memories.count - at) * sizeof(uint32_t));
                run->is_stable = false;
                return false;
            }
        } else if (!is_known) {
            HTP_PUSH(m->arena, &loop->memories, first);
            run->is_stable = false;
        }
    }
    return true;
}

static void find_memory_results(htp_machine *m, htp_loop *loop, const htp_memories *memories)
{
    for (size_t i = 0; i < loop->run.memory_inputs.count; i++) {
        htp_item *after = htp_memories_find(memories, loop->memories.items[i]);
        htp_items_push(m, &loop->run.memory_results,
                       after ? after : loop->run.memory_inputs.items[i]);
    }
}

static htp_outcome find_attribute_changes(htp_machine *m, htp_loop *loop,
                                          const htp_attributes *attributes)
{
    for (size_t i = 0; i < attributes->all.count; i++) {
        htp_attribute_value after = attributes->all.items[i];
        bool has;
        const htp_item *before = htp_attributes_find(&m->state.attributes, after.attribute, &has);
        if (!has) {
            return htp_machine_stop(m, HTP_FAILS, "a loop changes an attribute without a value");
        }
        if (after.value != before && !holds_attribute(loop, after.attribute)) {
            hold(m, loop, &(htp_held){.kind = HTP_HELD_ATTRIBUTE, .attribute = after.attribute});
            loop->run.is_stable = false;
        }
    }
    return HTP_GOES_ON;
}

htp_outcome htp_loop_find_changes(htp_machine *m, htp_loop *loop, const htp_block *block)
{
    if (!find_memory_changes(m, loop, &block->memories)) {
        return HTP_GOES_ON;
    }
    find_memory_results(m, loop, &block->memories);
    HTP_DO(find_attribute_changes(m, loop, &block->attributes));
    return find_list_changes(m, loop, &block->lists);
}
