/*
 * Storages and tensors in pickles. libtorch trusts their sizes, strides and offsets, and the sizes
 * of records that a pickle claims.
 */
#include "base/checked.h"
#include "base/dtype.h"
#include "source/pickle/pickle_machine.h"

#include <string.h>

enum { RANK_LIMIT = 1024 }; /* many tensors may have the same tuple of dims */

/* Classes of storages. */
static const struct dtype {
    const char *storage;
    const char *name; /* for messages */
    uint32_t bytes;
    uint32_t packed; /* how many elements share these bytes */
    bool is_quantized;
} dtypes[] = {
    {"ByteStorage", "uint8", 1, 1, false},
    {"CharStorage", "int8", 1, 1, false},
    {"ShortStorage", "int16", 2, 1, false},
    {"IntStorage", "int32", 4, 1, false},
    {"LongStorage", "int64", 8, 1, false},
    {"HalfStorage", "float16", 2, 1, false},
    {"FloatStorage", "float32", 4, 1, false},
    {"DoubleStorage", "float64", 8, 1, false},
    {"ComplexHalfStorage", "complex32", 4, 1, false},
    {"ComplexFloatStorage", "complex64", 8, 1, false},
    {"ComplexDoubleStorage", "complex128", 16, 1, false},
    {"BoolStorage", "bool", 1, 1, false},
    {"BFloat16Storage", "bfloat16", 2, 1, false},
    {"QInt8Storage", "qint8", 1, 1, true},
    {"QUInt8Storage", "quint8", 1, 1, true},
    {"QInt32Storage", "qint32", 4, 1, true},
    {"QUInt4x2Storage", "quint4x2", 1, 2, true},
    {"QUInt2x4Storage", "quint2x4", 1, 4, true},
    {"Float8_e5m2Storage", "float8_e5m2", 1, 1, false},
    {"Float8_e4m3fnStorage", "float8_e4m3fn", 1, 1, false},
    {"Float8_e5m2fnuzStorage", "float8_e5m2fnuz", 1, 1, false},
    {"Float8_e4m3fnuzStorage", "float8_e4m3fnuz", 1, 1, false},
    {"Float8_e8m0fnuStorage", "float8_e8m0fnu", 1, 1, false},
    {"UInt16Storage", "uint16", 2, 1, false},
    {"UInt32Storage", "uint32", 4, 1, false},
    {"UInt64Storage", "uint64", 8, 1, false},
};

int64_t htp_pickle_find_dtype(const char *name, uint32_t bytes)
{
    for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
        if (strlen(dtypes[i].storage) == bytes && memcmp(dtypes[i].storage, name, bytes) == 0) {
            return (int64_t)i;
        }
    }
    return -1;
}

int64_t htp_pickle_find_named_dtype(const char *name, uint32_t bytes)
{
    for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
        if (strlen(dtypes[i].name) == bytes && memcmp(dtypes[i].name, name, bytes) == 0) {
            return (int64_t)i;
        }
    }
    return -1;
}

/* HTP_DTYPE_OTHER if this program does not know the dtype. */
static htp_dtype dtype_of(uint32_t row)
{
    htp_dtype dtype;
    return htp_dtype_parse(dtypes[row].name, &dtype) ? dtype : HTP_DTYPE_OTHER;
}

/* Opens a tuple of at least @p count parts, of these kinds. */
static htp_status open_tuple(const htp_pickle_machine *machine, const htp_pickle_value *value,
                             const htp_pickle_kind *kinds, uint32_t count, const char *what,
                             const htp_pickle_value **parts)
{
    *parts = machine->items.items;
    bool fits = value->kind == HTP_PICKLE_TUPLE;
    const htp_pickle_node *node = fits ? htp_pickle_node_of(machine, value) : NULL;
    fits = fits && node->count >= count;
    for (uint32_t i = 0; i < count && fits; i++) {
        fits = htp_pickle_part(machine, node, i)->kind == kinds[i];
    }
    if (!fits) {
        return htp_pickle_damaged(machine, "%s is not in PyTorch's form", what);
    }
    *parts = HTP_FROM(&machine->items, node->first);
    return HTP_OK;
}

