/*
 * Metrics as text.
 */
#include "report/quality/quality.h"

#include "query/dataflow/source_line.h"
#include "report/tree/table.h"
#include "report/tree/values.h"

#include <stdlib.h>
#include <string.h>

enum { BAR = 20, WORST = 10, LAYERS = 12 };

static const char *grouped(htp_text *text, uint64_t number)
{
    return htp_text_grouped(text->arena, number);
}

static void add_header(htp_text *text, const htp_quality_entry *entry)
{
    const htp_quality *q = entry->quality;
    const htp_reference *reference = q->reference;
    htp_report_add_line(text, entry->is_against ? "against" : "model", q->subject->view->path);
    htp_report_add_line(text, "hierarchy", q->subject->tree->source_text);
    if (reference) {
        htp_report_add_line(text, "reference",
                            htp_arena_printf(text->arena, "%s (%s): %s nodes matched, %s not",
                                             reference->file, reference->kind,
                                             grouped(text, reference->matched),
                                             grouped(text, reference->unmatched)));
    }
    htp_text_addf(text, "%-10s %s nodes, %s tensors, %s weights, %s modules\n\n", "size",
                  grouped(text, q->subject->node_count), grouped(text, q->tensors),
                  grouped(text, q->weights), grouped(text, q->subject->module_count));
}

/* "100.0%" and its base, or the reason why there is no value. */
static void add_metric(htp_text *text, htp_metric metric, const htp_measure *measure)
{
    htp_text_addf(text, "%-24s", htp_metric_name(metric));
    if (measure->of == 0) {
        const char *reason = measure->reason ? measure->reason : "it does not apply";
        htp_text_addf(text, "   n/a  %s\n", reason);
        return;
    }
    htp_text_addf(text, "%5.1f%%  %s of %s\n", htp_measure_percent(measure),
                  grouped(text, measure->count), grouped(text, measure->of));
}

/* ---- layers ---- */

/* "########............  40.0%" */
static const char *score_text(htp_arena *arena, double score)
{
    int full = score < 0 ? 0 : (int)(score * BAR / 100);
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++) {
        bar[i] = i < full ? '#' : '.';
    }
    bar[BAR] = '\0';
    return score < 0 ? htp_arena_printf(arena, "%s     n/a", bar)
                     : htp_arena_printf(arena, "%s  %5.1f%%", bar, score);
}

static htp_report_row make_member(htp_arena *arena, const htp_quality *q, uint32_t module)
{
    return (htp_report_row){.name = q->subject->tree->modules[module].tag,
                            .cells = {htp_text_grouped(arena, q->modules[module].nodes),
                                      score_text(arena, htp_report_score(q, module))}};
}

/* Whether no node of a layer has a problem. */
static bool is_good(const htp_quality *q, const htp_quality_layer *layer)
{
    for (uint32_t i = 0; i < layer->count; i++) {
        const htp_quality_module *module = &q->modules[layer->members[i]];
        if (module->good < module->nodes) {
            return false;
        }
    }
    return true;
}

static void add_layers(htp_text *text, const htp_quality_report *report, const htp_quality *q)
{
    HTP_VECTOR(htp_report_row) rows = {0};
    const htp_report_row head = {.name = htp_slice_of("layer"),
                                 .cells = {"nodes", "without problems"}};
    size_t hidden = 0;
    if (q->layers.count == 0) {
        return;
    }
    HTP_PUSH(text->arena, &rows, head);
    for (size_t i = 0; i < q->layers.count; i++) {
        const htp_quality_layer *layer = &q->layers.items[i];
        bool is_shown = report->lists_all || i == 0 || !is_good(q, layer);
        for (uint32_t k = 0; k < layer->count; k++) {
            const htp_quality_module *module = &q->modules[layer->members[k]];
            bool is_member_shown = report->lists_all || k < LAYERS || module->good < module->nodes;
            if (is_shown && is_member_shown) {
                HTP_PUSH(text->arena, &rows, make_member(text->arena, q, layer->members[k]));
            } else {
                hidden++;
            }
        }
    }
    htp_text_add(text, "\n");
    htp_report_table(text, rows.items, rows.count);
    if (hidden > 0) {
        htp_text_addf(text, "and %s more without problems; --verbose lists them\n",
                      grouped(text, hidden));
    }
}

