/*
 * Complex inputs and outputs of a model: real tensors with a last dim of 2 for the real and the
 * imaginary part. The model's metadata list them.
 */
#ifndef HTP_ONNX_COMPLEX_BORDER_H
#define HTP_ONNX_COMPLEX_BORDER_H

#include "onnx/builder/builder.h"
#include "onnx/reader/value_type.h"
#include "onnx/reader/view.h"

/** Keys of the model's metadata: JSON arrays of names, where there are such inputs or outputs. */
#define HTP_COMPLEX_INPUTS_KEY "htp.complex_inputs"
#define HTP_COMPLEX_OUTPUTS_KEY "htp.complex_outputs"

/** The names of complex inputs or outputs as a JSON array; NULL if there are none. */
const char *htp_complex_border_json(htp_arena *arena, const htp_builder *model,
                                    const htp_tensor_id *ids, size_t count);

/** Reads the names in the metadata entry @p key; none if it is no JSON array. The map is in
 * @p arena. */
htp_map htp_complex_border_read(htp_arena *arena, const htp_view *view, const char *key);

/** Whether the value @p name stands for complex numbers: it is among the names, and its type is
 * that of pairs. */
bool htp_complex_border_holds(htp_arena *arena, const htp_map *names, const char *name,
                              const htp_value_type *type);

#endif
