/*
 * Operators whose kernels take contents as positions, or trust sizes: they run where these are
 * checked first.
 */
#include "replay/operators.h"

#include "interpret/operators/operand_checks.h"

#include <string.h>

/* What the elements of an operand have to be. */
enum rule {
    NOTHING,      /* only sizes are trusted */
    ROW,          /* a row of the other operand */
    LAST,         /* a position in the last dim of the other operand */
    PLACE,        /* a position in a tensor whose last sizes the other operand, a list, has */
    BEGINNING,    /* where parts of the other operand begin: from 0 on, ascending */
    FIRST_COLUMN, /* the first of each row is a row of the other operand */
    /* These kernels check sizes themselves. */
    LABEL,      /* as LAST */
    STEPS,      /* a number of steps, which are the first dim of the other operand; not 0 */
    COUNT,      /* a number of elements of the other operand */
    SHARES,     /* each row: lengths of parts of the other operand, along a dim */
    BORDERS,    /* each row: where such parts begin and end, ascending */
    SAMPLES_2D, /* from 0 up to 1: as many for each plane of the other operand as that has dims */
    SAMPLES_3D,
};

/* All rows of an operator hold. Overloads have their own checks: only the named one, if any. */
static const struct {
    const char *name;
    const char *overload; /* NULL: all */
    const char *argument;
    enum rule rule;
    const char *of;
} rows[] = {
    {"aten::_embedding_bag", NULL, "indices", ROW, "weight"},
    {"aten::_embedding_bag", NULL, "offsets", BEGINNING, "indices"},
    {"aten::_embedding_bag_forward_only", NULL, "indices", ROW, "weight"},
    {"aten::_embedding_bag_forward_only", NULL, "offsets", BEGINNING, "indices"},
    {"aten::_native_multi_head_attention", NULL, NULL, NOTHING, NULL},
    {"aten::_transformer_encoder_layer_fwd", NULL, NULL, NOTHING, NULL},
    {"aten::_ctc_loss", NULL, "targets", LABEL, "log_probs"},
    {"aten::_ctc_loss", NULL, "input_lengths", STEPS, "log_probs"},
    {"aten::_ctc_loss", NULL, "target_lengths", COUNT, "targets"},
    {"aten::ctc_loss", NULL, "targets", LABEL, "log_probs"},
    {"aten::ctc_loss", NULL, "input_lengths", STEPS, "log_probs"},
    {"aten::ctc_loss", NULL, "target_lengths", COUNT, "targets"},
    {"aten::embedding_bag", NULL, "indices", ROW, "weight"},
    {"aten::embedding_bag", NULL, "offsets", BEGINNING, "indices"},
    {"aten::embedding_renorm", NULL, "indices", ROW, "self"},
    {"aten::embedding_renorm_", NULL, "indices", ROW, "self"},
    {"aten::fractional_max_pool2d", NULL, "random_samples", SAMPLES_2D, "self"},
    {"aten::fractional_max_pool3d", NULL, "random_samples", SAMPLES_3D, "self"},
    {"aten::gru", "input", NULL, NOTHING, NULL}, /* "data": packed, whose lengths are trusted */
    {"aten::gru_cell", NULL, NULL, NOTHING, NULL},
    {"aten::lstm", "input", NULL, NOTHING, NULL},
    {"aten::lstm_cell", NULL, NULL, NOTHING, NULL},
    {"aten::max_unpool2d", NULL, "indices", PLACE, "output_size"},
    {"aten::max_unpool3d", NULL, "indices", PLACE, "output_size"},
    {"aten::rnn_relu", "input", NULL, NOTHING, NULL},
    {"aten::rnn_relu_cell", NULL, NULL, NOTHING, NULL},
    {"aten::rnn_tanh", "input", NULL, NOTHING, NULL},
    {"aten::rnn_tanh_cell", NULL, NULL, NOTHING, NULL},
    {"aten::searchsorted", NULL, "sorter", LAST, "sorted_sequence"},
    {"aten::segment_reduce", NULL, "lengths", SHARES, "data"},
    {"aten::segment_reduce", NULL, "offsets", BORDERS, "data"},
    {"torchvision::ps_roi_align", NULL, "rois", FIRST_COLUMN, "input"},
    {"torchvision::ps_roi_pool", NULL, "rois", FIRST_COLUMN, "input"},
    {"torchvision::roi_align", NULL, "rois", FIRST_COLUMN, "input"},
    {"torchvision::roi_pool", NULL, "rois", FIRST_COLUMN, "input"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static bool is_of(size_t row, const htp_program_schema *schema)
{
    return strcmp(rows[row].name, schema->name) == 0 &&
           (!rows[row].overload || strcmp(rows[row].overload, schema->overload) == 0);
}

bool htp_replay_has_check(const htp_program_schema *schema)
{
    bool is_found = false;
    for (size_t i = 0; i < ROWS && !is_found; i++) {
        is_found = is_of(i, schema);
    }
    return is_found;
}

/* ---- rules ---- */

static const htp_operand *named(const htp_program_schema *schema, const htp_operand *inputs,
                                uint32_t count, const char *name)
{
    for (uint32_t i = 0; name && i < count && i < schema->argument_count; i++) {
        if (strcmp(schema->arguments[i].name, name) == 0) {
            return &inputs[i];
        }
    }
    return NULL;
}

/* The numbers of a tensor or a list. */
struct numbers {
    const htp_operand *list; /* NULL: those of a tensor */
    const void *elements;
    int32_t type;
    int64_t count;
    int64_t width; /* of a row */
};

/* The dim of a tensor that lengths of parts go along; -1: there is none. */
static int64_t shared_dim(const htp_operand *parts, const htp_operand *of)
{
    const htp_runner_tensor *tensor = of->kind == HTP_OPERAND_TENSOR ? of->as.tensor : NULL;
    const htp_runner_tensor *rows = parts->kind == HTP_OPERAND_TENSOR ? parts->as.tensor : NULL;
    bool fits = tensor && rows && rows->rank > 0 && rows->rank <= tensor->rank;
    for (uint32_t i = 0; fits && i + 1 < rows->rank; i++) {
        fits = rows->dims[i] == tensor->dims[i];
    }
    return fits ? tensor->dims[rows->rank - 1] : -1;
}

/* The product of a list of sizes; -1: it is none. */
static int64_t product_of(const htp_operand *sizes)
{
    int64_t product = 1;
    for (uint32_t i = 0; sizes->kind == HTP_OPERAND_LIST && i < sizes->count; i++) {
        const htp_operand *size = &sizes->as.elements[i];
        if (size->kind != HTP_OPERAND_INT ||
            __builtin_mul_overflow(product, size->as.i, &product)) {
            return -1;
        }
    }
    return product;
}

/* The number that elements stay below; -1: none is known. */
static int64_t find_limit(enum rule rule, const htp_operand *operand, const htp_operand *of)
{
    const htp_runner_tensor *tensor = of->kind == HTP_OPERAND_TENSOR ? of->as.tensor : NULL;
    int64_t rank = tensor ? (int64_t)tensor->rank : 0;
    switch (rule) {
    case ROW:
    case FIRST_COLUMN:
        return rank > 0 ? tensor->dims[0] : -1;
    case LAST:
    case LABEL:
        return rank > 0 ? tensor->dims[rank - 1] : -1;
    case STEPS:
        return rank > 0 ? tensor->dims[0] + 1 : -1;
    case BEGINNING: /* an empty part may end it */
    case COUNT:
        return tensor ? tensor->elements + 1 : -1;
    case SHARES:
    case BORDERS:
        return shared_dim(operand, of) + 1;
    default:
        return product_of(of);
    }
}

static double number_at(const struct numbers *numbers, int64_t index)
{
    const char *elements = numbers->elements;
    int64_t wide = 0;
    int32_t narrow = 0;
    float real = 0;
    double precise = -1;
    if (numbers->list) {
        const htp_operand *element = &numbers->list->as.elements[index];
        return element->kind == HTP_OPERAND_INT ? (double)element->as.i : -1;
    }
    if (!elements) {
        return -1;
    }
    switch (numbers->type) {
    case HTP_SCALAR_LONG:
        memcpy(&wide, elements + index * (int64_t)sizeof(wide), sizeof(wide));
        return (double)wide;
    case HTP_SCALAR_INT:
        memcpy(&narrow, elements + index * (int64_t)sizeof(narrow), sizeof(narrow));
        return narrow;
    case HTP_SCALAR_FLOAT:
        memcpy(&real, elements + index * (int64_t)sizeof(real), sizeof(real));
        return (double)real;
    case HTP_SCALAR_DOUBLE:
        memcpy(&precise, elements + index * (int64_t)sizeof(precise), sizeof(precise));
        return precise;
    default:
        return -1;
    }
}

/* An element as a position; -1: it is none. */
static int64_t position(const struct numbers *numbers, int64_t index)
{
    double number = number_at(numbers, index);
    return number >= 0 && number < 0x1p53 ? (int64_t)number : -1;
}

/* Whether the numbers of each row ascend, or add up, and stay below the limit. */
static bool are_rows(const struct numbers *numbers, enum rule rule, int64_t limit)
{
    int64_t reached = 0;
    for (int64_t i = 0; i < numbers->count; i++) {
        int64_t number = position(numbers, i);
        bool is_first = numbers->width > 0 && i % numbers->width == 0;
        reached = is_first ? 0 : reached;
        int64_t next = rule == SHARES ? reached + number : number;
        if (number < 0 || next < reached || next >= limit) {
            return false;
        }
        reached = next;
    }
    return true;
}

static bool are_positions(const struct numbers *numbers, enum rule rule, int64_t limit)
{
    int64_t step = rule == FIRST_COLUMN ? numbers->width : 1;
    int64_t least = rule == STEPS ? 1 : 0;
    bool fits = true;
    for (int64_t i = 0; fits && step > 0 && i < numbers->count; i += step) {
        int64_t place = position(numbers, i);
        bool begins = rule != BEGINNING || i > 0 || place == 0;
        fits = place >= least && place < limit && begins;
        least = rule == BEGINNING ? place : least;
    }
    return fits;
}

/* Whether there are enough samples, all from 0 up to 1. */
static bool are_samples(const struct numbers *numbers, uint32_t dims, const htp_operand *of)
{
    const htp_runner_tensor *tensor = of->kind == HTP_OPERAND_TENSOR ? of->as.tensor : NULL;
    int64_t planes = 1;
    bool fits = tensor && tensor->rank > dims;
    for (uint32_t i = 0; fits && i + dims < tensor->rank; i++) {
        fits = !__builtin_mul_overflow(planes, tensor->dims[i], &planes);
    }
    fits = fits && numbers->count / dims >= planes;
    for (int64_t i = 0; fits && i < numbers->count; i++) {
        double number = number_at(numbers, i);
        fits = number >= 0 && number < 1;
    }
    return fits;
}

static bool are_right(const struct numbers *numbers, enum rule rule, const htp_operand *operand,
                      const htp_operand *of)
{
    switch (rule) {
    case SAMPLES_2D:
    case SAMPLES_3D:
        return are_samples(numbers, rule == SAMPLES_2D ? 2 : 3, of);
    case SHARES:
    case BORDERS:
        return are_rows(numbers, rule, find_limit(rule, operand, of));
    default:
        return are_positions(numbers, rule, find_limit(rule, operand, of));
    }
}

static bool check_row(const htp_runner *runner, const htp_program_schema *schema, size_t row,
                      const htp_operand *inputs, uint32_t count)
{
    const htp_operand *operand = named(schema, inputs, count, rows[row].argument);
    const htp_operand *of = named(schema, inputs, count, rows[row].of);
    if (rows[row].rule == NOTHING || (operand && operand->kind == HTP_OPERAND_NONE)) {
        return true;
    }
    if (!operand || !of) {
        return false;
    }
    if (operand->kind == HTP_OPERAND_LIST && rows[row].rule >= LABEL) {
        const struct numbers numbers = {.list = operand, .count = operand->count};
        return are_right(&numbers, rows[row].rule, operand, of);
    }
    if (operand->kind != HTP_OPERAND_TENSOR) {
        return false;
    }
    const htp_runner_tensor *tensor = operand->as.tensor;
    struct numbers numbers = {.type = tensor->type, .count = tensor->elements};
    uint64_t mark = runner->mark(runner->self);
    size_t bytes = 0;
    numbers.width = tensor->rank > 0 ? tensor->dims[tensor->rank - 1] : 1;
    numbers.elements = runner->contents(runner->self, tensor, &bytes);
    bool fits = (numbers.elements || tensor->elements == 0) &&
                are_right(&numbers, rows[row].rule, operand, of);
    runner->release(runner->self, mark);
    return fits;
}

/* Whether a kernel trusts sizes that the rule of its sizes checks. */
static bool trusts_sizes(const htp_program_schema *schema)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (is_of(i, schema) && rows[i].rule < LABEL) {
            return true;
        }
    }
    return false;
}

