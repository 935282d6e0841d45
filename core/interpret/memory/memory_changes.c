/*
 * In-place changes of tensors, and all values that see them.
 */
#include "interpret/lanes/call_facts.h"
#include "interpret/lanes/elsewhere.h"
#include "interpret/memory/losses.h"
#include "interpret/memory/memory.h"

#include <string.h>

/* The deepest nesting of views. */
enum { MAX_VIEWS = 10000 };

/* The tensors in an item, in depth-first order. */
static void list_tensors(htp_machine *m, htp_item *item, htp_items *tensors)
{
    if (htp_is_tensor(item)) {
        htp_items_push(m, tensors, item);
    }
    for (size_t i = 0; i < item->elements.count; i++) {
        list_tensors(m, item->elements.items[i], tensors);
    }
}

/* The operands that an operator changes in place. */
static htp_items changed_inputs(htp_machine *m, const htp_call *call)
{
    htp_items changed = {0};
    for (size_t i = 0; i < call->schema.argument_count && i < call->inputs.count; i++) {
        if (call->schema.arguments[i].is_written) {
            htp_items_push(m, &changed, call->inputs.items[i]);
        }
    }
    return changed;
}

/* ---- views ---- */

/* Whether a slice up to a number covers its whole parent at the sampled sizes. */
static bool cuts_nothing(const htp_machine *m, const htp_item *seen)
{
    const htp_item_view *view = seen->view;
    if (strcmp(view->name, "aten::slice") != 0 || view->inputs.count < 4 ||
        !htp_is_int(view->inputs.items[3]) || !htp_is_tensor(view->parent)) {
        return false;
    }
    const htp_item *end = view->inputs.items[3];
    int64_t last = end->lane[0].as.i;
    bool cuts_nothing = last > 0 && last != INT64_MAX;
    for (uint32_t lane = 0; lane < m->lane_count && cuts_nothing; lane++) {
        const htp_operand *here = &end->lane[lane];
        cuts_nothing =
            here->kind == HTP_OPERAND_INT && here->as.i == last &&
            htp_tensor_has_same_dims(htp_tensor_in(seen, lane), htp_tensor_in(view->parent, lane));
    }
    return cuts_nothing;
}

/* Whether an operator returned the tensor itself, but at other sizes would return a part of it, as
 * a copy. While writing back, a view may be its own ancestor for a while, so depth is limited. */
static bool is_whole_by_chance(const htp_machine *m, const htp_call *call, const htp_item *input)
{
    if (m->lane_count == 1 || !htp_call_has_fact(call, HTP_FACT_VIEW_OR_COPY)) {
        return false;
    }
    bool is_by_chance = false;
    const htp_item *item = input;
    for (size_t left = item->view ? item->view->depth : 0; left > 0 && item->view; left--) {
        is_by_chance = is_by_chance || cuts_nothing(m, item);
        item = item->view->parent;
    }
    return is_by_chance;
}

static void share_with_all(htp_machine *m, htp_item *tensor, htp_item *input)
{
    htp_items held = {0};
    list_tensors(m, input, &held);
    for (size_t i = 0; i < held.count; i++) {
        htp_memory_note_sharing(m, tensor, htp_memory_of(held.items[i]));
    }
}

/* The position of a tensor among the outputs of a call. */
typedef struct output_place {
    size_t output;
    size_t element;
} output_place;

static htp_outcome record_view(htp_machine *m, const htp_call *call, htp_item *tensor, size_t input,
                               output_place where)
{
    htp_item *parent = call->inputs.items[input];
    size_t depth = parent->view ? parent->view->depth + 1 : 1;
    if (depth > MAX_VIEWS) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "views of views are nested too deeply");
    }
    htp_item_view *view = HTP_NEW(m->arena, htp_item_view);
    *view = (htp_item_view){.parent = parent,
                            .name = call->schema.name,
                            .overload = call->schema.overload,
                            .inputs = htp_items_copy(m, &call->inputs),
                            .depth = depth,
                            .input = input,
                            .output = where.output,
                            .element = where.element};
    tensor->view = view;
    return HTP_GOES_ON;
}

