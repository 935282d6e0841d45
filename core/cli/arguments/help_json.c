#include "base/json/json.h"
#include "cli/arguments/help.h"
#include "cli/arguments/option_table.h"

#include <stdio.h>

static void add_words(htp_json *json, const htp_cli_word *words)
{
    htp_json_begin(json, "words", '[');
    for (; words && words->name; words++) {
        htp_json_string(json, NULL, words->name);
    }
    htp_json_end(json, ']');
}

static void add_option(htp_json *json, const htp_cli_option_row *row, bool is_export)
{
    htp_json_line(json);
    htp_json_begin(json, NULL, '{');
    const char letter[] = {htp_cli_letter_find(row->name), '\0'};
    htp_json_string(json, "name", row->name);
    htp_json_string(json, "letter", *letter ? letter : NULL);
    htp_json_string(json, "argument", row->argument);
    htp_json_bool(json, "argument_is_optional", htp_cli_option_may_lack_value(row));
    htp_json_string(json, "default", row->standard);
    htp_json_bool(json, "repeats", htp_cli_option_repeats(row));
    add_words(json, row->words);
    htp_json_string(json, "group", is_export ? htp_cli_group_find(row->group)->title : NULL);
    htp_json_string(json, "help", row->help);
    htp_json_end(json, '}');
}

static void add_options(htp_json *json, unsigned command)
{
    size_t count = 0;
    const htp_cli_option_row *rows = htp_cli_option_rows(&count);
    bool is_export = command == htp_cli_command_bit(HTP_CLI_EXPORT);
    htp_json_begin(json, "options", '[');
    for (size_t i = 0; i < count; i++) {
        if (rows[i].commands & command) {
            add_option(json, &rows[i], is_export);
        }
    }
    htp_json_end(json, ']');
    htp_json_begin(json, "options_of_exports", '[');
    for (size_t i = 0; i < count; i++) {
        if (rows[i].also & command) {
            htp_json_string(json, NULL, rows[i].name);
        }
    }
    htp_json_end(json, ']');
}

static void add_exits(htp_json *json, unsigned command)
{
    size_t count = 0;
    const htp_cli_exit_row *rows = htp_cli_exit_rows(&count);
    htp_json_begin(json, "exit_codes", '[');
    for (size_t i = 0; i < count; i++) {
        if (rows[i].commands & command) {
            htp_json_begin(json, NULL, '{');
            htp_json_number(json, "code", rows[i].code);
            htp_json_string(json, "meaning", rows[i].meaning);
            htp_json_end(json, '}');
        }
    }
    htp_json_end(json, ']');
}

static void add_command(htp_json *json, htp_cli_command command)
{
    const htp_cli_command_row *row = htp_cli_command_find(command);
    htp_json_line(json);
    htp_json_begin(json, NULL, '{');
    htp_json_string(json, "name", command == HTP_CLI_EXPORT ? NULL : row->name);
    htp_json_string(json, "usage", row->usage);
    htp_json_string(json, "summary", row->summary);
    htp_json_string(json, "description", row->description);
    htp_json_bool(json, "has_addresses", row->has_addresses);
    add_options(json, htp_cli_command_bit(command));
    add_exits(json, htp_cli_command_bit(command));
    htp_json_end(json, '}');
}

static void add_groups(htp_json *json)
{
    htp_json_begin(json, "groups", '[');
    for (int i = 0; i < HTP_CLI_GROUP_COUNT; i++) {
        const htp_cli_group_row *row = htp_cli_group_find((htp_cli_group)i);
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "title", row->title);
        htp_json_string(json, "text", row->text);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

static void add_variables(htp_json *json)
{
    size_t count = 0;
    const htp_cli_variable_row *rows = htp_cli_variable_rows(&count);
    htp_json_begin(json, "environment", '[');
    for (size_t i = 0; i < count; i++) {
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "name", rows[i].name);
        htp_json_string(json, "meaning", rows[i].meaning);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

/* A failure of stdout is reported at the end, as always. */
static void print(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)fwrite(bytes, 1, length, stdout);
}

/* In a frame below the one that sets the recovery point. */
static void print_all(htp_arena *arena)
{
    if (htp_arena_recover(arena) != 0) {
        return;
    }
    htp_json json = {.text.arena = arena, .write = print};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "version", htp_version());
    htp_json_begin(&json, "commands", '[');
    for (int i = HTP_CLI_EXPORT; i < HTP_CLI_DUMP_GRAPH; i++) {
        add_command(&json, (htp_cli_command)i);
    }
    htp_json_end(&json, ']');
    add_groups(&json);
    htp_json_string(&json, "addresses", htp_cli_addresses_text());
    add_variables(&json);
    htp_json_end(&json, '}');
    htp_text_add(&json.text, "\n");
    htp_json_flush(&json);
}

void htp_cli_print_help_json(void)
{
    htp_arena arena;
    htp_arena_init(&arena);
    print_all(&arena);
    htp_arena_free(&arena);
}
