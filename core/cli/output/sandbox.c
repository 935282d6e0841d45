#include "cli/output/sandbox.h"

#include "cli/terminal/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the files of the command line ---- */

struct paths {
    const char **items;
    size_t count;
};

static void add(struct paths *paths, const char *path)
{
    if (!path || !*path) {
        return;
    }
    const char **grown = realloc(paths->items, (paths->count + 1) * sizeof(*grown));
    if (!grown) {
        htp_cli_end_without_memory();
    }
    paths->items = grown;
    paths->items[paths->count++] = path;
}

static void add_all(struct paths *paths, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add(paths, items[i]);
    }
}

static void add_models(struct paths *paths, const htp_cli_arguments *arguments)
{
    add_all(paths, arguments->models, arguments->model_count);
    add_all(paths, arguments->against, arguments->quality.against_count);
    add(paths, arguments->quality.reference);
    add(paths, arguments->like);
    add(paths, arguments->replacing.by);
}

/* Files that a file of inputs names, as "@FILE.npy". They end with it. */
static void add_named_files(struct paths *paths, char *text)
{
    static const char mark[] = "\"@";
    for (char *at = strstr(text, mark); at; at = strstr(at, mark)) {
        char *name = at + sizeof(mark) - 1;
        char *end = strchr(name, '"');
        if (!end) {
            return;
        }
        *end = '\0';
        add(paths, name);
        at = end + 1;
    }
}

static void check_memory(const void *made, int error)
{
    if (!made && error == ENOMEM) {
        htp_cli_end_without_memory();
    }
}

/* A pipe can be read once, by the reader of inputs: it names no files.
 * @return what the names are in; freed by the caller. NULL: nothing is named */
static char *add_inputs_file(struct paths *paths, const char *path)
{
    enum { ROOM = 1 << 20 };
    struct stat facts;
    bool is_file = path && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
    errno = 0;
    FILE *file = is_file ? fopen(path, "re") : NULL;
    check_memory(file, errno);
    char *text = NULL;
    if (file) {
        text = calloc(1, ROOM);
        check_memory(text, ENOMEM);
        if (fread(text, 1, ROOM - 1, file) > 0) {
            add_named_files(paths, text);
        }
        (void)fclose(file);
    }
    add(paths, path);
    return text;
}

static void add_inputs(struct paths *paths, const htp_cli_arguments *arguments)
{
    const char *const files[] = {
        arguments->selection.verify,  arguments->verifying.values,    arguments->quality.profile,
        arguments->profiling.profile, arguments->profiling.optimized, arguments->sidecar,
    };
    add_all(paths, files, sizeof(files) / sizeof(files[0]));
    for (size_t i = 0; i < arguments->options.input_count; i++) {
        const char *value = strchr(arguments->inputs[i], '@'); /* NAME:@FILE.npy */
        add(paths, value ? value + 1 : NULL);
    }
}

/* The default sidecars of models, beside them: read by validate, written by others. */
static void add_sidecars(struct paths *paths, const htp_cli_arguments *arguments)
{
    bool is_default =
        (arguments->sidecar && !*arguments->sidecar) || arguments->command == HTP_CLI_SIDECAR;
    for (size_t i = 0; is_default && i < arguments->model_count; i++) {
        char *path = htp_sidecar_path(arguments->models[i]);
        check_memory(path, ENOMEM);
        add(paths, path);
    }
}

static void add_outputs(struct paths *paths, const htp_cli_arguments *arguments)
{
    bool reads_sidecar = arguments->command == HTP_CLI_VALIDATE;
    const char *const files[] = {
        arguments->out,
        arguments->out_folder,
        arguments->options.state_file,
        arguments->quality.csv_file,
        arguments->quality.html_file,
        arguments->quality.node_data,
        arguments->node_data,
        arguments->verifying.save,
        reads_sidecar ? NULL : arguments->sidecar,
    };
    add_all(paths, files, sizeof(files) / sizeof(files[0]));
}

/* ---- the walls ---- */

static void tell(const htp_walls *walls)
{
    static const struct {
        bool files;
        bool calls;
        const char *text;
    } texts[] = {
        {true, true, "Landlock and seccomp"},
        {true, false, "Landlock; there is no seccomp here"},
        {false, true, "seccomp; there is no Landlock here"},
        {false, false, "none; there is neither Landlock nor seccomp here"},
    };
    size_t i = 0;
    while (texts[i].files != walls->writing || texts[i].calls != walls->calls) {
        i++;
    }
    htp_cli_print_message("sandbox: %s", texts[i].text);
}

htp_status htp_cli_sandbox_enter(const htp_cli_arguments *arguments, bool draws_svg)
{
    static bool is_entered;
    struct paths models = {NULL, 0};
    struct paths inputs = {NULL, 0};
    struct paths outputs = {NULL, 0};
    if (is_entered || arguments->no_sandbox) {
        return HTP_OK;
    }
    is_entered = true;
    add_models(&models, arguments);
    add_inputs(&inputs, arguments);
    add_outputs(&outputs, arguments);
    char *text = add_inputs_file(&inputs, arguments->options.inputs_file);
    size_t borrowed = outputs.count;
    add_sidecars(&outputs, arguments);
    htp_sandbox_options options;
    htp_sandbox_options_init(&options);
    options.models = models.items;
    options.model_count = models.count;
    options.inputs = inputs.items;
    options.input_count = inputs.count;
    options.outputs = outputs.items;
    options.output_count = outputs.count;
    options.libtorch = arguments->options.libtorch;
    options.libraries = arguments->options.libraries;
    options.library_count = arguments->options.library_count;
    options.verifies = arguments->command == HTP_CLI_VERIFY;
    options.onnxruntime = arguments->verifying.onnxruntime;
    options.draws_svg = draws_svg;
    htp_walls walls = {.calls = false};
    htp_status status = htp_sandbox_enter(&options, &walls);
    if (!status && arguments->options.details && arguments->command != HTP_CLI_QUALITY) {
        tell(&walls);
    }
    for (size_t i = borrowed; i < outputs.count; i++) {
        htp_string_free((char *)(uintptr_t)outputs.items[i]);
    }
    free(text);
    free(models.items);
    free(inputs.items);
    free(outputs.items);
    return status;
}
