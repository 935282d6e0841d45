/*
 * Opens ONNX models, and answers queries of them.
 */
#include "api/model.h"
#include "api/options.h"

#include "api/paths.h"
#include "onnx/inliner/inline.h"
#include "onnx/reader/sort.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

htp_file_kind htp_file_find_kind(const char *path)
{
    unsigned char begin[16];
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    ssize_t got = fd >= 0 ? pread(fd, begin, sizeof(begin), 0) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    return got > 0 && htp_view_is_onnx(begin, (size_t)got) ? HTP_FILE_ONNX : HTP_FILE_TORCHSCRIPT;
}

/* ---- limits ---- */

static htp_limits model_limits; /* of all models of the process */

htp_status htp_limit_models(const char *const *limits, size_t count)
{
    htp_limits chosen = {{0}};
    for (size_t i = 0; i < count; i++) {
        if (!limits || !limits[i]) {
            return htp_status_make(HTP_CODE_USAGE, "the list of limits is missing");
        }
        HTP_TRY(htp_limits_set(&chosen, limits[i]));
    }
    model_limits = chosen;
    return HTP_OK;
}

/* ---- opening ---- */

htp_status htp_model_open_views(htp_model *model, const char *path)
{
    HTP_TRY(htp_view_open(&model->view, &model->arena, path, &model_limits));
    if (model->view.functions.count == 0 || model->view.flaws.count > 0) {
        return HTP_OK;
    }
    model->file = model->view;
    return htp_view_inline(&model->view, &model->file);
}

static htp_status open_guarded(htp_model *model, const char *path)
{
    if (htp_arena_recover(&model->arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", path);
    }
    HTP_TRY(htp_model_open_views(model, path));
    HTP_TRY(htp_view_check(&model->view));
    return htp_tree_find(&model->view, &model->tree);
}

static htp_status open_sorted_guarded(htp_model *model, const char *path)
{
    if (htp_arena_recover(&model->arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", path);
    }
    HTP_TRY(htp_model_open_views(model, path));
    if (htp_view_is_unsorted(&model->view)) {
        model->file = model->view;
        HTP_TRY(htp_view_sort(&model->view, &model->file));
    }
    HTP_TRY(htp_view_check(&model->view));
    return htp_tree_find(&model->view, &model->tree);
}

static htp_status open_with(const char *path, htp_model **model,
                            htp_status (*guarded)(htp_model *model, const char *path))
{
    if (!model) {
        return htp_status_make(HTP_CODE_USAGE, "there is no place for the model");
    }
    *model = NULL;
    HTP_TRY(htp_paths_check_model(path));
    htp_model *opened = calloc(1, sizeof(*opened));
    if (!opened) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", path);
    }
    htp_arena_init(&opened->arena);
    htp_status status = guarded(opened, path);
    if (status) {
        htp_model_free(opened);
        return status;
    }
    *model = opened;
    return HTP_OK;
}

htp_status htp_model_open(const char *path, htp_model **model)
{
    return open_with(path, model, open_guarded);
}

htp_status htp_model_open_sorted(const char *path, htp_model **model)
{
    return open_with(path, model, open_sorted_guarded);
}

void htp_model_free(htp_model *model)
{
    if (model) {
        htp_tree_close(&model->tree);
        htp_sidecar_file_close(&model->sidecar);
        htp_view_close(&model->view);
        htp_view_close(&model->file);
        htp_arena_free(&model->arena);
        free(model);
    }
}

htp_status htp_model_check_files(const htp_model *model)
{
    HTP_TRY(htp_status_prefix(htp_input_file_check(&model->view.file), model->view.path));
    return htp_sidecar_file_check(&model->tree.sidecar);
}

const char *htp_model_hierarchy(const htp_model *model)
{
    return model->tree.source_text;
}

uint64_t htp_model_node_count(const htp_model *model)
{
    return model->tree.nodes;
}

uint64_t htp_model_untagged_count(const htp_model *model)
{
    return model->tree.untagged;
}

/* ---- queries ---- */

static htp_status ask_guarded(htp_query *query)
{
    if (htp_arena_recover(&query->arena) != 0 || htp_arena_recover(&query->model->arena) != 0 ||
        (query->other && htp_arena_recover(&query->other->arena) != 0)) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", query->model->view.path);
    }
    return query->answer(query);
}

htp_status htp_query_ask(htp_query *query)
{
    char **const results[] = {query->text, query->json};
    for (size_t i = 0; i < 2; i++) {
        if (results[i]) {
            *results[i] = NULL;
        }
    }
    if (!query->model) {
        return htp_status_make(HTP_CODE_USAGE, "there is no model");
    }
    htp_arena_init(&query->arena);
    htp_status status = ask_guarded(query);
    if (query->close) {
        query->close(query);
    }
    htp_arena_free(&query->arena);
    for (size_t i = 0; i < 2 && status; i++) {
        if (results[i]) {
            free(*results[i]);
            *results[i] = NULL;
        }
    }
    return status;
}

htp_status htp_query_hand_over(const char *answer, char **result)
{
    *result = strdup(answer);
    return *result ? HTP_OK : htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

htp_status htp_query_check_output(htp_query *query, const char *path)
{
    htp_model *const models[] = {query->model, query->other};
    for (size_t m = 0; m < 2 && models[m]; m++) {
        const htp_view *view = htp_model_file(models[m]);
        size_t count = view->data_files.count + 1;
        const char **inputs = HTP_NEW_ARRAY(&query->arena, const char *, count);
        inputs[0] = view->path;
        for (size_t i = 1; i < count; i++) {
            inputs[i] = view->data_files.items[i - 1].path;
        }
        HTP_TRY(htp_status_prefix(htp_paths_check(&query->arena, inputs, count, path, count > 1),
                                  view->path));
    }
    return HTP_OK;
}

htp_status htp_call_check(int64_t call)
{
    return call >= -1 && call < HTP_NONE
               ? HTP_OK
               : htp_status_make(HTP_CODE_USAGE, "there is no call %lld", (long long)call);
}

htp_status htp_addresses_check(const char *const *addresses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!addresses || !addresses[i]) {
            return htp_status_make(HTP_CODE_USAGE, "the list of modules is missing");
        }
    }
    return HTP_OK;
}
