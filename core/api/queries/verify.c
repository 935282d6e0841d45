/*
 * Runs two models side by side.
 */
#include "verify/verify.h"
#include "api/model.h"
#include "api/options.h"
#include "api/paths.h"
#include "api/queries/measures.h"
#include "api/queries/written_text.h"
#include "api/reference/reference.h"
#include "base/dtype.h"
#include "onnx/builder/builder.h"
#include "onnx/files/folder.h"
#include "onnx/files/output.h"
#include "report/page/page.h"
#include "report/verify/verify.h"
#include "source/inputs/arrays_npz.h"

#include <math.h>
#include <time.h>

#define MEBIBYTE ((uint64_t)1 << 20)

enum { USUAL_MEBIBYTES = 1024 };

void htp_verify_options_init(htp_verify_options *options)
{
    if (options) {
        *options = (htp_verify_options){.struct_size = sizeof(*options),
                                        .depth = -1,
                                        .tolerance = -1,
                                        .memory = USUAL_MEBIBYTES};
    }
}

/* Above what other orders of float32 sums make of usual layers, below the error of half precision.
 */
static const double usual_tolerance = 1e-4;

/* Resources of the query. */
struct work {
    htp_verify_options options;
    htp_runtime *runtime;
    htp_arena scratch;
    htp_folder folder;
    htp_npz_file values, inputs;
    struct timespec begin;
    const char *path; /* of the PyTorch model that is A; NULL: it is an ONNX model */
    const htp_options *export_options;
    htp_verify_program program; /* of that model */
    bool is_beyond;
};

/* Writes what nodes add to the difference. */
static htp_status write_node_data(htp_query *query, const htp_verification *verification,
                                  const char *path)
{
    const htp_view *view = verification->request->views[HTP_COMPARED_A];
    size_t count = view->nodes.count;
    double *errors = HTP_NEW_ARRAY(&query->arena, double, count + 1);
    for (size_t n = 0; n < count; n++) {
        errors[n] = verification->nodes[n].is_known ? verification->nodes[n].growth : -1;
    }
    const htp_node_data data = {
        .view = view,
        .name = "error",
        .values = htp_measure_errors(&query->arena, count, errors, HTP_NODE_DATA_NONE),
        .unit = HTP_ERROR_UNIT,
    };
    return htp_node_data_write(query, &data, path);
}

static void write_document(void *user, htp_json *json)
{
    htp_report_verification_page(json, user);
}

static bool add_piece(void *user, const void *bytes, size_t count)
{
    htp_text_add_bytes(user, bytes, count);
    return true;
}

static htp_status write_page(htp_arena *arena, htp_verification *verification, const char *path)
{
    htp_text text = {.arena = arena};
    htp_stream stream = htp_stream_new(arena, add_piece, &text);
    (void)htp_page_write(&stream, write_document, verification);
    return htp_text_write(arena, htp_text_string(&text), path);
}

/* Whatever is refused is refused before the models run. */
static htp_status check_outputs(htp_query *query, const htp_verify_options *options)
{
    if (options->node_data) {
        HTP_TRY(htp_node_data_check(query->model));
        HTP_TRY(htp_query_check_output(query, options->node_data));
    }
    if (options->html_file) {
        HTP_TRY(htp_query_check_output(query, options->html_file));
    }
    return options->html_file && options->node_data &&
                   htp_output_are_one(options->html_file, options->node_data)
               ? htp_status_make(HTP_CODE_USAGE, "two outputs are the file '%s'",
                                 options->html_file)
               : HTP_OK;
}

/* Adds the time. */
static bool report_progress(void *user, const htp_progress *progress)
{
    const struct work *work = user;
    htp_progress timed = *progress;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    timed.seconds = (double)(now.tv_sec - work->begin.tv_sec) +
                    (double)(now.tv_nsec - work->begin.tv_nsec) * 1e-9;
    return work->options.progress(work->options.user, &timed);
}

static bool read_elements(void *user, size_t index, void *elements)
{
    return htp_npz_read(user, index, elements);
}

