#include "base/dtype.h"
#include "graph/graph.h"

#include <inttypes.h>
#include <string.h>

/* A hostile trace may hold lists that contain themselves many times; the output is bounded. */
enum { LIST_DEPTH = 8, LIST_ELEMENTS = 1000, TENSOR_ELEMENTS = 8 };

typedef struct dump {
    const htp_graph *graph;
    htp_text *text;
    uint32_t elements_left; /* for the current value */
} dump;

/* Names are written plain unless they could be mistaken for the dump's syntax. */
static void add_name(htp_text *text, const char *name)
{
    for (const char *at = name; *at; at++) {
        if ((unsigned char)*at <= 0x20 || strchr("\"#%,()[]\\\x7f", *at)) {
            htp_text_add_json(text, name);
            return;
        }
    }
    htp_text_add_utf8(text, name);
}

static void add_tensor_type(dump *d, htp_value_id id)
{
    const htp_value *value = &d->graph->values[id];
    htp_text_addf(d->text, "%s[", htp_dtype_name(value->traced->dtype));
    for (uint32_t axis = 0; axis < value->traced->rank; axis++) {
        const htp_dim *dim = &value->dims[axis];
        htp_text_add(d->text, axis ? ", " : "");
        if (dim->symbol) {
            htp_text_add(d->text, *dim->symbol ? dim->symbol : "?");
        } else {
            htp_text_addf(d->text, "%" PRId64, dim->size);
        }
    }
    htp_text_add(d->text, "]");
}

static bool may_write_list(dump *d, const htp_trace_value *value, unsigned depth)
{
    if (depth >= LIST_DEPTH || value->element_count > d->elements_left) {
        htp_text_add(d->text, "[...]");
        return false;
    }
    d->elements_left -= value->element_count;
    return true;
}

/* "%12 : float32[2, 8]"; a list has the type of its elements. Recursion is bounded by depth. */
static void add_declaration(dump *d, htp_value_id id, unsigned depth)
{
    static const char *const kinds[] = {
        [HTP_TRACE_NOTHING] = "None",  [HTP_TRACE_TENSOR] = "Tensor",
        [HTP_TRACE_INT] = "int",       [HTP_TRACE_FLOAT] = "float",
        [HTP_TRACE_BOOL] = "bool",     [HTP_TRACE_STRING] = "str",
        [HTP_TRACE_LIST] = "list",     [HTP_TRACE_COMPLEX] = "complex",
        [HTP_TRACE_OPAQUE] = "object", [HTP_TRACE_UNKNOWN] = "unknown"};
    const htp_trace_value *value = htp_graph_value(d->graph, id);
    htp_text_addf(d->text, "%%%" PRIu32 " : ", id);
    if (value->kind == HTP_TRACE_TENSOR) {
        add_tensor_type(d, id);
    } else if (value->kind == HTP_TRACE_SEQUENCE) {
        htp_text_add(d->text, "sequence of ");
        add_tensor_type(d, id);
    } else if (value->kind == HTP_TRACE_LIST) {
        if (!may_write_list(d, value, depth)) {
            return;
        }
        htp_text_add(d->text, "[");
        for (uint32_t i = 0; i < value->element_count; i++) {
            htp_text_add(d->text, i ? ", " : "");
            add_declaration(d, value->elements[i], depth + 1);
        }
        htp_text_add(d->text, "]");
    } else {
        htp_text_add(d->text, kinds[value->kind]);
    }
}

static void add_element(htp_text *text, htp_dtype dtype, const void *data, size_t index)
{
    const char *at = (const char *)data + index * htp_dtype_size(dtype);
    union {
        uint8_t u1;
        int32_t i4;
        int64_t i8;
        float f4;
        double f8;
    } x;
    memcpy(&x, at, htp_dtype_size(dtype));
    switch (dtype) {
    case HTP_DTYPE_BOOL:
        htp_text_add(text, x.u1 ? "True" : "False");
        break;
    case HTP_DTYPE_INT32:
        htp_text_addf(text, "%" PRId32, x.i4);
        break;
    case HTP_DTYPE_INT64:
        htp_text_addf(text, "%" PRId64, x.i8);
        break;
    case HTP_DTYPE_FLOAT32:
        htp_text_addf(text, "%.9g", (double)x.f4);
        break;
    default:
        htp_text_add_double(text, x.f8);
        break;
    }
}

