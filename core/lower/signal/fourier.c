/*
 * Discrete Fourier transforms along one axis: by ONNX DFT, or by a product with a constant matrix
 * for small static lengths.
 *
 * ONNX Runtime is exact for powers of two. For other lengths it convolves with a chirp and loses
 * three digits at a length of 1000, so those are computed in float64.
 */
#include "lower/signal/fourier.h"

#include "lower/emit/constant.h"
#include "lower/emit/sizes.h"

#include <math.h>

/** The largest matrix, in elements: 4 MB of float32. */
enum { LARGEST_MATRIX = 1 << 20, LARGEST_MASK = 1 << 20 };

htp_length htp_length_of(int64_t size)
{
    return (htp_length){.is_constant = true, .size = size, .vector = HTP_NONE};
}

htp_length htp_signal_length(htp_lowering *l, const htp_signal *s, uint32_t axis)
{
    if (!s->dims[axis].symbol) {
        return htp_length_of(s->dims[axis].size);
    }
    return (htp_length){.vector = htp_emit_dim(l, s->x, s->dims, axis)};
}

/** A length as [1]. */
static htp_tensor_id length_vector(htp_lowering *l, const htp_length *length)
{
    return length->is_constant ? htp_emit_int(l, length->size) : length->vector;
}

/** Half of a length plus one: the number of frequencies of a real signal. */
static htp_length half_of(htp_lowering *l, const htp_length *length)
{
    if (length->is_constant) {
        return htp_length_of(length->size / 2 + 1);
    }
    htp_tensor_id half = htp_emit_binary(l, "Div", length->vector, htp_emit_int(l, 2));
    return (htp_length){.vector = htp_emit_binary(l, "Add", half, htp_emit_int(l, 1))};
}

static htp_length output_length(htp_lowering *l, const htp_transform *t)
{
    return t->spectrum == HTP_SPECTRUM_HALF ? half_of(l, &t->length) : t->length;
}

/** Sets the dim of @p s along an axis to @p length. */
static void set_length(htp_signal *s, uint32_t axis, const htp_length *length)
{
    s->dims[axis] = length->is_constant ? (htp_dim){.size = length->size} : (htp_dim){.symbol = ""};
}

static double scale_of(const htp_transform *t)
{
    switch (t->scaling) {
    case HTP_SCALE_ROOT:
        return 1 / sqrt((double)t->length.size);
    case HTP_SCALE_LENGTH:
        return 1 / (double)t->length.size;
    default:
        return 1;
    }
}

/* ---- along an axis ---- */

/** A vector along @p axis of a signal, shaped to broadcast with it. @p pairs is 1 for a signal of
 * pairs. */
static htp_tensor_id along(htp_lowering *l, const htp_signal *s, uint32_t axis, htp_tensor_id x,
                           int64_t pairs)
{
    int64_t dims[HTP_MAX_RANK];
    uint32_t rank = s->rank - axis;
    dims[0] = -1;
    for (uint32_t i = 1; i < rank; i++) {
        dims[i] = 1;
    }
    dims[rank++] = pairs;
    return htp_emit_reshape(l, x, dims, rank);
}

/** 0, 1, ... up to @p length. */
static htp_tensor_id count_up(htp_lowering *l, const htp_length *length)
{
    return htp_emit_count_up(l, length_vector(l, length));
}

/** Whether a frequency is its own mirror image, zero or half of @p period: [@p length] */
static htp_tensor_id is_own_image(htp_lowering *l, const htp_length *length,
                                  const htp_length *period)
{
    htp_tensor_id k = count_up(l, length);
    htp_tensor_id is_zero = htp_emit_binary_scalar(l, "Equal", k, HTP_DTYPE_INT64, 0);
    htp_tensor_id is_half =
        htp_emit_binary(l, "Equal", htp_emit_binary(l, "Add", k, k), length_vector(l, period));
    return htp_emit_binary(l, "Or", is_zero, is_half);
}