/* Records an output that may be a view: an operator may return a view at some sizes or in some
 * builds of libtorch and a copy at others (contiguous(), reshape()), or a tensor from a list. Later
 * changes of one may then change the other.
 */
static htp_outcome note_view(htp_machine *m, const htp_call *call, htp_item *tensor,
                             output_place where)
{
    for (size_t i = 0; i < call->inputs.count; i++) {
        htp_item *input = call->inputs.items[i];
        uint32_t here = htp_call_count_shared(m, call, tensor, i, false);
        uint32_t elsewhere = htp_call_count_shared(m, call, tensor, i, true);
        uint32_t shared = here + elsewhere;
        bool is_view = htp_is_tensor(input) && shared == 2 * m->lane_count;
        if (is_view && !is_whole_by_chance(m, call, input)) {
            return record_view(m, call, tensor, i, where);
        }
        if (shared != 0 ||
            (i == 0 && htp_call_has_fact(call, HTP_FACT_VIEW_OR_COPY) && htp_is_data(input))) {
            share_with_all(m, tensor, input);
        }
    }
    return HTP_GOES_ON;
}

/* Whether all outputs of a call may be views, since it writes nothing. */
static bool may_give_views(const htp_machine *m, const htp_call *call)
{
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        if (!call->storages[lane]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < call->schema.argument_count; i++) {
        if (call->schema.arguments[i].is_written) {
            return false;
        }
    }
    return true;
}

htp_outcome htp_memory_note_views(htp_machine *m, const htp_call *call, const htp_items *outputs)
{
    if (!may_give_views(m, call)) {
        return HTP_GOES_ON;
    }
    for (size_t i = 0; i < outputs->count; i++) {
        htp_item *output = outputs->items[i];
        if (htp_is_tensor(output)) {
            HTP_DO(note_view(m, call, output, (output_place){i, SIZE_MAX}));
        }
        for (size_t k = 0; k < output->elements.count; k++) {
            if (htp_is_tensor(output->elements.items[k])) {
                HTP_DO(note_view(m, call, output->elements.items[k], (output_place){i, k}));
            }
        }
    }
    return HTP_GOES_ON;
}

/* ---- changes ---- */

static bool is_kept(const htp_machine *m, const htp_item *tensor)
{
    return htp_storage_is_kept(m, htp_tensor_in(tensor, 0)->storage);
}

/* Changes that outlive a call would be lost, except those of attributes. */
htp_outcome htp_memory_refuse_lasting(htp_machine *m, const htp_call *call)
{
    htp_items changed = changed_inputs(m, call);
    for (size_t i = 0; i < changed.count; i++) {
        const htp_item *input = changed.items[i];
        if (input->elements.count != 0) {
            return htp_machine_refuse(m, call->place, "%s changes tensors of a list in place",
                                      call->schema.kind);
        }
        if (!htp_is_tensor(input)) {
            continue;
        }
        if (is_kept(m, input)) {
            return htp_machine_refuse(m, call->place,
                                      "%s changes a constant of the code, or a tensor that several "
                                      "attributes hold, which the next call would read",
                                      call->schema.kind);
        }
        if (m->recording.items.items[htp_memory_of(input)]->is_late) {
            return HTP_NEEDS_EARLIER;
        }
    }
    return HTP_GOES_ON;
}

