/*
 * Types of operators that split and join tensors.
 */
#include "onnx/shape_inference/infer_rule.h"

/* A slice end of at least this means the end of the axis. */
#define FAR (INT64_C(1) << 62)

/* The node's axis attribute, wrapped; the input's rank must be known. */
static bool find_axis(const htp_infer *infer, const htp_tensor *x, uint32_t *axis)
{
    return x && htp_infer_wrap(htp_infer_int(infer, "axis", 0), x->rank, axis);
}

static htp_dim *copied_dims(htp_infer *infer, const htp_tensor *x)
{
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = x->dims[i];
    }
    return dims;
}

/* ---- Concat, Split, Pad ---- */

void htp_infer_concat(htp_infer *infer)
{
    const htp_tensor *first = htp_infer_input(infer, 0);
    uint32_t axis;
    if (!find_axis(infer, first, &axis)) {
        return;
    }
    htp_dim *dims = copied_dims(infer, first);
    for (uint32_t i = 1; i < infer->node->input_count; i++) {
        const htp_tensor *x = htp_infer_input(infer, i);
        if (!x || x->rank != first->rank) {
            return;
        }
        for (uint32_t k = 0; k < x->rank; k++) {
            dims[k] = k == axis ? htp_infer_sum(infer, dims[k], x->dims[k], 1)
                                : htp_infer_both(dims[k], x->dims[k]);
        }
    }
    htp_infer_set(infer, 0, first->dtype, first->rank, dims);
}

/* Part @p index of @p count equal parts; the last may be smaller. */
static htp_dim equal_part(htp_infer *infer, htp_dim dim, int64_t index, int64_t count)
{
    htp_dim size = htp_infer_ceil(infer, dim, count);
    return index + 1 < count ? size : htp_infer_sum(infer, dim, size, 1 - count);
}

void htp_infer_split(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    uint32_t axis;
    size_t length;
    uint32_t count = infer->node->output_count;
    bool given = htp_infer_has_input(infer, 1);
    const htp_attribute *sizes = htp_infer_attribute(infer, "split"); /* before opset 13 */
    if (!find_axis(infer, x, &axis) || (sizes && sizes->count != count) ||
        (given && (!htp_infer_length(infer, 1, &length) || length != count))) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        htp_dim *dims = copied_dims(infer, x);
        dims[axis] = given   ? htp_infer_element_dim(infer, htp_infer_element(infer, 1, i))
                     : sizes ? htp_infer_size(infer, sizes->ints[i])
                             : equal_part(infer, dims[axis], i, count);
        htp_infer_set(infer, i, x->dtype, x->rank, dims);
    }
}

static htp_dim padded_dim(htp_infer *infer, htp_dim dim, htp_element before, htp_element after)
{
    if (!before.is_known || !after.is_known) {
        return htp_infer_unknown(infer);
    }
    htp_algebra *algebra = &infer->symbols->algebra;
    htp_polynomial_id sum =
        htp_polynomial_add(algebra, htp_infer_of(infer, dim), htp_infer_of(infer, before.value), 1);
    sum = htp_polynomial_add(algebra, sum, htp_infer_of(infer, after.value), 1);
    return htp_infer_polynomial(infer, sum);
}

/* Number @p index of the pads: an input, or an attribute before opset 11. */
static htp_element pad_of(htp_infer *infer, size_t index)
{
    const htp_attribute *pads = htp_infer_attribute(infer, "pads");
    return pads ? (htp_element){.value = {.size = pads->ints[index]}, .is_known = true}
                : htp_infer_element(infer, 1, index);
}

/* Writes which axis each pair of pads is of: all in turn, or those of the fourth input.
 * @return whether they are known, and @p count of them */
static bool find_padded_axes(htp_infer *infer, uint32_t rank, uint32_t *axes, size_t *count)
{
    const bool are_listed = htp_infer_has_input(infer, 3);
    *count = rank;
    if (are_listed && (!htp_infer_length(infer, 3, count) || *count > rank)) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        int64_t axis = i;
        if ((are_listed && !htp_infer_number(htp_infer_element(infer, 3, i), &axis)) ||
            !htp_infer_wrap(axis, rank, &axes[i])) {
            return false;
        }
    }
    return true;
}

/* ONNX NonZero: indices of nonzero elements, [rank of X, count]. */
void htp_infer_non_zero(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, 2);
    dims[0] = htp_infer_size(infer, x->rank);
    dims[1] = htp_infer_unknown(infer);
    htp_infer_set(infer, 0, HTP_DTYPE_INT64, 2, dims);
}

