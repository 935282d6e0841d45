/*
 * JSON as a tree of cJSON, which does not say whether it ran out of memory.
 */
#ifndef HTP_BASE_JSON_PARSE_H
#define HTP_BASE_JSON_PARSE_H

#include "base/arena.h"

#include <cjson/cJSON.h>

/** Parses a text. @return to be deleted; NULL: it is not JSON. Without memory, jumps to the
 * recovery point of @p arena. */
cJSON *htp_json_parse(htp_arena *arena, const char *text, size_t bytes);

/** Parses the value that a text begins with. @param[out] end  behind the value, or where it is not
 * JSON */
cJSON *htp_json_parse_first(htp_arena *arena, const char *text, size_t bytes, const char **end);

#endif
