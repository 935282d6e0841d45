#include "api/export/fresh_export.h"

#include "api/export/pipeline.h"
#include "api/export/trace.h"
#include "api/options.h"
#include "api/paths.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The name under which the model refers to the archive with its weights. */
#define ARCHIVE_LOCATION "archive"

/* ---- exporting ---- */

static htp_status export_model(htp_fresh_export *fresh, htp_finished *finished)
{
    htp_session *session = &fresh->work;
    htp_custom_operators customs;
    htp_builder *model = NULL;
    HTP_TRY(htp_custom_read(&session->arena, session->options.custom_operators,
                            session->options.custom_operator_count, &customs));
    HTP_TRY(htp_session_trace(session));
    HTP_TRY(htp_pipeline_lower(session, &customs, &model));
    finished->model = model;
    fresh->model = model;
    return htp_pipeline_tag(session, finished);
}

/* Writes the structure to a memory file, which has a path while it is open. */
static htp_status write_structure(htp_fresh_export *fresh, htp_finished *finished)
{
    htp_session *session = &fresh->work;
    const htp_writer_options options = {.external_data = HTP_EXTERNAL_NEVER,
                                        .progress = htp_session_progress,
                                        .user = session,
                                        .source = &session->source.file,
                                        .source_location = ARCHIVE_LOCATION};
    fresh->fd = memfd_create("htp-trace", MFD_CLOEXEC);
    fresh->has_fd = fresh->fd >= 0;
    if (!fresh->has_fd) {
        return htp_status_make(HTP_CODE_INTERNAL, "no memory for a second export: %s",
                               strerror(errno));
    }
    char *path = htp_arena_printf(&session->arena, "/proc/self/fd/%d", fresh->fd);
    finished->onnx_path = path;
    htp_session_begin(session, HTP_STAGE_WRITTEN);
    HTP_TRY(htp_builder_write(finished->written, finished->annotations, path, &options,
                              &finished->sizes));
    return htp_session_end(session, finished->sizes.model_bytes, "bytes");
}

/* Messages name the source of the view. */
static htp_status open_view(htp_fresh_export *fresh, htp_arena *arena, const htp_finished *finished)
{
    const char *path = htp_arena_strdup(arena, fresh->work.model_path);
    HTP_TRY(htp_view_open_with_data(&fresh->view, arena, finished->onnx_path, &fresh->work.limits,
                                    ARCHIVE_LOCATION, path));
    HTP_TRY(htp_view_check(&fresh->view));
    fresh->view.path = path;
    return htp_tree_find(&fresh->view, &fresh->tree);
}

/* ---- the truth ---- */

/* The running modules, as numbers of the tree; HTP_NONE: not in it. */
typedef struct running {
    uint32_t innermost;
    uint32_t owner; /* its nearest tagged ancestor, or itself */
} running;

static htp_status find_calls(htp_session *session, htp_arena *arena, htp_source_calls *calls)
{
    htp_watch watch = {.stage = HTP_STAGE_WRITTEN,
                       .label = "operations",
                       .progress = htp_session_progress,
                       .user = session};
    return htp_source_find_calls(&session->source, arena, &watch, calls);
}

/* By running forward(), callers first. An object that depends on data has no module. */
static const running *list_running(const htp_session *session, htp_arena *arena,
                                   const htp_tree *tree, const htp_source_calls *calls)
{
    htp_map modules = {0};
    for (uint32_t m = 0; m < tree->module_count; m++) {
        htp_slice path = tree->modules[m].path;
        if (path.length > 0) {
            htp_map_set_bytes(arena, &modules, path.at, path.length, m);
        }
    }
    running *all = HTP_NEW_ARRAY(arena, running, calls->running_count);
    for (uint32_t i = 0; i < calls->running_count; i++) {
        const htp_source_running *call = &calls->running[i];
        uint32_t module = 0; /* the root has no path */
        const char *path =
            call->module == HTP_NONE ? NULL : session->source.modules[call->module].path;
        if (!path || (*path && !htp_map_get_bytes(&modules, path, strlen(path), &module))) {
            module = HTP_NONE;
        }
        bool is_owner = module == 0 || (module != HTP_NONE && tree->modules[module].has_tag);
        all[i].innermost = module;
        all[i].owner = is_owner || call->caller == HTP_NONE ? module : all[call->caller].owner;
    }
    return all;
}

/* The module that ran a node of the builder, or NULL. */
static const running *find_running(const htp_source_calls *calls, const running *all,
                                   const htp_onnx_node *node)
{
    htp_node_id operation = node->origin.node;
    uint32_t number = operation == HTP_NONE || operation >= calls->node_count
                          ? HTP_NONE
                          : calls->nodes[operation];
    bool is_known =
        number != HTP_NONE && all[number].innermost != HTP_NONE && all[number].owner != HTP_NONE;
    return is_known ? &all[number] : NULL;
}

static uint32_t find_judged(const htp_tree *tree, const running *found)
{
    uint32_t above = found->innermost;
    while (!tree->modules[above].has_tag && tree->modules[above].parent != HTP_NONE) {
        above = tree->modules[above].parent;
    }
    return above == found->owner ? found->innermost : found->owner;
}

