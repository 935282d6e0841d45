/*
 * Convolutions in dtypes for which runtimes have no Conv: float64 and integers.
 *
 * A convolution gathers its windows and multiplies them, as the columns of a matrix, by the weight.
 * A transposed one multiplies first and then adds every product at its position. That is done one
 * axis at a time: for every element of the kernel, each element of the result gathers its product,
 * or a zero appended to the axis.
 */
#include "lower/emit/constant.h"
#include "lower/emit/sizes.h"
#include "lower/nn/convolution.h"
#include "lower/nn/windows.h"

#include <string.h>

/** Facts about a convolution besides its arguments. */
typedef struct unfolding {
    const htp_convolution *c;
    int64_t inputs;    /* channels of a group */
    int64_t outputs;   /* channels of a group */
    int64_t kernel;    /* number of its elements */
    const htp_dim *in; /* spatial dims */
    const htp_dim *out;
} unfolding;

bool htp_convolution_is_unfolded(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_FLOAT64 || dtype == HTP_DTYPE_INT64 || dtype == HTP_DTYPE_INT32;
}

static bool read_weight(htp_lowering *l, unfolding *u)
{
    const int64_t most = INT64_C(1) << 30;
    const htp_convolution *c = u->c;
    int64_t elements = 1;
    for (size_t i = 0; i < c->axes + 2; i++) {
        const htp_dim *dim = &c->weight_dims[i];
        if (dim->symbol || dim->size < 1 || dim->size > most || elements > most / dim->size) {
            htp_lower_fail(l, "a weight of unknown size is not supported in %s",
                           htp_dtype_name(c->dtype));
            return false;
        }
        elements *= dim->size;
        u->kernel *= i < 2 ? 1 : dim->size;
    }
    if (c->groups < 1 || c->weight_dims[0].size % c->groups != 0) {
        htp_lower_fail(l, "%lld groups do not fit its weight", (long long)c->groups);
        return false;
    }
    int64_t first = c->weight_dims[0].size / c->groups;
    u->inputs = c->transposed ? first : c->weight_dims[1].size;
    u->outputs = c->transposed ? c->weight_dims[1].size : first;
    return true;
}

/** @p x, which has @p rank dims, as matrices of @p rows: [batch, rows, columns], or with several
 * groups [batch, groups, rows, columns]. */
static htp_tensor_id as_columns(htp_lowering *l, const unfolding *u, htp_tensor_id x,
                                const htp_dim *dims, uint32_t rank, int64_t rows)
{
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, 0);
    if (u->c->groups > 1) {
        htp_sizes_add_int(&shape, u->c->groups);
    }
    htp_sizes_add_int(&shape, rows);
    htp_sizes_add_tensor(&shape,
                         htp_emit_dim_product(l, x, dims, rank - (uint32_t)u->c->axes, rank));
    return htp_emit_binary(l, "Reshape", x, htp_sizes_end(&shape));
}

/** The weight as a matrix, or one per group. */
static htp_tensor_id as_matrices(htp_lowering *l, const unfolding *u, int64_t rows, int64_t columns)
{
    const int64_t dims[] = {u->c->groups, rows, columns};
    bool is_one = u->c->groups == 1;
    return htp_emit_reshape(l, u->c->weight, is_one ? dims + 1 : dims, is_one ? 2 : 3);
}

/** Lists dims: batch and channels, then those of two lists, alternating or one after the other. */
static void list_dims(htp_dim *dims, const htp_dim *first, const htp_dim *second, size_t axes,
                      bool by_turns)
{
    dims[0] = dims[1] = (htp_dim){.symbol = "size"};
    for (size_t i = 0; i < axes; i++) {
        dims[by_turns ? 2 + 2 * i : 2 + i] = first[i];
        dims[by_turns ? 3 + 2 * i : 2 + axes + i] = second[i];
    }
}

/* ---- convolutions ---- */

