#include "api/reference/reference.h"

#include "base/dtype.h"
#include "source/torchscript/shim_loader.h"

#include <math.h>
#include <string.h>

/* The tolerance is so many times libtorch's own error, and at least this. An error above LOST says
 * that a decision came out the other way in double precision: then it measures nothing. */
static const double times = 8, least = 1e-5, lost = 1e-2;

/* ---- results ---- */

/* A run of the program, in float32 or in double precision. */
struct running {
    htp_verify_program *program;
    htp_spill *spill;
    htp_array *made;          /* by value of the view: what the first run computes */
    uint64_t **offsets;       /* likewise: where it lies in the spill, or each of its tensors */
    const htp_array **arrays; /* likewise, for the second run */
};

static size_t count_elements(uint32_t rank, const int64_t *dims)
{
    size_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        count *= (size_t)dims[i];
    }
    return count;
}

/* A tensor as ONNX has it: complex numbers are pairs. */
static htp_array tensor_as_onnx(htp_arena *arena, const htp_replay_array *array)
{
    bool is_complex = htp_dtype_is_complex(array->dtype);
    uint32_t rank = array->rank + is_complex;
    int64_t *dims = HTP_NEW_ARRAY(arena, int64_t, (size_t)rank + 1);
    if (array->rank > 0) {
        memcpy(dims, array->dims, array->rank * sizeof(*dims));
    }
    if (is_complex) {
        dims[array->rank] = 2;
    }
    return (htp_array){.data_type = htp_onnx_data_type(htp_dtype_real(array->dtype)),
                       .rank = rank,
                       .dims = dims,
                       .count = count_elements(rank, dims),
                       .data = array->bytes};
}

static htp_array as_onnx(htp_arena *arena, const htp_replay_array *array)
{
    if (!array->tensors) {
        return tensor_as_onnx(arena, array);
    }
    htp_array *tensors = HTP_NEW_ARRAY(arena, htp_array, array->count + 1);
    for (size_t i = 0; i < array->count; i++) {
        tensors[i] = tensor_as_onnx(arena, &array->tensors[i]);
    }
    return (htp_array){.count = array->count, .tensors = tensors};
}

/* Whether there is something. */
static bool is_made(const htp_array *array)
{
    return array->data_type != 0 || array->tensors;
}

static htp_status keep(void *user, htp_value_id value, const htp_replay_array *array)
{
    struct running *running = user;
    uint32_t at = running->program->values[value];
    if (is_made(&running->made[at])) { /* the first of equal values */
        return HTP_OK;
    }
    const htp_replay_array *tensors = array->tensors ? array->tensors : array;
    size_t count = array->tensors ? array->count : 1;
    running->offsets[at] = HTP_NEW_ARRAY(running->program->arena, uint64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        HTP_TRY(htp_spill_add(running->spill, tensors[i].bytes, tensors[i].count,
                              &running->offsets[at][i]));
    }
    running->made[at] = as_onnx(running->program->arena, array);
    return HTP_OK;
}

/* Compares a result in double precision with the program's own. */
static htp_status compare(void *user, htp_value_id value, const htp_replay_array *array)
{
    struct running *running = user;
    htp_verify_program *program = running->program;
    uint32_t at = program->values[value];
    const htp_array *own = running->arrays[at];
    const htp_array exact = as_onnx(program->arena, array);
    if (!own || !is_made(own) || !htp_measure_can(&exact, own)) {
        return HTP_OK;
    }
    const htp_difference_of error = htp_measure(&exact, own, 0);
    double tolerance = fmax(least, times * error.relative);
    program->differs[at] = program->differs[at] || (error.largest > 0 && error.relative <= lost);
    if (error.relative <= lost && tolerance > program->tolerances[at]) {
        program->tolerances[at] = tolerance;
    }
    return HTP_OK;
}

/* Everything that the first run computed, read from the spill. */
static void map_made(const struct running *running, size_t value)
{
    htp_array *made = &running->made[value];
    const uint64_t *offsets = running->offsets[value];
    if (!made->tensors) {
        made->data = running->spill->mapped + offsets[0];
        return;
    }
    htp_array *tensors = HTP_NEW_ARRAY(running->program->arena, htp_array, made->count + 1);
    for (size_t i = 0; i < made->count; i++) {
        tensors[i] = made->tensors[i];
        tensors[i].data = running->spill->mapped + offsets[i];
    }
    made->tensors = tensors;
}

