/* stub */
#include "quality/parts.h"
void htp_judge_structure(htp_measuring *m)
{
    htp_give_up(m, HTP_METRIC_CONTAMINATION_STRUCTURE, "not yet");
}
void htp_judge_separation(htp_measuring *m)
{
    htp_give_up(m, HTP_METRIC_SEPARATION, "not yet");
}
void htp_judge_injectivity(htp_measuring *m)
{
    htp_give_up(m, HTP_METRIC_INJECTIVITY, "not yet");
}
