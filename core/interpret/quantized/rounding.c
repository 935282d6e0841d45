/*
 * Finds out how this libtorch quantises, with numbers near the middle between two levels.
 */
#include "interpret/quantized/quantized.h"

#include <math.h>
#include <string.h>

/* Test quantisation, with levels from 0 to 255. */
#define SCALE 0.037
enum { ZERO_POINT = 101, LEVELS = 256, BESIDE = 3, DOUBTFUL = LEVELS * BESIDE, ALIKE = 40 };

/* Quantises a vector; the levels as float32. */
typedef htp_outcome rounder(htp_machine *m, const htp_runner_tensor *x, htp_operand *levels);

static htp_operand whole(int64_t number)
{
    return (htp_operand){.kind = HTP_OPERAND_INT, .as.i = number};
}

static htp_operand broken(double number)
{
    return (htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = number};
}

static htp_operand flag(bool is_set)
{
    return (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = is_set};
}

static htp_operand tensor(const htp_runner_tensor *of)
{
    return (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = of};
}

/* A kernel with a single tensor output. */
static htp_outcome run(htp_machine *m, const char *name, const char *overload,
                       const htp_operand *inputs, size_t count, htp_operand *output)
{
    const htp_operand *made;
    uint32_t made_count;
    HTP_DO(htp_kernel_run(m, name, overload, HTP_RUN_AS_IS, inputs, count, &made, &made_count));
    if (made_count != 1 || made->kind != HTP_OPERAND_TENSOR) {
        return htp_machine_stop(m, HTP_FAILS, "%s gives no tensor", name);
    }
    *output = *made;
    return HTP_GOES_ON;
}

static htp_outcome as_floats(htp_machine *m, htp_operand given, htp_operand *floats)
{
    const htp_operand inputs[] = {given, whole(HTP_SCALAR_FLOAT), flag(false), flag(false), {0}};
    return run(m, "aten::to", "dtype", inputs, 5, floats);
}

static htp_outcome round_fake(htp_machine *m, const htp_runner_tensor *x, htp_operand *levels)
{
    const htp_operand asked[] = {tensor(x), broken(SCALE), whole(ZERO_POINT), whole(0),
                                 whole(LEVELS - 1)};
    htp_operand made;
    HTP_DO(run(m, "aten::fake_quantize_per_tensor_affine", "", asked, 5, &made));
    const htp_operand divided[] = {made, broken(SCALE)};
    HTP_DO(run(m, "aten::div", "Scalar", divided, 2, &made));
    const htp_operand moved[] = {made, whole(ZERO_POINT), whole(1)};
    HTP_DO(run(m, "aten::add", "Scalar", moved, 3, &made));
    HTP_DO(run(m, "aten::round", "", &made, 1, &made));
    return as_floats(m, made, levels);
}

static htp_outcome round_tensor(htp_machine *m, const htp_runner_tensor *x, htp_operand *levels)
{
    const htp_operand asked[] = {tensor(x), broken(SCALE), whole(ZERO_POINT),
                                 whole(HTP_SCALAR_QUINT8)};
    htp_operand made;
    HTP_DO(run(m, "aten::quantize_per_tensor", "", asked, 4, &made));
    HTP_DO(run(m, "aten::int_repr", "", &made, 1, &made));
    return as_floats(m, made, levels);
}

static htp_outcome filled(htp_machine *m, int32_t type, int64_t count, double number,
                          const htp_runner_tensor **made)
{
    const htp_making making = {.way = HTP_MAKE_FILLED,
                               .type = type,
                               .rank = 1,
                               .dims = &count,
                               .number = type == HTP_SCALAR_LONG ? (int64_t)number : 0,
                               .real = number};
    return htp_tensor_make(m, &making, made);
}

static htp_outcome round_channel(htp_machine *m, const htp_runner_tensor *x, htp_operand *levels)
{
    const htp_runner_tensor *scale;
    const htp_runner_tensor *zero_point;
    HTP_DO(filled(m, HTP_SCALAR_DOUBLE, 1, SCALE, &scale));
    HTP_DO(filled(m, HTP_SCALAR_LONG, 1, ZERO_POINT, &zero_point));
    htp_operand row;
    const htp_operand given[] = {tensor(x), whole(0)};
    HTP_DO(run(m, "aten::unsqueeze", "", given, 2, &row));
    const htp_operand asked[] = {row, tensor(scale), tensor(zero_point), whole(0),
                                 whole(HTP_SCALAR_QUINT8)};
    htp_operand made;
    HTP_DO(run(m, "aten::quantize_per_channel", "", asked, 5, &made));
    HTP_DO(run(m, "aten::int_repr", "", &made, 1, &made));
    return as_floats(m, made, levels);
}

