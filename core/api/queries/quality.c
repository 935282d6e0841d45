/*
 * Measures the tags of ONNX models.
 */
#include "api/options.h"
#include "api/paths.h"
#include "api/queries/measures.h"
#include "api/queries/quality_task.h"
#include "onnx/files/delivery.h"
#include "report/page/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void htp_quality_options_init(htp_quality_options *options)
{
    if (options) {
        *options = (htp_quality_options){.struct_size = sizeof(*options)};
    }
}

/* ---- measuring ---- */

static htp_status measure_entry(htp_quality_task *w)
{
    size_t index = w->index;
    htp_quality_task_entry *entry = &w->entries[index];
    bool has_reference = false;
    htp_subject_make(&w->arena, &entry->model->view, &entry->model->tree, &entry->subject);
    if (index == 0 && w->options.reference) {
        HTP_TRY(htp_quality_take_reference(w, entry));
        has_reference = true;
    } else if (index >= w->own) {
        HTP_TRY(htp_quality_carry_reference(w, &w->entries[0], entry));
        has_reference = true;
    }
    htp_quality_measure(&w->arena, &entry->subject, has_reference ? &entry->reference : NULL,
                        &entry->quality);
    w->reported[index] = (htp_quality_entry){&entry->quality, index >= w->own};
    return index == 0 && w->options.profile ? htp_quality_take_profile(w, entry) : HTP_OK;
}