void htp_infer_pad(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x) {
        return;
    }
    const htp_attribute *pads = htp_infer_attribute(infer, "pads");
    uint32_t *axes = HTP_NEW_ARRAY(infer->arena, uint32_t, (size_t)x->rank + 1);
    size_t count;
    size_t length = pads ? pads->count : 0;
    const bool is_known = find_padded_axes(infer, x->rank, axes, &count) &&
                          (pads || htp_infer_length(infer, 1, &length)) && length == 2 * count;
    htp_dim *dims = copied_dims(infer, x);
    for (uint32_t i = 0; i < x->rank && !is_known; i++) {
        dims[i] = htp_infer_unknown(infer);
    }
    for (size_t i = 0; i < count && is_known; i++) {
        dims[axes[i]] =
            padded_dim(infer, dims[axes[i]], pad_of(infer, i), pad_of(infer, count + i));
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* ---- Slice ---- */

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The number of elements in a slice of an axis of size @p size. */
static int64_t sliced_size(int64_t size, int64_t start, int64_t end, int64_t step)
{
    if (size == 0) {
        return 0;
    }
    start = start < 0 ? start + size : start;
    end = end < 0 ? end + size : end;
    int64_t span = step > 0 ? clamp(end, 0, size) - clamp(start, 0, size)
                            : clamp(start, 0, size - 1) - clamp(end, -1, size - 1);
    int64_t stride = step > 0 ? step : -step;
    return span <= 0 ? 0 : span / stride + (span % stride != 0);
}

/* A bound of a slice with step >= 1, clamped to an axis of size @p size; HTP_NONE if unknown. */
static htp_polynomial_id bound_of(htp_infer *infer, htp_polynomial_id size, htp_element element)
{
    int64_t number;
    htp_algebra *algebra = &infer->symbols->algebra;
    if (!element.is_known) {
        return HTP_NONE;
    }
    if (htp_infer_number(element, &number) && (number <= -FAR || number >= FAR)) {
        return number > 0 ? size : htp_polynomial_number(algebra, 0);
    }
    htp_polynomial_id bound = htp_infer_of(infer, element.value);
    if (htp_polynomial_is_at_least(algebra, bound, 0)) {
        return bound;
    }
    bool is_from_end = htp_polynomial_is_above(algebra, htp_polynomial_number(algebra, -1), bound);
    return is_from_end ? htp_polynomial_add(algebra, size, bound, 1) : HTP_NONE;
}

/* @return false if it is unknown */
static bool symbolic_slice(htp_infer *infer, htp_dim dim, htp_element start, htp_element end,
                           int64_t step, htp_dim *result)
{
    htp_algebra *algebra = &infer->symbols->algebra;
    htp_polynomial_id size = htp_infer_of(infer, dim);
    htp_polynomial_id from = bound_of(infer, size, start);
    htp_polynomial_id to = bound_of(infer, size, end);
    if (from == HTP_NONE || to == HTP_NONE) {
        return false;
    }
    from = htp_polynomial_positive(algebra, from);
    to = htp_polynomial_smaller(algebra, size, to);
    htp_polynomial_id span =
        htp_polynomial_positive(algebra, htp_polynomial_add(algebra, to, from, -1));
    if (span == HTP_NONE) {
        return false;
    }
    *result = htp_infer_ceil(infer, htp_infer_polynomial(infer, span), step);
    return true;
}

/* Whether a slice reverses a whole axis. */
static bool turns_all(htp_element start, htp_element end, int64_t step)
{
    int64_t from;
    int64_t to;
    return htp_infer_number(start, &from) && htp_infer_number(end, &to) && step == -1 &&
           (from == -1 || from >= FAR) && to <= -FAR;
}

/* An axis cut at an unknown position: the front part, or the rest of @p dim. The same position and
 * size give the same dim. */
static htp_dim cut_dim(htp_infer *infer, htp_dim dim, htp_tensor_id place, size_t at,
                       bool is_behind)
{
    const uint64_t cut[] = {place, at, htp_infer_of(infer, dim)};
    htp_polynomial_id front;
    if (!htp_map_get_bytes(&infer->fronts, cut, sizeof(cut), &front)) {
        front = htp_infer_of(infer, htp_infer_unknown(infer));
        htp_map_set_bytes(infer->arena, &infer->fronts,
                          htp_arena_copy(infer->arena, cut, sizeof(cut)), sizeof(cut), front);
    }
    htp_dim size = htp_symbols_name(infer->symbols, front);
    return is_behind ? htp_infer_sum(infer, dim, size, -1) : size;
}

/* A slice of unknown size. */
static htp_dim unclear_slice(htp_infer *infer, htp_dim dim, size_t at, int64_t step)
{
    int64_t number;
    const htp_tensor_id *inputs = infer->node->inputs;
    bool is_behind = htp_infer_number(htp_infer_element(infer, 2, at), &number) && number >= FAR;
    bool is_front = htp_infer_number(htp_infer_element(infer, 1, at), &number) && number == 0;
    if (step != 1 || is_behind == is_front) {
        return htp_infer_unknown(infer);
    }
    return cut_dim(infer, dim, inputs[is_behind ? 1 : 2], at, is_behind);
}

static htp_dim sliced_dim(htp_infer *infer, htp_dim dim, size_t at)
{
    htp_element start = htp_infer_element(infer, 1, at);
    htp_element end = htp_infer_element(infer, 2, at);
    int64_t from;
    int64_t to;
    int64_t step = 1;
    bool told =
        !htp_infer_has_input(infer, 4) || htp_infer_number(htp_infer_element(infer, 4, at), &step);
    if (!told || step == 0 || step == INT64_MIN) {
        return htp_infer_unknown(infer);
    }
    if (dim.symbol && step < 0) {
        return turns_all(start, end, step) ? dim : htp_infer_unknown(infer);
    }
    if (!dim.symbol && htp_infer_number(start, &from) && htp_infer_number(end, &to)) {
        return htp_infer_size(infer, sliced_size(dim.size, from, to, step));
    }
    htp_dim result;
    bool is_clear = step > 0 && symbolic_slice(infer, dim, start, end, step, &result);
    return is_clear ? result : unclear_slice(infer, dim, at, step);
}

/* The axis of entry @p at of starts and ends. */
static bool sliced_axis(const htp_infer *infer, const htp_tensor *x, size_t at, uint32_t *axis)
{
    int64_t named = (int64_t)at;
    return (!htp_infer_has_input(infer, 3) ||
            htp_infer_number(htp_infer_element(infer, 3, at), &named)) &&
           htp_infer_wrap(named, x->rank, axis);
}

void htp_infer_slice(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    size_t length = 0;
    if (!x) {
        return;
    }
    bool told = htp_infer_length(infer, 1, &length) && length <= x->rank;
    for (uint32_t input = 2; told && input < infer->node->input_count; input++) {
        size_t other;
        told = !htp_infer_has_input(infer, input) ||
               (htp_infer_length(infer, input, &other) && other == length);
    }
    htp_dim *dims = copied_dims(infer, x);
    for (size_t i = 0; told && i < length; i++) {
        uint32_t axis;
        told = sliced_axis(infer, x, i, &axis);
        if (told) {
            dims[axis] = sliced_dim(infer, x->dims[axis], i);
        }
    }
    for (uint32_t i = 0; !told && i < x->rank; i++) {
        dims[i] = htp_infer_unknown(infer);
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* ---- gathering ---- */

void htp_infer_gather(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *indices = htp_infer_input(infer, 1);
    uint32_t axis;
    if (!indices || !find_axis(infer, x, &axis)) {
        return;
    }
    uint32_t rank = x->rank - 1 + indices->rank;
    htp_dim *dims = htp_infer_dims(infer, rank);
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        for (uint32_t k = 0; i == axis && k < indices->rank; k++) {
            dims[count++] = indices->dims[k];
        }
        if (i != axis) {
            dims[count++] = x->dims[i];
        }
    }
    htp_infer_set(infer, 0, x->dtype, rank, dims);
}

void htp_infer_gather_elements(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *indices = htp_infer_input(infer, 1);
    if (x && indices) {
        htp_infer_set(infer, 0, x->dtype, indices->rank, indices->dims);
    }
}

void htp_infer_gather_nd(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *indices = htp_infer_input(infer, 1);
    if (!x || !indices || indices->rank == 0 || indices->dims[indices->rank - 1].symbol) {
        return;
    }
    int64_t batch = htp_infer_int(infer, "batch_dims", 0);
    int64_t depth = indices->dims[indices->rank - 1].size;
    if (batch < 0 || batch > x->rank || depth > (int64_t)x->rank - batch) {
        return;
    }
    uint32_t used = (uint32_t)(batch + depth);
    uint32_t rank = indices->rank - 1 + x->rank - used;
    htp_dim *dims = htp_infer_dims(infer, rank);
    for (uint32_t i = 0; i < rank; i++) {
        bool is_index = i + 1 < indices->rank;
        dims[i] = is_index ? indices->dims[i] : x->dims[used + i - (indices->rank - 1)];
    }
    htp_infer_set(infer, 0, x->dtype, rank, dims);
}
