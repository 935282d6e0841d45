/*
 * Types of operands by schemas. Output types follow from input types, so most types are known even
 * if the model declares none.
 */
#include "query/validate/validate_onnx.h"

#include "onnx/proto/tensor_type.h"
#include "onnx/reader/inner_first.h"
#include "onnx/reader/value_type.h"

#include <inttypes.h>
#include <string.h>

/* A container and a TensorProto.DataType; 0: not known. */
typedef uint8_t type_id;

enum { DATA_TYPES = 32 };

static const char *const containers[HTP_CONTAINER_COUNT] = {
    [HTP_CONTAINER_NONE] = "",
    [HTP_CONTAINER_SEQUENCE] = "sequence of ",
    [HTP_CONTAINER_OPTIONAL] = "optional ",
    [HTP_CONTAINER_OPTIONAL_SEQUENCE] = "optional sequence of ",
};

struct typing {
    htp_validator *v;
    type_id *types; /* by value */
};

static type_id type_of(htp_container container, int64_t data_type)
{
    bool is_known = data_type > 0 && data_type < DATA_TYPES;
    return is_known ? (type_id)(container * DATA_TYPES + (type_id)data_type) : 0;
}

static const char *call_type(htp_arena *arena, type_id type)
{
    return htp_arena_printf(arena, "%s%s", containers[type / DATA_TYPES],
                            htp_tensor_type_name(type % DATA_TYPES));
}

static bool is_in(const htp_type_set *set, type_id type)
{
    return set->of[type / DATA_TYPES] >> (type % DATA_TYPES) & 1;
}

/* The only type of a set; 0: it has several. */
static type_id only_one(const htp_type_set *set)
{
    type_id found = 0;
    for (unsigned i = 0; i < HTP_CONTAINER_COUNT * DATA_TYPES; i++) {
        if (is_in(set, (type_id)i)) {
            if (found) {
                return 0;
            }
            found = (type_id)i;
        }
    }
    return found;
}

/* ---- declared types ---- */

static type_id of_value_type(const htp_value_type *declared)
{
    for (unsigned c = 0; declared->is_known && c < HTP_CONTAINER_COUNT; c++) {
        if (strcmp(containers[c], declared->container) == 0) {
            return type_of((htp_container)c, declared->data_type);
        }
    }
    return 0;
}

static type_id find_declared(const struct typing *t, uint32_t value)
{
    const htp_view *view = t->v->view;
    uint32_t tensor = view->values.items[value].initializer;
    bool is_sparse = tensor != HTP_NONE && view->tensors.items[tensor].sparse.at;
    htp_value_type declared = htp_value_type_find(t->v->arena, view, value);
    return is_sparse ? 0 : of_value_type(&declared);
}

/* ---- types by attributes ---- */

/* Operators whose output type is an attribute; the type without it. */
static const struct typed_row {
    const char *op_type;
    const char *attribute;
    uint8_t otherwise; /* type without the attribute; 0: it depends */
} typed_rows[] = {
    {"Bernoulli", "dtype", 0},
    {"BitCast", "to", 0},
    {"BlackmanWindow", "output_datatype", 1},
    {"Cast", "to", 0},
    {"EyeLike", "dtype", 0},
    {"HammingWindow", "output_datatype", 1},
    {"HannWindow", "output_datatype", 1},
    {"MelWeightMatrix", "output_datatype", 1},
    {"Multinomial", "dtype", 6},
    {"RandomNormal", "dtype", 1},
    {"RandomNormalLike", "dtype", 0},
    {"RandomUniform", "dtype", 1},
    {"RandomUniformLike", "dtype", 0},
};

/* The type of a constant, by the attribute that holds it. */
static type_id type_of_constant(const htp_view *view, const htp_view_attribute *attribute)
{
    static const struct {
        const char *name;
        uint8_t data_type;
    } names[] = {{"value_int", 7},    {"value_ints", 7},   {"value_float", 1},
                 {"value_floats", 1}, {"value_string", 8}, {"value_strings", 8}};
    const char *name = htp_view_text(view, attribute->name);
    if (strcmp(name, "value") == 0 && attribute->kind == HTP_VIEW_TENSOR &&
        attribute->tensors.count == 1) {
        return type_of(HTP_CONTAINER_NONE, view->tensors.items[attribute->tensors.first].data_type);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i].name) == 0) {
            return type_of(HTP_CONTAINER_NONE, names[i].data_type);
        }
    }
    return 0;
}

