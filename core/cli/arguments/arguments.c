#include "cli/arguments/arguments.h"

#include "cli/arguments/options.h"
#include "cli/arguments/suggestion.h"
#include "cli/terminal/print.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool check_outputs(const htp_cli_arguments *arguments)
{
    if (arguments->command == HTP_CLI_DUMP_GRAPH) {
        if (arguments->sidecar || arguments->out || arguments->out_folder || arguments->json ||
            arguments->print_tree || arguments->options.state_file) {
            htp_cli_print_message(
                "--dump-graph and --dump-after write to standard output alone: leave out --out, "
                "--out-dir, --json, --sidecar, --state-out and --print-tree");
            return false;
        }
        return true;
    }
    if (arguments->out && arguments->out_folder) {
        htp_cli_print_message("pass either --out or --out-dir");
    } else if (!arguments->out && !arguments->out_folder) {
        htp_cli_print_message(
            "no output; pass --out FILE.onnx, or --out-dir DIR for several models");
    } else if (arguments->out && arguments->model_count > 1) {
        htp_cli_print_message("--out names one file, but there are %zu models; pass --out-dir DIR",
                              arguments->model_count);
    } else {
        return true;
    }
    return false;
}

/* Whether it is said where to split. */
static bool has_split(const htp_cli_arguments *arguments)
{
    bool has_module = arguments->selection.module_count > 0;
    bool has_depth = arguments->depth >= 0;
    return arguments->into > 0 ? !(has_module && has_depth) : has_module != has_depth;
}

/* Commands for one model, and the options that they require. */
static bool check_single(const htp_cli_arguments *arguments)
{
    htp_cli_command command = arguments->command;
    bool needs_module =
        command == HTP_CLI_SELECT || command == HTP_CLI_EXTRACT || command == HTP_CLI_REPLACE;
    bool needs_out = command == HTP_CLI_STRIP || command == HTP_CLI_EXTRACT ||
                     command == HTP_CLI_RETAG || command == HTP_CLI_INLINE ||
                     command == HTP_CLI_REPLACE;
    bool has_module = arguments->selection.module_count > 0;
    bool has_limit = arguments->selection.worse_than >= 0 || arguments->selection.worst > 0;
    if (arguments->model_count > 1) {
        htp_cli_print_message("%s takes one model, not %zu", htp_cli_command_find(command)->name,
                              arguments->model_count);
    } else if (has_limit && !arguments->selection.verify) {
        htp_cli_print_message("--worse-than and --worst go with --verify REPORT.json");
    } else if (needs_module && !has_module && !arguments->selection.verify) {
        htp_cli_print_message("no module; pass --module ADDRESS, for example --module encoder");
    } else if (command == HTP_CLI_GRAPH && arguments->json && !arguments->json_file &&
               !arguments->out) {
        htp_cli_print_message("--json and the graph both write to standard output; pass --out "
                              "FILE");
    } else if (command == HTP_CLI_RETAG && !arguments->like) {
        htp_cli_print_message("no model with tags; pass --like TAGGED.onnx, the file that this one "
                              "was made of");
    } else if (command == HTP_CLI_REPLACE && !arguments->replacing.op == !arguments->replacing.by) {
        htp_cli_print_message("pass what takes the place of the modules: either --op DOMAIN:NAME "
                              "or --by PART.onnx");
    } else if (needs_out && !arguments->out) {
        htp_cli_print_message("no output; pass --out FILE.onnx");
    } else if (command == HTP_CLI_SPLIT && !has_split(arguments)) {
        htp_cli_print_message("pass either --at ADDRESS, which may be repeated, or --depth N; or "
                              "--into N");
    } else if (command == HTP_CLI_SPLIT && !arguments->out_folder) {
        htp_cli_print_message("no output; pass --out-dir DIR");
    } else {
        return true;
    }
    return false;
}

static bool check_pair(const htp_cli_arguments *arguments)
{
    size_t count = arguments->verifying.values ? 1 : 2;
    if (arguments->model_count != count) {
        htp_cli_print_message(
            "%s takes %s, not %zu", htp_cli_command_find(arguments->command)->name,
            count == 2 ? "two models" : "one model with --values FILE.npz", arguments->model_count);
    }
    return arguments->model_count == count;
}

/* Results of one model make no sense for several. */
static bool check_quality(const htp_cli_arguments *arguments)
{
    const htp_quality_options *quality = &arguments->quality;
    bool is_for_one =
        quality->reference || quality->profile || quality->against_count > 0 || quality->node_data;
    if (is_for_one && arguments->model_count > 1) {
        htp_cli_print_message("--reference, --against, --profile and --node-data are for one "
                              "model, not %zu",
                              arguments->model_count);
        return false;
    }
    return true;
}

