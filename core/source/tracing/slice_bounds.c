/*
 * x[:3] may have three rows at all sampled sizes of x, and still two for an x of two.
 */
#include "source/tracing/slice_bounds.h"

#include <math.h>
#include <string.h>

/* Argument @p index as a constant number, or @p otherwise for None. */
static bool read_constant(const htp_trace *trace, const htp_trace_node *node, uint32_t index,
                          int64_t otherwise, int64_t *number)
{
    if (index >= node->input_count) {
        return false;
    }
    const htp_trace_value *value = &trace->values[node->inputs[index]];
    *number = value->kind == HTP_TRACE_INT ? value->i[0] : otherwise;
    return value->kind == HTP_TRACE_NOTHING || (value->kind == HTP_TRACE_INT && value->is_constant);
}

static bool is_alike(const htp_trace_value *value, uint32_t dim, uint32_t lane_count)
{
    bool is_alike = true;
    for (uint32_t lane = 1; lane < lane_count; lane++) {
        is_alike = is_alike && value->dims[lane][dim] == value->dims[0][dim];
    }
    return is_alike;
}

/* A slice of a dynamic dim, of constant size. */
struct slice {
    const htp_trace_value *from;
    uint32_t dim;
    int64_t whole; /* the least size of the dim at which it has this size */
};

static bool read_slice(const htp_trace *trace, const htp_trace_node *node, uint32_t lane_count,
                       struct slice *slice)
{
    if (strcmp(node->kind, "aten::slice.Tensor") != 0 || node->failure || node->input_count == 0 ||
        node->output_count == 0) {
        return false;
    }
    const htp_trace_value *from = &trace->values[node->inputs[0]];
    const htp_trace_value *to = &trace->values[node->outputs[0]];
    int64_t dim = 0;
    int64_t start = 0;
    int64_t end = 0;
    if (from->kind != HTP_TRACE_TENSOR || to->kind != HTP_TRACE_TENSOR ||
        !read_constant(trace, node, 1, 0, &dim) || !read_constant(trace, node, 2, 0, &start) ||
        !read_constant(trace, node, 3, INT64_MAX, &end) || start == INT64_MIN) {
        return false;
    }
    dim += dim < 0 ? from->rank : 0;
    if (dim < 0 || dim >= from->rank || to->rank != from->rank) { /* a damaged program */
        return false;
    }
    *slice = (struct slice){from, (uint32_t)dim, start < 0 ? -start : end};
    bool is_endless = start >= 0 && (end < 0 || end == INT64_MAX);
    return !is_endless && is_alike(to, slice->dim, lane_count) &&
           !is_alike(from, slice->dim, lane_count);
}

/* Whether the dim is not made up in a lane. */
static bool is_there(const struct slice *slice, uint32_t lane)
{
    return (slice->from->absent >> lane & 1) == 0;
}

/* Whether the dim is the axis, plus or times a constant, in all lanes. @p size receives the largest
 * size of the axis at which the slice is smaller; it may be below 1. */
static bool is_exact(const struct slice *slice, const htp_axis *axis, uint32_t lane_count,
                     int64_t *size)
{
    const int64_t *const *dims = slice->from->dims;
    int64_t offset = dims[0][slice->dim] - axis->sizes[0];
    bool is_offset = true;
    bool is_multiple = axis->sizes[0] > 0 && dims[0][slice->dim] > 0;
    for (uint32_t lane = 1; lane < lane_count; lane++) {
        if (!is_there(slice, lane)) {
            continue;
        }
        int64_t number = dims[lane][slice->dim];
        int64_t a = 0;
        int64_t b = 1;
        is_offset = is_offset && number - axis->sizes[lane] == offset;
        is_multiple = is_multiple && !__builtin_mul_overflow(number, axis->sizes[0], &a) &&
                      !__builtin_mul_overflow(dims[0][slice->dim], axis->sizes[lane], &b) && a == b;
    }
    bool fits = is_offset ? !__builtin_sub_overflow(slice->whole - 1, offset, size)
                          : !__builtin_mul_overflow(slice->whole - 1, axis->sizes[0], size);
    if (!fits) {
        *size = 0; /* no axis is that large */
    } else if (is_multiple && !is_offset) {
        *size /= dims[0][slice->dim];
    }
    return is_offset || is_multiple;
}

/* A line through the lanes: the dim as a function of an axis, from the lane with the smallest axis
 * on. */
struct line {
    double least_size;
    double least_dim;
    double slope;
    double distance; /* the largest distance of a lane from the line */
};

