/*
 * Inputs and outputs of a model that stand for complex numbers: real tensors with the real and the
 * imaginary part in a last dim of 2. The model's metadata name them.
 */
#ifndef HTP_ONNX_COMPLEX_BORDER_H
#define HTP_ONNX_COMPLEX_BORDER_H

#include "onnx/builder/builder.h"
#include "onnx/reader/value_type.h"
#include "onnx/reader/view.h"

/** Keys of the model's metadata: JSON arrays of names, where there are such inputs or outputs. */
#define HTP_COMPLEX_INPUTS_KEY "htp.complex_inputs"
#define HTP_COMPLEX_OUTPUTS_KEY "htp.complex_outputs"

/** The names of those among inputs or outputs that stand for complex numbers, as a JSON array; NULL
 * where there is none. */
const char *htp_complex_border_json(htp_arena *arena, const htp_builder *model,
                                    const htp_tensor_id *ids, size_t count);

/** Reads the names that the metadata of @p key hold, as JSON; what is no array holds none. The map
 * is in @p arena. */
htp_map htp_complex_border_read(htp_arena *arena, const htp_view *view, const char *key);

/** Whether the value @p name stands for complex numbers: it is among the names, and its type is
 * that of pairs. */
bool htp_complex_border_holds(htp_arena *arena, const htp_map *names, const char *name,
                              const htp_value_type *type);

#endif
