#include "exported/document/document_values.h"

#include "base/dtype.h"

#include <math.h>
#include <string.h>

static const double LARGEST_HINT = 0x1p53; /* integers up to here are doubles */

/* ---- numbers of enumerations ---- */

/* libtorch's scalar type by the file's number; HTP_NONE: none. */
static int64_t scalar_type_of(int64_t number)
{
    static const struct {
        int64_t in_file, in_libtorch;
    } later[] = {{13, 15}, {28, 27}, {29, 24}, {30, 23}, {31, 26},
                 {32, 25}, {33, 44}, {34, 28}, {35, 29}};
    enum { FIRST_ONES = 12 }; /* they have libtorch's order */
    if (number >= 1 && number <= FIRST_ONES) {
        return number - 1;
    }
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
        if (later[i].in_file == number) {
            return later[i].in_libtorch;
        }
    }
    return HTP_NONE;
}

htp_dtype htp_document_dtype(htp_document *d, const htp_json_node *node)
{
    htp_dtype dtype;
    int64_t number = scalar_type_of(htp_document_integer(d, node));
    return htp_dtype_from_scalar_type(number, &dtype) ? dtype : HTP_DTYPE_OTHER;
}

static int64_t choose(htp_document *d, const htp_json_node *node, const int64_t *numbers,
                      size_t count)
{
    int64_t number = htp_document_integer(d, node);
    if (number < 0 || (uint64_t)number >= count) {
        htp_document_fail(d, "a number stands for nothing that is known");
        return 0;
    }
    return numbers[number];
}

/* ---- formulas ---- */

static double hint_of(htp_document *d, const htp_json_node *hint)
{
    const htp_json_node *which = htp_document_union(d, hint);
    if (!which) {
        return 0;
    }
    return htp_json_node_is(which, "as_bool") ? htp_document_truth(d, which + 1)
                                              : htp_document_real(d, which + 1);
}

static uint32_t expression_of(htp_document *d, const htp_json_node *node)
{
    htp_exported_program *program = d->program;
    const char *text = htp_document_text(d, htp_document_member(d, node, "expr_str"));
    const htp_json_node *hint = htp_document_optional(node, "hint");
    uint32_t index = (uint32_t)program->expressions.count;
    const void **place = htp_map_add_bytes(d->arena, &d->expressions, text, strlen(text), &index);
    if (place) {
        *place = text;
        HTP_PUSH(d->arena, &program->expressions,
                 (htp_exported_expression){.text = text, .has_hint = hint != NULL});
        if (hint) {
            double number = hint_of(d, hint);
            program->expressions.items[index].hint = number;
            program->expressions.items[index].has_hint = fabs(number) <= LARGEST_HINT;
        }
    }
    return index;
}

htp_exported_size htp_document_size(htp_document *d, const htp_json_node *node)
{
    htp_exported_size size = {.expression = HTP_NONE};
    const htp_json_node *which = htp_document_union(d, node);
    if (!which) {
        return size;
    }
    if (htp_json_node_is(which, "as_expr")) {
        size.expression = expression_of(d, which + 1);
    } else if (htp_json_node_is(which, "as_float")) {
        size.real = htp_document_real(d, which + 1);
    } else if (htp_json_node_is(which, "as_bool")) {
        size.number = htp_document_truth(d, which + 1);
    } else {
        size.number = htp_document_integer(d, which + 1);
    }
    return size;
}

const htp_exported_size *htp_document_sizes(htp_document *d, const htp_json_node *node,
                                            uint32_t *count)
{
    const htp_json_node *item = htp_document_list(d, node, count);
    htp_exported_size *sizes = HTP_NEW_ARRAY(d->arena, htp_exported_size, (size_t)*count + 1);
    for (uint32_t i = 0; i < *count; i++, item = htp_json_end_of(item)) {
        sizes[i] = htp_document_size(d, item);
    }
    return sizes;
}

