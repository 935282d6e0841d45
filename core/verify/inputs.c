#include "verify/inputs.h"

#include "base/text.h"
#include "onnx/proto/tensor_type.h"

#include <math.h>
#include <string.h>

/* Elements of an input, at most. */
#define MOST_ELEMENTS ((size_t)1 << 28)

enum { FIRST_INDEX_OPERAND = 1 };

/* ---- what inputs take ---- */

/* Operators that hand ids on. */
static const char *const handing_on[] = {
    "Cast",    "Concat", "Expand",  "Flatten",   "Identity",
    "Reshape", "Slice",  "Squeeze", "Transpose", "Unsqueeze",
};

static bool hands_on(const char *op_type)
{
    return htp_text_is_one_of(op_type, handing_on, sizeof(handing_on) / sizeof(*handing_on));
}

/* The size of dim `axis` of a value; -1: it is not known. */
static int64_t known_size(htp_arena *arena, htp_view_types *types, uint32_t value, int64_t axis)
{
    const htp_value_type type = htp_view_types_find(types, arena, value);
    int64_t rank = (int64_t)type.rank;
    int64_t dim = axis < 0 ? axis + rank : axis;
    bool is_known = type.is_known && type.has_dims && dim >= 0 && dim < rank;
    return is_known && !type.dims[dim].symbol ? type.dims[dim].size : -1;
}

/* The rows of the table that a Gather reads. */
static int64_t rows_of(htp_arena *arena, const htp_view *view, htp_view_types *types, uint32_t node)
{
    uint32_t table = view->operands.items[view->nodes.items[node].inputs.first];
    const htp_view_attribute *axis =
        htp_view_find_attribute(view, node, htp_view_find_name(view, "axis"));
    return table == HTP_NONE ? -1 : known_size(arena, types, table, axis ? axis->i : 0);
}

/* Limits of ids by value, found from the last node to the first. */
static const int64_t *find_limits(htp_arena *arena, const htp_view *view, htp_view_types *types)
{
    int64_t *limits = HTP_NEW_ARRAY(arena, int64_t, view->values.count + 1);
    for (uint32_t n = (uint32_t)view->nodes.count; n-- > 0;) {
        const htp_view_node *node = &view->nodes.items[n];
        const char *op_type = htp_view_text(view, node->op_type);
        bool looks_up = strcmp(op_type, "Gather") == 0 && node->inputs.count > FIRST_INDEX_OPERAND;
        uint32_t made =
            node->outputs.count > 0 ? view->operands.items[node->outputs.first] : HTP_NONE;
        int64_t limit = looks_up                                ? rows_of(arena, view, types, n)
                        : made != HTP_NONE && hands_on(op_type) ? limits[made]
                                                                : 0;
        for (uint32_t i = looks_up ? FIRST_INDEX_OPERAND : 0; limit > 0 && i < node->inputs.count;
             i++) {
            uint32_t value = view->operands.items[node->inputs.first + i];
            if (value != HTP_NONE && (limits[value] == 0 || limit < limits[value])) {
                limits[value] = limit;
            }
        }
    }
    return limits;
}

static htp_status refuse(const htp_view *view, uint32_t value, const char *why)
{
    return htp_status_make(HTP_CODE_USAGE, "%s: no values can be made up for input '%s': %s",
                           view->path, htp_view_text(view, view->values.items[value].name), why);
}

static htp_status find_kind(htp_arena *arena, const htp_view *view, htp_view_types *types,
                            htp_input_kinds *kinds, htp_input_kind *kind)
{
    const htp_value_type type = htp_view_types_find(types, arena, kind->value);
    if (!type.is_known || *type.container || !htp_measure_has(type.data_type)) {
        return refuse(view, kind->value, "it is no tensor of numbers");
    }
    if (!type.has_dims || type.rank > HTP_RUNTIME_MAX_RANK) {
        return refuse(view, kind->value, "the model does not say its rank");
    }
    const char **symbols = HTP_NEW_ARRAY(arena, const char *, type.rank + 1);
    int64_t *sizes = HTP_NEW_ARRAY(arena, int64_t, type.rank + 1);
    const char *name = htp_view_text(view, view->values.items[kind->value].name);
    for (size_t i = 0; i < type.rank; i++) {
        sizes[i] = type.dims[i].size;
        symbols[i] = type.dims[i].symbol;
        if (!symbols[i] && sizes[i] < 0) {
            symbols[i] = htp_arena_printf(arena, "%s.%zu", name, i);
        }
        if (symbols[i]) {
            htp_made_axes_add(arena, &kinds->axes, symbols[i]);
        }
    }
    kind->data_type = type.data_type;
    kind->rank = type.rank;
    kind->symbols = symbols;
    kind->sizes = sizes;
    return HTP_OK;
}

