/*
 * Signals that a write raises in its own thread: SIGXFSZ beyond the file size limit (setrlimit),
 * SIGPIPE without a reader. A library must not change the signal handling of the process, so they
 * are blocked in this thread alone, and the write returns an error.
 */
#ifndef HTP_BASE_WRITE_SIGNALS_H
#define HTP_BASE_WRITE_SIGNALS_H

#include <signal.h>

/** The signal state before. */
typedef struct htp_write_signals {
    sigset_t mask;
    sigset_t held; /* by htp_write_signals_hold(), and not pending before */
} htp_write_signals;

/** Holds the signals of writes back. */
void htp_write_signals_hold(htp_write_signals *before);

/** Discards the signals that writes raised since, and restores the mask. errno stays. */
void htp_write_signals_release(const htp_write_signals *before);

#endif
