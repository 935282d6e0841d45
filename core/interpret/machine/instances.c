#include "interpret/machine/instances.h"

#include "base/dtype.h"

/* Sets element @p at of a list, extending it if necessary. While modules are found, nobody keeps
 * addresses in the lists of this file. */
static void set_number(htp_arena *arena, htp_numbers *numbers, uint32_t at, uint32_t number)
{
    while (numbers->count <= at) {
        HTP_PUSH_FREEING(arena, numbers, 0);
    }
    numbers->items[at] = number;
}

uint32_t htp_instances_add_module(htp_arena *arena, htp_instances *instances,
                                  const htp_instance *module, uint32_t object)
{
    HTP_PUSH_FREEING(arena, &instances->modules, *module);
    HTP_PUSH_FREEING(arena, &instances->objects, object);
    uint32_t count = (uint32_t)instances->modules.count;
    set_number(arena, &instances->by_object, object, count);
    return count - 1;
}

uint32_t htp_instances_module(const htp_instances *instances, uint32_t object)
{
    bool is_one = object < instances->by_object.count && instances->by_object.items[object] != 0;
    return is_one ? instances->by_object.items[object] - 1 : HTP_NONE;
}

uint32_t htp_instances_weight(const htp_instances *instances, uint32_t data)
{
    bool is_one = data < instances->by_data.count && instances->by_data.items[data] != 0;
    return is_one ? instances->by_data.items[data] - 1 : HTP_NONE;
}

/* ---- tensors as weights ---- */

/* The number of a storage; new ones get the next number. */
static uint64_t number_storage(htp_arena *arena, htp_map *storages, uint32_t next, uint64_t storage)
{
    uint32_t number = next;
    (void)htp_map_add_bytes(arena, storages, &storage, sizeof(storage), &number);
    return number;
}

/* Whether a tensor can be described; of others only the name is recorded. */
static bool is_described(const htp_tensor_view *tensor)
{
    return tensor->is_plain && tensor->rank <= HTP_MAX_RANK;
}

static void describe(htp_weight *weight, const htp_tensor_view *tensor)
{
    weight->requires_grad = tensor->requires_grad;
    weight->dtype = HTP_DTYPE_OTHER;
    if (!is_described(tensor)) {
        return;
    }
    (void)htp_dtype_from_scalar_type(tensor->type, &weight->dtype);
    weight->rank = tensor->rank;
    weight->dims = tensor->dims;
    weight->strides = tensor->strides;
    weight->storage_offset = tensor->offset;
    weight->data = tensor->bytes;
    weight->storage_bytes = tensor->storage_bytes;
    weight->is_mapped = tensor->is_mapped;
    weight->file_offset = tensor->file_offset;
}

void htp_instances_add_weight(htp_arena *arena, htp_instances *instances, const htp_weight *named,
                              uint32_t data, const htp_tensor_view *tensor)
{
    htp_weight weight = *named;
    describe(&weight, tensor);
    if (is_described(tensor)) {
        weight.storage = number_storage(arena, &instances->storages,
                                        (uint32_t)instances->storages.count, tensor->storage);
    }
    HTP_PUSH(arena, &instances->weights, weight);
    HTP_PUSH(arena, &instances->data, data);
    set_number(arena, &instances->by_data, data, (uint32_t)instances->weights.count);
}

/* ---- constants ---- */

void htp_weight_list_open(htp_weight_list *list, const htp_instances *of)
{
    *list = (htp_weight_list){.of = of};
    htp_arena_init(&list->arena);
    list->all = of->weights;
    list->all.capacity =
        list->all.count; /* forces the next push to reallocate, so that the old copy stays */
}

void htp_weight_list_close(htp_weight_list *list)
{
    htp_arena_free(&list->arena);
}

static uint64_t storage_of(htp_weight_list *list, const htp_tensor_view *tensor)
{
    const htp_map *known = &list->of->storages;
    uint32_t number = 0;
    if (htp_map_get_bytes(known, &tensor->storage, sizeof(tensor->storage), &number)) {
        return number;
    }
    uint32_t next = (uint32_t)(known->count + list->storages.count);
    return number_storage(&list->arena, &list->storages, next, tensor->storage);
}

static uint32_t add(htp_weight_list *list, const htp_tensor_view *tensor)
{
    uint32_t number = (uint32_t)list->all.count;
    htp_weight weight = {.module = HTP_NONE};
    weight.name = htp_arena_printf(&list->arena, "constant_%u", (unsigned)number);
    describe(&weight, tensor);
    weight.storage = is_described(tensor) ? storage_of(list, tensor) : 0;
    HTP_PUSH(&list->arena, &list->all, weight);
    return number;
}

uint32_t htp_weight_list_add(htp_weight_list *list, const htp_tensor_view *tensor)
{
    if (htp_arena_recover(&list->arena) != 0) {
        return HTP_NONE;
    }
    return add(list, tensor);
}
