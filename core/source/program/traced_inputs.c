#include "source/program/traced_inputs.h"

#include "base/dtype.h"
#include "interpret/interpret.h"
#include "source/program/program.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_NESTING = 32 };

/* Stands for a value that cannot be an input. */
static const htp_input left_out = {.is_none = true};

static htp_input describe_tensor(const htp_tensor_view *tensor)
{
    htp_input input = {.dtype = HTP_DTYPE_OTHER, .rank = tensor->rank};
    if (tensor->rank > HTP_MAX_RANK) {
        return left_out;
    }
    (void)htp_dtype_from_scalar_type(tensor->type, &input.dtype);
    if (tensor->rank > 0) {
        memcpy(input.dims[0], tensor->dims, tensor->rank * sizeof(*tensor->dims));
    }
    return input;
}

static htp_input describe_plain(const htp_program_data *data)
{
    htp_operand value = {.kind = HTP_OPERAND_NONE};
    if (data->kind == HTP_DATA_INT) {
        value = (htp_operand){.kind = HTP_OPERAND_INT, .as.i = data->number};
    } else if (data->kind == HTP_DATA_BOOL) {
        value = (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = data->number != 0};
    } else if (data->kind == HTP_DATA_FLOAT) {
        value = (htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = data->real};
    }
    return htp_input_of_operand(&value);
}

/* The name of an item by its dict key. */
static const char *name_of_key(htp_arena *arena, const htp_program_data *key)
{
    return key->kind == HTP_DATA_STRING ? key->string
           : key->kind == HTP_DATA_INT  ? htp_arena_printf(arena, "%" PRId64, key->number)
                                        : "";
}

static htp_input describe(htp_arena *arena, const htp_program *program, uint32_t number, int depth)
{
    const htp_program_data *data = &program->data[number];
    bool is_dict = data->kind == HTP_DATA_DICT;
    bool is_container = is_dict || data->kind == HTP_DATA_LIST || data->kind == HTP_DATA_TUPLE;
    if (data->kind == HTP_DATA_TENSOR) {
        return describe_tensor(data->tensor);
    }
    if (depth > MAX_NESTING) {
        return left_out;
    }
    if (!is_container) {
        return describe_plain(data);
    }
    uint32_t step = is_dict ? 2 : 1;
    uint32_t count = data->element_count / step;
    htp_input *items = HTP_NEW_ARRAY(arena, htp_input, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *element = &data->elements[(size_t)i * step];
        items[i] = describe(arena, program, element[step - 1], depth + 1);
        items[i].name = is_dict ? name_of_key(arena, &program->data[element[0]])
                                : htp_arena_printf(arena, "%u", (unsigned)i);
    }
    return (htp_input){.is_nested = true, .items = items, .count = count};
}

htp_status htp_traced_inputs_find(htp_arena *arena, const htp_program *program, const char *method,
                                  const htp_input **inputs, uint32_t *count)
{
    htp_error error = {{0}};
    uint32_t number = HTP_NONE;
    *inputs = NULL;
    *count = 0;
    HTP_TRY(
        htp_program_status(program->load_traced_inputs(program, method, &number, &error), &error));
    if (number != HTP_NONE) {
        const htp_input all = describe(arena, program, number, -1);
        *inputs = all.items;
        *count = all.count;
    }
    return HTP_OK;
}
