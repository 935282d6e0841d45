/*
 * Splits an ONNX model into consecutive parts.
 */
#include "api/options.h"
#include "api/queries/measures.h"
#include "api/queries/written_text.h"
#include "onnx/files/folder.h"
#include "query/select/address.h"
#include "query/select/calls.h"
#include "report/parts/part_report.h"

#include <string.h>

#define INDEX_FILE "index.json"
#define WEIGHTS_FILE "weights.data"

enum { LONGEST_NAME = 60 };

void htp_splitting_init(htp_splitting *splitting)
{
    if (splitting) {
        *splitting = (htp_splitting){.struct_size = sizeof(*splitting), .depth = -1};
    }
}

/* Files and arenas belong to the top level, since running out of memory skips the frames between.
 */
struct splitting {
    const char *path;
    htp_splitting options;
    htp_folder *folder;
    htp_arena *part_arena; /* of one part's file, new each time */
    htp_timing *timing;    /* for HTP_SPLIT_TIME */
};

/* The state of all parts. */
struct work {
    htp_query *query;
    const struct splitting *splitting;
    htp_view *view;
    htp_arena *arena;
    htp_split split;
    uint64_t *sizes; /* by part, of balanced ones; or NULL */
    htp_view_types *types;
    htp_part_maker *maker;
    htp_part *parts;
    htp_reported_part *reported;
    const htp_shared_data *shared; /* or NULL */
};

static htp_status take(const htp_splitting *given, htp_splitting *splitting)
{
    htp_splitting_init(splitting);
    HTP_TRY(htp_given_copy(splitting, sizeof(*splitting), given, "the splitting was",
                           "htp_splitting_init"));
    HTP_TRY(htp_addresses_check(splitting->at, splitting->at_count));
    bool has_both = splitting->at_count > 0 && splitting->depth >= 0;
    bool has_none = splitting->at_count == 0 && splitting->depth < 0 && splitting->into == 0;
    if (has_both || has_none) {
        return htp_status_make(HTP_CODE_USAGE, "pass either modules to split at, or a depth; or a "
                                               "number of parts");
    }
    HTP_TRY(htp_split_balance_check(splitting));
    if ((unsigned)splitting->external_data > HTP_EXTERNAL_NEVER) {
        return htp_status_make(HTP_CODE_USAGE, "unknown choice of external data: %d",
                               (int)splitting->external_data);
    }
    if (splitting->share_weights && splitting->external_data == HTP_EXTERNAL_NEVER) {
        return htp_status_make(HTP_CODE_USAGE, "weights that are shared are external data");
    }
    return HTP_OK;
}

/* ---- which parts ---- */

static htp_status choose_modules(const struct work *work, const htp_splitting *options,
                                 bool *is_chosen)
{
    const htp_tree *tree = &work->query->model->tree;
    for (size_t i = 0; i < options->at_count; i++) {
        htp_address_matches matches;
        HTP_TRY(htp_status_prefix(htp_address_find(work->arena, tree, options->at[i], &matches),
                                  work->view->path));
        for (uint32_t m = 0; m < tree->module_count; m++) {
            is_chosen[m] = is_chosen[m] || matches.is_matched[m];
        }
    }
    for (uint32_t m = 0; m < tree->module_count && options->depth >= 0; m++) {
        uint32_t depth = tree->modules[m].depth;
        bool is_meant = options->into > 0 ? depth <= (uint32_t)options->depth
                                          : depth == (uint32_t)options->depth;
        is_chosen[m] = tree->modules[m].has_tag && is_meant;
    }
    return HTP_OK;
}

static htp_status balance(struct work *work, const htp_splitting *options, const bool *is_chosen)
{
    bool has_borders = options->at_count > 0 || options->depth >= 0;
    htp_balancing balancing = {
        .parts = (uint32_t)options->into,
        .is_border = has_borders ? is_chosen : NULL,
    };
    HTP_TRY(
        htp_split_balance_costs(work->query, options, work->splitting->timing, &balancing.costs));
    work->sizes = HTP_NEW_ARRAY(work->arena, uint64_t, (size_t)options->into);
    return htp_split_balance(work->arena, work->view, &work->query->model->tree, &balancing,
                             &work->split, work->sizes);
}

static htp_status find_split(struct work *work, const htp_splitting *options)
{
    const htp_tree *tree = &work->query->model->tree;
    bool *is_chosen = HTP_NEW_ARRAY(work->arena, bool, tree->module_count);
    HTP_TRY(choose_modules(work, options, is_chosen));
    if (options->into > 0) {
        return balance(work, options, is_chosen);
    }
    HTP_TRY(htp_split_find(work->arena, work->view, tree, is_chosen, options->at_count > 0,
                           &work->split));
    if (work->split.parts.count > HTP_SPLIT_MOST_PARTS) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: there would be %zu parts, and there may be %d; choose modules "
                               "further up",
                               work->view->path, work->split.parts.count, HTP_SPLIT_MOST_PARTS);
    }
    return HTP_OK;
}