static bool can_write_elements(const htp_trace_value *value)
{
    static const bool writable[HTP_DTYPE_COUNT] = {[HTP_DTYPE_BOOL] = true,
                                                   [HTP_DTYPE_INT32] = true,
                                                   [HTP_DTYPE_INT64] = true,
                                                   [HTP_DTYPE_FLOAT32] = true,
                                                   [HTP_DTYPE_FLOAT64] = true};
    return value->data && value->dtype < HTP_DTYPE_COUNT && writable[value->dtype] &&
           value->data_bytes / htp_dtype_size(value->dtype) <= TENSOR_ELEMENTS;
}

/* A constant tensor: "int64[2]{1, 2}"; only the type of larger ones. */
static void add_constant_tensor(dump *d, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(d->graph, id);
    add_tensor_type(d, id);
    if (!can_write_elements(value)) {
        htp_text_add(d->text, "{...}");
        return;
    }
    htp_text_add(d->text, "{");
    for (size_t i = 0; i < value->data_bytes / htp_dtype_size(value->dtype); i++) {
        htp_text_add(d->text, i ? ", " : "");
        add_element(d->text, value->dtype, value->data, i);
    }
    htp_text_add(d->text, "}");
}

static void add_complex(htp_text *text, const void *data)
{
    double parts[2];
    memcpy(parts, data, sizeof(parts));
    htp_text_add(text, "complex(");
    htp_text_add_double(text, parts[0]);
    htp_text_add(text, ", ");
    htp_text_add_double(text, parts[1]);
    htp_text_add(text, ")");
}

static void add_constant(dump *d, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(d->graph, id);
    switch (value->kind) {
    case HTP_TRACE_INT:
        htp_text_addf(d->text, "%" PRId64, value->i[0]);
        break;
    case HTP_TRACE_FLOAT:
        htp_text_add_double(d->text, value->f[0]);
        break;
    case HTP_TRACE_BOOL:
        htp_text_add(d->text, value->i[0] ? "True" : "False");
        break;
    case HTP_TRACE_STRING:
        htp_text_add_json(d->text, value->s ? value->s : "");
        break;
    case HTP_TRACE_COMPLEX:
        add_complex(d->text, value->data);
        break;
    case HTP_TRACE_TENSOR:
        add_constant_tensor(d, id);
        break;
    default:
        htp_text_add(d->text, "None");
        break;
    }
}

/* An argument: a weight's name, a constant, a list of arguments, or the value's id. Recursion is
 * bounded by depth. */
static void add_argument(dump *d, htp_value_id id, unsigned depth)
{
    const htp_trace_value *value = htp_graph_value(d->graph, id);
    bool is_made = value->producer != HTP_NONE;
    if (value->kind == HTP_TRACE_TENSOR && value->weight != HTP_NONE) {
        add_name(d->text, d->graph->trace->weights[value->weight].name);
    } else if (value->kind == HTP_TRACE_LIST && !is_made) {
        if (!may_write_list(d, value, depth)) {
            return;
        }
        htp_text_add(d->text, "[");
        for (uint32_t i = 0; i < value->element_count; i++) {
            htp_text_add(d->text, i ? ", " : "");
            add_argument(d, value->elements[i], depth + 1);
        }
        htp_text_add(d->text, "]");
    } else if (value->kind == HTP_TRACE_OPAQUE) {
        htp_text_add(d->text, "object");
    } else if (value->kind == HTP_TRACE_NOTHING || value->is_constant ||
               (value->kind == HTP_TRACE_TENSOR && value->data && !is_made)) {
        add_constant(d, id);
    } else {
        htp_text_addf(d->text, "%%%" PRIu32, id);
    }
}

static void add_source(dump *d, const char *file, uint32_t line)
{
    if (*file) {
        htp_text_add(d->text, "  source: ");
        add_name(d->text, file);
        htp_text_addf(d->text, ":%" PRIu32, line);
    }
}

