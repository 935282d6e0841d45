/*
 * Types of operators that take tensors apart and put them together.
 */
#include "onnx/infer_rule.h"

/* Slices reach to an end of their axis from here on. */
#define FAR (INT64_C(1) << 62)

/* The wrapped axis of the node's attribute, for an input that must have it. */
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

static htp_dim added_dim(htp_infer *infer, htp_dim a, htp_dim b)
{
    if (htp_infer_is(a, 0) || htp_infer_is(b, 0)) {
        return htp_infer_is(a, 0) ? b : a;
    }
    int64_t sum;
    bool told = !a.symbol && !b.symbol && !__builtin_add_overflow(a.size, b.size, &sum);
    return told ? htp_infer_size(infer, sum) : htp_infer_unknown(infer);
}

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
            dims[k] = k == axis ? added_dim(infer, dims[k], x->dims[k])
                                : htp_infer_both(dims[k], x->dims[k]);
        }
    }
    htp_infer_set(infer, 0, first->dtype, first->rank, dims);
}

/* Part @p index of @p count: of equal size but for the last. */
static htp_dim equal_part(htp_infer *infer, htp_dim dim, int64_t index, int64_t count)
{
    if (dim.symbol) {
        return count == 1 ? dim : htp_infer_unknown(infer);
    }
    int64_t size = dim.size / count + (dim.size % count != 0);
    return htp_infer_size(infer, index + 1 < count ? size : dim.size - size * (count - 1));
}

void htp_infer_split(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    uint32_t axis;
    size_t length;
    uint32_t count = infer->node->output_count;
    bool given = htp_infer_has_input(infer, 1);
    if (!find_axis(infer, x, &axis) ||
        (given && (!htp_infer_length(infer, 1, &length) || length != count))) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        htp_dim *dims = copied_dims(infer, x);
        dims[axis] = given ? htp_infer_element_dim(infer, htp_infer_element(infer, 1, i))
                           : equal_part(infer, dims[axis], i, count);
        htp_infer_set(infer, i, x->dtype, x->rank, dims);
    }
}

static htp_dim padded_dim(htp_infer *infer, htp_dim dim, htp_element before, htp_element after)
{
    int64_t sizes[2];
    int64_t size;
    if (!htp_infer_number(before, &sizes[0]) || !htp_infer_number(after, &sizes[1])) {
        return htp_infer_unknown(infer);
    }
    if (sizes[0] == 0 && sizes[1] == 0) {
        return dim;
    }
    bool told = !dim.symbol && !__builtin_add_overflow(sizes[0], sizes[1], &size) &&
                !__builtin_add_overflow(size, dim.size, &size);
    return told ? htp_infer_size(infer, size) : htp_infer_unknown(infer);
}

/* ONNX NonZero: the places of X's elements, [rank of X, how many]. */
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
    size_t length;
    if (!x) {
        return;
    }
    bool told = !htp_infer_has_input(infer, 3) && htp_infer_length(infer, 1, &length) &&
                length == 2 * (size_t)x->rank;
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = told ? padded_dim(infer, x->dims[i], htp_infer_element(infer, 1, i),
                                    htp_infer_element(infer, 1, (size_t)x->rank + i))
                       : htp_infer_unknown(infer);
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* ---- Slice ---- */

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* How many elements a slice of @p size elements has. */
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

/* Whether a slice of an axis of symbolic size takes all of it, in either direction. */
static bool takes_all(htp_dim dim, htp_element start, htp_element end, int64_t step)
{
    int64_t from;
    int64_t to;
    bool end_is_number = htp_infer_number(end, &to);
    if (!htp_infer_number(start, &from)) {
        return false;
    }
    if (step == 1 && from == 0) {
        return end_is_number ? to >= FAR : end.is_known && htp_infer_is_same(end.value, dim);
    }
    return step == -1 && (from == -1 || from >= FAR) && end_is_number && to <= -FAR;
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
    if (dim.symbol) {
        return takes_all(dim, start, end, step) ? dim : htp_infer_unknown(infer);
    }
    if (!htp_infer_number(start, &from) || !htp_infer_number(end, &to)) {
        return htp_infer_unknown(infer);
    }
    return htp_infer_size(infer, sliced_size(dim.size, from, to, step));
}

/* The axis that entry @p at of starts and ends is for. */
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
