/*
 * The type inference pass, and helpers of its rules.
 */
#include "onnx/shape_inference/infer.h"

#include "onnx/shape_inference/infer_rule.h"

#include <string.h>

typedef struct rule {
    const char *op;
    htp_infer_fn types;
    htp_contents_fn contents; /* or NULL */
} rule;

static const rule rules[] = {
#define HTP_INFER(op, types) {op, types, NULL},
#define HTP_INFER_CONTENTS(op, types, contents) {op, types, contents},
#include "onnx/shape_inference/infer_rules.def"
#undef HTP_INFER
#undef HTP_INFER_CONTENTS
};

#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]))

/* The most passes with guesses; one without follows. */
enum { MAX_PASSES = 6 };

/* ---- the node ---- */

bool htp_infer_has_input(const htp_infer *infer, uint32_t index)
{
    return index < infer->node->input_count && infer->node->inputs[index] != HTP_NONE;
}

const htp_tensor *htp_infer_input(const htp_infer *infer, uint32_t index)
{
    if (!htp_infer_has_input(infer, index)) {
        return NULL;
    }
    const htp_tensor *tensor = &infer->model->tensors.items[infer->node->inputs[index]];
    return tensor->has_type && tensor->rank <= HTP_MAX_RANK ? tensor : NULL;
}

const htp_attribute *htp_infer_attribute(const htp_infer *infer, const char *name)
{
    for (uint32_t i = 0; i < infer->node->attribute_count; i++) {
        if (strcmp(infer->node->attributes[i].name, name) == 0) {
            return &infer->node->attributes[i];
        }
    }
    return NULL;
}

int64_t htp_infer_int(const htp_infer *infer, const char *name, int64_t otherwise)
{
    const htp_attribute *found = htp_infer_attribute(infer, name);
    return found ? found->i : otherwise;
}

bool htp_infer_dtype(const htp_infer *infer, const char *name, htp_dtype *dtype)
{
    int64_t wanted = htp_infer_int(infer, name, 0);
    return htp_dtype_of_onnx(wanted, dtype);
}

int64_t htp_infer_int_at(const htp_infer *infer, const char *name, size_t index, int64_t otherwise)
{
    const htp_attribute *found = htp_infer_attribute(infer, name);
    return found && index < found->count ? found->ints[index] : otherwise;
}

bool htp_infer_wrap(int64_t axis, uint32_t rank, uint32_t *wrapped)
{
    axis = axis < 0 ? axis + rank : axis;
    bool is_axis = axis >= 0 && axis < rank;
    *wrapped = is_axis ? (uint32_t)axis : 0;
    return is_axis;
}

/* Notes a tensor with another rank or size than its operator gives it, except in graphs that may
 * not run. */
static void note_contradicted(htp_infer *infer, htp_tensor_id id)
{
    const htp_tensor *tensor = &infer->model->tensors.items[id];
    bool counts = infer->node->graph == 0 && (tensor->uses > 0 || tensor->is_output);
    if (counts && infer->contradicted == HTP_NONE) {
        infer->contradicted = id;
    }
}

static bool are_other_sizes(const htp_dim *given, const htp_dim *derived, uint32_t rank)
{
    bool are = false;
    for (uint32_t i = 0; derived && i < rank && !are; i++) {
        are = !given[i].symbol && !derived[i].symbol && given[i].size != derived[i].size;
    }
    return are;
}

/* Compares a derived type with the existing one; does nothing if @p derived is NULL. Symbols are
 * proven in the main graph alone: in bodies a name would stand for several sizes, one per
 * iteration. */
static void prove(htp_infer *infer, htp_tensor *tensor, const htp_dim *derived)
{
    htp_dim *dims = htp_infer_dims(infer, tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        htp_dim dim = derived ? derived[i] : htp_infer_unknown(infer);
        dims[i] = htp_symbols_prove(infer->symbols, tensor->dims[i], dim, infer->node->graph == 0);
    }
    tensor->dims = dims;
}

void htp_infer_note_least(htp_infer *infer, htp_dim dim, int64_t least)
{
    if (dim.symbol && *dim.symbol && infer->node->graph == 0) { /* nested graphs may not run */
        htp_polynomial_set_least(&infer->symbols->algebra, htp_infer_of(infer, dim), least);
    }
}

