/*
 * Schemas of ONNX's own operators, by opset: schemas.def, which scripts/schema-table makes from the
 * onnx package.
 *
 * A row's texts are words separated by spaces. Inputs and outputs are types: one of `sets`, or #N
 * for set N itself. Suffixes: ? optional, *N variadic with at least N of one type, ~N variadic with
 * different types. `sets` are NAME:N, N the number of a set of types. Attributes are NAME:KIND,
 * with ! if required, or * if any are allowed.
 *
 * Reference: onnx/defs/schema.h.
 */
#ifndef HTP_ONNX_SCHEMA_H
#define HTP_ONNX_SCHEMA_H

#include "onnx/reader/view.h"

/** The kind of a type: a tensor, or a container. */
typedef enum htp_container {
    HTP_CONTAINER_NONE,
    HTP_CONTAINER_SEQUENCE,
    HTP_CONTAINER_OPTIONAL,
    HTP_CONTAINER_OPTIONAL_SEQUENCE,
    HTP_CONTAINER_COUNT,
} htp_container;

/** A set of types: by container, bit N of TensorProto.DataType N. */
typedef struct htp_type_set {
    uint32_t of[HTP_CONTAINER_COUNT];
} htp_type_set;

typedef enum htp_schema_option {
    HTP_SCHEMA_SINGLE,
    HTP_SCHEMA_OPTIONAL,
    HTP_SCHEMA_VARIADIC, /* the last one */
} htp_schema_option;

/** An input or output. */
typedef struct htp_schema_parameter {
    htp_schema_option option;
    bool may_differ; /* members of a variadic one may differ in type */
    uint32_t least;  /* least number of members of a variadic one */
    uint32_t type;   /* index among the schema's types */
} htp_schema_parameter;

/** A type that parameters of one name share. */
typedef struct htp_schema_type {
    const char *name; /* "T"; NULL: used by one parameter only */
    const htp_type_set *allowed;
} htp_schema_type;

typedef struct htp_schema_attribute {
    const char *name;
    htp_view_kind kind;
    bool is_required;
} htp_schema_attribute;

/** An operator from one opset on. */
typedef struct htp_schema {
    const char *op_type;
    int64_t since;
    bool is_deprecated;       /* the operator was removed */
    bool takes_any_attribute; /* besides its own */
    HTP_VECTOR(htp_schema_parameter) inputs;
    HTP_VECTOR(htp_schema_parameter) outputs;
    HTP_VECTOR(htp_schema_type) types;
    HTP_VECTOR(htp_schema_attribute) attributes;
} htp_schema;

/** The opsets with known schemas. */
enum { HTP_SCHEMA_FIRST_OPSET = 1, HTP_SCHEMA_LAST_OPSET = 28 };

/** A cache of schemas, in an arena. */
typedef struct htp_schemas htp_schemas;

htp_schemas *htp_schemas_new(htp_arena *arena);

/** The schema of an operator at an opset, in constant time. @return NULL if the opset lacks it */
const htp_schema *htp_schemas_find(htp_schemas *schemas, const char *op_type, int64_t opset);

/** The opset that introduced an operator; 0 if there is none. */
int64_t htp_schemas_first_opset(const htp_schemas *schemas, const char *op_type);

/** The attribute of a name, or NULL. */
const htp_schema_attribute *htp_schema_find_attribute(const htp_schema *schema, const char *name);

/** The parameter of operand @p index; NULL after the last one.
 * @param parameters, count  a schema's inputs or outputs. */
const htp_schema_parameter *htp_schema_parameter_at(const htp_schema_parameter *parameters,
                                                    size_t count, uint32_t index);

#endif