/** The windows: [batch, channels, kernels..., windows...] */
static htp_tensor_id emit_windows(htp_lowering *l, const unfolding *u)
{
    const htp_convolution *c = u->c;
    htp_window windows[3];
    int64_t perm[HTP_MAX_RANK] = {0, 1};
    for (size_t i = 0; i < c->axes; i++) {
        windows[i] = (htp_window){c->weight_dims[i + 2].size, c->stride[i], c->dilation[i],
                                  c->pads[i], c->pads[c->axes + i]};
        perm[2 + i] = 2 + 2 * (int64_t)i;
        perm[2 + c->axes + i] = 3 + 2 * (int64_t)i;
    }
    htp_tensor_id x = htp_emit_windows(l, c->x, c->dtype, c->axes, u->in, windows,
                                       htp_emit_scalar(l, c->dtype, 0));
    return c->axes == 1 ? x : htp_emit_transpose(l, x, perm, 2 + 2 * c->axes);
}

static htp_tensor_id convolve(htp_lowering *l, const unfolding *u)
{
    const htp_convolution *c = u->c;
    uint32_t rank = 2 + 2 * (uint32_t)c->axes;
    htp_dim dims[HTP_MAX_RANK];
    list_dims(dims, c->weight_dims + 2, u->out, c->axes, false);
    htp_tensor_id windows = emit_windows(l, u);
    int64_t rows = u->inputs * u->kernel;
    htp_tensor_id product = htp_emit_binary(l, "MatMul", as_matrices(l, u, u->outputs, rows),
                                            as_columns(l, u, windows, dims, rank, rows));
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, 0);
    htp_sizes_add_int(&shape, u->outputs * c->groups);
    htp_sizes_add_dims(&shape, windows, dims, rank - (uint32_t)c->axes, rank);
    return htp_emit_binary(l, "Reshape", product, htp_sizes_end(&shape));
}

/* ---- transposed convolutions ---- */

/** The products of all elements of the input with all of the kernel:
 * [batch, channels, kernel, in, kernel, in, ...] */
static htp_tensor_id emit_products(htp_lowering *l, const unfolding *u)
{
    static const int64_t turned[] = {0, 2, 1};
    const htp_convolution *c = u->c;
    uint32_t rank = 2 + (uint32_t)c->axes;
    int64_t rows = u->outputs * u->kernel;
    htp_dim dims[HTP_MAX_RANK] = {{.symbol = "size"}, {.symbol = "size"}};
    memcpy(dims + 2, u->in, c->axes * sizeof(*dims));
    htp_tensor_id weight = as_matrices(l, u, u->inputs, rows);
    weight = c->groups == 1 ? htp_emit_transpose(l, weight, (const int64_t[]){1, 0}, 2)
                            : htp_emit_transpose(l, weight, turned, 3);
    htp_tensor_id product =
        htp_emit_binary(l, "MatMul", weight, as_columns(l, u, c->x, dims, rank, u->inputs));
    htp_sizes shape = htp_sizes_begin(l);
    int64_t perm[HTP_MAX_RANK] = {0, 1};
    htp_sizes_add_int(&shape, 0);
    htp_sizes_add_int(&shape, u->outputs * c->groups);
    for (size_t i = 0; i < c->axes; i++) {
        htp_sizes_add_int(&shape, c->weight_dims[i + 2].size);
        perm[2 + 2 * i] = 2 + (int64_t)i;
        perm[3 + 2 * i] = 2 + (int64_t)(c->axes + i);
    }
    htp_sizes_add_dims(&shape, c->x, dims, 2, rank);
    product = htp_emit_binary(l, "Reshape", product, htp_sizes_end(&shape));
    return c->axes == 1 ? product : htp_emit_transpose(l, product, perm, 2 + 2 * c->axes);
}

/** An axis along which products are summed. */
typedef struct landing {
    int64_t kernel;
    int64_t stride;
    int64_t dilation;
    int64_t padding;
    htp_tensor_id in;  /* its size, [1] */
    htp_tensor_id out; /* [1] */
} landing;

