/*
 * Queries about devices and moves between them, with the answers from where the file was saved
 * (machine/devices.h).
 */
#include "interpret/steps/handlers.h"

#include "interpret/lanes/devices.h"

#include <string.h>

static bool is_device(const htp_item *item)
{
    return item->kind == HTP_ITEM_PLAIN && item->lane[0].kind == HTP_OPERAND_DEVICE;
}

static htp_outcome require_device(htp_machine *m, const htp_step *step, size_t index)
{
    HTP_DO(htp_handler_require(m, step, index + 1));
    return is_device(step->inputs.items[index])
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_FAILS, "a device is expected");
}

/* ---- queries ---- */

static htp_outcome answer(htp_machine *m, const htp_step *step, const char *device,
                          htp_items *outputs)
{
    htp_operand value = {.kind = HTP_OPERAND_NONE};
    (void)htp_devices_answer(m->arena, step->node->kind, device, &value);
    return htp_handler_give(m, outputs, htp_item_plain(m, value));
}

/* The device of a tensor. */
static htp_outcome find_device(htp_machine *m, const htp_step *step, const char **device)
{
    HTP_DO(htp_handler_require(m, step, 1));
    *device = htp_item_device(m, step->inputs.items[0]);
    return strcmp(*device, HTP_DEVICE_UNDECIDED) != 0
               ? HTP_GOES_ON
               : htp_machine_refuse(m, &step->place,
                                    "%s of a tensor that the data puts on one device or another",
                                    step->node->kind);
}

/* The device of a tensor; unknown if making the tensor failed. */
htp_outcome htp_do_ask_where(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const char *device = NULL;
    HTP_DO(find_device(m, step, &device));
    return answer(m, step, device, outputs);
}

htp_outcome htp_do_ask_device(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(require_device(m, step, 0));
    return answer(m, step, step->inputs.items[0]->lane[0].as.text, outputs);
}

static htp_outcome compare(htp_machine *m, const htp_step *step, bool *are_equal)
{
    HTP_DO(require_device(m, step, 0));
    HTP_DO(require_device(m, step, 1));
    *are_equal = htp_operand_is_equal(m->runner, &step->inputs.items[0]->lane[0],
                                      &step->inputs.items[1]->lane[0]);
    return HTP_GOES_ON;
}

htp_outcome htp_do_equal_devices(htp_machine *m, htp_step *step, htp_items *outputs)
{
    bool are_equal = false;
    HTP_DO(compare(m, step, &are_equal));
    return htp_handler_give(m, outputs, htp_item_bool(m, are_equal));
}

htp_outcome htp_do_different_devices(htp_machine *m, htp_step *step, htp_items *outputs)
{
    bool are_equal = false;
    HTP_DO(compare(m, step, &are_equal));
    return htp_handler_give(m, outputs, htp_item_bool(m, !are_equal));
}

/* ---- devices that are made ---- */

/* torch.device(name), torch.device(name, index) */
htp_outcome htp_do_make_device(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_items *inputs = &step->inputs;
    for (size_t i = 0; i < inputs->count; i++) {
        if (!htp_is_decided(inputs->items[i])) {
            return htp_machine_refuse(m, &step->place, "a device depends on the inputs");
        }
    }
    const htp_operand *name = &inputs->items[0]->lane[0];
    if (name->kind != HTP_OPERAND_STRING) {
        return htp_machine_stop(m, HTP_FAILS, "a device that is no text");
    }
    htp_operand device;
    const char *reason = "";
    if (!htp_devices_make(m->devices, m->arena, name,
                          inputs->count > 1 ? &inputs->items[1]->lane[0] : NULL, &device,
                          &reason)) {
        return htp_machine_refuse(m, &step->place, "%s", reason);
    }
    return htp_handler_give(m, outputs, htp_item_plain(m, device));
}

/* ---- tensors that are moved ---- */

static htp_outcome copy_to(htp_machine *m, htp_step *step, const char *device, htp_items *outputs)
{
    htp_item *tensor = step->inputs.items[0];
    htp_item *copy = NULL;
    HTP_DO(htp_handler_run(m, "aten::clone", "", HTP_ITEMS(m, tensor, htp_item_none(m)),
                           &step->place, &copy));
    htp_item_place(m, copy, device);
    return htp_handler_give(m, outputs, copy);
}

