#include "exported/exported.h"

#include "base/input_file.h"
#include "exported/archive/archive.h"
#include "exported/axes/axes.h"
#include "exported/call/call.h"
#include "exported/calls/calls.h"
#include "exported/document/document.h"

#include <stdlib.h>
#include <string.h>

/* The open parts of a source. */
typedef struct exported {
    htp_exported_archive archive;
    htp_exported_program program;
    htp_exported_symbols symbols;
    htp_exported_modules modules;
    htp_exported_weights weights;
    htp_exported_signature signature;
    const htp_limits *limits; /* NULL: all defaults */
    htp_arena scratch;        /* during opening */
    htp_arena first;          /* the last first call's trace */
    htp_arena later;          /* the last later call's trace */
    htp_arena before;         /* the one before that, while it is needed */
    const htp_trace *last;
    const char *const *stacks; /* by node of the last trace */
} exported;

static exported *self_of(const htp_source *source)
{
    return source->self;
}

/* ---- opening ---- */

/* Refuses choices that a program does not offer. */
static htp_status check_options(const htp_source_options *options)
{
    if (options->library_count > 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "programs of torch.export are read without libtorch, which "
                               "--load-library is for; --custom-op maps their operators");
    }
    return options->is_inference
               ? htp_status_make(HTP_CODE_USAGE,
                                 "whether it trains was decided when it was exported; instead of "
                                 "passing --eval, export it again after model.eval()")
               : HTP_OK;
}

static void note_path(const htp_exported_part *part, const char **paths)
{
    if (part->input != HTP_NONE) {
        paths[part->input] = part->path;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        note_path(&part->parts[i], paths);
    }
}

/* By input of the program: its path in the arguments; or NULL. */
static const char *const *list_paths(const exported *self, htp_arena *arena)
{
    const char **paths = HTP_NEW_ARRAY(arena, const char *, (size_t)self->program.input_count + 1);
    for (uint32_t i = 0; i < self->signature.count; i++) {
        note_path(&self->signature.parts[i], paths);
    }
    return paths;
}

static uint64_t count_nodes(const htp_exported_program *program)
{
    uint64_t count = 0;
    for (size_t i = 0; i < program->graphs.count; i++) {
        count += program->graphs.items[i].node_count;
    }
    return count;
}

/* Weights are no arguments. */
static uint64_t count_arguments(const htp_exported_program *program)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < program->input_count; i++) {
        count += program->inputs[i].kind == HTP_EXPORTED_USER_INPUT;
    }
    return count;
}

static htp_status check_cost(const htp_limits *limits, htp_limit limit, uint64_t spent)
{
    return spent <= htp_limit_value(limits, limit)
               ? HTP_OK
               : htp_status_make(HTP_CODE_UNSUPPORTED, "its program has " HTP_LIMIT_FORMAT,
                                 HTP_LIMIT_ARGUMENTS(limits, limit));
}

static htp_status read_program(htp_source *source)
{
    exported *self = self_of(source);
    htp_arena *arena = source->arena;
    const htp_exported_archive *archive = &self->archive;
    HTP_TRY(check_cost(self->limits, HTP_LIMIT_DOCUMENT, archive->program.bytes));
    HTP_TRY(htp_document_read(arena, &self->scratch, archive->program.at, archive->program.bytes,
                              self->limits, &self->program));
    htp_input_file_drop(archive->program.at, archive->program.bytes);
    HTP_TRY(check_cost(self->limits, HTP_LIMIT_OPERATORS, count_nodes(&self->program)));
    HTP_TRY(check_cost(self->limits, HTP_LIMIT_INPUTS, count_arguments(&self->program)));
    HTP_TRY(htp_exported_signature_read(arena, &self->program, &self->signature));
    HTP_TRY(
        htp_exported_symbols_read(arena, &self->program, list_paths(self, arena), &self->symbols));
    return htp_exported_modules_find(arena, &self->program, &archive->classes, &self->modules);
}

static htp_status read_all(htp_source *source)
{
    exported *self = self_of(source);
    if (htp_arena_recover(&self->scratch) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", source->path);
    }
    HTP_TRY(htp_status_prefix(read_program(source), source->path));
    HTP_TRY(htp_exported_archive_weights(source->arena, &self->scratch, &self->archive,
                                         &self->weights));
    htp_exported_modules_own(&self->modules, &self->weights);
    return HTP_OK;
}