/* ---- values ---- */

/* The type of a device; NULL for the CPU. */
static const char *device_of(htp_document *d, const htp_json_node *node)
{
    const char *type = htp_document_text(d, htp_document_member(d, node, "type"));
    return strcmp(type, "cpu") == 0 ? NULL : type;
}

htp_exported_value htp_document_tensor(htp_document *d, const htp_json_node *meta)
{
    enum { STRIDED = 7 };
    htp_exported_value value = {.kind = HTP_TRACE_TENSOR, .name = ""};
    value.dtype = htp_document_dtype(d, htp_document_member(d, meta, "dtype"));
    value.sizes = htp_document_sizes(d, htp_document_member(d, meta, "sizes"), &value.rank);
    uint32_t stride_count = 0;
    const htp_json_node *strides = htp_document_optional(meta, "strides");
    value.strides = strides ? htp_document_sizes(d, strides, &stride_count) : NULL;
    value.strides = stride_count == value.rank ? value.strides : NULL;
    value.device = device_of(d, htp_document_member(d, meta, "device"));
    value.is_dense = htp_document_integer(d, htp_document_member(d, meta, "layout")) == STRIDED;
    if (value.rank > HTP_MAX_RANK) {
        htp_document_fail(d, "a tensor has more than %u dims", HTP_MAX_RANK);
        value.rank = 0;
    }
    for (uint32_t i = 0; i < value.rank; i++) {
        if (value.sizes[i].expression == HTP_NONE && value.sizes[i].number < 0) {
            htp_document_fail(d, "a tensor has a size of %lld", (long long)value.sizes[i].number);
        }
    }
    return value;
}

static htp_exported_value describe(htp_document *d, const htp_json_node *node, htp_trace_kind kind)
{
    if (kind == HTP_TRACE_TENSOR) {
        return htp_document_tensor(d, node);
    }
    htp_exported_value value = {.kind = kind, .number = {.expression = HTP_NONE}};
    if (kind != HTP_TRACE_OPAQUE) {
        value.number = htp_document_size(d, node);
    }
    return value;
}

static void add_value(htp_document *d, const char *name, htp_exported_value value)
{
    uint32_t index = (uint32_t)d->program->values.count;
    const void **place = htp_map_add_bytes(d->scratch, &d->names, name, strlen(name), &index);
    if (!place) {
        htp_document_fail(d, "value %s is there twice", name);
        return;
    }
    *place = name;
    value.name = name;
    HTP_PUSH(d->arena, &d->program->values, value);
}

void htp_document_values(htp_document *d, const htp_json_node *graph)
{
    static const struct {
        const char *name;
        htp_trace_kind kind;
    } tables[] = {{"tensor_values", HTP_TRACE_TENSOR},
                  {"sym_int_values", HTP_TRACE_INT},
                  {"sym_bool_values", HTP_TRACE_BOOL},
                  {"sym_float_values", HTP_TRACE_FLOAT},
                  {"custom_obj_values", HTP_TRACE_OPAQUE}};
    d->names = (htp_map){.slots = NULL};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        const htp_json_node *table = htp_document_optional(graph, tables[i].name);
        uint32_t count = 0;
        const htp_json_node *key = table ? htp_document_object(d, table, &count) : NULL;
        HTP_EXPECT(d->arena, &d->program->values, count);
        for (uint32_t k = 0; k < count; k++, key = htp_json_end_of(key + 1)) {
            d->where = htp_document_text(d, key);
            add_value(d, d->where, describe(d, key + 1, tables[i].kind));
        }
    }
    d->where = NULL;
}

/* ---- arguments ---- */

/* A value by its name. */
static htp_exported_argument value_of(htp_document *d, const htp_json_node *name)
{
    const char *text = htp_document_text(d, name);
    htp_exported_argument argument = {.kind = HTP_EXPORTED_VALUE, .name = "", .s = text};
    if (!htp_map_get(&d->names, text, &argument.value)) {
        htp_document_fail(d, "value %s is not described", text);
        argument.value = 0;
    }
    return argument;
}