static type_id find_constant(const htp_view *view, uint32_t node)
{
    htp_view_range range = view->nodes.items[node].attributes;
    type_id found = 0;
    for (uint32_t i = 0; i < range.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[range.first + i];
        type_id type = attribute->reference ? 0 : type_of_constant(view, attribute);
        found = type ? type : found;
    }
    return found;
}

/* The type of a node's first output, if attributes give it. */
static type_id find_by_attribute(const htp_view *view, uint32_t node)
{
    const char *op_type = htp_view_text(view, view->nodes.items[node].op_type);
    if (strcmp(op_type, "Constant") == 0) {
        return find_constant(view, node);
    }
    if (strcmp(op_type, "ConstantOfShape") == 0) {
        type_id given = find_constant(view, node);
        bool is_plain = view->nodes.items[node].attributes.count == 0;
        return given || !is_plain ? given : type_of(HTP_CONTAINER_NONE, 1);
    }
    for (size_t i = 0; i < sizeof(typed_rows) / sizeof(typed_rows[0]); i++) {
        const struct typed_row *row = &typed_rows[i];
        if (strcmp(row->op_type, op_type) == 0) {
            const htp_view_attribute *attribute =
                htp_view_find_attribute(view, node, htp_view_find_name(view, row->attribute));
            bool is_given = attribute && !attribute->reference;
            return type_of(HTP_CONTAINER_NONE, is_given     ? attribute->i
                                               : !attribute ? row->otherwise
                                                            : 0);
        }
    }
    return 0;
}

/* Checks attributes that must be a type, and constants without a value. */
static void check_type_attributes(struct typing *t, uint32_t node)
{
    const htp_view *view = t->v->view;
    const htp_schema *schema = t->v->schema[node];
    htp_view_range range = view->nodes.items[node].attributes;
    for (size_t i = 0; i < sizeof(typed_rows) / sizeof(typed_rows[0]); i++) {
        const htp_view_attribute *attribute =
            strcmp(typed_rows[i].op_type, schema->op_type) == 0
                ? htp_view_find_attribute(view, node,
                                          htp_view_find_name(view, typed_rows[i].attribute))
                : NULL;
        if (attribute && !attribute->reference && attribute->kind == HTP_VIEW_INT &&
            !type_of(HTP_CONTAINER_NONE, attribute->i)) {
            htp_validate_node(t->v, node, "%s is %" PRId64 ", which is no type",
                              typed_rows[i].attribute, attribute->i);
        }
    }
    uint32_t values = 0; /* tools may add attributes of their own */
    for (uint32_t i = 0; i < range.count; i++) {
        const char *name = htp_view_text(view, view->attributes.items[range.first + i].name);
        values += htp_schema_find_attribute(schema, name) != NULL;
    }
    if (strcmp(schema->op_type, "Constant") == 0 && values != 1) {
        htp_validate_node(t->v, node, "it has %" PRIu32 " values", values);
    }
}

/* ---- nodes ---- */

/* Types bound to a schema's type variables, and the operand that bound each. */
struct binding {
    type_id type;
    uint32_t value;
};

static void check_input(struct typing *t, uint32_t node, uint32_t index, struct binding *bound)
{
    const htp_view *view = t->v->view;
    const htp_schema *schema = t->v->schema[node];
    uint32_t value = view->operands.items[view->nodes.items[node].inputs.first + index];
    const htp_schema_parameter *parameter =
        htp_schema_parameter_at(schema->inputs.items, schema->inputs.count, index);
    if (value == HTP_NONE || !t->types[value] || !parameter) {
        return;
    }
    const htp_schema_type *type = &schema->types.items[parameter->type];
    const char *name = htp_view_text(view, view->values.items[value].name);
    struct binding *known = &bound[parameter->type];
    const char *spelled = call_type(t->v->arena, t->types[value]);
    if (!is_in(type->allowed, t->types[value])) {
        htp_validate_node(t->v, node,
                          "input %" PRIu32 ", '%s', is %s, which the operator does not take there "
                          "(as it is since opset %" PRId64 ")",
                          index, name, spelled, schema->since);
    } else if (known->type && known->type != t->types[value] && !parameter->may_differ) {
        htp_validate_node(t->v, node, "'%s' is %s, and '%s' is %s: they must be of one type",
                          htp_view_text(view, view->values.items[known->value].name),
                          call_type(t->v->arena, known->type), name, spelled);
    }
    if (!known->type && !parameter->may_differ) {
        *known = (struct binding){t->types[value], value};
    }
}