/* Outputs that no node makes, except inputs: the last part returns them. */
static htp_numbers find_returned_weights(const struct work *work)
{
    const htp_view *view = work->view;
    htp_view_range returned = view->graphs.items[0].outputs;
    htp_numbers list = {0};
    for (uint32_t i = 0; i < returned.count; i++) {
        uint32_t value = view->operands.items[returned.first + i];
        if (view->values.items[value].initializer != HTP_NONE) {
            HTP_PUSH(work->arena, &list, value);
        }
    }
    return list;
}

static void find_parts(struct work *work)
{
    uint32_t count = (uint32_t)work->split.parts.count;
    const htp_numbers returned = find_returned_weights(work);
    htp_division *division = HTP_NEW(work->arena, htp_division);
    *division = htp_division_make(work->arena, work->view, work->query->model->tree.is_shared, 0,
                                  count, work->split.part_of);
    work->types = htp_view_types_new(work->arena, work->view);
    work->maker = htp_part_maker_new(work->arena, division, &work->query->model->tree, work->types);
    work->parts = HTP_NEW_ARRAY(work->arena, htp_part, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        htp_part_find(work->maker, work->arena, i, i + 1 == count ? &returned : NULL,
                      &work->parts[i]);
    }
}

/* ---- files ---- */

/* "03-encoder.layer.2.onnx". File names keep letters, digits and harmless characters of tags; the
 * number makes them unique. */
static const char *name_file(const struct work *work, uint32_t index)
{
    const htp_split_part *part = &work->split.parts.items[index];
    const htp_tree_module *module =
        part->module == HTP_NONE ? NULL : &work->query->model->tree.modules[part->module];
    htp_slice segment =
        module ? htp_tree_segment(module) : htp_slice_of(part->is_balanced ? "/part" : "/between");
    htp_slice called = module && module->path.length > 0
                           ? module->path
                           : (htp_slice){segment.at + 1, segment.length ? segment.length - 1 : 0};
    const char *name = htp_text_file_name(
        work->arena, called.at, called.length < LONGEST_NAME ? called.length : LONGEST_NAME);
    const char *call =
        part->call == HTP_NONE ? "" : htp_arena_printf(work->arena, "-call%u", part->call);
    int digits = work->split.parts.count > 1000 ? 4 : work->split.parts.count > 100 ? 3 : 2;
    return htp_arena_printf(work->arena, "%0*u-%s%s.onnx", digits, index, name, call);
}

static htp_status find_path(const struct work *work, const char *name, char path[PATH_MAX])
{
    return htp_folder_file(work->splitting->folder, name, path)
               ? HTP_OK
               : htp_status_make(HTP_CODE_CANNOT_WRITE, "cannot write '%s': its path is too long",
                                 name);
}

/* The tensors of all parts. */
static htp_numbers find_tensors(const struct work *work)
{
    bool *is_used = HTP_NEW_ARRAY(work->arena, bool, work->view->tensors.count + 1);
    htp_numbers list = {0};
    for (size_t p = 0; p < work->split.parts.count; p++) {
        for (size_t i = 0; i < work->parts[p].tensors.count; i++) {
            is_used[work->parts[p].tensors.items[i]] = true;
        }
    }
    for (uint32_t t = 0; t < work->view->tensors.count; t++) {
        if (is_used[t]) {
            HTP_PUSH(work->arena, &list, t);
        }
    }
    return list;
}

static htp_status write_shared(struct work *work)
{
    const htp_numbers tensors = find_tensors(work);
    uint64_t *offsets = HTP_NEW_ARRAY(work->arena, uint64_t, work->view->tensors.count + 1);
    htp_shared_data *shared = HTP_NEW(work->arena, htp_shared_data);
    char path[PATH_MAX];
    uint64_t bytes = 0;
    const htp_rewrite_options options = {
        .progress = work->splitting->options.progress,
        .user = work->splitting->options.user,
        .arena = work->arena,
        .tensors = tensors.items,
        .tensor_count = tensors.count,
    };
    HTP_TRY(find_path(work, WEIGHTS_FILE, path));
    HTP_TRY(htp_rewrite_data(work->view, path, &options, offsets, &bytes));
    *shared = (htp_shared_data){.location = WEIGHTS_FILE, .offsets = offsets};
    work->shared = bytes > 0 ? shared : NULL;
    return HTP_OK;
}

static const char *make_note(const struct work *work, uint32_t index)
{
    htp_arena *arena = work->splitting->part_arena;
    htp_json json = {.text.arena = arena};
    if (!work->query->model->tree.has_records) {
        return NULL;
    }
    htp_json_begin(&json, NULL, '{');
    htp_json_count(&json, "part", index);
    htp_json_count(&json, "of", work->split.parts.count);
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}