/* A scope: a running call of a module. */
static void dump_scope(dump *d, uint32_t index)
{
    const htp_trace_scope *scope = &d->graph->trace->scopes[index];
    const htp_trace_call *site = htp_graph_scope_site(d->graph, index);
    const char *path = htp_graph_scope_path(d->graph, index);
    htp_text_addf(d->text, "# scope %" PRIu32 ": ", index);
    add_name(d->text, *path ? path : ".");
    htp_text_addf(d->text, "  call: %" PRIu32, scope->call);
    if (scope->parent != HTP_NONE) {
        htp_text_addf(d->text, "  caller: %" PRIu32, scope->parent);
    }
    if (site) {
        add_source(d, site->source_file, site->source_line);
    }
    for (uint32_t i = 0; i < scope->passed_count; i++) {
        d->elements_left = LIST_ELEMENTS;
        htp_text_add(d->text, i ? ", " : "  passed: ");
        add_name(d->text, scope->passed[i].name);
        htp_text_add(d->text, " = ");
        add_argument(d, scope->passed[i].value, 0);
    }
    htp_text_add(d->text, "\n");
}

static void dump_node(dump *d, const htp_trace_node *node)
{
    const htp_trace_scope *scope = &d->graph->trace->scopes[node->scope];
    const char *path = d->graph->modules[scope->module].instance->path;
    for (uint32_t i = 0; i < node->output_count; i++) {
        d->elements_left = LIST_ELEMENTS;
        htp_text_add(d->text, i ? ", " : "");
        add_declaration(d, node->outputs[i], 0);
    }
    htp_text_add(d->text, node->output_count ? " = " : "");
    add_name(d->text, node->kind);
    htp_text_add(d->text, "(");
    for (uint32_t i = 0; i < node->input_count; i++) {
        d->elements_left = LIST_ELEMENTS;
        htp_text_add(d->text, i ? ", " : "");
        add_argument(d, node->inputs[i], 0);
    }
    htp_text_add(d->text, ")  # scope: ");
    add_name(d->text, *path ? path : ".");
    htp_text_addf(d->text, "  call: %" PRIu32, scope->call);
    if (node->block != 0) {
        htp_text_addf(d->text, "  block: %" PRIu32, node->block);
    }
    for (uint32_t i = 0; i < node->block_count; i++) {
        htp_text_addf(d->text, "%s%" PRIu32, i ? ", " : "  blocks: ", node->blocks[i]);
    }
    add_source(d, node->source_file, node->source_line);
    if (node->failure) {
        htp_text_add(d->text, "  failure: ");
        htp_text_add_json(d->text, node->failure);
    }
    htp_text_add(d->text, "\n");
}

static void dump_ends(dump *d, const char *label, const htp_value_id *ids, uint32_t count,
                      bool are_inputs)
{
    for (uint32_t i = 0; i < count; i++) {
        d->elements_left = LIST_ELEMENTS;
        htp_text_addf(d->text, "# %s: ", label);
        if (are_inputs) {
            add_declaration(d, ids[i], 0);
        } else {
            add_argument(d, ids[i], 0);
        }
        if (are_inputs && i < d->graph->argument_count) {
            htp_text_add(d->text, "  name: ");
            add_name(d->text, d->graph->arguments[i].name);
        }
        htp_text_add(d->text, "\n");
    }
}

static void dump_states(dump *d)
{
    for (uint32_t i = 0; i < d->graph->state_count; i++) {
        const htp_graph_state *state = &d->graph->states[i];
        d->elements_left = LIST_ELEMENTS;
        htp_text_add(d->text, "# state: ");
        add_declaration(d, state->before, 0);
        htp_text_add(d->text, "  next: ");
        add_argument(d, state->after, 0);
        htp_text_add(d->text, "  name: ");
        add_name(d->text, state->name);
        htp_text_add(d->text, "\n");
    }
}

void htp_graph_dump(const htp_graph *graph, htp_text *text)
{
    const htp_trace *trace = graph->trace;
    dump d = {.graph = graph, .text = text};
    dump_ends(&d, "input", trace->inputs, trace->input_count, true);
    dump_states(&d);
    for (uint32_t i = 0; i < trace->scope_count; i++) {
        dump_scope(&d, i);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->is_live[i]) {
            dump_node(&d, &graph->nodes[i]);
        }
    }
    dump_ends(&d, "output", trace->outputs, trace->output_count, false);
}