#define OPEN(machine, value, what, parts, ...)                                                     \
    open_tuple((machine), (value), (const htp_pickle_kind[]){__VA_ARGS__},                         \
               sizeof((const htp_pickle_kind[]){__VA_ARGS__}) / sizeof(htp_pickle_kind), (what),   \
               (parts))

/* ---- storages ---- */

static bool is_string(const htp_pickle_machine *machine, const htp_pickle_value *value,
                      const char *text)
{
    return value->string.bytes == strlen(text) &&
           memcmp(machine->pickle->bytes + value->string.offset, text, value->string.bytes) == 0;
}

/* Checks that a record is large enough for the storage. */
static htp_status check_record(const htp_pickle_machine *machine, const htp_pickle_value *key,
                               const struct dtype *dtype, uint64_t elements, bool is_meta)
{
    const htp_pickle *pickle = machine->pickle;
    size_t prefix = strlen(pickle->storages);
    size_t bytes = prefix + key->string.bytes;
    char *name = htp_arena_alloc(machine->arena, bytes + 1);
    memcpy(name, pickle->storages, prefix);
    memcpy(name + prefix, pickle->bytes + key->string.offset, key->string.bytes);
    const htp_archive_record *record = htp_archive_find(pickle->archive, name, bytes);
    const char *shown = htp_archive_printable(machine->arena, name, bytes);
    if (!record) {
        return htp_pickle_damaged(machine, "a storage of %llu %s elements without its record (%s)",
                                  (unsigned long long)elements, dtype->name, shown);
    }
    if (pickle->are_storages_left_out && record->bytes == 0) {
        return HTP_OK;
    }
    if (is_meta && record->bytes == 0) {
        return htp_pickle_unknown(machine,
                                  "a tensor without contents (%s): it was saved on the device "
                                  "meta; save the model with its weights",
                                  shown);
    }
    if (record->bytes / dtype->bytes < elements) {
        return htp_pickle_damaged(machine,
                                  "a storage of %llu %s elements over a record of %llu "
                                  "bytes (%s)",
                                  (unsigned long long)elements, dtype->name,
                                  (unsigned long long)record->bytes, shown);
    }
    return HTP_OK;
}

htp_status htp_pickle_make_storage(htp_pickle_machine *machine, const htp_pickle_value *id)
{
    const htp_pickle_value *parts = NULL;
    HTP_TRY(OPEN(machine, id, "a storage", &parts, HTP_PICKLE_STRING, HTP_PICKLE_DTYPE,
                 HTP_PICKLE_STRING, HTP_PICKLE_STRING, HTP_PICKLE_INT));
    int64_t elements = parts[4].number;
    const struct dtype *dtype = &dtypes[parts[1].number];
    if (!is_string(machine, &parts[0], "storage")) {
        return htp_pickle_unknown(machine, "something kept elsewhere that is no storage");
    }
    if (!machine->pickle->storages) {
        return htp_pickle_unknown(machine, "a storage where there are no tensors");
    }
    if (elements < 0 || elements > INT64_MAX / dtype->bytes) {
        return htp_pickle_damaged(machine, "a storage of %lld elements", (long long)elements);
    }
    if (elements > 0) {
        HTP_TRY(check_record(machine, &parts[2], dtype, (uint64_t)elements,
                             is_string(machine, &parts[3], "meta")));
    }
    htp_pickle_note_device(machine, &parts[3], &parts[2]);
    const htp_pickle_value key = parts[2];
    const uint32_t row = (uint32_t)parts[1].number;
    htp_pickle_node *node = htp_pickle_push_node(machine, HTP_PICKLE_STORAGE);
    node->first = key.string.offset;
    node->count = key.string.bytes;
    node->dtype = row;
    node->elements = (uint64_t)elements;
    return HTP_OK;
}

/* ---- tensors ---- */

