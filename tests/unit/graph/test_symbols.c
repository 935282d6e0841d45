#include "graph/symbols.h"
#include "unit.h"

#include <math.h>
#include <string.h>

/* Sizes without a simple relation to one another. */
static const htp_axis axes[] = {{"batch", {2, 3, 5}, NULL}, {"sequence", {8, 17, 41}, NULL}};

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
    static const htp_axis even[] = {{"n", {8, 12, 20}, NULL}};
    htp_symbols s;
    htp_symbols_init(&s, arena, even, 1, 3);
    ck_assert_str_eq(name_of(&s, 4, 6, 10), "n//2");
    ck_assert_str_eq(name_of(&s, 2, 3, 5), "n//4");
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

/* An axis may be named like a formula or a fresh name. */
UNIT_TEST(names_that_are_taken_are_not_given_twice)
{
    static const htp_axis odd[] = {
        {"n", {2, 3, 5}, NULL}, {"n*2", {7, 19, 101}, NULL}, {"dim_0", {1000, 1, 7}, NULL}};
    htp_symbols s;
    htp_symbols_init(&s, arena, odd, 3, 3);
    ck_assert_str_eq(name_of(&s, 7, 19, 101), "n*2");
    const char *doubled = name_of(&s, 4, 6, 10);
    ck_assert_str_ne(doubled, "n*2");
    ck_assert_str_eq(name_of(&s, 1, 50, 3), "dim_2");
}

UNIT_TEST(axes_of_the_same_sizes_are_one)
{
    static const htp_axis twins[] = {{"a", {2, 3, 5}, NULL}, {"b", {2, 3, 5}, NULL}};
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
    static const htp_axis extreme[] = {{"a", {INT64_MAX, INT64_MAX - 1, 3}, NULL},
                                       {"b", {INT64_MIN, 5, INT64_MAX}, NULL},
                                       {"c", {0, 1, 2}, NULL}};
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
    ck_assert_uint_ge(s.names.count, 50002);
}

/* ---- arithmetic ---- */

static htp_symbols symbols;
static htp_polynomial_id h;
static htp_polynomial_id w;

static void begin(htp_arena *arena)
{
    static const htp_axis sides[] = {{"h", {64, 139, 53}, NULL}, {"w", {48, 101, 43}, NULL}};
    htp_symbols_init(&symbols, arena, sides, 2, 3);
    h = htp_symbols_polynomial(&symbols, (htp_dim){.symbol = "h"});
    w = htp_symbols_polynomial(&symbols, (htp_dim){.symbol = "w"});
}

static htp_polynomial_id number(int64_t value)
{
    return htp_polynomial_number(&symbols.algebra, value);
}

static htp_polynomial_id plus(htp_polynomial_id a, int64_t value)
{
    return htp_polynomial_add(&symbols.algebra, a, number(value), 1);
}

static htp_polynomial_id sum(htp_polynomial_id a, htp_polynomial_id b)
{
    return htp_polynomial_add(&symbols.algebra, a, b, 1);
}

static htp_polynomial_id less(htp_polynomial_id a, htp_polynomial_id b)
{
    return htp_polynomial_add(&symbols.algebra, a, b, -1);
}

static htp_polynomial_id times(htp_polynomial_id a, htp_polynomial_id b)
{
    return htp_polynomial_multiply(&symbols.algebra, a, b);
}

static htp_polynomial_id over(htp_polynomial_id a, int64_t divisor)
{
    return htp_polynomial_floor(&symbols.algebra, a, divisor);
}

static void check_name(htp_polynomial_id id, const char *expected)
{
    ck_assert_uint_ne(id, HTP_NONE);
    ck_assert_str_eq(htp_symbols_name(&symbols, id).symbol, expected);
}

UNIT_TEST(sums_and_products)
{
    begin(arena);
    check_name(plus(times(h, number(3)), -2), "h*3 - 2");
    check_name(less(number(5), h), "5 - h");
    check_name(less(less(number(0), h), w), "-h - w");
    check_name(times(plus(h, 1), w), "(h + 1)*w");
    check_name(times(plus(h, 1), number(2)), "h*2 + 2");
    check_name(times(plus(times(h, number(2)), 2), w), "(h + 1)*w*2");
    check_name(times(plus(h, 1), plus(w, 2)), "(h + 1)*(w + 2)");
    check_name(plus(times(over(h, 16), over(w, 16)), 1), "(h//16)*(w//16) + 1");
    check_name(times(h, times(h, w)), "h*h*w");
    ck_assert_uint_eq(less(h, h), number(0));
    ck_assert_uint_eq(sum(times(h, w), w), sum(w, times(w, h)));
}

