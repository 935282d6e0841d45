/*
 * Whether an in-place operator reads elements after it has written them: the result then depends on
 * the order of its kernel.
 *
 * Views with data-dependent bounds have no known position in their parent. Two of them are compared
 * from the memory outwards: equal bounds are the same position, rows of one dim are equal or
 * disjoint, and anything else may overlap.
 *
 * An element of either tensor lies at offset + sum(index * stride). Two tensors overlap if sum(step
 * * stride) equals the distance of their offsets, where each step is a difference of two indices.
 */
#include "base/checked.h"
#include "interpret/memory/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_STRIDES = 64,
    MAX_TRIALS = 1 << 14, /* after that, an overlap is assumed */
};

/* A range of steps of a stride, and the reach of all later strides. */
typedef struct step {
    int64_t stride;
    int64_t lowest;
    int64_t highest;
    int64_t least_behind;
    int64_t most_behind;
} step;

typedef struct steps {
    step all[MAX_STRIDES];
    size_t count;
    size_t trials;
} steps;

static step *step_of(steps *s, int64_t stride)
{
    size_t i = 0;
    while (i < s->count && s->all[i].stride != stride) {
        i++;
    }
    if (i == MAX_STRIDES) {
        return NULL;
    }
    if (i == s->count) {
        s->all[s->count++] = (step){.stride = stride};
    }
    return &s->all[i];
}

/* Adds the steps of a tensor's dims; false if they are unknown. */
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

/* Sets the reach of all later strides; false on overflow. */
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

/* Whether steps from index @p at on can make the distance, which is not far beyond their reach. */
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
        is_reached = ++s->trials > MAX_TRIALS || reaches(s, at + 1, distance - k * here->stride);
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
    /* Kernels walk memory upwards: higher elements are read before they are written. */
    return !(is_shifted && read->offset >= written->offset) && share_elements(written, read);
}

/* ---- views at data-dependent positions ---- */

/* The chain of views from a memory to a tensor, without those that cover their whole parent. */
static htp_items path_to(htp_machine *m, htp_item *tensor)
{
    htp_items path = {0};
    for (htp_item *item = tensor; item->view; item = item->view->parent) {
        if (!htp_is_tensor(item->view->parent) || !htp_item_view_is_whole(m, item)) {
            htp_items_push(m, &path, item);
        }
    }
    for (size_t i = 0; i < path.count / 2; i++) {
        htp_item *last = path.items[path.count - 1 - i];
        path.items[path.count - 1 - i] = path.items[i];
        path.items[i] = last;
    }
    return path;
}

static bool is_equal(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    if (a == b) {
        return true;
    }
    bool are_lists = htp_is_container(a) && a->kind == b->kind && !a->stacked && !b->stacked &&
                     a->elements.count == b->elements.count;
    for (size_t i = 0; are_lists && i < a->elements.count; i++) {
        are_lists = is_equal(m, a->elements.items[i], b->elements.items[i]);
    }
    bool is_one = a->kind == HTP_ITEM_PLAIN && b->kind == HTP_ITEM_PLAIN && htp_has_lanes(a) &&
                  htp_has_lanes(b);
    for (uint32_t lane = 0; lane < m->lane_count && is_one; lane++) {
        is_one = htp_operand_is_equal(m->runner, &a->lane[lane], &b->lane[lane]);
    }
    return are_lists || is_one;
}

/* Whether two views of one parent have the same operator and operands, except @p but. */
static bool is_same_view(const htp_machine *m, const htp_item_view *a, const htp_item_view *b,
                         size_t but)
{
    bool is_same = strcmp(a->name, b->name) == 0 && strcmp(a->overload, b->overload) == 0 &&
                   a->input == b->input && a->output == b->output && a->element == b->element &&
                   a->inputs.count == b->inputs.count;
    for (size_t i = 0; i < a->inputs.count && is_same; i++) {
        is_same = i == a->input || i == but || is_equal(m, a->inputs.items[i], b->inputs.items[i]);
    }
    return is_same;
}

/* Whether the position of a view in its parent is data-dependent: by a bound, or by the size from
 * which a slice counts. */
