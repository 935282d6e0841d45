/*
 * Slices of texts. Private to core/onnx.
 */
#ifndef HTP_ONNX_INLINE_SPANS_H
#define HTP_ONNX_INLINE_SPANS_H

#include "base/text.h"
#include "onnx/reader/view.h"

#include <string.h>

static inline void htp_span_add(htp_text *text, htp_span span)
{
    htp_text_add_bytes(text, (const char *)span.at, span.bytes);
}

/** The bytes from @p begin up to @p end; empty if @p span is. */
static inline htp_span htp_span_part(htp_span span, size_t begin, size_t end)
{
    return (htp_span){span.at ? span.at + begin : NULL, end - begin};
}

static inline bool htp_span_begins(htp_span text, htp_span begin)
{
    return text.bytes >= begin.bytes &&
           (begin.bytes == 0 || memcmp(text.at, begin.at, begin.bytes) == 0);
}

#endif