/* ---- inputs that are given ---- */

/* The array for input @p number: by name, or by position where numpy named it. */
static const htp_npz_entry *find_given(const htp_verify_program *program, const char *name,
                                       uint32_t number, size_t *index)
{
    const char *position = htp_arena_printf(program->arena, "arr_%u", number);
    for (size_t i = 0; i < program->given.entries.count; i++) {
        const htp_npz_entry *entry = &program->given.entries.items[i];
        if (strcmp(entry->name, name) == 0 || strcmp(entry->name, position) == 0) {
            *index = i;
            return entry;
        }
    }
    return NULL;
}

/* Replaces made-up inputs by those of a file. */
static htp_status read_given(const htp_verify_program *program, const htp_array **arrays)
{
    const htp_view *view = &program->fresh.view;
    htp_view_range inputs = view->graphs.items[0].inputs;
    for (uint32_t i = 0; i < inputs.count && program->given.entries.count > 0; i++) {
        uint32_t value = view->operands.items[inputs.first + i];
        const htp_array *made = arrays[value];
        const char *name = htp_view_text(view, view->values.items[value].name);
        size_t index = 0;
        const htp_npz_entry *entry = made ? find_given(program, name, i, &index) : NULL;
        if (!entry) {
            continue;
        }
        bool fits = htp_onnx_data_type(entry->dtype) == made->data_type &&
                    entry->rank == made->rank &&
                    (made->rank == 0 ||
                     memcmp(entry->dims, made->dims, made->rank * sizeof(*made->dims)) == 0);
        htp_array *given = HTP_NEW(program->arena, htp_array);
        void *elements = htp_arena_alloc(program->arena, htp_array_bytes(made) + 1);
        if (!fits || !htp_npz_read(&program->given, index, elements)) {
            return htp_npz_judge(&program->given,
                                 htp_status_make(HTP_CODE_USAGE,
                                                 "%s: array '%s' is not what the input takes",
                                                 program->given.path, entry->name));
        }
        *given = *made;
        given->data = elements;
        arrays[value] = given;
    }
    return HTP_OK;
}

/* ---- a run ---- */

/* The values that come in. */
static const htp_replay_array *list_given(const htp_verify_program *program,
                                          const htp_array *const *arrays)
{
    const htp_graph *graph = program->fresh.work.graph;
    htp_replay_array *given =
        HTP_NEW_ARRAY(program->arena, htp_replay_array, (size_t)graph->value_count + 1);
    for (uint32_t v = 0; v < graph->value_count; v++) {
        const htp_trace_value *value = htp_graph_value(graph, v);
        uint32_t at = program->values[v];
        if (at != HTP_NONE && arrays[at] &&
            program->fresh.view.values.items[at].maker == HTP_VIEW_BY_INPUT) {
            given[v] = (htp_replay_array){.dtype = value->dtype,
                                          .rank = value->rank,
                                          .dims = arrays[at]->dims,
                                          .bytes = arrays[at]->data,
                                          .count = htp_array_bytes(arrays[at])};
        }
    }
    return given;
}

/* "2 operators did not run: aten::lstm.input at m.py:12: why". NULL: all ran */
static const char *describe_gap(const htp_verify_program *program)
{
    const htp_replay_gap *gap = &program->gap;
    if (gap->count == 0) {
        return NULL;
    }
    const htp_trace_node *node = htp_graph_node(program->fresh.work.graph, gap->node);
    htp_text text = {.arena = program->arena};
    htp_text_addf(&text, "%u operator%s did not run: %s", gap->count, gap->count == 1 ? "" : "s",
                  node->kind);
    if (*node->source_file) {
        htp_text_addf(&text, " at %s:%u", htp_text_printable(program->arena, node->source_file),
                      node->source_line);
    }
    htp_text_addf(&text, ": %s", gap->reason);
    return htp_text_string(&text);
}

