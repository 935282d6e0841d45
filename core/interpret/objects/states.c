/*
 * Initial values of attributes that an earlier call changed.
 */
#include "interpret/objects/attributes.h"

#include "interpret/lanes/execute.h"
#include "interpret/objects/states.h"

#include <string.h>

/* A state under construction, leaf by leaf. */
typedef struct finding {
    htp_machine *m;
    const htp_carried_state *state;
    const htp_place *place;
    size_t next; /* index of the next leaf */
} finding;

htp_operand htp_image_operand(htp_arena *arena, const htp_operand *operand)
{
    htp_operand copy = *operand;
    if (operand->kind == HTP_OPERAND_STRING) {
        copy.as.text = htp_arena_copy(arena, operand->as.text, operand->bytes);
    } else if (operand->kind == HTP_OPERAND_DEVICE) {
        copy.as.text = htp_arena_strdup(arena, operand->as.text);
    }
    return copy;
}

/* A constant, or the key of a dict. */
static htp_item *known_item(htp_machine *m, const htp_image *left)
{
    return htp_item_plain(m, htp_image_operand(m->arena, &left->lane[0]));
}

/* ---- tensors ---- */

/* The open size with a number, made for the first state that needs it. */
static htp_outcome open_size(htp_machine *m, uint32_t number, const char *name,
                             htp_trace_size *size)
{
    uint32_t place = (uint32_t)m->recording.data_sizes.count;
    if (htp_map_get_bytes(&m->state.open_sizes, &number, sizeof(number), &place)) {
        *size = m->recording.data_sizes.items[place];
        return HTP_GOES_ON;
    }
    HTP_DO(htp_recording_new_size(m, name, size));
    htp_map_set_bytes(m->arena, &m->state.open_sizes, &number, sizeof(number), place);
    return HTP_GOES_ON;
}

/* The sizes that the last call left, except free ones. */
static htp_outcome find_sizes(htp_machine *m, const htp_image *left, const char *name,
                              const htp_trace_carry *carry, int64_t **sizes, bool *is_open)
{
    const uint32_t lanes = m->lane_count;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        sizes[lane] = HTP_NEW_ARRAY(m->arena, int64_t, left->rank);
        if (left->rank > 0) {
            memcpy(sizes[lane], left->dims[lane], left->rank * sizeof(int64_t));
        }
    }
    for (uint32_t dim = 0; dim < left->rank && dim < HTP_MAX_RANK; dim++) {
        htp_trace_size size;
        if (carry->open_dims[dim] == 0) {
            continue;
        }
        HTP_DO(open_size(m, carry->open_dims[dim], name, &size));
        for (uint32_t lane = 0; lane < lanes; lane++) {
            sizes[lane][dim] = size.sizes[lane];
        }
        *is_open = true;
    }
    return HTP_GOES_ON;
}

static htp_outcome carried_tensor(htp_machine *m, const htp_image *left, const char *name,
                                  const htp_trace_carry *carry, htp_item **item)
{
    int64_t *sizes[HTP_MAX_LANES] = {NULL};
    bool is_open = false;
    htp_item *made = htp_item_make(m, HTP_ITEM_TENSOR);
    made->name = name;
    made->device = left->device;
    HTP_DO(find_sizes(m, left, name, carry, sizes, &is_open));
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *tensor = NULL;
        HTP_DO(htp_tensor_empty(m, left->type, sizes[lane], left->rank, &tensor));
        made->lane[lane] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
    }
    made->known = is_open ? HTP_KNOWN_OPEN_SIZES : HTP_KNOWN_OPEN;
    made->is_carried = !is_open;
    HTP_DO(htp_item_settle_empty(m, made));
    if (left->is_shared) {
        htp_storage_keep(m, made); /* it must not change in place */
    }
    *item = made;
    return HTP_GOES_ON;
}

/* ---- numbers ---- */

/* A number that is an input of each call. */
static htp_outcome open_number(htp_machine *m, const htp_image *left, const char *name,
                               htp_item **item)
{
    htp_operand_kind kind = left->lane[0].kind;
    *item = known_item(m, left);
    (*item)->known = HTP_KNOWN_SIZED;
    (*item)->name = name;
    if (kind == HTP_OPERAND_INT) {
        return htp_item_make_up(m, *item, name);
    }
    if (kind == HTP_OPERAND_FLOAT || kind == HTP_OPERAND_BOOL) {
        (*item)->known = HTP_KNOWN_OPEN;
        return HTP_GOES_ON;
    }
    return htp_machine_stop(
        m, HTP_UNSUPPORTED,
        "the attribute \"%s\", which the next call reads, is sometimes None or a string", name);
}

