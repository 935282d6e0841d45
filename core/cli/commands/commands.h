/*
 * The commands. Each returns the exit code, or the status that becomes it.
 */
#ifndef HTP_CLI_COMMANDS_H
#define HTP_CLI_COMMANDS_H

#include "cli/arguments/arguments.h"

/* With HTP_WHOLE_EXIT, destructors run, as leak checkers need. */
#ifdef HTP_WHOLE_EXIT
#define HTP_CLI_ENDS_AT_ONCE false
#else
#define HTP_CLI_ENDS_AT_ONCE true
#endif

/** Prints the usage of a command, or of all as JSON. */
int htp_cli_help(const htp_cli_arguments *arguments);

/** Prints the versions of the program and of libtorch. */
int htp_cli_version(void);

/** Lists the supported operators, one per line. */
int htp_cli_operators(void);

/** Runs the commands that work on one model after the other: export, dump, inspect, select and so
 * on. */
int htp_cli_export(const htp_cli_arguments *arguments);

/** Prints facts about one model, of PyTorch or ONNX. */
HTP_MUST_USE htp_status htp_cli_inspect(const htp_cli_arguments *arguments, const char *model,
                                        const htp_options *options);

/** Prints the nodes or weights of some modules of an ONNX model. */
HTP_MUST_USE htp_status htp_cli_select(const htp_cli_arguments *arguments, const char *model);

/** Writes an ONNX model without its tags. */
HTP_MUST_USE htp_status htp_cli_strip(const htp_cli_arguments *arguments, const char *model,
                                      const htp_write_options *options);

/** Writes an ONNX model with the tags of its original, and prints how many each rule found. */
HTP_MUST_USE htp_status htp_cli_retag(const htp_cli_arguments *arguments,
                                      const htp_write_options *options);

/** Writes an ONNX model with its functions inlined. */
HTP_MUST_USE htp_status htp_cli_inline(const htp_cli_arguments *arguments, const char *model,
                                       const htp_write_options *options);

/** Whether the command draws an SVG, which graphviz makes. */
bool htp_cli_graph_is_svg(const htp_cli_arguments *arguments);

/** Draws an ONNX model. */
HTP_MUST_USE htp_status htp_cli_graph(const htp_cli_arguments *arguments, const char *model,
                                      const htp_write_options *options);

/** Prints how long the modules of an ONNX model ran. */
HTP_MUST_USE htp_status htp_cli_profile(const htp_cli_arguments *arguments, const char *model);

/** Writes some modules of an ONNX model as a model, and prints its border. */
HTP_MUST_USE htp_status htp_cli_extract(const htp_cli_arguments *arguments, const char *model,
                                        const htp_write_options *options);

/** Writes an ONNX model as consecutive parts, and lists them. */
HTP_MUST_USE htp_status htp_cli_split(const htp_cli_arguments *arguments, const char *model,
                                      const htp_write_options *options);

/** Writes an ONNX model with modules replaced. */
HTP_MUST_USE htp_status htp_cli_replace(const htp_cli_arguments *arguments, const char *model,
                                        const htp_write_options *options);

/** Prints the findings of one ONNX model. */
HTP_MUST_USE htp_status htp_cli_validate(const htp_cli_arguments *arguments, const char *model,
                                         bool *has_findings);

/** Writes the sidecar of an ONNX model. */
HTP_MUST_USE htp_status htp_cli_sidecar(const htp_cli_arguments *arguments, const char *model,
                                        const htp_write_options *options);

/** Prints how good the tags of all ONNX models are. */
HTP_MUST_USE htp_status htp_cli_quality(const htp_cli_arguments *arguments, bool *is_worse);

/** Prints how two ONNX models differ. */
HTP_MUST_USE htp_status htp_cli_compare(const htp_cli_arguments *arguments, bool *is_different);

/** Prints where two ONNX models part when they run. @param run  has the callbacks */
HTP_MUST_USE htp_status htp_cli_verify(const htp_cli_arguments *arguments, const htp_options *run,
                                       bool *is_beyond);

#endif
