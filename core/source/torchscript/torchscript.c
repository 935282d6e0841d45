/*
 * TorchScript files: libtorch reads them, the interpreter runs their methods.
 */
#include "source/torchscript/torchscript.h"

#include "interpret/interpret.h"
#include "interpret/operators/message.h"
#include "interpret/operators/operand_checks.h"
#include "interpret/restore/restore.h"
#include "source/call_oracle/call_oracle.h"
#include "source/contents/contents.h"
#include "source/contents/devices.h"
#include "source/debug_info/debug_info.h"
#include "source/program/arguments.h"
#include "source/program/modules.h"
#include "source/program/program.h"
#include "source/program/traced_inputs.h"
#include "source/torchscript/shim_loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The open parts of a source. */
typedef struct torchscript {
    const htp_shim *shim;
    htp_shim_model *model;   /* NULL: closed */
    htp_program *program;    /* of the model */
    htp_instances instances; /* of the program's objects */
    bool is_inference;
    const htp_limits *limits;
    htp_source_places *places;    /* of the program's nodes; NULL: not used yet */
    htp_interpreter *interpreter; /* NULL: not used yet */
} torchscript;

static torchscript *self_of(const htp_source *source)
{
    return source->self;
}

/* ---- before libtorch reads it ---- */

static bool detect(const htp_archive *archive)
{
    return (htp_archive_has(archive, "data.pkl") && htp_archive_has(archive, "constants.pkl")) ||
           htp_archive_has(archive, "model.json");
}

/* Records that libtorch needs must be where it expects them. An archive with the record of the old
 * loader would go to that loader, which runs code. */
static htp_status check_records(const char *path, const htp_archive *archive)
{
    static const char *const needed[] = {"data.pkl", "constants.pkl"};
    if (htp_map_get(&archive->by_name, "model.json", NULL)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: saved in the format of very old PyTorch versions (model.json), "
                               "which is not read; load it with torch.jit.load and save it again "
                               "with torch.jit.save",
                               path);
    }
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (!htp_map_get(&archive->by_name, needed[i], NULL)) {
            return htp_status_make(HTP_CODE_BAD_INPUT,
                                   "%s: damaged archive: %s is not in the folder that the archive "
                                   "begins with; save it again",
                                   path, needed[i]);
        }
    }
    return HTP_OK;
}

htp_status htp_torchscript_check(htp_arena *arena, const char *path, htp_archive *archive)
{
    HTP_TRY(htp_archive_list(arena, path, archive));
    HTP_TRY(check_records(path, archive));
    return htp_contents_check(arena, path, archive);
}

/* ---- opening ---- */

/* libtorch's reason, and advice if the file needs an unregistered operator. */
static void explain_refusal(htp_error *error)
{
    static const char *const unknown = "Unknown builtin op: ";
    const char *found = strstr(error->message, unknown);
    if (!found) {
        return;
    }
    bool is_own = strncmp(found + strlen(unknown), "aten::", 6) == 0;
    size_t length = strlen(error->message);
    while (length > 0 && error->message[length - 1] == '.') {
        length--;
    }
    (void)snprintf(error->message + length, sizeof(error->message) - length, "%s",
                   is_own ? ": this libtorch does not have it; a newer one may"
                          : ": pass the library that registers it with --load-library");
}

/* An archive being read, with progress over its records. */
typedef struct reading {
    htp_watch watch;
    uint64_t done;
    uint64_t total;
    htp_operand_budget budget;
    htp_devices devices;
} reading;

static bool note_records(void *user, uint64_t done, uint64_t total)
{
    reading *now = user;
    now->done = done;
    now->total = total;
    return htp_watch_tick(&now->watch, done, total);
}

/* Progress while an object is restored, when no record is read. */
static bool note_steps(void *user, uint64_t done, uint64_t total)
{
    reading *now = user;
    (void)done;
    (void)total;
    return htp_watch_tick(&now->watch, now->done, now->total);
}

static bool may_run(void *user, const htp_constant_operation *operation, htp_error *reason)
{
    reading *now = user;
    return htp_operation_may_run(operation, &now->budget, reason);
}

/* Translates a status for libtorch's reader. */
static htp_shim_code tell(htp_status status, htp_error *error)
{
    static const struct {
        htp_code code;
        htp_shim_code shim_code;
    } codes[] = {
        {HTP_CODE_OK, HTP_SHIM_OK},
        {HTP_CODE_BAD_INPUT, HTP_SHIM_NOT_MODEL},
        {HTP_CODE_UNSUPPORTED, HTP_SHIM_UNSUPPORTED},
    };
    htp_shim_code shim_code = HTP_SHIM_INTERNAL;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        shim_code = codes[i].code == htp_status_code(status) ? codes[i].shim_code : shim_code;
    }
    (void)snprintf(error->message, sizeof(error->message), "%s", htp_status_message(status));
    htp_status_free(status);
    return shim_code;
}

