/*
 * Items, the tensors in their lanes, and contents.
 */
#include "interpret/machine/kernel.h"
#include "interpret/recording/recording.h"

#include <math.h>
#include <string.h>

htp_item *htp_item_make(htp_machine *m, htp_item_kind kind)
{
    htp_item *item = HTP_NEW(m->arena, htp_item);
    item->kind = kind;
    item->known = kind == HTP_ITEM_PLAIN    ? HTP_KNOWN_SIZED
                  : kind == HTP_ITEM_TENSOR ? HTP_KNOWN_OPEN
                                            : HTP_KNOWN_PARTS;
    item->id = (uint32_t)m->recording.items.count;
    item->creation_id = item->id;
    item->producer = HTP_NONE;
    item->weight = HTP_NONE;
    item->object = HTP_NONE;
    item->name = "";
    item->epoch = m->recording.epoch;
    HTP_PUSH(m->arena, &m->recording.items, item);
    return item;
}

htp_item *htp_item_plain(htp_machine *m, htp_operand value)
{
    htp_item *item = htp_item_make(m, HTP_ITEM_PLAIN);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        item->lane[lane] = value;
    }
    item->known = HTP_KNOWN_CONSTANT;
    return item;
}

htp_item *htp_item_none(htp_machine *m)
{
    return htp_item_plain(m, (htp_operand){.kind = HTP_OPERAND_NONE});
}

htp_item *htp_item_int(htp_machine *m, int64_t number)
{
    return htp_item_plain(m, (htp_operand){.kind = HTP_OPERAND_INT, .as.i = number});
}

htp_item *htp_item_float(htp_machine *m, double number)
{
    return htp_item_plain(m, (htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = number});
}

htp_item *htp_item_bool(htp_machine *m, bool flag)
{
    return htp_item_plain(m, (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = flag});
}

htp_item *htp_item_text(htp_machine *m, const char *text, size_t bytes)
{
    enum { BYTES_OF_A_STEP = 64 };
    m->control.steps += bytes / BYTES_OF_A_STEP;
    const char *copy = htp_arena_copy(m->arena, text, bytes);
    return htp_item_plain(
        m, (htp_operand){.kind = HTP_OPERAND_STRING, .as.text = copy, .bytes = bytes});
}

htp_item *htp_item_hold(htp_machine *m, htp_item_kind kind, const htp_items *elements)
{
    htp_item *item = htp_item_make(m, kind);
    item->elements = htp_items_copy(m, elements);
    for (size_t i = 0; i < elements->count && !m->memory.has_nested; i++) {
        m->memory.has_nested = htp_is_container(elements->items[i]);
    }
    return item;
}

htp_item *htp_item_as_given(htp_machine *m, htp_item *item)
{
    if (!htp_is_container(item)) {
        return item;
    }
    htp_items elements = {0};
    for (size_t i = 0; i < item->elements.count; i++) {
        htp_items_push(m, &elements, htp_item_as_given(m, item->elements.items[i]));
    }
    return htp_item_hold(m, item->kind, &elements);
}

/* ---- tensors ---- */

htp_outcome htp_tensor_make(htp_machine *m, const htp_making *making,
                            const htp_runner_tensor **tensor)
{
    htp_error error = {{0}};
    htp_run_code code = m->runner->make(m->runner->self, making, tensor, &error);
    return htp_outcome_of_run(m, code, &error);
}

htp_outcome htp_tensor_empty(htp_machine *m, int32_t type, const int64_t *dims, size_t rank,
                             const htp_runner_tensor **tensor)
{
    htp_making making = {.way = HTP_MAKE_EMPTY, .type = type, .rank = (uint32_t)rank, .dims = dims};
    return htp_tensor_make(m, &making, tensor);
}

htp_outcome htp_item_settle_empty(htp_machine *m, htp_item *item)
{
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        if (htp_tensor_in(item, lane)->elements != 0) {
            return HTP_GOES_ON;
        }
    }
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *tensor = htp_tensor_in(item, lane);
        htp_making making = {.way = HTP_MAKE_OF_BYTES,
                             .type = tensor->type,
                             .rank = tensor->rank,
                             .dims = tensor->dims,
                             .bytes = ""};
        const htp_runner_tensor *made = NULL;
        HTP_DO(htp_tensor_make(m, &making, &made));
        item->lane[lane].as.tensor = made;
    }
    if (item->known == HTP_KNOWN_OPEN) {
        item->known = HTP_KNOWN_SIZED;
    } else if (item->known == HTP_KNOWN_OPEN_SIZES) {
        item->known = HTP_KNOWN_MADE_UP;
    }
    return HTP_GOES_ON;
}

/* The contents of a real tensor in row-major order; NULL without memory. */
static const char *contents_of(htp_machine *m, const htp_runner_tensor *tensor, size_t *bytes)
{
    *bytes = 0;
    const char *contents = m->runner->contents(m->runner->self, tensor, bytes);
    return contents || tensor->elements != 0 ? contents : "";
}

