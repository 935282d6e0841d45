/*
 * States: dicts of tensors that torch.save() wrote. Nothing else runs their pickles, so facts about
 * the tensors are kept.
 */
#include "source/pickle/pickle_machine.h"

htp_status htp_pickle_refuse_object(const htp_pickle_machine *machine, const char *module,
                                    uint32_t module_bytes, const char *name, uint32_t name_bytes)
{
    const htp_pickle *pickle = machine->pickle;
    const char *of = htp_archive_printable(machine->arena, module, module_bytes);
    const char *printable = htp_archive_printable(machine->arena, name, name_bytes);
    return htp_status_make(HTP_CODE_UNSUPPORTED,
                           "%s: %s at byte %u: %s.%s makes no plain tensor; other objects and "
                           "kinds of tensors are not read: replace them by plain tensors in front "
                           "of torch.export",
                           pickle->path, pickle->name, machine->opcode, of, printable);
}

/* ---- the list ---- */

static const int64_t *numbers_of(const htp_pickle_machine *machine, uint32_t tuple)
{
    const htp_pickle_node *node = &machine->nodes.items[tuple];
    int64_t *numbers = HTP_NEW_ARRAY(machine->pickle->kept, int64_t, (size_t)node->count + 1);
    for (uint32_t i = 0; i < node->count; i++) {
        numbers[i] = htp_pickle_part(machine, node, i)->number;
    }
    return numbers;
}

/* A tensor may have many names: its numbers are copied once. */
static htp_pickle_tensor take(htp_pickle_machine *machine, const htp_pickle_member *member)
{
    htp_pickle_stated *stated =
        &machine->tensors.items[htp_pickle_node_of(machine, &member->value)->elements];
    if (!stated->tensor.sizes) {
        stated->tensor.rank = machine->nodes.items[stated->sizes].count;
        stated->tensor.sizes = numbers_of(machine, stated->sizes);
        stated->tensor.strides = numbers_of(machine, stated->strides);
    }
    htp_pickle_tensor tensor = stated->tensor;
    tensor.name = member->key.string.offset;
    tensor.name_bytes = member->key.string.bytes;
    return tensor;
}

static htp_status add_tensor(htp_pickle_machine *machine, htp_map *known,
                             const htp_pickle_member *member)
{
    if (member->key.kind != HTP_PICKLE_STRING || member->value.kind != HTP_PICKLE_TENSOR) {
        return htp_pickle_damaged(machine, "a member of the dict is no tensor with a name");
    }
    const htp_pickle_tensor tensor = take(machine, member);
    const char *name = (const char *)machine->pickle->bytes + tensor.name;
    const char *shown = htp_archive_printable(machine->arena, name, tensor.name_bytes);
    if (tensor.rank > HTP_MAX_RANK) {
        return htp_pickle_damaged(machine, "%s has %u dims, more than %u", shown, tensor.rank,
                                  HTP_MAX_RANK);
    }
    if (htp_map_get_bytes(known, name, tensor.name_bytes, NULL)) {
        return htp_pickle_damaged(machine, "the name %s is there twice", shown);
    }
    htp_map_set_bytes(machine->arena, known, name, tensor.name_bytes, 0);
    HTP_PUSH(machine->arena, &machine->contents->tensors, tensor);
    return HTP_OK;
}

htp_status htp_pickle_list_state(htp_pickle_machine *machine)
{
    const htp_pickle_value *root = &machine->stack.items[0];
    htp_map known = {.slots = NULL};
    if (root->kind != HTP_PICKLE_DICT) {
        return htp_pickle_damaged(machine, "no dict of tensors");
    }
    for (size_t i = 0; i < machine->members.count; i++) {
        const htp_pickle_member *member = &machine->members.items[i];
        if (member->dict == root->node) {
            HTP_TRY(add_tensor(machine, &known, member));
        }
    }
    return HTP_OK;
}
