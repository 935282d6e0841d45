#include "exported/document/document.h"

#include "base/text.h"
#include "exported/document/document_values.h"

#include <string.h>

enum { MAJOR = 8 };

/* ---- graphs ---- */

static const htp_exported_argument *read_named(htp_document *d, const htp_json_node *node,
                                               uint32_t *count)
{
    const htp_json_node *item = htp_document_list(d, node, count);
    htp_exported_argument *arguments =
        HTP_NEW_ARRAY(d->arena, htp_exported_argument, (size_t)*count + 1);
    for (uint32_t i = 0; i < *count; i++, item = htp_json_end_of(item)) {
        const char *name = htp_document_text(d, htp_document_member(d, item, "name"));
        arguments[i] = htp_document_argument(d, htp_document_member(d, item, "arg"));
        arguments[i].name = name;
    }
    return arguments;
}

static const char *optional_text(htp_document *d, const htp_json_node *object, const char *name)
{
    const htp_json_node *member = htp_document_optional(object, name);
    return member ? htp_document_text(d, member) : NULL;
}

/* A value is made once in its graph: else an alias could be one of itself. */
static void note_made(htp_document *d, const htp_exported_argument *made, uint32_t count)
{
    for (uint32_t i = 0; i < count && !d->failure; i++) {
        if (made[i].kind == HTP_EXPORTED_LIST) {
            note_made(d, made[i].items, made[i].count);
        } else if (made[i].kind == HTP_EXPORTED_VALUE) {
            htp_exported_value *value = &d->program->values.items[made[i].value];
            if (value->is_made) {
                htp_document_fail(d, "value %s is made twice", value->name);
            }
            value->is_made = true;
        }
    }
}

static htp_exported_node read_node(htp_document *d, const htp_json_node *node)
{
    htp_exported_node read = {.target =
                                  htp_document_text(d, htp_document_member(d, node, "target"))};
    d->where = read.target;
    const htp_json_node *metadata = htp_document_member(d, node, "metadata");
    read.inputs = read_named(d, htp_document_member(d, node, "inputs"), &read.input_count);
    read.outputs =
        htp_document_arguments(d, htp_document_member(d, node, "outputs"), &read.output_count);
    note_made(d, read.outputs, read.output_count);
    read.stack = optional_text(d, metadata, "nn_module_stack");
    read.places = optional_text(d, metadata, "stack_trace");
    d->where = NULL;
    return read;
}

/* Values come first, since everything else names them. */
static htp_exported_graph read_graph(htp_document *d, const htp_json_node *node)
{
    htp_exported_graph graph = {.nodes = NULL};
    htp_document_values(d, node);
    graph.inputs =
        htp_document_arguments(d, htp_document_member(d, node, "inputs"), &graph.input_count);
    note_made(d, graph.inputs, graph.input_count);
    graph.outputs =
        htp_document_arguments(d, htp_document_member(d, node, "outputs"), &graph.output_count);
    const htp_json_node *item =
        htp_document_list(d, htp_document_member(d, node, "nodes"), &graph.node_count);
    htp_exported_node *nodes =
        HTP_NEW_ARRAY(d->arena, htp_exported_node, (size_t)graph.node_count + 1);
    for (uint32_t i = 0; i < graph.node_count && !d->failure; i++, item = htp_json_end_of(item)) {
        nodes[i] = read_node(d, item);
    }
    graph.nodes = nodes;
    return graph;
}

/* ---- the signature ---- */

/* A constant argument. */
static htp_exported_argument read_fixed(htp_document *d, const htp_json_node *value)
{
    htp_exported_argument argument =
        htp_document_argument(d, htp_document_member(d, value, "value"));
    argument.name = htp_document_text(d, htp_document_member(d, value, "name"));
    return argument;
}

/* Kinds of inputs, and the member that names each. */
static const struct input_row {
    const char *name;
    htp_exported_input_kind kind;
    const char *target;
} input_rows[] = {
    {"user_input", HTP_EXPORTED_USER_INPUT, NULL},
    {"parameter", HTP_EXPORTED_PARAMETER, "parameter_name"},
    {"buffer", HTP_EXPORTED_BUFFER, "buffer_name"},
    {"tensor_constant", HTP_EXPORTED_CONSTANT, "tensor_constant_name"},
    {"constant_input", HTP_EXPORTED_CONSTANT_INPUT, NULL},
    {"custom_obj", HTP_EXPORTED_OBJECT, "custom_obj_name"},
    {"token", HTP_EXPORTED_TOKEN, NULL},
};

static htp_exported_input read_input(htp_document *d, const htp_json_node *node)
{
    htp_exported_input input = {.kind = HTP_EXPORTED_TOKEN};
    const htp_json_node *which = htp_document_union(d, node);
    const struct input_row *row = HTP_DOCUMENT_ROW(which, input_rows);
    if (!row) {
        htp_document_fail(d, "an input is of no kind that is known");
        return input;
    }
    input.kind = row->kind;
    if (row->target) {
        input.target = htp_document_text(d, htp_document_member(d, which + 1, row->target));
    }
    if (row->kind == HTP_EXPORTED_CONSTANT_INPUT) {
        input.argument = read_fixed(d, which + 1);
    } else if (row->kind == HTP_EXPORTED_USER_INPUT) {
        input.argument = htp_document_argument(d, htp_document_member(d, which + 1, "arg"));
    } else if (row->kind != HTP_EXPORTED_TOKEN) {
        input.argument = htp_document_named(d, htp_document_member(d, which + 1, "arg"));
    }
    return input;
}

