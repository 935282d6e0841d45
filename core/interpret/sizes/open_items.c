/*
 * Makes items of which only the type is known.
 */
#include "interpret/sizes/open_items.h"

#include "interpret/lanes/elsewhere.h"
#include "interpret/memory/memory.h"

#include <string.h>

/* Why the layout of a placeholder for a tensor with gaps, or for a part of one, may differ. */
static const char in_memory[] = "where its values lie in memory, which have gaps or begin within "
                                "others";

static htp_outcome like_tensor(htp_machine *m, const htp_item *model, htp_item **made)
{
    htp_item *item = htp_item_make(m, HTP_ITEM_TENSOR);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *tensor = htp_tensor_in(model, lane);
        htp_operand *operand = &item->lane[lane];
        operand->kind = HTP_OPERAND_TENSOR;
        HTP_DO(htp_tensor_laid(m, tensor, &operand->as.tensor));
    }
    if (model->known == HTP_KNOWN_OPEN_SIZES) {
        item->known = HTP_KNOWN_OPEN_SIZES;
    }
    item->absent = model->absent;
    item->is_sequence = model->is_sequence;
    item->varying = model->varying;
    item->device = model->device;
    item->may_repeat = m->recording.items.items[htp_memory_of(model)]->may_repeat;
    *made = item;
    return htp_elsewhere_stand_for(m, item, model, in_memory);
}

htp_outcome htp_item_like(htp_machine *m, const htp_item *model, htp_item **made)
{
    if (htp_is_tensor(model)) {
        return like_tensor(m, model, made);
    }
    *made = htp_item_plain(m, model->lane[0]);
    (*made)->known = HTP_KNOWN_OPEN;
    return htp_is_int(*made) ? htp_item_make_up(m, *made, "number") : HTP_GOES_ON;
}

htp_outcome htp_item_resize(htp_machine *m, htp_item *item, int64_t dim, const char *name)
{
    htp_trace_size size;
    HTP_DO(htp_recording_new_size(m, name, &size));
    const htp_item before = *item;
    item->elsewhere = NULL;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *tensor = htp_tensor_in(item, lane);
        if (dim < 0 || dim >= tensor->rank) {
            return htp_machine_stop(m, HTP_FAILS, "a dim is out of range");
        }
        int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, tensor->rank);
        memcpy(dims, tensor->dims, tensor->rank * sizeof(*dims));
        dims[dim] = size.sizes[lane];
        const htp_runner_tensor *resized = NULL;
        HTP_DO(htp_tensor_empty(m, tensor->type, dims, tensor->rank, &resized));
        uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, tensor->rank);
        htp_tensor_order(tensor, order);
        HTP_DO(htp_tensor_ordered(m, resized, order, &item->lane[lane].as.tensor));
    }
    item->known = HTP_KNOWN_OPEN_SIZES;
    HTP_DO(htp_elsewhere_stand_for(m, item, &before, in_memory));
    if (item->is_sequence && dim < HTP_MAX_RANK) {
        item->varying |= UINT64_C(1) << dim;
    }
    return HTP_GOES_ON;
}
