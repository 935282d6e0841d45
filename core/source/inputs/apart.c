/*
 * Two axes move alike if the ratio of their moves in lanes 1 and 2 is one. So the set keeps ratios,
 * reduced to lowest terms.
 */
#include "source/inputs/apart.h"

#include "base/checked.h"

struct ratio {
    int64_t first;
    int64_t second;
};

/* The ratio of an axis's moves; 0 to 0 for one that moves in neither lane. */
static struct ratio ratio_of(const htp_axis *axis)
{
    int64_t first = axis->sizes[1] - axis->sizes[0];
    int64_t second = axis->sizes[2] - axis->sizes[0];
    int64_t common = htp_common_divisor(first, second); /* of differences of sizes of 0 or more */
    if (common == 0) {
        return (struct ratio){0, 0};
    }
    int64_t sign = first < 0 || (first == 0 && second < 0) ? -1 : 1;
    return (struct ratio){sign * (first / common), sign * (second / common)};
}

static bool is_still(struct ratio ratio)
{
    return ratio.first == 0 && ratio.second == 0;
}

void htp_apart_add(htp_apart *apart, const htp_axis *axis, uint32_t number)
{
    const int64_t size = axis->sizes[1];
    struct ratio *ratio = HTP_NEW(apart->arena, struct ratio);
    *ratio = ratio_of(axis);
    htp_map_set_bytes(apart->arena, &apart->sizes, &size, sizeof(size), number);
    htp_map_set_bytes(apart->arena, &apart->ratios, ratio, sizeof(*ratio), number);
    apart->has_still = apart->has_still || is_still(*ratio);
}

bool htp_apart_has_size(const htp_apart *apart, int64_t size, uint32_t *number)
{
    return htp_map_get_bytes(&apart->sizes, &size, sizeof(size), number);
}

bool htp_apart_tells(const htp_apart *apart, const htp_axis *axis)
{
    const struct ratio ratio = ratio_of(axis);
    bool is_alike = apart->has_still || (is_still(ratio) && apart->ratios.count > 0);
    return !is_alike && !htp_apart_has_size(apart, axis->sizes[1], NULL) &&
           !htp_map_get_bytes(&apart->ratios, &ratio, sizeof(ratio), NULL);
}