/* Whether a number is the size of a dim in every lane. */
static bool is_size(const htp_machine *m, const htp_image *left, const htp_item *tensor,
                    uint32_t dim)
{
    bool is_equal = left->is_known;
    for (uint32_t lane = 0; lane < m->lane_count && is_equal; lane++) {
        is_equal = left->lane[lane].kind == HTP_OPERAND_INT &&
                   left->lane[lane].as.i == htp_tensor_in(tensor, lane)->dims[dim];
    }
    return is_equal;
}

/* A known number or text; one that follows from sizes is read from an input with these sizes. */
static htp_outcome carried_number(htp_machine *m, const htp_image *left, const char *name,
                                  const htp_place *place, htp_item **item)
{
    if (left->is_constant) {
        *item = known_item(m, left);
        return HTP_GOES_ON;
    }
    for (size_t i = 0; i < m->control.arguments.count; i++) {
        htp_item *argument = m->control.arguments.items[i];
        uint32_t rank = htp_is_tensor(argument) ? htp_tensor_in(argument, 0)->rank : 0;
        for (uint32_t dim = 0; dim < rank; dim++) {
            if (!is_size(m, left, argument, dim)) {
                continue;
            }
            htp_item *at = htp_item_int(m, dim);
            const htp_items inputs = HTP_ITEMS(m, argument, at);
            HTP_DO(htp_execute(m, "aten::size", "int", &inputs, place, item));
            (*item)->is_carried = true;
            return HTP_GOES_ON;
        }
    }
    return htp_machine_stop(m, HTP_UNSUPPORTED,
                            "the attribute \"%s\", which the next call reads, follows from the "
                            "sizes of dynamic axes; give these fixed sizes",
                            name);
}

/* ---- states ---- */

static htp_outcome carried_part(finding *f, const htp_image *left, const char *name,
                                htp_item **item);

static htp_outcome carried_container(finding *f, const htp_image *left, const char *name,
                                     htp_item **item)
{
    htp_machine *m = f->m;
    htp_items elements = {0};
    for (size_t i = 0; i < left->part_count; i++) {
        htp_item *element = NULL;
        if (left->kind == HTP_ITEM_DICT && i % 2 == 0) {
            element = known_item(m, &left->parts[i]);
        } else {
            const char *part = htp_arena_printf(m->arena, "%s.%zu", name, i);
            HTP_DO(carried_part(f, &left->parts[i], part, &element));
        }
        htp_items_push(m, &elements, element);
    }
    *item = htp_item_hold(m, left->kind, &elements);
    return HTP_GOES_ON;
}

static htp_outcome carried_part(finding *f, const htp_image *left, const char *name,
                                htp_item **item)
{
    bool is_container =
        left->kind == HTP_ITEM_LIST || left->kind == HTP_ITEM_TUPLE || left->kind == HTP_ITEM_DICT;
    if (is_container) {
        return carried_container(f, left, name, item);
    }
    if (f->next == f->state->part_count) {
        return htp_machine_stop(f->m, HTP_FAILS, "a state has more parts than were said");
    }
    const htp_trace_carry *carry = &f->state->parts[f->next++];
    if (left->kind == HTP_ITEM_TENSOR) {
        return carried_tensor(f->m, left, name, carry, item);
    }
    return carry->is_input ? open_number(f->m, left, name, item)
                           : carried_number(f->m, left, name, f->place, item);
}

static htp_outcome begin_state(htp_machine *m, const htp_carried_state *state,
                               const htp_place *place)
{
    finding f = {.m = m, .state = state, .place = place};
    const char *name = htp_arena_strdup(m->arena, state->name);
    htp_item *item = NULL;
    HTP_DO(htp_attribute_note(m, state->attribute, &state->holder, name));
    HTP_DO(carried_part(&f, state->left, name, &item));
    if (f.next != state->part_count) {
        return htp_machine_stop(m, HTP_FAILS, "a state has other parts than were said");
    }
    htp_attributes_set(m, &m->state.before, state->attribute, htp_item_as_given(m, item));
    htp_attributes_set(m, &m->state.attributes, state->attribute, item);
    return HTP_GOES_ON;
}

htp_outcome htp_states_begin(htp_machine *m, const htp_carried_state *carried, size_t count,
                             const htp_place *place)
{
    for (size_t i = 0; i < count; i++) {
        HTP_DO(begin_state(m, &carried[i], place));
    }
    return HTP_GOES_ON;
}
