/*
 * The table of options: options.def. A row says how an option is read, and describes it.
 */
#ifndef HTP_CLI_MANUAL_OPTION_TABLE_H
#define HTP_CLI_MANUAL_OPTION_TABLE_H

#include "cli/arguments/arguments.h"

/** How an option is read; see options.def. */
typedef enum htp_cli_reads {
    HTP_CLI_READS_FLAG,
    HTP_CLI_READS_STRING,
    HTP_CLI_READS_NUMBER,
    HTP_CLI_READS_CHOICE,
    HTP_CLI_READS_WORDS,
    HTP_CLI_READS_LIST,
    HTP_CLI_READS_ONE,
    HTP_CLI_READS_OPTIONAL_FILE,
    HTP_CLI_READS_OPTIONAL_LIST,
    HTP_CLI_READS_OPTIONAL_CHOICE,
    HTP_CLI_READS_COMMAND,
    HTP_CLI_READS_CALL,
} htp_cli_reads;

/** A section of the options of an export. */
typedef enum htp_cli_group {
#define GROUP(id, title, text) HTP_CLI_GROUP_##id,
#include "cli/arguments/options.def"
    HTP_CLI_GROUP_COUNT,
} htp_cli_group;

typedef struct htp_cli_group_row {
    const char *title;
    const char *text; /* NULL: none */
} htp_cli_group_row;

/** A word that an option takes, and its meaning. */
typedef struct htp_cli_word {
    const char *name; /* NULL: the end of the words */
    unsigned value;
} htp_cli_word;

typedef struct htp_cli_option_row {
    const char *name;
    const char *argument; /* name of its value; NULL: it takes none */
    const char *standard; /* its default; NULL: not worth saying */
    htp_cli_group group;
    unsigned commands; /* bit N: command N takes it, and its help describes it */
    unsigned also;     /* bit N: command N takes it as an export does, and its help says so */
    const char *help;
    htp_cli_reads reads;
    size_t place;       /* offset of the field in the arguments; or the command */
    size_t size;        /* of the field of a CHOICE */
    size_t count_place; /* offset of the count of a list */
    int least;          /* of a number */
    const char *example;
    const htp_cli_word *words; /* NULL: any */
    bool (*call)(htp_cli_arguments *arguments, const char *value);
} htp_cli_option_row;

/** The short form of options. */
typedef struct htp_cli_letter {
    char letter;
    const char *name;
} htp_cli_letter;

/** All short forms. */
const htp_cli_letter *htp_cli_letters(size_t *count);

/** The letter of the options of this name; 0: they have none. */
char htp_cli_letter_find(const char *name);

/** All rows, in the order of the manual. */
const htp_cli_option_row *htp_cli_option_rows(size_t *count);

/** The title and the text of a group. */
const htp_cli_group_row *htp_cli_group_find(htp_cli_group group);

/** Whether an option's value may be left out. */
bool htp_cli_option_may_lack_value(const htp_cli_option_row *row);

/** Whether an option may be given several times. */
bool htp_cli_option_repeats(const htp_cli_option_row *row);

#endif
