/*
 * The signals that a write raises in its own thread: SIGXFSZ beyond the limit of a file's size
 * (setrlimit), SIGPIPE where nobody reads. A library must not change what a process does on
 * signals: they are held back in this thread alone, and a write that fails returns its error.
 */
#ifndef HTP_BASE_WRITE_SIGNALS_H
#define HTP_BASE_WRITE_SIGNALS_H

#include <signal.h>

/** What was so before. */
typedef struct htp_write_signals {
    sigset_t mask;
    sigset_t held; /* by htp_write_signals_hold(), and not pending before */
} htp_write_signals;

/** Holds the signals of writes back. */
void htp_write_signals_hold(htp_write_signals *before);

/** Drops those that were raised since, and lets signals through as before. */
void htp_write_signals_release(const htp_write_signals *before);

#endif