/* Gives the memory of view @p written its new value; @p value is the part seen by @p written. */
static htp_outcome write_back(htp_machine *m, htp_item *written, htp_item *value,
                              const htp_place *place)
{
    uint32_t first = htp_memory_of(written);
    htp_item *item = written;
    while (item->view && value->kind != HTP_ITEM_UNKNOWN) {
        const htp_item_view *view = item->view;
        if (!htp_item_view_is_whole(m, item)) {
            htp_item *parent = NULL;
            HTP_DO(htp_item_view_put_back(m, view, item, value, place, &parent));
            htp_item_view *renewed = HTP_NEW(m->arena, htp_item_view);
            *renewed = *view;
            renewed->parent = parent;
            renewed->inputs = htp_items_copy(m, &view->inputs);
            renewed->inputs.items[view->input] = parent;
            value->view = renewed;
            value->epoch = m->recording.epoch;
            value = parent;
        }
        item = view->parent;
    }
    value->view = NULL;
    value->origin = item->origin ? item->origin : item;
    value->epoch = m->recording.epoch;
    htp_memory_change(m, first, value);
    return HTP_GOES_ON;
}

/* After a change of a memory, marks as unknown the memories that may be the same in some runs, and
 * perhaps other rows of its own. */
static htp_outcome lose_sharers(htp_machine *m, const htp_call *call, const htp_item *changed)
{
    uint32_t own = htp_memory_of(changed);
    const htp_ids asked = {.items = &own, .count = 1};
    const htp_ids members = htp_memory_group(m, &asked).members[0];
    const htp_loss loss = htp_loss_make(call->schema.kind, call->place);
    for (size_t i = 0; i < members.count; i++) {
        uint32_t other = members.items[i];
        const htp_item *item = m->recording.items.items[other];
        if (other == own) {
            continue;
        }
        if (htp_is_tensor(item) && is_kept(m, item)) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "it may change a constant of the code, or a tensor that "
                                    "several attributes hold, which the next call would read");
        }
        if (item->is_late) {
            return HTP_NEEDS_EARLIER;
        }
        htp_memory_lose(m, other, &loss);
    }
    if (m->recording.items.items[own]->may_repeat) {
        htp_memory_lose(m, own, &loss);
    }
    return HTP_GOES_ON;
}

/* Whether an operator reads its output tensor at other positions: libtorch refuses the cases that
 * it checks, and otherwise the result depends on the order. */
static bool reads_what_it_changes(htp_machine *m, const htp_call *call, htp_item *changed)
{
    bool reads = false;
    const uint32_t memory = htp_memory_of(changed);
    for (size_t i = 0; i < call->inputs.count; i++) {
        htp_items held = {0};
        list_tensors(m, call->inputs.items[i], &held);
        for (size_t k = 0; k < held.count; k++) {
            htp_item *other = held.items[k];
            const bool is_same = other != changed && htp_memory_of(other) == memory;
            reads = reads || (is_same && htp_item_view_reads_written(m, changed, other));
        }
    }
    return reads;
}

htp_outcome htp_memory_note_changes(htp_machine *m, const htp_call *call, const htp_items *outputs)
{
    htp_items changed = changed_inputs(m, call);
    for (size_t i = 0; i < changed.count; i++) {
        htp_item *input = changed.items[i];
        if (!htp_is_tensor(input)) {
            continue;
        }
        size_t k = 0;
        while (k < outputs->count &&
               !htp_item_view_has_same_geometry(m, outputs->items[k], input)) {
            k++;
        }
        if (k == outputs->count) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "it changes the sizes or strides of a tensor in place");
        }
        if (reads_what_it_changes(m, call, input)) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "it reads elements of the memory that it changes, so "
                                    "libtorch's result depends on the order");
        }
        m->recording.epoch++;
        HTP_DO(write_back(m, input, outputs->items[k], call->place));
        HTP_DO(lose_sharers(m, call, input));
    }
    return HTP_GOES_ON;
}

/* ---- operators that failed ---- */

/* Adds an item that was not visited yet. */
static void add_unseen(htp_machine *m, htp_map *seen, htp_ids *ids, uint32_t id)
{
    uint32_t value = 0;
    if (htp_map_add_bytes(m->arena, seen, &id, sizeof(id), &value)) {
        HTP_PUSH(m->arena, ids, id);
    }
}

