#include "lower/passes/channel_scale.h"

#include <math.h>
#include <string.h>

#define BITS_OF_INFINITY UINT32_C(0x7f800000)

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

void htp_channel_scale_elements(const void *with, uint64_t first, size_t count, const void *from,
                                void *to)
{
    const htp_channel_scale *scale = with;
    float *scaled = to;
    for (uint64_t i = 0, run; i < count; i += run) {
        double factor = scale_at(scale, first + i);
        run = run_at(scale, first + i, count - i);
        for (uint64_t k = i; k < i + run; k++) {
            float element;
            memcpy(&element, (const char *)from + k * sizeof(element), sizeof(element));
            scaled[k] = (float)(element * factor);
        }
    }
}

/* The largest magnitude among float32 numbers, as bits: infinity and NaN compare larger than all
 * finite ones. */
static uint32_t largest_bits(const unsigned char *elements, uint64_t count)
{
    uint32_t largest = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, elements + i * sizeof(bits), sizeof(bits));
        bits &= INT32_MAX;
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

bool htp_channel_scale_is_finite(const htp_channel_scale *scale, uint64_t first,
                                 const unsigned char *elements, uint64_t count)
{
    for (uint64_t i = 0, run; i < count; i += run) {
        run = run_at(scale, first + i, count - i);
        uint32_t bits = largest_bits(elements + i * sizeof(float), run);
        float largest;
        memcpy(&largest, &bits, sizeof(largest));
        if (bits >= BITS_OF_INFINITY || !isfinite((float)(largest * scale_at(scale, first + i)))) {
            return false;
        }
    }
    return true;
}