/* Whether the rule of its sizes takes the operands. */
static bool check_sizes(const htp_replay_means *means, uint32_t schema, const htp_operand *inputs,
                        uint32_t count, htp_error *reason)
{
    const htp_runner *runner = means->runner;
    uint64_t mark = runner->mark(runner->self);
    const htp_operand *outputs = NULL;
    uint32_t output_count = 0;
    htp_run_code code = runner->run(runner->self, schema, HTP_RUN_SIZES, inputs, count, &outputs,
                                    &output_count, reason);
    runner->release(runner->self, mark);
    return htp_replay_has_run(means, code);
}

bool htp_replay_check(const htp_replay_means *means, uint32_t number, const htp_operand *inputs,
                      uint32_t count, htp_error *reason)
{
    const htp_program_schema *schema = &means->program->schemas[number];
    for (size_t i = 0; i < ROWS; i++) {
        if (is_of(i, schema) && !check_row(means->runner, schema, i, inputs, count)) {
            return htp_operands_refuse(reason,
                                       "its kernel trusts '%s', whose numbers do not fit '%s'; "
                                       "--inputs gives it fitting ones",
                                       rows[i].argument, rows[i].of);
        }
    }
    return !trusts_sizes(schema) || check_sizes(means, number, inputs, count, reason);
}