/** As emit_sources(), for an axis of known sizes. */
static htp_tensor_id constant_sources(htp_lowering *l, const landing *a, int64_t in, int64_t out)
{
    const int64_t most = INT64_C(1) << 24;
    const int64_t dims[] = {a->kernel, out < 0 ? 0 : out};
    if (in > most || dims[1] > most / a->kernel) {
        htp_lower_fail(l, "its sizes are too large");
        return HTP_NONE;
    }
    int64_t *sources = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)(dims[0] * dims[1]) + 1);
    for (int64_t k = 0; k < dims[0]; k++) {
        for (int64_t o = 0; o < dims[1]; o++) {
            int64_t place = o + a->padding - k * a->dilation;
            int64_t source = place / a->stride;
            bool falls = place >= 0 && place % a->stride == 0 && source < in;
            sources[k * dims[1] + o] = k * (in + 1) + (falls ? source : in);
        }
    }
    return htp_builder_constant(l->model, HTP_DTYPE_INT64, 2, dims, sources);
}

/** The index of the product that each element receives, into kernel elements and axis, the latter
 * including its zero: [kernel, out] */
static htp_tensor_id emit_sources(htp_lowering *l, const landing *a)
{
    const int64_t last = 1;
    int64_t *offsets = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)a->kernel);
    int64_t *numbers = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)a->kernel);
    for (int64_t k = 0; k < a->kernel; k++) {
        offsets[k] = a->padding - k * a->dilation;
        numbers[k] = k;
    }
    htp_tensor_id offset =
        htp_emit_unsqueeze(l, htp_emit_ints(l, offsets, (size_t)a->kernel), &last, 1);
    htp_tensor_id number =
        htp_emit_unsqueeze(l, htp_emit_ints(l, numbers, (size_t)a->kernel), &last, 1);
    htp_tensor_id place = htp_emit_binary(l, "Add", offset, htp_emit_count_up(l, a->out));
    htp_tensor_id stride = htp_emit_int(l, a->stride);
    htp_tensor_id source = htp_emit_binary(l, "Div", place, stride);
    htp_tensor_id falls =
        htp_emit_binary(l, "Equal", htp_emit_binary(l, "Mul", source, stride), place);
    falls = htp_emit_binary(l, "And", falls,
                            htp_emit_binary(l, "GreaterOrEqual", place, htp_emit_int(l, 0)));
    falls = htp_emit_binary(l, "And", falls, htp_emit_binary(l, "Less", source, a->in));
    source = htp_emit(l, "Where", HTP_IN(falls, source, a->in), HTP_NO_AT);
    htp_tensor_id length = htp_emit_binary(l, "Add", a->in, htp_emit_int(l, 1));
    return htp_emit_binary(l, "Add", source, htp_emit_binary(l, "Mul", number, length));
}

/** Appends a zero to axis @p axis of @p rank. */
static htp_tensor_id append_zero(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, size_t axis,
                                 size_t rank)
{
    int64_t pads[2 * HTP_MAX_RANK] = {0};
    pads[rank + axis] = 1;
    return htp_emit(l, "Pad",
                    HTP_IN(x, htp_emit_ints(l, pads, 2 * rank), htp_emit_scalar(l, dtype, 0)),
                    HTP_NO_AT);
}

/** Reads the sizes of an axis; the result's follow from the arguments if the input's are known. */
static landing read_landing(htp_lowering *l, const unfolding *u, size_t i)
{
    const htp_convolution *c = u->c;
    landing a = {.kernel = c->weight_dims[i + 2].size,
                 .stride = c->stride[i],
                 .dilation = c->dilation[i],
                 .padding = c->pads[i]};
    int64_t more = a.dilation * (a.kernel - 1) + 1 + c->output_padding[i] - 2 * a.padding;
    if (!u->in[i].symbol) {
        a.in = htp_emit_int(l, u->in[i].size);
        a.out = htp_emit_int(l, (u->in[i].size - 1) * a.stride + more);
        return a;
    }
    a.in = htp_emit(l, "Shape", HTP_IN(c->x),
                    HTP_AT(htp_attribute_int("start", (int64_t)i + 2),
                           htp_attribute_int("end", (int64_t)i + 3)));
    a.out = htp_emit_binary(l, "Mul", a.in, htp_emit_int(l, a.stride));
    a.out = htp_emit_binary(l, "Add", a.out, htp_emit_int(l, more - a.stride));
    return a;
}