static const struct output_row {
    const char *name;
    htp_exported_output_kind kind;
    const char *target;
} output_rows[] = {
    {"user_output", HTP_EXPORTED_USER_OUTPUT, NULL},
    {"buffer_mutation", HTP_EXPORTED_BUFFER_CHANGE, "buffer_name"},
    {"parameter_mutation", HTP_EXPORTED_BUFFER_CHANGE, "parameter_name"},
    {"user_input_mutation", HTP_EXPORTED_INPUT_CHANGE, "user_input_name"},
    {"token", HTP_EXPORTED_OUTPUT_TOKEN, NULL},
};

static htp_exported_output read_output(htp_document *d, const htp_json_node *node)
{
    htp_exported_output output = {.kind = HTP_EXPORTED_OTHER_OUTPUT};
    const htp_json_node *which = htp_document_union(d, node);
    const struct output_row *row = HTP_DOCUMENT_ROW(which, output_rows);
    if (!row) {
        return output;
    }
    output.kind = row->kind;
    if (row->target) {
        output.target = htp_document_text(d, htp_document_member(d, which + 1, row->target));
        output.argument = htp_document_named(d, htp_document_member(d, which + 1, "arg"));
    } else if (row->kind == HTP_EXPORTED_USER_OUTPUT) {
        output.argument = htp_document_argument(d, htp_document_member(d, which + 1, "arg"));
    }
    return output;
}

/* Inputs are values that the graph takes: else a node could make one of them, and be a view of
 * itself. */
static void check_inputs(htp_document *d, const htp_exported_input *inputs)
{
    const htp_exported_program *program = d->program;
    const htp_exported_graph *graph = &program->graphs.items[0];
    bool *is_taken = HTP_NEW_ARRAY(d->scratch, bool, program->values.count + 1);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (graph->inputs[i].kind == HTP_EXPORTED_VALUE) {
            is_taken[graph->inputs[i].value] = true;
        }
    }
    for (uint32_t i = 0; i < program->input_count && !d->failure; i++) {
        const htp_exported_argument *input = &inputs[i].argument;
        if (input->kind == HTP_EXPORTED_VALUE && !is_taken[input->value]) {
            htp_document_fail(d, "input %s of the signature is none of the graph",
                              program->values.items[input->value].name);
        }
    }
}

static void read_signature(htp_document *d, const htp_json_node *signature)
{
    htp_exported_program *program = d->program;
    const htp_json_node *item = htp_document_list(
        d, htp_document_member(d, signature, "input_specs"), &program->input_count);
    htp_exported_input *inputs =
        HTP_NEW_ARRAY(d->arena, htp_exported_input, (size_t)program->input_count + 1);
    for (uint32_t i = 0; i < program->input_count; i++, item = htp_json_end_of(item)) {
        inputs[i] = read_input(d, item);
    }
    check_inputs(d, inputs);
    item = htp_document_list(d, htp_document_member(d, signature, "output_specs"),
                             &program->output_count);
    htp_exported_output *outputs =
        HTP_NEW_ARRAY(d->arena, htp_exported_output, (size_t)program->output_count + 1);
    for (uint32_t i = 0; i < program->output_count; i++, item = htp_json_end_of(item)) {
        outputs[i] = read_output(d, item);
    }
    program->inputs = inputs;
    program->outputs = outputs;
}

/* ---- the rest ---- */

/* All modules, and the structure of the root's arguments. */
static void read_modules(htp_document *d, const htp_json_node *list)
{
    htp_exported_program *program = d->program;
    const htp_json_node *item = htp_document_list(d, list, &program->module_count);
    const char **modules = HTP_NEW_ARRAY(d->arena, const char *, (size_t)program->module_count + 1);
    for (uint32_t i = 0; i < program->module_count; i++, item = htp_json_end_of(item)) {
        modules[i] = htp_document_text(d, htp_document_member(d, item, "fqn"));
        const htp_json_node *signature = htp_document_optional(item, "signature");
        if (modules[i][0] || !signature || program->in_spec) {
            continue;
        }
        program->in_spec = optional_text(d, signature, "in_spec");
        program->out_spec = optional_text(d, signature, "out_spec");
        const htp_json_node *names = htp_document_optional(signature, "forward_arg_names");
        if (names) {
            program->argument_names = htp_document_texts(d, names, &program->argument_name_count);
        }
    }
    program->modules = modules;
}

