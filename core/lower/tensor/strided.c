/*
 * aten::as_strided: elements by positions in memory; aten::stride.
 *
 * The memory is that of self's base value, in its order. Positions are constants, or computed from
 * sizes. If the last dims are contiguous, whole rows are gathered.
 */
#include "lower/emit/constant.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/tensor/layout.h"

#include <string.h>

enum { MAX_PLACES = 1 << 24 };

/** The arguments, if all are static. */
typedef struct strided {
    const int64_t *sizes;
    const int64_t *strides;
    uint32_t rank;
    int64_t offset;
} strided;

/** The number of elements in a contiguous run of the innermost dims, such that all outer strides
 * are multiples of it. @p inner receives the number of these dims. */
static int64_t find_run(const strided *s, int64_t elements, uint32_t *inner)
{
    int64_t best = 1;
    int64_t run = 1;
    *inner = 0;
    for (uint32_t i = s->rank; i-- > 0 && (s->sizes[i] == 1 || s->strides[i] == run);) {
        run *= s->sizes[i];
        bool divides = run > 0 && elements % run == 0 && s->offset % run == 0;
        for (uint32_t k = 0; k < i && divides; k++) {
            divides = s->sizes[k] == 1 || s->strides[k] % run == 0;
        }
        if (divides) {
            best = run;
            *inner = s->rank - i;
        }
    }
    return best;
}

/** Whether the last element's position is among @p elements, and not too large. */
static bool is_inside(const strided *s, int64_t elements)
{
    int64_t last = s->offset;
    for (uint32_t i = 0; i < s->rank; i++) {
        int64_t step = 0;
        if (s->strides[i] < 0 || s->sizes[i] < 1 ||
            __builtin_mul_overflow(s->strides[i], s->sizes[i] - 1, &step) ||
            __builtin_add_overflow(last, step, &last)) {
            return false;
        }
    }
    return s->offset >= 0 && last < elements;
}

/** The positions of all elements in units of @p run, without the @p inner dims; NULL if there are
 * too many. */
static htp_number *list_places(htp_lowering *l, const strided *s, int64_t run, uint32_t inner)
{
    uint32_t outer = s->rank - inner;
    int64_t count = 1;
    for (uint32_t i = 0; i < outer; i++) {
        if (__builtin_mul_overflow(count, s->sizes[i], &count) || count > MAX_PLACES) {
            htp_lower_fail(l, "its result has too many elements");
            return NULL;
        }
    }
    htp_number *places = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        int64_t place = s->offset;
        for (uint32_t k = outer; k-- > 0;) {
            place += rest % s->sizes[k] * s->strides[k];
            rest /= s->sizes[k];
        }
        places[i] = htp_number_int(place / run);
    }
    return places;
}

/** The elements of @p memory ([n]) at constant positions. */
static htp_tensor_id gather_constant(htp_lowering *l, htp_tensor_id memory, int64_t elements,
                                     const strided *s)
{
    if (!is_inside(s, elements)) {
        htp_lower_fail(l, "it looks at memory beyond the elements of its input");
        return HTP_NONE;
    }
    uint32_t inner = 0;
    int64_t run = find_run(s, elements, &inner);
    const htp_number *places = list_places(l, s, run, inner);
    if (!places) {
        return HTP_NONE;
    }
    htp_tensor_id index = htp_emit_numbers(l, HTP_DTYPE_INT64, s->rank - inner, s->sizes, places);
    if (inner == 0) {
        return htp_emit_binary(l, "Gather", memory, index);
    }
    htp_tensor_id rows = htp_emit_reshape(l, memory, (const int64_t[]){-1, run}, 2);
    return htp_emit_reshape(l, htp_emit_binary(l, "Gather", rows, index), s->sizes, s->rank);
}

