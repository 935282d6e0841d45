/*
 * Items of known values: constants of the code, attributes, weights.
 */
#include "interpret/machine/kernel.h"
#include "interpret/recording/recording.h"

static htp_outcome require_rank(htp_machine *m, const htp_runner_tensor *tensor)
{
    if (tensor->rank > HTP_MAX_RANK) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "a weight or constant has %u dims; up to %u can be exported",
                                (unsigned)tensor->rank, HTP_MAX_RANK);
    }
    return HTP_GOES_ON;
}

/* ---- memory that outlives the call ---- */

bool htp_storage_is_kept(const htp_machine *m, uint64_t storage)
{
    uint32_t is_kept = 0;
    return htp_map_get_bytes(&m->recording.kept_storages, &storage, sizeof(storage), &is_kept) &&
           is_kept;
}

static void keep_all(htp_machine *m, const htp_item *item, bool is_kept)
{
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const uint64_t *storage = &htp_tensor_in(item, lane)->storage;
        htp_map_set_bytes(m->arena, &m->recording.kept_storages, storage, sizeof(*storage),
                          is_kept);
    }
}

void htp_storage_keep(htp_machine *m, const htp_item *item)
{
    keep_all(m, item, true);
}

void htp_storage_let_change(htp_machine *m, htp_item *item)
{
    item->is_of_code = false;
    if (htp_is_tensor(item)) {
        keep_all(m, item, false);
    }
}

/* ---- tensors ---- */

/* A contiguous copy; a dense one keeps its strides. */
static htp_outcome clone(htp_machine *m, const htp_runner_tensor *tensor,
                         const htp_runner_tensor **made)
{
    if (tensor->is_contiguous) {
        htp_making making = {.way = HTP_MAKE_COPY, .of = tensor};
        return htp_tensor_make(m, &making, made);
    }
    const htp_operand inputs[] = {{.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor},
                                  {.kind = HTP_OPERAND_NONE}};
    const htp_operand *outputs = NULL;
    uint32_t count = 0;
    HTP_DO(htp_kernel_run(m, "aten::clone", "", HTP_RUN_AS_IS, inputs, 2, &outputs, &count));
    if (count != 1 || outputs[0].kind != HTP_OPERAND_TENSOR) {
        return htp_machine_stop(m, HTP_FAILS, "aten::clone gives no tensor");
    }
    *made = outputs[0].as.tensor;
    return HTP_GOES_ON;
}

/* Gives a new item a copy of a tensor for each lane, as operators may change it in place. */
static htp_outcome fill_real(htp_machine *m, htp_item *item, const htp_runner_tensor *tensor)
{
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *copy = NULL;
        HTP_DO(clone(m, tensor, &copy));
        item->lane[lane] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = copy};
    }
    return htp_item_note_contents(m, item);
}

/* Gives an item one tensor in all lanes. */
static void fill_alike(const htp_machine *m, htp_item *item, const htp_runner_tensor *tensor)
{
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        item->lane[lane] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
    }
}

/* A tensor of equal geometry, without contents. */
static htp_outcome without_contents(htp_machine *m, const htp_runner_tensor *tensor,
                                    const htp_runner_tensor **made)
{
    htp_making making = {.way = HTP_MAKE_WITHOUT, .of = tensor};
    return htp_tensor_make(m, &making, made);
}

/* A constant too large to be read becomes a weight. */
static htp_outcome store(htp_machine *m, htp_item *item, const htp_runner_tensor *tensor)
{
    const htp_runner_tensor *held = NULL;
    HTP_DO(without_contents(m, tensor, &held));
    fill_alike(m, item, held);
    item->known = HTP_KNOWN_STORED;
    uint32_t data = m->runner->keep(m->runner->self, tensor);
    item->weight = data == HTP_NONE
                       ? HTP_NONE
                       : htp_weight_list_add(m->weight_list, m->program->data[data].tensor);
    return item->weight == HTP_NONE ? htp_machine_stop(m, HTP_BREAKS, "out of memory")
                                    : HTP_GOES_ON;
}

htp_outcome htp_constant_tensor(htp_machine *m, const htp_runner_tensor *tensor, bool is_readable,
                                htp_item **item)
{
    HTP_DO(require_rank(m, tensor));
    bool is_real = is_readable && tensor->elements <= HTP_REAL_ELEMENTS;
    htp_item *made = htp_item_make(m, HTP_ITEM_TENSOR);
    HTP_DO(is_real ? fill_real(m, made, tensor) : store(m, made, tensor));
    htp_storage_keep(m, made);
    *item = made;
    return HTP_GOES_ON;
}

