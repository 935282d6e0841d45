/*
 * The state that a call leaves in attributes.
 */
#include "interpret/objects/states.h"

#include "interpret/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- changes ---- */

static bool is_equal(const htp_machine *m, const htp_item *a, const htp_item *b);

static bool are_equal(const htp_machine *m, const htp_items *a, const htp_items *b)
{
    bool is_same = a->count == b->count;
    for (size_t i = 0; is_same && i < a->count; i++) {
        is_same = is_equal(m, a->items[i], b->items[i]);
    }
    return is_same;
}

static bool has_same_contents(const htp_item *a, const htp_item *b)
{
    const htp_runner_tensor *tensor = htp_tensor_in(a, 0);
    const htp_runner_tensor *other = htp_tensor_in(b, 0);
    bool is_same = tensor->type == other->type && tensor->rank == other->rank &&
                   a->content_bytes == b->content_bytes;
    for (uint32_t dim = 0; is_same && dim < tensor->rank; dim++) {
        is_same = tensor->dims[dim] == other->dims[dim];
    }
    return is_same &&
           (a->content_bytes == 0 || memcmp(a->contents, b->contents, a->content_bytes) == 0);
}

/* Whether two values are the same item, or equal constants. */
static bool is_equal(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    bool is_constant = a->known == HTP_KNOWN_CONSTANT && b->known == HTP_KNOWN_CONSTANT;
    if (a == b || a->kind != b->kind) {
        return a == b;
    }
    if (htp_is_container(a)) {
        return !a->stacked && !b->stacked && are_equal(m, &a->elements, &b->elements);
    }
    if (a->kind == HTP_ITEM_OBJECT) {
        return a->object == b->object;
    }
    if (htp_is_tensor(a)) {
        return is_constant && has_same_contents(a, b);
    }
    return is_constant && htp_operand_is_equal(m->runner, &a->lane[0], &b->lane[0]);
}

/* ---- images ---- */

static htp_outcome check_image(htp_machine *m, const htp_item *item, const char *name)
{
    bool is_object = item->kind == HTP_ITEM_OBJECT;
    if (!is_object && !item->stacked && !item->is_sequence && !item->levels) {
        return HTP_GOES_ON;
    }
    return htp_machine_stop(m, HTP_UNSUPPORTED,
                            "the attribute \"%s\", which the next call reads, %s", name,
                            is_object      ? "is given another object"
                            : item->levels ? "is quantised"
                                           : "is a list whose length the data decides");
}

static void fill_lane(htp_arena *arena, const htp_item *item, uint32_t lane, htp_image *image)
{
    if (!htp_is_tensor(item)) {
        image->lane[lane] = htp_image_operand(arena, &item->lane[lane]);
        return;
    }
    const htp_runner_tensor *tensor = htp_tensor_in(item, lane);
    image->type = htp_tensor_in(item, 0)->type;
    image->rank = tensor->rank;
    const void *dims = htp_arena_copy(arena, tensor->dims, tensor->rank * sizeof(int64_t));
    image->dims[lane] = dims;
}

static htp_outcome make_image(htp_machine *m, htp_arena *arena, const htp_item *item,
                              const char *name, htp_image *image)
{
    HTP_DO(check_image(m, item, name));
    *image = (htp_image){
        .kind = item->kind,
        .is_constant = htp_is_constant(item),
        .device = item->device ? htp_arena_strdup(arena, item->device) : NULL,
        .is_known = htp_has_lanes(item) && !htp_is_data(item),
        .parts = HTP_NEW_ARRAY(arena, htp_image, item->elements.count),
        .part_count = item->elements.count,
    };
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        fill_lane(arena, item, lane, image);
    }
    for (size_t i = 0; i < item->elements.count; i++) {
        HTP_DO(make_image(m, arena, item->elements.items[i], name, &image->parts[i]));
    }
    return HTP_GOES_ON;
}

/* ---- owners of memory ---- */

static void list_memories(htp_machine *m, const htp_item *item, htp_ids *memories)
{
    if (htp_is_tensor(item)) {
        HTP_PUSH(m->arena, memories, htp_memory_of(item));
    }
    for (size_t i = 0; i < item->elements.count; i++) {
        list_memories(m, item->elements.items[i], memories);
    }
}