/** Elements at positions that depend on sizes. @p offset is [1]. */
static htp_tensor_id gather_computed(htp_lowering *l, htp_tensor_id memory, htp_tensor_id offset)
{
    size_t rank = 0;
    size_t stride_count = 0;
    const htp_value_id *sizes = htp_arg_list(l, "size", &rank);
    const htp_value_id *strides = htp_arg_list(l, "stride", &stride_count);
    if (rank != stride_count || rank == 0) {
        htp_lower_fail(l, "it has %zu sizes and %zu strides", rank, stride_count);
        return HTP_NONE;
    }
    htp_tensor_id places = offset;
    for (size_t i = 0; i < rank; i++) {
        int64_t behind[HTP_MAX_RANK];
        for (size_t k = i + 1; k < rank; k++) {
            behind[k - i - 1] = (int64_t)(k - i);
        }
        htp_tensor_id steps = htp_emit_count_up(l, htp_value_vector(l, sizes[i]));
        steps = htp_emit_binary(l, "Mul", steps, htp_value_vector(l, strides[i]));
        steps = htp_emit_unsqueeze(l, steps, behind, rank - i - 1);
        places = htp_emit_binary(l, "Add", places, steps);
    }
    return htp_emit_binary(l, "Gather", memory, places);
}

/** The number of elements of a static value; -1 if a dim depends on the input. */
static int64_t count_elements(const htp_lowering *l, htp_value_id value)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < htp_graph_value(l->graph, value)->rank; i++) {
        const htp_dim *dim = &l->graph->values[value].dims[i];
        if (dim->symbol || __builtin_mul_overflow(count, dim->size, &count)) {
            return -1;
        }
    }
    return count;
}

/** Whether no element is written twice: which write wins is undefined. */
static bool are_distinct(htp_lowering *l, const htp_number *places, size_t count)
{
    int64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        last = places[i].i > last ? places[i].i : last;
    }
    bool *seen = HTP_NEW_ARRAY(l->arena, bool, (size_t)last + 1);
    memset(seen, 0, ((size_t)last + 1) * sizeof(*seen));
    for (size_t i = 0; i < count; i++) {
        if (seen[places[i].i]) {
            return false;
        }
        seen[places[i].i] = true;
    }
    return true;
}

/** Reads the arguments size, stride and storage_offset, which must be static. */
static strided arg_strided(htp_lowering *l, int64_t offset)
{
    size_t rank = 0;
    size_t stride_count = 0;
    strided s = {.sizes = htp_arg_ints(l, "size", &rank),
                 .strides = htp_arg_ints(l, "stride", &stride_count),
                 .offset = htp_arg_int_or(l, "storage_offset", offset)};
    s.rank = (uint32_t)rank;
    if (rank != stride_count || rank > HTP_MAX_RANK) {
        htp_lower_fail(l, "it has %zu sizes and %zu strides", rank, stride_count);
    }
    return s;
}

/** aten::as_strided_scatter: writes src at positions of self's memory, whose size may be dynamic:
 * positions beyond it are an error at run time, as in libtorch. */
void htp_lower_as_strided_scatter(htp_lowering *l)
{
    htp_layout layout;
    htp_value_id self = htp_arg_value(l, "self");
    int64_t elements = count_elements(l, self);
    bool is_static = elements >= 0;
    if (!htp_layout_find(l, self, &layout) || !layout.is_contiguous || layout.offset != 0 ||
        (is_static && elements != count_elements(l, layout.base)) || elements > MAX_PLACES) {
        htp_lower_fail(l, "how its input lies in memory is not known at all sizes");
        return;
    }
    elements = is_static ? elements : MAX_PLACES;
    strided s = arg_strided(l, 0);
    if (l->failure || !is_inside(&s, elements)) {
        htp_lower_fail(l, "it writes to memory beyond the elements of its input");
        return;
    }
    const htp_number *places = list_places(l, &s, 1, 0);
    int64_t count = 1;
    for (uint32_t i = 0; i < s.rank && places; i++) {
        count *= s.sizes[i];
    }
    if (!places || !are_distinct(l, places, (size_t)count)) {
        htp_lower_fail(l, "some places are written more than once");
        return;
    }
    static const int64_t flattened[] = {-1};
    htp_tensor_id whole = htp_arg_tensor(l, "self");
    htp_tensor_id x = htp_emit_reshape(l, whole, flattened, 1);
    htp_tensor_id source = htp_arg_tensor_as(l, "src", htp_arg_dtype(l, "self"));
    source = htp_emit_reshape(l, source, flattened, 1);
    htp_tensor_id index = htp_emit_numbers(l, HTP_DTYPE_INT64, 1, &count, places);
    x = htp_emit(l, "ScatterElements", HTP_IN(x, index, source), HTP_NO_AT);
    htp_tensor_id shape =
        htp_emit_shape(l, whole, htp_arg_rank(l, "self"), htp_arg_dims(l, "self"));
    htp_bind(l, 0, htp_emit_binary(l, "Reshape", x, shape));
}

