#include "cli/arguments.h"

#include "cli/print.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Words that an option takes, and what they stand for. */
struct word {
    const char *name;
    unsigned value;
};

static const struct word tag_places[] = {
    {"attribute", HTP_TAG_ATTRIBUTE},
    {"metadata", HTP_TAG_METADATA},
    {"doc-string", HTP_TAG_DOC_STRING},
    {"none", 0},
};

static const struct word external_choices[] = {
    {"auto", HTP_EXTERNAL_AUTO},
    {"always", HTP_EXTERNAL_ALWAYS},
    {"never", HTP_EXTERNAL_NEVER},
};

static const struct word *find_word(const struct word *words, size_t count, const char *name,
                                    size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i].name) == length && memcmp(words[i].name, name, length) == 0) {
            return &words[i];
        }
    }
    return NULL;
}

static bool read_opset(htp_cli_arguments *arguments, const char *text)
{
    char *end = NULL;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno != 0 || number < INT_MIN || number > INT_MAX) {
        htp_cli_print_message("--opset takes a number, for example --opset 18");
        return false;
    }
    arguments->options.opset = (int)number;
    return true;
}

/* A list of places: "attribute,metadata". "none" stands alone. */
static bool read_tags(htp_cli_arguments *arguments, const char *list)
{
    unsigned places = 0;
    bool has_none = false;
    size_t count = 0;
    for (const char *name = list; name; count++) {
        name += strspn(name, " ");
        const char *comma = strchr(name, ',');
        size_t length = comma ? (size_t)(comma - name) : strlen(name);
        while (length > 0 && name[length - 1] == ' ') {
            length--;
        }
        const struct word *place = find_word(tag_places, COUNT(tag_places), name, length);
        if (!place) {
            htp_cli_print_message(
                "--tags takes a list of attribute, metadata, doc-string, or none; "
                "\"%.*s\" is none of these",
                (int)length, name);
            return false;
        }
        places |= place->value;
        has_none = has_none || place->value == 0;
        name = comma ? comma + 1 : NULL;
    }
    if (has_none && count > 1) {
        htp_cli_print_message("--tags none goes with no other place");
        return false;
    }
    arguments->options.tags = places;
    return true;
}

static bool read_external_data(htp_cli_arguments *arguments, const char *name)
{
    const struct word *choice =
        find_word(external_choices, COUNT(external_choices), name, strlen(name));
    if (!choice) {
        htp_cli_print_message("--external-data takes auto, always or never, not \"%s\"", name);
        return false;
    }
    arguments->options.external_data = (htp_external_data)choice->value;
    return true;
}

static bool read_input(htp_cli_arguments *arguments, const char *value)
{
    arguments->inputs[arguments->options.input_count++] = value;
    return true;
}

static bool read_library(htp_cli_arguments *arguments, const char *value)
{
    arguments->libraries[arguments->options.library_count++] = value;
    return true;
}

static bool read_custom_operator(htp_cli_arguments *arguments, const char *value)
{
    arguments->custom_operators[arguments->options.custom_operator_count++] = value;
    return true;
}

static bool read_help(htp_cli_arguments *arguments, const char *value)
{
    (void)value;
    arguments->command = HTP_CLI_HELP;
    return true;
}

static bool read_version(htp_cli_arguments *arguments, const char *value)
{
    (void)value;
    arguments->command = HTP_CLI_VERSION;
    return true;
}

static bool read_dump_graph(htp_cli_arguments *arguments, const char *value)
{
    (void)value;
    arguments->command = HTP_CLI_DUMP_GRAPH;
    return true;
}

static bool read_dump_after(htp_cli_arguments *arguments, const char *value)
{
    arguments->command = HTP_CLI_DUMP_GRAPH;
    arguments->options.dump_after = value;
    return true;
}

enum kind {
    KIND_FLAG,   /* sets a bool */
    KIND_STRING, /* keeps its value */
    KIND_READ,   /* without a value: calls a function */
    KIND_PARSE,  /* with a value: calls a function */
};

static const struct row {
    const char *name;
    enum kind kind;
    size_t place; /* of the bool or the string in the arguments */
    bool (*read)(htp_cli_arguments *arguments, const char *value);
} rows[] = {
#define FLAG(name, field)                                                                          \
    {                                                                                              \
        name, KIND_FLAG, offsetof(htp_cli_arguments, field), NULL                                  \
    }
#define STRING(name, field)                                                                        \
    {                                                                                              \
        name, KIND_STRING, offsetof(htp_cli_arguments, field), NULL                                \
    }
    {"help", KIND_READ, 0, read_help},
    {"version", KIND_READ, 0, read_version},
    {"dump-graph", KIND_READ, 0, read_dump_graph},
    {"dump-after", KIND_PARSE, 0, read_dump_after},
    {"input", KIND_PARSE, 0, read_input},
    {"load-library", KIND_PARSE, 0, read_library},
    {"custom-op", KIND_PARSE, 0, read_custom_operator},
    {"opset", KIND_PARSE, 0, read_opset},
    {"tags", KIND_PARSE, 0, read_tags},
    {"external-data", KIND_PARSE, 0, read_external_data},
    STRING("out", out),
    STRING("out-dir", out_folder),
    STRING("inputs", options.inputs_file),
    STRING("method", options.method),
    STRING("tag-attribute-prefix", options.tag_attribute_prefix),
    FLAG("include-torch-nn", options.include_torch_nn),
    FLAG("quiet", quiet),
    FLAG("static", options.static_shapes),
    FLAG("verbose", options.details),
    FLAG("json", json),
    FLAG("print-tree", print_tree),
#undef FLAG
#undef STRING
};