/* ---- data of the program ---- */

htp_item *htp_constant_ints(htp_machine *m, const int64_t *numbers, size_t count)
{
    htp_items elements = {0};
    for (size_t i = 0; i < count; i++) {
        htp_items_push(m, &elements, htp_item_int(m, numbers[i]));
    }
    htp_item *list = htp_item_hold(m, HTP_ITEM_LIST, &elements);
    list->is_of_code = true;
    return list;
}

static htp_outcome hold_data(htp_machine *m, htp_item_kind kind, const htp_program_data *data,
                             htp_item **item)
{
    htp_items elements = {0};
    for (uint32_t i = 0; i < data->element_count; i++) {
        htp_item *element = NULL;
        HTP_DO(htp_constant_of(m, data->elements[i], &element));
        htp_items_push(m, &elements, element);
    }
    *item = htp_item_hold(m, kind, &elements);
    (*item)->is_of_code = kind != HTP_ITEM_TUPLE;
    return HTP_GOES_ON;
}

static htp_outcome make_tensor(htp_machine *m, uint32_t data, bool is_readable, htp_item **item)
{
    const htp_runner_tensor *tensor = m->runner->data(m->runner->self, data);
    if (!tensor) {
        return htp_machine_stop(m, HTP_FAILS, "a constant is no tensor that can be described");
    }
    HTP_DO(htp_constant_tensor(m, tensor, is_readable, item));
    (*item)->device = htp_devices_of_record(m->devices, m->program->data[data].tensor->record);
    return HTP_GOES_ON;
}

htp_outcome htp_constant_of(htp_machine *m, uint32_t number, htp_item **item)
{
    const htp_program_data data = m->program->data[number]; /* a copy: the table may move */
    htp_operand value = {.kind = HTP_OPERAND_NONE};
    switch (data.kind) {
    case HTP_DATA_TENSOR:
        return make_tensor(m, number, data.tensor->is_readable, item);
    case HTP_DATA_LIST:
        return hold_data(m, HTP_ITEM_LIST, &data, item);
    case HTP_DATA_TUPLE:
        return hold_data(m, HTP_ITEM_TUPLE, &data, item);
    case HTP_DATA_DICT:
        return hold_data(m, HTP_ITEM_DICT, &data, item);
    case HTP_DATA_OBJECT:
        *item = htp_item_make(m, HTP_ITEM_OBJECT);
        (*item)->object = data.object;
        return HTP_GOES_ON;
    case HTP_DATA_STRING:
        *item = htp_item_text(m, data.string, data.bytes);
        return HTP_GOES_ON;
    case HTP_DATA_DEVICE:
        value = htp_devices_read(m->devices, m->arena, data.string, data.bytes);
        if (!htp_device_read(value.as.text, value.bytes, &(htp_device){.index = -1})) {
            return htp_machine_stop(m, HTP_UNSUPPORTED, "a constant is the invalid device \"%s\"",
                                    value.as.text);
        }
        break;
    case HTP_DATA_INT:
        value = (htp_operand){.kind = HTP_OPERAND_INT, .as.i = data.number};
        break;
    case HTP_DATA_BOOL:
        value = (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = data.number != 0};
        break;
    case HTP_DATA_FLOAT:
        value = (htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = data.real};
        break;
    case HTP_DATA_OTHER:
        value = (htp_operand){.kind = HTP_OPERAND_OTHER, .as.other = data.other};
        break;
    case HTP_DATA_NONE:
        break;
    }
    *item = htp_item_plain(m, value);
    return HTP_GOES_ON;
}

/* ---- weights ---- */

static uint64_t element_bytes(htp_dtype dtype)
{
    static const unsigned char bytes[HTP_DTYPE_COUNT] = {
        [HTP_DTYPE_UINT8] = 1,     [HTP_DTYPE_INT8] = 1,        [HTP_DTYPE_INT16] = 2,
        [HTP_DTYPE_INT32] = 4,     [HTP_DTYPE_INT64] = 8,       [HTP_DTYPE_FLOAT16] = 2,
        [HTP_DTYPE_FLOAT32] = 4,   [HTP_DTYPE_FLOAT64] = 8,     [HTP_DTYPE_COMPLEX32] = 4,
        [HTP_DTYPE_COMPLEX64] = 8, [HTP_DTYPE_COMPLEX128] = 16, [HTP_DTYPE_BOOL] = 1,
        [HTP_DTYPE_BFLOAT16] = 2,
    };
    return bytes[dtype];
}