/** aten::as_strided, as_strided_copy */
void htp_lower_as_strided(htp_lowering *l)
{
    htp_layout layout;
    if (!htp_layout_find(l, htp_arg_value(l, "self"), &layout)) {
        htp_lower_fail(l, "how its input lies in memory is not known at all sizes");
        return;
    }
    htp_tensor_id memory =
        htp_emit_reshape(l, htp_value_tensor(l, layout.base), (const int64_t[]){-1}, 1);
    int64_t elements = count_elements(l, layout.base);
    bool has_offset = htp_arg_present(l, "storage_offset");
    bool is_constant = htp_arg_is_constant(l, "size") && htp_arg_is_constant(l, "stride") &&
                       (!has_offset || htp_arg_is_constant(l, "storage_offset"));
    if (is_constant && elements >= 0) {
        strided s = arg_strided(l, layout.offset);
        if (l->failure) {
            return;
        }
        htp_bind(l, 0, gather_constant(l, memory, elements, &s));
        return;
    }
    htp_tensor_id offset =
        has_offset ? htp_arg_vector(l, "storage_offset") : htp_emit_int(l, layout.offset);
    htp_bind(l, 0, gather_computed(l, memory, offset));
}

/* ---- strides ---- */

/** The stride of a dim of self, as [1]. */
static htp_tensor_id stride_vector(htp_lowering *l, uint32_t dim)
{
    return htp_emit_dim_product(l, htp_arg_tensor(l, "self"), htp_arg_dims(l, "self"), dim + 1,
                                htp_arg_rank(l, "self"));
}

/** Whether self is contiguous at all sizes; fails otherwise. */
static bool is_in_order(htp_lowering *l)
{
    htp_layout layout;
    bool is_known = htp_layout_find(l, htp_arg_value(l, "self"), &layout) && layout.is_contiguous;
    if (!is_known) {
        htp_lower_fail(l, "how its input lies in memory is not known at all sizes");
    }
    return is_known;
}

/** aten::stride.int */
void htp_lower_stride(htp_lowering *l)
{
    if (is_in_order(l)) {
        int64_t dim = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
        htp_bind_value_vector(l, htp_output_value(l, 0), stride_vector(l, (uint32_t)dim));
    }
}

/** aten::stride: of all dims */
void htp_lower_strides(htp_lowering *l)
{
    const htp_trace_value *list = htp_graph_value(l->graph, htp_output_value(l, 0));
    if (!is_in_order(l)) {
        return;
    }
    htp_sizes all = htp_sizes_begin(l);
    for (uint32_t i = 0; i < list->element_count; i++) {
        htp_tensor_id vector = stride_vector(l, i);
        htp_sizes_add_tensor(&all, vector);
        if (!htp_value_is_constant(l, list->elements[i])) {
            htp_bind_value_vector(l, list->elements[i], vector);
        }
    }
    l->bindings[htp_output_value(l, 0)].tensor = htp_sizes_end(&all);
}