static const char *path_of(htp_arena *arena, const htp_tree *tree, uint32_t module)
{
    htp_slice path = tree->modules[module].path;
    return path.length > 0 ? htp_arena_copy(arena, path.at, path.length) : "";
}

/* From builder nodes to nodes of the view, by unique name: number + 1, or 0. */
static const uint32_t *match_names(htp_arena *arena, const htp_view *view, const htp_builder *model)
{
    uint32_t *by_name = HTP_NEW_ARRAY(arena, uint32_t, view->names.count);
    uint32_t *matched = HTP_NEW_ARRAY(arena, uint32_t, model->nodes.count);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        by_name[view->nodes.items[n].name] = n + 1;
    }
    for (size_t i = 0; i < model->nodes.count; i++) {
        matched[i] = by_name[htp_view_find_name(view, model->nodes.items[i].name)];
    }
    return matched;
}

static htp_status find_truth(htp_fresh_export *fresh, htp_arena *arena, const htp_builder *model)
{
    const htp_tree *tree = &fresh->tree;
    htp_source_calls calls = {0};
    fresh->kind = fresh->work.source.reader->key;
    HTP_TRY(find_calls(&fresh->work, arena, &calls));
    const running *all = list_running(&fresh->work, arena, tree, &calls);
    const uint32_t *matched = match_names(arena, &fresh->view, model);
    const char **by_module = HTP_NEW_ARRAY(arena, const char *, tree->module_count);
    for (uint32_t m = 0; m < tree->module_count; m++) {
        by_module[m] = path_of(arena, tree, m);
    }
    size_t count = fresh->view.nodes.count;
    const char **paths = HTP_NEW_ARRAY(arena, const char *, count);
    const char **owners = HTP_NEW_ARRAY(arena, const char *, count);
    uint32_t *modules = HTP_NEW_ARRAY(arena, uint32_t, count);
    memset(modules, 0xff, count * sizeof(*modules));
    uint64_t known = 0;
    for (size_t i = 0; i < model->nodes.count; i++) {
        const running *found = find_running(&calls, all, &model->nodes.items[i]);
        if (found && matched[i]) {
            uint32_t node = matched[i] - 1;
            paths[node] = by_module[found->innermost];
            owners[node] = by_module[found->owner];
            modules[node] = find_judged(tree, found);
            known++;
        }
    }
    fresh->truth = (htp_truth){"calls", paths, known, owners};
    fresh->modules = modules;
    return HTP_OK;
}

/* ---- the whole ---- */

/* @param has_truth  whether the modules of nodes are found on a second path, too */
static htp_status make_guarded(htp_fresh_export *fresh, htp_arena *arena, bool has_truth)
{
    htp_session *session = &fresh->work;
    htp_finished finished = {0};
    if (htp_arena_recover(&session->arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", session->model_path);
    }
    HTP_TRY(export_model(fresh, &finished));
    HTP_TRY(htp_status_prefix(write_structure(fresh, &finished), session->model_path));
    HTP_TRY(open_view(fresh, arena, &finished));
    return has_truth ? find_truth(fresh, arena, finished.model) : HTP_OK;
}

/* The model and the memory file are needed no longer once the truth is known. */
static void close_work(htp_fresh_export *fresh)
{
    if (fresh->has_fd) {
        (void)close(fresh->fd);
        fresh->has_fd = false;
    }
    htp_session_close(&fresh->work);
}

static htp_status make(htp_fresh_export *fresh, htp_arena *arena, const char *model_path,
                       const htp_options *options, bool has_truth)
{
    HTP_TRY(htp_paths_check_model(model_path));
    htp_session *session = &fresh->work;
    HTP_TRY(htp_options_copy(options, &session->options));
    session->options.tags = HTP_TAG_ATTRIBUTE | HTP_TAG_METADATA;
    session->options.functions = NULL;
    /* Nodes are judged one by one, so none may stand for several of the judged file. */
    session->options.shares_within_modules = session->options.shares_within_modules || has_truth;
    session->model_path = model_path;
    htp_arena_init(&session->arena);
    return make_guarded(fresh, arena, has_truth);
}

static htp_status make_closed(htp_fresh_export *fresh, htp_arena *arena, const char *model_path,
                              const htp_options *options, bool has_truth)
{
    htp_status status = make(fresh, arena, model_path, options, has_truth);
    close_work(fresh);
    return status;
}

htp_status htp_fresh_export_make(htp_fresh_export *fresh, htp_arena *arena, const char *model_path,
                                 const htp_options *options)
{
    return make_closed(fresh, arena, model_path, options, true);
}

htp_status htp_fresh_export_make_model(htp_fresh_export *fresh, htp_arena *arena,
                                       const char *model_path, const htp_options *options)
{
    return make_closed(fresh, arena, model_path, options, false);
}

htp_status htp_fresh_export_open(htp_fresh_export *fresh, htp_arena *arena, const char *model_path,
                                 const htp_options *options)
{
    fresh->work.keeps_recorded = true;
    return make(fresh, arena, model_path, options, false);
}

void htp_fresh_export_close(htp_fresh_export *fresh)
{
    htp_tree_close(&fresh->tree);
    htp_view_close(&fresh->view);
    close_work(fresh);
}
