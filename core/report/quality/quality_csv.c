/*
 * Metrics as CSV: a row per metric of each model, depth, layer and member of a layer.
 */
#include "report/quality/quality.h"

#include <string.h>

/* The subject of a row. */
struct part {
    const htp_quality_entry *entry;
    const char *level; /* "model", "depth", "layer" or "member" */
    int64_t depth;     /* negative: none */
    uint32_t layer;    /* HTP_NONE: none */
    uint32_t member;   /* module; HTP_NONE: none */
};

/* A field, quoted if necessary. */
static void add_field(htp_text *text, const char *field, size_t length)
{
    bool is_plain = true;
    for (size_t i = 0; i < length; i++) {
        is_plain =
            is_plain && field[i] != '"' && field[i] != ',' && field[i] != '\n' && field[i] != '\r';
    }
    htp_text_add(text, is_plain ? "" : "\"");
    for (size_t i = 0; i < length; i++) {
        htp_text_add(text, field[i] == '"' ? "\"" : "");
        htp_text_add_bytes(text, &field[i], 1);
    }
    htp_text_add(text, is_plain ? "," : "\",");
}

static void add_tag(htp_text *text, const htp_quality *q, uint32_t module)
{
    if (module == HTP_NONE) {
        htp_text_add(text, ",");
    } else {
        htp_slice tag = htp_tree_address(&q->subject->tree->modules[module]);
        add_field(text, tag.at, tag.length);
    }
}

static void add_row(htp_stream *stream, const struct part *part, htp_metric metric,
                    const htp_measure *measure)
{
    const htp_quality *q = part->entry->quality;
    const char *path = q->subject->view->path;
    htp_text *text = &stream->text;
    add_field(text, path, strlen(path));
    htp_text_addf(text, "%s,%s,", part->entry->is_against ? "against" : "model", part->level);
    htp_text_addf(text, part->depth < 0 ? "," : "%lld,", (long long)part->depth);
    const htp_quality_layer *layer = part->layer == HTP_NONE ? NULL : &q->layers.items[part->layer];
    add_tag(text, q, layer ? layer->parent : HTP_NONE);
    htp_slice structure =
        layer ? q->subject->tree->modules[layer->members[0]].class_name : (htp_slice){NULL, 0};
    add_field(text, structure.at, structure.length);
    add_tag(text, q, part->member);
    htp_text_addf(text, "%s,%llu,%llu,", htp_metric_name(metric),
                  (unsigned long long)measure->count, (unsigned long long)measure->of);
    if (measure->of > 0) {
        htp_text_addf(text, "%.4f,", htp_measure_percent(measure));
    } else {
        htp_text_add(text, ",");
    }
    const char *reason = measure->of == 0 && measure->reason ? measure->reason : "";
    add_field(text, reason, strlen(reason));
    text->bytes[text->length - 1] = '\n';
    (void)htp_stream_pass(stream);
}

static void add_part(htp_stream *stream, const struct part *part, const htp_measures *measures,
                     bool is_whole)
{
    for (int i = 0; i < HTP_METRICS; i++) {
        if (is_whole || measures->of[i].of > 0) {
            add_row(stream, part, (htp_metric)i, &measures->of[i]);
        }
    }
}

static void add_layer(htp_stream *stream, const htp_quality_entry *entry, uint32_t index)
{
    const htp_quality *q = entry->quality;
    const htp_quality_layer *layer = &q->layers.items[index];
    htp_measures sum = {0};
    for (uint32_t i = 0; i < layer->count; i++) {
        for (int k = 0; k < HTP_METRICS; k++) {
            sum.of[k].count += q->modules[layer->members[i]].measures.of[k].count;
            sum.of[k].of += q->modules[layer->members[i]].measures.of[k].of;
        }
    }
    struct part part = {entry, "layer", -1, index, HTP_NONE};
    add_part(stream, &part, &sum, false);
    part.level = "member";
    for (uint32_t i = 0; i < layer->count; i++) {
        part.member = layer->members[i];
        add_part(stream, &part, &q->modules[part.member].measures, false);
    }
}

void htp_report_quality_csv(htp_stream *stream, const htp_quality_report *report)
{
    htp_text_add(&stream->text, "file,role,level,depth,parent,structure,member,metric,count,of,"
                                "percent,reason\n");
    for (size_t i = 0; i < report->count; i++) {
        const htp_quality_entry *entry = &report->entries[i];
        const htp_quality *q = entry->quality;
        struct part part = {entry, "model", -1, HTP_NONE, HTP_NONE};
        add_part(stream, &part, &q->measures, true);
        part.level = "depth";
        for (uint32_t depth = 0; depth < q->depth_count; depth++) {
            part.depth = depth;
            add_part(stream, &part, &q->depths[depth].measures, false);
        }
        for (uint32_t layer = 0; layer < q->layers.count; layer++) {
            add_layer(stream, entry, layer);
        }
    }
}
