/* Copies of a call's operands in another layout, with or without contents. */
#include "oracle.h"

#include <string.h>

/* Elements of a tensor, so that kernels are fast. */
enum { MAX_GIVEN = 1 << 15, MAX_LAID_OUT = 1 << 12 };

/* State while copying: the memory made so far for each storage. */
typedef struct making {
    oracle *o;
    const oracle_way *way;
    const oracle_tensors *given;
    const htp_runner_tensor **memories; /* by number of the tensor */
    const bool *is_written;             /* the same */
    uint32_t at;                        /* the next tensor */
} making;

void oracle_list_tensors(oracle *o, const htp_operand *operands, uint32_t count,
                         oracle_tensors *tensors)
{
    for (uint32_t i = 0; i < count; i++) {
        const htp_operand *operand = &operands[i];
        if (operand->kind == HTP_OPERAND_TENSOR) {
            HTP_PUSH(&o->arena, tensors, operand->as.tensor);
        } else if (operand->kind == HTP_OPERAND_LIST || operand->kind == HTP_OPERAND_TUPLE) {
            oracle_list_tensors(o, operand->as.elements, operand->count, tensors);
        }
    }
}

/* ---- layouts ---- */

/* Strides for dims in @p order, the last one innermost and padded by @p more elements. */
static void set_strides(htp_runner_tensor *tensor, int64_t *strides, const uint32_t *order,
                        int64_t more)
{
    int64_t step = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        int64_t size = tensor->dims[order[i]] + (i + 1 == tensor->rank ? more : 0);
        strides[order[i]] = step;
        step *= size > 1 ? size : 1;
    }
    tensor->strides = strides;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t before = *a;
    *a = *b;
    *b = before;
}

static void reorder(oracle_layout layout, uint32_t *order, uint32_t rank)
{
    if (layout == ORACLE_TRANSPOSED && rank >= 2) {
        swap(&order[rank - 2], &order[rank - 1]);
    }
    for (uint32_t i = 0; layout == ORACLE_REVERSED && i < rank / 2; i++) {
        swap(&order[i], &order[rank - 1 - i]);
    }
    for (uint32_t i = 1; layout == ORACLE_CHANNELS_LAST && i + 1 < rank; i++) {
        swap(&order[i], &order[i + 1]);
    }
}

/* The geometry of a tensor in a layout. */
static htp_runner_tensor lay_out(oracle *o, const htp_runner_tensor *given, oracle_layout layout)
{
    htp_runner_tensor made = *given;
    if (layout == ORACLE_AS_GIVEN) {
        return made;
    }
    int64_t *strides = HTP_NEW_ARRAY(&o->arena, int64_t, (size_t)given->rank + 1);
    uint32_t *order = HTP_NEW_ARRAY(&o->arena, uint32_t, (size_t)given->rank + 1);
    for (uint32_t dim = 0; dim < given->rank; dim++) {
        order[dim] = dim;
    }
    reorder(layout, order, given->rank);
    made.offset = layout == ORACLE_SLICED ? 1 : 0;
    set_strides(&made, strides, order, made.offset);
    if (layout == ORACLE_SLICED && given->rank == 1) {
        strides[0] = 2;
    }
    if (layout == ORACLE_EXPANDED && given->rank > 0 && given->dims[0] > 1) {
        strides[0] = 0;
    }
    return made;
}

static bool is_chosen(const oracle_way *way, uint32_t number)
{
    return way->choice == ORACLE_ALL || (way->choice == ORACLE_FIRST) == (number == 0);
}

/* Written tensors are not expanded: libtorch raises for that, whatever the operator. */
static htp_runner_tensor geometry_of(making *m, uint32_t number)
{
    const htp_runner_tensor *given = m->given->items[number];
    bool is_kept = m->is_written[number] && m->way->layout == ORACLE_EXPANDED;
    return lay_out(m->o, given,
                   is_chosen(m->way, number) && !is_kept ? m->way->layout : ORACLE_AS_GIVEN);
}

/* ---- tensors ---- */

/* The number of elements of memory that a tensor needs; INT64_MAX on overflow. */
static int64_t extent_of(const htp_runner_tensor *tensor)
{
    int64_t extent = tensor->offset + (tensor->elements > 0 ? 1 : 0);
    for (uint32_t dim = 0; dim < tensor->rank && tensor->elements > 0; dim++) {
        int64_t reach = 0;
        if (__builtin_mul_overflow(tensor->dims[dim] - 1, tensor->strides[dim], &reach) ||
            __builtin_add_overflow(extent, reach, &extent)) {
            return INT64_MAX;
        }
    }
    return extent;
}

/* Whether two tensors share memory; only unchanged ones do. */
static bool are_together(const making *m, uint32_t a, uint32_t b)
{
    bool is_given = m->way->layout == ORACLE_AS_GIVEN;
    return a == b || (is_given && m->given->items[a]->storage == m->given->items[b]->storage);
}

static const htp_runner_tensor *make(oracle *o, const htp_making *making)
{
    const htp_runner_tensor *made = NULL;
    htp_error error;
    htp_run_code code = o->inner->make(o->inner->self, making, &made, &error);
    return code == HTP_RUN_OK ? made : NULL;
}

/* Unordered numbers from 0 to 1, for kernels that take neither ones nor zeros. @return NULL for
 * types without such numbers */