static bool is_loose(const htp_machine *m, const htp_item *seen)
{
    const htp_item_view *view = seen->view;
    for (size_t i = 0; i < view->inputs.count; i++) {
        const htp_items operand = {.items = &view->inputs.items[i], .count = 1};
        if (i != view->input && htp_items_have_data(&operand)) {
            return true;
        }
    }
    bool is_slice = strcmp(view->name, "aten::slice") == 0 && view->inputs.count > 1;
    if (!is_slice || !htp_is_data(seen)) {
        return false;
    }
    const htp_item *dim = view->inputs.items[1];
    int64_t rank = htp_tensor_in(view->parent, 0)->rank;
    int64_t at =
        htp_is_decided(dim) && htp_is_int(dim) ? htp_dim_wrap(dim->lane[0].as.i, rank) : -1;
    return at < 0 || !htp_item_is_fixed(m, view->parent, at);
}

/* Whether two tensors are rows of one dim with a data-dependent index: equal or disjoint. */
static bool are_rows(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    enum { INDEX = 2 };
    return strcmp(a->view->name, "aten::select") == 0 && a->view->inputs.count > INDEX &&
           is_same_view(m, a->view, b->view, INDEX) && (is_loose(m, a) || is_loose(m, b));
}

/* A tensor in a lane, relative to its row. */
static htp_runner_tensor seen_from(const htp_item *tensor, const htp_item *row, uint32_t lane)
{
    htp_runner_tensor seen = *htp_tensor_in(tensor, lane);
    seen.offset -= row ? htp_tensor_in(row, lane)->offset : 0;
    return seen;
}

enum { SLICE_DIM = 1, SLICE_START = 2, SLICE_END = 3, SLICE_OPERANDS = 5 };

/* Whether a slice ends before another one begins; both must count from one end of the dim. */
static bool ends_before(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    const htp_item *end = a->view->inputs.items[SLICE_END];
    const htp_item *start = b->view->inputs.items[SLICE_START];
    if (!htp_is_int(end) || !htp_is_int(start)) {
        return false;
    }
    int64_t last = end->lane[0].as.i;
    int64_t first = start->lane[0].as.i;
    return is_equal(m, end, start) || (htp_is_decided(end) && htp_is_decided(start) &&
                                       (last < 0) == (first < 0) && last <= first);
}

static bool are_slices_apart(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    static const char name[] = "aten::slice";
    return strcmp(a->view->name, name) == 0 && strcmp(b->view->name, name) == 0 &&
           a->view->inputs.count == SLICE_OPERANDS && b->view->inputs.count == SLICE_OPERANDS &&
           is_equal(m, a->view->inputs.items[SLICE_DIM], b->view->inputs.items[SLICE_DIM]) &&
           (ends_before(m, a, b) || ends_before(m, b, a));
}

/* Whether two views of one parent are disjoint at any position. */
static bool are_apart(const htp_machine *m, const htp_item *a, const htp_item *b,
                      const htp_item *const *rows)
{
    if (are_slices_apart(m, a, b)) {
        return true;
    }
    bool are_apart = !is_loose(m, a) && !is_loose(m, b);
    for (uint32_t lane = 0; lane < m->lane_count && are_apart; lane++) {
        const htp_runner_tensor here = seen_from(a, rows[0], lane);
        const htp_runner_tensor there = seen_from(b, rows[1], lane);
        are_apart = here.type == there.type && !share_elements(&here, &there);
    }
    return are_apart;
}

static bool any_is_loose(const htp_machine *m, const htp_items *path, size_t from)
{
    bool is_loose_one = false;
    for (size_t i = from; i < path->count && !is_loose_one; i++) {
        is_loose_one = is_loose(m, path->items[i]);
    }
    return is_loose_one;
}

bool htp_item_view_reads_written(htp_machine *m, htp_item *written, htp_item *read)
{
    const htp_items a = path_to(m, written);
    const htp_items b = path_to(m, read);
    const htp_item *rows[2] = {NULL, NULL};
    size_t at = 0;
    for (; at < a.count && at < b.count; at++) {
        if (are_rows(m, a.items[at], b.items[at])) {
            rows[0] = a.items[at];
            rows[1] = b.items[at];
        } else if (!is_same_view(m, a.items[at]->view, b.items[at]->view, SIZE_MAX)) {
            break;
        }
    }
    if (at < a.count && at < b.count && are_apart(m, a.items[at], b.items[at], rows)) {
        return false;
    }
    bool reads = any_is_loose(m, &a, at) || any_is_loose(m, &b, at);
    for (uint32_t lane = 0; lane < m->lane_count && !reads; lane++) {
        const htp_runner_tensor here = seen_from(written, rows[0], lane);
        const htp_runner_tensor there = seen_from(read, rows[1], lane);
        reads = htp_tensor_reads_written(&here, &there);
    }
    return reads;
}
