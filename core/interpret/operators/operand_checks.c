/*
 * Operands on which libtorch's kernels crash instead of raising.
 */
#include "interpret/operators/operand_checks.h"

#include "base/device.h"
#include "base/text.h"
#include "interpret/meta/call.h"
#include "interpret/operators/facts.h"
#include "interpret/operators/operator_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands ---- */

static const htp_operand nothing = {.kind = HTP_OPERAND_NONE};

static const htp_operand *operand_at(const htp_operands *operands, size_t index)
{
    return index < operands->count ? &operands->all[index] : &nothing;
}

/* The index of an argument by name; the number of arguments if there is none. */
static size_t find_argument(const htp_operands *operands, const char *name)
{
    size_t index = 0;
    while (index < operands->argument_count && strcmp(operands->arguments[index].name, name) != 0) {
        index++;
    }
    return index;
}

static const htp_operand *operand_named(const htp_operands *operands, const char *name)
{
    size_t index = find_argument(operands, name);
    return index < operands->argument_count ? operand_at(operands, index) : &nothing;
}

static bool is_int(const htp_operand *operand)
{
    return operand->kind == HTP_OPERAND_INT;
}

static bool is_tensor(const htp_operand *operand)
{
    return operand->kind == HTP_OPERAND_TENSOR;
}

static bool is_list(const htp_operand *operand)
{
    return operand->kind == HTP_OPERAND_LIST;
}

/* ---- contents ---- */

typedef bool number_test(int64_t number, int64_t other);

static bool is_equal(int64_t number, int64_t other)
{
    return number == other;
}

static bool is_less(int64_t number, int64_t other)
{
    return number < other;
}

/* Element @p index. Unsigned types wider than a byte cause no crash, so 0 will do. */
static int64_t number_at(const void *numbers, int32_t type, size_t index)
{
    switch (type) {
    case HTP_SCALAR_BYTE:
        return ((const uint8_t *)numbers)[index];
    case HTP_SCALAR_CHAR:
        return ((const int8_t *)numbers)[index];
    case HTP_SCALAR_SHORT:
        return ((const int16_t *)numbers)[index];
    case HTP_SCALAR_INT:
        return ((const int32_t *)numbers)[index];
    case HTP_SCALAR_LONG:
        return ((const int64_t *)numbers)[index];
    default:
        return 0;
    }
}

/* Whether some number of a tensor passes a test. Unknown contents may be anything. */
static bool any_number(const htp_operands *operands, const htp_runner_tensor *tensor,
                       number_test *test, int64_t other)
{
    if (!tensor->is_real || !htp_type_is_whole(tensor->type) || tensor->elements <= 0) {
        return false;
    }
    size_t bytes = 0;
    const htp_runner *runner = operands->runner;
    const void *numbers = runner ? runner->contents(runner->self, tensor, &bytes) : NULL;
    bool passes = !numbers;
    for (size_t i = 0; i < (size_t)tensor->elements && !passes; i++) {
        passes = test(number_at(numbers, tensor->type, i), other);
    }
    return passes;
}

/* Whether an integer, or an element of a tensor with known contents, equals @p wanted. */
static bool holds(const htp_operands *operands, const htp_operand *value, int64_t wanted)
{
    return is_int(value)
               ? value->as.i == wanted
               : is_tensor(value) && any_number(operands, value->as.tensor, is_equal, wanted);
}

/* ---- numbers ---- */

/* The least integer divided by -1 overflows, which traps on some processors. */
static bool check_quotient(const htp_operands *operands, const htp_operand *whole,
                           const htp_operand *part, htp_error *reason)
{
    static const int64_t least[] = {INT64_MIN, INT32_MIN};
    bool is_narrow = is_tensor(whole) && whole->as.tensor->type == HTP_SCALAR_INT;
    size_t count = is_narrow ? 2 : 1;
    bool is_turned = holds(operands, part, -1);
    for (size_t i = 0; i < count && is_turned; i++) {
        if (holds(operands, whole, least[i])) {
            return htp_operands_refuse(reason, "%" PRId64 " is divided by -1", least[i]);
        }
    }
    return true;
}

/* Integer division by 0 traps; libtorch checks divisors in tensors itself. */
static bool check_division(const htp_operands *operands, htp_error *reason)
{
    const htp_operand *part = operand_at(operands, 1);
    if (operands->gives_int && is_int(part) && part->as.i == 0) {
        return htp_operands_refuse(reason, "division by 0");
    }
    return check_quotient(operands, operand_at(operands, 0), part, reason);
}