static htp_status open_source(htp_source *source, const htp_source_options *options)
{
    exported *self = calloc(1, sizeof(*self));
    if (!self) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", source->path);
    }
    source->self = self;
    self->limits = options->limits;
    HTP_TRY(htp_status_prefix(check_options(options), source->path));
    HTP_TRY(htp_exported_archive_open(source->arena, source->path, &source->archive, &source->file,
                                      options->model, &self->archive));
    htp_status status = read_all(source);
    htp_arena_free(&self->scratch);
    htp_archive_close(&source->archive);
    HTP_TRY(status);
    source->modules = self->modules.all.items;
    source->module_count = (uint32_t)self->modules.all.count;
    source->weights = self->weights.all.items;
    source->weight_count = (uint32_t)self->weights.all.count;
    return HTP_OK;
}

static void close_source(htp_source *source)
{
    exported *self = self_of(source);
    if (!self) {
        return;
    }
    htp_exported_archive_close(&self->archive);
    htp_arena_free(&self->scratch);
    htp_arena_free(&self->first);
    htp_arena_free(&self->later);
    htp_arena_free(&self->before);
    free(self);
    source->self = NULL;
}

/* ---- methods and operators ---- */

static void list_methods(const htp_source *source, uint32_t module, const char *const **names,
                         uint32_t *count)
{
    static const char *const methods[] = {"forward"};
    (void)source;
    *names = methods;
    *count = module == 0;
}

static htp_status choose_method(htp_source *source, uint32_t module, const char *method)
{
    const exported *self = self_of(source);
    (void)module;
    (void)method;
    source->arguments = self->signature.arguments;
    source->argument_count = self->signature.count;
    source->returns = self->signature.returns;
    return HTP_OK;
}

/* Lists each operator as often as it runs. */
static htp_status find_operators(const htp_source *source, const htp_named_operator **operators,
                                 uint32_t *count)
{
    const exported *self = self_of(source);
    HTP_VECTOR(htp_named_operator) found = {0};
    htp_map known = {0};
    for (size_t g = 0; g < self->program.graphs.count; g++) {
        const htp_exported_graph *graph = &self->program.graphs.items[g];
        for (uint32_t i = 0; i < graph->node_count; i++) {
            bool has_tensors;
            const char *kind = htp_exported_node_kind(source->arena, &self->program,
                                                      &graph->nodes[i], &has_tensors);
            uint32_t index = (uint32_t)found.count;
            const void **place =
                htp_map_add_bytes(source->arena, &known, kind, strlen(kind), &index);
            if (place) {
                *place = kind;
                HTP_PUSH(source->arena, &found,
                         (htp_named_operator){.kind = kind,
                                              .has_tensors = has_tensors,
                                              .is_followed = !has_tensors});
            }
            if (index < found.count) {
                found.items[index].places++;
            }
        }
    }
    htp_operators_sort(found.items, found.count);
    *operators = found.items;
    *count = (uint32_t)found.count;
    return HTP_OK;
}

/* ---- inputs ---- */

static int64_t hint_of(const exported *self, const htp_exported_size *size)
{
    if (size->expression == HTP_NONE) {
        return size->number;
    }
    const htp_exported_expression *expression = &self->program.expressions.items[size->expression];
    return expression->has_hint ? (int64_t)expression->hint : 1;
}

/* The example of an argument, or of a part of it, from the time of torch.export. */
static htp_input hint_input(htp_source *source, const htp_exported_part *part)
{
    const exported *self = self_of(source);
    htp_input input = {.name = part->name};
    if (part->input == HTP_NONE) {
        htp_input *items = HTP_NEW_ARRAY(source->arena, htp_input, (size_t)part->count + 1);
        for (uint32_t i = 0; i < part->count; i++) {
            items[i] = hint_input(source, &part->parts[i]);
        }
        input.is_nested = true;
        input.items = items;
        input.count = part->count;
        return input;
    }
    const htp_exported_argument *argument = &self->program.inputs[part->input].argument;
    if (argument->kind != HTP_EXPORTED_VALUE) {
        input.is_none = true;
        return input;
    }
    const htp_exported_value *value = &self->program.values.items[argument->value];
    if (value->kind != HTP_TRACE_TENSOR) {
        input.is_scalar = true;
        input.is_open = value->kind == HTP_TRACE_INT && value->number.expression != HTP_NONE;
        input.dtype = HTP_DTYPE_INT64;
        input.scalar = (double)hint_of(self, &value->number);
        return input;
    }
    input.dtype = value->dtype;
    input.rank = value->rank;
    for (uint32_t i = 0; i < value->rank; i++) {
        for (uint32_t lane = 0; lane < HTP_MAX_LANES; lane++) {
            input.dims[lane][i] = hint_of(self, &value->sizes[i]);
        }
    }
    return input;
}

