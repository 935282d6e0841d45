/*
 * Inputs that nobody gave. Private to core/verify.
 */
#ifndef HTP_VERIFY_INPUTS_H
#define HTP_VERIFY_INPUTS_H

#include "onnx/shape_inference/infer_view.h"
#include "verify/axes.h"

/** What an input of A takes. */
typedef struct htp_input_kind {
    uint32_t value;
    int32_t data_type;
    size_t rank;
    const char *const *symbols; /* of dims; NULL: a number */
    const int64_t *sizes;       /* of dims that are numbers */
    int64_t
        limit; /* of an id: the rows of the smallest table that it is looked up in; 0: of none */
} htp_input_kind;

/** The inputs of A. */
typedef struct htp_input_kinds {
    HTP_VECTOR(htp_input_kind) items;
    htp_made_axes axes;
} htp_input_kinds;

/**
 * Finds what the inputs of a model take: those that have no initializer as their default.
 * @return HTP_CODE_USAGE for an input that cannot be made up: no tensor of numbers, or of unknown
 *         rank.
 */
HTP_MUST_USE htp_status htp_input_kinds_find(htp_arena *arena, const htp_view *view,
                                             htp_view_types *types, htp_input_kinds *kinds);

/**
 * Makes inputs: floats of a normal distribution; ids below their limit; other integers and bools of
 * 0 and 1, the first of each row 1. The same ones every time.
 * @param sizes  by axis.
 * @return NULL where some dim has no size, or there would be too many elements.
 */
const htp_array *htp_inputs_make(htp_arena *arena, const htp_input_kinds *kinds,
                                 const int64_t *sizes);

#endif
