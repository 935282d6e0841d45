/*
 * Sizes that both models run at.
 */
#include "verify/work.h"

#include "base/text.h"
#include "onnx/proto/tensor_type.h"
#include "onnx/shape_inference/infer_axes.h"

#include <inttypes.h>
#include <string.h>

/* Sizes of the batch, and of all other axes. Those behind the first few are for models that need
 * larger ones. */
static const int64_t candidates[][2] = {
    {2, 8}, {1, 16}, {3, 32}, {1, 64}, {1, 128}, {1, 224}, {2, 1}, {1, 1},
};

/* Plain sessions of both models. */
struct trying {
    htp_verify_work *work;
    htp_side_session sessions[HTP_COMPARED];
    int64_t *fixed; /* by axis: the size that B has there; 0: none */
    bool has_batch; /* the first axis is one, as far as one can see */
};

/* An input begins with a batch. One that begins with channels has none: its axes are those of an
 * image. */
static bool has_batch(const htp_input_kinds *kinds)
{
    bool begins = false;
    for (size_t i = 0; i < kinds->items.count && kinds->axes.names.count > 0; i++) {
        const htp_input_kind *kind = &kinds->items.items[i];
        begins = begins || (kind->rank > 0 && kind->symbols[0] &&
                            strcmp(kind->symbols[0], kinds->axes.names.items[0]) == 0);
    }
    return begins;
}

/* What a run that only has to go well asks a side for: an output, or else anything that it
 * computes. Nothing where it computes nothing. */
static void want_any(const htp_verify_work *work, int model, htp_numbers *wanted)
{
    const htp_view *view = work->sides[model].view;
    htp_view_range returned = view->graphs.items[0].outputs;
    uint32_t found = HTP_NONE;
    for (uint32_t i = 0; i < returned.count && found == HTP_NONE; i++) {
        uint32_t value = view->operands.items[returned.first + i];
        found = value != HTP_NONE && htp_counterparts_can_fetch(view, value) ? value : HTP_NONE;
    }
    for (uint32_t v = 0; v < view->values.count && found == HTP_NONE; v++) {
        bool is_made = view->values.items[v].maker == HTP_VIEW_BY_NODE;
        found = is_made && htp_counterparts_can_fetch(view, v) ? v : HTP_NONE;
    }
    if (found != HTP_NONE) {
        HTP_PUSH(work->arena, wanted, found);
    }
}

/* B may have numbers where A has axes. */
static void fix_sizes(struct trying *trying)
{
    htp_verify_work *work = trying->work;
    htp_side *b = &work->sides[HTP_COMPARED_B];
    trying->fixed = HTP_NEW_ARRAY(work->arena, int64_t, work->kinds.axes.names.count + 1);
    for (size_t i = 0; i < work->kinds.items.count; i++) {
        const htp_input_kind *kind = &work->kinds.items.items[i];
        uint32_t other = work->counterparts.of_a[kind->value];
        htp_value_type type = {.is_known = false};
        if (other != HTP_NONE) {
            type = htp_view_types_find(b->types, work->arena, other);
        }
        for (size_t d = 0; type.has_dims && type.rank == kind->rank && d < type.rank; d++) {
            uint32_t axis = 0;
            bool is_axis =
                kind->symbols[d] && htp_map_get(&work->kinds.axes.numbers, kind->symbols[d], &axis);
            if (is_axis && !type.dims[d].symbol && type.dims[d].size > 0) {
                trying->fixed[axis] = type.dims[d].size;
            }
        }
    }
}

