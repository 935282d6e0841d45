#include "lower/passes/channel_scale.h"

#include <math.h>
#include <string.h>

#define BITS_OF_INFINITY INT32_C(0x7f800000)

/* Elements of a step. The number is constant, so that compilers use vectors. */
enum { STEP = 16 };

static double scale_at(const htp_channel_scale *scale, uint64_t element)
{
    const htp_channel_spread *s = &scale->spread;
    return scale->scales[element / s->cycle * s->group + element / s->inner % s->group];
}

/* The length of the run of one channel's elements that begins at @p element. */
static uint64_t run_at(const htp_channel_scale *scale, uint64_t element, uint64_t count)
{
    uint64_t run = scale->spread.inner - element % scale->spread.inner;
    return run < count ? run : count;
}

static void scale_run(double factor, const char *from, uint64_t count, float *to)
{
    float elements[STEP];
    uint64_t at = 0;
    for (; count - at >= STEP; at += STEP) {
        memcpy(elements, from + at * sizeof(float), sizeof(elements));
        for (int i = 0; i < STEP; i++) {
            to[at + (uint64_t)i] = (float)(elements[i] * factor);
        }
    }
    memcpy(elements, from + at * sizeof(float), (count - at) * sizeof(float));
    for (uint64_t i = 0; i < count - at; i++) {
        to[at + i] = (float)(elements[i] * factor);
    }
}

void htp_channel_scale_elements(const void *with, uint64_t first, size_t count, const void *from,
                                void *to)
{
    const htp_channel_scale *scale = with;
    for (uint64_t i = 0, run; i < count; i += run) {
        run = run_at(scale, first + i, count - i);
        scale_run(scale_at(scale, first + i), (const char *)from + i * sizeof(float), run,
                  (float *)to + i);
    }
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The largest magnitude among float32 numbers, as bits: infinity and NaN compare larger than all
 * finite ones. */
static int32_t largest_bits(const unsigned char *elements, uint64_t count)
{
    int32_t bits[STEP];
    int32_t largest[STEP] = {0};
    uint64_t at = 0;
    for (; count - at >= STEP; at += STEP) {
        memcpy(bits, elements + at * sizeof(float), sizeof(bits));
        for (int i = 0; i < STEP; i++) {
            largest[i] = larger(bits[i] & INT32_MAX, largest[i]);
        }
    }
    memcpy(bits, elements + at * sizeof(float), (count - at) * sizeof(float));
    for (uint64_t i = 0; i < count - at; i++) {
        largest[0] = larger(bits[i] & INT32_MAX, largest[0]);
    }
    for (int i = 1; i < STEP; i++) {
        largest[0] = larger(largest[i], largest[0]);
    }
    return largest[0];
}

bool htp_channel_scale_is_finite(const htp_channel_scale *scale, uint64_t first,
                                 const unsigned char *elements, uint64_t count)
{
    for (uint64_t i = 0, run; i < count; i += run) {
        run = run_at(scale, first + i, count - i);
        int32_t bits = largest_bits(elements + i * sizeof(float), run);
        float largest;
        memcpy(&largest, &bits, sizeof(largest));
        if (bits >= BITS_OF_INFINITY || !isfinite((float)(largest * scale_at(scale, first + i)))) {
            return false;
        }
    }
    return true;
}
