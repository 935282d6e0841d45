/*
 * Checks the metrics in a sidecar for plausibility.
 *
 * They are not measured anew, which would not reproduce metrics that needed a reference.
 */
#include "report/sidecar/sidecar_check.h"

#include "quality/quality.h"

#include <cjson/cJSON.h>
#include <math.h>

struct judging {
    const htp_view *view;
    const htp_tree *tree;
    htp_findings *findings;
    const char *part;   /* of the results: "depths", or "" for the whole */
    unsigned number;    /* of the part */
    const cJSON *whole; /* the results */
};

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void add(const struct judging *j, const char *what)
{
    if (*j->part) {
        htp_finding_add(j->findings, "sidecar: quality, %s %u: %s", j->part, j->number, what);
    } else {
        htp_finding_add(j->findings, "sidecar: quality: %s", what);
    }
}

/* A count; -1 if it is not one, or larger than any file allows. */
static double read_count(const cJSON *value)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : -1;
    return number >= 0 && number < 9e15 && floor(number) == number ? number : -1;
}

/* ---- measures ---- */

static bool is_measure(const cJSON *measure)
{
    double count = read_count(member(measure, "count"));
    double of = read_count(member(measure, "of"));
    const cJSON *percent = member(measure, "percent");
    if (count < 0 || of < count) {
        return false;
    }
    return of == 0
               ? cJSON_IsNull(percent)
               : cJSON_IsNumber(percent) && fabs(percent->valuedouble - 100 * count / of) < 1e-9;
}

static void judge_measures(const struct judging *j, const cJSON *part)
{
    const cJSON *metrics = member(part, "metrics");
    if (!cJSON_IsObject(metrics)) {
        add(j, "it has no metrics");
        return;
    }
    for (int i = 0; i < HTP_METRICS; i++) {
        const char *name = htp_metric_name((htp_metric)i);
        const cJSON *measure = member(metrics, name);
        if (measure ? !is_measure(measure) : part == j->whole) {
            add(j, htp_arena_printf(j->findings->arena, "\"%s\" %s", name,
                                    measure ? "is no share of a number" : "is missing"));
        }
    }
}

/* ---- the whole ---- */

/* Checks that members add up to a number. */
static void judge_sum(const struct judging *j, const char *name, double wanted)
{
    double sum = 0;
    const cJSON *parts = member(j->whole, name);
    for (const cJSON *part = cJSON_IsObject(parts) ? parts->child : NULL; part; part = part->next) {
        double count = read_count(part);
        sum = count < 0 || sum < 0 ? -1 : sum + count;
    }
    if (sum != wanted || !cJSON_IsObject(parts)) {
        add(j,
            htp_arena_printf(j->findings->arena, "\"%s\" does not add up to %.0f", name, wanted));
    }
}

static void judge_whole(const struct judging *j)
{
    const struct {
        const char *name;
        double wanted;
    } numbers[] = {{"nodes", (double)j->view->nodes.count},
                   {"module_count", (double)j->tree->module_count}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (read_count(member(j->whole, numbers[i].name)) != numbers[i].wanted) {
            add(j, htp_arena_printf(j->findings->arena, "\"%s\" is not %.0f", numbers[i].name,
                                    numbers[i].wanted));
        }
    }
    judge_measures(j, j->whole);
    const char *deepest = htp_metric_name(HTP_METRIC_SPECIFICITY);
    double of = read_count(member(member(member(j->whole, "metrics"), deepest), "of"));
    judge_sum(j, "scopes", (double)j->view->nodes.count);
    judge_sum(j, "specificity", of < 0 ? 0 : of);
}

/* ---- parts ---- */

static bool is_module(const struct judging *j, const cJSON *value)
{
    double index = read_count(value);
    return index >= 0 && index < (double)j->tree->module_count;
}

static bool is_score(const cJSON *value)
{
    return cJSON_IsNull(value) ||
           (cJSON_IsNumber(value) && value->valuedouble >= 0 && value->valuedouble <= 100);
}

static void judge_layer(const struct judging *j, const cJSON *layer)
{
    const cJSON *members = member(layer, "members");
    bool is_right = is_module(j, member(layer, "parent")) && is_score(member(layer, "score")) &&
                    cJSON_IsArray(members);
    for (const cJSON *one = is_right ? members->child : NULL; one; one = one->next) {
        is_right =
            is_right && is_module(j, member(one, "module")) && is_score(member(one, "score"));
        judge_measures(j, one);
    }
    if (!is_right) {
        add(j, "it is no layer of modules of the model");
    }
}

static void judge_parts(struct judging *j, const char *name,
                        void (*judge)(const struct judging *j, const cJSON *part))
{
    const cJSON *list = member(j->whole, name);
    if (!cJSON_IsArray(list)) {
        add(j, htp_arena_printf(j->findings->arena, "\"%s\" is no list", name));
        return;
    }
    j->part = name;
    j->number = 0;
    for (const cJSON *part = list->child; part; part = part->next) {
        judge(j, part);
        j->number++;
    }
    j->part = "";
}

htp_status htp_sidecar_check_quality(const htp_view *view, const htp_tree *tree,
                                     htp_sidecar_file *file, htp_findings *findings)
{
    struct judging j = {.view = view, .tree = tree, .findings = findings, .part = ""};
    if (!file->quality.at) {
        return HTP_OK;
    }
    HTP_TRY(htp_sidecar_file_parse(file, 0, file->quality, &j.whole));
    judge_whole(&j);
    judge_parts(&j, "depths", judge_measures);
    judge_parts(&j, "layers", judge_layer);
    return HTP_OK;
}
