#include "graph/symbols.h"
#include "unit.h"

#include <string.h>

/* Sizes in no plain relation to one another. */
static const htp_axis axes[] = {{"batch", {2, 3, 5}}, {"sequence", {8, 17, 41}}};

static const char *name_of(htp_symbols *symbols, int64_t a, int64_t b, int64_t c)
{
    const int64_t sizes[] = {a, b, c};
    htp_dim dim = htp_symbols_dim(symbols, sizes);
    ck_assert_int_eq(dim.size, a);
    return dim.symbol ? dim.symbol : "a number";
}

UNIT_TEST(forms)
{
    static const struct {
        int64_t sizes[3];
        const char *name;
    } cases[] = {
        {{7, 7, 7}, "a number"},
        {{2, 3, 5}, "batch"},
        {{8, 17, 41}, "sequence"},
        {{4, 6, 10}, "batch*2"},
        {{9, 18, 42}, "sequence + 1"},
        {{5, 14, 38}, "sequence - 3"},
        {{10, 20, 46}, "batch + sequence"},
        {{16, 51, 205}, "batch*sequence"},
        {{4, 9, 25}, "batch*batch"},
        {{64, 204, 820}, "batch*sequence*4"},
        {{16, 34, 82}, "sequence*2"},
    };
    htp_symbols s;
    htp_symbols_init(&s, arena, axes, 2, 3);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int64_t *sizes = cases[i].sizes;
        ck_assert_str_eq(name_of(&s, sizes[0], sizes[1], sizes[2]), cases[i].name);
    }
}

UNIT_TEST(quotients_have_no_remainder)
{
    static const htp_axis even[] = {{"n", {8, 12, 20}}};
    htp_symbols s;
    htp_symbols_init(&s, arena, even, 1, 3);
    ck_assert_str_eq(name_of(&s, 4, 6, 10), "n/2");
    ck_assert_str_eq(name_of(&s, 2, 3, 5), "n/4");
    ck_assert_str_eq(name_of(&s, 1, 1, 2), "dim_0");
}

UNIT_TEST(names_of_their_own_are_stable)
{
    htp_symbols s;
    htp_symbols_init(&s, arena, axes, 2, 3);
    ck_assert_str_eq(name_of(&s, 1, 7, 40), "dim_0");
    ck_assert_str_eq(name_of(&s, 1, 7, 41), "dim_1");
    ck_assert_str_eq(name_of(&s, 1, 7, 40), "dim_0");
    ck_assert_str_eq(name_of(&s, 0, 1, 0), "dim_2");
}

/* An axis may be called what a form or a fresh name would spell. */
UNIT_TEST(names_that_are_taken_are_not_given_twice)
{
    static const htp_axis odd[] = {
        {"n", {2, 3, 5}}, {"n*2", {7, 19, 101}}, {"dim_0", {1000, 1, 7}}};
    htp_symbols s;
    htp_symbols_init(&s, arena, odd, 3, 3);
    ck_assert_str_eq(name_of(&s, 7, 19, 101), "n*2");
    const char *doubled = name_of(&s, 4, 6, 10);
    ck_assert_str_ne(doubled, "n*2");
    ck_assert_str_eq(name_of(&s, 1, 50, 3), "dim_1");
}

UNIT_TEST(axes_of_the_same_sizes_are_one)
{
    static const htp_axis twins[] = {{"a", {2, 3, 5}}, {"b", {2, 3, 5}}};
    htp_symbols s;
    htp_symbols_init(&s, arena, twins, 2, 3);
    ck_assert_str_eq(name_of(&s, 2, 3, 5), "a");
}

UNIT_TEST(one_lane_has_numbers_only)
{
    htp_symbols s;
    htp_symbols_init(&s, arena, axes, 2, 1);
    ck_assert_str_eq(name_of(&s, 2, 3, 5), "a number");
    const int64_t sizes[] = {2, -1, -1};
    ck_assert_ptr_null(htp_symbols_dim(&s, sizes).symbol);
}

UNIT_TEST(two_lanes_ignore_the_third)
{
    htp_symbols s;
    htp_symbols_init(&s, arena, axes, 2, 2);
    ck_assert_str_eq(name_of(&s, 2, 3, 99), "batch");
    ck_assert_str_eq(name_of(&s, 2, 3, -7), "batch");
}

UNIT_TEST(extreme_sizes_do_not_overflow)
{
    static const htp_axis extreme[] = {
        {"a", {INT64_MAX, INT64_MAX - 1, 3}}, {"b", {INT64_MIN, 5, INT64_MAX}}, {"c", {0, 1, 2}}};
    htp_symbols s;
    htp_symbols_init(&s, arena, extreme, 3, 3);
    ck_assert_str_eq(name_of(&s, INT64_MAX, 1, 2), "dim_0");
    ck_assert_str_eq(name_of(&s, INT64_MIN, INT64_MAX, 0), "dim_1");
    ck_assert_str_eq(name_of(&s, 0, INT64_MIN, INT64_MAX), "dim_2");
    ck_assert_str_eq(name_of(&s, 0, 1, 2), "c");
    ck_assert_str_eq(name_of(&s, 1, 2, 3), "c + 1");
}

UNIT_TEST(many_different_dims)
{
    htp_symbols s;
    htp_symbols_init(&s, arena, axes, 2, 3);
    for (int64_t i = 0; i < 50000; i++) {
        const int64_t sizes[] = {i * i + 31, i * 3 + 7, 100 - i};
        UNIT_CHECK(htp_symbols_dim(&s, sizes).symbol != NULL);
    }
    ck_assert_uint_eq(s.names.count, 50002);
}

UNIT_MAIN("symbols", forms, quotients_have_no_remainder, names_of_their_own_are_stable,
          names_that_are_taken_are_not_given_twice, axes_of_the_same_sizes_are_one,
          one_lane_has_numbers_only, two_lanes_ignore_the_third, extreme_sizes_do_not_overflow,
          many_different_dims)
