/*
 * Sums of products over named axes: aten::einsum and its special cases.
 *
 * Reference: ONNX Einsum. PyTorch's equations are rewritten: without spaces, with letters in place
 * of an ellipsis, and always with an output term. PyTorch's implied output has the letters in the
 * order "A".."Z", "a".."z" after the ellipsis. An axis of size 1 is broadcast to its letter's size
 * in the other operand.
 */
#include "base/text.h"
#include "lower/compose/compose.h"

#include <string.h>

enum { LETTERS = 52 };

static char letter(uint32_t index)
{
    return (char)(index < 26 ? 'A' + index : 'a' + (index - 26));
}

/** The index of a letter; LETTERS for other bytes. */
static uint32_t letter_index(char byte)
{
    if (byte >= 'A' && byte <= 'Z') {
        return (uint32_t)(byte - 'A');
    }
    return byte >= 'a' && byte <= 'z' ? (uint32_t)(byte - 'a') + 26 : LETTERS;
}

/** The dtype to compute in: ONNX Runtime's Einsum has kernels for few. */
static htp_dtype sum_dtype(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    if (dtype == HTP_DTYPE_INT8 || dtype == HTP_DTYPE_UINT8 || dtype == HTP_DTYPE_INT16) {
        return HTP_DTYPE_INT32;
    }
    if (dtype == HTP_DTYPE_BFLOAT16) {
        return HTP_DTYPE_FLOAT32;
    }
    if (!htp_dtype_is_float(dtype) && !htp_dtype_is_integer(dtype)) {
        htp_lower_fail(l, "sums of products of %s are not supported", htp_dtype_name(dtype));
    }
    return dtype;
}

static htp_tensor_id emit_einsum(htp_lowering *l, const htp_tensor_id *operands, size_t count,
                                 const char *equation)
{
    return htp_emit(l, "Einsum", (htp_emit_inputs){operands, count},
                    HTP_AT(htp_attribute_string("equation", equation)));
}

/** An equation that is being rewritten. */
typedef struct equation {
    htp_lowering *l;
    htp_text text;
    uint32_t uses[LETTERS];     /* occurrences in the input terms */
    char ellipsis[LETTERS + 1]; /* the letters that stand for an ellipsis */
    size_t ellipsis_rank;       /* of the operand with the most of them */
} equation;

/** Counts the letters of a term and advances @p source to its end. @return dims that letters
 * name */
static uint32_t scan_term(equation *e, const char **source, bool *has_ellipsis)
{
    uint32_t letters = 0;
    *has_ellipsis = false;
    for (; **source && **source != ',' && strncmp(*source, "->", 2) != 0; (*source)++) {
        uint32_t index = letter_index(**source);
        if (index < LETTERS) {
            e->uses[index]++;
            letters++;
        } else if (strncmp(*source, "...", 3) == 0 && !*has_ellipsis) {
            *has_ellipsis = true;
            *source += 2;
        } else if (**source != ' ') {
            htp_lower_fail(e->l, "its equation is not understood");
        }
    }
    return letters;
}

/** First pass: counts letters, and the dims of the longest ellipsis. */
static void scan_terms(equation *e, const char *source, const uint32_t *operands, size_t count)
{
    for (size_t i = 0; i < count && !e->l->failure; i++) {
        bool has_ellipsis = false;
        uint32_t letters = scan_term(e, &source, &has_ellipsis);
        uint32_t rank = htp_graph_value(e->l->graph, operands[i])->rank;
        if (rank < letters || (rank > letters && !has_ellipsis)) {
            htp_lower_fail(e->l, "its equation does not fit an operand of rank %u", rank);
        } else if (rank - letters > e->ellipsis_rank) {
            e->ellipsis_rank = rank - letters;
        }
        bool last = i + 1 == count;
        if (!last && *source++ != ',') {
            htp_lower_fail(e->l, "its equation has too few operands");
        }
    }
}

/** Letters that the equation does not use stand for the dims of an ellipsis. */
static void choose_ellipsis(equation *e, const char *source)
{
    size_t count = 0;
    for (uint32_t i = LETTERS; i-- > 0 && count < e->ellipsis_rank;) {
        if (!strchr(source, letter(i))) {
            e->ellipsis[count++] = letter(i);
        }
    }
    if (count < e->ellipsis_rank) {
        htp_lower_fail(e->l, "its equation needs more than %d letters", LETTERS);
    }
}

/** Second pass: one term, its ellipsis replaced by the last @p ellipsis_rank letters. */
static void write_term(equation *e, const char **source, size_t ellipsis_rank)
{
    for (; **source && **source != ',' && strncmp(*source, "->", 2) != 0; (*source)++) {
        if (letter_index(**source) < LETTERS) {
            htp_text_add_bytes(&e->text, *source, 1);
        } else if (strncmp(*source, "...", 3) == 0) {
            htp_text_add(&e->text, e->ellipsis + (e->ellipsis_rank - ellipsis_rank));
            *source += 2;
        } else if (**source != ' ') {
            htp_lower_fail(e->l, "its equation is not understood");
        }
    }
}

static void write_implied_output(equation *e)
{
    htp_text_add(&e->text, e->ellipsis);
    for (uint32_t i = 0; i < LETTERS; i++) {
        if (e->uses[i] == 1) {
            htp_text_add_bytes(&e->text, (const char[]){letter(i)}, 1);
        }
    }
}

