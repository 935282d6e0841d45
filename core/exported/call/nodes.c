#include "exported/call/nodes.h"

#include "exported/call/call.h"
#include "exported/call/control.h"
#include "exported/call/memory.h"
#include "exported/call/names.h"
#include "exported/call/operand_types.h"
#include "exported/call/result_sizes.h"
#include "exported/call/scopes.h"
#include "exported/call/training.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 256 }; /* of sizes computed on demand */

static void add_node(htp_tape *r, const htp_exported_node *node, const htp_exported_place *around);

/* ---- arguments ---- */

static uint32_t read_value(htp_tape *r, uint32_t value)
{
    const htp_exported_node *maker = r->deferred[value];
    if (maker && r->depth < MOST_DEPTH) {
        htp_exported_place here = r->place;
        r->deferred[value] = NULL;
        r->depth++;
        add_node(r, maker, &here);
        r->depth--;
        r->place = here;
    }
    uint32_t read = htp_lying_read(r, value);
    if (read != HTP_NONE) {
        return read;
    }
    const char *name = r->program->values.items[value].name;
    htp_tape_fail(
        r, htp_status_make(HTP_CODE_BAD_INPUT,
                           "damaged program: value %s is read before it is made; export it again",
                           name));
    return htp_tape_none(r);
}

static uint32_t read_list(htp_tape *r, const htp_exported_argument *list)
{
    uint32_t *elements = HTP_NEW_ARRAY(r->arena, uint32_t, (size_t)list->count + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        elements[i] = htp_exported_nodes_argument(r, &list->items[i]);
    }
    return htp_tape_list(r, elements, list->count);
}

static uint32_t add_complex(htp_tape *r, const htp_exported_argument *argument)
{
    double *parts = HTP_NEW_ARRAY(r->arena, double, 2);
    parts[0] = argument->f;
    parts[1] = argument->imaginary;
    return htp_tape_add(r, (htp_trace_value){.kind = HTP_TRACE_COMPLEX,
                                             .name = "",
                                             .producer = HTP_NONE,
                                             .weight = HTP_NONE,
                                             .dtype = HTP_DTYPE_COMPLEX128,
                                             .is_constant = true,
                                             .has_lanes = true,
                                             .data = parts,
                                             .data_bytes = 2 * sizeof(*parts)});
}

/* A device, or an object of no kind that is known. */
static uint32_t add_opaque(htp_tape *r, const htp_exported_argument *argument)
{
    return htp_tape_add(
        r, (htp_trace_value){.kind = HTP_TRACE_OPAQUE,
                             .name = "",
                             .producer = HTP_NONE,
                             .weight = HTP_NONE,
                             .device = argument->kind == HTP_EXPORTED_DEVICE ? argument->s : NULL,
                             .is_constant = true});
}

uint32_t htp_exported_nodes_argument(htp_tape *r, const htp_exported_argument *argument)
{
    switch (argument->kind) {
    case HTP_EXPORTED_NONE:
        return htp_tape_none(r);
    case HTP_EXPORTED_VALUE:
        return read_value(r, argument->value);
    case HTP_EXPORTED_INT:
        return htp_tape_integer(r, argument->i);
    case HTP_EXPORTED_FLOAT:
        return htp_tape_real(r, argument->f);
    case HTP_EXPORTED_BOOL:
        return htp_tape_truth(r, argument->i != 0);
    case HTP_EXPORTED_STRING:
        return htp_tape_text(r, argument->s);
    case HTP_EXPORTED_COMPLEX:
        return add_complex(r, argument);
    case HTP_EXPORTED_LIST:
        return read_list(r, argument);
    default:
        return add_opaque(r, argument);
    }
}

void htp_exported_nodes_bind(htp_tape *r, const htp_exported_argument *value,
                             const htp_exported_argument *as)
{
    uint32_t now = htp_exported_nodes_argument(r, as);
    if (value->kind != HTP_EXPORTED_VALUE) {
        return;
    }
    r->bound[value->value] = now;
    if (as->kind == HTP_EXPORTED_VALUE) {
        htp_lying_note_same(r, value->value, as->value);
    }
}