/* A move of a tensor that may be on the device already. */
static htp_outcome move_undecided(htp_machine *m, htp_step *step, const char *device,
                                  htp_items *outputs)
{
    htp_item *tensor = step->inputs.items[0];
    htp_item *to = htp_item_plain(
        m, (htp_operand){.kind = HTP_OPERAND_DEVICE, .as.text = device, .bytes = strlen(device)});
    htp_item *type = htp_item_int(m, htp_tensor_in(tensor, 0)->type);
    htp_item *moved = NULL;
    HTP_DO(htp_handler_run(m, "aten::to", "device",
                           HTP_ITEMS(m, tensor, to, type, htp_item_bool(m, false),
                                     htp_item_bool(m, false), htp_item_none(m)),
                           &step->place, &moved));
    return htp_handler_give(m, outputs, moved);
}

/* A tensor that is on the device already is returned itself. */
static htp_outcome move(htp_machine *m, htp_step *step, const char *device, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    htp_item *tensor = step->inputs.items[0];
    const char *from = htp_item_device(m, tensor);
    if (!htp_is_tensor(tensor) || strcmp(from, device) == 0) {
        return htp_handler_give(m, outputs, tensor);
    }
    return strcmp(from, HTP_DEVICE_UNDECIDED) == 0 ? move_undecided(m, step, device, outputs)
                                                   : copy_to(m, step, device, outputs);
}

/* pin_memory(): a copy, on the CPU as well. */
htp_outcome htp_do_pin(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    htp_item *tensor = step->inputs.items[0];
    return htp_is_tensor(tensor) ? copy_to(m, step, HTP_DEVICE_CPU, outputs)
                                 : htp_handler_give(m, outputs, tensor);
}

/* is_pinned(): refused, since the answer depends on the drivers where the file was saved. */
htp_outcome htp_do_ask_pinned(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    return htp_machine_refuse(m, &step->place, "%s, which is in no file", step->node->kind);
}

htp_outcome htp_do_move_to_cpu(htp_machine *m, htp_step *step, htp_items *outputs)
{
    return move(m, step, HTP_DEVICE_CPU, outputs);
}

htp_outcome htp_do_move_to_cuda(htp_machine *m, htp_step *step, htp_items *outputs)
{
    return move(m, step, "cuda:0", outputs);
}

/* ---- casts of autocast ---- */

static bool is_true(const htp_item *item)
{
    return htp_is_decided(item) && htp_is_bool(item) && item->lane[0].as.b;
}

/* Autocast kernels, which check the tensor's device: (tensor, whether to cast on CUDA, whether on
 * the CPU, ...). */
static htp_outcome cast(htp_machine *m, htp_step *step, htp_item *on_cuda, htp_item *on_cpu,
                        htp_items *outputs)
{
    htp_item *tensor = step->inputs.items[0];
    const char *device = NULL;
    htp_item *type = NULL;
    HTP_DO(find_device(m, step, &device));
    if (htp_devices_is_of_type(device, "cuda") && is_true(step->inputs.items[1])) {
        type = on_cuda;
    } else if (htp_devices_is_of_type(device, HTP_DEVICE_CPU) && is_true(step->inputs.items[2])) {
        type = on_cpu;
    }
    if (!type) {
        return htp_handler_give(m, outputs, tensor);
    }
    htp_item *made = NULL;
    HTP_DO(htp_handler_run(m, "aten::to", "dtype",
                           HTP_ITEMS(m, tensor, type, htp_item_bool(m, false),
                                     htp_item_bool(m, false), htp_item_none(m)),
                           &step->place, &made));
    return htp_handler_give(m, outputs, made);
}

htp_outcome htp_do_cast_to_reduced(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 5));
    const htp_items *inputs = &step->inputs;
    if (!htp_is_tensor(inputs->items[0]) ||
        htp_tensor_in(inputs->items[0], 0)->type != HTP_SCALAR_FLOAT) {
        return htp_handler_give(m, outputs, inputs->items[0]);
    }
    return cast(m, step, inputs->items[3], inputs->items[4], outputs);
}

htp_outcome htp_do_cast_to_full(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 3));
    htp_item *tensor = step->inputs.items[0];
    int32_t type = htp_is_tensor(tensor) ? htp_tensor_in(tensor, 0)->type : -1;
    if (type != HTP_SCALAR_HALF && type != HTP_SCALAR_BFLOAT16) {
        return htp_handler_give(m, outputs, tensor);
    }
    htp_item *full = htp_item_int(m, HTP_SCALAR_FLOAT);
    return cast(m, step, full, full, outputs);
}
