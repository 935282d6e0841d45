/*
 * "-" in the place of files: which arguments take it.
 */
#include "cli/arguments/arguments.h"
#include "cli/arguments/standard_input.h"
#include "cli/terminal/print.h"
#include "onnx/files/output.h"

#include <stddef.h>
#include <string.h>

#define OUTPUT_PATH "/dev/stdout"

static bool is_standard(const char *word)
{
    return word && strcmp(word, "-") == 0;
}

/* ---- input ---- */

/* Readers map their files: a pipe must be spooled, whichever name it is given by. */
static bool is_standard_input(const char *word)
{
    static const char *const others[] = {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    bool is_one = is_standard(word);
    for (size_t i = 0; word && !is_one && i < sizeof(others) / sizeof(others[0]); i++) {
        is_one = strcmp(word, others[i]) == 0;
    }
    return is_one;
}

static int open_input(const char **path)
{
    int code = HTP_CODE_OK;
    if (is_standard_input(*path)) {
        const char *opened = htp_cli_standard_input(&code);
        *path = opened ? opened : *path;
    }
    return code;
}

static int open_all(const char **paths, size_t count)
{
    int code = HTP_CODE_OK;
    for (size_t i = 0; i < count && code == HTP_CODE_OK; i++) {
        code = open_input(&paths[i]);
    }
    return code;
}

/* The arguments beside the models that name a file to read. The last one is written by commands
 * other than validate. */
static const size_t input_places[] = {
    offsetof(htp_cli_arguments, options.inputs_file),
    offsetof(htp_cli_arguments, like),
    offsetof(htp_cli_arguments, selection.verify),
    offsetof(htp_cli_arguments, quality.reference),
    offsetof(htp_cli_arguments, verifying.values),
    offsetof(htp_cli_arguments, quality.profile),
    offsetof(htp_cli_arguments, profiling.profile),
    offsetof(htp_cli_arguments, profiling.optimized),
    offsetof(htp_cli_arguments, replacing.by),
    offsetof(htp_cli_arguments, sidecar),
};

static size_t count_places(const htp_cli_arguments *arguments)
{
    size_t all = sizeof(input_places) / sizeof(input_places[0]);
    return arguments->command == HTP_CLI_VALIDATE ? all : all - 1;
}

static int open_inputs(htp_cli_arguments *arguments)
{
    int code = open_all(arguments->models, arguments->model_count);
    code = code ? code : open_all(arguments->against, arguments->quality.against_count);
    for (size_t i = 0; i < count_places(arguments) && code == HTP_CODE_OK; i++) {
        code = open_input((const char **)((char *)arguments + input_places[i]));
    }
    return code;
}

bool htp_cli_arguments_read_file(const htp_cli_arguments *arguments, const char *path)
{
    bool is_read = false;
    for (size_t i = 0; i < arguments->model_count; i++) {
        is_read = is_read || htp_output_is_same(path, arguments->models[i]);
    }
    for (size_t i = 0; i < arguments->quality.against_count; i++) {
        is_read = is_read || htp_output_is_same(path, arguments->against[i]);
    }
    for (size_t i = 0; i < count_places(arguments); i++) {
        const char *const *place = (const char *const *)((const char *)arguments + input_places[i]);
        is_read = is_read || (*place && htp_output_is_same(path, *place));
    }
    return is_read;
}

/* A batch names its outputs by its models. */
static bool has_names(const htp_cli_arguments *arguments)
{
    bool is_named = arguments->command != HTP_CLI_EXPORT || !arguments->out_folder;
    for (size_t i = 0; i < arguments->model_count && !is_named; i++) {
        if (is_standard_input(arguments->models[i])) {
            htp_cli_print_message("standard input has no name that the output could have; pass "
                                  "--out FILE.onnx");
            return false;
        }
    }
    return true;
}

/* ---- output ---- */

/* The arguments that write to standard output; one can. */
static bool is_one_output(const htp_cli_arguments *arguments)
{
    const struct {
        const char *name;
        bool writes;
    } outputs[] = {
        {"--out", is_standard(arguments->out)},
        {"--state-out", is_standard(arguments->options.state_file)},
        {"--csv", is_standard(arguments->quality.csv_file)},
        {"--html", is_standard(arguments->quality.html_file)},
        {"--json", arguments->json && !arguments->json_file},
        {"--print-tree", arguments->print_tree},
    };
    const char *first = NULL;
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
        if (outputs[i].writes && first) {
            htp_cli_print_message("%s and %s both write to standard output; pass one of them",
                                  first, outputs[i].name);
            return false;
        }
        first = outputs[i].writes ? outputs[i].name : first;
    }
    return true;
}

/* A model on standard output stands alone: nothing can be beside it. */
static bool is_alone(const htp_cli_arguments *arguments)
{
    if (!is_standard(arguments->out)) {
        return true;
    }
    const char *other = arguments->sidecar              ? "--sidecar"
                        : arguments->options.state_file ? "--state-out"
                        : arguments->options.external_data == HTP_EXTERNAL_ALWAYS
                            ? "--external-data always"
                            : NULL;
    if (other) {
        htp_cli_print_message("--out - writes the model alone; leave out %s, or pass --out FILE",
                              other);
    }
    return !other;
}

static void open_outputs(htp_cli_arguments *arguments)
{
    const char **const files[] = {&arguments->out, &arguments->options.state_file,
                                  &arguments->quality.csv_file, &arguments->quality.html_file};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (is_standard(*files[i])) {
            *files[i] = OUTPUT_PATH;
            htp_cli_print_as_standard(OUTPUT_PATH);
            /* Other commands print a summary there. */
            arguments->quiet = arguments->quiet || arguments->command != HTP_CLI_EXPORT;
        }
    }
}

int htp_cli_arguments_open(htp_cli_arguments *arguments)
{
    if (!has_names(arguments) || !is_one_output(arguments) || !is_alone(arguments)) {
        return HTP_CODE_USAGE;
    }
    open_outputs(arguments);
    return open_inputs(arguments);
}
