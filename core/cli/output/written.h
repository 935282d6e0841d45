/*
 * Queries of one model, and files written from it, for commands that only print the answer.
 */
#ifndef HTP_CLI_WRITTEN_H
#define HTP_CLI_WRITTEN_H

#include "cli/arguments/arguments.h"

/** What a query answers: text for people, and JSON if --json asks for it. Each pointer that is not
 * NULL receives a text of the library. */
typedef struct htp_cli_answer {
    char *text, *json;
    char **text_place, **json_place;
} htp_cli_answer;

/** Prepares the places. JSON on stdout takes the place of the text, which stays beside JSON in a
 * file. @param has_text  false: there is none for people */
void htp_cli_answer_begin(htp_cli_answer *answer, const htp_cli_arguments *arguments,
                          bool has_text);

/** Prints what was received, unless @p status is a failure. Frees it. @return @p status, or that of
 * htp_cli_print_json() */
HTP_MUST_USE htp_status htp_cli_answer_print(htp_cli_answer *answer, htp_status status);

/** Writes --out of a model that is open. */
typedef htp_status (*htp_cli_write_fn)(htp_model *opened, const htp_cli_arguments *arguments,
                                       const htp_write_options *options);

/** Opens @p model and writes from it. With --json a summary is printed on stdout. */
HTP_MUST_USE htp_status htp_cli_write(const htp_cli_arguments *arguments, const char *model,
                                      const htp_write_options *options, htp_cli_write_fn write);

/** Asks a model that is open. @param text, json  one of them receives the answer, or neither */
typedef htp_status (*htp_cli_ask_fn)(htp_model *opened, const htp_cli_arguments *arguments,
                                     const htp_write_options *options, char **text, char **json);

/**
 * Opens @p model, asks it, and prints the answer on stdout, as JSON with --json.
 * @param options  passed to @p ask; may be NULL
 */
HTP_MUST_USE htp_status htp_cli_ask(const htp_cli_arguments *arguments, const char *model,
                                    const htp_write_options *options, htp_cli_ask_fn ask);

/** The same for a summary of written files, which --quiet suppresses. */
HTP_MUST_USE htp_status htp_cli_report(const htp_cli_arguments *arguments, const char *model,
                                       const htp_write_options *options, htp_cli_ask_fn ask);

#endif
