#include "verify/side.h"

#include <stdlib.h>
#include <string.h>

/* "folder" of "folder/model.onnx", "." of "model.onnx". */
static const char *folder_of(htp_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? htp_arena_copy(arena, path, (size_t)(slash - path) + (slash == path)) : ".";
}

/* Where sessions find the model's weights: it may be a link to a file elsewhere, whose folder the
 * runtime insists on. Weights of a model with external data, or one that was read from a pipe, are
 * copied. */
static void find_own_file(htp_arena *arena, htp_side *side)
{
    const htp_view *view = side->view;
    bool is_alone = view->data_files.count == 0 && htp_runtime_has_data_folder(side->runtime);
    char *real = is_alone ? realpath(view->path, NULL) : NULL;
    htp_status status = real ? htp_input_file_check_path(&view->file, real) : HTP_OK;
    if (real && !status) {
        const char *path = htp_arena_strdup(arena, real);
        side->folder = folder_of(arena, path);
        side->own_name = strrchr(path, '/') + 1;
    }
    htp_status_free(status);
    free(real);
}

/* By value of a model: the array with its name. */
static const uint32_t *find_given(htp_arena *arena, const htp_view *view,
                                  const htp_verify_given *given)
{
    uint32_t *number_of = HTP_NEW_ARRAY(arena, uint32_t, view->values.count + 1);
    htp_map numbers = {0};
    for (size_t i = 0; i < given->count; i++) {
        htp_map_set(arena, &numbers, given->names[i], (uint32_t)i);
    }
    for (uint32_t v = 0; v < view->values.count; v++) {
        number_of[v] = HTP_NONE;
        if (view->values.items[v].graph == 0 && view->values.items[v].name != 0) {
            (void)htp_map_get(&numbers, htp_view_text(view, view->values.items[v].name),
                              &number_of[v]);
        }
    }
    return number_of;
}

bool htp_side_has(const htp_side *side, uint32_t value)
{
    return !side->given || side->number_of[value] != HTP_NONE;
}

htp_side htp_side_new(htp_arena *arena, const htp_verify_request *request, int number)
{
    const htp_view *view = request->views[number];
    const htp_verify_given *given = number == HTP_COMPARED_A ? request->values : NULL;
    htp_side side = {
        .view = view,
        .tree = request->trees[number],
        .types = htp_view_types_new(arena, view),
        .runtime = request->runtime,
        .scratch = request->scratch,
        .folder = folder_of(arena, view->path),
        .level = number == HTP_COMPARED_B ? request->level : HTP_RUNTIME_LEVEL_NONE,
        .given = given,
        .number_of = given ? find_given(arena, view, given) : NULL,
        .is_computed = number == HTP_COMPARED_A && request->reference,
    };
    find_own_file(arena, &side);
    return side;
}

htp_status htp_side_check(const htp_side *side)
{
    bool is_found = side->view->data_files.count == 0 || strcmp(side->folder, ".") == 0 ||
                    htp_runtime_has_data_folder(side->runtime);
    return is_found ? HTP_OK
                    : htp_status_make(HTP_CODE_INTERNAL,
                                      "%s: ONNX Runtime %s looks for its external data in the "
                                      "working directory: change to the model's folder, or take "
                                      "ONNX Runtime 1.21 or later",
                                      side->view->path, htp_runtime_version(side->runtime));
}

/* ---- sessions ---- */

/* A session under construction. */
struct opening {
    htp_side *side;
    htp_arena *arena;
    htp_part_maker *maker;
    const htp_numbers *outputs;
    htp_side_session *session;
};

/* A maker of all nodes: one part. */
static htp_part_maker *make_whole(const htp_side *side, htp_arena *arena)
{
    const htp_view *view = side->view;
    htp_division *division = HTP_NEW(arena, htp_division);
    uint32_t *part_of = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1);
    *division = htp_division_make(arena, view, NULL, 0, 1, part_of); /* all are 0 */
    return htp_part_maker_new(arena, division, side->tree, side->types);
}

/* The maker of parts, which knows the model, with other nodes than before. */
static htp_part_maker *make_part(htp_side *side, htp_arena *arena, const htp_numbers *nodes)
{
    if (!side->maker) {
        side->division = HTP_NEW(arena, htp_division);
        *side->division = htp_division_open(arena, side->view);
        side->maker = htp_part_maker_new(arena, side->division, side->tree, side->types);
    }
    htp_division_set(side->division, nodes);
    return side->maker;
}