/* By memory: the number of attributes' tensors in it, or in one of its group. */
static htp_map count_holders(htp_machine *m)
{
    htp_map holders = {0};
    htp_ids memories = {0};
    for (size_t i = 0; i < m->state.attributes.all.count; i++) {
        const htp_attribute_value *entry = &m->state.attributes.all.items[i];
        htp_holder holder;
        if (entry->value && htp_attribute_holder(m, entry->attribute.object, &holder)) {
            list_memories(m, entry->value, &memories);
        }
    }
    const htp_memory_groups groups = htp_memory_group(m, &memories);
    uint32_t *counts = HTP_NEW_ARRAY(m->arena, uint32_t, groups.count);
    for (size_t i = 0; i < memories.count; i++) {
        counts[groups.of[i]]++;
    }
    for (size_t group = 0; group < groups.count; group++) {
        for (size_t i = 0; i < groups.members[group].count; i++) {
            const uint32_t *member = &groups.members[group].items[i];
            uint32_t count = 0;
            (void)htp_map_get_bytes(&holders, member, sizeof(*member), &count);
            htp_map_set_bytes(m->arena, &holders, member, sizeof(*member), count + counts[group]);
        }
    }
    return holders;
}

/* Marks tensors of a state that share memory with other attributes at the end. */
static void note_shared(const htp_map *holders, const htp_item *item, htp_image *image)
{
    if (htp_is_tensor(item)) {
        uint32_t memory = htp_memory_of(item);
        uint32_t count = 0;
        image->is_shared = htp_map_get_bytes(holders, &memory, sizeof(memory), &count) && count > 1;
    }
    for (size_t i = 0; i < item->elements.count; i++) {
        note_shared(holders, item->elements.items[i], &image->parts[i]);
    }
}

static bool is_archived_in(const htp_image *image)
{
    bool is_archived = image->is_archived;
    for (size_t i = 0; !is_archived && i < image->part_count; i++) {
        is_archived = is_archived_in(&image->parts[i]);
    }
    return is_archived;
}

/* Marks tensors with a memory of the archive. @return whether there are any */
static bool note_same(const htp_map *before, const htp_item *item, htp_image *image)
{
    bool is_some = false;
    if (htp_is_tensor(item)) {
        uint32_t memory = htp_memory_of(item);
        image->is_archived = htp_map_get_bytes(before, &memory, sizeof(memory), NULL);
        is_some = image->is_archived;
    }
    for (size_t i = 0; i < item->elements.count; i++) {
        bool is_one = note_same(before, item->elements.items[i], &image->parts[i]);
        is_some = is_some || is_one;
    }
    return is_some;
}

/* Whether a memory has several names, among them the attribute's or that of a part of it. */
static bool is_named(const struct htp_storage_names *names, const char *name)
{
    size_t length = strlen(name);
    bool is_found = false;
    for (size_t i = 0; names->all.count > 1 && !is_found && i < names->all.count; i++) {
        const char *one = names->all.items[i];
        is_found = strncmp(one, name, length) == 0 && (one[length] == '\0' || one[length] == '.');
    }
    return is_found;
}

/* Refuses an in-place change of a memory with two names in the archive. @p carried  the value at
 * the begin of the call; NULL: the archive's */
static htp_outcome note_archived(htp_machine *m, htp_recorded_state *state,
                                 const htp_carried_state *carried)
{
    htp_ids memories = {0};
    htp_map before = {0};
    list_memories(m, state->before, &memories);
    bool is_loaded = !carried || is_archived_in(carried->left);
    for (size_t i = 0; is_loaded && i < memories.count; i++) {
        htp_map_set_bytes(m->arena, &before, &memories.items[i], sizeof(uint32_t), true);
    }
    if (!note_same(&before, state->after, &state->left)) {
        return HTP_GOES_ON;
    }
    for (size_t i = 0; i < m->state.storage_names.count; i++) {
        if (is_named(m->state.storage_names.items[i], state->name)) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "%s() changes the attribute \"%s\" in place, and another "
                                    "attribute shares its memory",
                                    m->method, state->name);
        }
    }
    return HTP_GOES_ON;
}

