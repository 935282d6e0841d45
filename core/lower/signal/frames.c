/*
 * Short-time Fourier transforms: aten::stft cuts a signal into overlapping frames and transforms
 * each; aten::istft transforms them back and adds them.
 */
#include "lower/compose/complex.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/signal/fourier.h"

#include <string.h>

/** The arguments of both. */
typedef struct frames {
    int64_t size; /* n_fft */
    int64_t hop;
    htp_tensor_id window; /* [size], or HTP_NONE: all ones */
    htp_scaling scaling;
    bool is_onesided;
} frames;

/** The window, centred in a frame; ones if only its length is given. */
static htp_tensor_id arg_window(htp_lowering *l, int64_t size, htp_dtype dtype)
{
    int64_t length = htp_arg_int_or(l, "win_length", size);
    if (length < 1 || length > size) {
        htp_lower_fail(l, "a window of %lld does not fit %lld", (long long)length, (long long)size);
        return HTP_NONE;
    }
    htp_tensor_id window = HTP_NONE;
    if (htp_arg_present(l, "window")) {
        window = htp_arg_tensor_as(l, "window", dtype);
    } else if (length < size) {
        window = htp_emit_fill(l, dtype, length, 1);
    }
    if (length < size) {
        const int64_t left = (size - length) / 2;
        const int64_t pads[] = {left, size - length - left};
        window = htp_emit_binary(l, "Pad", window, htp_emit_ints(l, pads, 2));
    }
    return window;
}

static frames arg_frames(htp_lowering *l, htp_dtype dtype, bool is_complex)
{
    frames f = {.size = htp_arg_int(l, "n_fft"), .window = HTP_NONE};
    f.hop = htp_arg_int_or(l, "hop_length", f.size / 4);
    if (f.size < 1 || f.hop < 1) {
        htp_lower_fail(l, "frames of %lld every %lld are not supported", (long long)f.size,
                       (long long)f.hop);
        return f;
    }
    f.window = arg_window(l, f.size, dtype);
    f.scaling = htp_arg_bool(l, "normalized") ? HTP_SCALE_ROOT : HTP_SCALE_NONE;
    f.is_onesided = htp_arg_bool_or(l, "onesided", !is_complex);
    return f;
}

/* ---- to frequencies ---- */

/** The signal, padded by half a frame at both ends if it is centred. */
static htp_signal arg_padded(htp_lowering *l, int64_t size)
{
    htp_signal s = htp_arg_signal(l, "self");
    uint32_t last = s.rank - 1;
    if (l->failure || s.is_complex || s.rank > 2) {
        htp_lower_fail(l, "only real signals in one batch are cut into frames");
        return s;
    }
    if (!htp_arg_present(l, "center") || !htp_arg_bool(l, "center")) {
        return s;
    }
    int64_t pads[4] = {0};
    pads[last] = size / 2;
    pads[s.rank + last] = size / 2;
    const char *mode = htp_arg_string(l, "pad_mode");
    bool is_known = strcmp(mode, "reflect") == 0 || strcmp(mode, "constant") == 0;
    const char *onnx_mode = strcmp(mode, "replicate") == 0 ? "edge" : mode;
    if (!is_known && strcmp(mode, "replicate") != 0) {
        htp_lower_fail(l, "the pad mode '%s' is not supported", mode);
    }
    s.x = htp_emit(l, "Pad", HTP_IN(s.x, htp_emit_ints(l, pads, 2 * (size_t)s.rank)),
                   HTP_AT(htp_attribute_string("mode", onnx_mode)));
    s.dims[last] = s.dims[last].symbol ? (htp_dim){.symbol = ""}
                                       : (htp_dim){.size = s.dims[last].size + size / 2 * 2};
    return s;
}

/** The positions in the signal of each frame: [frames, size] */
static htp_tensor_id frame_positions(htp_lowering *l, const htp_signal *s, const frames *f)
{
    const int64_t first = 0;
    const int64_t second = 1;
    htp_tensor_id end = htp_emit_dim(l, s->x, s->dims, s->rank - 1);
    end = htp_emit_binary(l, "Sub", end, htp_emit_int(l, f->size - 1));
    htp_tensor_id starts = htp_emit(l, "Range",
                                    HTP_IN(htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0),
                                           htp_emit_squeeze(l, end, &first, 1),
                                           htp_emit_scalar_int(l, HTP_DTYPE_INT64, f->hop)),
                                    HTP_NO_AT);
    htp_tensor_id offsets = htp_emit_count_up(l, htp_emit_int(l, f->size));
    return htp_emit_binary(l, "Add", htp_emit_unsqueeze(l, starts, &second, 1), offsets);
}

