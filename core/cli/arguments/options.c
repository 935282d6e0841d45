#include "cli/arguments/options.h"

#include "cli/arguments/command_table.h"
#include "cli/arguments/option_table.h"
#include "cli/arguments/suggestion.h"
#include "cli/terminal/print.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t count_words(const htp_cli_word *words)
{
    size_t count = 0;
    while (words[count].name) {
        count++;
    }
    return count;
}

/* "a, b or c", for messages; cut at @p bytes. */
static const char *join_words(const htp_cli_word *words, char *text, size_t bytes)
{
    size_t count = count_words(words);
    size_t length = 0;
    for (size_t i = 0; i < count && length < bytes; i++) {
        const char *between = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        length += (size_t)snprintf(text + length, bytes - length, "%s%s", between, words[i].name);
    }
    return text;
}

static const htp_cli_word *find_word(const htp_cli_word *words, const char *name, size_t length)
{
    for (; words->name; words++) {
        if (strlen(words->name) == length && memcmp(words->name, name, length) == 0) {
            return words;
        }
    }
    return NULL;
}

static bool read_number(const htp_cli_option_row *row, const char *text, int *number)
{
    char *end = NULL;
    errno = 0;
    long read = strtol(text, &end, 10);
    bool is_number = end != text && !*end && errno == 0 && read >= row->least && read <= INT_MAX;
    *number = is_number ? (int)read : *number;
    if (!is_number) {
        htp_cli_print_message("--%s takes a number%s, for example --%s %s", row->name,
                              row->least == 0 ? " from 0 on" : "", row->name, row->example);
    }
    return is_number;
}

static bool read_choice(const htp_cli_option_row *row, const char *name, void *place)
{
    char known[128] = "";
    const htp_cli_word *word = find_word(row->words, name, strlen(name));
    if (!word) {
        htp_cli_print_message("--%s takes %s, not \"%s\"", row->name,
                              join_words(row->words, known, sizeof(known)), name);
        return false;
    }
    if (row->size == sizeof(bool)) {
        *(bool *)place = word->value;
    } else {
        memcpy(place, &word->value, sizeof(word->value));
    }
    return true;
}

/* A list of words: "attribute,metadata". A word without bits excludes all others. */
static bool read_words(const htp_cli_option_row *row, const char *list, unsigned *bits)
{
    char known[128] = "";
    unsigned read = 0;
    const char *alone = NULL;
    size_t count = 0;
    for (const char *name = list; name; count++) {
        name += strspn(name, " ");
        const char *comma = strchr(name, ',');
        size_t length = comma ? (size_t)(comma - name) : strlen(name);
        while (length > 0 && name[length - 1] == ' ') {
            length--;
        }
        const htp_cli_word *word = find_word(row->words, name, length);
        if (!word) {
            htp_cli_print_message("--%s takes a list of %s; \"%.*s\" is none of these", row->name,
                                  join_words(row->words, known, sizeof(known)), (int)length, name);
            return false;
        }
        read |= word->value;
        alone = word->value == 0 ? word->name : alone;
        name = comma ? comma + 1 : NULL;
    }
    if (alone && count > 1) {
        htp_cli_print_message("--%s %s stands alone", row->name, alone);
        return false;
    }
    *bits = read;
    return true;
}

static bool append(const htp_cli_option_row *row, htp_cli_arguments *arguments, const char *value)
{
    const char **array = *(const char ***)((char *)arguments + row->place);
    size_t *count = (size_t *)((char *)arguments + row->count_place);
    if (*count > 0 && row->reads == HTP_CLI_READS_ONE) {
        htp_cli_print_message("%s takes one --%s", htp_cli_command_find(arguments->command)->name,
                              row->name);
        return false;
    }
    array[(*count)++] = value;
    return true;
}

static bool read_option(htp_cli_arguments *arguments, const htp_cli_option_row *row,
                        const char *value)
{
    char *place = (char *)arguments + row->place;
    switch (row->reads) {
    case HTP_CLI_READS_FLAG:
        *(bool *)place = true;
        return true;
    case HTP_CLI_READS_STRING:
    case HTP_CLI_READS_OPTIONAL_FILE:
        *(const char **)place = value;
        return true;
    case HTP_CLI_READS_NUMBER:
        return read_number(row, value, (int *)place);
    case HTP_CLI_READS_CHOICE:
    case HTP_CLI_READS_OPTIONAL_CHOICE:
        return read_choice(
            row, *value || row->reads == HTP_CLI_READS_CHOICE ? value : row->words[0].name, place);
    case HTP_CLI_READS_WORDS:
        return read_words(row, value, (unsigned *)place);
    case HTP_CLI_READS_LIST:
    case HTP_CLI_READS_ONE:
    case HTP_CLI_READS_OPTIONAL_LIST:
        return append(row, arguments, value);
    case HTP_CLI_READS_COMMAND:
        arguments->about = arguments->command;
        arguments->command = (htp_cli_command)row->place;
        return true;
    default:
        return row->call(arguments, value);
    }
}

/* "htp-trace --help", of the command. */
static const char *name_help(const htp_cli_arguments *arguments, char *text, size_t bytes)
{
    bool is_export = htp_cli_command_bit(arguments->command) == htp_cli_command_bit(HTP_CLI_EXPORT);
    (void)snprintf(text, bytes, "htp-trace %s%s--help",
                   is_export ? "" : htp_cli_command_find(arguments->command)->name,
                   is_export ? "" : " ");
    return text;
}