/* A tuple of nonnegative numbers. */
static htp_status check_numbers(const htp_pickle_machine *machine, const htp_pickle_value *tuple,
                                const char *what)
{
    const htp_pickle_node *node = htp_pickle_node_of(machine, tuple);
    if (node->kinds & ~(1U << HTP_PICKLE_INT)) {
        return htp_pickle_damaged(machine, "a tensor's %s are no ints", what);
    }
    if (node->count > 0 && node->low < 0) {
        return htp_pickle_damaged(machine, "a tensor's %s are negative (%lld)", what,
                                  (long long)node->low);
    }
    return HTP_OK;
}

/* "[2,3]", at most the first few. */
static const char *describe(const htp_pickle_machine *machine, const htp_pickle_value *tuple)
{
    enum { SHOWN = 8 };
    const htp_pickle_node *node = htp_pickle_node_of(machine, tuple);
    const char *text = "";
    for (uint32_t i = 0; i < node->count && i < SHOWN; i++) {
        text = htp_arena_printf(machine->arena, "%s%s%lld", text, i ? "," : "",
                                (long long)htp_pickle_part(machine, node, i)->number);
    }
    return htp_arena_printf(machine->arena, "[%s%s]", text, node->count > SHOWN ? ",..." : "");
}

/* The element count of a tensor, and the last position that it reaches in its storage, unless it is
 * empty. @return false on overflow */
static bool measure(const htp_pickle_machine *machine, const htp_pickle_node *sizes,
                    const htp_pickle_node *strides, uint64_t *elements, uint64_t *last)
{
    bool fits = true;
    *elements = 1;
    for (uint32_t i = 0; i < sizes->count; i++) {
        uint64_t size = (uint64_t)htp_pickle_part(machine, sizes, i)->number;
        uint64_t stride = (uint64_t)htp_pickle_part(machine, strides, i)->number;
        uint64_t reach = 0;
        if (size == 0) {
            *elements = 0;
            return true;
        }
        fits = fits && htp_checked_mul(*elements, size, elements) &&
               htp_checked_mul(size - 1, stride, &reach) && htp_checked_add(*last, reach, last);
    }
    return fits;
}

/* Checks that a tensor is within its storage. */
static htp_status check_reach(const htp_pickle_machine *machine, const htp_pickle_node *storage,
                              const htp_pickle_value *parts)
{
    const struct dtype *dtype = &dtypes[storage->dtype];
    uint64_t elements = 0;
    uint64_t last = (uint64_t)parts[1].number;
    if (parts[1].number < 0 || parts[1].number > INT64_MAX / dtype->bytes) {
        return htp_pickle_damaged(machine, "a tensor begins at element %lld of its storage",
                                  (long long)parts[1].number);
    }
    HTP_TRY(check_numbers(machine, &parts[2], "sizes"));
    HTP_TRY(check_numbers(machine, &parts[3], "strides"));
    const htp_pickle_node *sizes = htp_pickle_node_of(machine, &parts[2]);
    const htp_pickle_node *strides = htp_pickle_node_of(machine, &parts[3]);
    if (sizes->count > RANK_LIMIT) {
        return htp_pickle_damaged(machine, "a tensor of %u dims", sizes->count);
    }
    if (sizes->count != strides->count) {
        return htp_pickle_damaged(machine, "a tensor of %u sizes with %u strides", sizes->count,
                                  strides->count);
    }
    bool fits = measure(machine, sizes, strides, &elements, &last) &&
                elements <= (uint64_t)INT64_MAX / dtype->bytes;
    uint64_t held = storage->elements * dtype->packed;
    if (!fits || (elements > 0 && last >= held)) {
        return htp_pickle_damaged(machine,
                                  "a tensor of sizes %s, strides %s, offset %lld reaches beyond "
                                  "its storage of %llu %s elements",
                                  describe(machine, &parts[2]), describe(machine, &parts[3]),
                                  (long long)parts[1].number, (unsigned long long)held,
                                  dtype->name);
    }
    return HTP_OK;
}

/* Scales and zero points per channel: their number must match. */
static htp_status check_channels(const htp_pickle_machine *machine, const htp_pickle_value *tensor,
                                 uint64_t channels)
{
    const htp_pickle_node *node = htp_pickle_node_of(machine, tensor);
    if (node->count != 1 || (uint64_t)htp_pickle_part(machine, node, 0)->number != channels) {
        return htp_pickle_damaged(machine,
                                  "a quantised tensor of %llu channels has not as many scales and "
                                  "zero points",
                                  (unsigned long long)channels);
    }
    return HTP_OK;
}