static struct line fit_line(const struct slice *slice, const htp_axis *axis, uint32_t lane_count)
{
    const int64_t *const *dims = slice->from->dims;
    uint32_t first = 0;
    uint32_t last = 0;
    for (uint32_t lane = 1; lane < lane_count; lane++) {
        const bool counts = is_there(slice, lane);
        first = counts && axis->sizes[lane] < axis->sizes[first] ? lane : first;
        last = counts && axis->sizes[lane] > axis->sizes[last] ? lane : last;
    }
    struct line line = {(double)axis->sizes[first], (double)dims[first][slice->dim], 0, INFINITY};
    line.slope = ((double)dims[last][slice->dim] - line.least_dim) /
                 ((double)axis->sizes[last] - line.least_size);
    if (!(line.slope > 0)) {
        return line;
    }
    line.distance = 0;
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        double wanted = line.least_dim + line.slope * ((double)axis->sizes[lane] - line.least_size);
        double distance = fabs((double)dims[lane][slice->dim] - wanted);
        line.distance = is_there(slice, lane) ? fmax(line.distance, distance) : line.distance;
    }
    return line;
}

/* The axis along which a dim is most nearly linear; rounding may move it off the line. */
static uint32_t find_straight(const struct slice *slice, const htp_inputs *inputs,
                              struct line *straight)
{
    uint32_t found = HTP_NONE;
    *straight = (struct line){.distance = 2};
    for (uint32_t axis = 0; axis < inputs->axis_count; axis++) {
        struct line line = fit_line(slice, &inputs->axes[axis], inputs->lane_count);
        if (!inputs->axes[axis].formula && line.distance <= straight->distance) {
            *straight = line;
            found = axis;
        }
    }
    return found;
}

static int64_t least_size(const htp_axis *axis, uint32_t lane_count)
{
    int64_t least = axis->sizes[0];
    for (uint32_t lane = 1; lane < lane_count; lane++) {
        least = axis->sizes[lane] < least ? axis->sizes[lane] : least;
    }
    return least;
}

/* Halfway to the refused sizes, on the axis with the longest way. */
static htp_cut go_down(const htp_inputs *inputs, const int64_t *refused)
{
    htp_cut cut = {HTP_NONE, INT64_MAX};
    int64_t longest = 1;
    for (uint32_t axis = 0; axis < inputs->axis_count; axis++) {
        int64_t way = least_size(&inputs->axes[axis], inputs->lane_count) - refused[axis];
        if (!inputs->axes[axis].formula && way > longest) {
            longest = way;
            cut = (htp_cut){axis, refused[axis] + way / 2};
        }
    }
    return cut;
}

/* A cut for a dim that follows an axis in steps, as after strides: where a line through the lanes
 * suggests it, above the refused sizes. A dim that fits no line depends on several axes, for
 * example on their product. */
static htp_cut estimate(const struct slice *slice, const htp_inputs *inputs, const int64_t *refused)
{
    const htp_cut none = {HTP_NONE, INT64_MAX};
    if (slice->whole < 2) {
        return none;
    }
    struct line line;
    uint32_t axis = find_straight(slice, inputs, &line);
    if (axis == HTP_NONE) {
        return go_down(inputs, refused);
    }
    double size = line.least_size + ((double)(slice->whole - 1) - line.least_dim) / line.slope;
    size = fmax(fmin(floor(size), line.least_size - 1), (double)refused[axis] + 1);
    return size < line.least_size ? (htp_cut){axis, (int64_t)size} : none;
}

/* The cut of one slice; without an axis if there is none. */
static htp_cut find_cut(const struct slice *slice, const htp_inputs *inputs, const int64_t *refused)
{
    htp_cut cut = {HTP_NONE, INT64_MAX};
    bool is_known = false;
    for (uint32_t axis = 0; axis < inputs->axis_count; axis++) {
        int64_t size = 0;
        if (!inputs->axes[axis].formula &&
            is_exact(slice, &inputs->axes[axis], inputs->lane_count, &size)) {
            is_known = true;
            cut = size > refused[axis] && size < cut.size ? (htp_cut){axis, size} : cut;
        }
    }
    return is_known ? cut : estimate(slice, inputs, refused);
}

bool htp_slice_bounds_find(const htp_trace *trace, const htp_inputs *inputs, const int64_t *refused,
                           htp_cut *cut)
{
    *cut = (htp_cut){HTP_NONE, INT64_MAX};
    for (uint32_t n = 0; n < trace->node_count; n++) {
        struct slice slice;
        if (!read_slice(trace, &trace->nodes[n], inputs->lane_count, &slice)) {
            continue;
        }
        htp_cut found = find_cut(&slice, inputs, refused);
        *cut = found.size < cut->size ? found : *cut;
    }
    return cut->axis != HTP_NONE;
}
