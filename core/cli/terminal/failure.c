#include "cli/terminal/failure.h"

#include "base/json/json.h"

#include <string.h>

/* In a frame below the one that sets the recovery point. */
static char *make(htp_arena *arena, const char *model, int code, const char *error,
                  htp_status details)
{
    if (htp_arena_recover(arena) != 0) {
        return NULL;
    }
    htp_text text = {.arena = arena};
    htp_text_add(&text, "{\"model\": ");
    htp_text_add_json(&text, model);
    htp_text_addf(&text, ", \"status\": \"failed\", \"code\": %d, \"error\": ", code);
    htp_text_add_json(&text, error);
    htp_text_add(&text, ", \"details\": [");
    for (size_t i = 0; i < htp_status_detail_count(details); i++) {
        htp_text_add(&text, i ? ", " : "");
        htp_text_add_json(&text, htp_status_detail_line(details, i));
    }
    htp_text_add(&text, "]}\n");
    return strdup(htp_text_string(&text));
}

char *htp_cli_failure_json(const char *model, int code, const char *error, htp_status details)
{
    htp_arena arena;
    htp_arena_init(&arena);
    char *json = make(&arena, model, code, error, details);
    htp_arena_free(&arena);
    return json;
}

/* In a frame below the one that sets the recovery point. */
static char *make_success(htp_arena *arena, const char *model, const char *output)
{
    if (htp_arena_recover(arena) != 0) {
        return NULL;
    }
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", model);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "output", output);
    htp_json_end(&json, '}');
    htp_text_add(&json.text, "\n");
    return strdup(htp_text_string(&json.text));
}

char *htp_cli_success_json(const char *model, const char *output)
{
    htp_arena arena;
    htp_arena_init(&arena);
    char *json = make_success(&arena, model, output);
    htp_arena_free(&arena);
    return json;
}
