/*
 * A profile of ONNX Runtime, laid on the model of a query. Private to core/api.
 */
#ifndef HTP_API_TIMING_H
#define HTP_API_TIMING_H

#include "api/model.h"
#include "query/profile/profile.h"

/** Lives in the frame that frees the query's arena. All zeroes are accepted by htp_timing_close().
 */
typedef struct htp_timing {
    const char *path;
    htp_model *optimized; /* or NULL */
    htp_profile profile;
} htp_timing;

/** Opens the optimised model of a profile.
 * @param optimized  its path, or NULL */
HTP_MUST_USE htp_status htp_timing_open(htp_timing *timing, const char *path,
                                        const char *optimized);

/** Reads the profile into the arena of the query, and finds the nodes and modules of its kernels.
 */
HTP_MUST_USE htp_status htp_timing_read(htp_timing *timing, htp_query *query);

void htp_timing_close(htp_timing *timing);

#endif