/* The type of a node's output by its schema; 0: undetermined. */
static type_id find_given(struct typing *t, uint32_t node, uint32_t index,
                          const struct binding *bound)
{
    const htp_schema *schema = t->v->schema[node];
    const htp_schema_parameter *parameter =
        htp_schema_parameter_at(schema->outputs.items, schema->outputs.count, index);
    type_id given = index == 0 ? find_by_attribute(t->v->view, node) : 0;
    if (given || !parameter || parameter->may_differ) {
        return given;
    }
    const htp_schema_type *type = &schema->types.items[parameter->type];
    return type->name && bound[parameter->type].type ? bound[parameter->type].type
                                                     : only_one(type->allowed);
}

static void check_output(struct typing *t, uint32_t node, uint32_t index,
                         const struct binding *bound)
{
    const htp_view *view = t->v->view;
    const htp_schema *schema = t->v->schema[node];
    uint32_t value = view->operands.items[view->nodes.items[node].outputs.first + index];
    const htp_schema_parameter *parameter =
        htp_schema_parameter_at(schema->outputs.items, schema->outputs.count, index);
    if (value == HTP_NONE || !parameter) {
        return;
    }
    type_id declared = t->types[value];
    type_id given = find_given(t, node, index, bound);
    const htp_type_set *allowed = schema->types.items[parameter->type].allowed;
    const char *name = htp_view_text(view, view->values.items[value].name);
    type_id type = given ? given : declared;
    if (given && declared && given != declared) {
        htp_validate_node(t->v, node, "'%s' is declared as %s, and it makes %s", name,
                          call_type(t->v->arena, declared), call_type(t->v->arena, given));
    } else if (type && !is_in(allowed, type)) {
        htp_validate_node(t->v, node,
                          "'%s' is %s, which the operator does not give (as it is since opset "
                          "%" PRId64 ")",
                          name, call_type(t->v->arena, type), schema->since);
    }
    t->types[value] = declared ? declared : given;
}

static void follow(struct typing *t, uint32_t node)
{
    const htp_view_node *followed = &t->v->view->nodes.items[node];
    const htp_schema *schema = t->v->schema[node];
    struct binding *bound = HTP_NEW_ARRAY(t->v->arena, struct binding, schema->types.count);
    check_type_attributes(t, node);
    for (uint32_t i = 0; i < followed->inputs.count; i++) {
        check_input(t, node, i, bound);
    }
    for (uint32_t i = 0; i < followed->outputs.count; i++) {
        check_output(t, node, i, bound);
    }
}

/* Inputs whose default value, an initializer, has another type. */
static void check_defaults(struct typing *t)
{
    const htp_view *view = t->v->view;
    for (uint32_t i = 0; i < view->values.count; i++) {
        const htp_view_value *value = &view->values.items[i];
        if (value->initializer == HTP_NONE || !t->types[i]) {
            continue;
        }
        type_id type =
            type_of(HTP_CONTAINER_NONE, view->tensors.items[value->initializer].data_type);
        if (type && type != t->types[i]) {
            htp_finding_add(t->v->findings, "initializer '%s' is %s, and is declared as %s",
                            htp_view_text(view, value->name), call_type(t->v->arena, type),
                            call_type(t->v->arena, t->types[i]));
        }
    }
}

void htp_validate_types(htp_validator *v)
{
    const htp_view *view = v->view;
    struct typing t = {.v = v, .types = HTP_NEW_ARRAY(v->arena, type_id, view->values.count)};
    for (uint32_t i = 0; i < view->values.count; i++) {
        t.types[i] = find_declared(&t, i);
    }
    check_defaults(&t);
    const htp_view_order order = htp_view_inner_first(v->arena, view);
    for (size_t i = 0; i < order.count; i++) {
        if (v->schema[order.nodes[i]]) {
            follow(&t, order.nodes[i]);
        }
    }
}
