/*
 * How good tags are, as a page for browsers: one file that holds all that it needs.
 *
 * Its parts are the files of report/page/, which scripts/embed-page makes one text of. It loads
 * nothing from anywhere, and its policy lets a browser run no other script than its own.
 */
#ifndef HTP_REPORT_QUALITY_PAGE_H
#define HTP_REPORT_QUALITY_PAGE_H

#include "base/json/json.h"
#include "base/stream.h"

/** Writes the document that a page shows: one JSON object. */
typedef void (*htp_page_document_fn)(void *user, htp_json *json);

/**
 * Writes a page.
 *
 * What could end the document within HTML (<, >, &) or a line of JavaScript (U+2028, U+2029) is
 * written as \uXXXX, so that it stays the same JSON, and text from files stays text.
 *
 * @param stream         takes the page, piece by piece; its arena is the document's, too
 * @param write_document called once
 * @return as htp_stream_end()
 */
bool htp_quality_page_write(htp_stream *stream, htp_page_document_fn write_document, void *user);

#endif
