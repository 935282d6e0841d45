/*
 * Types of operators that change a tensor's shape as a whole.
 */
#include "onnx/shape_inference/infer_rule.h"

void htp_infer_shape(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x) {
        return;
    }
    int64_t rank = x->rank;
    int64_t bounds[] = {htp_infer_int(infer, "start", 0), htp_infer_int(infer, "end", rank)};
    for (int i = 0; i < 2; i++) {
        bounds[i] = bounds[i] < 0 ? bounds[i] + rank : bounds[i];
        bounds[i] = bounds[i] < 0 ? 0 : bounds[i] > rank ? rank : bounds[i];
    }
    htp_dim *dims = htp_infer_dims(infer, 1);
    dims[0].size = bounds[1] > bounds[0] ? bounds[1] - bounds[0] : 0;
    htp_infer_set(infer, 0, HTP_DTYPE_INT64, 1, dims);
}

void htp_infer_element_count(htp_infer *infer)
{
    htp_infer_set(infer, 0, HTP_DTYPE_INT64, 0, htp_infer_dims(infer, 0));
}

void htp_infer_transpose(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_attribute *perm = htp_infer_attribute(infer, "perm");
    if (!x || (perm && perm->count != x->rank)) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t from = htp_infer_int_at(infer, "perm", i, (int64_t)x->rank - 1 - i);
        if (from < 0 || from >= x->rank) {
            return;
        }
        dims[i] = x->dims[from];
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

void htp_infer_squeeze(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    bool named[HTP_MAX_RANK] = {false};
    bool any;
    if (!x || !htp_infer_axes(infer, 1, x->rank, named, &any) ||
        (!any && htp_infer_has_input(infer, 1))) { /* runtimes disagree */
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (!any && x->dims[i].symbol) {
            return; /* it is removed if it is 1 */
        }
        if (any ? !named[i] : x->dims[i].size != 1) {
            dims[rank++] = x->dims[i];
        }
    }
    htp_infer_set(infer, 0, x->dtype, rank, dims);
}

void htp_infer_unsqueeze(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_attribute *axes = htp_infer_attribute(infer, "axes"); /* before opset 13 */
    size_t added = axes ? axes->count : 0;
    bool has_axes =
        htp_infer_has_input(infer, 1) ? htp_infer_length(infer, 1, &added) : axes != NULL;
    if (!x || !has_axes || added > HTP_MAX_RANK - x->rank) {
        return;
    }
    bool named[HTP_MAX_RANK] = {false};
    bool any;
    uint32_t rank = x->rank + (uint32_t)added;
    bool told = htp_infer_axes(infer, 1, rank, named, &any);
    htp_dim *dims = htp_infer_dims(infer, rank);
    uint32_t next = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (!told) {
            dims[i] = htp_infer_unknown(infer);
        } else if (named[i]) {
            dims[i].size = 1;
        } else if (next < x->rank) {
            dims[i] = x->dims[next++];
        } else {
            return; /* a duplicate axis */
        }
    }
    htp_infer_set(infer, 0, x->dtype, rank, dims);
}

/* The product of the dims from @p begin to before @p end. */
static htp_dim product_between(htp_infer *infer, const htp_dim *dims, uint32_t begin, uint32_t end)
{
    htp_dim product = {.size = 1};
    for (uint32_t i = begin; i < end; i++) {
        product = htp_infer_product(infer, product, dims[i]);
    }
    return product;
}

/* ONNX Flatten: two dims, the product before the axis, which may be the rank, and the rest. */
void htp_infer_flatten(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    int64_t given = htp_infer_int(infer, "axis", 1);
    if (!x || given > x->rank || given < -(int64_t)x->rank) {
        return;
    }
    uint32_t axis = (uint32_t)(given < 0 ? given + x->rank : given);
    htp_dim *dims = htp_infer_dims(infer, 2);
    dims[0] = product_between(infer, x->dims, 0, axis);
    dims[1] = product_between(infer, x->dims, axis, x->rank);
    htp_infer_set(infer, 0, x->dtype, 2, dims);
}

/* ---- Reshape ---- */

/* The product of all dims except @p missing: of the numbers, or of the symbols. */
static htp_polynomial_id product_of(htp_infer *infer, const htp_dim *dims, uint32_t rank,
                                    uint32_t missing, bool of_symbols)
{
    htp_polynomial_id product = htp_infer_of(infer, (htp_dim){.size = 1});
    for (uint32_t i = 0; i < rank; i++) {
        if (i != missing && !dims[i].symbol == !of_symbols) {
            product = htp_polynomial_multiply(&infer->symbols->algebra, product,
                                              htp_infer_of(infer, dims[i]));
        }
    }
    return product;
}

/* The dim at @p missing, which completes the element count of @p x. */
static htp_dim remaining_dim(htp_infer *infer, const htp_tensor *x, const htp_dim *dims,
                             uint32_t rank, uint32_t missing)
{
    htp_algebra *algebra = &infer->symbols->algebra;
    htp_polynomial_id all =
        htp_polynomial_multiply(algebra, product_of(infer, x->dims, x->rank, HTP_NONE, false),
                                product_of(infer, x->dims, x->rank, HTP_NONE, true));
    htp_polynomial_id number = product_of(infer, dims, rank, missing, false);
    int64_t divisor;
    all = htp_polynomial_divide(algebra, all, product_of(infer, dims, rank, missing, true));
    if (number == HTP_NONE || !htp_polynomial_is_number(algebra, number, &divisor)) {
        return htp_infer_unknown(infer);
    }
    return htp_infer_polynomial(infer, htp_polynomial_floor(algebra, all, divisor));
}