/* Repeated selectors form one list. */
static bool join_selectors(htp_cli_arguments *arguments)
{
    size_t bytes = 1;
    size_t empty = 0;
    for (size_t i = 0; i < arguments->selectors_count; i++) {
        bytes += strlen(arguments->selectors[i]) + 1;
        empty += !*arguments->selectors[i];
    }
    if (empty > 0 && empty < arguments->selectors_count) {
        htp_cli_print_message("pass --functions either with selectors or without");
        return false;
    }
    if (arguments->selectors_count == 0) {
        return true;
    }
    arguments->functions = malloc(bytes);
    if (!arguments->functions) {
        htp_cli_end_without_memory();
    }
    char *end = arguments->functions;
    *end = '\0';
    for (size_t i = 0; i < arguments->selectors_count && empty == 0; i++) {
        end = stpcpy(stpcpy(end, i > 0 ? "," : ""), arguments->selectors[i]);
    }
    arguments->options.functions = arguments->functions;
    return true;
}

static bool check_model_is_there(const htp_cli_arguments *arguments)
{
    if (arguments->model_count > 0) {
        return true;
    }
    if (arguments->selectors_word) {
        htp_cli_print_message("no model: \"%s\" is no file, and was taken for the selectors of "
                              "--functions",
                              arguments->selectors_word);
    } else {
        const char *usage = htp_cli_command_find(arguments->command)->usage;
        htp_cli_print_message("no model; usage: htp-trace %.*s (see --help)",
                              (int)strcspn(usage, "\n"), usage);
    }
    return false;
}

static bool check(const htp_cli_arguments *arguments)
{
    if (arguments->command == HTP_CLI_HELP || arguments->command == HTP_CLI_VERSION) {
        return true;
    }
    if (arguments->command == HTP_CLI_OPERATORS) {
        if (arguments->model_count > 0) {
            htp_cli_print_message("ops takes no model; see htp-trace ops --help");
        }
        return arguments->model_count == 0;
    }
    if (!check_model_is_there(arguments)) {
        return false;
    }
    if (arguments->quiet && arguments->options.details) {
        htp_cli_print_message("pass either --quiet or --verbose");
        return false;
    }
    if (arguments->selection.own && arguments->selection.module_count == 0) {
        htp_cli_print_message("--own goes with --module ADDRESS");
        return false;
    }
    if (arguments->options.functions_per_instance && !arguments->options.functions) {
        htp_cli_print_message("--functions-per instance goes with --functions");
        return false;
    }
    if (arguments->sidecar && *arguments->sidecar && arguments->model_count > 1) {
        htp_cli_print_message("--sidecar FILE is for one model; leave out FILE for several");
        return false;
    }
    if (arguments->options.state_file && arguments->model_count > 1) {
        htp_cli_print_message("--state-out is for one model");
        return false;
    }
    if (arguments->command == HTP_CLI_QUALITY) {
        return check_quality(arguments);
    }
    switch (htp_cli_command_find(arguments->command)->takes) {
    case HTP_CLI_TAKES_ONE:
        return check_single(arguments);
    case HTP_CLI_TAKES_TWO:
        return check_pair(arguments);
    default:
        return arguments->command == HTP_CLI_VALIDATE || arguments->command == HTP_CLI_INSPECT ||
               check_outputs(arguments);
    }
}

static void make_arrays(htp_cli_arguments *arguments, size_t count)
{
    const char ***const arrays[] = {&arguments->models,           &arguments->inputs,
                                    &arguments->libraries,        &arguments->limits,
                                    &arguments->custom_operators, &arguments->modules,
                                    &arguments->except,           &arguments->against,
                                    &arguments->fail_under,       &arguments->selectors};
    for (size_t i = 0; i < COUNT(arrays); i++) {
        *arrays[i] = calloc(count, sizeof(**arrays[i]));
        if (!*arrays[i]) {
            htp_cli_end_without_memory();
        }
    }
    arguments->options.inputs = arguments->inputs;
    arguments->options.libraries = arguments->libraries;
    arguments->options.limits = arguments->limits;
    arguments->options.custom_operators = arguments->custom_operators;
    arguments->selection.modules = arguments->modules;
    arguments->selection.except = arguments->except;
    arguments->quality.against = arguments->against;
    arguments->quality.fail_under = arguments->fail_under;
}

/* The limits are those of an export, and of the ONNX models that are opened. */
static bool settle_limits(const htp_cli_arguments *arguments)
{
    if (arguments->command == HTP_CLI_HELP || arguments->command == HTP_CLI_VERSION) {
        return true;
    }
    htp_status status = htp_limit_models(arguments->limits, arguments->options.limit_count);
    if (status) {
        htp_cli_print_message("%s", htp_status_message(status));
        htp_status_free(status);
        return false;
    }
    return true;
}