/* The least number is never divided by -1. */
UNIT_TEST(the_least_number_is_none)
{
    begin(arena);
    htp_algebra *algebra = &symbols.algebra;
    htp_polynomial_id large = times(h, number(INT64_C(1) << 62));
    htp_polynomial_id negative = less(number(0), h);
    ck_assert_uint_eq(number(INT64_MIN), HTP_NONE);
    ck_assert_uint_eq(times(large, number(-2)), HTP_NONE);
    ck_assert_uint_eq(times(large, times(w, number(-2))), HTP_NONE);
    ck_assert_uint_eq(htp_polynomial_divide(algebra, times(large, times(w, number(-2))), negative),
                      HTP_NONE);
    ck_assert_uint_eq(over(number(INT64_MIN), 3), HTP_NONE);
}

UNIT_TEST(exact_quotients)
{
    begin(arena);
    htp_algebra *algebra = &symbols.algebra;
    htp_polynomial_id tokens = plus(times(over(h, 16), over(w, 16)), 1);
    htp_polynomial_id all = times(times(tokens, h), number(12));
    ck_assert_uint_eq(htp_polynomial_divide(algebra, all, tokens), times(h, number(12)));
    ck_assert_uint_eq(htp_polynomial_divide(algebra, all, number(4)),
                      times(times(h, tokens), number(3)));
    ck_assert_uint_eq(htp_polynomial_divide(algebra, all, h), times(tokens, number(12)));
    ck_assert_uint_eq(htp_polynomial_divide(algebra, all, w), HTP_NONE);
    ck_assert_uint_eq(htp_polynomial_divide(algebra, all, number(5)), HTP_NONE);
    ck_assert_uint_eq(htp_polynomial_divide(algebra, all, number(0)), HTP_NONE);
    ck_assert_uint_eq(htp_polynomial_divide(algebra, number(0), h), number(0));
}

UNIT_TEST(rounded_quotients_have_one_form)
{
    begin(arena);
    ck_assert_uint_eq(plus(over(plus(h, -1), 2), 1), over(plus(h, 1), 2));
    ck_assert_uint_eq(over(over(over(h, 2), 2), 2), over(h, 8));
    ck_assert_uint_eq(over(plus(times(h, number(2)), 3), 4), over(plus(h, 1), 2));
    ck_assert_uint_eq(over(times(h, number(6)), 3), times(h, number(2)));
    ck_assert_uint_eq(less(number(0), over(less(number(0), h), 2)), over(plus(h, 1), 2));
    ck_assert_uint_eq(less(h, over(h, 2)), over(plus(h, 1), 2));
    ck_assert_uint_eq(less(over(h, 4), over(h, 8)), over(plus(h, 4), 8));
    check_name(over(h, 2), "h//2");
    check_name(plus(over(h, 5), -1), "h//5 - 1");
    check_name(plus(over(plus(h, 240), 320), -1), "(h - 80)//320");
    check_name(times(over(plus(h, 1), 2), number(2)), "((h + 1)//2)*2");
    check_name(over(times(h, w), 6), "(h*w)//6");
    check_name(times(plus(over(h, 5), -1), w), "(h//5 - 1)*w");
    ck_assert_uint_eq(over(h, 0), HTP_NONE);
}

/* The forms agree with the numbers, also for negative ones. */
UNIT_TEST(sizes_of_forms)
{
    begin(arena);
    for (int64_t step = 1; step < 40; step++) {
        for (int64_t more = -90; more < 90; more += 7) {
            htp_polynomial_id id = plus(over(plus(less(over(h, 3), w), more), step), more);
            id = over(plus(times(id, number(3)), 2 * more), 4);
            for (int lane = 0; lane < 3; lane++) {
                const htp_lane_sizes *sizes = &symbols.algebra.polynomials.items[id].sizes;
                double a = (double)symbols.axes[0].sizes[lane];
                double b = (double)symbols.axes[1].sizes[lane];
                double expected = floor((floor(a / 3) - b + (double)more) / (double)step);
                expected = floor(((expected + (double)more) * 3 + 2 * (double)more) / 4);
                UNIT_CHECK(sizes->are_known && (double)sizes->lane[lane] == expected);
            }
        }
    }
}

