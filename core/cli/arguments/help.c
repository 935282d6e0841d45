#include "cli/arguments/help.h"

#include "cli/arguments/option_table.h"

#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 100,
    OPTION_INDENT = 24, /* column of descriptions */
    EXIT_INDENT = 7,
};

static void print_spaces(size_t count)
{
    (void)printf("%*s", (int)count, "");
}

/* Prints the words of a paragraph in lines, without the backquotes around code. Lines begin at
 * @p indent.
 * @param column  the current column. @return the column afterwards */
static size_t print_words(const char *text, size_t indent, size_t column)
{
    for (const char *word = text + strspn(text, " "); *word && *word != '\n';
         word += strspn(word, " ")) {
        size_t length = strcspn(word, " \n");
        size_t width = 0;
        for (size_t i = 0; i < length; i++) {
            width += word[i] != '`';
        }
        if (column > indent && column + 1 + width > WIDTH) {
            (void)putchar('\n');
            print_spaces(indent);
            column = indent;
        } else if (column > indent) {
            (void)putchar(' ');
            column++;
        }
        for (size_t i = 0; i < length; i++) {
            if (word[i] != '`') {
                (void)putchar(word[i]);
            }
        }
        column += width;
        word += length;
    }
    return column;
}

/* Newlines separate paragraphs. */
static void print_paragraphs(const char *text)
{
    for (; text; text = strchr(text, '\n')) {
        text += *text == '\n';
        (void)print_words(text, 0, 0);
        (void)puts("\n");
    }
}

static void print_usage(const char *usage)
{
    for (const char *prefix = "usage:"; usage; prefix = "      ") {
        const char *end = strchr(usage, '\n');
        int length = end ? (int)(end - usage) : (int)strlen(usage);
        (void)printf("%s htp-trace %.*s\n", prefix, length, usage);
        usage = end ? end + 1 : NULL;
    }
    (void)putchar('\n');
}

static void print_option(const htp_cli_option_row *row)
{
    bool may_lack = htp_cli_option_may_lack_value(row);
    char letter = htp_cli_letter_find(row->name);
    int width = letter ? printf("  -%c, ", letter) : printf("  ");
    width += printf("--%s%s%s%s", row->name,
                    !row->argument ? ""
                    : may_lack     ? " ["
                                   : " ",
                    row->argument ? row->argument : "", may_lack ? "]" : "");
    if (width + 1 > OPTION_INDENT) {
        (void)putchar('\n');
        width = 0;
    }
    print_spaces(OPTION_INDENT - (size_t)width);
    size_t column = print_words(row->help, OPTION_INDENT, OPTION_INDENT);
    if (row->standard) {
        char text[128];
        (void)snprintf(text, sizeof(text), "Default: %s.", row->standard);
        column = print_words(text, OPTION_INDENT, column);
    }
    (void)print_words(htp_cli_option_repeats(row) ? "May be repeated." : "", OPTION_INDENT, column);
    (void)putchar('\n');
}

/* Options that the command shares with exports. */
static void print_also(unsigned command)
{
    size_t count = 0;
    const htp_cli_option_row *rows = htp_cli_option_rows(&count);
    size_t column = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].also & command) {
            char name[64];
            (void)snprintf(name, sizeof(name), "--%s", rows[i].name);
            (void)fputs(column ? "" : "\n", stdout);
            column = column ? column : print_words("As an export takes them:", 4, 4);
            column = print_words(name, 4, column);
        }
    }
    (void)fputs(column ? "\n" : "", stdout);
}

static void print_groups(unsigned command)
{
    size_t count = 0;
    const htp_cli_option_row *rows = htp_cli_option_rows(&count);
    for (int group = 0; group < HTP_CLI_GROUP_COUNT; group++) {
        const htp_cli_group_row *head = htp_cli_group_find((htp_cli_group)group);
        (void)printf("%s\n", head->title);
        if (head->text) {
            print_spaces(2);
            (void)print_words(head->text, 2, 2);
            (void)putchar('\n');
        }
        for (size_t i = 0; i < count; i++) {
            if (rows[i].group == (htp_cli_group)group && rows[i].commands & command) {
                print_option(&rows[i]);
            }
        }
        (void)putchar('\n');
    }
}

static void print_options(unsigned command)
{
    size_t count = 0;
    const htp_cli_option_row *rows = htp_cli_option_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].commands & command) {
            print_option(&rows[i]);
        }
    }
    print_also(command);
    (void)putchar('\n');
}

static void print_commands(void)
{
    (void)puts("commands");
    for (int i = HTP_CLI_EXPORT + 1; i < HTP_CLI_DUMP_GRAPH; i++) {
        const htp_cli_command_row *row = htp_cli_command_find((htp_cli_command)i);
        (void)printf("  %-*s%s\n", OPTION_INDENT - 2, row->name, row->summary);
    }
    (void)putchar('\n');
}

static void print_exits(unsigned command)
{
    size_t count = 0;
    const htp_cli_exit_row *rows = htp_cli_exit_rows(&count);
    (void)puts("exit codes");
    for (size_t i = 0; i < count; i++) {
        if (rows[i].commands & command) {
            (void)printf("  %-*d", EXIT_INDENT - 2, rows[i].code);
            (void)print_words(rows[i].meaning, EXIT_INDENT, EXIT_INDENT);
            (void)putchar('\n');
        }
    }
}

static void print_variables(void)
{
    size_t count = 0;
    const htp_cli_variable_row *rows = htp_cli_variable_rows(&count);
    (void)puts("\nenvironment");
    for (size_t i = 0; i < count; i++) {
        (void)printf("  %-*s%s\n", OPTION_INDENT - 2, rows[i].name, rows[i].meaning);
    }
}

void htp_cli_print_help(htp_cli_command about)
{
    const htp_cli_command_row *row = htp_cli_command_find(about);
    unsigned command = htp_cli_command_bit(about);
    bool is_export = command == htp_cli_command_bit(HTP_CLI_EXPORT);
    print_usage(row->usage);
    print_paragraphs(row->description);
    if (is_export) {
        print_commands();
        print_groups(command);
    } else {
        print_options(command);
    }
    if (row->has_addresses) {
        print_paragraphs(htp_cli_addresses_text());
    }
    print_exits(command);
    if (is_export) {
        print_variables();
    }
}
