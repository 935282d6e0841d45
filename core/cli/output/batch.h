/*
 * Several models in one run.
 *
 * A worker process does the work and this one supervises it. A crash may damage the worker's
 * memory, so it ends the worker and costs one model. A new worker continues with the next.
 */
#ifndef HTP_CLI_BATCH_H
#define HTP_CLI_BATCH_H

#include <stddef.h>

/** The work for one model. */
typedef struct htp_cli_batch_work {
    /** Works on one model, in the worker. @return an exit code. */
    int (*run)(void *user, size_t index);
    /** Reports, here, that the worker was killed while it worked on a model. */
    void (*report_killed)(void *user, size_t index, const char *signal_name);
    void *user;
} htp_cli_batch_work;

/** Works on all models, and lists on stderr those that failed.
 * @return the first failure's exit code, or 0. */
int htp_cli_batch_run(const char *const *models, size_t count, const htp_cli_batch_work *work);

#endif
