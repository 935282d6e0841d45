/*
 * Draws an ONNX model.
 */
#include "api/options.h"
#include "api/queries/graphviz.h"
#include "api/queries/measures.h"
#include "base/files/descriptor.h"
#include "onnx/files/delivery.h"
#include "quality/quality.h"
#include "query/select/error_report.h"
#include "report/drawing/drawing.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void htp_drawing_init(htp_drawing *drawing)
{
    if (drawing) {
        *drawing = (htp_drawing){.struct_size = sizeof(*drawing), .depth = -1};
    }
}

/* State of a drawing. Text is generated whenever it is needed, so it is never kept as a whole,
 * except graphviz's output. */
struct work {
    const htp_model *model;
    htp_drawing drawing;
    const char *path;
    htp_drawing_graph drawn;
    htp_timing timing; /* for HTP_COLOR_BY_TIME */
    int dot, svg;      /* files in memory; -1: none */
    htp_arena scratch; /* for one text */
    bool has_no_memory;
    bool is_stopped;
    uint64_t written;
};

/* ---- the text ---- */

/* By format. SVG has no writer: graphviz makes it from DOT. */
static const htp_report_drawing_fn writers[] = {
#define FORMAT(format, name) [format] = htp_report_drawing_##name,
#include "report/drawing/formats.def"
#undef FORMAT
};
enum { WRITERS = sizeof(writers) / sizeof(writers[0]) };

static bool write_text(struct work *work, htp_drawing_format format, htp_write_fn write, void *user)
{
    if (htp_arena_recover(&work->scratch) != 0) {
        work->has_no_memory = true;
        return false;
    }
    htp_stream stream = htp_stream_new(&work->scratch, write, user);
    writers[format == HTP_DRAW_SVG ? HTP_DRAW_DOT : format](&stream, &work->drawn);
    return htp_stream_end(&stream);
}

static bool copy_file(int file, htp_write_fn write, void *user)
{
    char buffer[1 << 14];
    off_t at = 0;
    for (;;) {
        ssize_t got = pread(file, buffer, sizeof(buffer), at);
        if (got <= 0) {
            return got == 0;
        }
        if (!write(user, buffer, (size_t)got)) {
            return false;
        }
        at += got;
    }
}

/* Streams the drawn to a function. @return whether it took everything */
static bool give(struct work *work, htp_write_fn write, void *user)
{
    if (work->svg >= 0) {
        return copy_file(work->svg, write, user);
    }
    htp_arena_init(&work->scratch);
    bool is_given = write_text(work, work->drawing.format, write, user);
    htp_arena_free(&work->scratch);
    return is_given;
}

static bool count_bytes(void *user, const void *bytes, size_t count)
{
    (void)bytes;
    *(uint64_t *)user += count;
    return true;
}

static bool write_to_file(void *user, const void *bytes, size_t count)
{
    const int *file = user;
    return htp_descriptor_write_all(*file, bytes, count);
}

static htp_status run_graphviz(struct work *work)
{
    work->dot = memfd_create("dot", MFD_CLOEXEC);
    int svg = -1;
    bool is_given = work->dot >= 0 && give(work, write_to_file, &work->dot);
    htp_status status =
        is_given ? htp_graphviz_draw(work->dot, &svg, work->drawing.progress, work->drawing.user)
                 : htp_status_make(HTP_CODE_INTERNAL, "no room for the drawing in memory: %s",
                                   strerror(work->has_no_memory ? ENOMEM : errno));
    work->svg = svg;
    return status;
}

/* ---- where it goes ---- */

struct target {
    struct work *work;
    htp_output *output; /* NULL: to drawing.write */
};

static bool pass_on(void *user, const void *bytes, size_t count)
{
    const struct target *target = user;
    struct work *work = target->work;
    const htp_drawing *drawing = &work->drawing;
    const htp_progress progress = {
        .stage = HTP_STAGE_WRITTEN, .done = work->written, .label = "bytes"};
    if (drawing->progress && !drawing->progress(drawing->user, &progress)) {
        work->is_stopped = true;
        return false;
    }
    work->written += count;
    if (!target->output) {
        return drawing->write(drawing->user, bytes, count);
    }
    htp_output_append(target->output, bytes, count);
    return target->output->failure == 0;
}

