/*
 * Multiply-adds of products of matrices.
 */
#include "query/cost/multiply_adds.h"

#include <string.h>

/* The dim that a product sums over: of two that must be equal, the one that is known. */
static htp_polynomial_id summed(const htp_counting *counting, const htp_tensor *a, uint32_t a_axis,
                                const htp_tensor *b, uint32_t b_axis)
{
    htp_polynomial_id first = htp_counting_dim(counting, a, a_axis);
    return first == HTP_NONE ? htp_counting_dim(counting, b, b_axis) : first;
}

/* The broadcast of a dim of two products' batches; one that is left out is 1. */
static htp_polynomial_id broadcast(const htp_counting *counting, htp_polynomial_id a,
                                   htp_polynomial_id b)
{
    const htp_algebra *algebra = &counting->symbols->algebra;
    int64_t x = 0;
    int64_t y = 0;
    bool is_a = a != HTP_NONE && htp_polynomial_is_number(algebra, a, &x);
    bool is_b = b != HTP_NONE && htp_polynomial_is_number(algebra, b, &y);
    if (a == b || (is_b && y == 1)) {
        return a;
    }
    return is_a && x == 1 ? b : is_a && a != HTP_NONE ? a : is_b ? b : HTP_NONE;
}

/* Batches of two operands, by the rules of numpy.matmul(). */
static htp_polynomial_id batches(const htp_counting *counting, const htp_tensor *a,
                                 const htp_tensor *b)
{
    htp_polynomial_id one = htp_polynomial_number(&counting->symbols->algebra, 1);
    htp_polynomial_id product = one;
    for (uint32_t i = 3; i <= a->rank || i <= b->rank; i++) {
        htp_polynomial_id x = i <= a->rank ? htp_counting_dim(counting, a, a->rank - i) : one;
        htp_polynomial_id y = i <= b->rank ? htp_counting_dim(counting, b, b->rank - i) : one;
        product = htp_counting_times(counting, product, broadcast(counting, x, y));
    }
    return product;
}

/* numpy.matmul(): vectors have one row or column. */
htp_polynomial_id htp_count_product(const htp_counting *counting)
{
    const htp_tensor *a = htp_counting_input(counting, counting->a);
    const htp_tensor *b = htp_counting_input(counting, counting->b);
    const htp_tensor *made = htp_counting_output(counting, 0);
    if (!a || !b || a->rank == 0 || b->rank == 0) {
        return HTP_NONE;
    }
    htp_polynomial_id inner = summed(counting, a, a->rank - 1, b, b->rank == 1 ? 0 : b->rank - 2);
    htp_polynomial_id elements = htp_counting_elements(counting, made);
    if (elements == HTP_NONE) {
        elements = batches(counting, a, b);
        elements = a->rank == 1 ? elements
                                : htp_counting_times(counting, elements,
                                                     htp_counting_dim(counting, a, a->rank - 2));
        elements = b->rank == 1 ? elements
                                : htp_counting_times(counting, elements,
                                                     htp_counting_dim(counting, b, b->rank - 1));
    }
    return htp_counting_times(counting, elements, inner);
}

/* Two matrices, each perhaps transposed. */
htp_polynomial_id htp_count_gemm(const htp_counting *counting)
{
    const htp_tensor *a = htp_counting_input(counting, counting->a);
    const htp_tensor *b = htp_counting_input(counting, counting->b);
    uint32_t a_turn = htp_counting_int(counting, "transA", 0) != 0;
    uint32_t b_turn = htp_counting_int(counting, "transB", 0) != 0;
    if (!a || !b || a->rank != 2 || b->rank != 2) {
        return HTP_NONE;
    }
    htp_polynomial_id sides = htp_counting_times(counting, htp_counting_dim(counting, a, a_turn),
                                                 htp_counting_dim(counting, b, 1 - b_turn));
    return htp_counting_times(counting, sides, summed(counting, a, 1 - a_turn, b, b_turn));
}

