/*
 * Devices in what restores an object: everything is on the CPU, and the method is told where its
 * file was saved (machine/devices.h). Tensors that it makes are taken to be there.
 */
#include "interpret/restore/restore_devices.h"

#include <string.h>

static void give(htp_restore_step *step, htp_operand output)
{
    step->only = output;
    step->outputs = &step->only;
    step->output_count = 1;
}

static bool is_device(const htp_restore_step *step, uint32_t index)
{
    return index < step->input_count && step->inputs[index].kind == HTP_OPERAND_DEVICE;
}

/* torch.device(name), torch.device(name, index) */
static htp_outcome make_device(htp_follower *f, htp_restore_step *step)
{
    const char *reason = "";
    htp_operand device;
    if (!htp_devices_make(&f->of.devices, &f->arena, &step->inputs[0],
                          step->input_count > 1 ? &step->inputs[1] : NULL, &device, &reason)) {
        return htp_restore_fail(f, "__setstate__ of %s: %s", f->class_name, reason);
    }
    htp_operand kept = htp_devices_write(&f->of.devices, &f->arena, &device);
    htp_device parsed;
    if (!htp_device_read(kept.as.text, kept.bytes, &parsed) ||
        htp_device_origin_of(parsed.type) != HTP_DEVICE_OF_LIBTORCH) {
        return htp_restore_refuse(f, "the device %s", device.as.text); /* which is not kept */
    }
    give(step, device);
    return HTP_GOES_ON;
}

static bool compare(htp_restore_step *step)
{
    bool asks_equal = strcmp(step->node->kind, "aten::eq") == 0;
    if (!is_device(step, 0) || !is_device(step, 1) ||
        (!asks_equal && strcmp(step->node->kind, "aten::ne") != 0)) {
        return false;
    }
    bool are_equal = strcmp(step->inputs[0].as.text, step->inputs[1].as.text) == 0;
    give(step, (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = are_equal == asks_equal});
    return true;
}

htp_outcome htp_restore_device(htp_follower *f, htp_restore_step *step, bool *is_done)
{
    const char *kind = step->node->kind;
    htp_operand answer;
    *is_done = step->input_count > 0;
    if (!*is_done || compare(step)) {
        return HTP_GOES_ON;
    }
    if (strcmp(kind, "aten::device") == 0 && step->inputs[0].kind == HTP_OPERAND_STRING) {
        return make_device(f, step);
    }
    if (strcmp(kind, "aten::cuda") == 0) {
        give(step, step->inputs[0]);
        return HTP_GOES_ON;
    }
    const char *device =
        is_device(step, 0) ? step->inputs[0].as.text : htp_devices_home(&f->of.devices);
    *is_done = htp_devices_answer(&f->arena, kind, device, &answer);
    if (*is_done) {
        give(step, answer);
    }
    return HTP_GOES_ON;
}

void htp_restore_hide_devices(htp_follower *f, const htp_restore_step *step, bool are_kept)
{
    htp_operand *inputs = f->operands.items + (step->inputs - f->operands.items);
    for (uint32_t i = 0; i < step->input_count; i++) {
        if (inputs[i].kind == HTP_OPERAND_DEVICE) {
            inputs[i] = are_kept ? htp_devices_write(&f->of.devices, &f->arena, &inputs[i])
                                 : htp_devices_for_kernels(&inputs[i]);
        }
    }
}

void htp_restore_show_devices(htp_follower *f, htp_restore_step *step)
{
    htp_operand *shown = HTP_NEW_ARRAY(&f->arena, htp_operand, step->output_count);
    bool any = false;
    for (uint32_t i = 0; i < step->output_count; i++) {
        const htp_operand *output = &step->outputs[i];
        bool is_one = output->kind == HTP_OPERAND_DEVICE;
        shown[i] = is_one
                       ? htp_devices_read(&f->of.devices, &f->arena, output->as.text, output->bytes)
                       : *output;
        any = any || is_one;
    }
    step->outputs = any ? shown : step->outputs;
}