htp_status htp_input_kinds_find(htp_arena *arena, const htp_view *view, htp_view_types *types,
                                htp_input_kinds *kinds)
{
    const int64_t *limits = find_limits(arena, view, types);
    htp_view_range inputs = view->graphs.items[0].inputs;
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t value = view->operands.items[inputs.first + i];
        if (value == HTP_NONE || view->values.items[value].initializer != HTP_NONE) {
            continue;
        }
        htp_input_kind kind = {.value = value, .limit = limits[value]};
        HTP_TRY(find_kind(arena, view, types, kinds, &kind));
        HTP_PUSH(arena, &kinds->items, kind);
    }
    return HTP_OK;
}

/* ---- values ---- */

/* SplitMix64. Reference: Steele, Lea, Flood: Fast splittable pseudorandom number generators. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

/* From 0 on, below 1. */
static double next_fraction(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static double next_normal(uint64_t *state)
{
    static const double pi = 3.14159265358979323846;
    double radius = sqrt(-2 * log(1 - next_fraction(state)));
    return radius * cos(2 * pi * next_fraction(state));
}

static void fill(const htp_input_kind *kind, uint64_t seed, htp_array *array, unsigned char *data)
{
    size_t row = array->rank > 0 ? (size_t)array->dims[array->rank - 1] : 1;
    size_t step = htp_tensor_type_bits(kind->data_type) / 8;
    bool is_float = htp_measure_is_float(kind->data_type);
    for (size_t i = 0; i < array->count; i++) {
        double number = is_float          ? next_normal(&seed)
                        : kind->limit > 0 ? floor(next_fraction(&seed) * (double)kind->limit)
                                          : (double)(i % row == 0 || next_fraction(&seed) < 0.75);
        (void)htp_measure_write(&number, 1, kind->data_type, data + i * step);
    }
    array->data = data;
}

/* The dims of an input. @return false where one has no size, or all are too many */
static bool set_dims(htp_arena *arena, const htp_input_kind *kind, const htp_made_axes *axes,
                     htp_array *array)
{
    int64_t *dims = HTP_NEW_ARRAY(arena, int64_t, kind->rank + 1);
    *array =
        (htp_array){.data_type = kind->data_type, .rank = kind->rank, .dims = dims, .count = 1};
    for (size_t i = 0; i < kind->rank; i++) {
        dims[i] = kind->symbols[i] ? htp_made_axes_size(axes, kind->symbols[i]) : kind->sizes[i];
        if (dims[i] < 0 || (dims[i] > 0 && array->count > MOST_ELEMENTS / (size_t)dims[i])) {
            return false;
        }
        array->count *= (size_t)dims[i];
    }
    return true;
}

const htp_array *htp_inputs_make(htp_arena *arena, const htp_input_kinds *kinds,
                                 const int64_t *sizes)
{
    htp_array *arrays = HTP_NEW_ARRAY(arena, htp_array, kinds->items.count + 1);
    htp_made_axes axes = kinds->axes;
    axes.sizes = sizes;
    for (size_t i = 0; i < kinds->items.count; i++) {
        if (!set_dims(arena, &kinds->items.items[i], &axes, &arrays[i])) {
            return NULL;
        }
        size_t bytes = htp_array_bytes(&arrays[i]);
        fill(&kinds->items.items[i], i, &arrays[i], htp_arena_alloc(arena, bytes + 1));
    }
    return arrays;
}