static htp_status check_levels(const htp_pickle_machine *machine, const htp_pickle_value *levels,
                               const htp_pickle_node *sizes)
{
    static const char *const what = "a quantised tensor";
    const htp_pickle_value *parts = NULL;
    HTP_TRY(OPEN(machine, levels, what, &parts, HTP_PICKLE_QSCHEME));
    if (parts[0].number == HTP_PICKLE_PER_TENSOR) {
        return OPEN(machine, levels, what, &parts, HTP_PICKLE_QSCHEME, HTP_PICKLE_FLOAT,
                    HTP_PICKLE_INT);
    }
    if (parts[0].number != HTP_PICKLE_PER_CHANNEL) {
        return htp_pickle_unknown(machine, "a tensor quantised in a way that libtorch does not "
                                           "read");
    }
    HTP_TRY(OPEN(machine, levels, what, &parts, HTP_PICKLE_QSCHEME, HTP_PICKLE_TENSOR,
                 HTP_PICKLE_TENSOR, HTP_PICKLE_INT));
    if (parts[3].number < 0 || parts[3].number >= sizes->count) {
        return htp_pickle_damaged(machine,
                                  "a quantised tensor of rank %u has its channels in dim "
                                  "%lld",
                                  sizes->count, (long long)parts[3].number);
    }
    uint64_t channels =
        (uint64_t)htp_pickle_part(machine, sizes, (uint32_t)parts[3].number)->number;
    HTP_TRY(check_channels(machine, &parts[1], channels));
    return check_channels(machine, &parts[2], channels);
}

static void push_tensor(htp_pickle_machine *machine, uint32_t dtype, const htp_pickle_value *sizes)
{
    const htp_pickle_node of_sizes = *htp_pickle_node_of(machine, sizes);
    htp_pickle_node *node = htp_pickle_push_node(machine, HTP_PICKLE_TENSOR);
    node->dtype = dtype;
    node->first = of_sizes.first;
    node->count = of_sizes.count;
}

/* Notes a tensor of a state, whose node was pushed: (storage, offset, sizes, strides,
 * requires_grad). */
static void note_tensor(htp_pickle_machine *machine, const htp_pickle_value *parts, uint32_t dtype)
{
    if (machine->pickle->role != HTP_PICKLE_OF_STATE) {
        return;
    }
    const htp_pickle_node *storage = htp_pickle_node_of(machine, &parts[0]);
    machine->nodes.items[machine->nodes.count - 1].elements = machine->tensors.count;
    HTP_PUSH(machine->arena, &machine->tensors,
             (htp_pickle_stated){.tensor = {.key = storage->first,
                                            .key_bytes = storage->count,
                                            .dtype = dtype_of(dtype),
                                            .offset = parts[1].number,
                                            .requires_grad = parts[4].number != 0},
                                 .sizes = parts[2].node,
                                 .strides = parts[3].node});
}

void htp_pickle_push_parameter(htp_pickle_machine *machine, const htp_pickle_value *tensor,
                               bool requires_grad)
{
    const htp_pickle_node made_of = *htp_pickle_node_of(machine, tensor);
    htp_pickle_stated parameter = machine->tensors.items[made_of.elements];
    parameter.tensor.is_parameter = true;
    parameter.tensor.requires_grad = requires_grad;
    htp_pickle_node *node = htp_pickle_push_node(machine, HTP_PICKLE_TENSOR);
    node->dtype = made_of.dtype;
    node->first = made_of.first;
    node->count = made_of.count;
    node->elements = machine->tensors.count;
    HTP_PUSH(machine->arena, &machine->tensors, parameter);
}

/* (storage, offset, sizes, strides, requires_grad, hooks). Quantisation follows the strides; flags
 * may follow the hooks of a plain tensor. */