static htp_tensor_id emit_bools(htp_lowering *l, const htp_number *numbers, int64_t count)
{
    return htp_emit_numbers(l, HTP_DTYPE_BOOL, 1, &count, numbers);
}

/**
 * Self-conjugate frequencies of real signals are real: their imaginary parts are zeros with
 * PyTorch's sign, on which angles depend.
 */
static void clear_imaginary(htp_lowering *l, htp_signal *s, const htp_transform *t,
                            const htp_length *length)
{
    const htp_number which[] = {htp_number_int(0), htp_number_int(1)};
    htp_tensor_id mask;
    if (length->is_constant && length->size <= LARGEST_MASK) {
        htp_number *flags = HTP_NEW_ARRAY(l->arena, htp_number, 2 * (size_t)length->size + 1);
        for (int64_t k = 0; k < length->size; k++) {
            flags[2 * k] = htp_number_int(0);
            flags[2 * k + 1] = htp_number_int(k == 0 || 2 * k == t->length.size);
        }
        mask = along(l, s, t->axis, emit_bools(l, flags, 2 * length->size), 2);
    } else {
        mask = along(l, s, t->axis, is_own_image(l, length, &t->length), 1);
        mask = htp_emit_binary(l, "And", mask, emit_bools(l, which, 2));
    }
    s->x = htp_emit(l, "Where",
                    HTP_IN(mask, htp_emit_scalar(l, s->dtype, t->is_inverse ? -0.0 : 0.0), s->x),
                    HTP_NO_AT);
}

/* ---- by a matrix ---- */

static htp_length input_length(htp_lowering *l, const htp_transform *t)
{
    return t->spectrum == HTP_SPECTRUM_REAL ? half_of(l, &t->length) : t->length;
}

static bool is_power_of_two(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/** Whether all lengths are static, small, and no powers of two. */
static bool suits_matrix(const htp_signal *s, const htp_transform *t)
{
    if (!t->length.is_constant || s->dims[t->axis].symbol || is_power_of_two(t->length.size) ||
        t->length.size > LARGEST_MATRIX) {
        return false;
    }
    int64_t n = t->length.size;
    int64_t rows = t->spectrum == HTP_SPECTRUM_REAL ? n / 2 + 1 : n;
    int64_t columns = t->spectrum == HTP_SPECTRUM_HALF ? n / 2 + 1 : n;
    return rows * (1 + s->is_complex) * columns * (t->spectrum == HTP_SPECTRUM_REAL ? 1 : 2) <=
           LARGEST_MATRIX;
}

/** cos(2π · quarters / 4n), exact where it is 0 or ±1 */
static double cosine(int64_t quarters, int64_t n)
{
    static const double exact[] = {1, 0, -1, 0};
    quarters = (quarters % (4 * n) + 4 * n) % (4 * n);
    return quarters % n == 0 ? exact[quarters / n]
                             : cos(acos(-1) / 2 * (double)quarters / (double)n);
}

/** The matrix of a transform: [rows · parts of the input, columns · parts of the output] */
static htp_tensor_id emit_matrix(htp_lowering *l, const htp_signal *s, const htp_transform *t,
                                 int64_t rows, int64_t columns)
{
    int64_t n = t->length.size;
    int64_t in = s->is_complex ? 2 : 1;
    int64_t out = t->spectrum == HTP_SPECTRUM_REAL ? 1 : 2;
    const int64_t dims[] = {rows * in, columns * out};
    double scale = scale_of(t);
    htp_number *numbers = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)(dims[0] * dims[1]) + 1);
    htp_number *next = numbers;
    for (int64_t row = 0; row < dims[0]; row++) {
        int64_t j = row / in;
        bool is_twice = t->spectrum == HTP_SPECTRUM_REAL && j != 0 && 2 * j != n;
        double weight = is_twice ? 2 * scale : scale;
        for (int64_t column = 0; column < dims[1]; column++) {
            int64_t turn = 4 * (j * (column / out) % n);
            int64_t shift = (row % in - column % out) * n;
            *next++ = htp_number_float(weight * cosine((t->is_inverse ? turn : -turn) + shift, n));
        }
    }
    return htp_emit_numbers(l, s->dtype, 2, dims, numbers);
}