/* --json without a value, and --json=-, are standard output. */
static void settle_json(htp_cli_arguments *arguments)
{
    const char *file = arguments->json_file;
    arguments->json = arguments->json || file;
    arguments->json_file = file && *file && strcmp(file, "-") != 0 ? file : NULL;
}

/* "help COMMAND" is "COMMAND --help". */
static bool read_help(htp_cli_arguments *arguments, int count, char **words)
{
    arguments->command = HTP_CLI_HELP;
    arguments->about = HTP_CLI_EXPORT;
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], "--json") == 0) {
            arguments->json = true;
            continue;
        }
        arguments->about = htp_cli_command_named(words[i]);
        bool is_named = strcmp(words[i], "export") == 0 || strcmp(words[i], "help") == 0;
        if (arguments->about == HTP_CLI_EXPORT && !is_named) {
            const char *meant = htp_cli_command_suggest(words[i]);
            htp_cli_print_message("there is no command %s; %s%s%s", words[i],
                                  meant ? "did you mean " : "see htp-trace --help",
                                  meant ? meant : "", meant ? "?" : "");
            return false;
        }
    }
    return true;
}

/* Whether the first word is a misspelt command, and not a file. A lone word that is neither is,
 * too, if there is no output: with one, it is the model of an export. */
static bool is_misspelt(const htp_cli_arguments *arguments, const char *word)
{
    bool is_model = arguments->model_count > 0 && strcmp(arguments->models[0], word) == 0;
    bool has_output = arguments->out || arguments->out_folder;
    if (!is_model || strcmp(word, "-") == 0 || access(word, F_OK) == 0 ||
        (arguments->model_count == 1 && has_output)) {
        return false;
    }
    const char *meant = htp_cli_command_suggest(word);
    bool is_lone = arguments->command == HTP_CLI_EXPORT && !has_output;
    if (meant) {
        htp_cli_print_message("%s is neither a command nor a file; did you mean %s?", word, meant);
    } else if (is_lone) {
        htp_cli_print_message("%s is neither a command nor a file; see htp-trace --help", word);
    }
    return meant || is_lone;
}

/* Names that mean no file: of an unset variable, or standard output as a folder. */
static bool are_names_usable(const htp_cli_arguments *arguments)
{
    for (size_t i = 0; i < arguments->model_count; i++) {
        if (!*arguments->models[i]) {
            htp_cli_print_message("the name of a model is empty");
            return false;
        }
    }
    if (arguments->out_folder && strcmp(arguments->out_folder, "-") == 0) {
        htp_cli_print_message("--out-dir takes a folder, not standard output; ./- is one");
        return false;
    }
    return true;
}

bool htp_cli_arguments_read(htp_cli_arguments *arguments, int argc, char **argv)
{
    *arguments = (htp_cli_arguments){.depth = -1, .call = -1, .format = -1};
    htp_options_init(&arguments->options);
    htp_selection_init(&arguments->selection);
    htp_drawing_init(&arguments->drawing);
    htp_profiling_init(&arguments->profiling);
    htp_verify_options_init(&arguments->verifying);
    htp_replacing_init(&arguments->replacing);
    htp_quality_options_init(&arguments->quality);
    make_arrays(arguments, (size_t)argc + 1);
    const char *word = argc >= 2 ? argv[1] : "";
    if (strcmp(word, "help") == 0) {
        return read_help(arguments, argc - 2, argv + 2);
    }
    arguments->command = htp_cli_command_named(word);
    bool has_command = arguments->command != HTP_CLI_EXPORT || strcmp(word, "export") == 0;
    if (!htp_cli_options_read(arguments, argc - has_command, argv + has_command)) {
        return false;
    }
    arguments->options.module = arguments->modules[0];
    settle_json(arguments);
    for (int i = optind + has_command; i < argc; i++) {
        bool is_profile = arguments->command == HTP_CLI_PROFILE && !arguments->profiling.profile;
        if (is_profile) {
            arguments->profiling.profile = argv[i]; /* it precedes the model */
        } else {
            arguments->models[arguments->model_count++] = argv[i];
        }
    }
    return are_names_usable(arguments) && (has_command || !is_misspelt(arguments, word)) &&
           join_selectors(arguments) && settle_limits(arguments) && check(arguments);
}

void htp_cli_arguments_free(htp_cli_arguments *arguments)
{
    free(arguments->models);
    free(arguments->inputs);
    free(arguments->libraries);
    free(arguments->limits);
    free(arguments->custom_operators);
    free(arguments->modules);
    free(arguments->except);
    free(arguments->against);
    free(arguments->fail_under);
    free(arguments->selectors);
    free(arguments->functions);
}