htp_status htp_pickle_make_tensor(htp_pickle_machine *machine, const htp_pickle_value *argument,
                                  uint32_t is_quantized)
{
    static const char *const what = "a tensor";
    const htp_pickle_value *parts = NULL;
    if (is_quantized) {
        HTP_TRY(OPEN(machine, argument, what, &parts, HTP_PICKLE_STORAGE, HTP_PICKLE_INT,
                     HTP_PICKLE_TUPLE, HTP_PICKLE_TUPLE, HTP_PICKLE_TUPLE, HTP_PICKLE_BOOL));
    } else {
        HTP_TRY(OPEN(machine, argument, what, &parts, HTP_PICKLE_STORAGE, HTP_PICKLE_INT,
                     HTP_PICKLE_TUPLE, HTP_PICKLE_TUPLE, HTP_PICKLE_BOOL));
    }
    const htp_pickle_node *storage = htp_pickle_node_of(machine, &parts[0]);
    uint32_t dtype = storage->dtype;
    if (dtypes[dtype].is_quantized != (is_quantized != 0)) {
        return htp_pickle_damaged(machine, "a %squantised tensor of %s elements",
                                  is_quantized ? "" : "not ", dtypes[dtype].name);
    }
    HTP_TRY(check_reach(machine, storage, parts));
    if (is_quantized) {
        HTP_TRY(check_levels(machine, &parts[4], htp_pickle_node_of(machine, &parts[2])));
    }
    push_tensor(machine, dtype, &parts[2]);
    note_tensor(machine, parts, dtype);
    return HTP_OK;
}

/* As a plain tensor, with a dtype after the hooks, since the storage has bytes. */
htp_status htp_pickle_make_untyped(htp_pickle_machine *machine, const htp_pickle_value *argument,
                                   uint32_t parameter)
{
    (void)parameter;
    const htp_pickle_value *parts = NULL;
    HTP_TRY(OPEN(machine, argument, "a tensor", &parts, HTP_PICKLE_STORAGE, HTP_PICKLE_INT,
                 HTP_PICKLE_TUPLE, HTP_PICKLE_TUPLE, HTP_PICKLE_BOOL, HTP_PICKLE_NONE,
                 HTP_PICKLE_DTYPE));
    const uint32_t dtype = (uint32_t)parts[6].number;
    htp_pickle_node storage = *htp_pickle_node_of(machine, &parts[0]);
    storage.elements = storage.elements * dtypes[storage.dtype].bytes / dtypes[dtype].bytes;
    storage.dtype = dtype;
    HTP_TRY(check_reach(machine, &storage, parts));
    push_tensor(machine, dtype, &parts[2]);
    note_tensor(machine, parts, dtype);
    return HTP_OK;
}

/* (layout, sizes, requires_grad, indices, values), or with two index tensors. */
htp_status htp_pickle_make_sparse(htp_pickle_machine *machine, const htp_pickle_value *argument,
                                  uint32_t parameter)
{
    (void)parameter;
    enum { COORDINATES = 1, ROWS = 2 }; /* libtorch's numbers of layouts */
    static const char *const what = "a sparse tensor";
    const htp_pickle_value *parts = NULL;
    HTP_TRY(OPEN(machine, argument, what, &parts, HTP_PICKLE_INT, HTP_PICKLE_TUPLE, HTP_PICKLE_BOOL,
                 HTP_PICKLE_TENSOR, HTP_PICKLE_TENSOR));
    int64_t layout = parts[0].number;
    if (layout == ROWS) {
        HTP_TRY(OPEN(machine, argument, what, &parts, HTP_PICKLE_INT, HTP_PICKLE_TUPLE,
                     HTP_PICKLE_BOOL, HTP_PICKLE_TENSOR, HTP_PICKLE_TENSOR, HTP_PICKLE_TENSOR));
    } else if (layout != COORDINATES) {
        return htp_pickle_unknown(machine, "a sparse tensor of layout %lld", (long long)layout);
    }
    HTP_TRY(check_numbers(machine, &parts[1], "sizes"));
    uint32_t values = htp_pickle_node_of(machine, &parts[layout == ROWS ? 5 : 4])->dtype;
    push_tensor(machine, values, &parts[1]);
    return HTP_OK;
}