/* ---- nodes ---- */

struct worst {
    uint32_t node;
    unsigned problems;
};

static unsigned count_problems(unsigned bits)
{
    unsigned count = 0;
    for (; bits; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* Most problems first. */
static int compare_worst(const void *a, const void *b)
{
    const struct worst *first = a;
    const struct worst *second = b;
    if (first->problems != second->problems) {
        return first->problems > second->problems ? -1 : 1;
    }
    return first->node < second->node ? -1 : first->node > second->node;
}

static void add_truth(htp_text *text, const htp_quality *q, uint32_t node)
{
    static const char *const oracles[HTP_ORACLES] = {"weights", "calls"};
    for (int oracle = 0; oracle < HTP_ORACLES; oracle++) {
        uint32_t module = q->truth[oracle][node];
        if (module != HTP_NONE && module != q->subject->module_of[node]) {
            htp_slice tag = q->subject->tree->modules[module].tag;
            htp_text_addf(text, "    by %-8s %s\n", oracles[oracle],
                          htp_report_name(text->arena, tag.at, tag.length));
        }
    }
}

static void add_node(htp_text *text, const htp_quality *q, uint32_t node)
{
    const htp_subject *s = q->subject;
    const char *name = htp_view_call_node(s->view, node);
    htp_source_line source = htp_source_line_find(s->view, s->tree, node);
    uint32_t module = s->module_of[node];
    htp_slice tag = module == HTP_NONE ? htp_slice_of("no tag") : s->tree->modules[module].tag;
    htp_text found = {.arena = text->arena};
    htp_text_addf(text, "  %s\n", htp_text_printable(text->arena, name));
    for (int i = 0; i < HTP_METRICS; i++) {
        if (q->problems[node] >> i & 1) {
            htp_text_addf(&found, "%s%s", found.length ? ", " : "", htp_metric_name((htp_metric)i));
        }
    }
    htp_text_addf(text, "    %s\n", htp_text_string(&found));
    htp_text_addf(text, "    tag         %s\n", htp_report_name(text->arena, tag.at, tag.length));
    add_truth(text, q, node);
    if (source.file.at) {
        const char *line =
            htp_arena_printf(text->arena, "%.*s:%.*s", (int)source.file.length, source.file.at,
                             (int)source.line.length, source.line.at);
        htp_text_addf(text, "    source      %s\n", htp_text_printable(text->arena, line));
    }
}

static void add_nodes(htp_text *text, const htp_quality_report *report, const htp_quality *q)
{
    uint32_t nodes = q->subject->node_count;
    struct worst *list = HTP_NEW_ARRAY(text->arena, struct worst, nodes + 1U);
    size_t count = 0;
    for (uint32_t n = 0; n < nodes; n++) {
        if (q->problems[n]) {
            list[count++] = (struct worst){n, count_problems(q->problems[n])};
        }
    }
    if (count == 0) {
        htp_text_add(text, "\nno node has a problem\n");
        return;
    }
    qsort(list, count, sizeof(*list), compare_worst);
    size_t shown = report->lists_all || count <= WORST ? count : WORST;
    htp_text_addf(text, "\nnodes with problems (%s)\n", grouped(text, count));
    for (size_t i = 0; i < shown; i++) {
        add_node(text, q, list[i].node);
    }
    if (shown < count) {
        htp_text_addf(text, "and %s more; --verbose lists them\n", grouped(text, count - shown));
    }
}

const char *htp_report_quality(htp_arena *arena, const htp_quality_report *report)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < report->count; i++) {
        const htp_quality *q = report->entries[i].quality;
        htp_text_add(&text, i > 0 ? "\n" : "");
        add_header(&text, &report->entries[i]);
        for (int k = 0; k < HTP_METRICS; k++) {
            add_metric(&text, (htp_metric)k, &q->measures.of[k]);
        }
        add_layers(&text, report, q);
        add_nodes(&text, report, q);
    }
    return htp_text_string(&text);
}