/** The letters of the term at @p source. */
static size_t count_letters(const char *source)
{
    size_t letters = 0;
    for (; *source && *source != ',' && strncmp(source, "->", 2) != 0; source++) {
        letters += letter_index(*source) < LETTERS;
    }
    return letters;
}

/** Rewrites PyTorch's equation for @p count operands. */
static const char *rewrite(htp_lowering *l, const char *source, const uint32_t *operands,
                           size_t count)
{
    equation *e = HTP_NEW(l->arena, equation);
    e->l = l;
    e->text.arena = l->arena;
    scan_terms(e, source, operands, count);
    choose_ellipsis(e, source);
    for (size_t i = 0; i < count && !l->failure; i++) {
        uint32_t rank = htp_graph_value(l->graph, operands[i])->rank;
        write_term(e, &source, rank - count_letters(source));
        if (i + 1 < count) {
            htp_text_add(&e->text, ",");
            source++;
        }
    }
    htp_text_add(&e->text, "->");
    if (l->failure) {
        return "";
    }
    if (*source == '\0') {
        write_implied_output(e);
    } else if (strncmp(source, "->", 2) == 0) {
        source += 2;
        write_term(e, &source, e->ellipsis_rank);
    }
    if (*source) {
        htp_lower_fail(l, "its equation has too many operands");
    }
    return htp_text_string(&e->text);
}

void htp_lower_einsum(htp_lowering *l)
{
    size_t count = 0;
    const uint32_t *values = htp_arg_list(l, "tensors", &count);
    htp_dtype dtype = sum_dtype(l);
    htp_tensor_id *operands = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    for (size_t i = 0; i < count; i++) {
        operands[i] = htp_value_tensor_as(l, values[i], dtype);
    }
    const char *text = rewrite(l, htp_arg_string(l, "equation"), values, count);
    htp_bind_cast(l, 0, emit_einsum(l, operands, count, text), dtype);
}

/** input1ᵀ · weight[k] · input2 for each k, and a bias. */
void htp_lower_bilinear(htp_lowering *l)
{
    htp_dtype dtype = sum_dtype(l);
    htp_tensor_id operands[] = {htp_arg_tensor_as(l, "input1", dtype),
                                htp_arg_tensor_as(l, "weight", dtype),
                                htp_arg_tensor_as(l, "input2", dtype)};
    htp_tensor_id x = emit_einsum(l, operands, 3, "...i,kij,...j->...k");
    if (htp_arg_present(l, "bias")) {
        x = htp_emit_binary(l, "Add", x, htp_arg_tensor_as(l, "bias", dtype));
    }
    htp_bind_cast(l, 0, x, dtype);
}

/** Binds the product of two tensors, summed over pairs of dims. */
static void bind_contraction(htp_lowering *l, const int64_t *dims_self, const int64_t *dims_other,
                             size_t count)
{
    uint32_t self_rank = htp_arg_rank(l, "self");
    uint32_t other_rank = htp_arg_rank(l, "other");
    if (self_rank + other_rank > LETTERS) {
        htp_lower_fail(l, "it has too many dims");
        return;
    }
    char self[LETTERS + 1] = "";
    char other[LETTERS + 1] = "";
    for (uint32_t i = 0; i < self_rank; i++) {
        self[i] = letter(i);
    }
    for (uint32_t i = 0; i < other_rank; i++) {
        other[i] = letter(self_rank + i);
    }
    for (size_t i = 0; i < count; i++) {
        other[dims_other[i]] = self[dims_self[i]];
    }
    htp_text text = {.arena = l->arena};
    htp_text_addf(&text, "%s,%s->", self, other);
    for (uint32_t i = 0; i < self_rank; i++) {
        htp_text_add_bytes(&text, &self[i], strchr(other, self[i]) ? 0 : 1);
    }
    for (uint32_t i = 0; i < other_rank; i++) {
        htp_text_add_bytes(&text, &other[i], strchr(self, other[i]) ? 0 : 1);
    }
    htp_dtype dtype = sum_dtype(l);
    htp_tensor_id operands[] = {htp_arg_tensor_as(l, "self", dtype),
                                htp_arg_tensor_as(l, "other", dtype)};
    htp_bind_cast(l, 0, emit_einsum(l, operands, 2, htp_text_string(&text)), dtype);
}

void htp_lower_tensordot(htp_lowering *l)
{
    size_t count = 0;
    size_t other_count = 0;
    const int64_t *dims_self =
        htp_arg_dims_list(l, "dims_self", htp_arg_rank(l, "self"), false, &count);
    const int64_t *dims_other =
        htp_arg_dims_list(l, "dims_other", htp_arg_rank(l, "other"), false, &other_count);
    if (count != other_count) {
        htp_lower_fail(l, "its lists of dims differ in length");
    } else {
        bind_contraction(l, dims_self, dims_other, count);
    }
}

/** The product over the last dims; of a 0-d tensor with anything. */
void htp_lower_inner(htp_lowering *l)
{
    uint32_t self_rank = htp_arg_rank(l, "self");
    uint32_t other_rank = htp_arg_rank(l, "other");
    const int64_t last_self = (int64_t)self_rank - 1;
    const int64_t last_other = (int64_t)other_rank - 1;
    bind_contraction(l, &last_self, &last_other, self_rank && other_rank ? 1 : 0);
}