UNIT_TEST(least_values)
{
    begin(arena);
    htp_algebra *algebra = &symbols.algebra;
    const struct {
        htp_polynomial_id id;
        int64_t least;
    } table[] = {
        {h, 1},
        {plus(over(h, 2), 3), 3},
        {plus(h, -3), -2},
        {over(plus(h, -3), 2), -1},
        {times(over(plus(h, 1), 2), number(2)), 2},
        {less(times(over(plus(h, 3), 4), number(4)), h), 0},
        {less(h, times(over(h, 7), number(7))), 0},
        {less(h, times(over(h, 7), number(6))), 1},
        {less(number(7), less(h, times(over(h, 7), number(7)))), 1},
        {times(h, w), 1},
        {htp_polynomial_smaller(algebra, h, number(3)), 1},
        {htp_polynomial_larger(algebra, h, number(3)), 3},
        {less(h, htp_polynomial_positive(algebra, plus(h, -2))), 1},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        UNIT_CHECK(htp_polynomial_is_at_least(algebra, table[i].id, table[i].least));
        UNIT_CHECK(!htp_polynomial_is_at_least(algebra, table[i].id, table[i].least + 1));
    }
    ck_assert(!htp_polynomial_is_at_least(algebra, less(h, w), -1000));
    ck_assert(!htp_polynomial_is_at_least(algebra, HTP_NONE, -1000));
    ck_assert(htp_polynomial_is_above(algebra, times(over(plus(h, 1), 2), number(2)), h));
    ck_assert(!htp_polynomial_is_above(algebra, h, times(over(plus(h, 1), 2), number(2))));
    htp_polynomial_set_least(algebra, plus(h, -3), 0);
    ck_assert(htp_polynomial_is_at_least(algebra, plus(h, -3), 0));
    htp_polynomial_forget(algebra);
    ck_assert(!htp_polynomial_is_at_least(algebra, plus(h, -3), 0));
}

UNIT_TEST(positive_parts)
{
    begin(arena);
    htp_algebra *algebra = &symbols.algebra;
    htp_polynomial_id cut = htp_polynomial_positive(algebra, plus(h, -3));
    check_name(cut, "max(h - 3, 0)");
    check_name(times(cut, w), "max(h - 3, 0)*w");
    check_name(over(cut, 2), "max(h - 3, 0)//2");
    check_name(htp_polynomial_smaller(algebra, h, number(3)), "min(h, 3)");
    check_name(htp_polynomial_larger(algebra, h, w), "max(w, h)");
    ck_assert_uint_eq(htp_polynomial_smaller(algebra, number(3), h),
                      htp_polynomial_smaller(algebra, h, number(3)));
    ck_assert_uint_eq(sum(cut, htp_polynomial_smaller(algebra, number(3), h)), h);
    ck_assert_uint_eq(htp_polynomial_positive(algebra, plus(cut, -2)),
                      htp_polynomial_positive(algebra, plus(h, -5)));
    ck_assert_uint_eq(htp_polynomial_positive(algebra, plus(times(h, number(2)), -6)),
                      times(cut, number(2)));
    ck_assert_uint_eq(htp_polynomial_positive(algebra, plus(h, -1)), plus(h, -1));
    ck_assert_uint_eq(htp_polynomial_positive(algebra, less(number(1), h)), number(0));
}

UNIT_TEST(what_grows_too_large_is_none)
{
    begin(arena);
    htp_polynomial_id id = h;
    for (int i = 0; i < 200; i++) {
        id = id == HTP_NONE ? id : over(plus(times(id, number(3)), 1), 2);
    }
    ck_assert_uint_eq(id, HTP_NONE);
    id = h;
    for (int i = 0; i < 20; i++) {
        id = times(id, h);
    }
    ck_assert_uint_eq(id, HTP_NONE);
    ck_assert_uint_eq(times(times(h, number(INT64_MAX)), number(2)), HTP_NONE);
    ck_assert_uint_eq(less(number(INT64_MIN), h), HTP_NONE);
    ck_assert_uint_eq(sum(HTP_NONE, h), HTP_NONE);
}

/* ---- learned facts ---- */

static htp_dim sized(int64_t a, int64_t b, int64_t c)
{
    return htp_symbols_dim(&symbols, (const int64_t[]){a, b, c});
}

static const char *proven(htp_dim given, htp_dim derived)
{
    htp_dim dim = htp_symbols_prove(&symbols, given, derived, true);
    return htp_symbols_resolve(&symbols, dim, true).symbol;
}

