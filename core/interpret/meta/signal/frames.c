/*
 * Sizes of inverse short-time Fourier transforms (istft() in libtorch's SpectralOps.cpp).
 */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

#include <inttypes.h>

enum {
    SELF,
    SIZE,
    HOP,
    WIDTH,
    WINDOW,
    IS_CENTERED,
    IS_NORMALIZED,
    IS_ONESIDED,
    LENGTH,
    GIVES_COMPLEX
};

/* The parts of a signal. */
typedef struct frames {
    int64_t size; /* of a transform */
    int64_t hop;
    int64_t width; /* of the window */
    int64_t bins;
    int64_t count;
} frames;

static bool read_frames(htp_meta_call *call, frames *of)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    if (!htp_scalar_type_is_complex(self->type) || (self->rank != 2 && self->rank != 3) ||
        self->elements == 0) {
        htp_meta_text text;
        return htp_meta_refuse(call,
                               "istft: expected a complex tensor with 2 or 3 dimensions and with "
                               "elements, but got %s",
                               htp_meta_sizes_text(&text, self));
    }
    of->size = htp_meta_int(call, SIZE);
    of->hop = htp_meta_int_or(call, HOP, of->size / 4);
    of->width = htp_meta_int_or(call, WIDTH, of->size);
    of->bins = htp_meta_dim(self, -2);
    of->count = htp_meta_dim(self, -1);
    return true;
}

static bool is_onesided(const htp_meta_call *call, const frames *of)
{
    return htp_meta_has(call, IS_ONESIDED) ? htp_meta_bool(call, IS_ONESIDED)
                                           : of->size != of->bins;
}

static bool check_frames(htp_meta_call *call, const frames *of)
{
    const htp_runner_tensor *window = htp_meta_optional(call, WINDOW);
    int64_t bins = is_onesided(call, of) ? of->size / 2 + 1 : of->size;
    if (of->bins != bins) {
        return htp_meta_refuse(call,
                               "istft: expected the frequency dimension (3rd to the last) of the "
                               "input tensor to be %" PRId64 ", but got %" PRId64,
                               bins, of->bins);
    }
    if (of->hop <= 0 || of->hop > of->width || of->width > of->size) {
        return htp_meta_refuse(call,
                               "istft: expected 0 < hop_length <= win_length <= n_fft, but got "
                               "%" PRId64 ", %" PRId64 ", %" PRId64,
                               of->hop, of->width, of->size);
    }
    return !window || (window->rank == 1 && window->dims[0] == of->width) ||
           htp_meta_refuse(call,
                           "istft: expected a window of one dimension with %" PRId64 " elements",
                           of->width);
}

/* The length of a signal: frames are hop apart, and half a frame is cut off at each end. A signal
 * without elements is refused. */
static bool find_length(htp_meta_call *call, const frames *of, int64_t *length)
{
    int64_t whole = htp_meta_plus(of->size, htp_meta_times(of->hop, htp_meta_minus(of->count, 1)));
    int64_t cut = htp_meta_bool(call, IS_CENTERED) ? of->size / 2 : 0;
    int64_t covered = htp_meta_minus(whole, cut);
    *length = htp_meta_int_or(call, LENGTH, htp_meta_minus(covered, cut));
    return (*length > 0 && covered > 0) ||
           htp_meta_refuse(call, "istft: expected a signal of elements, got a length of %" PRId64,
                           *length);
}

bool htp_meta_signal_of_frames(htp_meta_call *call)
{
    frames of = {.size = 0};
    if (!read_frames(call, &of) || !check_frames(call, &of)) {
        return false;
    }
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    bool gives_complex = htp_meta_bool(call, GIVES_COMPLEX);
    if (gives_complex && is_onesided(call, &of)) {
        return htp_meta_refuse(call, "complex output is incompatible with onesided");
    }
    htp_meta_sizes sizes = {.rank = self->rank - 1};
    sizes.dims[0] = self->dims[0];
    return find_length(call, &of, &sizes.dims[sizes.rank - 1]) &&
           htp_meta_give(call, gives_complex ? self->type : htp_scalar_type_real(self->type),
                         &sizes);
}