htp_outcome htp_item_note_contents(htp_machine *m, htp_item *item)
{
    const htp_runner_tensor *first = htp_tensor_in(item, 0);
    size_t content_bytes;
    const char *contents = contents_of(m, first, &content_bytes);
    bool is_equal = true;
    for (uint32_t lane = 1; lane < m->lane_count && contents && is_equal; lane++) {
        const htp_runner_tensor *other = htp_tensor_in(item, lane);
        size_t bytes;
        const char *held = contents_of(m, other, &bytes);
        is_equal = held && htp_tensor_has_same_dims(other, first) && bytes == content_bytes &&
                   memcmp(held, contents, bytes) == 0;
        contents = held ? contents : NULL;
    }
    if (!contents) {
        return htp_machine_stop(m, HTP_BREAKS, "out of memory");
    }
    item->known = is_equal ? HTP_KNOWN_CONSTANT : HTP_KNOWN_SIZED;
    item->contents = is_equal ? contents : NULL;
    item->content_bytes = is_equal ? content_bytes : 0;
    return HTP_GOES_ON;
}

/* ---- elements ---- */

typedef enum element_form {
    FORM_OTHER = 0, /* never read */
    FORM_SIGNED,
    FORM_UNSIGNED,
    FORM_BOOL,
    FORM_FLOAT,
    FORM_BFLOAT,
} element_form;

typedef struct element_type {
    element_form form;
    size_t bytes; /* of a real or imaginary part */
    size_t parts; /* 2 for complex numbers */
} element_type;

static const element_type element_types[] = {
    [HTP_SCALAR_BYTE] = {FORM_UNSIGNED, 1, 1},
    [HTP_SCALAR_CHAR] = {FORM_SIGNED, 1, 1},
    [HTP_SCALAR_SHORT] = {FORM_SIGNED, 2, 1},
    [HTP_SCALAR_INT] = {FORM_SIGNED, 4, 1},
    [HTP_SCALAR_LONG] = {FORM_SIGNED, 8, 1},
    [HTP_SCALAR_HALF] = {FORM_FLOAT, 2, 1},
    [HTP_SCALAR_FLOAT] = {FORM_FLOAT, 4, 1},
    [HTP_SCALAR_DOUBLE] = {FORM_FLOAT, 8, 1},
    [HTP_SCALAR_COMPLEX_HALF] = {FORM_FLOAT, 2, 2},
    [HTP_SCALAR_COMPLEX_FLOAT] = {FORM_FLOAT, 4, 2},
    [HTP_SCALAR_COMPLEX_DOUBLE] = {FORM_FLOAT, 8, 2},
    [HTP_SCALAR_BOOL] = {FORM_BOOL, 1, 1},
    [HTP_SCALAR_BFLOAT16] = {FORM_BFLOAT, 2, 1},
};

