#include "cli/arguments.h"

#include "cli/options.h"
#include "cli/print.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const htp_cli_command_row commands[] = {
    {"inspect", HTP_CLI_INSPECT, HTP_CLI_TAKES_ANY, "inspect MODEL"},
    {"select", HTP_CLI_SELECT, HTP_CLI_TAKES_ONE, "select MODEL.onnx --module ADDRESS"},
    {"extract", HTP_CLI_EXTRACT, HTP_CLI_TAKES_ONE,
     "extract MODEL.onnx --module ADDRESS --out FILE.onnx"},
    {"split", HTP_CLI_SPLIT, HTP_CLI_TAKES_ONE, "split MODEL.onnx --at ADDRESS --out-dir DIR"},
    {"validate", HTP_CLI_VALIDATE, HTP_CLI_TAKES_ANY, "validate MODEL.onnx"},
    {"compare", HTP_CLI_COMPARE, HTP_CLI_TAKES_TWO, "compare A.onnx B.onnx"},
    {"strip", HTP_CLI_STRIP, HTP_CLI_TAKES_ONE, "strip MODEL.onnx --out FILE.onnx"},
    {"retag", HTP_CLI_RETAG, HTP_CLI_TAKES_ONE,
     "retag CHANGED.onnx --like TAGGED.onnx --out FILE.onnx"},
    {"inline", HTP_CLI_INLINE, HTP_CLI_TAKES_ONE, "inline MODEL.onnx --out FILE.onnx"},
    {"sidecar", HTP_CLI_SIDECAR, HTP_CLI_TAKES_ONE, "sidecar MODEL.onnx [--out FILE.json]"},
    {"graph", HTP_CLI_GRAPH, HTP_CLI_TAKES_ONE, "graph MODEL.onnx --format svg --out FILE.svg"},
    {"profile", HTP_CLI_PROFILE, HTP_CLI_TAKES_ONE, "profile PROFILE.json MODEL.onnx"},
    {"quality", HTP_CLI_QUALITY, HTP_CLI_TAKES_ANY, "quality MODEL.onnx"},
    {"ops", HTP_CLI_OPERATORS, HTP_CLI_TAKES_NONE, "ops"},
};

const htp_cli_command_row *htp_cli_command_find(htp_cli_command command)
{
    static const htp_cli_command_row export = {"an export", HTP_CLI_EXPORT, HTP_CLI_TAKES_ANY,
                                               "MODEL.pt --out MODEL.onnx"};
    for (size_t i = 0; i < COUNT(commands); i++) {
        if (commands[i].command == command) {
            return &commands[i];
        }
    }
    return &export;
}

static bool check_outputs(const htp_cli_arguments *arguments)
{
    if (arguments->command == HTP_CLI_INSPECT) {
        if (arguments->selection.module_count > 1) {
            htp_cli_print_message("inspect takes one --module");
            return false;
        }
        if (arguments->out || arguments->out_folder || arguments->print_tree) {
            htp_cli_print_message("inspect writes no file, and prints the module tree as it is: "
                                  "leave out --out, --out-dir and --print-tree");
            return false;
        }
        return true;
    }
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
    } else if (arguments->json && arguments->print_tree) {
        htp_cli_print_message("--json and --print-tree both write to standard output; pass one");
    } else {
        return true;
    }
    return false;
}

/* Commands that take one model, and what they cannot do without. */
static bool check_single(const htp_cli_arguments *arguments)
{
    htp_cli_command command = arguments->command;
    bool needs_module = command == HTP_CLI_SELECT || command == HTP_CLI_EXTRACT;
    bool needs_out = command == HTP_CLI_STRIP || command == HTP_CLI_EXTRACT ||
                     command == HTP_CLI_RETAG || command == HTP_CLI_INLINE;
    bool takes_one_module = command == HTP_CLI_GRAPH || command == HTP_CLI_PROFILE;
    bool has_module = arguments->selection.module_count > 0;
    if (arguments->model_count > 1) {
        htp_cli_print_message("%s takes one model, not %zu", htp_cli_command_find(command)->name,
                              arguments->model_count);
    } else if (needs_module && !has_module) {
        htp_cli_print_message("no module; pass --module ADDRESS, for example --module encoder");
    } else if (takes_one_module && arguments->selection.module_count > 1) {
        htp_cli_print_message("%s takes one --module", htp_cli_command_find(command)->name);
    } else if (command == HTP_CLI_GRAPH && arguments->json && !arguments->out) {
        htp_cli_print_message("--json and the graph both write to standard output; pass --out "
                              "FILE");
    } else if (command == HTP_CLI_RETAG && !arguments->like) {
        htp_cli_print_message("no model with tags; pass --like TAGGED.onnx, the file that this one "
                              "was made of");
    } else if (needs_out && !arguments->out) {
        htp_cli_print_message("no output; pass --out FILE.onnx");
    } else if (command == HTP_CLI_SPLIT && has_module == (arguments->depth >= 0)) {
        htp_cli_print_message("pass either --at ADDRESS, which may be repeated, or --depth N");
    } else if (command == HTP_CLI_SPLIT && !arguments->out_folder) {
        htp_cli_print_message("no output; pass --out-dir DIR");
    } else {
        return true;
    }
    return false;
}