/* Whether a node gives a tensor another name. */
static bool names_anew(const htp_view *view, const htp_view_node *node)
{
    return node->graph == 0 && node->op_type == htp_view_find_name(view, "Identity") &&
           node->inputs.count == 1 && node->outputs.count == 1 &&
           view->operands.items[node->inputs.first] != HTP_NONE &&
           view->operands.items[node->outputs.first] != HTP_NONE;
}

/* What the export only names anew is known as well: an output that is an input, or returned twice.
 * The result of an operator that did not run is not. */
static void name_anew(const htp_verify_program *program, const htp_array **arrays)
{
    const htp_view *view = &program->fresh.view;
    for (uint32_t pass = 0; pass < 2; pass++) { /* a constant that is returned has a second name */
        for (uint32_t n = 0; n < view->nodes.count; n++) {
            const htp_view_node *node = &view->nodes.items[n];
            if (!names_anew(view, node)) {
                continue;
            }
            uint32_t read = view->operands.items[node->inputs.first];
            uint32_t made = view->operands.items[node->outputs.first];
            if (!arrays[made] && !program->is_result[made]) {
                arrays[made] = arrays[read];
            } else if (!arrays[read] && !program->is_result[read]) {
                arrays[read] = arrays[made];
            }
        }
    }
}

/* A later run that lacks more than the first has sizes that the program refuses. */
static htp_status compute(void *user, uint32_t candidate, const htp_array **arrays, bool *is_taken)
{
    htp_verify_program *program = user;
    size_t count = program->fresh.view.values.count + 1;
    htp_verify_program_fit_inputs(program, program->candidates[candidate].lane, arrays);
    HTP_TRY(read_given(program, arrays));
    htp_verify_program_hand_on(program, arrays);
    struct running running = {.program = program,
                              .spill = &program->spills[candidate],
                              .made = HTP_NEW_ARRAY(program->arena, htp_array, count),
                              .offsets = HTP_NEW_ARRAY(program->arena, uint64_t *, count),
                              .arrays = arrays};
    bool is_traced = htp_verify_program_has_own_sizes(program, arrays);
    htp_replay_request request = {.lane =
                                      is_traced ? program->candidates[candidate].lane : HTP_NONE,
                                  .given = list_given(program, arrays),
                                  .is_wanted = program->is_wanted,
                                  .take = keep,
                                  .user = &running};
    htp_replay_gap gap;
    HTP_TRY(htp_replay_run(program->replay, &request, &gap));
    if (candidate == 0) {
        program->gap = gap;
        program->reference.gap = describe_gap(program);
    }
    *is_taken = gap.count <= program->gap.count;
    if (!*is_taken) {
        return HTP_OK;
    }
    HTP_TRY(htp_spill_map(running.spill));
    for (size_t v = 0; v < count; v++) {
        if (is_made(&running.made[v])) {
            map_made(&running, v);
            arrays[v] = &running.made[v];
        }
    }
    name_anew(program, arrays);
    program->last = arrays;
    request.is_double = true;
    request.take = compare;
    return htp_replay_run(program->replay, &request, &gap);
}

/* ---- preparation ---- */

static void find_returned(htp_verify_program *program)
{
    const htp_view *view = &program->fresh.view;
    htp_view_range outputs = view->graphs.items[0].outputs;
    program->is_returned = HTP_NEW_ARRAY(program->arena, bool, view->values.count + 1);
    for (uint32_t i = 0; i < outputs.count; i++) {
        program->is_returned[view->operands.items[outputs.first + i]] = true;
    }
}

/* What no operator computes counts where the model returns it, once. */
static bool is_seen(const htp_verify_program *program, htp_value_id id, uint32_t value)
{
    bool is_computed = program->fresh.view.values.items[value].maker != HTP_VIEW_BY_INITIALIZER &&
                       htp_graph_is_computed(program->fresh.work.graph, id);
    return is_computed || (program->is_returned[value] && program->values[id] == HTP_NONE);
}

