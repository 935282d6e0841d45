/*
 * Where each model is written.
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

#endif
