/*
 * Signal handlers: a request to stop, and a crash.
 *
 * libtorch was not made for hostile files. A crash in it becomes one line and an exit code.
 * Temporary files are removed, and the process ends, since its memory cannot be trusted.
 */
#ifndef HTP_CLI_SIGNALS_H
#define HTP_CLI_SIGNALS_H

#include <htp/htp.h>
#include <stdbool.h>

/** Installs the handlers, also for stack overflows of the calling thread. */
void htp_cli_signals_install(void);

/** From now on, a crash is reported as one while reading @p model. With @p json, a failure is also
 * written as JSON. */
void htp_cli_signals_begin(const char *model, bool json);

/** Ends a phase: a later crash is reported as one of the next phase. */
void htp_cli_signals_finished(htp_stage stage);

/** From now on, an ONNX model is queried, without libtorch. */
void htp_cli_signals_asking(void);

/** Whether SIGINT, SIGTERM or SIGHUP asked to stop. The process is ended if nobody calls this
 * within two seconds, or before a second signal. */
bool htp_cli_signals_stop(void);

/** The caller is about to report the interrupt and to exit: handlers do so no more. Does not return
 * if one is doing so already. */
void htp_cli_signals_report_stop(void);

#endif