htp_exported_argument htp_document_named(htp_document *d, const htp_json_node *node)
{
    return value_of(d, htp_document_member(d, node, "name"));
}

static htp_exported_argument none_of(htp_document *d, const htp_json_node *node)
{
    (void)d, (void)node;
    return (htp_exported_argument){.kind = HTP_EXPORTED_NONE};
}

static htp_exported_argument integer_of(htp_document *d, const htp_json_node *node)
{
    return (htp_exported_argument){.kind = HTP_EXPORTED_INT, .i = htp_document_integer(d, node)};
}

static htp_exported_argument real_of(htp_document *d, const htp_json_node *node)
{
    return (htp_exported_argument){.kind = HTP_EXPORTED_FLOAT, .f = htp_document_real(d, node)};
}

static htp_exported_argument truth_of(htp_document *d, const htp_json_node *node)
{
    return (htp_exported_argument){.kind = HTP_EXPORTED_BOOL, .i = htp_document_truth(d, node)};
}

static htp_exported_argument text_of(htp_document *d, const htp_json_node *node)
{
    return (htp_exported_argument){.kind = HTP_EXPORTED_STRING, .s = htp_document_text(d, node)};
}

static htp_exported_argument complex_of(htp_document *d, const htp_json_node *node)
{
    return (htp_exported_argument){.kind = HTP_EXPORTED_COMPLEX,
                                   .f = htp_document_real(d, htp_document_member(d, node, "real")),
                                   .imaginary =
                                       htp_document_real(d, htp_document_member(d, node, "imag"))};
}

static htp_exported_argument dtype_of(htp_document *d, const htp_json_node *node)
{
    return (htp_exported_argument){.kind = HTP_EXPORTED_INT,
                                   .i = scalar_type_of(htp_document_integer(d, node))};
}

static htp_exported_argument memory_format_of(htp_document *d, const htp_json_node *node)
{
    static const int64_t formats[] = {0, 0, 2, 3, 1};
    return (htp_exported_argument){
        .kind = HTP_EXPORTED_INT,
        .i = choose(d, node, formats, sizeof(formats) / sizeof(formats[0]))};
}

static htp_exported_argument layout_of(htp_document *d, const htp_json_node *node)
{
    static const int64_t layouts[] = {0, 1, 2, 4, 5, 6, 3, 0};
    return (htp_exported_argument){
        .kind = HTP_EXPORTED_INT,
        .i = choose(d, node, layouts, sizeof(layouts) / sizeof(layouts[0]))};
}

static htp_exported_argument device_argument(htp_document *d, const htp_json_node *node)
{
    return (htp_exported_argument){.kind = HTP_EXPORTED_DEVICE,
                                   .s = htp_document_text(d, htp_document_member(d, node, "type"))};
}

/* The graph is read later, since graphs nest. */
static htp_exported_argument graph_of(htp_document *d, const htp_json_node *node)
{
    uint32_t graph = (uint32_t)d->program->graphs.count;
    HTP_PUSH(d->arena, &d->program->graphs, (htp_exported_graph){.inputs = NULL});
    HTP_PUSH(d->scratch, &d->graphs,
             (htp_document_graph){htp_document_member(d, node, "graph"), graph});
    return (htp_exported_argument){.kind = HTP_EXPORTED_GRAPH,
                                   .graph = graph,
                                   .s = htp_document_text(d, htp_document_member(d, node, "name"))};
}

/* A union inside an argument's: a name, or a number. */
static htp_exported_argument inner_of(htp_document *d, const htp_json_node *node);

