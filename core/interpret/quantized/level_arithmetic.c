/*
 * Sums and products of quantised tensors: checks whether libtorch rounds like plain float32
 * arithmetic. Its vectorised loop and its remainder loop may round differently, so all pairs of
 * levels are tried at all positions.
 */
#include "interpret/quantized/quantized.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 256, PAIRS = LEVELS * LEVELS, FEW = 15 };

/* The quantisation of an operand or of the output. */
typedef struct scale {
    double scale;
    int64_t zero_point;
} scale;

/* The parameters of a comparison. */
typedef struct trial {
    uint32_t schema;
    int32_t type;
    int64_t least; /* the least level */
    bool is_sum;
    bool has_relu;
    scale of[3];
} trial;

static htp_outcome read_scale(htp_machine *m, const htp_levels *levels, scale *read)
{
    double zero_point;
    HTP_DO(htp_quantized_number(m, levels->scale, &read->scale));
    HTP_DO(htp_quantized_number(m, levels->zero_point, &zero_point));
    read->zero_point = (int64_t)zero_point;
    return HTP_GOES_ON;
}

/* Operand @p which of pair @p i, as the distance of its level from the least one. */
static int64_t rise_of(size_t i, size_t which)
{
    return (int64_t)(which == 0 ? i / LEVELS : i % LEVELS);
}

/* The level by plain float32 arithmetic. */
static uint8_t plain_level(const trial *t, size_t i)
{
    float numbers[2];
    for (size_t which = 0; which < 2; which++) {
        float level = (float)(t->least + rise_of(i, which)) - (float)t->of[which].zero_point;
        numbers[which] = level * (float)t->of[which].scale;
    }
    float made = t->is_sum ? numbers[0] + numbers[1] : numbers[0] * numbers[1];
    made = t->has_relu ? fmaxf(made, 0.0F) : made;
    float scaled = made * (1.0F / (float)t->of[2].scale);
    float level = nearbyintf(scaled) + (float)t->of[2].zero_point;
    level = fminf(fmaxf(level, (float)t->least), (float)(t->least + LEVELS - 1));
    return (uint8_t)(int64_t)level;
}

/* A quantised tensor of the levels of pairs from @p first on. */
static htp_outcome make_operand(htp_machine *m, const trial *t, size_t which, size_t first,
                                size_t count, htp_operand *made)
{
    uint8_t *bytes = HTP_NEW_ARRAY(m->arena, uint8_t, count);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(t->least + rise_of(first + i, which));
    }
    int64_t size = (int64_t)count;
    const htp_making making = {.way = HTP_MAKE_OF_BYTES,
                               .type = t->type,
                               .rank = 1,
                               .dims = &size,
                               .bytes = bytes,
                               .byte_count = count};
    const htp_runner_tensor *levels;
    HTP_DO(htp_tensor_make(m, &making, &levels));
    const htp_operand inputs[] = {
        {.kind = HTP_OPERAND_TENSOR, .as.tensor = levels},
        {.kind = HTP_OPERAND_FLOAT, .as.f = t->of[which].scale},
        {.kind = HTP_OPERAND_INT, .as.i = t->of[which].zero_point},
    };
    const htp_operand *outputs;
    uint32_t output_count;
    HTP_DO(htp_kernel_run(m, "aten::_make_per_tensor_quantized_tensor", "", HTP_RUN_AS_IS, inputs,
                          3, &outputs, &output_count));
    *made = outputs[0];
    return HTP_GOES_ON;
}

/* Whether the kernel agrees with plain arithmetic on some pairs. */
static htp_outcome is_plain_for(htp_machine *m, const trial *t, const uint8_t *plain, size_t first,
                                size_t count, bool *is_plain)
{
    htp_operand inputs[4] = {
        {0},
        {0},
        {.kind = HTP_OPERAND_FLOAT, .as.f = t->of[2].scale},
        {.kind = HTP_OPERAND_INT, .as.i = t->of[2].zero_point},
    };
    HTP_DO(make_operand(m, t, 0, first, count, &inputs[0]));
    HTP_DO(make_operand(m, t, 1, first, count, &inputs[1]));
    htp_operand *made = NULL;
    size_t made_count = 0;
    HTP_DO(htp_schema_run(m, t->schema, HTP_RUN_AS_IS, inputs, 4, &made, &made_count));
    const htp_operand *outputs;
    uint32_t output_count;
    HTP_DO(
        htp_kernel_run(m, "aten::int_repr", "", HTP_RUN_AS_IS, made, 1, &outputs, &output_count));
    size_t bytes = 0;
    const uint8_t *levels = m->runner->contents(m->runner->self, outputs[0].as.tensor, &bytes);
    *is_plain = levels && bytes == count && memcmp(levels, plain + first, count) == 0;
    return HTP_GOES_ON;
}

htp_outcome htp_levels_are_plain(htp_machine *m, const htp_call *call, int32_t type,
                                 const htp_levels *const of[3], bool *are_plain)
{
    const char *name = call->schema.name;
    trial t = {.schema = call->schema_number,
               .type = type,
               .least = type == HTP_SCALAR_CHAR ? -LEVELS / 2 : 0,
               .is_sum = strncmp(name, "quantized::add", strlen("quantized::add")) == 0,
               .has_relu = strstr(name, "_relu") != NULL};
    for (size_t i = 0; i < 3; i++) {
        HTP_DO(read_scale(m, of[i], &t.of[i]));
    }
    uint8_t *plain = HTP_NEW_ARRAY(m->arena, uint8_t, PAIRS);
    for (size_t i = 0; i < PAIRS; i++) {
        plain[i] = plain_level(&t, i);
    }
    uint64_t mark = m->runner->mark(m->runner->self);
    htp_outcome outcome = is_plain_for(m, &t, plain, 0, PAIRS, are_plain);
    for (size_t i = 0; i < PAIRS && outcome == HTP_GOES_ON && *are_plain; i += FEW) {
        size_t count = PAIRS - i < FEW ? PAIRS - i : FEW;
        outcome = is_plain_for(m, &t, plain, i, count, are_plain);
    }
    m->runner->release(m->runner->self, mark);
    return outcome;
}

htp_outcome htp_quantized_number(htp_machine *m, const htp_item *item, double *number)
{
    htp_operand read = item->lane[0];
    if (htp_is_tensor(item) && !htp_tensor_number(m, htp_tensor_in(item, 0), &read)) {
        return htp_machine_stop(m, HTP_FAILS, "a scale or zero point is no single number");
    }
    switch (read.kind) {
    case HTP_OPERAND_INT:
        *number = (double)read.as.i;
        return HTP_GOES_ON;
    case HTP_OPERAND_BOOL:
        *number = read.as.b ? 1 : 0;
        return HTP_GOES_ON;
    case HTP_OPERAND_FLOAT:
        *number = read.as.f;
        return HTP_GOES_ON;
    default:
        return htp_machine_stop(m, HTP_FAILS, "a scale or zero point is no number");
    }
}