static bool refuse_option(const htp_cli_arguments *arguments, int kind, const char *option)
{
    char help[64];
    (void)name_help(arguments, help, sizeof(help));
    const char *meant = htp_cli_option_suggest(option, arguments->command);
    if (kind == ':') {
        htp_cli_print_message("%s needs a value; see %s", option, help);
    } else if (meant) {
        htp_cli_print_message("%s is no option; did you mean --%s?", option, meant);
    } else {
        htp_cli_print_message("%s is no option, or takes no value; see %s", option, help);
    }
    return false;
}

static bool names_json(const char *word)
{
    static const char ending[] = ".json";
    size_t length = strlen(word);
    return length > strlen(ending) && strcmp(word + length - strlen(ending), ending) == 0;
}

/* Whether the word after --functions is the model. A folder is not. */
static bool names_model(const char *word)
{
    struct stat facts;
    return stat(word, &facts) == 0 && !S_ISDIR(facts.st_mode);
}

/* An optional value follows "=", or is the next word if that names a JSON file; for a list, if it
 * names no file; for a choice, if it is one of its words. */
static const char *take_word(htp_cli_arguments *arguments, const htp_cli_option_row *row, int argc,
                             char **argv)
{
    const char *word = optind < argc ? argv[optind] : "-";
    bool is_list = row->reads == HTP_CLI_READS_OPTIONAL_LIST;
    bool is_choice = row->reads == HTP_CLI_READS_OPTIONAL_CHOICE;
    bool is_value = is_list     ? !names_model(word)
                    : is_choice ? find_word(row->words, word, strlen(word)) != NULL
                                : names_json(word);
    if (*word == '-' || !is_value) {
        return "";
    }
    if (is_list) {
        arguments->selectors_word = word;
    }
    optind++;
    return word;
}

/* Whether another row of the same name shadows this one: the command's row counts, else the first.
 */
static bool is_hidden(const htp_cli_option_row *rows, size_t count, size_t place, unsigned command)
{
    bool is_taken = (rows[place].commands | rows[place].also) & command;
    for (size_t i = 0; i < count && !is_taken; i++) {
        bool is_other = i < place || (rows[i].commands | rows[i].also) & command;
        if (i != place && is_other && strcmp(rows[i].name, rows[place].name) == 0) {
            return true;
        }
    }
    return false;
}

/* @param options  with room for one more entry than rows. */
static void list_options(const htp_cli_arguments *arguments, struct option *options)
{
    size_t count = 0;
    const htp_cli_option_row *rows = htp_cli_option_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_hidden(rows, count, i, htp_cli_command_bit(arguments->command))) {
            continue;
        }
        options->name = rows[i].name;
        options->has_arg = htp_cli_option_may_lack_value(&rows[i]) ? optional_argument
                           : rows[i].argument                      ? required_argument
                                                                   : no_argument;
        options->val = UCHAR_MAX + 1 + (int)i; /* above all letters */
        options++;
    }
}

/* --json before or after --help selects JSON. */
static void look_for_json(htp_cli_arguments *arguments, int argc, char **argv)
{
    for (int i = optind; i < argc; i++) {
        arguments->json = arguments->json || strncmp(argv[i], "--json", 6) == 0;
    }
}

/* The letters, as getopt() takes them. A leading ':' tells missing values from unknown options. */
static void list_letters(const struct option *options, char *text)
{
    size_t count = 0;
    const htp_cli_letter *letters = htp_cli_letters(&count);
    *text++ = ':';
    for (size_t i = 0; i < count; i++) {
        const struct option *option = options;
        while (option->name && strcmp(option->name, letters[i].name) != 0) {
            option++;
        }
        *text++ = letters[i].letter;
        if (option->has_arg == required_argument) {
            *text++ = ':';
        }
    }
    *text = '\0';
}

/* The row of an option that getopt() read; NULL: there is none. */
static const htp_cli_option_row *find_row(const struct option *options, int read)
{
    size_t count = 0;
    const htp_cli_option_row *rows = htp_cli_option_rows(&count);
    for (; options->name && read <= UCHAR_MAX; options++) {
        if (htp_cli_letter_find(options->name) == read) {
            read = options->val;
        }
    }
    return read > UCHAR_MAX ? &rows[read - UCHAR_MAX - 1] : NULL;
}

static bool read_all(htp_cli_arguments *arguments, const struct option *options, int argc,
                     char **argv)
{
    char letters[2 * UCHAR_MAX];
    list_letters(options, letters);
    for (;;) {
        int before = optind;
        int option = getopt_long(argc, argv, letters, options, NULL);
        if (option == -1) {
            return true;
        }
        const htp_cli_option_row *row = find_row(options, option);
        if (!row) {
            return refuse_option(arguments, option, argv[optind > before ? optind - 1 : optind]);
        }
        if (!((row->commands | row->also) & htp_cli_command_bit(arguments->command))) {
            char help[64];
            htp_cli_print_message("--%s is no option of %s; see %s", row->name,
                                  htp_cli_command_find(arguments->command)->name,
                                  name_help(arguments, help, sizeof(help)));
            return false;
        }
        bool lacks_value = htp_cli_option_may_lack_value(row) && !optarg;
        const char *value = lacks_value ? take_word(arguments, row, argc, argv) : optarg;
        if (!read_option(arguments, row, value)) {
            return false;
        }
        if (arguments->command == HTP_CLI_HELP || arguments->command == HTP_CLI_VERSION) {
            look_for_json(arguments, argc, argv);
            return true; /* no other option matters */
        }
    }
}

bool htp_cli_options_read(htp_cli_arguments *arguments, int argc, char **argv)
{
    size_t count = 0;
    (void)htp_cli_option_rows(&count);
    struct option *options = calloc(count + 1, sizeof(*options));
    if (!options) {
        htp_cli_end_without_memory();
    }
    list_options(arguments, options);
    opterr = 0;
    bool is_read = read_all(arguments, options, argc, argv);
    free(options);
    return is_read;
}