static htp_status write_part(struct work *work, uint32_t index, htp_writer_result *written)
{
    static const htp_edit_list no_edits = {0};
    const htp_splitting *options = &work->splitting->options;
    const htp_part *part = &work->parts[index];
    htp_arena *arena = work->splitting->part_arena;
    char path[PATH_MAX];
    if (htp_arena_recover(arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", work->view->path);
    }
    htp_rewrite_options rewrite = {
        .progress = options->progress,
        .user = options->user,
        .arena = arena,
        .tensors = part->tensors.items,
        .tensor_count = part->tensors.count,
        .place = work->shared ? HTP_DATA_SHARED : HTP_DATA_CHOSEN,
        .external_data = options->external_data,
        .shared = work->shared,
    };
    HTP_TRY(find_path(work, work->reported[index].file, path));
    HTP_TRY(htp_part_recipe(work->maker, arena, part, make_note(work, index), &rewrite.recipe));
    return htp_rewrite(work->view, &no_edits, path, &rewrite, written);
}

/* Between parts, since a part may be too small to report. */
static htp_status report_progress(const struct work *work, uint64_t bytes)
{
    const htp_splitting *options = &work->splitting->options;
    const htp_progress progress = {.stage = HTP_STAGE_WRITTEN, .done = bytes, .label = "bytes"};
    return !options->progress || options->progress(options->user, &progress)
               ? HTP_OK
               : htp_status_make(HTP_CODE_INTERRUPTED, "stopped while '%s' was written",
                                 work->splitting->path);
}

static htp_status write_parts(struct work *work)
{
    uint64_t bytes = 0;
    size_t count = work->split.parts.count;
    work->reported = HTP_NEW_ARRAY(work->arena, htp_reported_part, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        htp_writer_result written = {0};
        work->reported[i].part = &work->parts[i];
        work->reported[i].types = work->types;
        work->reported[i].file = name_file(work, i);
        htp_arena_init(work->splitting->part_arena);
        htp_status status = write_part(work, i, &written);
        const char *slash = written.external_path ? strrchr(written.external_path, '/') : NULL;
        work->reported[i].model_bytes = written.model_bytes;
        work->reported[i].data_bytes = written.external_bytes;
        work->reported[i].data_file = slash ? htp_arena_strdup(work->arena, slash + 1) : NULL;
        htp_arena_free(work->splitting->part_arena);
        HTP_TRY(status);
        bytes += written.model_bytes + written.external_bytes;
        HTP_TRY(report_progress(work, bytes));
    }
    return HTP_OK;
}

/* ---- the index ---- */

static htp_status write_index(struct work *work, const char *text)
{
    char path[PATH_MAX];
    HTP_TRY(find_path(work, INDEX_FILE, path));
    return htp_text_write(work->arena, text, path);
}

/* ---- the whole ---- */

static htp_status split(htp_query *query)
{
    const struct splitting *splitting = query->options;
    struct work work = {.query = query,
                        .splitting = splitting,
                        .view = &query->model->view,
                        .arena = &query->arena};
    if (!splitting->path || *splitting->path == '\0') {
        return htp_status_make(HTP_CODE_USAGE, "the output has no name");
    }
    HTP_TRY(find_split(&work, &splitting->options));
    find_parts(&work);
    HTP_TRY(htp_folder_begin(splitting->folder, splitting->path));
    if (splitting->options.share_weights) {
        HTP_TRY(write_shared(&work));
    }
    HTP_TRY(write_parts(&work));
    const htp_reported_split reported = {
        .view = work.view,
        .tree = &query->model->tree,
        .split = &work.split,
        .types = work.types,
        .parts = work.reported,
        .sizes = work.sizes,
        .by = splitting->options.by,
        .weights = work.shared ? WEIGHTS_FILE : NULL,
    };
    const char *json = htp_report_split_json(work.arena, &reported);
    HTP_TRY(write_index(&work, json));
    if (query->text) {
        HTP_TRY(htp_query_hand_over(htp_report_split(work.arena, &reported), query->text));
    }
    if (query->json) {
        HTP_TRY(htp_query_hand_over(json, query->json));
    }
    return htp_folder_publish(splitting->folder);
}

htp_status htp_model_split(htp_model *model, const htp_splitting *splitting, const char *folder,
                           char **text, char **json)
{
    htp_arena part_arena;
    htp_folder made = {.temporary = NULL};
    htp_timing timing = {.path = NULL};
    struct splitting work = {
        .path = folder, .folder = &made, .part_arena = &part_arena, .timing = &timing};
    htp_query query = {
        .model = model, .answer = split, .options = &work, .text = text, .json = json};
    HTP_TRY(take(splitting, &work.options));
    if (work.options.profile) {
        HTP_TRY(htp_timing_open(&timing, work.options.profile, work.options.optimized));
    }
    htp_arena_init(&part_arena);
    htp_status status = htp_query_ask(&query);
    htp_arena_free(&part_arena);
    htp_timing_close(&timing);
    htp_folder_discard(&made);
    return status;
}