/* Adds the operands of a failed operator, of which its outputs may be views. */
static void add_inputs(htp_machine *m, htp_map *seen, htp_ids *ids, const htp_item *item)
{
    if (!item->is_failed_view || item->producer == HTP_NONE) {
        return;
    }
    const htp_recorded_node node = m->recording.nodes.items[item->producer];
    for (uint32_t i = 0; i < node.input_count; i++) {
        add_unseen(m, seen, ids, node.inputs[i]);
    }
}

/* The memories of an item, and all that may be the same. */
static htp_ids list_memories(htp_machine *m, htp_item *item)
{
    htp_items held = {0};
    htp_ids memories = {0};
    htp_ids all = {0};
    list_tensors(m, item, &held);
    if (item->kind == HTP_ITEM_UNKNOWN) {
        htp_items_push(m, &held, item);
    }
    for (size_t i = 0; i < held.count; i++) {
        HTP_PUSH(m->arena, &memories, htp_memory_of(held.items[i]));
    }
    htp_memory_groups groups = htp_memory_group(m, &memories);
    for (size_t i = 0; i < groups.count; i++) {
        for (size_t k = 0; k < groups.members[i].count; k++) {
            HTP_PUSH(m->arena, &all, groups.members[i].items[k]);
        }
    }
    return all;
}

/* Marks the contents of all memories of an item as unknown. */
static htp_outcome lose_behind(htp_machine *m, const htp_loss *loss, const htp_item *changed)
{
    htp_map seen = {0};
    htp_ids ids = {0};
    add_unseen(m, &seen, &ids, changed->id);
    while (ids.count) {
        htp_item *item = m->recording.items.items[ids.items[--ids.count]];
        add_inputs(m, &seen, &ids, item);
        htp_ids memories = list_memories(m, item);
        for (size_t i = 0; i < memories.count; i++) {
            uint32_t first = memories.items[i];
            add_unseen(m, &seen, &ids, first);
            if (htp_memory_held(m, first)->kind == HTP_ITEM_UNKNOWN) {
                continue;
            }
            if (m->recording.items.items[first]->is_late) {
                return HTP_NEEDS_EARLIER;
            }
            htp_memory_lose(m, first, loss);
        }
    }
    return HTP_GOES_ON;
}

/* Whether outputs of an operator may be views of its operands. */
static bool gives_views(const htp_call *call)
{
    for (uint32_t i = 0; i < call->schema.return_count; i++) {
        if (call->schema.returns[i].is_alias) {
            return true;
        }
    }
    return false;
}

htp_outcome htp_memory_note_failed_changes(htp_machine *m, const htp_call *call, uint32_t node)
{
    bool is_view = gives_views(call);
    const htp_recorded_node failed = m->recording.nodes.items[node];
    for (uint32_t i = 0; i < failed.output_count; i++) {
        m->recording.items.items[failed.outputs[i]]->is_failed_view = is_view;
    }
    htp_loss loss = htp_loss_make(call->schema.kind, call->place);
    if (failed.output_count > 0) {
        loss = htp_loss_behind(m, call->schema.kind, call->place,
                               m->recording.items.items[failed.outputs[0]]);
    }
    htp_items changed = changed_inputs(m, call);
    for (size_t i = 0; i < changed.count; i++) {
        htp_item *input = changed.items[i];
        if (htp_is_tensor(input)) {
            uint32_t first = htp_memory_of(input);
            htp_item *unknown = htp_item_make(m, HTP_ITEM_UNKNOWN);
            unknown->producer = node;
            unknown->is_failed_view = is_view;
            unknown->origin = m->recording.items.items[first];
            m->recording.epoch++;
            htp_memory_change(m, first, unknown);
        }
        if (htp_is_tensor(input) || input->kind == HTP_ITEM_UNKNOWN) {
            HTP_DO(lose_behind(m, &loss, input));
        }
    }
    return HTP_GOES_ON;
}