static void read_fields(htp_document *d, const htp_json_node *object)
{
    htp_exported_program *program = d->program;
    const htp_json_node *key = htp_document_object(d, object, &program->fields_count);
    htp_exported_fields *fields =
        HTP_NEW_ARRAY(d->arena, htp_exported_fields, (size_t)program->fields_count + 1);
    for (uint32_t i = 0; i < program->fields_count; i++, key = htp_json_end_of(key + 1)) {
        fields[i].type = htp_document_text(d, key);
        fields[i].names =
            htp_document_texts(d, htp_document_member(d, key + 1, "field_names"), &fields[i].count);
    }
    program->fields = fields;
}

static void read_ranges(htp_document *d, const htp_json_node *object)
{
    htp_exported_program *program = d->program;
    const htp_json_node *key = htp_document_object(d, object, &program->range_count);
    htp_exported_range *ranges =
        HTP_NEW_ARRAY(d->arena, htp_exported_range, (size_t)program->range_count + 1);
    for (uint32_t i = 0; i < program->range_count; i++, key = htp_json_end_of(key + 1)) {
        const htp_json_node *least = htp_document_optional(key + 1, "min_val");
        const htp_json_node *most = htp_document_optional(key + 1, "max_val");
        ranges[i] = (htp_exported_range){.symbol = htp_document_text(d, key),
                                         .has_least = least != NULL,
                                         .has_most = most != NULL,
                                         .least = least ? htp_document_integer(d, least) : 0,
                                         .most = most ? htp_document_integer(d, most) : 0};
    }
    program->ranges = ranges;
}

/* Whether the schema version is supported. */
static htp_status check_version(htp_document *d, const htp_json_node *root)
{
    htp_exported_program *program = d->program;
    const htp_json_node *version = htp_document_member(d, root, "schema_version");
    const char *torch = optional_text(d, root, "torch_version");
    program->torch_version = torch ? torch : "";
    const bool is_pair = version->kind != '0'; /* the first ones were numbers */
    program->major =
        htp_document_integer(d, is_pair ? htp_document_member(d, version, "major") : version);
    program->minor =
        is_pair ? htp_document_integer(d, htp_document_member(d, version, "minor")) : 0;
    HTP_TRY(htp_document_status(d));
    if (program->major != MAJOR) {
        const char *printable = htp_text_printable(d->arena, program->torch_version);
        return htp_status_make(
            HTP_CODE_UNSUPPORTED,
            "a program of torch.export in schema %lld.%lld%s%s, of which %d is read; export it "
            "again with PyTorch 2.6 or later, or save the module with torch.jit.trace(module, "
            "inputs).save(\"FILE.pt\")",
            (long long)program->major, (long long)program->minor,
            *printable ? ", written by PyTorch " : "", printable, MAJOR);
    }
    return HTP_OK;
}

static htp_status read_all(htp_document *d, const htp_json_node *root)
{
    HTP_TRY(check_version(d, root));
    const htp_json_node *module = htp_document_member(d, root, "graph_module");
    HTP_PUSH(d->arena, &d->program->graphs, (htp_exported_graph){.inputs = NULL});
    HTP_PUSH(d->scratch, &d->graphs,
             (htp_document_graph){htp_document_member(d, module, "graph"), 0});
    for (size_t i = 0; i < d->graphs.count && !d->failure; i++) {
        htp_exported_graph graph = read_graph(d, d->graphs.items[i].node);
        d->program->graphs.items[d->graphs.items[i].graph] = graph;
        if (i == 0) {
            read_signature(d, htp_document_member(d, module, "signature"));
        }
    }
    read_modules(d, htp_document_member(d, module, "module_call_graph"));
    read_ranges(d, htp_document_member(d, root, "range_constraints"));
    const htp_json_node *fields = htp_document_optional(module, "treespec_namedtuple_fields");
    if (fields) {
        read_fields(d, fields);
    }
    const htp_json_node *guards = htp_document_optional(root, "guards_code");
    if (guards) {
        d->program->guards = htp_document_texts(d, guards, &d->program->guard_count);
    }
    if (d->program->input_count != d->program->graphs.items[0].input_count ||
        d->program->output_count != d->program->graphs.items[0].output_count) {
        htp_document_fail(d, "its signature is not that of its graph");
    }
    return htp_document_status(d);
}

htp_status htp_document_read(htp_arena *arena, htp_arena *scratch, const char *text, size_t bytes,
                             const htp_limits *limits, htp_exported_program *program)
{
    htp_json_failure failure;
    htp_document d = {
        .arena = arena, .scratch = scratch, .program = program, .texts = {.arena = arena}};
    const htp_json_node *root = htp_json_tree_read_most(
        scratch, text, bytes, htp_limit_value(limits, HTP_LIMIT_DOCUMENT_VALUES), &failure);
    if (!root && failure.is_too_large) {
        return htp_status_make(HTP_CODE_UNSUPPORTED, "its program has " HTP_LIMIT_FORMAT,
                               HTP_LIMIT_ARGUMENTS(limits, HTP_LIMIT_DOCUMENT_VALUES));
    }
    if (!root || !htp_text_is_utf8(text, bytes)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "damaged program: no JSON: byte %zu: %s; export it again",
                               root ? 0 : failure.at, root ? "no UTF-8" : failure.what);
    }
    return read_all(&d, root);
}
