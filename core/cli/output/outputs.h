/*
 * Where each model is written, and JSON.
 */
#ifndef HTP_CLI_OUTPUTS_H
#define HTP_CLI_OUTPUTS_H

#include "cli/arguments/arguments.h"

/**
 * The output paths, one for each model: --out, or the models' names with .onnx in --out-dir.
 * @return NULL, after one line on stderr, if two models would share an output, or if the output of
 *         one would replace another one's input.
 */
char **htp_cli_outputs_make(const htp_cli_arguments *arguments);

/** Frees the paths; NULL is accepted. */
void htp_cli_outputs_free(char **outputs, size_t count);

/** Sends JSON to the file that --json names, if it names one.
 * @return an exit code: HTP_CODE_OK, or another one after one line on stderr, if the file cannot be
 *         written, or is an input or another output. */
int htp_cli_json_file_open(const htp_cli_arguments *arguments);

/** Publishes that file under its name, complete or not at all. @return an exit code, as above */
int htp_cli_json_file_publish(const htp_cli_arguments *arguments);

#endif
