/*
 * Where the outputs of operators are (machine/devices.h).
 */
#include "interpret/lanes/devices.h"

#include <string.h>

const char *htp_item_device(const htp_machine *m, const htp_item *item)
{
    return item->device ? item->device : htp_devices_home(m->devices);
}

/* Numbers and the like on the CPU join what other operands are on. */
static bool is_weak(const htp_machine *m, const htp_item *tensor)
{
    return htp_tensor_in(tensor, 0)->rank == 0 &&
           strcmp(htp_item_device(m, tensor), HTP_DEVICE_CPU) == 0;
}

/* The first tensor that tells, among @p items and what lists of them hold. */
static void find_common(const htp_machine *m, const htp_items *items, const htp_item **common)
{
    for (size_t i = 0; i < items->count; i++) {
        const htp_item *item = items->items[i];
        if (htp_is_container(item)) {
            find_common(m, &item->elements, common);
        } else if (htp_is_tensor(item) && (!*common || is_weak(m, *common))) {
            *common = item;
        }
        if (*common && !is_weak(m, *common)) {
            return;
        }
    }
}

/* The argument of an operator that names a device; NULL where none is given. */
static const htp_item *find_named(const htp_call *call)
{
    for (size_t i = 0; i < call->inputs.count && i < call->schema.argument_count; i++) {
        const htp_item *input = call->inputs.items[i];
        if (input->kind == HTP_ITEM_PLAIN && input->lane[0].kind == HTP_OPERAND_DEVICE &&
            strcmp(call->schema.arguments[i].name, "device") == 0) {
            return input;
        }
    }
    return NULL;
}

/* Whether the second operand is the tensor whose device, and dtype, the first one gets. */
static bool is_like_other(const htp_program_schema *schema)
{
    return strcmp(schema->kind, "aten::to.other") == 0 ||
           strcmp(schema->kind, "aten::to.prim_other") == 0 ||
           strcmp(schema->name, "aten::type_as") == 0;
}

/* Where outputs of a call are; NULL: at home. */
static const char *device_of(const htp_machine *m, const htp_call *call)
{
    const htp_item *named = find_named(call);
    const htp_item *common = NULL;
    htp_device device;
    if (named && htp_device_read(named->lane[0].as.text, named->lane[0].bytes, &device)) {
        char text[HTP_DEVICE_TYPE_LIMIT + 16];
        return htp_arena_strdup(m->arena, htp_device_of_tensor(&device, text));
    }
    if (is_like_other(&call->schema) && call->inputs.count > 1) {
        return htp_item_device(m, call->inputs.items[1]);
    }
    find_common(m, &call->inputs, &common);
    return common ? common->device : HTP_DEVICE_CPU;
}

static void place(htp_items *items, const char *device)
{
    for (size_t i = 0; i < items->count; i++) {
        items->items[i]->device = device;
        place(&items->items[i]->elements, device);
    }
}

void htp_call_place(const htp_machine *m, const htp_call *call, htp_items *outputs)
{
    const char *device = device_of(m, call);
    place(outputs, device && strcmp(device, htp_devices_home(m->devices)) == 0 ? NULL : device);
}

/* aten::to, which gives its operand where that is what it asks for. */
void htp_call_note_move(htp_machine *m, htp_call *call)
{
    if (strcmp(call->schema.name, "aten::to") != 0 || call->inputs.count == 0 ||
        !htp_is_tensor(call->inputs.items[0])) {
        return;
    }
    const char *device = device_of(m, call);
    device = device ? device : htp_devices_home(m->devices);
    if (strcmp(device, htp_item_device(m, call->inputs.items[0])) == 0) {
        return;
    }
    for (size_t i = 0; i < call->inputs.count && i < call->schema.argument_count; i++) {
        if (strcmp(call->schema.arguments[i].name, "copy") == 0) {
            call->inputs = htp_items_copy(m, &call->inputs);
            call->inputs.items[i] = htp_item_bool(m, true);
        }
    }
}