static htp_shim_code restore(void *user, const htp_program *program, const htp_runner *runner,
                             uint32_t object, const htp_operand *state, htp_error *error)
{
    const reading *now = user;
    const htp_restoring of = {.program = program,
                              .runner = runner,
                              .object = object,
                              .state = state,
                              .devices = now->devices,
                              .limits = now->budget.limits,
                              .tick = note_steps,
                              .user = user};
    return tell(htp_restore(&of), error);
}

static htp_status open_model(const htp_source *source, const htp_source_options *options,
                             htp_shim_model **model)
{
    const htp_archive *archive = &source->archive;
    reading now = {.watch = {.stage = HTP_STAGE_LOADED,
                             .label = "records",
                             .progress = options->progress,
                             .user = options->user},
                   .budget = {.limits = options->limits},
                   .devices = htp_devices_of(archive)};
    htp_error error = {{0}};
    const htp_shim_contents contents = {
        .records = archive->records,
        .record_count = archive->record_count,
        .made = archive->made.items,
        .made_count = (uint32_t)archive->made.count,
        .given = archive->given.items,
        .given_count = (uint32_t)archive->given.count,
    };
    const htp_shim_host host = {.user = &now,
                                .tick = note_records,
                                .is_checked = htp_operation_is_checked,
                                .may_run = may_run,
                                .restore = restore};
    htp_shim_code code = self_of(source)->shim->open(source->path, &contents, &host, model, &error);
    if (now.watch.is_interrupted) {
        return htp_status_make(HTP_CODE_INTERRUPTED, "interrupted");
    }
    if (code == HTP_SHIM_NOT_MODEL) {
        htp_message_shorten(&error);
        explain_refusal(&error);
    }
    return htp_status_prefix(htp_program_status(code, &error), source->path);
}

static htp_status read_model(htp_source *source, const htp_source_options *options)
{
    torchscript *self = self_of(source);
    htp_error error = {{0}};
    HTP_TRY(htp_shim_load(options->libtorch, &self->shim));
    source->libtorch_version = self->shim->libtorch_version;
    if (options->model) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: it is TorchScript and holds one model: --model is for archives "
                               "of torch.export",
                               source->path);
    }
    for (size_t i = 0; i < options->library_count; i++) {
        HTP_TRY(htp_shim_load_library(self->shim, options->libraries[i]));
    }
    HTP_TRY(open_model(source, options, &self->model));
    if (options->is_inference) { /* like eval(); the interpreter handles traced code */
        HTP_TRY(htp_status_prefix(
            htp_program_status(self->shim->evaluate(self->model, &error), &error), source->path));
    }
    return htp_status_prefix(htp_input_file_check_path(&source->file, source->path), source->path);
}

static htp_status open_source(htp_source *source, const htp_source_options *options)
{
    torchscript *self = calloc(1, sizeof(*self));
    if (!self) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", source->path);
    }
    source->self = self;
    self->is_inference = options->is_inference;
    self->limits = options->limits;
    source->archive.limits = options->limits;
    HTP_TRY(htp_torchscript_check(source->arena, source->path, &source->archive));
    htp_archive_close(&source->archive);
    HTP_TRY(htp_input_file_open(&source->file, source->path));
    HTP_TRY(read_model(source, options));
    self->program = self->shim->program(self->model);
    source->program = self->program;
    HTP_TRY(htp_status_prefix(htp_modules_find(source->arena, self->program, &self->instances),
                              source->path));
    source->modules = self->instances.modules.items;
    source->module_count = (uint32_t)self->instances.modules.count;
    source->weights = self->instances.weights.items;
    source->weight_count = (uint32_t)self->instances.weights.count;
    return HTP_OK;
}

static void close_source(htp_source *source)
{
    torchscript *self = self_of(source);
    if (!self) {
        return;
    }
    htp_interpreter_close(self->interpreter);
    htp_source_places_close(self->places);
    if (self->model) {
        self->shim->close(self->model);
    }
    free(self);
    source->self = NULL;
}

/* ---- the program before it runs ---- */

static const htp_program_class *class_of(const torchscript *self, uint32_t module)
{
    uint32_t object = self->instances.objects.items[module];
    return &self->program->classes[self->program->objects[object].class_number];
}

