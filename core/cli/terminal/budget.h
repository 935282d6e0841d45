/*
 * Seconds and memory that one model may take: --time-limit and --memory-limit. They are off by
 * default, since they depend on the machine. A timer watches them, so that they hold within
 * libtorch, too.
 */
#ifndef HTP_CLI_BUDGET_H
#define HTP_CLI_BUDGET_H

#include <stdbool.h>

typedef enum htp_cli_budget {
    HTP_CLI_BUDGET_TIME,
    HTP_CLI_BUDGET_MEMORY,
    HTP_CLI_BUDGET_COUNT,
} htp_cli_budget;

/** Sets the limits of each model. @param seconds, mebibytes  0: none */
void htp_cli_budget_set(int seconds, int mebibytes);

/** Whether there is such a limit, and its number. */
int htp_cli_budget_of(htp_cli_budget budget);

/** Starts the timer for a model: SIGALRM comes whenever limits are to be checked, or progress is to
 * be shown. */
void htp_cli_budget_start(void);

/** Stops it: the model is done. */
void htp_cli_budget_stop(void);

/** Which limit is exceeded; HTP_CLI_BUDGET_COUNT: none. For signal handlers. Memory is what the
 * process holds beside mapped files. */
htp_cli_budget htp_cli_budget_check(void);

#endif
