#include "api/queries/timing.h"

htp_status htp_timing_open(htp_timing *timing, const char *path, const char *optimized)
{
    *timing = (htp_timing){.path = path};
    return optimized ? htp_model_open(optimized, &timing->optimized) : HTP_OK;
}

htp_status htp_timing_read(htp_timing *timing, htp_query *query)
{
    const htp_profile_model whole = {&query->model->view, &query->model->tree};
    htp_profile_model optimized = {NULL, NULL};
    HTP_TRY(htp_profile_read(&timing->profile, &query->arena, timing->path));
    if (timing->optimized) {
        optimized = (htp_profile_model){&timing->optimized->view, &timing->optimized->tree};
    }
    htp_profile_place(&timing->profile, &whole, timing->optimized ? &optimized : NULL);
    return HTP_OK;
}

void htp_timing_close(htp_timing *timing)
{
    htp_profile_close(&timing->profile);
    htp_model_free(timing->optimized);
}
