/*
 * Schemas of libtorch's operators: arguments in order, and defaults of omitted ones. Private to
 * core/exported.
 */
#ifndef HTP_EXPORTED_SCHEMAS_H
#define HTP_EXPORTED_SCHEMAS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An argument. */
typedef struct htp_exported_parameter {
    const char *name;
    const char *type;          /**< "Tensor?", "SymInt[]", without alias annotations */
    const char *default_value; /**< as in the schema: "None", "[1, 1]", "\"mean\""; or NULL */
    bool is_changed;           /**< in place */
} htp_exported_parameter;

/** An operator. */
typedef struct htp_exported_schema {
    const char *kind;
    const htp_exported_parameter *parameters;
    uint32_t count;
    const char *const *returns; /**< types of the outputs, without alias annotations */
    uint32_t return_count;
    bool is_view; /**< the output may share memory with the first argument, which is not changed */
} htp_exported_schema;

/** The schema of an operator, "aten::add.Tensor"; NULL: it is not in the table. */
const htp_exported_schema *htp_exported_schema_find(htp_arena *arena, const char *kind);

/** The number of schemas, and the text of one; for tests. */
size_t htp_exported_schema_count(void);
const char *htp_exported_schema_text(size_t index);

#endif
