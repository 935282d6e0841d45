/*
 * What initializers are made of, as files tell it: see HTP_PARAMETER_KEY in
 * onnx/metadata/annotate.h.
 */
#ifndef HTP_QUERY_MADE_OF_H
#define HTP_QUERY_MADE_OF_H

#include "onnx/reader/view.h"

/** Dotted names of weights. */
typedef struct htp_made_of {
    const char *const *names;
    size_t count; /* 0: it is stored as in the model, or nothing is told of it */
} htp_made_of;

/** What the metadata of an initializer of @p view tell, in the view's arena. */
htp_made_of htp_made_of_find(const htp_view *view, uint32_t tensor);

#endif
