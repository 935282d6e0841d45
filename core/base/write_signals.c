#include "base/write_signals.h"

#include <errno.h>
#include <time.h>

void htp_write_signals_hold(htp_write_signals *before)
{
    static const int signals[] = {SIGXFSZ, SIGPIPE};
    sigset_t pending;
    (void)sigemptyset(&before->held);
    (void)sigemptyset(&pending);
    (void)sigpending(&pending);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        if (!sigismember(&pending, signals[i])) {
            (void)sigaddset(&before->held, signals[i]);
        }
    }
    (void)pthread_sigmask(SIG_BLOCK, &before->held, &before->mask);
}

void htp_write_signals_release(const htp_write_signals *before)
{
    static const struct timespec at_once;
    const int error = errno;
    int taken;
    do {
        taken = sigtimedwait(&before->held, NULL, &at_once);
    } while (taken > 0 || (taken < 0 && errno == EINTR));
    (void)pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
    errno = error;
}
