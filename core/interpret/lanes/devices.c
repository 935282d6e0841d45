/*
 * Devices of operator outputs (machine/devices.h).
 */
#include "interpret/lanes/devices.h"

#include "base/text.h"

#include <string.h>

const char *htp_item_device(const htp_machine *m, const htp_item *item)
{
    return item->device ? item->device : htp_devices_home(m->devices);
}

static bool is_undecided(const char *device)
{
    return strcmp(device, HTP_DEVICE_UNDECIDED) == 0;
}

void htp_item_place(const htp_machine *m, htp_item *tensor, const char *device)
{
    tensor->device = strcmp(device, htp_devices_home(m->devices)) == 0 ? NULL : device;
}

void htp_item_join_device(const htp_machine *m, htp_item *tensor, const htp_item *other)
{
    if (strcmp(htp_item_device(m, tensor), htp_item_device(m, other)) != 0) {
        tensor->device = HTP_DEVICE_UNDECIDED;
    }
}

/* ---- of operands ---- */

/* The common device of some operands. */
typedef struct common {
    const char *device; /* NULL: there is no tensor among them */
    bool is_weak;       /* numbers and 0-d tensors on the CPU do not decide */
} common;

static common common_of_tensor(const htp_machine *m, const htp_item *tensor)
{
    const char *device = htp_item_device(m, tensor);
    bool may_be_cpu = strcmp(device, HTP_DEVICE_CPU) == 0 || is_undecided(device);
    return (common){device, may_be_cpu && htp_tensor_in(tensor, 0)->rank == 0};
}

/* The first operand with a device decides. */
static void add_operand(common *all, common one)
{
    bool tells = one.device && (!all->device || (all->is_weak && !one.is_weak));
    if (tells || (one.device && all->is_weak && is_undecided(one.device))) {
        *all = one;
    }
}

/* Elements of a list are one operand; if their devices differ, the data decides. */
static void add_element(common *all, common one)
{
    bool is_apart = all->device && one.device && !all->is_weak && !one.is_weak &&
                    strcmp(all->device, one.device) != 0;
    add_operand(all, is_apart ? (common){HTP_DEVICE_UNDECIDED, false} : one);
    if (is_apart) {
        all->device = HTP_DEVICE_UNDECIDED;
    }
}

static common common_of(const htp_machine *m, const htp_item *item)
{
    common all = {0};
    for (size_t i = 0; i < item->elements.count; i++) {
        add_element(&all, common_of(m, item->elements.items[i]));
    }
    return htp_is_tensor(item) ? common_of_tensor(m, item) : all;
}

static const char *device_of_operands(const htp_machine *m, const htp_items *operands)
{
    common all = {0};
    for (size_t i = 0; i < operands->count; i++) {
        add_operand(&all, common_of(m, operands->items[i]));
    }
    return all.device ? all.device : HTP_DEVICE_CPU;
}

/* The device argument of an operator, or NULL. */
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

/* Whether the first operand gets the device and dtype of the second. */
static bool is_like_other(const htp_program_schema *schema)
{
    return strcmp(schema->kind, "aten::to.other") == 0 ||
           strcmp(schema->kind, "aten::to.prim_other") == 0 ||
           strcmp(schema->name, "aten::type_as") == 0;
}

/* The tensor that an operator writes to, which keeps its device. */
static const htp_item *find_written(const htp_call *call)
{
    for (size_t i = 0; i < call->inputs.count && i < call->schema.argument_count; i++) {
        if (call->schema.arguments[i].is_written && htp_is_tensor(call->inputs.items[i])) {
            return call->inputs.items[i];
        }
    }
    return NULL;
}

static const char *device_of(const htp_machine *m, const htp_call *call)
{
    const htp_item *named = find_named(call);
    const htp_item *written = find_written(call);
    htp_device device;
    if (named && htp_device_read(named->lane[0].as.text, named->lane[0].bytes, &device)) {
        char text[HTP_DEVICE_TYPE_LIMIT + 16];
        return htp_arena_strdup(m->arena, htp_device_of_tensor(&device, text));
    }
    if (is_like_other(&call->schema) && call->inputs.count > 1) {
        return htp_item_device(m, call->inputs.items[1]);
    }
    return written ? htp_item_device(m, written) : device_of_operands(m, &call->inputs);
}

/* ---- of outputs ---- */

static void place(const htp_machine *m, const htp_items *items, const char *device)
{
    for (size_t i = 0; i < items->count; i++) {
        htp_item_place(m, items->items[i], device);
        place(m, &items->items[i]->elements, device);
    }
}

/* Operators that return sizes, always on the CPU. */
static const struct {
    const char *name;
    size_t output;
} sizes_on_cpu[] = {
    {"aten::_pack_padded_sequence", 1},
    {"aten::_pad_packed_sequence", 1},
    {"aten::_shape_as_tensor", 0},
};

static void place_sizes(const htp_machine *m, const htp_call *call, htp_items *outputs)
{
    for (size_t i = 0; i < sizeof(sizes_on_cpu) / sizeof(sizes_on_cpu[0]); i++) {
        size_t at = sizes_on_cpu[i].output;
        if (strcmp(call->schema.name, sizes_on_cpu[i].name) == 0 && at < outputs->count) {
            htp_item_place(m, outputs->items[at], HTP_DEVICE_CPU);
        }
    }
}

/* Operators that return views of all tensors in a list. */
static void place_each(const htp_call *call, htp_items *outputs)
{
    static const char *const each[] = {
        "aten::align_tensors", "aten::atleast_1d",        "aten::atleast_2d",
        "aten::atleast_3d",    "aten::broadcast_tensors",
    };
    bool is_one = outputs->count == 1 && call->inputs.count > 0 &&
                  htp_text_is_one_of(call->schema.name, each, sizeof(each) / sizeof(each[0]));
    for (size_t i = 0; is_one && i < outputs->items[0]->elements.count; i++) {
        const htp_items *given = &call->inputs.items[0]->elements;
        if (i < given->count && htp_is_tensor(given->items[i])) {
            outputs->items[0]->elements.items[i]->device = given->items[i]->device;
        }
    }
}

void htp_call_place(const htp_machine *m, const htp_call *call, htp_items *outputs)
{
    place(m, outputs, device_of(m, call));
    place_sizes(m, call, outputs);
    place_each(call, outputs);
}

/* ---- moves ---- */

/* aten::to returns its operand if nothing changes. */
bool htp_call_note_move(htp_machine *m, htp_call *call)
{
    if (strcmp(call->schema.name, "aten::to") != 0 || call->inputs.count == 0 ||
        !htp_is_tensor(call->inputs.items[0])) {
        return false;
    }
    const char *from = htp_item_device(m, call->inputs.items[0]);
    const char *to = device_of(m, call);
    bool is_move = find_named(call) || is_like_other(&call->schema);
    bool is_known = !is_undecided(from) && !is_undecided(to);
    if (!is_move || (is_known && strcmp(from, to) == 0)) {
        return false;
    }
    for (size_t i = 0; i < call->inputs.count && i < call->schema.argument_count; i++) {
        if (strcmp(call->schema.arguments[i].name, "copy") == 0) {
            call->inputs = htp_items_copy(m, &call->inputs);
            call->inputs.items[i] = htp_item_bool(m, true);
        }
    }
    return !is_known;
}