void htp_infer_set(htp_infer *infer, uint32_t index, htp_dtype dtype, uint32_t rank,
                   const htp_dim *dims)
{
    if (index >= infer->node->output_count || rank > HTP_MAX_RANK) {
        return;
    }
    const htp_tensor_id id = infer->node->outputs[index];
    htp_tensor *tensor = &infer->model->tensors.items[id];
    if (tensor->has_type && (tensor->rank != rank || are_other_sizes(tensor->dims, dims, rank))) {
        note_contradicted(infer, id);
    }
    if (!tensor->has_type) {
        tensor->has_type = true;
        tensor->dtype = dtype;
        tensor->rank = rank;
        tensor->dims = dims;
    } else if (tensor->rank == rank) {
        prove(infer, tensor, dims);
    } else {
        return;
    }
    infer->is_set[id] = true;
    for (uint32_t i = 0; i < rank; i++) {
        htp_infer_note_least(infer, tensor->dims[i], 0);
    }
}

/* ---- known contents ---- */

static bool find_length(const htp_tensor *tensor, size_t *length)
{
    if (tensor->rank > 1 || (tensor->rank == 1 && tensor->dims[0].symbol)) {
        return false;
    }
    *length = tensor->rank == 0 ? 1 : (size_t)tensor->dims[0].size;
    return true;
}

bool htp_infer_short(const htp_tensor *tensor, size_t *length)
{
    return find_length(tensor, length) && *length <= HTP_INFER_MAX_ELEMENTS;
}

bool htp_infer_length(const htp_infer *infer, uint32_t index, size_t *length)
{
    const htp_tensor *tensor = htp_infer_input(infer, index);
    return tensor && find_length(tensor, length);
}

htp_element htp_infer_content(const htp_infer *infer, htp_tensor_id tensor, size_t at)
{
    const htp_element *elements = infer->contents[tensor];
    size_t length;
    bool has_it =
        elements && find_length(&infer->model->tensors.items[tensor], &length) && at < length;
    return has_it ? elements[at] : (htp_element){.is_known = false};
}

htp_element htp_infer_element(const htp_infer *infer, uint32_t index, size_t at)
{
    return htp_infer_has_input(infer, index)
               ? htp_infer_content(infer, infer->node->inputs[index], at)
               : (htp_element){.is_known = false};
}

bool htp_infer_number(htp_element element, int64_t *number)
{
    *number = element.value.size;
    return element.is_known && !element.value.symbol;
}

bool htp_infer_axes(const htp_infer *infer, uint32_t index, uint32_t rank, bool *named, bool *any)
{
    bool is_input = htp_infer_has_input(infer, index);
    const htp_attribute *attribute = is_input ? NULL : htp_infer_attribute(infer, "axes");
    size_t count = attribute ? attribute->count : 0;
    if (is_input && !htp_infer_length(infer, index, &count)) {
        return false;
    }
    *any = count > 0;
    for (size_t i = 0; i < count; i++) {
        int64_t axis = attribute ? attribute->ints[i] : 0;
        uint32_t wrapped;
        if ((!attribute && !htp_infer_number(htp_infer_element(infer, index, i), &axis)) ||
            !htp_infer_wrap(axis, rank, &wrapped)) {
            return false;
        }
        named[wrapped] = true;
    }
    return true;
}

/* ---- dims ---- */

htp_dim *htp_infer_dims(htp_infer *infer, uint32_t rank)
{
    return HTP_NEW_ARRAY(infer->arena, htp_dim, rank);
}

htp_dim htp_infer_unknown(htp_infer *infer)
{
    return htp_symbols_unknown(infer->symbols);
}

htp_dim htp_infer_size(htp_infer *infer, int64_t size)
{
    return size < 0 ? htp_infer_unknown(infer) : (htp_dim){.size = size};
}

htp_dim htp_infer_element_dim(htp_infer *infer, htp_element element)
{
    if (!element.is_known) {
        return htp_infer_unknown(infer);
    }
    return element.value.symbol ? element.value : htp_infer_size(infer, element.value.size);
}

bool htp_infer_is(htp_dim dim, int64_t size)
{
    return !dim.symbol && dim.size == size;
}

bool htp_infer_is_same(htp_dim a, htp_dim b)
{
    if (a.symbol && b.symbol) {
        return strcmp(a.symbol, b.symbol) == 0;
    }
    return !a.symbol && !b.symbol && a.size == b.size;
}

htp_dim htp_infer_both(htp_dim a, htp_dim b)
{
    if (a.symbol && b.symbol) {
        return strlen(b.symbol) < strlen(a.symbol) ? b : a;
    }
    return a.symbol ? b : a;
}

htp_polynomial_id htp_infer_of(const htp_infer *infer, htp_dim dim)
{
    return htp_symbols_polynomial(infer->symbols, dim);
}

htp_dim htp_infer_polynomial(htp_infer *infer, htp_polynomial_id id)
{
    if (id == HTP_NONE) {
        return htp_infer_unknown(infer);
    }
    htp_dim dim = htp_symbols_name(infer->symbols, id);
    return dim.symbol ? dim : htp_infer_size(infer, dim.size);
}

