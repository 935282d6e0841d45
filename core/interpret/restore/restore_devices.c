/*
 * Devices in __setstate__ methods: everything is on the CPU, but queries get the device on which
 * the file was saved (machine/devices.h). Tensors count as being there until one is created on or
 * moved to another device; after that, queries about devices are refused.
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
        return htp_restore_refuse(f, "the device %s", device.as.text); /* unknown */
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

/* ---- tensors that are moved ---- */

/* @return whether moving a tensor to @p device copies it */
static bool note_move(htp_follower *f, const char *device)
{
    bool is_away = strcmp(device, htp_devices_home(&f->of.devices)) != 0;
    bool is_copy = is_away || f->is_apart;
    f->is_unsure = f->is_unsure || f->is_apart;
    f->is_apart = f->is_apart || is_away;
    return is_copy;
}

/* aten::cpu, aten::cuda */
static htp_outcome move(htp_follower *f, htp_restore_step *step, const char *device)
{
    const htp_runner *runner = f->of.runner;
    const htp_operand inputs[] = {step->inputs[0], {.kind = HTP_OPERAND_NONE}};
    if (!note_move(f, device)) {
        give(step, inputs[0]);
        return HTP_GOES_ON;
    }
    uint32_t clone = runner->find(runner->self, "aten::clone", "");
    return clone == HTP_NONE
               ? htp_restore_refuse(f, "%s", step->node->kind)
               : htp_restore_run(f, clone, inputs, 2, &step->outputs, &step->output_count);
}

static uint32_t find_argument(const htp_program_schema *schema, const char *name)
{
    uint32_t index = 0;
    while (index < schema->argument_count && strcmp(schema->arguments[index].name, name) != 0) {
        index++;
    }
    return index;
}

/* The device on which an operator puts its result; NULL: that of its operands. */
static const char *find_target(htp_follower *f, const htp_restore_step *step,
                               const htp_program_schema *schema)
{
    uint32_t index = find_argument(schema, "device");
    htp_device device;
    if (is_device(step, index) &&
        htp_device_read(step->inputs[index].as.text, step->inputs[index].bytes, &device)) {
        char text[HTP_DEVICE_TYPE_LIMIT + 16];
        return htp_arena_strdup(&f->arena, htp_device_of_tensor(&device, text));
    }
    bool is_factory =
        index < schema->argument_count && find_argument(schema, "self") == schema->argument_count;
    return is_factory || strcmp(schema->name, "prim::NumToTensor") == 0 ? HTP_DEVICE_CPU : NULL;
}

static bool changes_tensor(const htp_program_schema *schema)
{
    bool is_written = false;
    for (uint32_t i = 0; i < schema->argument_count; i++) {
        is_written = is_written || schema->arguments[i].is_written;
    }
    return is_written && (schema->name[strlen(schema->name) - 1] == '_' ||
                          find_argument(schema, "out") < schema->argument_count);
}

htp_outcome htp_restore_note_devices(htp_follower *f, htp_restore_step *step,
                                     const htp_program_schema *schema)
{
    const char *target = find_target(f, step, schema);
    bool is_move = strcmp(schema->name, "aten::to") == 0;
    bool is_like_other = is_move && find_argument(schema, "other") < schema->argument_count;
    uint32_t copy = find_argument(schema, "copy");
    if (f->is_unsure && changes_tensor(schema)) {
        return htp_restore_refuse(f, "%s behind moves between devices", step->node->kind);
    }
    if (is_move && (target || is_like_other)) {
        bool is_copy = note_move(f, target ? target : htp_devices_home(&f->of.devices));
        if (is_copy && copy < step->input_count) {
            f->operands.items[(size_t)(step->inputs - f->operands.items) + copy] =
                (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = true};
        }
    } else if (target && strcmp(target, htp_devices_home(&f->of.devices)) != 0) {
        f->is_apart = true;
    }
    return HTP_GOES_ON;
}

/* ---- all of it ---- */

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
    if (strcmp(kind, "aten::cpu") == 0 || strcmp(kind, "aten::cuda") == 0) {
        return move(f, step, strcmp(kind, "aten::cpu") == 0 ? HTP_DEVICE_CPU : "cuda:0");
    }
    const char *device =
        is_device(step, 0) ? step->inputs[0].as.text : htp_devices_home(&f->of.devices);
    *is_done = htp_devices_answer(&f->arena, kind, device, &answer);
    if (*is_done && !is_device(step, 0)) {
        f->is_apart = f->is_apart || htp_devices_are_several(&f->of.devices);
    }
    if (*is_done && f->is_apart && !is_device(step, 0)) {
        return htp_restore_refuse(f, "%s behind tensors on several devices", kind);
    }
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