/* Stacks of matrices whose last two axes may be swapped, as of both sides. */
htp_polynomial_id htp_count_fused_product(const htp_counting *counting)
{
    const htp_tensor *a = htp_counting_input(counting, counting->a);
    const htp_tensor *b = htp_counting_input(counting, counting->b);
    uint32_t a_turn = htp_counting_int(counting, "transA", 0) != 0;
    uint32_t b_turn = htp_counting_int(counting, "transB", 0) != 0;
    bool moves_batches = htp_counting_int(counting, "transBatchA", 0) != 0 ||
                         htp_counting_int(counting, "transBatchB", 0) != 0;
    if (!a || !b || a->rank < 2 || b->rank < 2 || moves_batches) {
        return HTP_NONE;
    }
    htp_polynomial_id sides =
        htp_counting_times(counting, htp_counting_dim(counting, a, a->rank - 2 + a_turn),
                           htp_counting_dim(counting, b, b->rank - 1 - b_turn));
    sides = htp_counting_times(counting, sides, batches(counting, a, b));
    return htp_counting_times(counting, sides,
                              summed(counting, a, a->rank - 1 - a_turn, b, b->rank - 2 + b_turn));
}

/* The second matrix is packed; its columns are an attribute. */
htp_polynomial_id htp_count_packed_product(const htp_counting *counting)
{
    const htp_tensor *a = htp_counting_input(counting, counting->a);
    int64_t columns = htp_counting_int(counting, "N", -1);
    return columns < 0
               ? HTP_NONE
               : htp_counting_times(counting, htp_counting_elements(counting, a),
                                    htp_polynomial_number(&counting->symbols->algebra, columns));
}

/* ---- Einsum ---- */

enum { LETTERS = 52 };

/* A letter of an equation: its number, or -1. */
static int letter_of(char byte)
{
    return byte >= 'a' && byte <= 'z'   ? byte - 'a'
           : byte >= 'A' && byte <= 'Z' ? byte - 'A' + LETTERS / 2
                                        : -1;
}

/* The letters of an operand as bits, with the sizes that it gives them. @return false for
 * anything else */
static bool read_letters(const htp_counting *counting, const htp_tensor *tensor, const char **at,
                         uint64_t *letters, htp_polynomial_id *sizes)
{
    uint32_t axis = 0;
    for (*letters = 0; **at && **at != ',' && **at != '-'; ++*at) {
        int letter = letter_of(**at);
        if (letter < 0 && **at != ' ') {
            return false;
        }
        if (letter >= 0) {
            *letters |= UINT64_C(1) << letter;
            htp_polynomial_id size = htp_counting_dim(counting, tensor, axis++);
            sizes[letter] = sizes[letter] == HTP_NONE ? size : sizes[letter];
        }
    }
    *at += **at == ',';
    return !tensor || axis == tensor->rank;
}

static htp_polynomial_id size_of(const htp_counting *counting, const htp_polynomial_id *sizes,
                                 uint64_t letters)
{
    htp_polynomial_id product = htp_polynomial_number(&counting->symbols->algebra, 1);
    for (int i = 0; i < LETTERS; i++) {
        product = letters >> i & 1 ? htp_counting_times(counting, product, sizes[i]) : product;
    }
    return product;
}

/* The letters behind @p at: of later operands, and of the output. Without an output all may be in
 * it. */
static uint64_t letters_behind(const char *at)
{
    uint64_t letters = 0;
    bool has_output = strchr(at, '>') != NULL;
    for (; *at; at++) {
        int letter = letter_of(*at);
        letters |= letter >= 0 ? UINT64_C(1) << letter : 0;
    }
    return has_output ? letters : UINT64_MAX;
}

static const char *find_equation(const htp_counting *counting)
{
    htp_view_name name = htp_view_find_name(counting->view, "equation");
    const htp_view_attribute *attribute =
        name ? htp_view_find_attribute(counting->view, counting->number, name) : NULL;
    return attribute && attribute->kind == HTP_VIEW_STRING
               ? htp_arena_copy(counting->arena, attribute->s.at, attribute->s.bytes)
               : NULL;
}

/* Operands are multiplied from left to right, and a letter is summed over as soon as nothing behind
 * needs it. An equation with "..." is not followed. */
htp_polynomial_id htp_count_einsum(const htp_counting *counting)
{
    const char *at = find_equation(counting);
    htp_polynomial_id sizes[LETTERS];
    htp_polynomial_id sum = htp_polynomial_number(&counting->symbols->algebra, 0);
    uint64_t kept = 0;
    for (int i = 0; i < LETTERS; i++) {
        sizes[i] = HTP_NONE;
    }
    for (uint32_t i = 0; i < counting->node->inputs.count; i++) {
        uint64_t letters = 0;
        if (!at || !read_letters(counting, htp_counting_input(counting, i), &at, &letters, sizes)) {
            return HTP_NONE;
        }
        letters |= kept;
        sum = i == 0 ? sum : htp_counting_plus(counting, sum, size_of(counting, sizes, letters));
        kept = letters & letters_behind(at);
    }
    return sum;
}
