#include "report/quality.h"
const char *htp_report_quality(htp_arena *arena, const htp_quality_report *report)
{
    (void)report;
    return htp_arena_strdup(arena, "");
}
void htp_report_quality_csv(htp_stream *stream, const htp_quality_report *report)
{
    (void)stream;
    (void)report;
}
