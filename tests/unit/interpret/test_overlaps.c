/*
 * Overlaps of tensors in one memory.
 */
#include "interpret/memory/memory.h"
#include "unit.h"

#include <stdlib.h>

enum { RANK = 3, MEMORY = 512 };

typedef struct geometry {
    uint32_t rank;
    int64_t dims[RANK];
    int64_t strides[RANK];
    int64_t offset;
} geometry;

static htp_runner_tensor tensor_of(const geometry *g)
{
    int64_t elements = 1;
    for (uint32_t i = 0; i < g->rank; i++) {
        elements *= g->dims[i];
    }
    return (htp_runner_tensor){.type = 6,
                               .rank = g->rank,
                               .dims = g->dims,
                               .strides = g->strides,
                               .offset = g->offset,
                               .elements = elements};
}

static bool reads(const geometry *written, const geometry *read)
{
    const htp_runner_tensor a = tensor_of(written);
    const htp_runner_tensor b = tensor_of(read);
    return htp_tensor_reads_written(&a, &b);
}

/* ---- as programs do it ----------------------------------------------------------------------- */

UNIT_TEST(a_tensor_is_read_where_it_is_written)
{
    const geometry all = {2, {4, 6}, {6, 1}, 0};
    ck_assert(!reads(&all, &all));
}

UNIT_TEST(what_lies_above_is_read_before_it_is_written)
{
    const geometry low = {2, {4, 5}, {6, 1}, 0};
    const geometry high = {2, {4, 5}, {6, 1}, 1};
    ck_assert(!reads(&low, &high));
    ck_assert(reads(&high, &low));
}

UNIT_TEST(halves_and_every_second_element_are_apart)
{
    const geometry left = {2, {512, 384}, {768, 1}, 0};
    const geometry right = {2, {512, 384}, {768, 1}, 384};
    const geometry even = {2, {512, 384}, {768, 2}, 0};
    const geometry odd = {2, {512, 384}, {768, 2}, 1};
    ck_assert(!reads(&left, &right) && !reads(&right, &left));
    ck_assert(!reads(&even, &odd) && !reads(&odd, &even));
    ck_assert(reads(&left, &even));
    ck_assert(reads(&right, &even));
}

UNIT_TEST(columns_of_a_matrix_are_apart_and_its_rows_meet_them)
{
    const geometry first = {1, {4}, {6}, 0};
    const geometry last = {1, {4}, {6}, 5};
    const geometry row = {1, {6}, {1}, 6};
    ck_assert(!reads(&last, &first));
    ck_assert(reads(&row, &first));
    ck_assert(reads(&last, &row));
}

UNIT_TEST(a_transposed_matrix_meets_itself)
{
    const geometry matrix = {2, {4, 4}, {6, 1}, 0};
    const geometry turned = {2, {4, 4}, {1, 6}, 0};
    ck_assert(reads(&matrix, &turned));
}

UNIT_TEST(dims_of_one_and_expanded_ones_have_no_steps)
{
    const geometry row = {2, {1, 3}, {999, 1}, 3};
    const geometry other = {2, {5, 3}, {0, 1}, 0};
    const geometry same = {2, {5, 3}, {0, 1}, 3};
    ck_assert(!reads(&row, &other));
    ck_assert(reads(&row, &same));
}

UNIT_TEST(without_elements_nothing_is_read)
{
    const geometry none = {2, {0, 3}, {3, 1}, 2};
    const geometry all = {2, {4, 3}, {3, 1}, 0};
    ck_assert(!reads(&all, &none) && !reads(&none, &all));
}

UNIT_TEST(what_cannot_be_told_is_taken_to_meet)
{
    const int64_t huge = INT64_C(1) << 40;
    const geometry large = {2, {huge, 3}, {huge, 1}, 1};
    const geometry other = {2, {3, 3}, {huge, 2}, 0};
    ck_assert(reads(&large, &other));
    const geometry a = {1, {4}, {1}, 0};
    htp_runner_tensor bytes = tensor_of(&a);
    const htp_runner_tensor floats = bytes;
    bytes.type = 0;
    ck_assert(htp_tensor_reads_written(&floats, &bytes));
}

UNIT_TEST(it_takes_no_long_to_tell)
{
    const geometry a = {3, {1000003, 1000033, 1000037}, {999983, 999979, 999961}, 0};
    const geometry b = {3, {1000039, 1000081, 1000099}, {999959, 999953, 999931}, 7};
    ck_assert(reads(&a, &b));
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void mark(const geometry *g, bool *is_there)
{
    for (int64_t i = 0; i < g->dims[0]; i++) {
        for (int64_t j = 0; j < g->dims[1]; j++) {
            for (int64_t k = 0; k < g->dims[2]; k++) {
                is_there[g->offset + i * g->strides[0] + j * g->strides[1] + k * g->strides[2]] =
                    true;
            }
        }
    }
}

static bool share(const geometry *a, const geometry *b)
{
    bool of_a[MEMORY] = {false};
    bool of_b[MEMORY] = {false};
    mark(a, of_a);
    mark(b, of_b);
    bool any = false;
    for (size_t i = 0; i < MEMORY; i++) {
        any = any || (of_a[i] && of_b[i]);
    }
    return any;
}

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

static geometry any_geometry(uint32_t *state)
{
    geometry g = {.rank = RANK, .offset = draw(state, 40)};
    for (size_t i = 0; i < RANK; i++) {
        g.dims[i] = 1 + draw(state, 5);
        g.strides[i] = draw(state, 30);
    }
    return g;
}

static bool is_shifted(const geometry *a, const geometry *b)
{
    bool is_alike = a->offset <= b->offset;
    for (size_t i = 0; i < RANK; i++) {
        is_alike = is_alike && a->dims[i] == b->dims[i] && a->strides[i] == b->strides[i];
    }
    return is_alike;
}

UNIT_TEST(elements_meet_as_counted_one_by_one)
{
    uint32_t state = 1;
    size_t met = 0;
    enum { PAIRS = 20000 };
    for (size_t i = 0; i < PAIRS; i++) {
        const geometry a = any_geometry(&state);
        geometry b = any_geometry(&state);
        if (i % 3 == 0) { /* another part of the same tensor */
            const int64_t offset = b.offset;
            b = a;
            b.offset = offset;
        }
        const bool expected = !is_shifted(&a, &b) && share(&a, &b);
        ck_assert_msg(reads(&a, &b) == expected, "pair %zu", i);
        met += expected;
    }
    ck_assert_uint_gt(met, PAIRS / 8);
    ck_assert_uint_lt(met, PAIRS - PAIRS / 8);
}

UNIT_MAIN("interpret: overlaps", a_tensor_is_read_where_it_is_written,
          what_lies_above_is_read_before_it_is_written, halves_and_every_second_element_are_apart,
          columns_of_a_matrix_are_apart_and_its_rows_meet_them, a_transposed_matrix_meets_itself,
          dims_of_one_and_expanded_ones_have_no_steps, without_elements_nothing_is_read,
          what_cannot_be_told_is_taken_to_meet, it_takes_no_long_to_tell,
          elements_meet_as_counted_one_by_one)
