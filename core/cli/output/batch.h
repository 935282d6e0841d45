/*
 * Several models in one run.
 *
 * Worker processes do the work and this one supervises them; each takes the next model that nobody
 * has taken. A crash may damage a worker's memory, so it ends the worker and costs one model. A new
 * worker takes its place.
 */
#ifndef HTP_CLI_BATCH_H
#define HTP_CLI_BATCH_H

#include <stddef.h>

/** The work for one model. */
typedef struct htp_cli_batch_work {
    /** Works on one model, in the worker. @return an exit code. */
    int (*run)(void *user, size_t index);
    /** Reports, here, that the worker was killed while it worked on a model. */
    void (*report_killed)(void *user, size_t index, int signal);
    void *user;
} htp_cli_batch_work;

/** Works on all models in up to @p jobs processes, and lists on stderr those that failed. What
 * several processes print on stdout for one model stays together.
 * @return the exit code of the first model that failed, in the order of @p models; or 0. */
int htp_cli_batch_run(const char *const *models, size_t count, size_t jobs,
                      const htp_cli_batch_work *work);

#endif
