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
    {"aten::embedding_bag", NULL, "indices", ROW, "weight"},
    {"aten::embedding_bag", NULL, "offsets", BEGINNING, "indices"},
    {"aten::embedding_renorm", NULL, "indices", ROW, "self"},
    {"aten::embedding_renorm_", NULL, "indices", ROW, "self"},
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

/* The number that elements stay below; -1: none is known. */
static int64_t find_limit(enum rule rule, const htp_operand *of)
{
    const htp_runner_tensor *tensor = of->kind == HTP_OPERAND_TENSOR ? of->as.tensor : NULL;
    int64_t product = 1;
    switch (rule) {
    case ROW:
    case FIRST_COLUMN:
        return tensor && tensor->rank > 0 ? tensor->dims[0] : -1;
    case LAST:
        return tensor && tensor->rank > 0 ? tensor->dims[tensor->rank - 1] : -1;
    case BEGINNING:
        return tensor ? tensor->elements + 1 : -1; /* an empty part may end it */
    default:
        for (uint32_t i = 0; i < of->count && of->kind == HTP_OPERAND_LIST; i++) {
            const htp_operand *size = &of->as.elements[i];
            if (size->kind != HTP_OPERAND_INT ||
                __builtin_mul_overflow(product, size->as.i, &product)) {
                return -1;
            }
        }
        return product;
    }
}

/* An element as a position; -1: it is none. */
static int64_t position(const void *elements, int32_t type, int64_t index)
{
    int64_t wide = -1;
    int32_t narrow = -1;
    float real = -1;
    double precise = -1;
    switch (type) {
    case HTP_SCALAR_LONG:
        memcpy(&wide, (const char *)elements + index * (int64_t)sizeof(wide), sizeof(wide));
        return wide;
    case HTP_SCALAR_INT:
        memcpy(&narrow, (const char *)elements + index * (int64_t)sizeof(narrow), sizeof(narrow));
        return narrow;
    case HTP_SCALAR_FLOAT:
        memcpy(&real, (const char *)elements + index * (int64_t)sizeof(real), sizeof(real));
        precise = real;
        break;
    case HTP_SCALAR_DOUBLE:
        memcpy(&precise, (const char *)elements + index * (int64_t)sizeof(precise),
               sizeof(precise));
        break;
    default:
        break;
    }
    return precise >= 0 && precise < 0x1p53 ? (int64_t)precise : -1;
}

static bool are_positions(const htp_runner *runner, const htp_runner_tensor *tensor, enum rule rule,
                          int64_t limit)
{
    int64_t width = tensor->rank > 0 ? tensor->dims[tensor->rank - 1] : 1;
    int64_t step = rule == FIRST_COLUMN ? width : 1;
    int64_t least = 0;
    uint64_t mark = runner->mark(runner->self);
    size_t bytes = 0;
    const void *elements = runner->contents(runner->self, tensor, &bytes);
    bool fits = elements || tensor->elements == 0;
    for (int64_t i = 0; fits && step > 0 && i < tensor->elements; i += step) {
        int64_t place = position(elements, tensor->type, i);
        bool begins = rule != BEGINNING || i > 0 || place == 0;
        fits = place >= least && place < limit && begins;
        least = rule == BEGINNING ? place : 0;
    }
    runner->release(runner->self, mark);
    return fits;
}

static bool check_row(const htp_runner *runner, const htp_program_schema *schema, size_t row,
                      const htp_operand *inputs, uint32_t count)
{
    const htp_operand *operand = named(schema, inputs, count, rows[row].argument);
    const htp_operand *of = named(schema, inputs, count, rows[row].of);
    if (rows[row].rule == NOTHING || (operand && operand->kind == HTP_OPERAND_NONE)) {
        return true;
    }
    return operand && of && operand->kind == HTP_OPERAND_TENSOR &&
           are_positions(runner, operand->as.tensor, rows[row].rule,
                         find_limit(rows[row].rule, of));
}

/* Whether the rule of its sizes takes the operands. */
static bool check_sizes(const htp_runner *runner, uint32_t schema, const htp_operand *inputs,
                        uint32_t count, htp_error *reason)
{
    uint64_t mark = runner->mark(runner->self);
    const htp_operand *outputs = NULL;
    uint32_t output_count = 0;
    htp_run_code code = runner->run(runner->self, schema, HTP_RUN_SIZES, inputs, count, &outputs,
                                    &output_count, reason);
    runner->release(runner->self, mark);
    return code == HTP_RUN_OK;
}

bool htp_replay_check(const htp_replay_means *means, uint32_t number, const htp_operand *inputs,
                      uint32_t count, htp_error *reason)
{
    const htp_program_schema *schema = &means->program->schemas[number];
    for (size_t i = 0; i < ROWS; i++) {
        if (is_of(i, schema) && !check_row(means->runner, schema, i, inputs, count)) {
            return htp_operands_refuse(reason,
                                       "its kernel trusts '%s', which holds other numbers "
                                       "than positions of '%s'; --inputs gives it fitting ones",
                                       rows[i].argument, rows[i].of);
        }
    }
    return !htp_replay_has_check(schema) ||
           check_sizes(means->runner, number, inputs, count, reason);
}