/** Exchanges an axis and the last one. */
static void swap_with_last(htp_lowering *l, htp_signal *s, uint32_t axis)
{
    int64_t perm[HTP_MAX_RANK];
    uint32_t last = s->rank - 1;
    for (uint32_t i = 0; i <= s->rank; i++) {
        perm[i] = i == axis ? last : i == last ? axis : i;
    }
    s->x = htp_emit_transpose(l, s->x, perm, s->rank + (s->is_complex ? 1 : 0));
    htp_dim kept = s->dims[axis];
    s->dims[axis] = s->dims[last];
    s->dims[last] = kept;
}

/** Reshape that keeps all dims before the last one of a signal. */
static htp_tensor_id reshape_last(htp_lowering *l, const htp_signal *s, htp_tensor_id x,
                                  int64_t size, int64_t pairs)
{
    int64_t dims[HTP_MAX_RANK] = {0};
    dims[s->rank - 1] = size;
    dims[s->rank] = pairs;
    return htp_emit_reshape(l, x, dims, s->rank + (pairs ? 1 : 0));
}

static void transform_by_matrix(htp_lowering *l, htp_signal *s, const htp_transform *t)
{
    int64_t rows = input_length(l, t).size;
    int64_t columns = output_length(l, t).size;
    if (s->dims[t->axis].size > rows) {
        s->x = htp_emit_slice(l, s->x, t->axis, 0, rows);
    } else {
        rows = s->dims[t->axis].size;
    }
    swap_with_last(l, s, t->axis);
    htp_tensor_id matrix = emit_matrix(l, s, t, rows, columns);
    htp_tensor_id x = s->is_complex ? reshape_last(l, s, s->x, 2 * rows, 0) : s->x;
    s->x = htp_emit_binary(l, "MatMul", x, matrix);
    s->is_complex = t->spectrum != HTP_SPECTRUM_REAL;
    if (s->is_complex) {
        s->x = reshape_last(l, s, s->x, columns, 2);
    }
    swap_with_last(l, s, t->axis);
}

/* ---- by DFT ---- */

/** Conjugates the input of an inverse transform. For a real result a frequency counts twice, since
 * its mirror image is missing. */
static void weigh(htp_lowering *l, htp_signal *s, const htp_transform *t)
{
    bool is_conjugate = t->is_inverse && s->is_complex;
    const htp_number signs[] = {htp_number_float(1), htp_number_float(-1)};
    const int64_t two = 2;
    if (t->spectrum == HTP_SPECTRUM_REAL) {
        htp_length bins = htp_signal_length(l, s, t->axis);
        htp_tensor_id weights =
            htp_emit(l, "Where",
                     HTP_IN(is_own_image(l, &bins, &t->length), htp_emit_scalar(l, s->dtype, 1),
                            htp_emit_scalar(l, s->dtype, 2)),
                     HTP_NO_AT);
        s->x = htp_emit_binary(l, "Mul", s->x, along(l, s, t->axis, weights, 1));
    }
    if (is_conjugate) {
        htp_tensor_id conjugate = htp_emit_numbers(l, s->dtype, 1, &two, signs);
        s->x = htp_emit_binary(l, "Mul", s->x, conjugate);
    }
}

/** Cuts off the frequencies that a real signal of the transform's length does not have. */
static void cut_frequencies(htp_lowering *l, htp_signal *s, const htp_transform *t)
{
    htp_length bins = half_of(l, &t->length);
    if (bins.is_constant && !s->dims[t->axis].symbol && s->dims[t->axis].size <= bins.size) {
        return;
    }
    s->x = htp_emit(
        l, "Slice",
        HTP_IN(s->x, htp_emit_int(l, 0), length_vector(l, &bins), htp_emit_int(l, t->axis)),
        HTP_NO_AT);
    bool is_constant = bins.is_constant && !s->dims[t->axis].symbol;
    s->dims[t->axis] = is_constant ? (htp_dim){.size = bins.size} : (htp_dim){.symbol = ""};
}