/* Either operand may become the divisor. */
static bool check_common_divisor(const htp_operands *operands, htp_error *reason)
{
    const htp_operand *a = operand_at(operands, 0);
    const htp_operand *b = operand_at(operands, 1);
    return check_quotient(operands, a, b, reason) && check_quotient(operands, b, a, reason);
}

static bool check_shift(const htp_operands *operands, htp_error *reason)
{
    enum { BITS = 64 };
    const htp_operand *by = operand_at(operands, 1);
    return !is_int(by) || (by->as.i >= 0 && by->as.i < BITS) ||
           htp_operands_refuse(reason, "a number is shifted by less than 0 or more than %d bits",
                               BITS - 1);
}

static bool check_factorial(const htp_operands *operands, htp_error *reason)
{
    enum { MAX_ORDER = 20 };
    const htp_operand *of = operand_at(operands, 0);
    return !is_int(of) || of->as.i <= MAX_ORDER ||
           htp_operands_refuse(reason, "factorial() of more than %d does not fit into an int",
                               MAX_ORDER);
}

/* Repetition: a few bytes of code could take gigabytes. */
static bool check_repeated(const htp_operands *operands, htp_error *reason)
{
    for (size_t i = 0; i < 2; i++) {
        const htp_operand *row = operand_at(operands, i);
        const htp_operand *times = operand_at(operands, 1 - i);
        uint64_t length = is_list(row)                      ? row->count
                          : row->kind == HTP_OPERAND_STRING ? row->bytes
                                                            : 0;
        htp_limit limit = is_list(row) ? HTP_LIMIT_ELEMENTS : HTP_LIMIT_CHARACTERS;
        uint64_t most = htp_limit_value(operands->budget->limits, limit);
        if (is_int(times) && times->as.i > 0 && length > 0 &&
            (uint64_t)times->as.i > most / length) {
            return htp_operands_exceed(operands->budget, limit, reason);
        }
    }
    return true;
}

/* ---- tensors ---- */

static bool is_true(const htp_operand *operand)
{
    return operand->kind == HTP_OPERAND_BOOL && operand->as.b;
}

/* Whether a kernel would compute with a tensor, not only with its sizes. */
static bool has_contents(const htp_operands *operands, const htp_operand *tensor)
{
    return is_tensor(tensor) && (tensor->as.tensor->is_real || operands->are_made_real);
}

/* Kernels read offsets as a vector, whatever their rank. The last offset only ends the last bag and
 * has no maximum, but kernels write one. */
static bool check_bags(const htp_operands *operands, htp_error *reason)
{
    enum { MAX = 2 };
    const htp_operand *offsets = operand_named(operands, "offsets");
    const htp_operand *mode = operand_named(operands, "mode");
    if (is_tensor(offsets) && offsets->as.tensor->rank != 1) {
        return htp_operands_refuse(reason, "offsets has to be a 1D Tensor");
    }
    bool is_open = is_int(mode) && mode->as.i == MAX &&
                   is_true(operand_named(operands, "include_last_offset")) &&
                   has_contents(operands, operand_named(operands, "weight"));
    return !is_open || htp_operands_refuse(reason, "it is not run, because its kernel writes a bag "
                                                   "too many with include_last_offset");
}

/* For 16-bit floats, kernels write numbers of twice the width, or none. */
static bool check_real_signal(const htp_operands *operands, htp_error *reason)
{
    const htp_operand *signal = operand_named(operands, "self");
    bool is_narrow =
        has_contents(operands, signal) && (signal->as.tensor->type == HTP_SCALAR_HALF ||
                                           signal->as.tensor->type == HTP_SCALAR_BFLOAT16);
    return !is_narrow || htp_operands_refuse(reason, "it has no kernel for 16-bit floats");
}

/* The spectrum is read up to the given number of samples. */
static bool check_last_size(const htp_operands *operands, htp_error *reason)
{
    const htp_operand *spectrum = operand_named(operands, "self");
    const htp_operand *dims = operand_named(operands, "dim");
    const htp_operand *last = operand_named(operands, "last_dim_size");
    if (!has_contents(operands, spectrum) || !is_int(last) || !is_list(dims) || dims->count == 0 ||
        !is_int(&dims->as.elements[dims->count - 1])) {
        return true;
    }
    int64_t rank = spectrum->as.tensor->rank;
    int64_t dim = dims->as.elements[dims->count - 1].as.i;
    dim += dim < 0 ? rank : 0;
    return dim < 0 || dim >= rank || last->as.i < 1 ||
           spectrum->as.tensor->dims[dim] == last->as.i / 2 + 1 ||
           htp_operands_refuse(reason, "%" PRId64 " frequencies are not of %" PRId64 " samples",
                               spectrum->as.tensor->dims[dim], last->as.i);
}

