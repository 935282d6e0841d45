/*
 * Texts as files. Private to core/api.
 */
#ifndef HTP_API_WRITTEN_TEXT_H
#define HTP_API_WRITTEN_TEXT_H

#include "base/arena.h"
#include "base/status.h"

/** Writes a text and a newline to @p path, complete or not at all. @return HTP_CODE_CANNOT_WRITE */
HTP_MUST_USE htp_status htp_text_write(htp_arena *arena, const char *text, const char *path);

#endif