static void list_methods(const htp_source *source, uint32_t module, const char *const **names,
                         uint32_t *count)
{
    const htp_program_class *of = class_of(self_of(source), module);
    *names = of->method_names;
    *count = of->method_count;
}

static htp_status choose_method(htp_source *source, uint32_t module, const char *method)
{
    torchscript *self = self_of(source);
    htp_program *program = self->program;
    htp_program_function function;
    program->owner = self->instances.objects.items[module];
    program->method =
        htp_program_find_method(program, program->objects[program->owner].class_number, method);
    HTP_TRY(htp_program_load(program, program->method, &function));
    source->arguments =
        htp_arguments_list(source->arena, program, program->method, &source->argument_count);
    source->returns = htp_arguments_returns(program, program->method);
    return HTP_OK;
}

static htp_status find_operators(const htp_source *source, const htp_named_operator **operators,
                                 uint32_t *count)
{
    return htp_operators_find(source->arena, self_of(source)->program, operators, count);
}

static htp_status find_hints(const htp_source *source, const htp_hint **hints, uint32_t *count)
{
    return htp_hints_find(source->arena, self_of(source)->program, source->argument_count, hints,
                          count);
}

/* ---- running it ---- */

/* Opens the interpreter once. */
static htp_status open_interpreter(htp_source *source)
{
    torchscript *self = self_of(source);
    htp_error error = {{0}};
    if (self->interpreter) {
        return HTP_OK;
    }
    HTP_TRY(htp_program_status(self->shim->runner(self->model, &source->runner, &error), &error));
    const htp_placed placed = {self->program, &source->archive, source->path, &source->file};
    self->places = htp_source_places_open(&placed);
    if (self->places) {
        const htp_interpreted of = {.program = self->program,
                                    .runner = source->runner,
                                    .places = htp_source_places_finder(self->places),
                                    .instances = &self->instances,
                                    .method = source->method,
                                    .devices = htp_devices_of(&source->archive),
                                    .limits = self->limits,
                                    .is_inference = self->is_inference};
        self->interpreter = htp_interpreter_open(&of);
    }
    return self->interpreter ? HTP_OK : htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

static htp_status find_inputs(htp_source *source, const htp_input **inputs, uint32_t *count)
{
    torchscript *self = self_of(source);
    HTP_TRY(open_interpreter(source));
    HTP_TRY(htp_interpreter_bundled_inputs(self->interpreter, source->arena, inputs, count));
    return *count == 0 && source->module == 0
               ? htp_traced_inputs_find(source->arena, self->program, source->method, inputs, count)
               : HTP_OK;
}

static htp_status trace(htp_source *source, const htp_trace_request *request,
                        htp_trace_result *result)
{
    *result = (htp_trace_result){.trace = NULL};
    HTP_TRY(open_interpreter(source));
    HTP_TRY(htp_interpreter_run(self_of(source)->interpreter, request, result));
    return htp_source_places_are_short(self_of(source)->places)
               ? htp_status_make(HTP_CODE_INTERNAL, "out of memory")
               : HTP_OK;
}

static htp_status find_calls(const htp_source *source, htp_arena *arena, htp_watch *watch,
                             htp_source_calls *calls)
{
    const torchscript *self = self_of(source);
    const htp_static_watch shim_code = {htp_watch_tick, watch, self->limits};
    htp_static_stands stands = {0};
    htp_static_calls found = {0};
    htp_interpreter_stands(self->interpreter, &stands.calls, &stands.call_count, &stands.nodes,
                           &stands.node_count);
    HTP_TRY(htp_static_calls_find(arena, self->program, &stands, &shim_code, &found));
    htp_source_running *running = HTP_NEW_ARRAY(arena, htp_source_running, found.running_count);
    for (uint32_t i = 0; i < found.running_count; i++) {
        running[i].module = htp_instances_module(&self->instances, found.running[i].object);
        running[i].caller = found.running[i].caller;
    }
    *calls = (htp_source_calls){running, found.running_count, found.nodes, found.node_count};
    return HTP_OK;
}

const htp_reader htp_torchscript_reader = {
    .name = "TorchScript",
    .key = "torchscript",
    .detect = detect,
    .open = open_source,
    .list_methods = list_methods,
    .choose_method = choose_method,
    .find_operators = find_operators,
    .find_hints = find_hints,
    .find_inputs = find_inputs,
    .trace = trace,
    .find_calls = find_calls,
    .close = close_source,
};
