/*
 * Lines for people. Whatever a model's names hold, a line stays a line and sends no control codes
 * to a terminal.
 */
#ifndef HTP_CLI_PRINT_H
#define HTP_CLI_PRINT_H

#include <htp/htp.h>
#include <stdio.h>

/** Prints "-" for @p path from now on: it is a standard stream in the place of a file. Two paths
 * can be. */
void htp_cli_print_as_standard(const char *path);

/** Writes "-" for these paths in a text, in place. */
void htp_cli_rename_standard(char *text);

/** `htp-trace: `, a formatted line, and a newline. To be freed with free(); NULL without memory. */
char *htp_cli_message_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** `htp-trace: ` and a formatted line on stderr. Without memory for it, the line says so. */
void htp_cli_print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Ends the program without memory for its arguments, before it has read or written anything. */
_Noreturn void htp_cli_end_without_memory(void);

/** A failure: its message as above, then its detail lines, indented. */
void htp_cli_print_failure(htp_status status);

/** An indented formatted line on stderr. */
void htp_cli_print_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints a part of the answer on stdout, after which no progress is shown. Whether that failed is
 * found by htp_cli_flush_stdout(). */
void htp_cli_print_bytes(const void *bytes, size_t count);

/** The same of a string. */
void htp_cli_print_text(const char *text);

/** Prints an answer of the library on stdout unless @p status is a failure. Frees it. */
void htp_cli_print_answer(htp_status status, char *answer);

/** Prints an object of JSON on a line of its own, on stdout unless it goes elsewhere. Frees it.
 * @param json  NULL: there was no memory for it
 * @return HTP_CODE_INTERNAL without memory; HTP_CODE_CANNOT_WRITE if it goes elsewhere and cannot
 * be written: then nothing of it is there */
HTP_MUST_USE htp_status htp_cli_print_json(char *json);

/** Sends JSON to the end of an open file from now on. */
void htp_cli_print_json_to(int fd);

/** Where JSON goes. */
int htp_cli_json_descriptor(void);

/** The columns of the terminal that stdout is; 0: it is none. */
size_t htp_cli_stdout_columns(void);

/** Whether stdout is a pipe whose reader is gone, which is nothing to report. */
bool htp_cli_stdout_is_closed(void);

/** Writes out stdout. @return false, after a line on stderr, when that failed: exit with
 * HTP_CODE_CANNOT_WRITE. */
bool htp_cli_flush_stdout(void);

#endif
