#include "base/json.h"

#include <inttypes.h>

static void begin_value(htp_json *json, const char *key)
{
    if (json->needs_comma) {
        htp_text_add(&json->text, ", ");
    }
    if (key) {
        htp_text_add_json(&json->text, key);
        htp_text_add(&json->text, ": ");
    }
    json->needs_comma = true;
}

void htp_json_begin(htp_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    htp_text_add_bytes(&json->text, &bracket, 1);
    json->needs_comma = false;
}

void htp_json_end(htp_json *json, char bracket)
{
    htp_text_add_bytes(&json->text, &bracket, 1);
    json->needs_comma = true;
}

void htp_json_string(htp_json *json, const char *key, const char *value)
{
    if (!value) {
        htp_json_null(json, key);
        return;
    }
    begin_value(json, key);
    htp_text_add_json(&json->text, value);
}

void htp_json_string_part(htp_json *json, const char *key, const char *value, size_t length)
{
    htp_json_string(json, key, htp_arena_copy(json->text.arena, value, length));
}

void htp_json_number(htp_json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    htp_text_addf(&json->text, "%" PRId64, value);
}

void htp_json_count(htp_json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    htp_text_addf(&json->text, "%" PRIu64, value);
}

void htp_json_double(htp_json *json, const char *key, double value)
{
    begin_value(json, key);
    htp_text_add_double(&json->text, value);
}

void htp_json_bool(htp_json *json, const char *key, bool value)
{
    begin_value(json, key);
    htp_text_add(&json->text, value ? "true" : "false");
}

void htp_json_null(htp_json *json, const char *key)
{
    begin_value(json, key);
    htp_text_add(&json->text, "null");
}