htp_dim htp_infer_sum(htp_infer *infer, htp_dim a, htp_dim b, int64_t factor)
{
    return htp_infer_polynomial(infer,
                                htp_polynomial_add(&infer->symbols->algebra, htp_infer_of(infer, a),
                                                   htp_infer_of(infer, b), factor));
}

htp_dim htp_infer_product(htp_infer *infer, htp_dim a, htp_dim b)
{
    return htp_infer_polynomial(infer, htp_polynomial_multiply(&infer->symbols->algebra,
                                                               htp_infer_of(infer, a),
                                                               htp_infer_of(infer, b)));
}

htp_dim htp_infer_floor(htp_infer *infer, htp_dim a, int64_t divisor)
{
    return htp_infer_polynomial(
        infer, htp_polynomial_floor(&infer->symbols->algebra, htp_infer_of(infer, a), divisor));
}

htp_dim htp_infer_ceil(htp_infer *infer, htp_dim a, int64_t divisor)
{
    htp_algebra *algebra = &infer->symbols->algebra;
    htp_polynomial_id above = htp_polynomial_add(algebra, htp_infer_of(infer, a),
                                                 htp_polynomial_number(algebra, divisor - 1), 1);
    return htp_infer_polynomial(infer, htp_polynomial_floor(algebra, above, divisor));
}

/* The broadcast of two sizes, if that can be decided. */
static htp_dim larger_dim(htp_infer *infer, htp_dim a, htp_dim b)
{
    htp_algebra *algebra = &infer->symbols->algebra;
    htp_polynomial_id x = htp_infer_of(infer, a);
    htp_polynomial_id y = htp_infer_of(infer, b);
    bool is_a = htp_polynomial_is_at_least(algebra, x, 2);
    bool is_b = htp_polynomial_is_at_least(algebra, y, 2);
    if (is_a || is_b) {
        return is_a && is_b ? htp_infer_both(a, b) : is_a ? a : b;
    }
    /* The maximum is wrong if one may be 0 and the other 1: the result is 0. */
    bool is_told =
        htp_polynomial_is_at_least(algebra, x, 1) && htp_polynomial_is_at_least(algebra, y, 1);
    return is_told ? htp_infer_polynomial(infer, htp_polynomial_larger(algebra, x, y))
                   : htp_infer_unknown(infer);
}

bool htp_infer_broadcast_dim(htp_infer *infer, htp_dim a, htp_dim b, htp_dim *result)
{
    if (htp_infer_is(a, 1) || htp_infer_is(b, 1)) {
        *result = htp_infer_is(a, 1) ? b : a;
        return true;
    }
    bool differ = a.symbol && b.symbol && !htp_infer_is_same(a, b);
    if (differ && infer->node->graph == 0) { /* nested graphs may not run */
        htp_polynomial_note_broadcast(&infer->symbols->algebra, htp_infer_of(infer, a),
                                      htp_infer_of(infer, b));
    }
    *result = differ ? larger_dim(infer, a, b) : htp_infer_both(a, b);
    return a.symbol || b.symbol || a.size == b.size;
}

/* ---- the walk ---- */

/* Marks existing names as taken. */
static void take_symbols(htp_infer *infer)
{
    for (size_t i = 0; i < infer->model->tensors.count; i++) {
        const htp_tensor *tensor = &infer->model->tensors.items[i];
        for (uint32_t k = 0; tensor->has_type && k < tensor->rank; k++) {
            const char *symbol = tensor->dims[k].symbol;
            if (symbol && *symbol) {
                (void)htp_infer_of(infer, tensor->dims[k]);
            }
        }
    }
}

/* Replaces symbols by their proven formulas. Dims that lowerings typed in the main graph get names,
 * and so do all dims of outputs. */
static void resolve_symbols(htp_infer *infer, const htp_tensor *before, bool of_outputs)
{
    for (size_t i = 0; i < infer->model->tensors.count; i++) {
        htp_tensor *tensor = &infer->model->tensors.items[i];
        if (!tensor->has_type || tensor->is_output != of_outputs) {
            continue;
        }
        bool is_named =
            tensor->is_output || (before[i].has_type && tensor->source == HTP_TENSOR_FROM_NODE &&
                                  infer->model->nodes.items[tensor->index].graph == 0);
        htp_dim *dims = htp_infer_dims(infer, tensor->rank);
        for (uint32_t k = 0; k < tensor->rank; k++) {
            dims[k] = htp_symbols_resolve(infer->symbols, tensor->dims[k], is_named);
        }
        tensor->dims = dims;
    }
}

