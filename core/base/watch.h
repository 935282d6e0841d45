/*
 * Progress of the work within a stage, which the caller may stop.
 */
#ifndef HTP_BASE_WATCH_H
#define HTP_BASE_WATCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct htp_watch {
    htp_stage stage;
    const char *label;        /* of the items counted: "nodes" */
    htp_progress_fn progress; /* NULL: no reports */
    void *user;
    bool is_interrupted;
} htp_watch;

/** Reports how far the work is; @p user is a htp_watch. @return false to stop */
bool htp_watch_tick(void *user, uint64_t done, uint64_t total);

#endif
