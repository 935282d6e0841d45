/*
 * Spectra: the transforms of torch.fft along one or more axes, aten::fft_fftshift and
 * aten::fft_ifftshift, which rotate axes by half of their sizes.
 */
#include "lower/compose/complex.h"
#include "lower/emit/rows.h"
#include "lower/signal/fourier.h"

#include <string.h>

/** A family of transforms: full spectra along all axes but the last, and the named transform along
 * the last. */
typedef struct family {
    const char *name;
    htp_spectrum last;
    bool is_inverse;
} family;

static const family families[] = {
    {"fft", HTP_SPECTRUM_WHOLE, false}, {"ifft", HTP_SPECTRUM_WHOLE, true},
    {"rfft", HTP_SPECTRUM_HALF, false}, {"ihfft", HTP_SPECTRUM_HALF, true},
    {"hfft", HTP_SPECTRUM_REAL, false}, {"irfft", HTP_SPECTRUM_REAL, true},
};

/** The axes of a transform, the last one last, and their lengths. */
typedef struct axes {
    size_t count;
    uint32_t axis[HTP_MAX_RANK];
    htp_length length[HTP_MAX_RANK];
} axes;

htp_signal htp_arg_signal(htp_lowering *l, const char *name)
{
    htp_signal s = {.is_complex = htp_arg_is_complex(l, name),
                    .dtype = htp_dtype_real(htp_output_dtype(l, 0)),
                    .rank = htp_arg_rank(l, name)};
    if (s.dtype != HTP_DTYPE_FLOAT32 && s.dtype != HTP_DTYPE_FLOAT64) {
        htp_lower_fail(l, "transforms of %s are not supported", htp_dtype_name(s.dtype));
        return s;
    }
    if (s.rank == 0 || s.rank >= HTP_MAX_RANK) {
        htp_lower_fail(l, "a tensor of %u dims is not transformed", s.rank);
        return s;
    }
    const htp_dim *dims = htp_arg_dims(l, name);
    for (uint32_t i = 0; i < s.rank; i++) {
        s.dims[i] = dims[i];
    }
    if (!s.is_complex) {
        s.x = htp_arg_tensor_as(l, name, s.dtype);
    } else {
        htp_dtype from = htp_dtype_real(htp_arg_dtype(l, name));
        s.x = htp_emit_cast(l, htp_arg_pairs(l, name), from, s.dtype);
    }
    return s;
}

void htp_bind_signal(htp_lowering *l, const htp_signal *s)
{
    if (s->is_complex) {
        htp_bind_pairs(l, 0, s->x);
    } else {
        htp_bind(l, 0, s->x);
    }
}

/* ---- axes and lengths ---- */

/** A number of the graph as a length; the axis's size for -1. */
static htp_length read_length(htp_lowering *l, htp_value_id id, htp_length own)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (!htp_value_is_constant(l, id)) {
        return (htp_length){.vector = htp_value_vector(l, id)};
    }
    return value->i[0] == -1 ? own : htp_length_of(value->i[0]);
}

/** The default length of an axis: that of the signal with these frequencies. */
static htp_length own_length(htp_lowering *l, const htp_signal *s, uint32_t axis, bool is_real)
{
    htp_length own = htp_signal_length(l, s, axis);
    if (!is_real) {
        return own;
    }
    if (own.is_constant) {
        return htp_length_of(2 * (own.size - 1));
    }
    htp_tensor_id one = htp_emit_int(l, 1);
    own.vector = htp_emit_binary(l, "Sub", own.vector, one);
    own.vector = htp_emit_binary(l, "Add", own.vector, own.vector);
    return own;
}

/** The arguments dim and n, or dim and s. */
static axes arg_axes(htp_lowering *l, const htp_signal *s, bool is_real)
{
    axes a = {.count = 0};
    const char *name = htp_arg_present(l, "s") ? "s" : htp_arg_present(l, "n") ? "n" : NULL;
    size_t length_count = 0;
    htp_value_id single = HTP_NONE;
    const htp_value_id *lengths = &single;
    if (name && name[0] == 's') {
        lengths = htp_arg_list(l, name, &length_count);
    } else if (name) {
        single = htp_arg_value(l, name);
        length_count = 1;
    }
    size_t count = 0;
    const int64_t *given = htp_arg_dims_list(l, "dim", s->rank, false, &count);
    bool has_axes = htp_arg_present(l, "dim");
    a.count = has_axes ? count : name ? length_count : s->rank;
    if ((name && length_count != a.count) || a.count == 0 || a.count > s->rank) {
        htp_lower_fail(l, "it has %zu lengths for %zu axes", length_count, a.count);
        return a;
    }
    for (size_t i = 0; i < a.count; i++) {
        a.axis[i] = has_axes ? (uint32_t)given[i] : (uint32_t)(s->rank - a.count + i);
        a.length[i] = own_length(l, s, a.axis[i], is_real && i + 1 == a.count);
        if (name) {
            a.length[i] = read_length(l, lengths[i], a.length[i]);
        }
    }
    return a;
}