/* ---- states ---- */

/* State of the search for a call's states. */
typedef struct search {
    htp_machine *m;
    const htp_carried_state *carried;
    htp_map by_name; /* carried states by name */
    htp_arena *arena;
    htp_recorded_states *states;
} search;

static const htp_carried_state *find_carried(const search *s, const char *name)
{
    uint32_t index = 0;
    return htp_map_get(&s->by_name, name, &index) ? &s->carried[index] : NULL;
}

/* Adds an attribute that was changed or carried. @p value  at the end of the call */
static htp_outcome add_state(search *s, htp_object_attribute attribute, const htp_holder *holder,
                             htp_item *value)
{
    htp_machine *m = s->m;
    bool has = false;
    htp_item *before = htp_attributes_find(&m->state.before, attribute, &has);
    if (!has) {
        return htp_machine_stop(m, HTP_FAILS, "an attribute is not known as it was loaded");
    }
    const bool is_same = is_equal(m, before, value);
    if (is_same && s->by_name.count == 0) {
        return HTP_GOES_ON; /* true of nearly all attributes; the names of these are not needed */
    }
    const char *name = htp_attribute_name(m, holder->path, attribute);
    const htp_carried_state *carried = find_carried(s, name);
    if (is_same && !carried) {
        return HTP_GOES_ON;
    }
    htp_recorded_state state = {
        .name = htp_arena_strdup(s->arena, name),
        .attribute = attribute,
        .holder = {holder->module, htp_arena_strdup(s->arena, holder->path)},
        .loaded = before,
        .before = before,
    };
    if (carried) {
        HTP_DO(htp_attribute_loaded(m, attribute, &state.loaded));
    }
    state.after = htp_item_as_given(m, value);
    HTP_DO(make_image(m, s->arena, value, state.name, &state.left));
    HTP_PUSH(s->arena, s->states, state);
    return HTP_GOES_ON;
}

static htp_outcome add_states(search *s)
{
    static const htp_place root = {.function = HTP_NONE, .node = HTP_NONE, .file = ""};
    htp_machine *m = s->m;
    for (size_t i = 0; i < m->state.attributes.all.count; i++) {
        const htp_attribute_value entry = m->state.attributes.all.items[i];
        htp_holder holder;
        htp_item *value = NULL;
        if (!entry.value || !htp_attribute_holder(m, entry.attribute.object, &holder)) {
            continue;
        }
        HTP_DO(htp_memory_current(m, entry.value, &root, &value));
        m->state.attributes.all.items[i].value = value;
        HTP_DO(add_state(s, entry.attribute, &holder, value));
    }
    return HTP_GOES_ON;
}

static int compare_states(const void *left, const void *right)
{
    const htp_recorded_state *a = left;
    const htp_recorded_state *b = right;
    int order = (a->holder.module > b->holder.module) - (a->holder.module < b->holder.module);
    if (order == 0) {
        order = (a->attribute.slot > b->attribute.slot) - (a->attribute.slot < b->attribute.slot);
    }
    return order ? order : strcmp(a->name, b->name);
}

htp_outcome htp_states_find(htp_machine *m, const htp_carried_state *carried, size_t count,
                            htp_arena *arena, htp_recorded_states *states)
{
    search s = {.m = m, .carried = carried, .arena = arena, .states = states};
    for (size_t i = 0; i < count; i++) {
        htp_map_set(m->arena, &s.by_name, carried[i].name, (uint32_t)i);
    }
    HTP_DO(add_states(&s));
    for (size_t i = 0; i < states->count; i++) {
        htp_recorded_state *state = &states->items[i];
        HTP_DO(note_archived(m, state, find_carried(&s, state->name)));
    }
    if (states->count == 0) {
        return HTP_GOES_ON;
    }
    const htp_map holders = count_holders(m);
    for (size_t i = 0; i < states->count; i++) {
        note_shared(&holders, states->items[i].after, &states->items[i].left);
    }
    qsort(states->items, states->count, sizeof(*states->items), compare_states);
    return HTP_GOES_ON;
}
