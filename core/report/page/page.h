/*
 * A document of JSON as a self-contained HTML page: metrics of tags, or where two models part.
 *
 * scripts/embed-page joins the files for browsers in report/page/ into one text. The page loads
 * nothing, and its content security policy admits only its own script.
 */
#ifndef HTP_REPORT_PAGE_H
#define HTP_REPORT_PAGE_H

#include "base/json/json.h"
#include "base/stream.h"

/** Writes the document of a page: one JSON object. */
typedef void (*htp_page_document_fn)(void *user, htp_json *json);

/**
 * Writes a page.
 *
 * Characters that could end the document in HTML (<, >, &) or a line in JavaScript (U+2028, U+2029)
 * become \uXXXX. The JSON keeps its meaning, and text from files stays text.
 *
 * @param stream         takes the page, piece by piece; its arena is the document's, too
 * @param write_document called once
 * @return as htp_stream_end()
 */
bool htp_page_write(htp_stream *stream, htp_page_document_fn write_document, void *user);

#endif