/** Cuts a signal into frames: [batch, frames, size] */
static void cut(htp_lowering *l, htp_signal *s, const frames *f)
{
    uint32_t last = s->rank - 1;
    int64_t span = s->dims[last].size - f->size;
    htp_tensor_id positions = frame_positions(l, s, f);
    s->x = htp_emit(l, "Gather", HTP_IN(s->x, positions), HTP_AT(htp_attribute_int("axis", last)));
    s->dims[last] =
        s->dims[last].symbol ? (htp_dim){.symbol = ""} : (htp_dim){.size = span / f->hop + 1};
    s->dims[last + 1] = (htp_dim){.size = f->size};
    s->rank++;
    if (f->window != HTP_NONE) {
        s->x = htp_emit_binary(l, "Mul", s->x, f->window);
    }
}

/** Exchanges the last two dims. */
static void turn_frames(htp_lowering *l, htp_signal *s)
{
    int64_t perm[HTP_MAX_RANK];
    for (uint32_t i = 0; i <= s->rank; i++) {
        perm[i] = i == s->rank - 1 ? s->rank - 2 : i == s->rank - 2 ? s->rank - 1 : i;
    }
    s->x = htp_emit_transpose(l, s->x, perm, s->rank + s->is_complex);
    htp_dim kept = s->dims[s->rank - 1];
    s->dims[s->rank - 1] = s->dims[s->rank - 2];
    s->dims[s->rank - 2] = kept;
}

/** aten::stft: frequencies come before frames. */
void htp_lower_stft(htp_lowering *l)
{
    if (htp_arg_bool_or(l, "align_to_window", false)) {
        htp_lower_fail(l, "frames that are aligned to the window are not supported");
        return;
    }
    frames f = arg_frames(l, htp_dtype_real(htp_output_dtype(l, 0)), false);
    htp_signal s = arg_padded(l, f.size);
    if (l->failure) {
        return;
    }
    cut(l, &s, &f);
    htp_emit_transform(
        l, &s,
        &(htp_transform){.axis = s.rank - 1,
                         .length = htp_length_of(f.size),
                         .spectrum = f.is_onesided ? HTP_SPECTRUM_HALF : HTP_SPECTRUM_WHOLE,
                         .scaling = f.scaling});
    turn_frames(l, &s);
    if (htp_dtype_is_complex(htp_output_dtype(l, 0))) {
        htp_bind_signal(l, &s);
    } else {
        htp_bind(l, 0, s.x);
    }
}

/* ---- back ---- */

/**
 * Adds overlapping frames: [batch, frames, size] to [batch, time]. A frame is cut into blocks of a
 * hop; block i of every frame goes i blocks to the right.
 */
static htp_tensor_id overlap_add(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, const frames *f)
{
    int64_t blocks = (f->size + f->hop - 1) / f->hop;
    int64_t spare = blocks * f->hop - f->size;
    if (spare > 0) {
        const int64_t pads[] = {0, 0, 0, 0, 0, spare};
        x = htp_emit_binary(l, "Pad", x, htp_emit_ints(l, pads, 6));
    }
    htp_tensor_id sum = HTP_NONE;
    for (int64_t i = 0; i < blocks && !l->failure; i++) {
        const int64_t pads[] = {0, i, 0, 0, blocks - 1 - i, 0};
        htp_tensor_id block =
            blocks == 1 ? x : htp_emit_slice(l, x, 2, i * f->hop, (i + 1) * f->hop);
        if (blocks > 1) {
            block = htp_emit_binary(l, "Pad", block, htp_emit_ints(l, pads, 6));
        }
        sum = i == 0 ? block : htp_typed_binary(l, "Add", dtype, sum, block);
    }
    sum = htp_emit_reshape(l, sum, (const int64_t[]){0, -1}, 2);
    return spare > 0 ? htp_emit_slice(l, sum, 1, 0, -spare) : sum;
}

/** The total weight of each sample, by adding squared windows in the same way: [1, time] */
static htp_tensor_id emit_envelope(htp_lowering *l, const htp_signal *s, const frames *f)
{
    htp_tensor_id window =
        f->window == HTP_NONE ? htp_emit_fill(l, s->dtype, f->size, 1) : f->window;
    htp_tensor_id square = htp_typed_binary(l, "Mul", s->dtype, window, window);
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, 1);
    htp_sizes_add_dims(&shape, s->x, s->dims, 1, 2);
    htp_sizes_add_int(&shape, f->size);
    square = htp_typed_expand(l, s->dtype, square, htp_sizes_end(&shape));
    return overlap_add(l, square, s->dtype, f);
}

/** Cuts off half a frame at each end if frames were centred; also trims to the argument length, to
 * which shorter signals are padded. */