static int64_t read_signed(const char *at, size_t bytes)
{
    int8_t narrow;
    int16_t small;
    int32_t middle;
    int64_t wide;
    switch (bytes) {
    case sizeof(narrow):
        memcpy(&narrow, at, sizeof(narrow));
        return narrow;
    case sizeof(small):
        memcpy(&small, at, sizeof(small));
        return small;
    case sizeof(middle):
        memcpy(&middle, at, sizeof(middle));
        return middle;
    default:
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f;
    int fraction = bits & 0x3ff;
    double value = fraction == 0 ? INFINITY : NAN;
    if (exponent == 0) {
        value = ldexp(fraction, -24);
    } else if (exponent < 31) {
        value = ldexp(fraction + 1024, exponent - 25);
    }
    return bits & 0x8000 ? -value : value;
}

static double read_float(const char *at, size_t bytes)
{
    uint16_t half;
    float single;
    double wide;
    switch (bytes) {
    case sizeof(half):
        memcpy(&half, at, sizeof(half));
        return half_value(half);
    case sizeof(single):
        memcpy(&single, at, sizeof(single));
        return single;
    default:
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
}

/* A bfloat16 is the upper half of a float. */
static double read_bfloat(const char *at)
{
    uint16_t upper;
    memcpy(&upper, at, sizeof(upper));
    uint32_t bits = (uint32_t)upper << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static htp_operand read_number(const element_type *type, const char *at)
{
    switch (type->form) {
    case FORM_SIGNED:
        return (htp_operand){.kind = HTP_OPERAND_INT, .as.i = read_signed(at, type->bytes)};
    case FORM_UNSIGNED:
        return (htp_operand){.kind = HTP_OPERAND_INT, .as.i = (unsigned char)*at};
    case FORM_BOOL:
        return (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = *at != 0};
    case FORM_FLOAT:
        return (htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = read_float(at, type->bytes)};
    case FORM_BFLOAT:
        return (htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = read_bfloat(at)};
    case FORM_OTHER:
        break;
    }
    return (htp_operand){.kind = HTP_OPERAND_NONE};
}

/* The contents of a real tensor and how to read them; NULL if they are unreadable. */
static const char *find_elements(htp_machine *m, const htp_runner_tensor *tensor,
                                 element_type *type)
{
    size_t types = sizeof(element_types) / sizeof(element_types[0]);
    if (!tensor->is_real || tensor->type < 0 || (size_t)tensor->type >= types ||
        element_types[tensor->type].form == FORM_OTHER) {
        return NULL;
    }
    *type = element_types[tensor->type];
    size_t bytes;
    const char *contents = contents_of(m, tensor, &bytes);
    if (!contents) {
        htp_arena_exhaust(m->arena);
    }
    return bytes / (type->bytes * type->parts) < (uint64_t)tensor->elements ? NULL : contents;
}

bool htp_tensor_number(htp_machine *m, const htp_runner_tensor *tensor, htp_operand *number)
{
    if (tensor->elements != 1) {
        return false;
    }
    element_type type;
    const char *contents = find_elements(m, tensor, &type);
    if (!contents || type.parts != 1) {
        return false;
    }
    *number = read_number(&type, contents);
    return true;
}

static bool is_zero(const htp_operand *number)
{
    switch (number->kind) {
    case HTP_OPERAND_FLOAT:
        return number->as.f == 0;
    case HTP_OPERAND_BOOL:
        return !number->as.b;
    default:
        return number->as.i == 0;
    }
}

bool htp_tensor_count(htp_machine *m, const htp_runner_tensor *tensor, int64_t *count)
{
    element_type type;
    const char *at = find_elements(m, tensor, &type);
    if (!at) {
        return false;
    }
    *count = 0;
    for (int64_t i = 0; i < tensor->elements; i++) {
        bool is_set = false;
        for (size_t part = 0; part < type.parts; part++) {
            htp_operand number = read_number(&type, at);
            is_set = is_set || !is_zero(&number);
            at += type.bytes;
        }
        *count += is_set;
    }
    return true;
}

bool htp_tensor_total(htp_machine *m, const htp_runner_tensor *tensor, int64_t *total)
{
    element_type type;
    const char *at = find_elements(m, tensor, &type);
    if (!at || type.form == FORM_FLOAT || type.form == FORM_BFLOAT) {
        return false;
    }
    uint64_t sum = 0; /* wraps around like a kernel's */
    for (int64_t i = 0; i < tensor->elements; i++) {
        htp_operand number = read_number(&type, at);
        sum += number.kind == HTP_OPERAND_BOOL ? number.as.b : (uint64_t)number.as.i;
        at += type.bytes;
    }
    *total = (int64_t)sum;
    return true;
}

/* ---- sizes ---- */

bool htp_item_is_made(const htp_machine *m, const htp_item *item)
{
    bool is_made = htp_is_tensor(item);
    for (uint32_t lane = 0; lane < m->lane_count && is_made; lane++) {
        is_made = htp_tensor_in(item, lane) != NULL;
    }
    return is_made;
}

int64_t htp_dim_wrap(int64_t dim, int64_t rank)
{
    int64_t at = dim < 0 ? dim + rank : dim;
    return at < 0 || at >= rank ? -1 : at;
}

bool htp_tensor_has_same_dims(const htp_runner_tensor *a, const htp_runner_tensor *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims)) == 0);
}

bool htp_tensor_has_same_layout(const htp_runner_tensor *a, const htp_runner_tensor *b)
{
    return a->type == b->type && htp_tensor_has_same_dims(a, b) &&
           (a->rank == 0 || memcmp(a->strides, b->strides, a->rank * sizeof(*a->strides)) == 0);
}

/* The size of a dim, which may be negative; -1 if it is out of range. */
static int64_t size_of(const htp_item *tensor, size_t lane, int64_t dim)
{
    const htp_runner_tensor *held = htp_tensor_in(tensor, lane);
    int64_t at = htp_dim_wrap(dim, held->rank);
    return at < 0 ? -1 : held->dims[at];
}

bool htp_item_is_fixed(const htp_machine *m, const htp_item *tensor, int64_t dim)
{
    bool is_same = true;
    for (uint32_t lane = 1; lane < m->lane_count; lane++) {
        is_same = is_same && size_of(tensor, lane, dim) == size_of(tensor, 0, dim);
    }
    return is_same;
}

bool htp_item_has_same_size(const htp_machine *m, const htp_item *a, int64_t dim_a,
                            const htp_item *b, int64_t dim_b)
{
    const bool moves = m->lane_count > 1 && size_of(a, 0, dim_a) != size_of(a, 1, dim_a);
    const uint32_t absent = moves ? a->absent | b->absent : 0;
    bool is_same = true;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        is_same = is_same &&
                  ((absent >> lane & 1) != 0 || size_of(a, lane, dim_a) == size_of(b, lane, dim_b));
    }
    return is_same;
}
