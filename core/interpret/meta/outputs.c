#include "interpret/meta/outputs.h"

#include "interpret/meta/layout.h"
#include "interpret/meta/types.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS (1u << 16)

static bool refuse_rank(htp_meta_call *call)
{
    return htp_meta_refuse(call, "its output has more than %u dims", HTP_MAX_RANK);
}

bool htp_meta_sizes_of(htp_meta_call *call, const htp_runner_tensor *tensor, htp_meta_sizes *sizes)
{
    if (tensor->rank > HTP_MAX_RANK) {
        return refuse_rank(call);
    }
    memcpy(sizes->dims, tensor->dims, tensor->rank * sizeof(*sizes->dims));
    sizes->rank = tensor->rank;
    return true;
}

/* Clears an output except dims and strides, which take several KB and are written before they are
 * read. */
static void clear(htp_meta_output *output)
{
    output->kind = HTP_META_NONE;
    output->operand = 0;
    output->count = 0;
    output->room = 0;
    output->elements = NULL;
    output->making = (htp_making){.rank = 0};
}

/* A list takes outputs until it is full. */
static htp_meta_output *next_output(htp_meta_call *call)
{
    htp_meta_output *last = call->output_count > 0 ? &call->outputs[call->output_count - 1] : NULL;
    if (last && last->count < last->room) {
        return &last->elements[last->count++];
    }
    assert(call->output_count < HTP_META_MAX_OUTPUTS);
    htp_meta_output *output = &call->outputs[call->output_count++];
    clear(output);
    return output;
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

bool htp_meta_give_formatted(htp_meta_call *call, const htp_runner_tensor *like,
                             const htp_meta_sizes *sizes)
{
    assert(like->rank == sizes->rank);
    htp_meta_output *output = next_tensor(call, like->type, sizes);
    if (htp_layout_suggested(like) != HTP_MEMORY_CONTIGUOUS) {
        htp_layout_channels_last(sizes->dims, sizes->rank, output->strides);
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

bool htp_meta_give_strided(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes,
                           const int64_t *strides)
{
    htp_meta_output *output = next_tensor(call, type, sizes);
    memcpy(output->strides, strides, sizes->rank * sizeof(*strides));
    output->making.strides = output->strides;
    return true;
}

bool htp_meta_give_view(htp_meta_call *call, const htp_runner_tensor *of,
                        const htp_meta_sizes *sizes)
{
    assert(of->rank == sizes->rank);
    htp_meta_output *output = next_tensor(call, of->type, sizes);
    memcpy(output->strides, of->strides, sizes->rank * sizeof(*of->strides));
    output->making.way = HTP_MAKE_VIEW;
    output->making.of = of;
    output->making.strides = output->strides;
    output->making.offset = of->offset;
    return true;
}

bool htp_meta_begin_list(htp_meta_call *call, uint32_t count)
{
    htp_meta_output *list = next_output(call);
    list->kind = HTP_META_LIST;
    if (count > MAX_ELEMENTS) {
        return htp_meta_refuse(call, "it gives a list of more than %u tensors", MAX_ELEMENTS);
    }
    list->elements = (htp_meta_output *)calloc(count > 0 ? count : 1, sizeof(*list));
    list->room = list->elements ? count : 0;
    return list->elements || htp_meta_refuse(call, "out of memory");
}

bool htp_meta_give_operand(htp_meta_call *call, uint32_t index)
{
    htp_meta_output *output = next_output(call);
    output->kind = HTP_META_OPERAND;
    output->operand = index;
    return true;
}

bool htp_meta_give_none(htp_meta_call *call)
{
    next_output(call)->kind = HTP_META_NONE;
    return true;
}

/* ---- outputs that are written into operands ---- */

static const htp_runner_tensor *written(const htp_meta_call *call, uint32_t index)
{
    return index < call->operand_count ? htp_meta_optional(call, index) : NULL;
}

bool htp_meta_write_output(htp_meta_call *call, uint32_t at, uint32_t index, bool is_in_place)
{
    htp_meta_output *output = &call->outputs[at];
    const htp_runner_tensor *into = written(call, index);
    bool is_like = output->making.way == HTP_MAKE_LIKE;
    const htp_runner_tensor *like = output->making.of;
    if (!into || output->kind != HTP_META_TENSOR) {
        return htp_meta_refuse(call, "expected a tensor to write into");
    }
    int32_t type = is_like ? like->type : output->making.type;
    uint32_t rank = is_like ? like->rank : output->making.rank;
    const int64_t *dims = is_like ? like->dims : output->making.dims;
    if (!htp_scalar_type_can_become(type, into->type)) {
        return htp_meta_refuse(call, "result type %s can't be cast to the desired output type %s",
                               htp_scalar_type_name(type), htp_scalar_type_name(into->type));
    }
    bool fits = rank == into->rank && memcmp(dims, into->dims, rank * sizeof(*dims)) == 0;
    if (is_in_place && !fits) {
        htp_meta_text given;
        htp_meta_text needed;
        return htp_meta_refuse(call, "output with shape %s doesn't match the broadcast shape %s",
                               htp_meta_sizes_text(&given, into),
                               htp_meta_dims_text(&needed, dims, rank));
    }
    output->operand = index;
    output->kind = fits ? HTP_META_OPERAND : HTP_META_RESIZED;
    if (is_like && !fits) {
        htp_layout_preserved(like, output->strides);
        output->making = (htp_making){
            .way = HTP_MAKE_EMPTY, .rank = rank, .dims = dims, .strides = output->strides};
    }
    return true;
}

void htp_meta_release(htp_meta_call *call)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        free(call->outputs[i].elements);
        call->outputs[i].elements = NULL;
    }
}