/* Some texts of a view are made lazily, in its own arena. */
static htp_status step_guarded(htp_quality_task *w)
{
    if (htp_arena_recover(&w->entries[0].model->arena) != 0 ||
        htp_arena_recover(&w->entries[w->index].model->arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    return w->step(w);
}

static htp_status for_each_entry(htp_quality_task *w, htp_status (*step)(htp_quality_task *w))
{
    w->step = step;
    for (w->index = 0; w->index < w->count; w->index++) {
        HTP_TRY(step_guarded(w));
    }
    return HTP_OK;
}

static htp_status open_sidecar(htp_quality_task *w)
{
    return htp_quality_open_sidecar(w, &w->entries[w->index]);
}

/* ---- outputs ---- */

static bool keep_piece(void *user, const void *bytes, size_t length)
{
    htp_quality_task *w = user;
    htp_slice piece = {htp_arena_copy(&w->arena, bytes, length), length};
    HTP_PUSH(&w->arena, &w->pieces, piece);
    w->bytes += length;
    return true;
}

static void keep_json(void *user, const char *bytes, size_t length)
{
    (void)keep_piece(user, bytes, length);
}

static void make_json(htp_quality_task *w)
{
    htp_json json = {.text.arena = &w->arena, .user = w, .write = keep_json};
    htp_report_quality_json(&json, &w->report);
    htp_json_flush(&json);
}

static void make_json_file(htp_quality_task *w)
{
    make_json(w);
    (void)keep_piece(w, "\n", 1);
}

static void make_csv_file(htp_quality_task *w)
{
    htp_stream stream = htp_stream_new(&w->arena, keep_piece, w);
    htp_report_quality_csv(&stream, &w->report);
    (void)htp_stream_end(&stream);
}

static void write_document(void *user, htp_json *json)
{
    const htp_quality_task *w = user;
    htp_report_quality_json(json, &w->report);
}

static void make_page_file(htp_quality_task *w)
{
    htp_stream stream = htp_stream_new(&w->arena, keep_piece, w);
    (void)htp_page_write(&stream, write_document, w);
}

/* By node of the first model: how many metrics found a problem. */
static void make_node_data_file(htp_quality_task *w)
{
    const htp_quality_task_entry *entry = &w->entries[0];
    const htp_view *view = &entry->model->view;
    const htp_node_data data = {
        .view = view,
        .name = "problems of tags",
        .values = htp_measure_problems(&w->arena, view, &entry->quality),
    };
    const char *text = htp_report_node_data(&w->arena, &data);
    (void)keep_piece(w, text, strlen(text));
    (void)keep_piece(w, "\n", 1);
}

/* Output files and their writers. */
static const struct file {
    size_t path; /* offset of its path in the options */
    void (*make)(htp_quality_task *w);
} files[] = {
    {offsetof(htp_quality_options, json_file), make_json_file},
    {offsetof(htp_quality_options, csv_file), make_csv_file},
    {offsetof(htp_quality_options, html_file), make_page_file},
    {offsetof(htp_quality_options, node_data), make_node_data_file},
};

enum { FILES = sizeof(files) / sizeof(files[0]) };

static const char *path_of(const htp_quality_task *w, size_t index)
{
    return *(const char *const *)((const char *)&w->options + files[index].path);
}

/* All contents are prepared before a file is opened. */
static htp_status lay_out(void *user, const char *location, htp_delivery_sizes *sizes)
{
    const htp_quality_task *w = user;
    (void)location;
    *sizes = (htp_delivery_sizes){w->bytes, 0};
    return HTP_OK;
}

static htp_delivery_end put_pieces(void *user, htp_output *output)
{
    const htp_quality_task *w = user;
    for (size_t i = 0; i < w->pieces.count; i++) {
        htp_output_append(output, w->pieces.items[i].at, w->pieces.items[i].length);
    }
    return HTP_DELIVERY_DONE;
}

static htp_status check_sources(void *user)
{
    const htp_quality_task *w = user;
    for (size_t i = 0; i < w->count; i++) {
        HTP_TRY(htp_model_check_files(w->entries[i].model));
        HTP_TRY(htp_sidecar_file_check(&w->entries[i].document));
    }
    return htp_sidecar_file_check(&w->sidecar);
}

static htp_status write_file(htp_quality_task *w, size_t index)
{
    const htp_delivery delivery = {
        .user = w, .lay_out = lay_out, .put_model = put_pieces, .check_sources = check_sources};
    htp_delivered delivered;
    const char *path = path_of(w, index);
    if (!path) {
        return HTP_OK;
    }
    w->pieces.count = 0;
    w->bytes = 0;
    files[index].make(w);
    return htp_deliver(&w->arena, &delivery, path, &delivered);
}

static htp_status hand_over_json(htp_quality_task *w)
{
    w->pieces.count = 0;
    w->bytes = 0;
    make_json(w);
    char *json = malloc(w->bytes + 1);
    size_t used = 0;
    if (!json) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < w->pieces.count; i++) {
        memcpy(json + used, w->pieces.items[i].at, w->pieces.items[i].length);
        used += w->pieces.items[i].length;
    }
    json[used] = '\0';
    *w->json = json;
    return HTP_OK;
}

/* ---- checks before the work ---- */

static void add_inputs(htp_quality_task *w, const char **inputs, size_t *count)
{
    for (size_t i = 0; i < w->count; i++) {
        inputs[(*count)++] = w->entries[i].path;
    }
    if (w->options.reference) {
        inputs[(*count)++] = w->options.reference;
    }
    if (w->options.profile) {
        inputs[(*count)++] = w->options.profile;
    }
}

/* Output files by path. */
struct outputs {
    htp_output *found; /* the last one */
    const char **paths;
    size_t count;
};

static htp_status add_output(htp_quality_task *w, struct outputs *outputs, const char *path)
{
    HTP_TRY(htp_output_find(outputs->found, path));
    if (outputs->found->is_direct) {
        return HTP_OK;
    }
    for (size_t i = 0; i < outputs->count; i++) {
        if (htp_output_are_one(outputs->paths[i], outputs->found->path)) {
            return htp_status_make(HTP_CODE_USAGE, "two outputs are the file '%s'", path);
        }
    }
    outputs->paths[outputs->count++] = htp_arena_strdup(&w->arena, outputs->found->path);
    return HTP_OK;
}

/* No output may be an input, or another output. A sidecar may be the reference, since it keeps its
 * contents. A file that is no sidecar is refused when it is opened. */
static htp_status check_outputs(htp_quality_task *w)
{
    const char **inputs = HTP_NEW_ARRAY(&w->arena, const char *, w->count + 2);
    struct outputs outputs = {HTP_NEW(&w->arena, htp_output),
                              HTP_NEW_ARRAY(&w->arena, const char *, FILES + w->own), 0};
    size_t count = 0;
    add_inputs(w, inputs, &count);
    for (size_t i = 0; i < FILES; i++) {
        if (path_of(w, i)) {
            HTP_TRY(htp_paths_check(&w->arena, inputs, count, path_of(w, i), false));
            HTP_TRY(add_output(w, &outputs, path_of(w, i)));
        }
    }
    for (size_t i = 0; i < w->own; i++) {
        const htp_quality_task_entry *entry = &w->entries[i];
        if (entry->sidecar) {
            HTP_TRY(htp_paths_check(&w->arena, &entry->path, 1, entry->sidecar, false));
            HTP_TRY(add_output(w, &outputs, entry->sidecar));
        }
    }
    return HTP_OK;
}

static htp_status read_thresholds(htp_quality_task *w)
{
    const htp_quality_options *options = &w->options;
    w->thresholds = HTP_NEW_ARRAY(&w->arena, htp_threshold, options->fail_under_count + 1);
    for (size_t i = 0; i < options->fail_under_count; i++) {
        HTP_TRY(htp_threshold_read(options->fail_under[i], &w->thresholds[i]));
    }
    return HTP_OK;
}

/* ---- all of it ---- */

static htp_status open_models(htp_quality_task *w)
{
    for (w->opened = 0; w->opened < w->count; w->opened++) {
        HTP_TRY(htp_model_open(w->entries[w->opened].path, &w->entries[w->opened].model));
    }
    return HTP_OK;
}

static void judge_thresholds(htp_quality_task *w, htp_text *lines)
{
    for (size_t i = 0; i < w->options.fail_under_count; i++) {
        for (size_t k = 0; k < w->count; k++) {
            const char *line =
                htp_threshold_judge(&w->arena, &w->thresholds[i], &w->entries[k].quality);
            if (line) {
                htp_text_addf(lines, "%s%s: %s", lines->length ? "\n" : "", w->entries[k].path,
                              line);
            }
        }
    }
}

static htp_status answer(htp_quality_task *w)
{
    htp_text lines = {.arena = &w->arena};
    w->reported = HTP_NEW_ARRAY(&w->arena, htp_quality_entry, w->count + 1);
    HTP_TRY(read_thresholds(w));
    HTP_TRY(htp_quality_find_sidecars(w));
    HTP_TRY(check_outputs(w));
    HTP_TRY(open_models(w));
    if (w->options.node_data) {
        HTP_TRY(htp_node_data_check(w->entries[0].model));
    }
    HTP_TRY(for_each_entry(w, open_sidecar));
    HTP_TRY(for_each_entry(w, measure_entry));
    HTP_TRY(check_sources(w));
    w->report = (htp_quality_report){w->reported, w->count, w->options.lists_all};
    judge_thresholds(w, &lines);
    for (size_t i = 0; i < FILES; i++) {
        HTP_TRY(write_file(w, i));
    }
    for (size_t i = 0; i < w->own; i++) {
        HTP_TRY(htp_quality_write_sidecar(w, &w->entries[i]));
    }
    if (w->text) {
        HTP_TRY(htp_query_hand_over(htp_report_quality(&w->arena, &w->report), w->text));
    }
    if (w->json) {
        HTP_TRY(hand_over_json(w));
    }
    return lines.length > 0 && w->failures
               ? htp_query_hand_over(htp_text_string(&lines), w->failures)
               : HTP_OK;
}

static htp_status answer_guarded(htp_quality_task *w)
{
    if (htp_arena_recover(&w->arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    return w->answer(w);
}

static void close_all(htp_quality_task *w)
{
    htp_tree_close(&w->sidecar_tree); /* it lies in the first model */
    for (size_t i = 0; i < w->count; i++) {
        htp_sidecar_file_close(&w->entries[i].document);
        htp_model_free(w->entries[i].model);
    }
    htp_fresh_export_close(&w->fresh);
    htp_sidecar_file_close(&w->sidecar);
    htp_profile_close(&w->profile);
    htp_arena_free(&w->arena);
    free(w->entries);
}

static void take_back(char **result)
{
    if (result) {
        free(*result);
        *result = NULL;
    }
}

static htp_status take_paths(htp_quality_task *w, const char *const *models, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        w->entries[i].path = models ? models[i] : NULL;
        HTP_TRY(htp_paths_check_model(w->entries[i].path));
    }
    for (size_t i = 0; i < w->options.against_count; i++) {
        w->entries[count + i].path = w->options.against ? w->options.against[i] : NULL;
        HTP_TRY(htp_paths_check_model(w->entries[count + i].path));
    }
    return count > 0 ? HTP_OK : htp_paths_check_model(NULL);
}

static htp_status take(const htp_quality_options *given, htp_quality_options *options)
{
    htp_quality_options_init(options);
    if (given) {
        HTP_TRY(htp_given_copy(options, sizeof(*options), given, "the options were",
                               "htp_quality_options_init"));
    }
    return HTP_OK;
}

htp_status htp_measure_quality(const char *const *models, size_t count,
                               const htp_quality_options *options, char **text, char **json,
                               char **failures)
{
    htp_quality_task w = {
        .answer = answer, .own = count, .text = text, .json = json, .failures = failures};
    char **const results[] = {text, json, failures};
    for (size_t i = 0; i < 3; i++) {
        if (results[i]) {
            *results[i] = NULL;
        }
    }
    HTP_TRY(take(options, &w.options));
    w.count = count + w.options.against_count;
    w.entries = calloc(w.count + 1, sizeof(*w.entries));
    if (!w.entries) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    htp_arena_init(&w.arena);
    htp_status status = take_paths(&w, models, count);
    status = status ? status : answer_guarded(&w);
    close_all(&w);
    for (size_t i = 0; i < 3 && status; i++) {
        take_back(results[i]);
    }
    return status;
}
