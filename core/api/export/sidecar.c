/*
 * The sidecar of an ONNX model, as a file.
 */
#include "api/export/sidecar.h"
#include "api/options.h"

#include "api/paths.h"
#include "onnx/files/delivery.h"
#include "onnx/files/output.h"

#include <stdlib.h>
#include <string.h>

/* ---- paths ---- */

char *htp_sidecar_path(const char *onnx_path)
{
    static const char name[] = HTP_SIDECAR_ENDING;
    size_t length = onnx_path ? htp_sidecar_file_stem(onnx_path) : 0;
    char *path = malloc(length + sizeof(name));
    if (path) {
        memcpy(path, length > 0 ? onnx_path : "", length);
        memcpy(path + length, name, sizeof(name));
    }
    return path;
}

const char *htp_sidecar_default_path(htp_arena *arena, const char *onnx_path)
{
    return htp_arena_printf(arena, "%.*s" HTP_SIDECAR_ENDING, (int)htp_sidecar_file_stem(onnx_path),
                            onnx_path);
}

htp_status htp_sidecar_find_path(htp_arena *arena, const char *given, const char *const *inputs,
                                 size_t input_count, const char *onnx_path, const char **path)
{
    *path = *given ? given : htp_sidecar_default_path(arena, onnx_path);
    if (strcmp(*path, onnx_path) == 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "the sidecar '%s' is the model itself; choose another name", *path);
    }
    htp_output *model = HTP_NEW(arena, htp_output);
    HTP_TRY(htp_output_find(model, onnx_path));
    if (model->is_direct) {
        return htp_status_make(HTP_CODE_USAGE,
                               "the sidecar is made of the model, and '%s' is no file", onnx_path);
    }
    return htp_paths_check(arena, inputs, input_count, *path, false);
}

/* ---- writing ---- */

/* State of writing a sidecar. */
struct writing {
    const char *path;
    const htp_sidecar_run *run;
    const char *quality;
    htp_write_options options;
    htp_model *model;
    htp_sidecar *sidecar;
    htp_json json; /* both passes use its memory */
    htp_output *output;
    uint64_t bytes;
    bool is_stopped;
};

static void count_bytes(void *user, const char *bytes, size_t length)
{
    struct writing *w = user;
    (void)bytes;
    w->bytes += length;
}

static htp_status lay_out(void *user, const char *location, htp_delivery_sizes *sizes)
{
    struct writing *w = user;
    (void)location;
    w->bytes = 0;
    w->json.write = count_bytes;
    htp_sidecar_write(w->sidecar, w->run, w->quality, &w->json);
    *sizes = (htp_delivery_sizes){.model_bytes = w->bytes};
    return HTP_OK;
}

static void put_bytes(void *user, const char *bytes, size_t length)
{
    struct writing *w = user;
    uint64_t total = w->bytes;
    const htp_progress progress = {
        .stage = HTP_STAGE_WRITTEN, .done = w->output->position, .total = total, .label = "bytes"};
    w->is_stopped =
        w->is_stopped || (w->options.progress && !w->options.progress(w->options.user, &progress));
    if (!w->is_stopped) {
        htp_output_append(w->output, bytes, length);
    }
}

static htp_delivery_end put_document(void *user, htp_output *output)
{
    struct writing *w = user;
    w->output = output;
    w->json = (htp_json){.text = w->json.text, .write = put_bytes, .user = w};
    htp_sidecar_write(w->sidecar, w->run, w->quality, &w->json);
    return w->is_stopped ? HTP_DELIVERY_STOPPED : HTP_DELIVERY_DONE;
}

static htp_status check_sources(void *user)
{
    const struct writing *w = user;
    return htp_model_check_files(w->model);
}

/* The document must not replace the model, its data, or the sidecar that it is made from. */
static htp_status check_path(htp_query *query, const char *path)
{
    const htp_view *view = &query->model->view;
    const char *sidecar = query->model->tree.sidecar.path;
    const char **inputs = HTP_NEW_ARRAY(&query->arena, const char *, view->data_files.count + 2);
    size_t count = 0;
    inputs[count++] = view->path;
    for (size_t i = 0; i < view->data_files.count; i++) {
        inputs[count++] = view->data_files.items[i].path;
    }
    if (sidecar) {
        inputs[count++] = sidecar;
    }
    return htp_paths_check(&query->arena, inputs, count, path, false);
}

static htp_status write_sidecar(htp_query *query)
{
    struct writing *w = HTP_NEW(&query->arena, struct writing);
    const htp_view *view = &query->model->view;
    htp_delivered delivered;
    *w = *(const struct writing *)query->options;
    w->model = query->model;
    w->path = w->path ? w->path : htp_sidecar_default_path(&query->arena, view->path);
    HTP_TRY(htp_status_prefix(check_path(query, w->path), view->path));
    w->sidecar = htp_sidecar_new(&query->arena, view, &query->model->tree);
    w->json = (htp_json){.text.arena = &query->arena, .user = w};
    const htp_delivery delivery = {
        .user = w, .lay_out = lay_out, .put_model = put_document, .check_sources = check_sources};
    return htp_status_prefix(htp_deliver(&query->arena, &delivery, w->path, &delivered),
                             view->path);
}

static htp_status write_model_sidecar(htp_model *model, const char *path,
                                      const htp_sidecar_run *run, const char *quality,
                                      const htp_write_options *options)
{
    struct writing work = {.path = path, .run = run, .quality = quality};
    htp_query query = {.model = model, .answer = write_sidecar, .options = &work};
    htp_write_options_init(&work.options);
    if (options) {
        HTP_TRY(htp_given_copy(&work.options, sizeof(work.options), options, "the options were",
                               "htp_write_options_init"));
    }
    return htp_query_ask(&query);
}

htp_status htp_model_sidecar(htp_model *model, const char *path, const htp_write_options *options)
{
    return write_model_sidecar(model, path, NULL, NULL, options);
}

htp_status htp_sidecar_write_measured(htp_model *model, const char *path, const char *quality)
{
    return write_model_sidecar(model, path, NULL, quality, NULL);
}

htp_status htp_sidecar_write_file(const char *onnx_path, const char *path,
                                  const htp_sidecar_run *run, const htp_write_options *options)
{
    htp_model *model;
    HTP_TRY(htp_model_open(onnx_path, &model));
    htp_status status = write_model_sidecar(model, path, run, NULL, options);
    htp_model_free(model);
    return status;
}
