/*
 * The outcome of a model as JSON: one object on a line.
 */
#ifndef HTP_CLI_FAILURE_H
#define HTP_CLI_FAILURE_H

#include <htp/htp.h>

/** {"model": ..., "status": "failed", "code": N, "error": ..., "details": [...]} and a newline. To
 * be freed with free(); NULL without memory. @p details may be NULL. */
char *htp_cli_failure_json(const char *model, int code, const char *error, htp_status details);

/** {"model": ..., "status": "ok", "output": ...} and a newline, as above. */
char *htp_cli_success_json(const char *model, const char *output);

#endif