static htp_outcome read_floats(htp_machine *m, const htp_operand *levels, const float **floats,
                               size_t count)
{
    size_t bytes = 0;
    *floats = m->runner->contents(m->runner->self, levels->as.tensor, &bytes);
    return *floats && bytes >= count * sizeof(float)
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_FAILS, "levels cannot be read");
}

/* The level of a number repeated in a vector, for the vectorised loop. */
static htp_outcome level_of_many(htp_machine *m, rounder *round, float number, float *level)
{
    const htp_runner_tensor *x;
    htp_operand levels;
    const float *floats;
    HTP_DO(filled(m, HTP_SCALAR_FLOAT, ALIKE, (double)number, &x));
    HTP_DO(round(m, x, &levels));
    HTP_DO(read_floats(m, &levels, &floats, 1));
    *level = floats[0];
    return HTP_GOES_ON;
}

/* Numbers between two levels, and their neighbours. */
static void list_doubtful(float numbers[DOUBTFUL])
{
    for (int i = 0; i < LEVELS; i++) {
        float middle = (float)((i - ZERO_POINT + 0.5) * SCALE);
        const float towards[BESIDE] = {-1e9F, middle, 1e9F};
        for (int k = 0; k < BESIDE; k++) {
            numbers[i * BESIDE + k] = nextafterf(middle, towards[k]);
        }
    }
}

/* The level of a number by one way of rounding. */
static float level_by(float number, htp_rounding_way way)
{
    const float inverse = 1.0F / (float)SCALE;
    const float zero_point = (float)ZERO_POINT;
    float scaled = number * inverse;
    float level = way == HTP_ROUNDING_ZERO_BEHIND   ? nearbyintf(scaled) + zero_point
                  : way == HTP_ROUNDING_ZERO_BEFORE ? nearbyintf(scaled + zero_point)
                                                    : nearbyintf(fmaf(number, inverse, zero_point));
    return fminf(fmaxf(level, 0.0F), (float)(LEVELS - 1));
}

static htp_outcome ask(htp_machine *m, rounder *round, htp_trace_rounding *found)
{
    static const htp_rounding_way ways[] = {HTP_ROUNDING_ZERO_BEHIND, HTP_ROUNDING_ZERO_BEFORE,
                                            HTP_ROUNDING_ZERO_IN_ONE};
    *found = (htp_trace_rounding){0};
    float of_infinity;
    float of_nan;
    HTP_DO(level_of_many(m, round, INFINITY, &of_infinity));
    HTP_DO(level_of_many(m, round, NAN, &of_nan));
    found->infinity_is_lowest = of_infinity == 0;
    found->nan_is_highest = of_nan != 0;
    float *numbers = HTP_NEW_ARRAY(m->arena, float, DOUBTFUL);
    list_doubtful(numbers);
    int64_t count = DOUBTFUL;
    const htp_making making = {.way = HTP_MAKE_OF_BYTES,
                               .type = HTP_SCALAR_FLOAT,
                               .rank = 1,
                               .dims = &count,
                               .bytes = numbers,
                               .byte_count = DOUBTFUL * sizeof(float)};
    const htp_runner_tensor *x;
    htp_operand levels;
    const float *floats;
    HTP_DO(htp_tensor_make(m, &making, &x));
    HTP_DO(round(m, x, &levels));
    HTP_DO(read_floats(m, &levels, &floats, DOUBTFUL));
    for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++) {
        bool is_same = true;
        for (size_t i = 0; i < DOUBTFUL && is_same; i++) {
            is_same = level_by(numbers[i], ways[k]) == floats[i];
        }
        found->way = is_same ? ways[k] : found->way;
    }
    return HTP_GOES_ON;
}

htp_outcome htp_rounding_find(htp_machine *m)
{
    if (m->levels.knows_rounding) {
        return HTP_GOES_ON;
    }
    HTP_DO(ask(m, round_fake, &m->recording.fake_rounding));
    HTP_DO(ask(m, round_tensor, &m->recording.tensor_rounding));
    HTP_DO(ask(m, round_channel, &m->recording.channel_rounding));
    m->levels.knows_rounding = true;
    return HTP_GOES_ON;
}