static bool check_pair(const htp_cli_arguments *arguments)
{
    if (arguments->model_count != 2) {
        htp_cli_print_message("compare takes two models, not %zu", arguments->model_count);
    }
    return arguments->model_count == 2;
}

/* What tells of one model cannot tell of several. */
static bool check_quality(const htp_cli_arguments *arguments)
{
    const htp_quality_options *quality = &arguments->quality;
    bool is_for_one = quality->reference || quality->profile || quality->against_count > 0;
    if (is_for_one && arguments->model_count > 1) {
        htp_cli_print_message("--reference, --against and --profile are for one model, not %zu",
                              arguments->model_count);
        return false;
    }
    return true;
}

/* Selectors that were given several times are one list. */
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
        htp_cli_print_message("out of memory");
        return false;
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
        htp_cli_print_message("no model; usage: htp-trace %s (--help tells more)",
                              htp_cli_command_find(arguments->command)->usage);
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
    bool traces = arguments->command == HTP_CLI_EXPORT ||
                  arguments->command == HTP_CLI_DUMP_GRAPH || arguments->command == HTP_CLI_QUALITY;
    if (traces && arguments->selection.module_count > 1) {
        htp_cli_print_message("--module names one module here; pass it once");
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
        return arguments->command == HTP_CLI_VALIDATE || check_outputs(arguments);
    }
}

static bool make_arrays(htp_cli_arguments *arguments, size_t count)
{
    const char ***const arrays[] = {
        &arguments->models,           &arguments->inputs,     &arguments->libraries,
        &arguments->custom_operators, &arguments->modules,    &arguments->except,
        &arguments->against,          &arguments->fail_under, &arguments->selectors};
    for (size_t i = 0; i < COUNT(arrays); i++) {
        *arrays[i] = calloc(count, sizeof(**arrays[i]));
        if (!*arrays[i]) {
            htp_cli_print_message("out of memory");
            return false;
        }
    }
    arguments->options.inputs = arguments->inputs;
    arguments->options.libraries = arguments->libraries;
    arguments->options.custom_operators = arguments->custom_operators;
    arguments->selection.modules = arguments->modules;
    arguments->selection.except = arguments->except;
    arguments->quality.against = arguments->against;
    arguments->quality.fail_under = arguments->fail_under;
    return true;
}

/* The command that the first argument names. @return whether it names one */
static bool read_command(htp_cli_arguments *arguments, int argc, char **argv)
{
    arguments->command = HTP_CLI_EXPORT;
    for (size_t i = 0; argc >= 2 && i < COUNT(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            arguments->command = commands[i].command;
            return true;
        }
    }
    return false;
}

bool htp_cli_arguments_read(htp_cli_arguments *arguments, int argc, char **argv)
{
    *arguments = (htp_cli_arguments){.depth = -1, .call = -1};
    htp_options_init(&arguments->options);
    htp_selection_init(&arguments->selection);
    htp_drawing_init(&arguments->drawing);
    htp_profiling_init(&arguments->profiling);
    htp_quality_options_init(&arguments->quality);
    if (!make_arrays(arguments, (size_t)argc + 1)) {
        return false;
    }
    bool has_command = read_command(arguments, argc, argv);
    if (!htp_cli_options_read(arguments, argc - has_command, argv + has_command)) {
        return false;
    }
    for (int i = optind + has_command; i < argc; i++) {
        bool is_profile = arguments->command == HTP_CLI_PROFILE && !arguments->profiling.profile;
        if (is_profile) {
            arguments->profiling.profile = argv[i]; /* it stands in front of the model */
        } else {
            arguments->models[arguments->model_count++] = argv[i];
        }
    }
    return join_selectors(arguments) && check(arguments);
}

void htp_cli_arguments_free(htp_cli_arguments *arguments)
{
    free(arguments->models);
    free(arguments->inputs);
    free(arguments->libraries);
    free(arguments->custom_operators);
    free(arguments->modules);
    free(arguments->except);
    free(arguments->against);
    free(arguments->fail_under);
    free(arguments->selectors);
    free(arguments->functions);
}
