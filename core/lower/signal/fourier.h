/*
 * Discrete Fourier transforms. Private to core/lower.
 *
 * Reference: ONNX DFT (17, 20). Only its forward transform is used: ONNX Runtime's inverse one
 * loses digits, and its complex-to-real one is recent.
 */
#ifndef HTP_LOWER_FOURIER_H
#define HTP_LOWER_FOURIER_H

#include "lower/emit/lowering.h"

/** The operand: real numbers [dims], or complex ones as pairs [dims, 2]. */
typedef struct htp_signal {
    htp_tensor_id x;
    bool is_complex;
    htp_dtype dtype; /* float32 or float64 */
    uint32_t rank;   /* without the pairs' dim */
    htp_dim dims[HTP_MAX_RANK];
} htp_signal;

/** A size: a number, or a [1] tensor. */
typedef struct htp_length {
    bool is_constant;
    int64_t size;
    htp_tensor_id vector;
} htp_length;

/** Which frequencies a spectrum has. */
typedef enum htp_spectrum {
    HTP_SPECTRUM_WHOLE, /* all */
    HTP_SPECTRUM_HALF,  /* a real signal's, without mirror images */
    HTP_SPECTRUM_REAL,  /* from such a half back to a real signal */
} htp_spectrum;

/** The divisor of a transform. */
typedef enum htp_scaling {
    HTP_SCALE_NONE,
    HTP_SCALE_ROOT, /* the root of the length */
    HTP_SCALE_LENGTH,
} htp_scaling;

/** A transform along one axis. */
typedef struct htp_transform {
    uint32_t axis;
    htp_length length; /* the signal is cut or padded to it */
    htp_spectrum spectrum;
    bool is_inverse; /* the exponent is positive */
    htp_scaling scaling;
} htp_transform;

/** A tensor argument as a signal in output 0's dtype; fails unless that is float32 or float64. */
htp_signal htp_arg_signal(htp_lowering *l, const char *name);

/** Binds output 0 to a signal. */
void htp_bind_signal(htp_lowering *l, const htp_signal *s);

/** The length of an axis. */
htp_length htp_signal_length(htp_lowering *l, const htp_signal *s, uint32_t axis);

/** A static length. */
htp_length htp_length_of(int64_t size);

/** Transforms a signal in place. */
void htp_emit_transform(htp_lowering *l, htp_signal *s, const htp_transform *t);

#endif