/* Finds the values of the view that hold those of the graph. */
static void find_values(htp_verify_program *program)
{
    htp_arena *arena = program->arena;
    const htp_builder *model = program->fresh.model;
    const htp_view *view = &program->fresh.view;
    uint32_t count = program->fresh.work.graph->value_count;
    uint32_t *by_name = HTP_NEW_ARRAY(arena, uint32_t, view->names.count + 1);
    program->values = HTP_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    program->is_wanted = HTP_NEW_ARRAY(arena, bool, (size_t)count + 1);
    program->is_result = HTP_NEW_ARRAY(arena, bool, view->values.count + 1);
    memset(program->values, 0xff, count * sizeof(*program->values));
    for (uint32_t v = 0; v < view->values.count; v++) {
        if (view->values.items[v].graph == 0) {
            by_name[view->values.items[v].name] = v + 1;
        }
    }
    find_returned(program);
    htp_verify_program_find_states(program, by_name);
    for (size_t i = 0; i < model->recorded.count; i++) {
        const htp_recorded_tensor *recorded = &model->recorded.items[i];
        const char *name = model->tensors.items[recorded->tensor].name;
        uint32_t value = by_name[htp_view_find_name(view, name)];
        if (value > 0 && is_seen(program, recorded->value, value - 1)) {
            program->values[recorded->value] = value - 1;
            program->is_wanted[recorded->value] = program->is_result[value - 1] =
                view->values.items[value - 1].maker != HTP_VIEW_BY_INPUT;
        }
    }
}

/* Finds the runner of the file; for one that libtorch does not read, that of its operators. */
static htp_status find_runner(htp_verify_program *program)
{
    const htp_session *session = &program->fresh.work;
    htp_error error = {{0}};
    program->means = (htp_replay_means){.arena = program->arena,
                                        .model = program->fresh.model,
                                        .program = session->source.program,
                                        .runner = session->source.runner};
    if (program->means.runner) {
        return HTP_OK;
    }
    HTP_TRY(htp_status_prefix(htp_shim_load(session->options.libtorch, &program->shim),
                              "verify runs PyTorch models in libtorch"));
    htp_shim_code code = program->shim->open_empty(&program->operators, &error);
    if (code == HTP_SHIM_OK) {
        code = program->shim->runner(program->operators, &program->means.runner, &error);
    }
    if (code != HTP_SHIM_OK) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s", error.message);
    }
    program->means.program = program->shim->program(program->operators);
    return HTP_OK;
}

static htp_status prepare(htp_verify_program *program)
{
    htp_session *session = &program->fresh.work;
    HTP_TRY(find_runner(program));
    const char *version =
        program->shim ? program->shim->libtorch_version : session->source.libtorch_version;
    const char *file = session->options.inputs_file;
    size_t length = file ? strlen(file) : 0;
    if (length > strlen(".npz") && strcmp(file + length - strlen(".npz"), ".npz") == 0) {
        HTP_TRY(htp_npz_open(program->arena, file, &program->given));
    }
    find_values(program);
    htp_verify_program_choose_sizes(program);
    program->replay = htp_replay_new(&program->means, session->graph);
    program->tolerances =
        HTP_NEW_ARRAY(program->arena, double, program->fresh.view.values.count + 1);
    program->differs = HTP_NEW_ARRAY(program->arena, bool, program->fresh.view.values.count + 1);
    program->reference.user = program;
    program->reference.size = htp_verify_program_size;
    program->reference.compute = compute;
    program->reference.tolerances = program->tolerances;
    program->reference.differs = program->differs;
    program->reference.is_result = program->is_result;
    program->reference.runtime = htp_arena_printf(program->arena, "libtorch %s", version);
    htp_verify_program_find_absent(program);
    return HTP_OK;
}

htp_status htp_verify_program_open(htp_verify_program *program, htp_arena *arena,
                                   const char *model_path, const htp_options *options)
{
    program->arena = arena;
    HTP_TRY(htp_fresh_export_open(&program->fresh, arena, model_path, options));
    if (htp_arena_recover(&program->fresh.work.arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", model_path);
    }
    return prepare(program);
}

void htp_verify_program_close(htp_verify_program *program)
{
    for (uint32_t r = 0; r < HTP_PROGRAM_CANDIDATES; r++) {
        htp_spill_close(&program->spills[r]);
    }
    htp_npz_close(&program->given);
    if (program->operators) {
        program->shim->close(program->operators);
    }
    htp_fresh_export_close(&program->fresh);
}
