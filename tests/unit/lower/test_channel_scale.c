/*
 * Weights times a number for each channel, in runs of all lengths.
 */
#include "unit.h"

#include "lower/passes/channel_scale.h"

#include <math.h>

enum { ELEMENTS = 120, CHANNELS = 3 };

static const double scales[CHANNELS] = {1.7, -3, 0.001};

static float element_at(uint64_t at)
{
    return (float)at * 0.37F - 11;
}

static double scale_at(const htp_channel_spread *spread, uint64_t element)
{
    return scales[element / spread->cycle * spread->group +
                  element / spread->inner % spread->group];
}

/* Reads from @p first on. */
static void assert_scaled(const htp_channel_scale *scale, uint64_t first)
{
    float from[ELEMENTS];
    float to[ELEMENTS];
    uint64_t count = scale->spread.inner * CHANNELS - first;
    for (uint64_t i = 0; i < count; i++) {
        from[i] = element_at(first + i);
    }
    htp_channel_scale_elements(scale, first, count, from, to);
    for (uint64_t i = 0; i < count; i++) {
        const float expected = (float)(from[i] * scale_at(&scale->spread, first + i));
        ck_assert_mem_eq(&to[i], &expected, sizeof(expected));
    }
}

/* Wherever one element is too large for its channel, or no number. */
static void assert_found(const htp_channel_scale *scale)
{
    float from[ELEMENTS];
    uint64_t count = scale->spread.inner * CHANNELS;
    const unsigned char *bytes = (const unsigned char *)from;
    for (uint64_t i = 0; i < count; i++) {
        from[i] = element_at(i);
    }
    ck_assert(htp_channel_scale_is_finite(scale, 0, bytes, count));
    for (uint64_t i = 0; i < count; i++) {
        const float kept = from[i];
        from[i] = i % 2 ? 3e38F : -3e38F;
        ck_assert(htp_channel_scale_is_finite(scale, 0, bytes, count) ==
                  (fabs(scale_at(&scale->spread, i)) < 1));
        from[i] = i % 2 ? NAN : -INFINITY;
        ck_assert(!htp_channel_scale_is_finite(scale, 0, bytes, count));
        from[i] = kept;
    }
}

UNIT_TEST(runs_of_all_lengths)
{
    for (uint64_t inner = 1; inner <= ELEMENTS / CHANNELS; inner++) {
        const htp_channel_spread all[] = {
            {.inner = inner, .group = CHANNELS, .cycle = inner * CHANNELS, .channels = CHANNELS},
            {.inner = inner, .group = 1, .cycle = inner, .channels = CHANNELS},
        };
        for (size_t i = 0; i < 2; i++) {
            const htp_channel_scale scale = {all[i], scales};
            assert_scaled(&scale, 0);
            assert_scaled(&scale, inner / 2);
            assert_found(&scale);
        }
    }
}

UNIT_MAIN("channel_scale", runs_of_all_lengths)
