#include "quality/threshold.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char all_contamination[] = "contamination";

static unsigned find_metrics(const char *name, size_t length)
{
    unsigned metrics = 0;
    for (int i = 0; i < HTP_METRICS; i++) {
        const char *known = htp_metric_name((htp_metric)i);
        bool is_one = strlen(known) == length && memcmp(known, name, length) == 0;
        bool is_kind = strlen(all_contamination) == length &&
                       memcmp(all_contamination, name, length) == 0 &&
                       htp_metric_is_contamination((htp_metric)i);
        metrics |= (unsigned)(is_one || is_kind) << i;
    }
    return metrics;
}

htp_status htp_threshold_read(const char *text, htp_threshold *threshold)
{
    const char *equals = text ? strchr(text, '=') : NULL;
    char *end = NULL;
    if (!equals) {
        return htp_status_make(
            HTP_CODE_USAGE, "--fail-under takes METRIC=VALUE, for example coverage=100, not '%s'",
            text ? text : "");
    }
    threshold->metrics = find_metrics(text, (size_t)(equals - text));
    if (threshold->metrics == 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "--fail-under: '%.*s' is no metric; htp-trace quality --help lists "
                               "them",
                               (int)(equals - text), text);
    }
    threshold->value = strtod(equals + 1, &end);
    bool is_number = end != equals + 1 && !*end && strchr("0123456789.", equals[1]);
    if (!is_number || !(threshold->value >= 0 && threshold->value <= 100)) {
        return htp_status_make(
            HTP_CODE_USAGE, "--fail-under: '%s' is no number of percent from 0 to 100", equals + 1);
    }
    return HTP_OK;
}

static void add_worse(htp_text *text, htp_metric metric, const htp_threshold *threshold,
                      const htp_measure *measure)
{
    double percent = htp_measure_percent(measure);
    bool is_bad = htp_metric_is_contamination(metric);
    if (measure->of == 0) {
        htp_text_addf(text, "%s%s is n/a: %s", text->length ? "; " : "", htp_metric_name(metric),
                      measure->reason ? measure->reason : "it does not apply");
    } else if (is_bad ? percent > threshold->value : percent < threshold->value) {
        htp_text_addf(text, "%s%s is %.2f %%, %s than %g %%", text->length ? "; " : "",
                      htp_metric_name(metric), percent, is_bad ? "more" : "less", threshold->value);
    }
}

const char *htp_threshold_judge(htp_arena *arena, const htp_threshold *threshold,
                                const htp_quality *quality)
{
    htp_text text = {.arena = arena};
    bool is_single = (threshold->metrics & (threshold->metrics - 1)) == 0;
    bool has_value = false;
    for (int i = 0; i < HTP_METRICS; i++) {
        has_value = has_value || (threshold->metrics >> i & 1 && quality->measures.of[i].of > 0);
    }
    for (int i = 0; i < HTP_METRICS; i++) {
        const htp_measure *measure = &quality->measures.of[i];
        if (threshold->metrics >> i & 1 && (is_single || !has_value || measure->of > 0)) {
            add_worse(&text, (htp_metric)i, threshold, measure);
        }
    }
    return text.length > 0 ? htp_text_string(&text) : NULL;
}