/* ---- transforms ---- */

/** Transforms a signal along all axes: a real signal first along the last axis, which makes it
 * complex; a real result last along the last axis. */
static void transform(htp_lowering *l, htp_signal *s, const axes *a, const family *f,
                      htp_scaling scaling)
{
    bool is_last_first = f->last != HTP_SPECTRUM_REAL;
    for (size_t i = 0; i < a->count && !l->failure; i++) {
        size_t k = is_last_first ? a->count - 1 - i : i;
        htp_emit_transform(l, s,
                           &(htp_transform){
                               .axis = a->axis[k],
                               .length = a->length[k],
                               .spectrum = k + 1 == a->count ? f->last : HTP_SPECTRUM_WHOLE,
                               .is_inverse = f->is_inverse,
                               .scaling = scaling,
                           });
    }
}

/** The argument norm of a transform in one direction; the default scales inverse ones. */
static htp_scaling arg_norm(htp_lowering *l, bool is_inverse)
{
    const char *norm = htp_arg_present(l, "norm") ? htp_arg_string(l, "norm") : "backward";
    if (strcmp(norm, "ortho") == 0) {
        return HTP_SCALE_ROOT;
    }
    if (strcmp(norm, "forward") != 0 && strcmp(norm, "backward") != 0) {
        htp_lower_fail(l, "the norm '%s' is not known", norm);
    }
    return (strcmp(norm, "forward") == 0) != is_inverse ? HTP_SCALE_LENGTH : HTP_SCALE_NONE;
}

/** The functions of torch.fft; the row says which family. */
void htp_lower_transform(htp_lowering *l)
{
    const family *f = families;
    while (strcmp(f->name, l->row->op) != 0) {
        f++;
    }
    htp_signal s = htp_arg_signal(l, "self");
    if (l->failure) {
        return;
    }
    axes a = arg_axes(l, &s, f->last == HTP_SPECTRUM_REAL);
    transform(l, &s, &a, f, arg_norm(l, f->is_inverse));
    htp_bind_signal(l, &s);
}

/** aten::_fft_c2c, _fft_r2c, _fft_c2r: the row says "c2c", "r2c" or "c2r". */
void htp_lower_raw_transform(htp_lowering *l)
{
    family f = {.last = HTP_SPECTRUM_WHOLE, .is_inverse = false};
    if (strcmp(l->row->op, "c2c") == 0) {
        f.is_inverse = !htp_arg_bool(l, "forward");
    } else if (strcmp(l->row->op, "r2c") == 0) {
        f.last = htp_arg_bool(l, "onesided") ? HTP_SPECTRUM_HALF : HTP_SPECTRUM_WHOLE;
    } else {
        f.last = HTP_SPECTRUM_REAL;
        f.is_inverse = true;
    }
    int64_t scaling = htp_arg_int(l, "normalization");
    htp_signal s = htp_arg_signal(l, "self");
    if (l->failure || scaling < HTP_SCALE_NONE || scaling > HTP_SCALE_LENGTH) {
        htp_lower_fail(l, "the normalization %lld is not known", (long long)scaling);
        return;
    }
    axes a = arg_axes(l, &s, f.last == HTP_SPECTRUM_REAL);
    if (f.last == HTP_SPECTRUM_REAL && a.count > 0) {
        htp_length *length = &a.length[a.count - 1];
        *length = read_length(l, htp_arg_value(l, "last_dim_size"), *length);
    }
    transform(l, &s, &a, &f, (htp_scaling)scaling);
    htp_bind_signal(l, &s);
}

/* ---- shifts ---- */

/** Rotates an axis by half of its size, rounded down, or up if @p is_inverse. */
static htp_tensor_id turn(htp_lowering *l, htp_tensor_id x, const htp_dim *dims, int64_t axis,
                          bool is_inverse)
{
    htp_tensor_id size = htp_emit_dim(l, x, dims, axis);
    htp_tensor_id at = htp_emit_int(l, axis);
    htp_tensor_id half = is_inverse ? size : htp_emit_binary(l, "Add", size, htp_emit_int(l, 1));
    half = htp_emit_binary(l, "Div", half, htp_emit_int(l, 2));
    htp_tensor_id front = htp_emit(l, "Slice", HTP_IN(x, half, size, at), HTP_NO_AT);
    htp_tensor_id back = htp_emit(l, "Slice", HTP_IN(x, htp_emit_int(l, 0), half, at), HTP_NO_AT);
    return htp_emit_concat(l, HTP_IN(front, back), axis);
}

/** The row says "inverse" or NULL. */
void htp_lower_fftshift(htp_lowering *l)
{
    size_t count = 0;
    const int64_t *axes =
        htp_arg_dims_list(l, "dim", htp_arg_rank(l, "self"), !htp_arg_present(l, "dim"), &count);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    for (size_t i = 0; i < count && htp_arg_rank(l, "self") > 0; i++) {
        x = turn(l, x, htp_arg_dims(l, "self"), axes[i], l->row->op != NULL);
    }
    htp_bind(l, 0, x);
}
