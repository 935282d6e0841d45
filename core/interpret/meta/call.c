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

int64_t htp_meta_int(const htp_meta_call *call, uint32_t index)
{
    return call->operands[index].as.i;
}

bool htp_meta_bool(const htp_meta_call *call, uint32_t index)
{
    return call->operands[index].as.b;
}

int64_t htp_meta_item(const htp_meta_call *call, uint32_t index, uint32_t at)
{
    assert(at < call->operands[index].count);
    return call->operands[index].as.elements[at].as.i;
}

uint32_t htp_meta_length(const htp_meta_call *call, uint32_t index)
{
    return call->operands[index].count;
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

const char *htp_meta_sizes_text(htp_meta_text *text, const htp_runner_tensor *tensor)
{
    size_t length = 0;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        add_text(text, &length, i > 0 ? ", " : "[", tensor->dims[i]);
    }
    return end_text(text, length);
}

const char *htp_meta_list_text(htp_meta_text *text, const htp_meta_call *call, uint32_t index)
{
    size_t length = 0;
    for (uint32_t i = 0; i < htp_meta_length(call, index); i++) {
        add_text(text, &length, i > 0 ? ", " : "[", htp_meta_item(call, index, i));
    }
    return end_text(text, length);
}

/* In the order of ScalarType in libtorch: up to QUInt2x4 in all versions, the others in PyTorch 2.
 */
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

/* ---- outputs ---- */

static bool refuse_rank(htp_meta_call *call)
{
    return htp_meta_refuse(call, "its output has more than %u dims", HTP_SHIM_MAX_RANK);
}

bool htp_meta_sizes_of(htp_meta_call *call, const htp_runner_tensor *tensor, htp_meta_sizes *sizes)
{
    if (tensor->rank > HTP_SHIM_MAX_RANK) {
        return refuse_rank(call);
    }
    memcpy(sizes->dims, tensor->dims, tensor->rank * sizeof(*sizes->dims));
    sizes->rank = tensor->rank;
    return true;
}

static htp_meta_output *next_output(htp_meta_call *call)
{
    assert(call->output_count < HTP_META_MAX_OUTPUTS);
    return &call->outputs[call->output_count++];
}

static htp_meta_output *next_tensor(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes)
{
    htp_meta_output *output = next_output(call);
    memcpy(output->dims, sizes->dims, sizes->rank * sizeof(*sizes->dims));
    output->kind = HTP_META_TENSOR;
    output->making = (htp_making){
        .way = HTP_MAKE_EMPTY, .type = type, .rank = sizes->rank, .dims = output->dims};
    return output;
}

bool htp_meta_give(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes)
{
    (void)next_tensor(call, type, sizes);
    return true;
}

/* Dims of pictures and volumes from the one whose elements lie closest to the one whose elements
 * are farthest apart: channels, width, height, depth, batch. */
static uint32_t closest_dim(uint32_t rank, uint32_t at)
{
    return at == 0 ? 1 : at + 1 == rank ? 0 : rank - at;
}

/* As libtorch sees it: is_channels_last_strides_2d() and _3d() of c10/core/MemoryFormat.h. */
static bool has_channels_last(const htp_runner_tensor *tensor)
{
    const uint32_t picture = 4;
    const uint32_t volume = 5;
    if ((tensor->rank != picture && tensor->rank != volume) || tensor->strides[1] == 0) {
        return false;
    }
    int64_t least = 0;
    for (uint32_t at = 0; at < tensor->rank; at++) {
        uint32_t dim = closest_dim(tensor->rank, at);
        bool is_ambiguous = dim == 0 && least == tensor->strides[1];
        if (tensor->dims[dim] == 0 || tensor->strides[dim] < least || is_ambiguous) {
            return false;
        }
        least = htp_meta_times(tensor->strides[dim], tensor->dims[dim] > 1 ? tensor->dims[dim] : 1);
    }
    return true;
}

bool htp_meta_give_formatted(htp_meta_call *call, const htp_runner_tensor *like,
                             const htp_meta_sizes *sizes)
{
    assert(like->rank == sizes->rank);
    htp_meta_output *output = next_tensor(call, like->type, sizes);
    if (has_channels_last(like)) {
        int64_t step = 1;
        for (uint32_t at = 0; at < sizes->rank; at++) {
            uint32_t dim = closest_dim(sizes->rank, at);
            output->strides[dim] = step;
            step = htp_meta_times(step, sizes->dims[dim]);
        }
        output->making.strides = output->strides;
    }
    return true;
}

bool htp_meta_give_like(htp_meta_call *call, const htp_runner_tensor *tensor)
{
    htp_meta_output *output = next_output(call);
    output->kind = HTP_META_TENSOR;
    output->making = (htp_making){.way = HTP_MAKE_LIKE, .of = tensor};
    return true;
}

bool htp_meta_give_plain(htp_meta_call *call, const htp_runner_tensor *tensor)
{
    htp_meta_output *output = next_output(call);
    output->kind = HTP_META_TENSOR;
    output->making = (htp_making){
        .way = HTP_MAKE_EMPTY, .type = tensor->type, .rank = tensor->rank, .dims = tensor->dims};
    return true;
}

bool htp_meta_give_view(htp_meta_call *call, const htp_runner_tensor *of,
                        const htp_meta_sizes *sizes)
{
    assert(of->rank == sizes->rank);
    htp_making *making = &next_tensor(call, of->type, sizes)->making;
    making->way = HTP_MAKE_VIEW;
    making->of = of;
    making->strides = of->strides;
    making->offset = of->offset;
    return true;
}

bool htp_meta_give_list(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes)
{
    next_tensor(call, type, sizes)->kind = HTP_META_LIST;
    return true;
}

bool htp_meta_give_none(htp_meta_call *call)
{
    next_output(call)->kind = HTP_META_NONE;
    return true;
}