void htp_exported_nodes_flatten(htp_tape *r, const htp_exported_argument *arguments, uint32_t count,
                                htp_exported_arguments *list)
{
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].kind == HTP_EXPORTED_LIST) {
            htp_exported_nodes_flatten(r, arguments[i].items, arguments[i].count, list);
        } else {
            HTP_PUSH(r->arena, list, &arguments[i]);
        }
    }
}

/* ---- defaults ---- */

/* Parses a number of a schema. @return its end */
static const char *read_number(htp_tape *r, const char *text, uint32_t *value)
{
    char *end;
    char *whole_end;
    double real = strtod(text, &end);
    long long whole = strtoll(text, &whole_end, 10);
    *value = whole_end == end ? htp_tape_integer(r, whole) : htp_tape_real(r, real);
    return end;
}

static uint32_t read_numbers(htp_tape *r, const char *text)
{
    HTP_VECTOR(uint32_t) elements = {0};
    const char *at = text + 1;
    while (*at && *at != ']') {
        uint32_t value;
        const char *behind = read_number(r, at, &value);
        at = behind > at ? behind : at + 1;
        at += strspn(at, ", ");
        HTP_PUSH(r->arena, &elements, value);
    }
    return htp_tape_list(r, elements.items, (uint32_t)elements.count);
}

/* A default value in a schema: None, True, 1, 1.0, "text", [1, 1]. One number may stand for a list
 * of equal ones. */
static uint32_t default_value(htp_tape *r, const char *text)
{
    uint32_t value;
    if (strcmp(text, "None") == 0) {
        return htp_tape_none(r);
    }
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
        return htp_tape_truth(r, *text == 'T');
    }
    if (*text == '[') {
        return read_numbers(r, text);
    }
    if (*text == '"') {
        return htp_tape_text(r, htp_arena_copy(r->arena, text + 1, strlen(text) - 2));
    }
    (void)read_number(r, text, &value);
    return value;
}

/* ---- operators ---- */

static const htp_exported_argument *find_argument(const htp_exported_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (strcmp(node->inputs[i].name, name) == 0) {
            return &node->inputs[i];
        }
    }
    return NULL;
}

/* Adds a node with the arguments of its schema, in order. */
static uint32_t add_by_schema(htp_tape *r, const htp_exported_schema *schema,
                              const htp_exported_node *node)
{
    uint32_t *inputs = HTP_NEW_ARRAY(r->arena, uint32_t, (size_t)schema->count + 1);
    const char **names = HTP_NEW_ARRAY(r->arena, const char *, (size_t)schema->count + 1);
    for (uint32_t i = 0; i < schema->count; i++) {
        const htp_exported_parameter *parameter = &schema->parameters[i];
        const htp_exported_argument *given = find_argument(node, parameter->name);
        names[i] = parameter->name;
        inputs[i] = given                      ? htp_exported_nodes_argument(r, given)
                    : parameter->default_value ? default_value(r, parameter->default_value)
                                               : htp_tape_none(r);
    }
    htp_exported_check_types(r, schema, node, inputs);
    return htp_tape_node(r, schema->kind, inputs, names, schema->count);
}

/* Adds a node with the arguments as given: only custom mappings lower operators without a
 * schema. */
static uint32_t add_as_given(htp_tape *r, const char *kind, const htp_exported_node *node)
{
    uint32_t *inputs = HTP_NEW_ARRAY(r->arena, uint32_t, (size_t)node->input_count + 1);
    const char **names = HTP_NEW_ARRAY(r->arena, const char *, (size_t)node->input_count + 1);
    for (uint32_t i = 0; i < node->input_count; i++) {
        names[i] = node->inputs[i].name;
        inputs[i] = htp_exported_nodes_argument(r, &node->inputs[i]);
    }
    return htp_tape_node(r, kind, inputs, names, node->input_count);
}