/* "[2, 3]" */
static void write_sizes(const htp_runner_tensor *tensor, char *text, size_t room)
{
    size_t length = (size_t)snprintf(text, room, "[");
    for (uint32_t i = 0; i < tensor->rank && length < room; i++) {
        length += (size_t)snprintf(text + length, room - length, "%s%" PRId64, i ? ", " : "",
                                   tensor->dims[i]);
    }
    if (length < room) {
        (void)snprintf(text + length, room - length, "]");
    }
}

static bool check_state(const htp_operand *state, int64_t layers, htp_error *reason)
{
    enum { MAX_TEXT = 1024 };
    if (!is_tensor(state) || (state->as.tensor->rank >= 2 && state->as.tensor->dims[0] == layers)) {
        return true;
    }
    char sizes[MAX_TEXT];
    write_sizes(state->as.tensor, sizes, sizeof(sizes));
    return htp_operands_refuse(reason, "expected hidden states of %" PRId64 " layers first, got %s",
                               layers, sizes);
}

/* Kernels split states into layers unchecked. */
static bool check_recurrent(const htp_operands *operands, htp_error *reason)
{
    const htp_operand *state = operand_named(operands, "hx");
    const htp_operand *layers = operand_named(operands, "num_layers");
    const htp_operand *ways = operand_named(operands, "bidirectional");
    if (!is_int(layers)) {
        return true;
    }
    int64_t count;
    if (__builtin_mul_overflow(layers->as.i, is_true(ways) ? 2 : 1, &count)) {
        count = INT64_MAX;
    }
    bool fits = check_state(state, count, reason);
    for (uint32_t i = 0; is_list(state) && i < state->count && fits; i++) {
        fits = check_state(&state->as.elements[i], count, reason);
    }
    return fits;
}

/* Kernels use pivots as row indices unchecked, so the operator runs only without contents. */
static bool check_pivots(const htp_operands *operands, htp_error *reason)
{
    static const char *const names[] = {"pivots", "LU_pivots"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const htp_operand *pivots = operand_named(operands, names[i]);
        if (has_contents(operands, pivots)) {
            return htp_operands_refuse(
                reason, "it is not run, because its kernel does not check its pivots");
        }
    }
    return true;
}

/* Kernels sum repeats before checking them. */
static bool check_repeats(const htp_operands *operands, htp_error *reason)
{
    const htp_operand *repeats = operand_named(operands, "repeats");
    return !is_tensor(repeats) || !any_number(operands, repeats->as.tensor, is_less, 0) ||
           htp_operands_refuse(reason, "repeats cannot be negative");
}

static bool check_groups(const htp_operands *operands, htp_error *reason)
{
    const htp_operand *groups = operand_named(operands, "groups");
    const htp_operand *self = operand_named(operands, "self");
    if (is_int(groups) && groups->as.i <= 0) {
        return htp_operands_refuse(reason, "expected groups, got %" PRId64, groups->as.i);
    }
    bool fits = !is_int(groups) || !is_tensor(self) || self->as.tensor->rank < 2 ||
                self->as.tensor->dims[1] >= groups->as.i;
    return fits || htp_operands_refuse(reason, "%" PRId64 " channels are no %" PRId64 " groups",
                                       self->as.tensor->dims[1], groups->as.i);
}

/* Kernels read as many numbers of a list as the schema says, unchecked. */
static bool check_lengths(const htp_operands *operands, htp_error *reason)
{
    static const char *const names[] = {"padding", "output_size"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t index = find_argument(operands, names[i]);
        const htp_operand *list = operand_named(operands, names[i]);
        uint32_t wanted = is_list(list) ? operands->arguments[index].fixed_length : 0;
        if (wanted != 0 && list->count != wanted) {
            return htp_operands_refuse(reason, "expected %" PRIu32 " numbers for %s, got %" PRIu32,
                                       wanted, names[i], list->count);
        }
    }
    return true;
}

