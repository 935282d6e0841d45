/*
 * How far a verification is.
 */
#include "base/watch.h"
#include "verify/work.h"

htp_status htp_verify_tick(const htp_verify_work *work, const char *label, uint64_t done,
                           uint64_t total)
{
    htp_watch watch = {.stage = HTP_STAGE_COMPARED,
                       .label = label,
                       .progress = work->request->progress,
                       .user = work->request->user};
    return htp_watch_tick(&watch, done, total)
               ? HTP_OK
               : htp_status_make(HTP_CODE_INTERRUPTED, "interrupted");
}