/* Kinds of arguments: their reader, and the depth of lists around it. */
static const struct kind_row {
    const char *name;
    htp_exported_argument (*read)(htp_document *d, const htp_json_node *node);
    uint32_t lists;
} kinds[] = {
    {"as_none", none_of, 0},
    {"as_tensor", htp_document_named, 0},
    {"as_tensors", htp_document_named, 1},
    {"as_nested_tensors", htp_document_named, 2},
    {"as_optional_tensor", inner_of, 0},
    {"as_optional_tensors", inner_of, 1},
    {"as_int", integer_of, 0},
    {"as_ints", integer_of, 1},
    {"as_int_lists", integer_of, 2},
    {"as_float", real_of, 0},
    {"as_floats", real_of, 1},
    {"as_float_lists", real_of, 2},
    {"as_bool", truth_of, 0},
    {"as_bools", truth_of, 1},
    {"as_string", text_of, 0},
    {"as_strings", text_of, 1},
    {"as_complex", complex_of, 0},
    {"as_sym_int", inner_of, 0},
    {"as_sym_ints", inner_of, 1},
    {"as_sym_bool", inner_of, 0},
    {"as_sym_bools", inner_of, 1},
    {"as_sym_float", inner_of, 0},
    {"as_sym_floats", inner_of, 1},
    {"as_scalar_type", dtype_of, 0},
    {"as_memory_format", memory_format_of, 0},
    {"as_layout", layout_of, 0},
    {"as_device", device_argument, 0},
    {"as_graph", graph_of, 0},
};

static htp_exported_argument inner_of(htp_document *d, const htp_json_node *node)
{
    static const struct kind_row inner[] = {
        {"as_name", value_of, 0}, {"as_int", integer_of, 0}, {"as_float", real_of, 0},
        {"as_bool", truth_of, 0}, {"as_none", none_of, 0},   {"as_tensor", htp_document_named, 0},
    };
    const htp_json_node *which = htp_document_union(d, node);
    const struct kind_row *row = HTP_DOCUMENT_ROW(which, inner);
    if (row) {
        return row->read(d, which + 1);
    }
    htp_document_fail(d, "a value or a number is missing");
    return (htp_exported_argument){.kind = HTP_EXPORTED_NONE};
}

/* A value of a kind, inside lists of that depth. */
static htp_exported_argument read_in_lists(htp_document *d, const struct kind_row *row,
                                           uint32_t lists, const htp_json_node *node)
{
    if (lists == 0) {
        return row->read(d, node);
    }
    htp_exported_argument list = {.kind = HTP_EXPORTED_LIST, .name = ""};
    const htp_json_node *item = htp_document_list(d, node, &list.count);
    htp_exported_argument *items =
        HTP_NEW_ARRAY(d->arena, htp_exported_argument, (size_t)list.count + 1);
    for (uint32_t i = 0; i < list.count; i++, item = htp_json_end_of(item)) {
        items[i] = read_in_lists(d, row, lists - 1, item);
        items[i].name = "";
    }
    list.items = items;
    return list;
}

htp_exported_argument htp_document_argument(htp_document *d, const htp_json_node *node)
{
    htp_exported_argument argument = {.kind = HTP_EXPORTED_OTHER};
    const htp_json_node *which = htp_document_union(d, node);
    const struct kind_row *row = HTP_DOCUMENT_ROW(which, kinds);
    if (row) {
        argument = read_in_lists(d, row, row->lists, which + 1);
    } else if (which) {
        argument.s = htp_document_text(d, which);
    }
    argument.name = "";
    return argument;
}

const htp_exported_argument *htp_document_arguments(htp_document *d, const htp_json_node *node,
                                                    uint32_t *count)
{
    const htp_json_node *item = htp_document_list(d, node, count);
    htp_exported_argument *arguments =
        HTP_NEW_ARRAY(d->arena, htp_exported_argument, (size_t)*count + 1);
    for (uint32_t i = 0; i < *count; i++, item = htp_json_end_of(item)) {
        arguments[i] = htp_document_argument(d, item);
    }
    return arguments;
}