/* The tensors of a file. */
static htp_status open_arrays(htp_arena *arena, const char *path, htp_npz_file *file,
                              htp_verify_given *given)
{
    HTP_TRY(htp_npz_open(arena, path, file));
    const char **names = HTP_NEW_ARRAY(arena, const char *, file->entries.count + 1);
    htp_array *arrays = HTP_NEW_ARRAY(arena, htp_array, file->entries.count + 1);
    for (size_t i = 0; i < file->entries.count; i++) {
        const htp_npz_entry *entry = &file->entries.items[i];
        uint32_t size = htp_dtype_size(entry->dtype);
        names[i] = entry->name;
        arrays[i] = (htp_array){.data_type = htp_onnx_data_type(entry->dtype),
                                .rank = entry->rank,
                                .dims = entry->dims,
                                .count = size > 0 ? (size_t)entry->bytes / size : 0};
    }
    *given = (htp_verify_given){
        file->path, file->entries.count, names, arrays, read_elements, file,
    };
    return HTP_OK;
}

static htp_status save_index(htp_arena *arena, const htp_folder *folder, const char *index)
{
    static const char name[] = "index.json";
    char path[PATH_MAX];
    return htp_folder_file(folder, name, path)
               ? htp_text_write(arena, index, path)
               : htp_status_make(HTP_CODE_CANNOT_WRITE, "cannot write '%s': its path is too long",
                                 name);
}

/* Opens the PyTorch model, which outlives this frame: so do recovery points. */
static htp_status take_program(htp_query *query, htp_verify_request *request)
{
    struct work *work = query->work;
    htp_verify_program *program = &work->program;
    HTP_TRY(htp_verify_program_open(program, &query->arena, work->path, work->export_options));
    request->views[HTP_COMPARED_A] = &program->fresh.view;
    request->trees[HTP_COMPARED_A] = &program->fresh.tree;
    request->reference = &program->reference;
    return HTP_OK;
}

static htp_status verify(htp_query *query, const htp_verify_request *request)
{
    struct work *work = query->work;
    htp_arena *arena = &query->arena;
    htp_verification *verification = HTP_NEW(arena, htp_verification);
    htp_status status = htp_verify(arena, request, verification);
    status = htp_npz_judge(&work->values, status);
    status = htp_npz_judge(&work->inputs, status);
    HTP_TRY(htp_npz_judge(&work->program.given, status));
    work->is_beyond = verification->is_beyond || verification->is_unknown;
    if (work->options.node_data) {
        HTP_TRY(write_node_data(query, verification, work->options.node_data));
    }
    if (work->options.html_file) {
        HTP_TRY(write_page(arena, verification, work->options.html_file));
    }
    if (work->options.save) {
        HTP_TRY(save_index(arena, &work->folder, verification->index));
        HTP_TRY(htp_folder_publish(&work->folder));
    }
    if (query->text) {
        HTP_TRY(htp_query_hand_over(
            htp_report_verification(arena, verification, work->options.depth), query->text));
    }
    return query->json
               ? htp_query_hand_over(htp_report_verification_json(arena, verification), query->json)
               : HTP_OK;
}

