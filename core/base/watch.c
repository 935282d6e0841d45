#include "base/watch.h"

bool htp_watch_tick(void *user, uint64_t done, uint64_t total)
{
    htp_watch *watch = user;
    const htp_progress progress = {
        .stage = watch->stage, .done = done, .total = total, .label = watch->label};
    if (watch->progress && !watch->progress(watch->user, &progress)) {
        watch->is_interrupted = true;
    }
    return !watch->is_interrupted;
}