static htp_status lay_out(void *user, const char *location, htp_delivery_sizes *sizes)
{
    (void)location;
    *sizes = (htp_delivery_sizes){0, 0};
    return give(user, count_bytes, &sizes->model_bytes)
               ? HTP_OK
               : htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

static htp_delivery_end put_drawing(void *user, htp_output *output)
{
    struct work *work = user;
    struct target target = {work, output};
    if (!give(work, pass_on, &target) && output->failure == 0 && !work->is_stopped) {
        output->failure = ENOMEM;
    }
    return work->is_stopped ? HTP_DELIVERY_STOPPED : HTP_DELIVERY_DONE;
}

static htp_status check_sources(void *user)
{
    return htp_model_check_files(((const struct work *)user)->model);
}

static htp_status deliver(htp_query *query, struct work *work)
{
    const htp_delivery delivery = {
        .user = work, .lay_out = lay_out, .put_model = put_drawing, .check_sources = check_sources};
    htp_delivered delivered;
    return htp_deliver(&query->arena, &delivery, work->path, &delivered);
}

static htp_status pass_all_on(struct work *work)
{
    struct target target = {work, NULL};
    if (give(work, pass_on, &target)) {
        return HTP_OK;
    }
    return work->has_no_memory
               ? htp_status_make(HTP_CODE_INTERNAL, "out of memory")
               : htp_status_make(work->is_stopped ? HTP_CODE_INTERRUPTED : HTP_CODE_CANNOT_WRITE,
                                 "the drawn was not taken to its end");
}

/* ---- colours: by node, NULL without ---- */

static htp_status find_none(htp_query *query, struct work *work, const uint64_t **costs)
{
    (void)query;
    (void)work;
    *costs = NULL;
    return HTP_OK;
}

static htp_status find_multiply_adds(htp_query *query, struct work *work, const uint64_t **costs)
{
    return htp_measure_multiply_adds(query, work->drawing.sizes, costs);
}

static htp_status find_times(htp_query *query, struct work *work, const uint64_t **costs)
{
    return htp_measure_times(query, &work->timing, costs);
}

static htp_status find_problems(htp_query *query, struct work *work, const uint64_t **costs)
{
    const htp_model *model = query->model;
    htp_subject subject;
    htp_quality quality;
    (void)work;
    htp_subject_make(&query->arena, &model->view, &model->tree, &subject);
    htp_quality_measure(&query->arena, &subject, NULL, &quality);
    *costs = htp_measure_problems(&query->arena, &model->view, &quality);
    return HTP_OK;
}

static htp_status find_errors(htp_query *query, struct work *work, const uint64_t **costs)
{
    const htp_model *model = query->model;
    htp_error_report report;
    HTP_TRY(htp_error_report_read(&query->arena, &model->view, &model->tree, work->drawing.verify,
                                  &report));
    *costs = htp_measure_errors(&query->arena, model->view.nodes.count, report.growth, 0);
    return HTP_OK;
}

static htp_status (*const finders[])(htp_query *, struct work *, const uint64_t **) = {
    [HTP_COLOR_BY_KIND] = find_none,    [HTP_COLOR_BY_COST] = find_multiply_adds,
    [HTP_COLOR_BY_TIME] = find_times,   [HTP_COLOR_BY_QUALITY] = find_problems,
    [HTP_COLOR_BY_ERROR] = find_errors,
};

static htp_status draw(htp_query *query)
{
    struct work *work = query->work;
    htp_model *model = query->model;
    work->model = model;
    htp_drawing_choice choice = {
        .module = work->drawing.module, .own = work->drawing.own, .depth = work->drawing.depth};
    HTP_TRY(finders[work->drawing.color_by](query, work, &choice.costs));
    if (work->path) {
        HTP_TRY(htp_query_check_output(query, work->path));
    }
    HTP_TRY(htp_status_prefix(
        htp_drawing_make(&query->arena, &model->view, &model->tree, &choice, &work->drawn),
        model->view.path));
    if (work->drawing.format == HTP_DRAW_SVG) {
        HTP_TRY(htp_status_prefix(run_graphviz(work), model->view.path));
    }
    return work->path ? deliver(query, work) : pass_all_on(work);
}

static htp_status take(const htp_drawing *given, const char *path, htp_drawing *drawing)
{
    htp_drawing_init(drawing);
    if (given) {
        HTP_TRY(htp_given_copy(drawing, sizeof(*drawing), given, "the drawing was",
                               "htp_drawing_init"));
    }
    if ((unsigned)drawing->format >= WRITERS && drawing->format != HTP_DRAW_SVG) {
        return htp_status_make(HTP_CODE_USAGE, "unknown format of drawings: %d",
                               (int)drawing->format);
    }
    if ((unsigned)drawing->color_by > HTP_COLOR_BY_ERROR) {
        return htp_status_make(HTP_CODE_USAGE, "unknown measure of colours: %d",
                               (int)drawing->color_by);
    }
    if (drawing->sizes && drawing->color_by != HTP_COLOR_BY_COST) {
        return htp_status_make(HTP_CODE_USAGE, "sizes are for colours by cost");
    }
    if ((drawing->color_by == HTP_COLOR_BY_TIME) != (drawing->profile != NULL) ||
        (drawing->optimized && !drawing->profile)) {
        return htp_status_make(HTP_CODE_USAGE, "colours by time need a profile, others take none");
    }
    if ((drawing->color_by == HTP_COLOR_BY_ERROR) != (drawing->verify != NULL)) {
        return htp_status_make(HTP_CODE_USAGE, "colours by error need a report of verify, others "
                                               "take none");
    }
    return path || drawing->write
               ? HTP_OK
               : htp_status_make(HTP_CODE_USAGE, "there is no place for the drawn");
}

static void close_file(int file)
{
    if (file >= 0) {
        (void)close(file);
    }
}

htp_status htp_model_draw(htp_model *model, const htp_drawing *drawing, const char *path)
{
    struct work work = {.path = path, .dot = -1, .svg = -1};
    htp_query query = {.model = model, .answer = draw, .work = &work};
    HTP_TRY(take(drawing, path, &work.drawing));
    if (work.drawing.profile) {
        HTP_TRY(htp_timing_open(&work.timing, work.drawing.profile, work.drawing.optimized));
    }
    htp_status status = htp_query_ask(&query);
    htp_timing_close(&work.timing);
    close_file(work.dot);
    close_file(work.svg);
    return status;
}