static htp_status answer(htp_query *query)
{
    struct work *work = query->work;
    htp_arena *arena = &query->arena;
    htp_model *other = query->other ? query->other : query->model;
    bool is_chosen = work->options.tolerance >= 0;
    htp_verify_given values = {.count = 0};
    htp_verify_given inputs = {.count = 0};
    HTP_TRY(check_outputs(query, &work->options));
    HTP_TRY(htp_runtime_open(htp_runtime_find(arena, work->options.onnxruntime), &work->runtime));
    if (work->options.values) {
        HTP_TRY(open_arrays(arena, work->options.values, &work->values, &values));
    }
    if (work->options.inputs) {
        HTP_TRY(open_arrays(arena, work->options.inputs, &work->inputs, &inputs));
    }
    if (work->options.save) {
        HTP_TRY(htp_folder_begin(&work->folder, work->options.save));
    }
    htp_verify_request request = {
        .views = {&query->model->view, &other->view},
        .trees = {&query->model->tree, &other->tree},
        .values = work->options.values ? &values : NULL,
        .inputs = work->options.inputs ? &inputs : NULL,
        .progress = work->options.progress ? report_progress : NULL,
        .user = work,
        .save = work->options.save ? &work->folder : NULL,
        .runtime = work->runtime,
        .scratch = &work->scratch,
        .tolerance = is_chosen ? work->options.tolerance : usual_tolerance,
        .is_chosen = is_chosen,
        .memory = (uint64_t)work->options.memory * MEBIBYTE,
        .sizes = work->options.sizes,
        .level = work->options.level,
    };
    if (!work->path) {
        return verify(query, &request);
    }
    HTP_TRY(take_program(query, &request));
    if (htp_arena_recover(&work->program.fresh.work.arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", work->path);
    }
    return verify(query, &request);
}

static htp_status take(const htp_verify_options *given, htp_verify_options *options)
{
    htp_verify_options_init(options);
    HTP_TRY(htp_given_copy(options, sizeof(*options), given, "the options of a verification were",
                           "htp_verify_options_init"));
    if (!isfinite(options->tolerance)) {
        return htp_status_make(HTP_CODE_USAGE, "a tolerance is a number");
    }
    if (options->level < HTP_RUNTIME_LEVEL_NONE || options->level > HTP_RUNTIME_LEVEL_ALL) {
        return htp_status_make(HTP_CODE_USAGE, "a level of optimisation is 0 to %d, not %d",
                               HTP_RUNTIME_LEVEL_ALL, options->level);
    }
    if (options->sizes && (options->values || options->inputs)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "sizes are for inputs that are made up, and a file of "
                               "inputs or values has them");
    }
    if (options->level > HTP_RUNTIME_LEVEL_NONE && options->values) {
        return htp_status_make(HTP_CODE_USAGE, "a level of optimisation is for a second model, "
                                               "not for a file of its values");
    }
    if (options->memory < 1) {
        return htp_status_make(HTP_CODE_USAGE, "the memory of a verification is 1 MiB or more");
    }
    return HTP_OK;
}

static void close_work(htp_query *query)
{
    struct work *work = query->work;
    htp_runtime_close(work->runtime);
    htp_npz_close(&work->values);
    htp_npz_close(&work->inputs);
    htp_folder_discard(&work->folder);
    htp_verify_program_close(&work->program);
    htp_arena_free(&work->scratch);
}

static htp_status ask(htp_query *query, struct work *work, const htp_verify_options *options,
                      bool *is_beyond)
{
    query->answer = answer;
    query->close = close_work;
    query->work = work;
    HTP_TRY(take(options, &work->options));
    if ((!query->other && !work->path) == !work->options.values) {
        return htp_status_make(HTP_CODE_USAGE, "pass either a second model, or a file of its "
                                               "values");
    }
    if (work->path && work->options.sizes) {
        return htp_status_make(HTP_CODE_USAGE, "the sizes of a PyTorch model are those of its "
                                               "inputs: pass them as for an export");
    }
    if (work->path && work->options.inputs) {
        return htp_status_make(HTP_CODE_USAGE, "the inputs of a PyTorch model are those of its "
                                               "export: pass them as for an export");
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &work->begin);
    htp_arena_init(&work->scratch);
    htp_status status = htp_query_ask(query);
    if (is_beyond) {
        *is_beyond = work->is_beyond;
    }
    return status;
}

htp_status htp_model_verify(htp_model *a, htp_model *b, const htp_verify_options *options,
                            char **text, char **json, bool *is_beyond)
{
    struct work work = {.runtime = NULL};
    htp_query query = {.model = a, .other = b, .text = text, .json = json};
    return ask(&query, &work, options, is_beyond);
}

htp_status htp_program_verify(const char *model_path, htp_model *b,
                              const htp_options *export_options, const htp_verify_options *options,
                              char **text, char **json, bool *is_beyond)
{
    struct work work = {.path = model_path, .export_options = export_options};
    htp_query query = {.model = b, .text = text, .json = json};
    return model_path && b ? ask(&query, &work, options, is_beyond)
                           : htp_status_make(HTP_CODE_USAGE, "there are no two models to verify");
}