static void find_axes(const htp_source *source, htp_axes *axes)
{
    htp_exported_axes_find(&self_of(source)->symbols, axes);
}

static bool find_bounds(const htp_source *source, htp_inputs *inputs)
{
    htp_exported_symbols *symbols = &self_of(source)->symbols;
    bool says_any = htp_exported_axes_bound(symbols, inputs);
    return htp_exported_axes_ask(symbols, inputs) || says_any;
}

/* ---- calling it ---- */

static htp_status call_in(exported *self, htp_arena *arena, const htp_trace_request *request,
                          const htp_trace *before, htp_trace_result *result)
{
    const htp_exported_callee callee = {&self->program, &self->symbols,   &self->modules,
                                        &self->weights, &self->signature, self->limits};
    if (htp_arena_recover(arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    return htp_exported_call(arena, &callee, request, before, &result->trace, &self->stacks);
}

/* Whether an argument, or a part of one, is a number that stays an input. */
static bool have_open(const htp_input *inputs, uint32_t count)
{
    bool have = false;
    for (uint32_t i = 0; i < count && !have; i++) {
        have = inputs[i].is_open || have_open(inputs[i].items, inputs[i].count);
    }
    return have;
}

/* A trace is freed by the next one; a first call's stays until the next first call. */
static htp_status trace(htp_source *source, const htp_trace_request *request,
                        htp_trace_result *result)
{
    exported *self = self_of(source);
    *result = (htp_trace_result){.trace = NULL};
    if (request->lane_count == 1 && (htp_exported_symbols_have_data(&self->symbols) ||
                                     have_open(request->inputs, request->input_count))) {
        result->needs_lanes = true;
        return htp_status_make(HTP_CODE_UNSUPPORTED, "the data decides sizes");
    }
    bool is_first = request->carried_count == 0;
    htp_arena *arena = is_first ? &self->first : &self->later;
    htp_arena_free(&self->before);
    if (is_first) {
        htp_arena_free(&self->first);
    } else {
        self->before = self->later;
        htp_arena_init(&self->later);
    }
    htp_status status = call_in(self, arena, request, is_first ? NULL : self->last, result);
    self->last = result->trace;
    return status;
}

/* Fixes all numbers of the example. */
static void close_numbers(htp_input *inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        inputs[i].is_open = false;
        close_numbers((htp_input *)inputs[i].items, inputs[i].count);
    }
}

/* Numbers that were dynamic stay inputs, unless the program takes no others beside these sizes. */
static htp_status find_inputs(htp_source *source, const htp_input **inputs, uint32_t *count)
{
    const htp_exported_signature *signature = &self_of(source)->signature;
    htp_input *found = HTP_NEW_ARRAY(source->arena, htp_input, (size_t)signature->count + 1);
    for (uint32_t i = 0; i < signature->count; i++) {
        found[i] = hint_input(source, &signature->parts[i]);
        found[i].name = NULL;
    }
    if (have_open(found, signature->count)) {
        const htp_trace_request request = {
            .inputs = found, .input_count = signature->count, .lane_count = HTP_MAX_LANES};
        htp_trace_result result;
        htp_status status = trace(source, &request, &result);
        if (status) {
            close_numbers(found, signature->count);
        }
        htp_status_free(status);
    }
    *inputs = found;
    *count = signature->count;
    return HTP_OK;
}

static htp_status find_calls(const htp_source *source, htp_arena *arena, htp_watch *watch,
                             htp_source_calls *calls)
{
    const exported *self = self_of(source);
    (void)watch;
    htp_stack_calls_find(arena, &self->modules, self->stacks,
                         self->last ? self->last->node_count : 0, calls);
    return HTP_OK;
}

const htp_reader htp_exported_reader = {
    .name = "torch.export",
    .key = "torch.export",
    .declares_sizes = true,
    .advice =
        "a program of torch.export is forward() of the root; export other methods and modules "
        "as programs of their own",
    .detect = htp_exported_archive_is_one,
    .open = open_source,
    .list_methods = list_methods,
    .choose_method = choose_method,
    .find_operators = find_operators,
    .find_inputs = find_inputs,
    .find_axes = find_axes,
    .find_bounds = find_bounds,
    .trace = trace,
    .find_calls = find_calls,
    .close = close_source,
};