/* A's arrays as the inputs of B take them. */
static htp_status make_other(htp_verify_work *work, const htp_array **of_a, const htp_array **of_b)
{
    htp_side *b = &work->sides[HTP_COMPARED_B];
    htp_view_range inputs = b->view->graphs.items[0].inputs;
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t value = b->view->operands.items[inputs.first + i];
        uint32_t other = work->counterparts.of_b[value];
        if (b->view->values.items[value].initializer != HTP_NONE) {
            continue;
        }
        const char *name = htp_view_text(b->view, b->view->values.items[value].name);
        if (other == HTP_NONE || !of_a[other]) {
            return htp_status_make(HTP_CODE_USAGE, "%s: it takes input '%s', and %s does not",
                                   b->view->path, name, work->sides[HTP_COMPARED_A].view->path);
        }
        const htp_value_type type = htp_value_type_find(work->arena, b->view, value);
        htp_array *made = HTP_NEW(work->arena, htp_array);
        *made = *of_a[other];
        made->data_type = type.data_type;
        void *data = htp_arena_alloc(work->arena, htp_array_bytes(made) + 1);
        made->data = data;
        if (!htp_measure_cast(of_a[other], type.data_type, data)) {
            return htp_status_make(HTP_CODE_USAGE, "%s: input '%s' takes no numbers", b->view->path,
                                   name);
        }
        of_b[value] = made;
    }
    return HTP_OK;
}

/* Makes the inputs of a run. @return whether the sizes can be had */
static htp_status make_inputs(htp_verify_work *work, const int64_t *sizes, uint32_t run,
                              bool *are_made)
{
    const htp_array *made = htp_inputs_make(work->arena, &work->kinds, sizes);
    *are_made = made != NULL;
    for (int m = 0; m < HTP_COMPARED; m++) {
        size_t count = work->sides[m].view->values.count;
        work->arrays[m][run] = HTP_NEW_ARRAY(work->arena, const htp_array *, count + 1);
    }
    for (size_t i = 0; made && i < work->kinds.items.count; i++) {
        work->arrays[HTP_COMPARED_A][run][work->kinds.items.items[i].value] = &made[i];
    }
    work->sizes[run] = sizes;
    bool are_whole = made && !work->request->reference; /* a reference may change states */
    return are_whole ? make_other(work, work->arrays[HTP_COMPARED_A][run],
                                  work->arrays[HTP_COMPARED_B][run])
                     : HTP_OK;
}

/* Runs both models at the sizes of a run; a side that is computed has run. */
static htp_status try(struct trying *trying, uint32_t run)
{
    htp_verify_work *work = trying->work;
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_fetched *fetched = NULL;
        const htp_side *side = &work->sides[m];
        if (side->is_computed) {
            continue;
        }
        htp_numbers outputs = {0};
        if (m == HTP_COMPARED_B) {
            outputs = htp_verify_states_wanted(work);
        }
        size_t states = outputs.count;
        if (states == 0) {
            want_any(work, m, &outputs);
        }
        if (outputs.count == 0) {
            continue;
        }
        htp_status status = htp_side_run(side, work->arena, &trying->sessions[m],
                                         work->arrays[m][run], &outputs, &fetched);
        if (!status && states > 0) {
            htp_verify_states_keep(work, fetched, run);
        }
        htp_fetched_free(fetched);
        HTP_TRY(status);
    }
    return HTP_OK;
}

/* Reports a trial. @param failure  of trials so far; freed if the caller stops */
static htp_status tick(const htp_verify_work *work, htp_status failure)
{
    htp_status stopped = htp_verify_tick(work, "runs", work->runs, HTP_VERIFY_RUNS);
    if (stopped) {
        htp_status_free(failure);
    }
    return stopped;
}

/* @param failure  of a trial; counts if none went well */
static htp_status end_trying(const htp_verify_work *work, htp_status failure)
{
    if (work->runs > 0) {
        htp_status_free(failure);
        return HTP_OK;
    }
    if (!failure) {
        return htp_status_make(HTP_CODE_USAGE, "%s: no sizes are found for its inputs",
                               work->sides[HTP_COMPARED_A].view->path);
    }
    return work->kinds.axes.names.count > 0
               ? htp_status_prefix(failure, "no sizes that were tried run; --sizes gives others")
               : failure;
}