/** ONNX DFT of pairs, or of real numbers in a last dim of one. */
static htp_tensor_id emit_dft(htp_lowering *l, htp_tensor_id x, const htp_transform *t,
                              htp_tensor_id length)
{
    htp_attribute onesided = htp_attribute_int("onesided", t->spectrum == HTP_SPECTRUM_HALF);
    if (l->model->opset >= 20) {
        return htp_emit(l, "DFT",
                        HTP_IN(x, length, htp_emit_scalar_int(l, HTP_DTYPE_INT64, t->axis)),
                        HTP_AT(onesided));
    }
    return htp_emit(l, "DFT", HTP_IN(x, length),
                    HTP_AT(htp_attribute_int("axis", t->axis), onesided));
}

/** Divides by the length, or its root; with @p is_conjugate it negates imaginary parts. */
static void scale(htp_lowering *l, htp_signal *s, const htp_transform *t, bool is_conjugate)
{
    const int64_t two = 2;
    const int64_t first = 0;
    double factor = t->length.is_constant ? scale_of(t) : 1;
    if (is_conjugate) {
        const htp_number factors[] = {htp_number_float(factor), htp_number_float(-factor)};
        s->x = htp_emit_binary(l, "Mul", s->x, htp_emit_numbers(l, s->dtype, 1, &two, factors));
    } else if (factor != 1) {
        s->x = htp_emit_binary_scalar(l, "Mul", s->x, s->dtype, factor);
    }
    if (t->length.is_constant || t->scaling == HTP_SCALE_NONE) {
        return;
    }
    htp_tensor_id divisor = htp_emit_squeeze(l, t->length.vector, &first, 1);
    divisor = htp_emit_cast(l, divisor, HTP_DTYPE_INT64, s->dtype);
    if (t->scaling == HTP_SCALE_ROOT) {
        divisor = htp_emit_unary(l, "Sqrt", divisor);
    }
    s->x = htp_emit_binary(l, "Div", s->x, divisor);
}

static void transform_by_dft(htp_lowering *l, htp_signal *s, const htp_transform *t)
{
    const int64_t last = s->rank;
    const int64_t first = 0;
    htp_dtype wide =
        t->length.is_constant && is_power_of_two(t->length.size) ? s->dtype : HTP_DTYPE_FLOAT64;
    if (!s->is_complex) {
        s->x = htp_emit_unsqueeze(l, s->x, &last, 1);
    }
    if (t->spectrum == HTP_SPECTRUM_REAL) {
        cut_frequencies(l, s, t);
    }
    htp_tensor_id length = HTP_NONE;
    if (!t->length.is_constant || s->dims[t->axis].symbol ||
        s->dims[t->axis].size != t->length.size) {
        length = htp_emit_squeeze(l, length_vector(l, &t->length), &first, 1);
    }
    weigh(l, s, t);
    htp_tensor_id x = htp_emit_cast(l, s->x, s->dtype, wide);
    s->x = htp_emit_cast(l, emit_dft(l, x, t, length), wide, s->dtype);
    s->is_complex = t->spectrum != HTP_SPECTRUM_REAL;
    if (!s->is_complex) {
        s->x = htp_emit(l, "Gather", HTP_IN(s->x, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0)),
                        HTP_AT(htp_attribute_int("axis", last)));
    }
    scale(l, s, t, s->is_complex && t->is_inverse);
}

void htp_emit_transform(htp_lowering *l, htp_signal *s, const htp_transform *t)
{
    if (t->length.is_constant && t->length.size < 1) {
        htp_lower_fail(l, "a transform has length %lld", (long long)t->length.size);
        return;
    }
    bool was_complex = s->is_complex;
    htp_length length = output_length(l, t);
    if (suits_matrix(s, t)) {
        transform_by_matrix(l, s, t);
    } else {
        transform_by_dft(l, s, t);
    }
    set_length(s, t->axis, &length);
    if (!was_complex && s->is_complex) {
        clear_imaginary(l, s, t, &length);
    }
}