/* ---- numbers ---- */

static bool is_number(htp_trace_kind kind)
{
    return kind == HTP_TRACE_INT || kind == HTP_TRACE_BOOL || kind == HTP_TRACE_FLOAT;
}

/* Whether all outputs of a node are numbers that do not depend on inputs: they are constants. */
static bool gives_constants(const htp_tape *r, const htp_exported_node *node)
{
    bool are_all = node->output_count > 0;
    for (uint32_t i = 0; i < node->output_count && are_all; i++) {
        const htp_exported_argument *output = &node->outputs[i];
        const htp_exported_value *value =
            output->kind == HTP_EXPORTED_VALUE ? &r->program->values.items[output->value] : NULL;
        are_all = value && is_number(value->kind) && htp_tape_is_fixed(r, &value->number);
    }
    return are_all;
}

static void bind_constants(htp_tape *r, const htp_exported_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = node->outputs[i].value;
        r->bound[value] = htp_tape_described(r, &r->program->values.items[value], HTP_NONE);
    }
}

/* The kind of a number in overload names. */
static const char *overload_part(htp_trace_kind kind)
{
    return kind == HTP_TRACE_FLOAT ? "float" : kind == HTP_TRACE_BOOL ? "bool" : "int";
}

/* "aten::add.float_int" for a float and an int. */
static const char *find_overload(htp_tape *r, const char *name, const uint32_t *operands,
                                 uint32_t count, const htp_exported_node *node)
{
    htp_trace_kind first = r->values.items[operands[0]].kind;
    htp_trace_kind last = r->values.items[operands[count - 1]].kind;
    bool gives_whole = node->output_count > 0 && node->outputs[0].kind == HTP_EXPORTED_VALUE &&
                       r->program->values.items[node->outputs[0].value].kind == HTP_TRACE_INT;
    if (strcmp(name, "aten::pow") == 0 && gives_whole) {
        return "aten::pow.int_to_int";
    }
    if (count < 2 || first == last) {
        return htp_arena_printf(r->arena, "%s.%s", name, overload_part(first));
    }
    return htp_arena_printf(r->arena, "%s.%s_%s", name, overload_part(first), overload_part(last));
}

static void add_number_node(htp_tape *r, const htp_number_name *row, const htp_exported_node *node)
{
    uint32_t count = node->input_count;
    uint32_t *inputs = HTP_NEW_ARRAY(r->arena, uint32_t, (size_t)count + 1);
    const char **names = HTP_NEW_ARRAY(r->arena, const char *, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = htp_exported_nodes_argument(r, &node->inputs[i]);
        names[i] = node->inputs[i].name;
    }
    const char *kind = row->has_overloads && count > 0
                           ? find_overload(r, row->name, inputs, count, node)
                           : row->name;
    const htp_exported_schema *schema = htp_tape_schema(r, kind);
    if (schema && count != schema->count) {
        htp_tape_fail(r, htp_status_make(HTP_CODE_BAD_INPUT,
                                         "damaged program: %s has %u arguments, not %u; export it "
                                         "again",
                                         node->target, count, schema->count));
        return;
    }
    for (uint32_t i = 0; schema && i < count; i++) {
        names[i] = schema->parameters[i].name;
    }
    if (schema) {
        htp_exported_check_types(r, schema, node, inputs);
    }
    htp_tape_give(r, htp_tape_node(r, kind, inputs, names, count), node);
}

/* ---- one node ---- */

/* Adds an operator of libtorch or of a library. */
static void add_operator(htp_tape *r, const htp_exported_node *node)
{
    const char *kind;
    node = htp_names_translate(r->arena, node, &kind);
    const htp_exported_schema *schema = htp_tape_schema(r, kind);
    uint32_t made = schema ? add_by_schema(r, schema, node) : add_as_given(r, kind, node);
    htp_tape_give(r, made, node);
    if (!schema) {
        return;
    }
    htp_exported_check_sizes(r, schema, node, made);
    if (!htp_training_note(r, node, made)) {
        htp_lying_note(r, schema, node, made);
    }
}

