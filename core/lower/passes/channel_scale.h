/*
 * Multiplies a weight by a number per channel, block by block. Private to core/lower.
 */
#ifndef HTP_LOWER_CHANNEL_SCALE_H
#define HTP_LOWER_CHANNEL_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The order of channels in a weight: element e belongs to channel e / cycle · group + e / inner %
 * group. */
typedef struct htp_channel_spread {
    uint64_t inner; /* adjacent elements of one channel */
    uint64_t group; /* channels in a cycle */
    uint64_t cycle; /* elements in a cycle */
    uint64_t channels;
} htp_channel_spread;

typedef struct htp_channel_scale {
    htp_channel_spread spread;
    const double *scales; /* by channel */
} htp_channel_scale;

/** A htp_convert_fn of float32: @p with is a htp_channel_scale. Products are computed in float64,
 * and rounded once. */
void htp_channel_scale_elements(const void *with, uint64_t first, size_t count, const void *from,
                                void *to);

/** Whether the results for @p count elements, from @p first on, are finite. */
bool htp_channel_scale_is_finite(const htp_channel_scale *scale, uint64_t first,
                                 const unsigned char *elements, uint64_t count);

#endif