static const void *varied_bytes(making *m, int32_t type, int64_t count, size_t *bytes)
{
    size_t parts = type == HTP_SCALAR_COMPLEX_FLOAT || type == HTP_SCALAR_COMPLEX_DOUBLE ? 2 : 1;
    bool is_wide = type == HTP_SCALAR_DOUBLE || type == HTP_SCALAR_COMPLEX_DOUBLE;
    if (!is_wide && type != HTP_SCALAR_FLOAT && type != HTP_SCALAR_COMPLEX_FLOAT) {
        return NULL;
    }
    size_t all = (size_t)count * parts;
    double *wide = HTP_NEW_ARRAY(&m->o->arena, double, all + 1);
    float *narrow = HTP_NEW_ARRAY(&m->o->arena, float, all + 1);
    uint32_t state = 1;
    for (size_t i = 0; i < all; i++) {
        state = state * 1664525U + 1013904223U;
        wide[i] = (double)(state >> 8) / (1 << 24);
        narrow[i] = (float)wide[i];
    }
    *bytes = all * (is_wide ? sizeof(*wide) : sizeof(*narrow));
    return is_wide ? (const void *)wide : (const void *)narrow;
}

static const htp_runner_tensor *make_filled(making *m, int32_t type, int64_t extent)
{
    htp_making memory = {.way =
                             m->way->fill == ORACLE_NO_CONTENTS ? HTP_MAKE_EMPTY : HTP_MAKE_FILLED,
                         .type = type,
                         .rank = 1,
                         .dims = &extent,
                         .number = m->way->fill != ORACLE_ZEROES,
                         .real = m->way->fill != ORACLE_ZEROES};
    if (m->way->fill == ORACLE_VARIED) {
        memory.bytes = varied_bytes(m, type, extent, &memory.byte_count);
        memory.way = memory.bytes ? HTP_MAKE_OF_BYTES : HTP_MAKE_FILLED;
    }
    return make(m->o, &memory);
}

static const htp_runner_tensor *make_memory(making *m, uint32_t number)
{
    int64_t extent = 0;
    for (uint32_t i = 0; i < m->given->count; i++) {
        htp_runner_tensor other = geometry_of(m, i);
        int64_t needed = are_together(m, number, i) ? extent_of(&other) : 0;
        extent = needed > extent ? needed : extent;
        bool is_seen = are_together(m, number, i);
        extent = is_seen && other.elements > extent ? other.elements : extent;
    }
    int64_t most = m->way->layout == ORACLE_AS_GIVEN ? MAX_GIVEN : MAX_LAID_OUT;
    if (extent > most && m->way->fill != ORACLE_NO_CONTENTS) {
        return NULL;
    }
    return make_filled(m, m->given->items[number]->type, extent);
}

static const htp_runner_tensor *make_tensor(making *m, uint32_t number)
{
    const htp_runner_tensor *given = m->given->items[number];
    if (given->is_real) {
        const htp_making copy = {.way = HTP_MAKE_COPY, .of = given};
        return make(m->o, &copy);
    }
    uint32_t first = 0;
    while (!are_together(m, first, number)) {
        first++;
    }
    if (!m->memories[first]) {
        m->memories[first] = make_memory(m, number);
    }
    const htp_runner_tensor geometry = geometry_of(m, number);
    const htp_making view = {.way = HTP_MAKE_VIEW,
                             .of = m->memories[first],
                             .rank = geometry.rank,
                             .dims = geometry.dims,
                             .strides = geometry.strides,
                             .offset = geometry.offset};
    return m->memories[first] ? make(m->o, &view) : NULL;
}

/* ---- operands ---- */

static bool make_operands(making *m, const htp_operand *given, uint32_t count, htp_operand **made);

static bool make_operand(making *m, const htp_operand *given, htp_operand *made)
{
    static const char real_device[] = "cpu";
    *made = *given;
    if (given->kind == HTP_OPERAND_TENSOR) {
        made->as.tensor = make_tensor(m, m->at++);
        return made->as.tensor != NULL;
    }
    if (given->kind == HTP_OPERAND_LIST || given->kind == HTP_OPERAND_TUPLE) {
        htp_operand *elements = NULL;
        bool is_made = make_operands(m, given->as.elements, given->count, &elements);
        made->as.elements = elements;
        return is_made;
    }
    bool is_device = given->kind == HTP_OPERAND_DEVICE && m->way->fill != ORACLE_NO_CONTENTS;
    if (is_device && strcmp(given->as.text, "meta") == 0) {
        made->as.text = real_device;
        made->bytes = sizeof(real_device) - 1;
    }
    return true;
}

static bool make_operands(making *m, const htp_operand *given, uint32_t count, htp_operand **made)
{
    *made = HTP_NEW_ARRAY(&m->o->arena, htp_operand, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        if (!make_operand(m, &given[i], &(*made)[i])) {
            return false;
        }
    }
    return true;
}

/* Whether each tensor belongs to a written argument. */
static const bool *find_written(oracle *o, const oracle_call *call, size_t count)
{
    bool *is_written = HTP_NEW_ARRAY(&o->arena, bool, count + 1);
    oracle_tensors seen = {0};
    for (uint32_t i = 0; i < call->count; i++) {
        size_t first = seen.count;
        oracle_list_tensors(o, &call->inputs[i], 1, &seen);
        bool is = i < call->schema->argument_count && call->schema->arguments[i].is_written;
        for (size_t number = first; number < seen.count; number++) {
            is_written[number] = is;
        }
    }
    return is_written;
}

bool oracle_make(oracle *o, const oracle_call *call, const oracle_way *way, htp_operand **made)
{
    oracle_tensors given = {0};
    oracle_list_tensors(o, call->inputs, call->count, &given);
    making m = {
        .o = o, .way = way, .given = &given, .is_written = find_written(o, call, given.count)};
    m.memories = HTP_NEW_ARRAY(&o->arena, const htp_runner_tensor *, given.count + 1);
    return make_operands(&m, call->inputs, call->count, made);
}
