#include "interpret/meta/call.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int64_t htp_meta_extent(int64_t kernel, int64_t dilation)
{
    return htp_meta_plus(htp_meta_times(dilation, htp_meta_minus(kernel, 1)), 1);
}

/* ---- operands ---- */

const htp_runner_tensor *htp_meta_tensor(const htp_meta_call *call, uint32_t index)
{
    assert(call->operands[index].kind == HTP_OPERAND_TENSOR);
    return call->operands[index].as.tensor;
}

const htp_runner_tensor *htp_meta_optional(const htp_meta_call *call, uint32_t index)
{
    const htp_operand *operand = &call->operands[index];
    return operand->kind == HTP_OPERAND_TENSOR ? operand->as.tensor : NULL;
}

const htp_runner_tensor *htp_meta_listed(const htp_meta_call *call, uint32_t index, uint32_t at)
{
    assert(at < call->operands[index].count);
    const htp_operand *element = &call->operands[index].as.elements[at];
    return element->kind == HTP_OPERAND_TENSOR ? element->as.tensor : NULL;
}

bool htp_meta_has(const htp_meta_call *call, uint32_t index)
{
    return index < call->operand_count && call->operands[index].kind != HTP_OPERAND_NONE;
}

int64_t htp_meta_int(const htp_meta_call *call, uint32_t index)
{
    return call->operands[index].as.i;
}

bool htp_meta_bool(const htp_meta_call *call, uint32_t index)
{
    return call->operands[index].as.b;
}

int64_t htp_meta_int_or(const htp_meta_call *call, uint32_t index, int64_t otherwise)
{
    return htp_meta_has(call, index) ? htp_meta_int(call, index) : otherwise;
}

double htp_meta_float(const htp_meta_call *call, uint32_t index)
{
    const htp_operand *operand = &call->operands[index];
    return operand->kind == HTP_OPERAND_FLOAT  ? operand->as.f
           : operand->kind == HTP_OPERAND_BOOL ? (double)operand->as.b
                                               : (double)operand->as.i;
}

bool htp_meta_is_text(const htp_meta_call *call, uint32_t index, const char *text)
{
    const htp_operand *operand = &call->operands[index];
    return operand->kind == HTP_OPERAND_STRING && operand->bytes == strlen(text) &&
           memcmp(operand->as.text, text, operand->bytes) == 0;
}

int64_t htp_meta_item(const htp_meta_call *call, uint32_t index, uint32_t at)
{
    assert(at < call->operands[index].count);
    return call->operands[index].as.elements[at].as.i;
}

uint32_t htp_meta_length(const htp_meta_call *call, uint32_t index)
{
    return htp_meta_has(call, index) ? call->operands[index].count : 0;
}

int64_t htp_meta_dim(const htp_runner_tensor *tensor, int32_t dim)
{
    int64_t index = dim < 0 ? dim + (int64_t)tensor->rank : dim;
    assert(index >= 0 && index < (int64_t)tensor->rank);
    return tensor->dims[index];
}

bool htp_meta_find_dim(htp_meta_call *call, const htp_runner_tensor *tensor, int64_t dim,
                       int64_t *size)
{
    if (tensor->rank == 0) {
        return htp_meta_refuse(
            call, "Dimension specified as %" PRId64 " but tensor has no dimensions", dim);
    }
    if (!htp_meta_wrap(call, tensor->rank, &dim)) {
        return false;
    }
    *size = tensor->dims[dim];
    return true;
}

bool htp_meta_wrap(htp_meta_call *call, uint32_t rank, int64_t *dim)
{
    int64_t count = rank > 0 ? rank : 1;
    if (*dim < -count || *dim >= count) {
        return htp_meta_refuse(call,
                               "Dimension out of range (expected to be in range of [%" PRId64
                               ", %" PRId64 "], but got %" PRId64 ")",
                               -count, count - 1, *dim);
    }
    *dim += *dim < 0 ? count : 0;
    return true;
}

/* ---- refusals ---- */

bool htp_meta_refuse(htp_meta_call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(call->error.message, sizeof(call->error.message), format, arguments);
    va_end(arguments);
    return false;
}

static void add_text(htp_meta_text *text, size_t *length, const char *between, int64_t number)
{
    size_t room = sizeof(text->characters) - *length;
    int added = snprintf(text->characters + *length, room, "%s%" PRId64, between, number);
    *length += added > 0 && (size_t)added < room ? (size_t)added : room - 1;
}

static const char *end_text(htp_meta_text *text, size_t length)
{
    (void)snprintf(text->characters + length, sizeof(text->characters) - length, "%s",
                   length == 0 ? "[]" : "]");
    return text->characters;
}

const char *htp_meta_dims_text(htp_meta_text *text, const int64_t *dims, uint32_t rank)
{
    size_t length = 0;
    for (uint32_t i = 0; i < rank; i++) {
        add_text(text, &length, i > 0 ? ", " : "[", dims[i]);
    }
    return end_text(text, length);
}

const char *htp_meta_sizes_text(htp_meta_text *text, const htp_runner_tensor *tensor)
{
    return htp_meta_dims_text(text, tensor->dims, tensor->rank);
}

const char *htp_meta_list_text(htp_meta_text *text, const htp_meta_call *call, uint32_t index)
{
    size_t length = 0;
    for (uint32_t i = 0; i < htp_meta_length(call, index); i++) {
        add_text(text, &length, i > 0 ? ", " : "[", htp_meta_item(call, index, i));
    }
    return end_text(text, length);
}

/* In the order of ScalarType: up to QUInt2x4 in all versions, the others only in PyTorch 2. */
static const char *const type_names[] = {"Byte",
                                         "Char",
                                         "Short",
                                         "Int",
                                         "Long",
                                         "Half",
                                         "Float",
                                         "Double",
                                         "ComplexHalf",
                                         "ComplexFloat",
                                         "ComplexDouble",
                                         "Bool",
                                         "QInt8",
                                         "QUInt8",
                                         "QInt32",
                                         "BFloat16",
                                         "QUInt4x2",
                                         "QUInt2x4",
                                         "Bits1x8",
                                         "Bits2x4",
                                         "Bits4x2",
                                         "Bits8",
                                         "Bits16",
                                         "Float8_e5m2",
                                         "Float8_e4m3fn",
                                         "Float8_e5m2fnuz",
                                         "Float8_e4m3fnuz",
                                         "UInt16",
                                         "UInt32",
                                         "UInt64"};

const char *htp_scalar_type_name(int32_t type)
{
    bool is_known = type >= 0 && (size_t)type < sizeof(type_names) / sizeof(type_names[0]);
    return is_known ? type_names[type] : "UNKNOWN_SCALAR";
}
