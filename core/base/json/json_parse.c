#include "base/json/json_parse.h"

#include "base/json/json_scan.h"

cJSON *htp_json_parse_first(htp_arena *arena, const char *text, size_t bytes, const char **end)
{
    cJSON *parsed = cJSON_ParseWithLengthOpts(text, bytes, end, false);
    if (!parsed) {
        htp_json_part value;
        htp_json_scan scan = htp_json_scan_of((htp_json_part){text, bytes});
        if (htp_json_scan_value(&scan, &value)) { /* which takes less than cJSON, and no memory */
            htp_arena_exhaust(arena);
        }
    }
    return parsed;
}

cJSON *htp_json_parse(htp_arena *arena, const char *text, size_t bytes)
{
    const char *end;
    return htp_json_parse_first(arena, text, bytes, &end);
}