static bool read_option(htp_cli_arguments *arguments, const struct row *row, const char *value)
{
    char *place = (char *)arguments + row->place;
    switch (row->kind) {
    case KIND_FLAG:
        *(bool *)place = true;
        return true;
    case KIND_STRING:
        *(const char **)place = value;
        return true;
    default:
        return row->read(arguments, value);
    }
}

static bool refuse_option(int kind, const char *option)
{
    if (kind == ':') {
        htp_cli_print_message("%s needs a value; see htp-trace --help", option);
    } else {
        htp_cli_print_message("%s is no option, or takes no value; see htp-trace --help", option);
    }
    return false;
}

static bool read_options(htp_cli_arguments *arguments, int argc, char **argv)
{
    struct option options[COUNT(rows) + 1] = {{0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool has_value = rows[i].kind == KIND_STRING || rows[i].kind == KIND_PARSE;
        options[i].name = rows[i].name;
        options[i].has_arg = has_value ? required_argument : no_argument;
        options[i].val = UCHAR_MAX + 1 + (int)i; /* behind all letters: there are no short ones */
    }
    opterr = 0;
    for (;;) {
        int before = optind;
        int option = getopt_long(argc, argv, ":", options, NULL);
        if (option == -1) {
            return true;
        }
        if (option <= UCHAR_MAX) {
            return refuse_option(option, argv[optind > before ? optind - 1 : optind]);
        }
        if (!read_option(arguments, &rows[option - UCHAR_MAX - 1], optarg)) {
            return false;
        }
        if (arguments->command == HTP_CLI_HELP || arguments->command == HTP_CLI_VERSION) {
            return true; /* whatever else is there */
        }
    }
}

static bool check_outputs(const htp_cli_arguments *arguments)
{
    if (arguments->command == HTP_CLI_INSPECT) {
        if (arguments->out || arguments->out_folder || arguments->print_tree) {
            htp_cli_print_message("inspect writes no file, and prints the module tree as it is: "
                                  "leave out --out, --out-dir and --print-tree");
            return false;
        }
        return true;
    }
    if (arguments->command == HTP_CLI_DUMP_GRAPH) {
        if (arguments->out || arguments->out_folder || arguments->json || arguments->print_tree) {
            htp_cli_print_message(
                "--dump-graph and --dump-after write to standard output alone: leave out --out, "
                "--out-dir, --json and --print-tree");
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

static bool check(const htp_cli_arguments *arguments)
{
    if (arguments->command != HTP_CLI_EXPORT && arguments->command != HTP_CLI_DUMP_GRAPH &&
        arguments->command != HTP_CLI_INSPECT) {
        return true;
    }
    if (arguments->model_count == 0) {
        htp_cli_print_message("no model; usage: htp-trace MODEL.pt --out MODEL.onnx (--help tells "
                              "more)");
        return false;
    }
    if (arguments->quiet && arguments->options.details) {
        htp_cli_print_message("pass either --quiet or --verbose");
        return false;
    }
    return check_outputs(arguments);
}

bool htp_cli_arguments_read(htp_cli_arguments *arguments, int argc, char **argv)
{
    *arguments = (htp_cli_arguments){.command = HTP_CLI_EXPORT};
    htp_options_init(&arguments->options);
    arguments->models = calloc((size_t)argc + 1, sizeof(*arguments->models));
    arguments->inputs = calloc((size_t)argc + 1, sizeof(*arguments->inputs));
    arguments->libraries = calloc((size_t)argc + 1, sizeof(*arguments->libraries));
    arguments->custom_operators = calloc((size_t)argc + 1, sizeof(*arguments->custom_operators));
    if (!arguments->models || !arguments->inputs || !arguments->libraries ||
        !arguments->custom_operators) {
        htp_cli_print_message("out of memory");
        return false;
    }
    if (argc == 2 && strcmp(argv[1], "ops") == 0) {
        arguments->command = HTP_CLI_OPERATORS;
        return true;
    }
    bool inspects = argc >= 2 && strcmp(argv[1], "inspect") == 0;
    if (!read_options(arguments, argc - inspects, argv + inspects)) {
        return false;
    }
    if (inspects && arguments->command == HTP_CLI_DUMP_GRAPH) {
        htp_cli_print_message("inspect and --dump-graph are different things; pass one");
        return false;
    }
    if (inspects && arguments->command == HTP_CLI_EXPORT) {
        arguments->command = HTP_CLI_INSPECT;
    }
    arguments->options.inputs = arguments->inputs;
    arguments->options.libraries = arguments->libraries;
    arguments->options.custom_operators = arguments->custom_operators;
    for (int i = optind + inspects; i < argc; i++) {
        arguments->models[arguments->model_count++] = argv[i];
    }
    return check(arguments);
}

void htp_cli_arguments_free(htp_cli_arguments *arguments)
{
    free(arguments->models);
    free(arguments->inputs);
    free(arguments->libraries);
    free(arguments->custom_operators);
}
