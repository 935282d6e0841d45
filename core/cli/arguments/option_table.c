#include "cli/arguments/option_table.h"

#include "cli/arguments/masks.h"
#include "cli/terminal/print.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool read_error(const char *option, const char *value, double *error)
{
    char *end = NULL;
    *error = strtod(value, &end);
    bool is_error = end != value && !*end && *error >= 0 && isfinite(*error);
    if (!is_error) {
        htp_cli_print_message("--%s takes a number from 0 on, not \"%s\"", option, value);
    }
    return is_error;
}

static bool read_tolerance(htp_cli_arguments *arguments, const char *value)
{
    return read_error("tolerance", value, &arguments->verifying.tolerance);
}

static bool read_worse_than(htp_cli_arguments *arguments, const char *value)
{
    return read_error("worse-than", value, &arguments->selection.worse_than);
}

static bool read_dump_after(htp_cli_arguments *arguments, const char *value)
{
    arguments->command = HTP_CLI_DUMP_GRAPH;
    arguments->options.dump_after = value;
    return true;
}

static const htp_cli_group_row groups[] = {
#define GROUP(id, title, text) [HTP_CLI_GROUP_##id] = {title, text},
#include "cli/arguments/options.def"
};

#define PLACE(field) .place = offsetof(htp_cli_arguments, field)
#define FLAG(field) .reads = HTP_CLI_READS_FLAG, PLACE(field)
#define STRING(field) .reads = HTP_CLI_READS_STRING, PLACE(field)
#define NUMBER(field, least_, example_)                                                            \
    .reads = HTP_CLI_READS_NUMBER, PLACE(field), .least = (least_), .example = (example_)
#define TABLE(...)                                                                                 \
    .words = (const htp_cli_word[])                                                                \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, 0                                                                                \
        }                                                                                          \
    }
#define CHOSEN(field, ...)                                                                         \
    PLACE(field), .size = sizeof(((htp_cli_arguments *)0)->field), TABLE(__VA_ARGS__)
#define CHOICE(field, ...) .reads = HTP_CLI_READS_CHOICE, CHOSEN(field, __VA_ARGS__)
#define OPTIONAL_CHOICE(field, ...)                                                                \
    .reads = HTP_CLI_READS_OPTIONAL_CHOICE, CHOSEN(field, __VA_ARGS__)
#define WORDS(field, ...) .reads = HTP_CLI_READS_WORDS, PLACE(field), TABLE(__VA_ARGS__)
#define ARRAY(array, count) PLACE(array), .count_place = offsetof(htp_cli_arguments, count)
#define LIST(array, count) .reads = HTP_CLI_READS_LIST, ARRAY(array, count)
#define ONE(array, count) .reads = HTP_CLI_READS_ONE, ARRAY(array, count)
#define OPTIONAL_FILE(field) .reads = HTP_CLI_READS_OPTIONAL_FILE, PLACE(field)
#define OPTIONAL_LIST(array, count) .reads = HTP_CLI_READS_OPTIONAL_LIST, ARRAY(array, count)
#define BECOMES(command) .reads = HTP_CLI_READS_COMMAND, .place = HTP_CLI_##command
#define CALLS(function) .reads = HTP_CLI_READS_CALL, .call = (function)
#define CALLS_WITH(function, ...) CALLS(function), TABLE(__VA_ARGS__)
#define TAG_PLACES                                                                                 \
    {"attribute", HTP_TAG_ATTRIBUTE}, {"metadata", HTP_TAG_METADATA},                              \
        {"doc-string", HTP_TAG_DOC_STRING}, {"layer-ann", HTP_TAG_LAYER_ANN},                      \
    {                                                                                              \
        "none", 0                                                                                  \
    }

static const char limit_help[] = "Raises or lowers a limit of what a model may cost: "
#define LIMIT(id, name, value, counts) "`" name "`, "
#include "base/limits/limits.def"
                                 "all of which docs/LIMITS.md lists with their defaults.";

static const htp_cli_option_row rows[] = {
#define OPTION(name_, argument_, default_, group_, commands_, also_, how, help_)                   \
    {.name = (name_),                                                                              \
     .argument = (argument_),                                                                      \
     .standard = (default_),                                                                       \
     .group = HTP_CLI_GROUP_##group_,                                                              \
     .commands = (commands_),                                                                      \
     .also = (also_),                                                                              \
     .help = (help_),                                                                              \
     how},
#include "cli/arguments/options.def"
};

static const htp_cli_letter letters[] = {
#define LETTER(letter, name) {letter, name},
#include "cli/arguments/options.def"
};

const htp_cli_letter *htp_cli_letters(size_t *count)
{
    *count = COUNT(letters);
    return letters;
}

char htp_cli_letter_find(const char *name)
{
    for (size_t i = 0; i < COUNT(letters); i++) {
        if (strcmp(letters[i].name, name) == 0) {
            return letters[i].letter;
        }
    }
    return '\0';
}

const htp_cli_option_row *htp_cli_option_rows(size_t *count)
{
    *count = COUNT(rows);
    return rows;
}

const htp_cli_group_row *htp_cli_group_find(htp_cli_group group)
{
    return &groups[group];
}

bool htp_cli_option_may_lack_value(const htp_cli_option_row *row)
{
    return row->reads == HTP_CLI_READS_OPTIONAL_FILE || row->reads == HTP_CLI_READS_OPTIONAL_LIST ||
           row->reads == HTP_CLI_READS_OPTIONAL_CHOICE;
}

bool htp_cli_option_repeats(const htp_cli_option_row *row)
{
    return row->reads == HTP_CLI_READS_LIST || row->reads == HTP_CLI_READS_OPTIONAL_LIST;
}
