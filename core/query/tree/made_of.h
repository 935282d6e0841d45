/*
 * The parameters that initializers are made of, by their metadata: HTP_PARAMETER_KEY in
 * onnx/metadata/annotate.h.
 */
#ifndef HTP_QUERY_MADE_OF_H
#define HTP_QUERY_MADE_OF_H

#include "onnx/reader/view.h"

/** Dotted names of weights. */
typedef struct htp_made_of {
    const char *const *names;
    size_t count;     /* 0: it is stored as in the model, or unknown */
    bool is_computed; /* rather than laid out */
} htp_made_of;

/** Reads the metadata of an initializer of @p view, into the view's arena. */
htp_made_of htp_made_of_find(const htp_view *view, uint32_t tensor);

#endif
