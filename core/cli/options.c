#include "cli/options.h"

#include "cli/print.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    {"layer-ann", HTP_TAG_LAYER_ANN},
    {"none", 0},
};

static const struct word external_choices[] = {
    {"auto", HTP_EXTERNAL_AUTO},
    {"always", HTP_EXTERNAL_ALWAYS},
    {"never", HTP_EXTERNAL_NEVER},
};

static const struct word selection_formats[] = {
    {"names", HTP_SELECT_NAMES},
    {"json", HTP_SELECT_JSON},
    {"ort-exclude", HTP_SELECT_ORT_EXCLUDE},
    {"trtexec", HTP_SELECT_TRTEXEC},
};

static const struct word drawing_formats[] = {
    {"dot", HTP_DRAW_DOT},
    {"graphml", HTP_DRAW_GRAPHML},
    {"svg", HTP_DRAW_SVG},
};

static const struct word function_choices[] = {
    {"body", false},
    {"instance", true},
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

static bool read_number(const char *text, int least, int *number)
{
    char *end = NULL;
    errno = 0;
    long read = strtol(text, &end, 10);
    bool is_number = end != text && !*end && errno == 0 && read >= least && read <= INT_MAX;
    *number = is_number ? (int)read : *number;
    return is_number;
}

static bool read_opset(htp_cli_arguments *arguments, const char *text)
{
    bool is_number = read_number(text, INT_MIN, &arguments->options.opset);
    if (!is_number) {
        htp_cli_print_message("--opset takes a number, for example --opset 18");
    }
    return is_number;
}

static bool read_ir_version(htp_cli_arguments *arguments, const char *text)
{
    bool is_number = read_number(text, 1, &arguments->options.ir_version);
    if (!is_number) {
        htp_cli_print_message("--ir-version takes a number, for example --ir-version 10");
    }
    return is_number;
}

/* A list of places: "attribute,metadata". "none" stands alone. */
static bool read_places(const char *option, const char *list, unsigned *read)
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
                "--%s takes a list of attribute, metadata, doc-string, layer-ann, or none; "
                "\"%.*s\" is none of these",
                option, (int)length, name);
            return false;
        }
        places |= place->value;
        has_none = has_none || place->value == 0;
        name = comma ? comma + 1 : NULL;
    }
    if (has_none && count > 1) {
        htp_cli_print_message("--%s none goes with no other place", option);
        return false;
    }
    *read = places;
    return true;
}

static bool read_tags(htp_cli_arguments *arguments, const char *list)
{
    return read_places("tags", list, &arguments->options.tags);
}