/* A target dim of Reshape; unknown if it may be -1 at some sizes, which has another meaning. */
static htp_dim sure_size(htp_infer *infer, htp_dim dim)
{
    bool is_size =
        htp_polynomial_is_at_least(&infer->symbols->algebra, htp_infer_of(infer, dim), 0);
    return is_size ? dim : htp_infer_unknown(infer);
}

void htp_infer_reshape(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    size_t length;
    if (!x || !htp_infer_length(infer, 1, &length) || length > HTP_MAX_RANK) {
        return;
    }
    bool copies_zeros = htp_infer_int(infer, "allowzero", 0) == 0;
    uint32_t rank = (uint32_t)length;
    uint32_t missing = 0;
    uint32_t missing_count = 0;
    htp_dim *dims = htp_infer_dims(infer, rank);
    for (uint32_t i = 0; i < rank; i++) {
        htp_element wanted = htp_infer_element(infer, 1, i);
        int64_t number;
        bool is_number = htp_infer_number(wanted, &number);
        if (!wanted.is_known || (is_number && number < 0)) {
            missing = i;
            missing_count++;
            dims[i] = htp_infer_unknown(infer);
        } else if (is_number && number == 0 && copies_zeros) {
            dims[i] = i < x->rank ? x->dims[i] : htp_infer_unknown(infer);
        } else {
            dims[i] = sure_size(infer, wanted.value);
        }
    }
    if (missing_count == 1) {
        dims[missing] = remaining_dim(infer, x, dims, rank, missing);
    }
    htp_infer_set(infer, 0, x->dtype, rank, dims);
}

/* ---- Expand, Tile, Range ---- */

void htp_infer_expand(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    size_t length;
    if (!x || !htp_infer_length(infer, 1, &length) || length > HTP_MAX_RANK) {
        return;
    }
    uint32_t rank = length > x->rank ? (uint32_t)length : x->rank;
    htp_dim *dims = htp_infer_dims(infer, rank);
    for (uint32_t i = 0; i < rank; i++) {
        htp_dim own = {.size = 1};
        htp_dim wanted = {.size = 1};
        if (i >= rank - x->rank) {
            own = x->dims[i - (rank - x->rank)];
        }
        if (i >= rank - length) {
            htp_element element = htp_infer_element(infer, 1, i - (rank - length));
            wanted = htp_infer_element_dim(infer, element);
        }
        if (!htp_infer_broadcast_dim(infer, own, wanted, &dims[i])) {
            return;
        }
    }
    htp_infer_set(infer, 0, x->dtype, rank, dims);
}

static htp_dim repeated_dim(htp_infer *infer, htp_dim dim, htp_element times)
{
    return htp_infer_product(infer, dim, htp_infer_element_dim(infer, times));
}

void htp_infer_tile(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    size_t length;
    if (!x || !htp_infer_length(infer, 1, &length) || length != x->rank) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = repeated_dim(infer, x->dims[i], htp_infer_element(infer, 1, i));
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* The number of elements from @p start to @p limit. */
static htp_dim counted_dim(htp_infer *infer, htp_dim start, htp_dim limit, int64_t step)
{
    htp_algebra *algebra = &infer->symbols->algebra;
    htp_polynomial_id span =
        htp_polynomial_add(algebra, htp_infer_of(infer, limit), htp_infer_of(infer, start), -1);
    htp_dim dim = htp_infer_polynomial(infer, htp_polynomial_positive(algebra, span));
    return htp_infer_ceil(infer, dim, step);
}

void htp_infer_range(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x) {
        return;
    }
    htp_element start = htp_infer_element(infer, 0, 0);
    htp_element limit = htp_infer_element(infer, 1, 0);
    htp_dim *dims = htp_infer_dims(infer, 1);
    int64_t step;
    dims[0] = htp_infer_unknown(infer);
    if (start.is_known && limit.is_known &&
        htp_infer_number(htp_infer_element(infer, 2, 0), &step) && step != 0 && step > INT64_MIN) {
        dims[0] = step > 0 ? counted_dim(infer, start.value, limit.value, step)
                           : counted_dim(infer, limit.value, start.value, -step);
    }
    htp_infer_set(infer, 0, x->dtype, 1, dims);
}

/* ---- of a shape alone ---- */

/* ONNX ConstantOfShape: the type of its value, or float32. */
void htp_infer_constant_of_shape(htp_infer *infer)
{
    size_t length;
    htp_dtype dtype = HTP_DTYPE_FLOAT32;
    bool has_value = htp_infer_attribute(infer, HTP_INFER_VALUE_TYPE);
    if (!htp_infer_length(infer, 0, &length) || length > HTP_MAX_RANK ||
        (has_value && !htp_infer_dtype(infer, HTP_INFER_VALUE_TYPE, &dtype))) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, (uint32_t)length);
    for (uint32_t i = 0; i < length; i++) {
        dims[i] = htp_infer_element_dim(infer, htp_infer_element(infer, 0, i));
    }
    htp_infer_set(infer, 0, dtype, (uint32_t)length, dims);
}

/* ONNX RandomNormal and RandomUniform: the dtype attribute, or float32. */
void htp_infer_random(htp_infer *infer)
{
    const htp_attribute *shape = htp_infer_attribute(infer, "shape");
    htp_dtype dtype = HTP_DTYPE_FLOAT32;
    bool has_dtype = htp_infer_attribute(infer, "dtype");
    if (!shape || shape->count > HTP_MAX_RANK ||
        (has_dtype && !htp_infer_dtype(infer, "dtype", &dtype))) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, (uint32_t)shape->count);
    for (uint32_t i = 0; i < shape->count; i++) {
        dims[i] = htp_infer_size(infer, shape->ints[i]);
    }
    htp_infer_set(infer, 0, dtype, (uint32_t)shape->count, dims);
}