static htp_status try_all(struct trying *trying)
{
    htp_verify_work *work = trying->work;
    size_t axes = work->kinds.axes.names.count;
    size_t count = axes > 0 ? sizeof(candidates) / sizeof(*candidates) : 1;
    htp_status failure = HTP_OK;
    for (size_t c = 0; c < count && work->runs < HTP_VERIFY_RUNS; c++) {
        int64_t *sizes = HTP_NEW_ARRAY(work->arena, int64_t, axes + 1);
        bool are_made = false;
        for (size_t i = 0; i < axes; i++) {
            sizes[i] = trying->fixed[i] > 0 ? trying->fixed[i]
                                            : candidates[c][i > 0 || !trying->has_batch];
        }
        htp_status status = make_inputs(work, sizes, work->runs, &are_made);
        bool is_final = status != HTP_OK; /* no sizes change that */
        if (!status && !are_made) {
            continue;
        }
        if (!status) {
            status = try(trying, work->runs);
            is_final = htp_status_code(status) == HTP_CODE_INTERNAL;
        }
        if (status) {
            htp_status_free(failure);
            failure = status;
        }
        if (is_final) {
            return failure;
        }
        work->runs += !status;
        HTP_TRY(tick(work, failure));
    }
    return end_trying(work, failure);
}

/* Whether B, which may have numbers where A has axes, takes sizes. */
static bool fits(const struct trying *trying, const int64_t *sizes)
{
    bool all = true;
    for (size_t i = 0; i < trying->work->kinds.axes.names.count; i++) {
        all = all && (trying->fixed[i] == 0 || trying->fixed[i] == sizes[i]);
    }
    return all;
}

/* Tries the sizes of a reference. @param is_taken  receives whether it takes them */
static htp_status try_candidate(struct trying *trying, uint32_t candidate, bool *is_taken)
{
    htp_verify_work *work = trying->work;
    const htp_verify_reference *reference = work->request->reference;
    size_t axes = work->kinds.axes.names.count;
    int64_t *sizes = HTP_NEW_ARRAY(work->arena, int64_t, axes + 1);
    uint32_t run = work->runs;
    for (size_t i = 0; i < axes; i++) {
        sizes[i] = reference->size(reference->user, candidate, work->kinds.axes.names.items[i]);
    }
    if (!fits(trying, sizes)) {
        return htp_status_make(HTP_CODE_USAGE, "%s: it does not take the sizes of %s",
                               work->sides[HTP_COMPARED_B].view->path,
                               work->sides[HTP_COMPARED_A].view->path);
    }
    HTP_TRY(make_inputs(work, sizes, run, is_taken));
    if (*is_taken) {
        HTP_TRY(reference->compute(reference->user, candidate, work->arrays[HTP_COMPARED_A][run],
                                   is_taken));
    }
    if (*is_taken) {
        HTP_TRY(
            make_other(work, work->arrays[HTP_COMPARED_A][run], work->arrays[HTP_COMPARED_B][run]));
        htp_verify_states_hand_on(work, run);
    }
    return *is_taken ? try(trying, run) : HTP_OK;
}

static htp_status try_reference(struct trying *trying)
{
    htp_verify_work *work = trying->work;
    htp_status failure = HTP_OK;
    for (uint32_t c = 0; c < work->request->reference->candidates && work->runs < HTP_VERIFY_RUNS;
         c++) {
        bool is_taken = false;
        htp_status status = try_candidate(trying, c, &is_taken);
        htp_code code = htp_status_code(status);
        if (code == HTP_CODE_INTERNAL || code == HTP_CODE_CANNOT_WRITE) { /* no sizes change that */
            htp_status_free(failure);
            return status;
        }
        if (status && failure) {
            htp_status_free(status);
        } else if (status) {
            failure = status;
        }
        work->runs += !status && is_taken;
        HTP_TRY(tick(work, failure));
    }
    return end_trying(work, failure);
}