static bool read_keep(htp_cli_arguments *arguments, const char *list)
{
    return read_places("keep", list, &arguments->keep);
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

static bool read_module(htp_cli_arguments *arguments, const char *value)
{
    arguments->modules[arguments->selection.module_count++] = value;
    arguments->options.module = arguments->modules[0];
    return true;
}

static bool read_except(htp_cli_arguments *arguments, const char *value)
{
    arguments->except[arguments->selection.except_count++] = value;
    return true;
}

static bool read_count(const char *option, const char *text, int *count)
{
    bool is_count = read_number(text, 0, count);
    if (!is_count) {
        htp_cli_print_message("--%s takes a number from 0 on, for example --%s 2", option, option);
    }
    return is_count;
}

static bool read_depth(htp_cli_arguments *arguments, const char *text)
{
    return read_count("depth", text, &arguments->depth);
}

static bool read_call(htp_cli_arguments *arguments, const char *text)
{
    return read_count("call", text, &arguments->call);
}

static bool read_drawing_format(htp_cli_arguments *arguments, const char *name)
{
    const struct word *format =
        find_word(drawing_formats, COUNT(drawing_formats), name, strlen(name));
    if (!format) {
        htp_cli_print_message("--format takes dot, graphml or svg, not \"%s\"", name);
        return false;
    }
    arguments->drawing.format = (htp_drawing_format)format->value;
    return true;
}

static bool read_format(htp_cli_arguments *arguments, const char *name)
{
    if (arguments->command == HTP_CLI_GRAPH) {
        return read_drawing_format(arguments, name);
    }
    const struct word *format =
        find_word(selection_formats, COUNT(selection_formats), name, strlen(name));
    if (!format) {
        htp_cli_print_message("--format takes names, json, ort-exclude or trtexec, not \"%s\"",
                              name);
        return false;
    }
    arguments->selection.format = (htp_selection_format)format->value;
    return true;
}

static bool read_against(htp_cli_arguments *arguments, const char *value)
{
    arguments->against[arguments->quality.against_count++] = value;
    return true;
}

static bool read_fail_under(htp_cli_arguments *arguments, const char *value)
{
    arguments->fail_under[arguments->quality.fail_under_count++] = value;
    return true;
}

/* A flag, but for `quality`, which takes a file: "-" is standard output. */
static bool read_json_file(htp_cli_arguments *arguments, const char *value)
{
    arguments->json = strcmp(value, "-") == 0;
    arguments->quality.json_file = arguments->json ? NULL : value;
    return true;
}

static bool read_functions(htp_cli_arguments *arguments, const char *selectors)
{
    arguments->selectors[arguments->selectors_count++] = selectors;
    return true;
}

static bool read_functions_per(htp_cli_arguments *arguments, const char *name)
{
    const struct word *choice =
        find_word(function_choices, COUNT(function_choices), name, strlen(name));
    if (!choice) {
        htp_cli_print_message("--functions-per takes body or instance, not \"%s\"", name);
        return false;
    }
    arguments->options.functions_per_instance = choice->value;
    return true;
}

static bool read_dump_after(htp_cli_arguments *arguments, const char *value)
{
    arguments->command = HTP_CLI_DUMP_GRAPH;
    arguments->options.dump_after = value;
    return true;
}

enum kind {
    KIND_FLAG,      /* sets a bool */
    KIND_STRING,    /* keeps its value */
    KIND_COMMAND,   /* makes it another command */
    KIND_PARSE,     /* with a value: calls a function */
    KIND_FILE,      /* keeps its value, or "" where it has none */
    KIND_SELECTORS, /* calls a function with its value, or "" */
};

/* Commands that take an option; a dump is an export until its option is read. */
enum {
    ON_EXPORT = 1 << HTP_CLI_EXPORT | 1 << HTP_CLI_DUMP_GRAPH,
    ON_INSPECT = 1 << HTP_CLI_INSPECT,
    ON_SELECT = 1 << HTP_CLI_SELECT,
    ON_TORCHSCRIPT = ON_EXPORT | ON_INSPECT,
    ON_STRIP = 1 << HTP_CLI_STRIP,
    ON_RETAG = 1 << HTP_CLI_RETAG,
    ON_INLINE = 1 << HTP_CLI_INLINE,
    ON_VALIDATE = 1 << HTP_CLI_VALIDATE,
    ON_COMPARE = 1 << HTP_CLI_COMPARE,
    ON_SIDECAR = 1 << HTP_CLI_SIDECAR,
    ON_EXTRACT = 1 << HTP_CLI_EXTRACT,
    ON_SPLIT = 1 << HTP_CLI_SPLIT,
    ON_GRAPH = 1 << HTP_CLI_GRAPH,
    ON_PROFILE = 1 << HTP_CLI_PROFILE,
    ON_QUALITY = 1 << HTP_CLI_QUALITY,
    ON_TREE = ON_INSPECT | ON_GRAPH | ON_PROFILE, /* show the module tree, or a part of it */
    ON_OPERATORS = 1 << HTP_CLI_OPERATORS,
    ON_ALL = ON_TORCHSCRIPT | ON_SELECT | ON_STRIP | ON_RETAG | ON_INLINE | ON_VALIDATE |
             ON_EXTRACT | ON_SPLIT | ON_COMPARE | ON_SIDECAR | ON_GRAPH | ON_PROFILE,
    ON_EVERYTHING = ON_ALL | ON_QUALITY,
    ON_TRACED = ON_TORCHSCRIPT | ON_QUALITY, /* trace a program, if only as a reference */
};

static const struct row {
    const char *name;
    unsigned commands; /* bit N: command N takes it */
    enum kind kind;
    size_t place; /* of the bool or the string in the arguments; or the command */
    bool (*read)(htp_cli_arguments *arguments, const char *value);
} rows[] = {
#define FLAG(name, commands, field)                                                                \
    {                                                                                              \
        name, commands, KIND_FLAG, offsetof(htp_cli_arguments, field), NULL                        \
    }
#define STRING(name, commands, field)                                                              \
    {                                                                                              \
        name, commands, KIND_STRING, offsetof(htp_cli_arguments, field), NULL                      \
    }
    {"help", ON_EVERYTHING | ON_OPERATORS, KIND_COMMAND, HTP_CLI_HELP, NULL},
    {"version", ON_EVERYTHING | ON_OPERATORS, KIND_COMMAND, HTP_CLI_VERSION, NULL},
    {"dump-graph", ON_EXPORT, KIND_COMMAND, HTP_CLI_DUMP_GRAPH, NULL},
    {"dump-after", ON_EXPORT, KIND_PARSE, 0, read_dump_after},
    {"input", ON_TRACED, KIND_PARSE, 0, read_input},
    {"load-library", ON_TRACED, KIND_PARSE, 0, read_library},
    {"custom-op", ON_TRACED, KIND_PARSE, 0, read_custom_operator},
    {"opset", ON_TRACED, KIND_PARSE, 0, read_opset},
    {"ir-version", ON_TORCHSCRIPT, KIND_PARSE, 0, read_ir_version},
    {"tags", ON_TORCHSCRIPT, KIND_PARSE, 0, read_tags},
    {"external-data", ON_TORCHSCRIPT | ON_EXTRACT | ON_SPLIT, KIND_PARSE, 0, read_external_data},
    STRING("out",
           ON_TORCHSCRIPT | ON_STRIP | ON_RETAG | ON_INLINE | ON_EXTRACT | ON_SIDECAR | ON_GRAPH,
           out),
    STRING("like", ON_RETAG, like),
    {"keep", ON_STRIP, KIND_PARSE, 0, read_keep},
    STRING("out-dir", ON_TORCHSCRIPT | ON_SPLIT, out_folder),
    STRING("inputs", ON_TRACED, options.inputs_file),
    STRING("method", ON_TRACED, options.method),
    STRING("tag-attribute-prefix", ON_TORCHSCRIPT, options.tag_attribute_prefix),
    FLAG("include-torch-nn", ON_TORCHSCRIPT, options.include_torch_nn),
    FLAG("quiet", ON_EVERYTHING, quiet),
    FLAG("freeze-state", ON_TRACED, options.freeze_state),
    FLAG("state-defaults", ON_EXPORT, options.state_defaults),
    FLAG("untie", ON_EXPORT, options.untie),
    FLAG("no-fold", ON_EXPORT, options.no_fold),
    STRING("state-out", ON_EXPORT, options.state_file),
    FLAG("static", ON_TRACED, options.static_shapes),
    FLAG("eval", ON_TRACED, options.eval),
    FLAG("verbose", ON_EVERYTHING, options.details),
    FLAG("json", ON_ALL, json),
    {"json", ON_QUALITY, KIND_PARSE, 0, read_json_file},
    FLAG("print-tree", ON_TORCHSCRIPT, print_tree),
    {"module", ON_TREE | ON_SELECT | ON_EXTRACT | ON_TRACED, KIND_PARSE, 0, read_module},
    {"except", ON_SELECT | ON_EXTRACT, KIND_PARSE, 0, read_except},
    {"at", ON_SPLIT, KIND_PARSE, 0, read_module},
    {"depth", ON_TREE | ON_SPLIT, KIND_PARSE, 0, read_depth},
    {"call", ON_EXTRACT, KIND_PARSE, 0, read_call},
    {"format", ON_SELECT | ON_GRAPH, KIND_PARSE, 0, read_format},
    STRING("optimized", ON_PROFILE, profiling.optimized),
    STRING("op", ON_SELECT, selection.op),
    STRING("precision", ON_SELECT, selection.precision),
    FLAG("own", ON_TREE | ON_SELECT | ON_EXTRACT, selection.own),
    FLAG("weights", ON_SELECT, selection.weights),
    {"sidecar", ON_EXPORT | ON_VALIDATE | ON_QUALITY, KIND_FILE,
     offsetof(htp_cli_arguments, sidecar), NULL},
    {"functions", ON_EXPORT, KIND_SELECTORS, 0, read_functions},
    {"functions-per", ON_EXPORT, KIND_PARSE, 0, read_functions_per},
    FLAG("share-weights", ON_SPLIT, share_weights),
    STRING("reference", ON_QUALITY, quality.reference),
    {"against", ON_QUALITY, KIND_PARSE, 0, read_against},
    STRING("profile", ON_QUALITY, quality.profile),
    STRING("csv", ON_QUALITY, quality.csv_file),
    STRING("html", ON_QUALITY, quality.html_file),
    {"fail-under", ON_QUALITY, KIND_PARSE, 0, read_fail_under},
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
    case KIND_FILE:
        *(const char **)place = value;
        return true;
    case KIND_COMMAND:
        arguments->about = arguments->command;
        arguments->command = (htp_cli_command)row->place;
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

static bool may_lack_value(const struct row *row)
{
    return row->kind == KIND_FILE || row->kind == KIND_SELECTORS;
}

static bool names_json(const char *word)
{
    static const char ending[] = ".json";
    size_t length = strlen(word);
    return length > strlen(ending) && strcmp(word + length - strlen(ending), ending) == 0;
}

/* A model may stand behind --functions. A folder is none. */
static bool names_model(const char *word)
{
    struct stat facts;
    return stat(word, &facts) == 0 && !S_ISDIR(facts.st_mode);
}

/* A value that may be left out stands behind "=", or is the next word: where that names a JSON
 * file, or no file for KIND_SELECTORS. */
static const char *take_word(htp_cli_arguments *arguments, const struct row *row, int argc,
                             char **argv)
{
    const char *word = optind < argc ? argv[optind] : "-";
    bool is_value = row->kind == KIND_FILE ? names_json(word) : !names_model(word);
    if (*word == '-' || !is_value) {
        return "";
    }
    if (row->kind == KIND_SELECTORS) {
        arguments->selectors_word = word;
    }
    optind++;
    return word;
}

/* Whether another row of this name is the command's. */
static bool is_hidden(const struct row *row, unsigned command)
{
    for (size_t i = 0; i < COUNT(rows) && !(row->commands & command); i++) {
        if (rows[i].commands & command && strcmp(rows[i].name, row->name) == 0) {
            return true;
        }
    }
    return false;
}

static void list_options(const htp_cli_arguments *arguments, struct option *options)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool has_value = rows[i].kind == KIND_STRING || rows[i].kind == KIND_PARSE;
        if (is_hidden(&rows[i], 1U << arguments->command)) {
            continue;
        }
        options->name = rows[i].name;
        options->has_arg = may_lack_value(&rows[i]) ? optional_argument
                           : has_value              ? required_argument
                                                    : no_argument;
        options->val = UCHAR_MAX + 1 + (int)i; /* behind all letters: there are no short ones */
        options++;
    }
}

bool htp_cli_options_read(htp_cli_arguments *arguments, int argc, char **argv)
{
    struct option options[COUNT(rows) + 1] = {{0}};
    list_options(arguments, options);
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
        const struct row *row = &rows[option - UCHAR_MAX - 1];
        if (!(row->commands & 1U << arguments->command)) {
            htp_cli_print_message("--%s is no option of %s; see htp-trace --help", row->name,
                                  htp_cli_command_find(arguments->command)->name);
            return false;
        }
        const char *value =
            may_lack_value(row) && !optarg ? take_word(arguments, row, argc, argv) : optarg;
        if (!read_option(arguments, row, value)) {
            return false;
        }
        if (arguments->command == HTP_CLI_HELP || arguments->command == HTP_CLI_VERSION) {
            return true; /* whatever else is there */
        }
    }
}