UNIT_TEST(what_is_derived_counts)
{
    begin(arena);
    htp_dim half = htp_symbols_name(&symbols, over(plus(h, 1), 2));
    htp_dim made_up = sized(32, 70, 27);
    ck_assert_str_eq(made_up.symbol, "dim_0");
    ck_assert_str_eq(proven(made_up, half), "(h + 1)//2");
    /* Other sizes than in the lanes: a new name. */
    ck_assert_str_eq(proven(sized(32, 69, 27), half), "dim_1");
    /* A form that only fits the lanes gives no name. */
    ck_assert_str_eq(proven(sized(128, 278, 106), htp_symbols_unknown(&symbols)), "dim_2");
    const htp_dim seven = {.size = 7};
    ck_assert_str_eq(proven(seven, htp_symbols_unknown(&symbols)), "dim_3");
    ck_assert_ptr_null(htp_symbols_prove(&symbols, seven, seven, true).symbol);
    htp_dim unknown = htp_symbols_unknown(&symbols);
    ck_assert_str_eq(htp_symbols_resolve(&symbols, unknown, false).symbol, "");
    unknown = htp_symbols_unknown(&symbols);
    ck_assert_str_eq(htp_symbols_resolve(&symbols, unknown, true).symbol, "dim_4");
    ck_assert_str_eq(htp_symbols_resolve(&symbols, unknown, false).symbol, "dim_4");
}

/* Sizes that are equal in all lanes may still differ. */
UNIT_TEST(equal_lanes_may_be_different_sizes)
{
    begin(arena);
    htp_dim made_up = sized(3, 6, 2);
    htp_dim a = htp_symbols_name(&symbols, over(plus(h, 3), 21));
    htp_dim b = htp_symbols_name(&symbols, over(plus(h, 4), 21));
    ck_assert_str_eq(proven(made_up, a), "(h + 3)//21");
    ck_assert_str_eq(proven(made_up, b), "(h + 4)//21");
    ck_assert_str_eq(proven(made_up, htp_symbols_unknown(&symbols)), "dim_0");
    ck_assert_str_eq(proven(made_up, htp_symbols_unknown(&symbols)), "dim_1");
}

/* A size that the data decides may be 0, and keeps its name. */
UNIT_TEST(sizes_of_data)
{
    static const htp_axis mixed[] = {{"h", {64, 139, 53}, NULL}, {"nonzero_0", {71, 7, 29}, NULL}};
    htp_symbols_init(&symbols, arena, mixed, 2, 3);
    htp_symbols_set_data(&symbols, 1);
    htp_dim count = sized(71, 7, 29);
    htp_polynomial_id id = htp_symbols_polynomial(&symbols, count);
    ck_assert(!htp_polynomial_is_at_least(&symbols.algebra, id, 1));
    ck_assert(htp_polynomial_is_at_least(&symbols.algebra, id, 0));
    ck_assert_str_eq(proven(count, htp_symbols_unknown(&symbols)), "nonzero_0");
    ck_assert_str_eq(proven(count, htp_symbols_unknown(&symbols)), "nonzero_0");
}

UNIT_TEST(names_that_are_formulas_are_put_in_brackets)
{
    static const htp_axis odd[] = {{"a + b", {64, 139, 53}, NULL}, {"h*2", {48, 101, 43}, NULL}};
    htp_symbols_init(&symbols, arena, odd, 2, 3);
    h = htp_symbols_polynomial(&symbols, (htp_dim){.symbol = "a + b"});
    check_name(h, "a + b");
    check_name(over(plus(h, 1), 2), "((a + b) + 1)//2");
    check_name(times(h, number(4)), "(a + b)*4");
}

UNIT_MAIN("symbols", forms, quotients_have_no_remainder, names_of_their_own_are_stable,
          names_that_are_taken_are_not_given_twice, axes_of_the_same_sizes_are_one,
          one_lane_has_numbers_only, two_lanes_ignore_the_third, extreme_sizes_do_not_overflow,
          many_different_dims, sums_and_products, the_least_number_is_none, exact_quotients,
          rounded_quotients_have_one_form, sizes_of_forms, least_values, positive_parts,
          what_grows_too_large_is_none, what_is_derived_counts, equal_lanes_may_be_different_sizes,
          sizes_of_data, names_that_are_formulas_are_put_in_brackets)
