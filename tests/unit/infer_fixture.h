/*
 * Nodes whose types are inferred, and these as text.
 */
#ifndef HTP_TESTS_INFER_FIXTURE_H
#define HTP_TESTS_INFER_FIXTURE_H

#include "onnx_fixture.h"

#include "base/dtype.h"
#include "base/text.h"
#include "onnx/shape_inference/infer.h"

#include <inttypes.h>
#include <string.h>

static onnx_fixture f;

#define IN(...)                                                                                    \
    (const htp_tensor_id[]){__VA_ARGS__},                                                          \
        sizeof((const htp_tensor_id[]){__VA_ARGS__}) / sizeof(htp_tensor_id)
#define AT(...)                                                                                    \
    (const htp_attribute[]){__VA_ARGS__},                                                          \
        sizeof((const htp_attribute[]){__VA_ARGS__}) / sizeof(htp_attribute)
#define NO_AT NULL, 0
#define INTS(name, ...)                                                                            \
    htp_attribute_ints(name, (const int64_t[]){__VA_ARGS__},                                       \
                       sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define INT(name, value) htp_attribute_int(name, value)

/* The most outputs of a node here. */
enum { OUTPUTS = 3 };

/* ---- building ---- */

/* An input of the model. @p shape is as in a type's text: "batch, 8", or "". */
static inline htp_tensor_id input_of(htp_dtype dtype, const char *shape)
{
    htp_dim dims[8] = {{0}};
    uint32_t rank = 0;
    char *rest = htp_arena_strdup(f.arena, shape);
    for (char *part = strtok_r(rest, ", ", &rest); part; part = strtok_r(NULL, ", ", &rest)) {
        bool is_number = *part >= '0' && *part <= '9';
        dims[rank].size = is_number ? strtoll(part, NULL, 10) : 3;
        dims[rank++].symbol = is_number ? NULL : part;
    }
    return htp_draft_add_input(f.model, "x", dtype, rank, dims);
}

static inline htp_tensor_id floats(const char *shape)
{
    return input_of(HTP_DTYPE_FLOAT32, shape);
}

static inline htp_tensor_id ints(const char *shape)
{
    return input_of(HTP_DTYPE_INT64, shape);
}

static inline htp_tensor_id vector(const int64_t *values, size_t count)
{
    const int64_t dims[] = {(int64_t)count};
    return htp_draft_constant(f.model, HTP_DTYPE_INT64, 1, dims, values);
}

#define VECTOR(...)                                                                                \
    vector((const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static inline htp_tensor_id scalar(int64_t value)
{
    return htp_draft_constant(f.model, HTP_DTYPE_INT64, 0, NULL, &value);
}

static htp_tensor_id outputs[OUTPUTS];

static inline htp_tensor_id add_many(const char *op, const htp_tensor_id *inputs,
                                     size_t input_count, const htp_attribute *attributes,
                                     size_t attribute_count, size_t output_count)
{
    htp_draft_add_node(f.model, op, inputs, input_count, attributes, attribute_count, outputs,
                       output_count);
    return outputs[0];
}

static inline htp_tensor_id add(const char *op, const htp_tensor_id *inputs, size_t input_count,
                                const htp_attribute *attributes, size_t attribute_count)
{
    return add_many(op, inputs, input_count, attributes, attribute_count, 1);
}

/* ---- looking ---- */

/* "float32[batch, 8]", or "none"; a dim that could not be told is "?". */
static const char *type_of(htp_tensor_id id)
{
    htp_draft_infer_types(f.model);
    const htp_tensor *tensor = &f.model->tensors.items[id];
    if (!tensor->has_type) {
        return "none";
    }
    htp_text text = {.arena = f.arena};
    htp_text_addf(&text, "%s[", htp_dtype_name(tensor->dtype));
    for (uint32_t i = 0; i < tensor->rank; i++) {
        htp_text_add(&text, i > 0 ? ", " : "");
        const char *symbol = tensor->dims[i].symbol;
        if (symbol) {
            htp_text_add(&text, *symbol ? symbol : "?");
        } else {
            htp_text_addf(&text, "%" PRId64, tensor->dims[i].size);
        }
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

static inline void check_type(int line, const char *type, const char *expected)
{
    if (strcmp(type, expected) != 0) {
        ck_abort_msg("line %d: %s, not %s", line, type, expected);
    }
}

#define CHECK_TYPE(id, expected) check_type(__LINE__, type_of(id), expected)

/* The contents of @p shape, as what a tensor is reshaped to. */
#define CHECK_CONTENTS(shape, expected)                                                            \
    CHECK_TYPE(add("Reshape", IN(floats("other, 24"), shape), NO_AT), expected)

#endif