static htp_status open_session(const struct opening *o)
{
    htp_side *side = o->side;
    htp_arena *scratch = side->scratch;
    const htp_recipe *recipe;
    htp_part part;
    htp_span model;
    htp_part_find(o->maker, scratch, 0, o->outputs, &part);
    HTP_TRY(htp_part_recipe(o->maker, scratch, &part, NULL, &recipe));
    const htp_rewrite_options options = {
        .recipe = recipe,
        .tensors = part.tensors.items,
        .tensor_count = part.tensors.count,
    };
    HTP_TRY(htp_rewrite_in_memory(side->view, scratch, &options, side->own_name, &model));
    for (size_t i = 0; i < part.inputs.count; i++) {
        HTP_PUSH(o->arena, &o->session->inputs, part.inputs.items[i]);
    }
    return htp_status_prefix(htp_runtime_session_new(side->runtime, model.at, model.bytes,
                                                     side->folder, side->level,
                                                     &o->session->session),
                             side->view->path);
}

htp_status htp_side_open(htp_side *side, htp_arena *arena, const htp_numbers *nodes,
                         const htp_numbers *outputs, const int32_t *types,
                         htp_side_session *session)
{
    struct opening opening = {.side = side, .arena = arena, .outputs = outputs, .session = session};
    htp_status status = HTP_OK;
    *session = (htp_side_session){.session = NULL};
    if (side->given || side->is_computed) {
        return HTP_OK; /* there is nothing to run */
    }
    htp_view_types_settle(side->types);
    opening.maker = nodes ? make_part(side, arena, nodes) : NULL;
    htp_arena_init(side->scratch);
    if (htp_arena_recover(side->scratch) != 0) {
        status = htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    } else {
        opening.maker = nodes ? opening.maker : make_whole(side, side->scratch);
        htp_part_maker_open(opening.maker, types);
        status = open_session(&opening);
    }
    htp_arena_free(side->scratch);
    htp_arena_init(side->scratch);
    return status;
}

void htp_side_close(htp_side_session *session)
{
    htp_runtime_session_free(session->session);
    session->session = NULL;
}

/* ---- runs ---- */

static htp_status fetch_given(const htp_side *side, htp_arena *arena, const htp_numbers *wanted,
                              htp_fetched **fetched)
{
    const htp_verify_given *given = side->given;
    const htp_array **arrays = HTP_NEW_ARRAY(arena, const htp_array *, wanted->count + 1);
    size_t *numbers = HTP_NEW_ARRAY(arena, size_t, wanted->count + 1);
    for (size_t i = 0; i < wanted->count; i++) {
        numbers[i] = side->number_of[wanted->items[i]];
        arrays[i] = &given->arrays[numbers[i]];
    }
    return htp_status_prefix(htp_fetched_read(side->runtime, arrays, numbers, wanted->count,
                                              given->read, given->user, fetched),
                             given->path);
}

static bool copy_elements(void *user, size_t index, void *elements)
{
    const htp_array *const *arrays = user;
    size_t bytes = htp_array_bytes(arrays[index]);
    if (bytes > 0) {
        memcpy(elements, arrays[index]->data, bytes);
    }
    return true;
}

/* What was computed of the wanted values. */
static htp_status fetch_computed(const htp_side *side, htp_arena *arena,
                                 const htp_array *const *arrays, const htp_numbers *wanted,
                                 htp_fetched **fetched)
{
    static const htp_array nothing = {.data_type = 0};
    const htp_array **computed = HTP_NEW_ARRAY(arena, const htp_array *, wanted->count + 1);
    size_t *numbers = HTP_NEW_ARRAY(arena, size_t, wanted->count + 1);
    for (size_t i = 0; i < wanted->count; i++) {
        const htp_array *known = arrays[wanted->items[i]];
        numbers[i] = i;
        computed[i] = known ? known : &nothing;
    }
    return htp_fetched_read(side->runtime, computed, numbers, wanted->count, copy_elements,
                            computed, fetched);
}

htp_status htp_side_run(const htp_side *side, htp_arena *arena, const htp_side_session *session,
                        const htp_array *const *arrays, const htp_numbers *wanted,
                        htp_fetched **fetched)
{
    const htp_view *view = side->view;
    size_t count = session->inputs.count;
    if (side->given) {
        return fetch_given(side, arena, wanted, fetched);
    }
    if (side->is_computed) {
        return fetch_computed(side, arena, arrays, wanted, fetched);
    }
    const char **names = HTP_NEW_ARRAY(arena, const char *, count + 1);
    htp_array *given = HTP_NEW_ARRAY(arena, htp_array, count + 1);
    const char **outputs = HTP_NEW_ARRAY(arena, const char *, wanted->count + 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t value = session->inputs.items[i];
        names[i] = htp_view_text(view, view->values.items[value].name);
        given[i] = *arrays[value];
    }
    for (size_t i = 0; i < wanted->count; i++) {
        outputs[i] = htp_view_text(view, view->values.items[wanted->items[i]].name);
    }
    const htp_named_arrays inputs = {names, given, count};
    return htp_status_prefix(
        htp_runtime_session_run(session->session, &inputs, outputs, wanted->count, fetched),
        view->path);
}