/* The memory of a weight, without contents, shared by all tied weights. */
static htp_outcome find_base(htp_machine *m, const htp_weight *weight, int32_t type,
                             const htp_runner_tensor **base)
{
    uint32_t place;
    if (htp_map_get_bytes(&m->recording.bases, &weight->storage, sizeof(weight->storage), &place)) {
        *base = m->recording.base_tensors.items[place - 1];
        return HTP_GOES_ON;
    }
    const int64_t elements = (int64_t)(weight->storage_bytes / element_bytes(weight->dtype));
    HTP_DO(htp_tensor_empty(m, type, &elements, 1, base));
    HTP_PUSH(m->arena, &m->recording.base_tensors, *base);
    htp_map_set_bytes(m->arena, &m->recording.bases, &weight->storage, sizeof(weight->storage),
                      (uint32_t)m->recording.base_tensors.count);
    return HTP_GOES_ON;
}

/* Whether a tensor lies within a memory. */
static bool reaches_within(const htp_runner_tensor *tensor, const htp_runner_tensor *base)
{
    int64_t last = tensor->offset;
    bool is_valid = last >= 0;
    for (uint32_t dim = 0; dim < tensor->rank && is_valid; dim++) {
        int64_t reach = tensor->dims[dim] > 0 ? tensor->dims[dim] - 1 : 0;
        is_valid = tensor->strides[dim] >= 0 &&
                   !__builtin_mul_overflow(reach, tensor->strides[dim], &reach) &&
                   !__builtin_add_overflow(last, reach, &last);
    }
    return is_valid && (tensor->elements == 0 || last < base->elements);
}

/* Puts tied weights into one memory, so that aliasing is seen. */
static htp_outcome fill_tied(htp_machine *m, htp_item *item, const htp_weight *weight,
                             const htp_runner_tensor *tensor)
{
    const htp_runner_tensor *base = NULL;
    const htp_runner_tensor *view = NULL;
    HTP_DO(find_base(m, weight, tensor->type, &base));
    if (base->type == tensor->type && reaches_within(tensor, base)) {
        htp_making making = {.way = HTP_MAKE_VIEW,
                             .of = base,
                             .rank = tensor->rank,
                             .dims = tensor->dims,
                             .strides = tensor->strides,
                             .offset = tensor->offset};
        HTP_DO(htp_tensor_make(m, &making, &view));
    } else {
        HTP_DO(without_contents(m, tensor, &view));
    }
    fill_alike(m, item, view);
    return HTP_GOES_ON;
}

htp_outcome htp_constant_weight(htp_machine *m, uint32_t number, htp_item **item)
{
    uint32_t creation_id;
    if (htp_map_get_bytes(&m->recording.weights, &number, sizeof(number), &creation_id)) {
        *item = m->recording.items.items[creation_id];
        return HTP_GOES_ON;
    }
    const htp_weight *weight = &m->instances->weights.items[number];
    const uint32_t data = m->instances->data.items[number];
    const htp_runner_tensor *tensor = m->runner->data(m->runner->self, data);
    if (tensor) {
        HTP_DO(require_rank(m, tensor));
    }
    htp_item *made = htp_item_make(m, HTP_ITEM_TENSOR);
    made->weight = number;
    made->device = htp_devices_of_record(m->devices, m->program->data[data].tensor->record);
    if (tensor && !weight->is_parameter && tensor->elements <= 1 && !weight->is_mapped) {
        HTP_DO(fill_real(m, made, tensor));
    } else if (!tensor || weight->dtype == HTP_DTYPE_OTHER) {
        return htp_machine_stop(
            m, HTP_UNSUPPORTED,
            "the weight %s is sparse, quantised, conjugated, or of a type that ONNX has no plain "
            "form for",
            weight->name);
    } else {
        HTP_DO(fill_tied(m, made, weight, tensor));
    }
    htp_storage_keep(m, made);
    htp_map_set_bytes(m->arena, &m->recording.weights, &number, sizeof(number), made->creation_id);
    *item = made;
    return HTP_GOES_ON;
}