/** Sums along axis @p i; the axes after it are done. */
static htp_tensor_id add_up(htp_lowering *l, const unfolding *u, size_t i, htp_tensor_id x,
                            const landing *landings)
{
    const landing *a = &landings[i];
    const htp_dim *in = &u->in[i];
    const int64_t axis = 2 + 2 * (int64_t)i;
    size_t rank = 4 + 2 * i + (u->c->axes - 1 - i);
    x = append_zero(l, x, u->c->dtype, (size_t)axis + 1, rank);
    htp_sizes shape = htp_sizes_begin(l);
    for (int64_t k = 0; k < axis; k++) {
        htp_sizes_add_int(&shape, 0);
    }
    if (in->symbol) {
        htp_tensor_id length = htp_emit_binary(l, "Add", a->in, htp_emit_int(l, 1));
        htp_sizes_add_tensor(&shape, htp_emit_binary(l, "Mul", length, htp_emit_int(l, a->kernel)));
    } else {
        htp_sizes_add_int(&shape, a->kernel * (in->size + 1));
    }
    for (size_t k = i + 1; k < u->c->axes; k++) {
        htp_sizes_add_tensor(&shape, landings[k].out);
    }
    x = htp_emit_binary(l, "Reshape", x, htp_sizes_end(&shape));
    htp_tensor_id sources = in->symbol || u->out[i].symbol
                                ? emit_sources(l, a)
                                : constant_sources(l, a, in->size, u->out[i].size);
    x = htp_emit(l, "Gather", HTP_IN(x, sources), HTP_AT(htp_attribute_int("axis", axis)));
    return htp_emit_window_sum(l, x, u->c->dtype, axis, a->kernel);
}

static bool check_windows(htp_lowering *l, const unfolding *u)
{
    const htp_convolution *c = u->c;
    htp_window windows[3];
    for (size_t i = 0; i < c->axes; i++) {
        windows[i] = (htp_window){c->weight_dims[i + 2].size, c->stride[i], c->dilation[i],
                                  c->pads[i], c->output_padding[i]};
        if (!u->in[i].symbol && u->in[i].size > INT64_C(1) << 24) {
            htp_lower_fail(l, "its sizes are too large");
        }
    }
    return !l->failure && htp_window_check(l, windows, c->axes);
}

static htp_tensor_id convolve_transposed(htp_lowering *l, const unfolding *u)
{
    landing landings[3];
    if (!check_windows(l, u)) {
        return u->c->x;
    }
    htp_tensor_id x = emit_products(l, u);
    for (size_t i = 0; i < u->c->axes; i++) {
        landings[i] = read_landing(l, u, i);
    }
    for (size_t i = u->c->axes; i-- > 0;) {
        x = add_up(l, u, i, x, landings);
    }
    return x;
}

htp_tensor_id htp_emit_unfolded(htp_lowering *l, const htp_convolution *c)
{
    uint32_t rank = htp_output_rank(l, 0);
    unfolding u = {.c = c, .kernel = 1, .in = c->in};
    if (rank < c->axes + 1) {
        htp_lower_fail(l, "an output of rank %u is not supported", rank);
    }
    if (l->failure || !read_weight(l, &u)) {
        return c->x;
    }
    u.out = htp_output_dims(l, 0) + (rank - c->axes);
    htp_tensor_id y = c->transposed ? convolve_transposed(l, &u) : convolve(l, &u);
    if (c->bias == HTP_NONE || l->failure) {
        return y;
    }
    return htp_emit_binary(l, "Add", y, htp_emit_channels(l, c->bias, c->axes));
}