static void add_node(htp_tape *r, const htp_exported_node *node, const htp_exported_place *around)
{
    if (htp_names_is_check(node->target)) {
        return;
    }
    const htp_number_name *row = htp_names_number(node->target);
    if (row && strcmp(row->name, "aten::size.int") == 0) {
        htp_exported_check_size(r, node);
    }
    if (gives_constants(r, node)) {
        bind_constants(r, node);
        return;
    }
    r->place = htp_scopes_place(r, node, around);
    if (row) {
        add_number_node(r, row, node);
    } else if (!htp_control_add(r, node)) {
        add_operator(r, node);
    }
}

/* ---- operators of the program ---- */

static bool holds_tensor(const htp_exported_program *program, const htp_exported_argument *argument)
{
    bool holds = argument->kind == HTP_EXPORTED_VALUE &&
                 program->values.items[argument->value].kind == HTP_TRACE_TENSOR;
    for (uint32_t i = 0; i < argument->count && !holds; i++) {
        holds = holds_tensor(program, &argument->items[i]);
    }
    return holds;
}

const char *htp_exported_node_kind(htp_arena *arena, const htp_exported_program *program,
                                   const htp_exported_node *node, bool *has_tensors)
{
    const htp_number_name *number = htp_names_number(node->target);
    bool is_followed =
        number || htp_names_is_check(node->target) || htp_control_knows(node->target);
    const char *kind;
    (void)htp_names_translate(arena, node, &kind);
    *has_tensors = false;
    for (uint32_t i = 0; i < node->output_count && !is_followed; i++) {
        *has_tensors = *has_tensors || holds_tensor(program, &node->outputs[i]);
    }
    return number ? number->name : kind;
}

/* ---- all nodes ---- */

/* Sizes whose module is unknown belong to their first reader. */
static bool is_deferred(const htp_exported_node *node)
{
    return node->output_count == 1 && node->outputs[0].kind == HTP_EXPORTED_VALUE &&
           !htp_scopes_are_recorded(node) && htp_names_number(node->target);
}

/* Bodies run as often as they are named: the condition of a loop twice. */
static void check_costs(htp_tape *r, const htp_exported_node *node)
{
    const struct {
        htp_limit limit;
        size_t spent;
    } costs[] = {
        {HTP_LIMIT_OPERATORS, r->nodes.count},
        {HTP_LIMIT_VALUES, r->values.count},
    };
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        if (costs[i].spent > htp_limit_value(r->limits, costs[i].limit)) {
            htp_tape_fail(r, htp_status_make(
                                 HTP_CODE_UNSUPPORTED, "with %s, the program has " HTP_LIMIT_FORMAT,
                                 node->target, HTP_LIMIT_ARGUMENTS(r->limits, costs[i].limit)));
        }
    }
}

void htp_exported_nodes_add(htp_tape *r, const htp_exported_graph *graph)
{
    enum { BETWEEN_TICKS = 256 };
    const htp_exported_place around = r->place;
    const htp_exported_graph *outer = r->graph;
    for (uint32_t i = 0; i < graph->node_count && !r->failure; i++) {
        const htp_exported_node *node = &graph->nodes[i];
        r->graph = graph;
        if (is_deferred(node)) {
            r->deferred[node->outputs[0].value] = node;
            continue;
        }
        add_node(r, node, &around);
        r->place = around;
        check_costs(r, node);
        if (r->tick && i % BETWEEN_TICKS == 0 && !r->tick(r->user, i, graph->node_count)) {
            htp_tape_fail(r, htp_status_make(HTP_CODE_INTERRUPTED, "interrupted"));
        }
    }
    r->graph = outer;
}
