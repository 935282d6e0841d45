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

/* The arrays of a file as the values of a model. */
struct giving {
    htp_arena *arena;
    const htp_verify_given *given;
    htp_map numbers; /* of arrays, by name */
    const htp_view *view;
    htp_view_types *types;
};

/* Whether a value is a list. Types are inferred where the file does not declare them. */
static bool is_list(const struct giving *g, uint32_t value)
{
    const htp_value_type type = htp_view_types_find(g->types, g->arena, value);
    return type.is_known && strcmp(type.container, HTP_VALUE_LIST) == 0;
}

/* A list: the arrays "NAME.0", "NAME.1" and so on, or "NAME" without elements for an empty one. */
static void give_list(const struct giving *g, const char *name, htp_given_value *found)
{
    htp_array *list = HTP_NEW(g->arena, htp_array);
    uint32_t number = 0;
    while (htp_map_get(&g->numbers,
                       htp_arena_printf(g->arena, "%s.%zu", name, found->numbers.count), &number)) {
        HTP_PUSH(g->arena, &found->numbers, number);
    }
    htp_array *tensors = HTP_NEW_ARRAY(g->arena, htp_array, found->numbers.count + 1);
    for (size_t i = 0; i < found->numbers.count; i++) {
        tensors[i] = g->given->arrays[found->numbers.items[i]];
    }
    *list = (htp_array){.count = found->numbers.count, .tensors = tensors};
    found->array = list;
}

static void give(const struct giving *g, uint32_t value, htp_given_value *found)
{
    const char *name = htp_view_text(g->view, g->view->values.items[value].name);
    uint32_t number = 0;
    bool is_array = htp_map_get(&g->numbers, name, &number);
    bool may_be_list =
        is_array ? g->given->arrays[number].count == 0
                 : htp_map_get(&g->numbers, htp_arena_printf(g->arena, "%s.0", name), NULL);
    if (may_be_list && is_list(g, value)) {
        give_list(g, name, found);
    }
    if (is_array) {
        found->array = found->array ? found->array : &g->given->arrays[number];
        HTP_PUSH(g->arena, &found->numbers, number);
    }
}

/* By value of a model: what a file has of it. */
static const htp_given_value *find_given(htp_arena *arena, const htp_side *side)
{
    const htp_view *view = side->view;
    struct giving g = {.arena = arena, .given = side->given, .view = view, .types = side->types};
    htp_given_value *given_of = HTP_NEW_ARRAY(arena, htp_given_value, view->values.count + 1);
    for (size_t i = 0; i < g.given->count; i++) {
        htp_map_set(arena, &g.numbers, g.given->names[i], (uint32_t)i);
    }
    for (uint32_t v = 0; v < view->values.count; v++) {
        if (view->values.items[v].graph == 0 && view->values.items[v].name != 0) {
            give(&g, v, &given_of[v]);
        }
    }
    return given_of;
}

bool htp_side_has(const htp_side *side, uint32_t value)
{
    return !side->given || side->given_of[value].array;
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
        .is_computed = number == HTP_COMPARED_A && request->reference,
    };
    side.given_of = given ? find_given(arena, &side) : NULL;
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

/* Tensors that are read one by one: those of values, of which a list has several. */
struct flat {
    const htp_verify_given *given;
    htp_numbers numbers;               /* of arrays in `given` */
    HTP_VECTOR(const htp_array *) all; /* that are computed */
};

static bool read_given(void *user, size_t index, void *elements)
{
    const struct flat *flat = user;
    return flat->given->read(flat->given->user, flat->numbers.items[index], elements);
}

static htp_status fetch_given(const htp_side *side, htp_arena *arena, const htp_numbers *wanted,
                              htp_fetched **fetched)
{
    struct flat flat = {.given = side->given};
    const htp_array **arrays = HTP_NEW_ARRAY(arena, const htp_array *, wanted->count + 1);
    size_t *first = HTP_NEW_ARRAY(arena, size_t, wanted->count + 1);
    for (size_t i = 0; i < wanted->count; i++) {
        const htp_given_value *given = &side->given_of[wanted->items[i]];
        arrays[i] = given->array;
        first[i] = flat.numbers.count;
        for (size_t k = 0; k < given->numbers.count; k++) {
            HTP_PUSH(arena, &flat.numbers, given->numbers.items[k]);
        }
    }
    return htp_status_prefix(
        htp_fetched_read(side->runtime, arrays, first, wanted->count, read_given, &flat, fetched),
        side->given->path);
}

static bool copy_elements(void *user, size_t index, void *elements)
{
    const struct flat *flat = user;
    const htp_array *array = flat->all.items[index];
    size_t bytes = htp_array_bytes(array);
    if (bytes > 0) {
        memcpy(elements, array->data, bytes);
    }
    return true;
}

/* What was computed of the wanted values. */
static htp_status fetch_computed(const htp_side *side, htp_arena *arena,
                                 const htp_array *const *arrays, const htp_numbers *wanted,
                                 htp_fetched **fetched)
{
    static const htp_array nothing = {.data_type = 0};
    struct flat flat = {.given = NULL};
    const htp_array **computed = HTP_NEW_ARRAY(arena, const htp_array *, wanted->count + 1);
    size_t *first = HTP_NEW_ARRAY(arena, size_t, wanted->count + 1);
    for (size_t i = 0; i < wanted->count; i++) {
        const htp_array *known = arrays[wanted->items[i]];
        computed[i] = known ? known : &nothing;
        first[i] = flat.all.count;
        size_t count = computed[i]->tensors ? computed[i]->count : 1;
        for (size_t k = 0; k < count; k++) {
            HTP_PUSH(arena, &flat.all,
                     computed[i]->tensors ? &computed[i]->tensors[k] : computed[i]);
        }
    }
    return htp_fetched_read(side->runtime, computed, first, wanted->count, copy_elements, &flat,
                            fetched);
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
