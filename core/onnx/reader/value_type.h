/*
 * The types of values, as files declare them.
 */
#ifndef HTP_ONNX_VALUE_TYPE_H
#define HTP_ONNX_VALUE_TYPE_H

#include "onnx/reader/view.h"

/** One dim. */
typedef struct htp_value_dim {
    const char *symbol; /* NULL: a number, or unknown */
    int64_t size;       /* -1: unknown */
} htp_value_dim;

/** A type. */
typedef struct htp_value_type {
    bool is_known;         /* the file declares it, in a supported form */
    const char *container; /* "", HTP_VALUE_LIST, "optional ", or several of them */
    int32_t data_type;
    bool has_dims;
    const htp_value_dim *dims;
    size_t rank;
} htp_value_type;

/** The container of a list of tensors. */
#define HTP_VALUE_LIST "sequence of "

/** The type of a value: as declared, or that of its initializer. Texts are in @p arena. */
htp_value_type htp_value_type_find(htp_arena *arena, const htp_view *view, uint32_t value);

/** The type of a tensor of the file. */
htp_value_type htp_value_type_of_tensor(htp_arena *arena, const htp_view *view, uint32_t tensor);

/** "float32[batch,8]", "sequence of int64[?]", "?" if unknown. */
const char *htp_value_type_text(htp_arena *arena, const htp_value_type *type);

#endif
