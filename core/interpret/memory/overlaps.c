/*
 * Whether an operator that changes a tensor in place reads, later on, what it has written: what it
 * gives then depends on the order in which its kernel goes.
 *
 * An element of either tensor lies at offset + sum(index * stride). Those of the one meet those of
 * the other where sum(step * stride) is the distance of the offsets, with a step for each stride
 * that is the difference of two indices.
 */
#include "base/checked.h"
#include "interpret/memory/memory.h"

#include <stdlib.h>

enum {
    MOST_STRIDES = 64,
    MOST_TRIALS = 1 << 14, /* behind them elements are taken to meet */
};

/* Steps of a stride, from lowest to highest, and what those behind it reach. */
typedef struct step {
    int64_t stride;
    int64_t lowest;
    int64_t highest;
    int64_t least_behind;
    int64_t most_behind;
} step;

typedef struct steps {
    step all[MOST_STRIDES];
    size_t count;
    size_t trials;
} steps;

static step *step_of(steps *s, int64_t stride)
{
    size_t i = 0;
    while (i < s->count && s->all[i].stride != stride) {
        i++;
    }
    if (i == MOST_STRIDES) {
        return NULL;
    }
    if (i == s->count) {
        s->all[s->count++] = (step){.stride = stride};
    }
    return &s->all[i];
}

/* False where they cannot be told. */
static bool add_steps(steps *s, const htp_runner_tensor *tensor, bool is_added)
{
    bool is_told = true;
    for (uint32_t i = 0; i < tensor->rank && is_told; i++) {
        if (tensor->dims[i] == 1 || tensor->strides[i] == 0) {
            continue;
        }
        step *of = tensor->strides[i] > 0 ? step_of(s, tensor->strides[i]) : NULL;
        is_told =
            of &&
            (is_added ? !__builtin_add_overflow(of->highest, tensor->dims[i] - 1, &of->highest)
                      : !__builtin_sub_overflow(of->lowest, tensor->dims[i] - 1, &of->lowest));
    }
    return is_told;
}

/* Whether sums and differences of two such numbers fit. */
static bool is_small(int64_t number)
{
    return number > INT64_MIN / 4 && number < INT64_MAX / 4;
}

static int by_falling_stride(const void *a, const void *b)
{
    const int64_t left = ((const step *)a)->stride;
    const int64_t right = ((const step *)b)->stride;
    return (left < right) - (left > right);
}

/* Notes what the steps behind each one reach; false where that does not fit. */
static bool add_up(steps *s)
{
    int64_t least = 0;
    int64_t most = 0;
    bool fits = true;
    for (size_t i = s->count; i-- > 0 && fits;) {
        step *one = &s->all[i];
        one->least_behind = least;
        one->most_behind = most;
        int64_t down;
        int64_t up;
        fits = !__builtin_mul_overflow(one->lowest, one->stride, &down) &&
               !__builtin_mul_overflow(one->highest, one->stride, &up) &&
               !__builtin_add_overflow(least, down, &least) &&
               !__builtin_add_overflow(most, up, &most) && is_small(least) && is_small(most);
    }
    return fits;
}

/* Whether steps from number @p at on make the distance, which they do not exceed by far. */
static bool reaches(steps *s, size_t at, int64_t distance)
{
    if (at == s->count) {
        return distance == 0;
    }
    const step *here = &s->all[at];
    int64_t first = -htp_floor_divide(here->most_behind - distance, here->stride);
    int64_t last = htp_floor_divide(distance - here->least_behind, here->stride);
    first = first < here->lowest ? here->lowest : first;
    last = last > here->highest ? here->highest : last;
    bool is_reached = false;
    for (int64_t k = first; k <= last && !is_reached; k++) {
        is_reached = ++s->trials > MOST_TRIALS || reaches(s, at + 1, distance - k * here->stride);
    }
    return is_reached;
}

static bool share_elements(const htp_runner_tensor *a, const htp_runner_tensor *b)
{
    steps s = {.count = 0};
    if (a->elements == 0 || b->elements == 0) {
        return false;
    }
    if (!add_steps(&s, a, true) || !add_steps(&s, b, false)) {
        return true;
    }
    qsort(s.all, s.count, sizeof(*s.all), by_falling_stride);
    if (!add_up(&s)) {
        return true;
    }
    int64_t distance;
    return __builtin_sub_overflow(b->offset, a->offset, &distance) || !is_small(distance) ||
           reaches(&s, 0, distance);
}

bool htp_tensor_reads_written(const htp_runner_tensor *written, const htp_runner_tensor *read)
{
    if (written->type != read->type) {
        return true;
    }
    const bool is_shifted = htp_tensor_has_same_layout(written, read);
    /* Kernels go through memory upwards: what lies above is read before it is written. */
    return !(is_shifted && read->offset >= written->offset) && share_elements(written, read);
}
