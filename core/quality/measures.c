/*
 * Metrics and their counts: for the model, for modules and for depths.
 */
#include "quality/parts.h"

static const char *const names[HTP_METRICS] = {
    [HTP_METRIC_COVERAGE] = "coverage",
    [HTP_METRIC_CONTAMINATION_WEIGHTS] = "contamination.weights",
    [HTP_METRIC_CONTAMINATION_CALLS] = "contamination.calls",
    [HTP_METRIC_CONTAMINATION_STRUCTURE] = "contamination.structure",
    [HTP_METRIC_SPECIFICITY] = "specificity",
    [HTP_METRIC_SCOPE] = "scope",
    [HTP_METRIC_TENSORS] = "tensors",
    [HTP_METRIC_WEIGHTS] = "weights",
    [HTP_METRIC_COHESION] = "cohesion",
    [HTP_METRIC_SEPARATION] = "separation",
    [HTP_METRIC_INJECTIVITY] = "injectivity",
    [HTP_METRIC_CONSISTENCY] = "consistency",
};

const char *htp_metric_name(htp_metric metric)
{
    return names[metric];
}

bool htp_metric_is_contamination(htp_metric metric)
{
    return metric == HTP_METRIC_CONTAMINATION_WEIGHTS || metric == HTP_METRIC_CONTAMINATION_CALLS ||
           metric == HTP_METRIC_CONTAMINATION_STRUCTURE;
}

double htp_measure_percent(const htp_measure *measure)
{
    return measure->of == 0 ? -1 : 100.0 * (double)measure->count / (double)measure->of;
}

static void add(htp_measure *measure, bool counts)
{
    measure->of++;
    measure->count += counts;
}

void htp_count(htp_measuring *m, htp_metric metric, uint32_t module, bool counts)
{
    add(&m->quality->measures.of[metric], counts);
    if (module != HTP_NONE) {
        module = m->subject->eligible[module];
        add(&m->modules[module].measures.of[metric], counts);
        add(&m->quality->depths[m->subject->tree->modules[module].depth].measures.of[metric],
            counts);
    }
}
