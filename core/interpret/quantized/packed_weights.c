/*
 * Unpacks weights of libtorch's packed parameter objects into constants.
 */
#include "interpret/quantized/quantized.h"

static htp_outcome ask(htp_machine *m, const char *name, const htp_operand *of, htp_operand *answer)
{
    const htp_operand *outputs;
    uint32_t count;
    HTP_DO(htp_kernel_run(m, name, "", HTP_RUN_SIZES, of, 1, &outputs, &count));
    if (count == 0) {
        return htp_machine_stop(m, HTP_FAILS, "%s gives nothing", name);
    }
    *answer = outputs[0];
    return HTP_GOES_ON;
}

/* Converts a tensor, unless it has type @p type. */
static htp_outcome convert(htp_machine *m, const htp_operand *of, int32_t type, htp_operand *made)
{
    const htp_operand inputs[] = {*of,
                                  {.kind = HTP_OPERAND_INT, .as.i = type},
                                  {.kind = HTP_OPERAND_BOOL},
                                  {.kind = HTP_OPERAND_BOOL},
                                  {0}};
    const htp_operand *outputs;
    uint32_t count;
    HTP_DO(htp_kernel_run(m, "aten::to", "dtype", HTP_RUN_SIZES, inputs, 5, &outputs, &count));
    *made = outputs[0];
    return HTP_GOES_ON;
}

static htp_outcome constant_of(htp_machine *m, const htp_operand *tensor, htp_item **item)
{
    const htp_operand inputs[] = {*tensor,
                                  {.kind = HTP_OPERAND_INT}}; /* memory format 0: contiguous */
    const htp_operand *outputs;
    uint32_t count;
    HTP_DO(htp_kernel_run(m, "aten::contiguous", "", HTP_RUN_SIZES, inputs, 2, &outputs, &count));
    if (count == 0 || outputs[0].kind != HTP_OPERAND_TENSOR) {
        return htp_machine_stop(m, HTP_FAILS, "packed weights hold no tensor");
    }
    return htp_constant_tensor(m, outputs[0].as.tensor, true, item);
}

/* A 0-d tensor of a number. */
static htp_outcome tensor_of(htp_machine *m, int32_t type, const htp_operand *number,
                             htp_operand *made)
{
    const htp_making making = {
        .way = HTP_MAKE_FILLED,
        .type = type,
        .number = number->kind == HTP_OPERAND_INT ? number->as.i : 0,
        .real = number->kind == HTP_OPERAND_FLOAT ? number->as.f : 0,
    };
    made->kind = HTP_OPERAND_TENSOR;
    return htp_tensor_make(m, &making, &made->as.tensor);
}

/* Values of at::QScheme. */
enum { PER_TENSOR_AFFINE = 0 };

/* Scales and zero points of a weight: one of each, or one per output channel. */
static htp_outcome scales_of(htp_machine *m, const htp_operand *weight, htp_operand *scale,
                             htp_operand *zero_point)
{
    htp_operand scheme;
    HTP_DO(ask(m, "aten::qscheme", weight, &scheme));
    htp_operand number;
    if (scheme.kind == HTP_OPERAND_INT && scheme.as.i == PER_TENSOR_AFFINE) {
        HTP_DO(ask(m, "aten::q_scale", weight, &number));
        HTP_DO(tensor_of(m, HTP_SCALAR_DOUBLE, &number, scale));
        HTP_DO(ask(m, "aten::q_zero_point", weight, &number));
        return tensor_of(m, HTP_SCALAR_LONG, &number, zero_point);
    }
    HTP_DO(ask(m, "aten::q_per_channel_axis", weight, &number));
    if (number.kind != HTP_OPERAND_INT || number.as.i != 0) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "only scales for each output channel are supported");
    }
    HTP_DO(ask(m, "aten::q_per_channel_scales", weight, scale));
    HTP_DO(ask(m, "aten::q_per_channel_zero_points", weight, zero_point));
    return convert(m, zero_point, HTP_SCALAR_LONG, zero_point);
}

static htp_outcome unpack(htp_machine *m, const htp_item *object, const char *unpacker,
                          htp_packed_weights *packed)
{
    if (m->runner->find(m->runner->self, unpacker, "") == HTP_NONE) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "this libtorch cannot unpack its weights");
    }
    const htp_operand packing = {.kind = HTP_OPERAND_OBJECT, .as.object = object->object};
    const htp_operand *parts;
    uint32_t count;
    HTP_DO(htp_kernel_run(m, unpacker, "", HTP_RUN_SIZES, &packing, 1, &parts, &count));
    if (count != 2 || parts[0].kind != HTP_OPERAND_TENSOR ||
        parts[0].as.tensor->type != HTP_SCALAR_QINT8) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "only weights of qint8 are supported");
    }
    htp_operand scale;
    htp_operand zero_point;
    htp_operand levels;
    HTP_DO(scales_of(m, &parts[0], &scale, &zero_point));
    HTP_DO(convert(m, &scale, HTP_SCALAR_FLOAT, &scale));
    HTP_DO(ask(m, "aten::int_repr", &parts[0], &levels));
    HTP_DO(constant_of(m, &levels, &packed->weight));
    HTP_DO(constant_of(m, &scale, &packed->scale));
    HTP_DO(constant_of(m, &zero_point, &packed->zero_point));
    if (parts[1].kind == HTP_OPERAND_TENSOR) {
        return constant_of(m, &parts[1], &packed->bias);
    }
    packed->bias = htp_item_none(m);
    return HTP_GOES_ON;
}

htp_outcome htp_packed_find(htp_machine *m, const htp_item *object, const char *unpacker,
                            const htp_packed_weights **packed)
{
    if (object->kind != HTP_ITEM_OBJECT) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "its packed weights are not known");
    }
    uint32_t place;
    if (htp_map_get_bytes(&m->levels.packed, &object->object, sizeof(object->object), &place)) {
        *packed = m->levels.packed_list.items[place];
        return HTP_GOES_ON;
    }
    htp_packed_weights *made = HTP_NEW(m->arena, htp_packed_weights);
    HTP_DO(unpack(m, object, unpacker, made));
    htp_map_set_bytes(m->arena, &m->levels.packed, &object->object, sizeof(object->object),
                      (uint32_t)m->levels.packed_list.count);
    HTP_PUSH(m->arena, &m->levels.packed_list, made);
    *packed = made;
    return HTP_GOES_ON;
}