static htp_tensor_id trim(htp_lowering *l, htp_tensor_id x, const frames *f, bool is_centred)
{
    int64_t start = is_centred ? f->size / 2 : 0;
    if (!htp_arg_present(l, "length")) {
        int64_t end = is_centred ? -(f->size / 2) : 0;
        return start == 0 ? x : htp_emit_slice(l, x, 1, start, end);
    }
    htp_tensor_id length = htp_arg_vector(l, "length");
    htp_tensor_id end =
        start == 0 ? length : htp_emit_binary(l, "Add", length, htp_emit_int(l, start));
    return htp_emit(l, "Slice", HTP_IN(x, htp_emit_int(l, start), end, htp_emit_int(l, 1)),
                    HTP_NO_AT);
}

/** Pads with zeros up to the argument length. */
static htp_tensor_id extend(htp_lowering *l, htp_tensor_id x)
{
    if (!htp_arg_present(l, "length")) {
        return x;
    }
    htp_tensor_id size = htp_emit(
        l, "Shape", HTP_IN(x), HTP_AT(htp_attribute_int("start", 1), htp_attribute_int("end", 2)));
    htp_tensor_id missing = htp_emit_binary(l, "Sub", htp_arg_vector(l, "length"), size);
    htp_tensor_id pads =
        htp_emit_concat(l, HTP_IN(htp_emit_fill(l, HTP_DTYPE_INT64, 3, 0), missing), 0);
    return htp_emit_binary(l, "Pad", x, pads);
}

/** Assembles frames [batch, frames, size], in the shape of the output. */
static htp_tensor_id put_together(htp_lowering *l, const htp_signal *s, const frames *f,
                                  htp_tensor_id x, htp_tensor_id envelope)
{
    const int64_t first = 0;
    bool is_centred = htp_arg_bool_or(l, "center", true);
    if (f->window != HTP_NONE) {
        x = htp_typed_binary(l, "Mul", s->dtype, x, f->window);
    }
    x = trim(l, overlap_add(l, x, s->dtype, f), f, is_centred);
    x = extend(l, htp_typed_binary(l, "Div", s->dtype, x, envelope));
    return htp_arg_rank(l, "self") == 3 ? x : htp_emit_squeeze(l, x, &first, 1);
}

static htp_tensor_id part_of(htp_lowering *l, htp_tensor_id pairs, int64_t part)
{
    return htp_emit(l, "Gather", HTP_IN(pairs, htp_emit_scalar_int(l, HTP_DTYPE_INT64, part)),
                    HTP_AT(htp_attribute_int("axis", 3)));
}

/** aten::istft of [frequencies, frames], perhaps in a batch. For a real signal, PyTorch, too, reads
 * only the first half of a whole spectrum. */
void htp_lower_istft(htp_lowering *l)
{
    const int64_t first = 0;
    bool gives_complex = htp_dtype_is_complex(htp_output_dtype(l, 0));
    if (htp_arg_present(l, "window") && htp_arg_is_complex(l, "window")) {
        htp_lower_fail(l, "a complex window is not supported");
        return;
    }
    htp_signal s = htp_arg_signal(l, "self");
    frames f = arg_frames(l, s.dtype, false);
    if (htp_arg_present(l, "length") && htp_arg_is_constant(l, "length") &&
        htp_arg_int(l, "length") < 1) {
        htp_lower_fail(l, "a signal without samples is not supported");
    }
    if (!l->failure && (!s.is_complex || s.rank < 2 || s.rank > 3)) {
        htp_lower_fail(l, "only spectra in one batch are put together");
    }
    if (l->failure) {
        return;
    }
    if (s.rank == 2) {
        s.x = htp_emit_unsqueeze(l, s.x, &first, 1);
        s.dims[2] = s.dims[1];
        s.dims[1] = s.dims[0];
        s.dims[0] = (htp_dim){.size = 1};
        s.rank = 3;
    }
    turn_frames(l, &s);
    htp_emit_transform(
        l, &s,
        &(htp_transform){.axis = 2,
                         .length = htp_length_of(f.size),
                         .spectrum = gives_complex ? HTP_SPECTRUM_WHOLE : HTP_SPECTRUM_REAL,
                         .is_inverse = true,
                         .scaling = f.scaling == HTP_SCALE_NONE ? HTP_SCALE_LENGTH : f.scaling});
    htp_tensor_id envelope =
        trim(l, emit_envelope(l, &s, &f), &f, htp_arg_bool_or(l, "center", true));
    if (!gives_complex) {
        htp_bind(l, 0, put_together(l, &s, &f, s.x, envelope));
        return;
    }
    const htp_complex parts = {put_together(l, &s, &f, part_of(l, s.x, 0), envelope),
                               put_together(l, &s, &f, part_of(l, s.x, 1), envelope)};
    htp_bind_complex(l, 0, parts, s.dtype);
}
