#include "base/json/json.h"

#include <inttypes.h>

enum { CHUNK = 1 << 16 }; /* bytes per flush */

void htp_json_flush(htp_json *json)
{
    if (json->write && json->text.length > 0) {
        json->write(json->user, json->text.bytes, json->text.length);
        json->text.length = 0;
    }
}

void htp_json_line(htp_json *json)
{
    json->needs_line = true;
}

static void begin_value(htp_json *json, const char *key)
{
    if (json->text.length >= CHUNK) {
        htp_json_flush(json);
    }
    const char *comma = json->needs_comma ? "," : "";
    const char *space = json->needs_line ? "\n" : json->needs_comma ? " " : "";
    htp_text_add(&json->text, comma);
    htp_text_add(&json->text, space);
    json->needs_line = false;
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
    htp_text_add(&json->text, json->needs_line ? "\n" : "");
    json->needs_line = false;
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
    begin_value(json, key);
    htp_text_add_json_part(&json->text, value, length);
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

void htp_json_raw(htp_json *json, const char *key, const char *value)
{
    begin_value(json, key);
    htp_text_add(&json->text, value);
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