/* Real kernels raise on two dtypes, but their meta kernels accept them. */
static bool check_one_type(const htp_operands *operands, htp_error *reason)
{
    static const char *const names[] = {"values", "source", "other"};
    const htp_operand *self = operand_at(operands, 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const htp_operand *written = operand_named(operands, names[i]);
        if (is_tensor(self) && is_tensor(written) &&
            self->as.tensor->type != written->as.tensor->type) {
            return htp_operands_refuse(reason, "its tensors are of two dtypes, %s and %s",
                                       htp_scalar_type_name(self->as.tensor->type),
                                       htp_scalar_type_name(written->as.tensor->type));
        }
    }
    return true;
}

/* For a large index, libtorch makes a device that it cannot parse again. */
static bool check_device(const htp_operands *operands, htp_error *reason)
{
    const htp_operand *name = operand_at(operands, 0);
    const htp_operand *index = operand_at(operands, 1);
    htp_device device;
    bool is_one =
        name->kind != HTP_OPERAND_STRING || htp_device_read(name->as.text, name->bytes, &device);
    is_one =
        is_one && (!is_int(index) || (index->as.i >= -1 && index->as.i <= HTP_DEVICE_INDEX_LIMIT));
    return is_one || htp_operands_refuse(reason, "it makes no valid device");
}

/* libtorch uses these as indices into a table, unchecked, even while it reads code. The number of
 * dtypes is unknown then, but every libtorch has the first ones. */
static bool check_promoted(const htp_operands *operands, htp_error *reason)
{
    for (size_t i = 0; i < 2 && !operands->runner; i++) {
        const htp_operand *type = operand_at(operands, i);
        if (is_int(type) && (type->as.i < 0 || type->as.i > HTP_SCALAR_BFLOAT16)) {
            return htp_operands_refuse(reason, "there is no dtype %" PRId64 " to promote",
                                       type->as.i);
        }
    }
    return true;
}

/* ---- which operators ---- */

typedef struct row {
    const char *name;
    htp_operand_check *check;
} row;

/* Sorted as by strcmp(). */
static const row rows[] = {
    {"aten::__lshift__", check_shift},
    {"aten::__round_to_zero_floordiv", check_division},
    {"aten::__rshift__", check_shift},
    {"aten::_embedding_bag", check_bags},
    {"aten::_embedding_bag_forward_only", check_bags},
    {"aten::_fft_c2r", check_last_size},
    {"aten::_fft_r2c", check_real_signal},
    {"aten::_index_put_impl", check_one_type},
    {"aten::_unsafe_index_put", check_one_type},
    {"aten::channel_shuffle", check_groups},
    {"aten::cross", check_one_type},
    {"aten::device", check_device},
    {"aten::div", check_division},
    {"aten::divide", check_division},
    {"aten::divmod", check_division},
    {"aten::embedding_bag", check_bags},
    {"aten::factorial", check_factorial},
    {"aten::floor_divide", check_division},
    {"aten::floordiv", check_division},
    {"aten::fmod", check_division},
    {"aten::gcd", check_common_divisor},
    {"aten::gru", check_recurrent},
    {"aten::index_put", check_one_type},
    {"aten::lcm", check_common_divisor},
    {"aten::linalg_cross", check_one_type},
    {"aten::linalg_lu_solve", check_pivots},
    {"aten::lstm", check_recurrent},
    {"aten::lu_solve", check_pivots},
    {"aten::lu_unpack", check_pivots},
    {"aten::masked_scatter", check_one_type},
    {"aten::max_unpool2d", check_lengths},
    {"aten::max_unpool3d", check_lengths},
    {"aten::mod", check_division},
    {"aten::mul", check_repeated},
    {"aten::native_channel_shuffle", check_groups},
    {"aten::promote_types", check_promoted},
    {"aten::reflection_pad1d", check_lengths},
    {"aten::reflection_pad2d", check_lengths},
    {"aten::reflection_pad3d", check_lengths},
    {"aten::remainder", check_division},
    {"aten::repeat_interleave", check_repeats},
    {"aten::replication_pad1d", check_lengths},
    {"aten::replication_pad2d", check_lengths},
    {"aten::replication_pad3d", check_lengths},
    {"aten::rnn_relu", check_recurrent},
    {"aten::rnn_tanh", check_recurrent},
};

static const row *find_row(const char *name)
{
    return bsearch(name, rows, sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), htp_row_compare);
}

htp_operand_check *htp_operand_check_find(const char *name)
{
    char room[HTP_OPERATOR_NAME_ROOM];
    const char *functional = htp_operator_functional_name(name, room);
    const row *found = find_row(name);
    if (!found && functional) {
        found = find_row(functional);
    }
    return found ? found->check : NULL;
}