/* ---- inputs that are given ---- */

static void note_size(htp_verify_work *work, const char *symbol, int64_t size, int64_t *sizes)
{
    uint32_t axis = 0;
    if (symbol && htp_map_get(&work->kinds.axes.numbers, symbol, &axis)) {
        sizes[axis] = size;
    }
}

/* The array of a name. @return whether there is one */
static bool find_name(const htp_verify_given *file, const char *name, size_t *index)
{
    for (*index = 0; *index < file->count; ++*index) {
        if (strcmp(file->names[*index], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The file that has an input, and where: by name, or by position in a file of inputs. */
static htp_status find_array(const htp_verify_work *work, size_t position, const char *name,
                             const htp_verify_given **file, size_t *index)
{
    const htp_verify_request *request = work->request;
    const char *numbered = htp_arena_printf(work->arena, "arr_%zu", position);
    *file = request->inputs;
    if (*file && (find_name(*file, name, index) || find_name(*file, numbered, index))) {
        return HTP_OK;
    }
    *file = request->inputs ? request->inputs : request->values;
    return !request->inputs && find_name(*file, name, index)
               ? HTP_OK
               : htp_status_make(HTP_CODE_USAGE, "%s: no array is '%s', an input of %s",
                                 (*file)->path, name, work->sides[HTP_COMPARED_A].view->path);
}

static bool fits_kind(const htp_input_kind *kind, const htp_array *array)
{
    bool fits = array->data_type == kind->data_type && array->rank == kind->rank;
    for (size_t d = 0; fits && d < kind->rank; d++) {
        fits = kind->symbols[d] || kind->sizes[d] == array->dims[d];
    }
    return fits;
}

/* "int64[batch,16]" */
static const char *kind_text(htp_arena *arena, const htp_input_kind *kind)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%s[", htp_tensor_type_name(kind->data_type));
    for (size_t d = 0; d < kind->rank; d++) {
        htp_text_add(&text, d > 0 ? "," : "");
        if (kind->symbols[d]) {
            htp_text_add(&text, htp_text_printable(arena, kind->symbols[d]));
        } else {
            htp_text_addf(&text, "%" PRId64, kind->sizes[d]);
        }
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

/* "float32[2,8]" */
static const char *array_text(htp_arena *arena, const htp_array *array)
{
    const char **symbols = HTP_NEW_ARRAY(arena, const char *, array->rank + 1);
    const htp_input_kind kind = {.data_type = array->data_type,
                                 .rank = array->rank,
                                 .symbols = symbols,
                                 .sizes = array->dims};
    return kind_text(arena, &kind);
}

static htp_status read_input(htp_verify_work *work, size_t position, int64_t *sizes)
{
    const htp_input_kind *kind = &work->kinds.items.items[position];
    const htp_view *view = work->sides[HTP_COMPARED_A].view;
    const char *name = htp_view_text(view, view->values.items[kind->value].name);
    const htp_verify_given *file = NULL;
    size_t index = 0;
    htp_array *made = HTP_NEW(work->arena, htp_array);
    HTP_TRY(find_array(work, position, name, &file, &index));
    *made = file->arrays[index];
    if (!fits_kind(kind, made)) {
        return htp_status_make(HTP_CODE_USAGE, "%s: '%s' is %s, and %s takes %s", file->path, name,
                               array_text(work->arena, made), view->path,
                               kind_text(work->arena, kind));
    }
    void *data = htp_arena_alloc(work->arena, htp_array_bytes(made) + 1);
    if (!file->read(file->user, index, data)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: '%s' cannot be read", file->path, name);
    }
    made->data = data;
    work->arrays[HTP_COMPARED_A][0][kind->value] = made;
    for (size_t d = 0; d < kind->rank; d++) {
        note_size(work, kind->symbols[d], made->dims[d], sizes);
    }
    return HTP_OK;
}

static htp_status take_given(htp_verify_work *work)
{
    int64_t *sizes = HTP_NEW_ARRAY(work->arena, int64_t, work->kinds.axes.names.count + 1);
    for (int m = 0; m < HTP_COMPARED; m++) {
        size_t count = work->sides[m].view->values.count;
        work->arrays[m][0] = HTP_NEW_ARRAY(work->arena, const htp_array *, count + 1);
    }
    work->sizes[0] = sizes;
    work->runs = 1;
    for (size_t i = 0; i < work->kinds.items.count; i++) {
        HTP_TRY(read_input(work, i, sizes));
    }
    return make_other(work, work->arrays[HTP_COMPARED_A][0], work->arrays[HTP_COMPARED_B][0]);
}

/* A choice of sizes. Whether both models run at it is seen when they do. */
static htp_status take_choice(htp_verify_work *work, const char *choice)
{
    const htp_view *view = work->sides[HTP_COMPARED_A].view;
    size_t count = work->kinds.axes.names.count;
    int64_t *sizes = HTP_NEW_ARRAY(work->arena, int64_t, count + 1);
    htp_view_axes axes = htp_view_axes_find(work->arena, view);
    bool are_made = false;
    HTP_TRY(htp_status_prefix(htp_view_axes_set(work->arena, &axes, choice), view->path));
    for (size_t i = 0; i < count; i++) {
        uint32_t axis = 0;
        bool is_axis = htp_map_get(&axes.numbers, work->kinds.axes.names.items[i], &axis);
        sizes[i] = is_axis ? axes.items.items[axis].sizes[0] : -1;
    }
    HTP_TRY(make_inputs(work, sizes, work->runs, &are_made));
    work->runs++;
    return are_made ? HTP_OK
                    : htp_status_make(HTP_CODE_USAGE,
                                      "%s: an input has no dims at these sizes, or is too large",
                                      view->path);
}

/* The choices that are asked for: "batch=2,sequence=128;batch=1,sequence=16". */
static htp_status take_sizes(htp_verify_work *work)
{
    const char *choice = work->request->sizes;
    const char *end;
    do {
        end = choice + strcspn(choice, ";");
        if (work->runs == HTP_VERIFY_RUNS) {
            return htp_status_make(HTP_CODE_USAGE, "at most %d choices of sizes are taken",
                                   HTP_VERIFY_RUNS);
        }
        HTP_TRY(take_choice(work, htp_arena_copy(work->arena, choice, (size_t)(end - choice))));
        choice = end + 1;
    } while (*end != '\0');
    return HTP_OK;
}

static htp_status open_sessions(struct trying *trying)
{
    htp_verify_work *work = trying->work;
    for (int m = 0; m < HTP_COMPARED; m++) {
        const htp_view *view = work->sides[m].view;
        if (view->graphs.items[0].outputs.count == 0) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "%s: it has no outputs", view->path);
        }
        htp_numbers outputs = {0};
        want_any(work, m, &outputs);
        if (outputs.count == 0) {
            continue; /* it computes nothing */
        }
        HTP_TRY(htp_side_open(&work->sides[m], work->arena, NULL, &outputs,
                              HTP_NEW_ARRAY(work->arena, int32_t, view->values.count + 1),
                              &trying->sessions[m]));
    }
    return HTP_OK;
}

htp_status htp_verify_choose(htp_verify_work *work)
{
    struct trying trying = {.work = work};
    if (work->request->values || work->request->inputs) {
        return take_given(work);
    }
    if (work->request->sizes) {
        return take_sizes(work);
    }
    fix_sizes(&trying);
    trying.has_batch = has_batch(&work->kinds);
    htp_status status = open_sessions(&trying);
    if (!status) {
        status = work->request->reference ? try_reference(&trying) : try_all(&trying);
    }
    htp_side_close(&trying.sessions[HTP_COMPARED_A]);
    htp_side_close(&trying.sessions[HTP_COMPARED_B]);
    return status;
}
