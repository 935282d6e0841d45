/*
 * The states in a model's metadata: which inputs take outputs of the previous call.
 *
 * The model's metadata have it as a JSON list, in the order of the inputs:
 *
 *     [{"attribute": "encoder.h", "input": "state.encoder.h", "output": "state.encoder.h.next",
 *       "dims": [2, 8], "first": 0}]
 *
 * "dims" are the sizes of the initial value, [] for a number; for dynamic axes, the sizes given to
 * the export. "first" is the value of all its elements: a number, true, false, or one of the texts
 * "nan", "inf" and "-inf"; null if elements differ, or there are none.
 */
#ifndef HTP_ONNX_STATE_PAIRS_H
#define HTP_ONNX_STATE_PAIRS_H

#include "onnx/builder/builder.h"
#include "onnx/reader/view.h"

/** The key of the model's metadata. */
#define HTP_STATES_KEY "htp.states"

/** A pair as read from a file: names are unchecked. */
typedef struct htp_state_pair {
    const char *attribute;
    const char *input;
    const char *output;
    const char *first; /* "0", "true", "-inf"; NULL: elements differ, or there are none */
    uint32_t rank;
    const int64_t *dims;
} htp_state_pair;

typedef HTP_VECTOR(htp_state_pair) htp_state_pairs;

/** The pairs of an export. */
htp_state_pairs htp_state_pairs_of(htp_arena *arena, const htp_builder *model);

/** The pairs whose inputs and outputs the file has: a part of a model may lack some. Malformed
 * metadata gives none. */
htp_state_pairs htp_state_pairs_read(htp_arena *arena, const htp_view *view);

/** The JSON list. */
const char *htp_state_pairs_json(htp_arena *arena, const htp_state_pairs *pairs);

/** A first value as text for people: "zeros", "all -inf", "empty", "as saved"; "3" for a number. */
const char *htp_state_pair_first_text(htp_arena *arena, const htp_state_pair *pair);

#endif