static void read_constants(htp_infer *infer)
{
    for (size_t i = 0; i < infer->model->initializers.count; i++) {
        const htp_initializer *initializer = &infer->model->initializers.items[i];
        const htp_tensor *tensor = &infer->model->tensors.items[initializer->tensor];
        size_t length;
        bool is_bool = tensor->dtype == HTP_DTYPE_BOOL;
        if (initializer->data) {
            htp_infer_read_reals(infer, initializer->tensor, initializer->data);
        }
        if (!initializer->data || (tensor->dtype != HTP_DTYPE_INT64 && !is_bool) ||
            !htp_infer_short(tensor, &length)) {
            continue;
        }
        htp_element *elements = HTP_NEW_ARRAY(infer->arena, htp_element, length);
        for (size_t k = 0; k < length; k++) {
            const char *data = initializer->data;
            elements[k] = (htp_element){.is_known = true, .value.size = is_bool && data[k]};
            if (!is_bool) {
                memcpy(&elements[k].value.size, data + k * sizeof(int64_t), sizeof(int64_t));
            }
        }
        infer->contents[initializer->tensor] = elements;
    }
}

static void note_contents(htp_infer *infer, htp_contents_fn contents)
{
    htp_tensor_id output = infer->node->outputs[0];
    const htp_tensor *tensor = &infer->model->tensors.items[output];
    size_t length;
    if (!tensor->has_type ||
        (tensor->dtype != HTP_DTYPE_INT64 && tensor->dtype != HTP_DTYPE_BOOL) ||
        !htp_infer_short(tensor, &length)) {
        return;
    }
    htp_element *elements = HTP_NEW_ARRAY(infer->arena, htp_element, length);
    if (contents(infer, elements, length)) {
        infer->contents[output] = elements;
    }
}

/* Outputs without a rule: sizes of unknown operators that are equal in all lanes count as static.
 */
static void leave_untold(htp_infer *infer)
{
    for (uint32_t i = 0; i < infer->node->output_count; i++) {
        htp_tensor_id id = infer->node->outputs[i];
        htp_tensor *tensor = &infer->model->tensors.items[id];
        if (!tensor->has_type || infer->is_set[id]) {
            continue;
        }
        const htp_dim *given = tensor->dims;
        prove(infer, tensor, NULL);
        htp_dim *dims = htp_infer_dims(infer, tensor->rank);
        for (uint32_t k = 0; k < tensor->rank; k++) {
            bool is_fixed = *infer->node->domain && !given[k].symbol;
            dims[k] = is_fixed ? given[k] : tensor->dims[k];
        }
        tensor->dims = dims;
    }
}

static void walk(htp_infer *infer, const htp_map *by_op)
{
    const htp_builder *model = infer->model;
    infer->contents = HTP_NEW_ARRAY(infer->arena, const htp_element *, model->tensors.count);
    infer->reals = HTP_NEW_ARRAY(infer->arena, const double *, model->tensors.count);
    infer->is_set = HTP_NEW_ARRAY(infer->arena, bool, model->tensors.count);
    infer->fronts = (htp_map){0};
    infer->is_wrong = false;
    infer->contradicted = HTP_NONE;
    htp_polynomial_forget(&infer->symbols->algebra);
    read_constants(infer);
    for (size_t i = 0; i < model->nodes.count; i++) {
        infer->node = &model->nodes.items[i];
        uint32_t found;
        if (!*infer->node->domain && htp_map_get(by_op, infer->node->op_type, &found)) {
            rules[found].types(infer);
            if (rules[found].contents) {
                note_contents(infer, rules[found].contents);
            }
            htp_infer_note_reals(infer);
        }
        leave_untold(infer);
    }
}

htp_tensor_id htp_builder_infer_types(htp_builder *model)
{
    htp_infer infer = {.model = model, .arena = model->arena, .symbols = model->graph->symbols};
    htp_map by_op = {0};
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        htp_map_set(model->arena, &by_op, rules[i].op, i);
    }
    take_symbols(&infer);
    const size_t bytes = model->tensors.count * sizeof(htp_tensor);
    const htp_tensor *before =
        htp_arena_grow(model->arena, model->tensors.items, model->tensors.count,
                       model->tensors.count, sizeof(*before));
    for (uint32_t pass = 0; pass == 0 || infer.is_wrong; pass++) {
        memcpy(model->tensors.items, before, bytes);
        infer.guesses_nothing = pass == MAX_PASSES;
        htp_infer_guess(&infer);
        walk(&infer, &by_op);
    }
    resolve_symbols(&infer, before, true);
    resolve_symbols(&infer, before, false);
    for (size_t i = 0; i < model->graphs.count; i++) {
        htp_nested_graph *graph = &model->graphs.items[i];
        graph->trips = graph->has_trips ? htp_symbols_resolve(infer.symbols, graph->trips, false)
                                        : graph->trips;
    }
    return infer.contradicted;
}
