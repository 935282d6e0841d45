/* The shim that wraps the real one. */
#include "oracle.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const htp_shim *real;
static htp_shim front;
static oracle *opened;
static char opened_path[PATH_MAX];

/* ---- runs ---- */

static oracle *find_oracle(void *self)
{
    oracle *o = opened;
    while (o && o->inner->self != self) {
        o = o->next;
    }
    return o;
}

static bool compares(void)
{
    const char *value = getenv("HTP_ORACLE_COMPARES");
    return !value || strcmp(value, "0") != 0;
}

static void look_at(oracle *o, htp_run_mode mode, const oracle_call *call,
                    const oracle_result *told)
{
    if (htp_arena_recover(&o->arena)) {
        abort();
    }
    if (mode == HTP_RUN_ONES || mode == HTP_RUN_ZEROES) {
        oracle_note_probes(o, call);
    }
    if (mode == HTP_RUN_SIZES && compares()) {
        oracle_examine(o, call, told);
    }
    htp_arena_free(&o->arena);
}

static htp_run_code run(void *self, uint32_t schema, htp_run_mode mode, const htp_operand *inputs,
                        uint32_t input_count, const htp_operand **outputs, uint32_t *output_count,
                        htp_error *error)
{
    oracle *o = find_oracle(self);
    htp_run_code code =
        o->inner->run(self, schema, mode, inputs, input_count, outputs, output_count, error);
    const oracle_call call = {.schema = &o->program->schemas[schema],
                              .number = schema,
                              .inputs = inputs,
                              .count = input_count};
    oracle_result told = {.code = code, .outputs = *outputs, .count = *output_count};
    memcpy(told.message, error->message, sizeof(told.message));
    if (mode == HTP_RUN_ONES || mode == HTP_RUN_ZEROES || mode == HTP_RUN_SIZES) {
        oracle_report("ran", opened_path, call.schema->kind, "");
        look_at(o, mode, &call, &told);
    }
    return code;
}

/* ---- models ---- */

static htp_shim_code find_runner(htp_shim_model *model, const htp_runner **runner, htp_error *error)
{
    const htp_runner *inner = NULL;
    htp_shim_code code = real->runner(model, &inner, error);
    if (code != HTP_SHIM_OK) {
        return code;
    }
    oracle *o = find_oracle(inner->self);
    if (!o) {
        o = calloc(1, sizeof(*o));
        if (!o) {
            abort();
        }
        htp_arena_init(&o->arena);
        o->inner = inner;
        o->view = *inner;
        o->view.run = run;
        o->program = real->program(model);
        o->next = opened;
        opened = o;
    }
    *runner = &o->view;
    return code;
}

static htp_shim_code open_model(const char *path, const htp_shim_contents *contents,
                                const htp_shim_host *host, htp_shim_model **model, htp_error *error)
{
    (void)snprintf(opened_path, sizeof(opened_path), "%s", path);
    return real->open(path, contents, host, model, error);
}

/* Only one model is open at a time. */
static void close_model(htp_shim_model *model)
{
    while (opened) {
        oracle *next = opened->next;
        free(opened);
        opened = next;
    }
    real->close(model);
}

/* ---- the library ---- */

static void *open_real(void)
{
    char path[PATH_MAX];
    Dl_info own;
    if (dladdr(&front, &own) == 0 || !own.dli_fname) {
        return NULL;
    }
    const char *slash = strrchr(own.dli_fname, '/');
    int folder = slash ? (int)(slash - own.dli_fname) : 0;
    (void)snprintf(path, sizeof(path), "%.*s/libhtp-shim-*.so", folder, own.dli_fname);
    glob_t matches;
    void *library = NULL;
    if (glob(path, 0, NULL, &matches) == 0) {
        library = dlopen(matches.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
        globfree(&matches);
    }
    return library;
}

__attribute__((visibility("default"))) const htp_shim *htp_shim_open(uint32_t abi)
{
    void *library = open_real();
    oracle_open_log();
    const htp_shim *(*shim_open)(uint32_t) = NULL;
    if (library) {
        *(void **)&shim_open = dlsym(library, "htp_shim_open");
    }
    real = shim_open ? shim_open(abi) : NULL;
    if (!real) {
        (void)fprintf(stderr, "oracle: %s\n", dlerror());
        return NULL;
    }
    front = *real;
    front.open = open_model;
    front.runner = find_runner;
    front.close = close_model;
    return &front;
}
