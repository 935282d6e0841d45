/*
 * Axes: formulas over them, equations from operators, and joins.
 */
#include "arguments_fixture.h"
#include "source/input_search/axes.h"
#include "source/input_search/equation.h"
#include "unit.h"

#include <time.h>

/* Formulas as input, and as declared. */
static const struct {
    const char *text;
    const char *symbol; /* NULL: a number */
    int64_t size;
} formulas[] = {
    {"past+new", "past + new", 10},
    {" past + new ", "past + new", 10},
    {"new+past=10", "new + past", 10},
    {"past", "past", 7},
    {"past+0", "past", 7},
    {"(past + new)*2 - 1", "past*2 + new*2 - 1", 19},
    {"past*new", "past*new", 21},
    {"(past + 3)//4", "(past + 3)//4", 2},
    {"max(past - new, 0)+1", "max(past - new, 0) + 1", 5},
    {"min(past, 5)", "min(past, 5)", 5},
    {"past - past + 4", NULL, 4},
};

UNIT_TEST(sizes_that_follow_from_axes)
{
    const htp_argument arguments[] = {argument_tensor("x"), argument_tensor("mask")};
    for (size_t i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++) {
        htp_inputs inputs;
        const char *mask = htp_arena_printf(arena, "mask:bool[2,%s]", formulas[i].text);
        expect_ok(PARSE(arena, &inputs, arguments, mask, "x:float32[past=7,new=3]"));
        uint32_t axis = inputs.dim_axes[1][1];
        ck_assert_int_eq(inputs.items[1].dims[0][1], formulas[i].size);
        ck_assert_int_eq(axis == HTP_NONE, formulas[i].symbol == NULL);
        if (axis != HTP_NONE) {
            ck_assert_str_eq(inputs.axes[axis].symbol, formulas[i].symbol);
        }
    }
}

UNIT_TEST(formulas_hold_in_all_lanes)
{
    const htp_argument arguments[] = {argument_tensor("x"), argument_tensor("y")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[a=7,b=3]", "y:bool[a+b,2*a,a+b]"));
    ck_assert_uint_eq(inputs.axis_count, 4);
    for (uint32_t attempt = 0; htp_inputs_choose_lanes(arena, &inputs, attempt); attempt++) {
        for (uint32_t lane = 0; lane < inputs.lane_count; lane++) {
            const int64_t *x = inputs.items[0].dims[lane];
            const int64_t *y = inputs.items[1].dims[lane];
            ck_assert_int_eq(y[0], x[0] + x[1]);
            ck_assert_int_eq(y[1], 2 * x[0]);
            ck_assert_int_eq(y[2], y[0]);
        }
    }
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 1), "y:bool[a + b=10,a*2=14,a + b=10]");
}

/* ---- equations ---- */

/* Numbers that must be equal, as formulas of the axes a, b and c of sizes 7, 3 and 10. */
static const struct {
    const char *have;
    const char *want;
    const char *solution; /* NULL: none */
    const char *solved;
} equations[] = {
    {"a", "b + 4", "b + 4", "a"},     {"a + b", "c", "a + b", "c"},
    {"c", "a + b", "a + b", "c"},     {"a*2", "c*2 - 6", "a + 3", "c"},
    {"a*b", "a*(c - 7)", NULL, NULL}, {"a", "7", NULL, NULL},
    {"c", "14 - a + b", NULL, NULL},  {"a//7", "1", NULL, NULL},
};

UNIT_TEST(equations_are_solved)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    for (size_t i = 0; i < sizeof(equations) / sizeof(equations[0]); i++) {
        htp_inputs inputs;
        htp_equation equation;
        int64_t numbers[2][HTP_MAX_LANES] = {{0}};
        expect_ok(PARSE(arena, &inputs, arguments, "x:float32[a=7,b=3,c=10]"));
        for (uint32_t side = 0; side < 2; side++) {
            htp_map names = {0};
            htp_size_formula formula;
            for (uint32_t axis = 0; axis < inputs.axis_count; axis++) {
                htp_map_set(arena, &names, inputs.axes[axis].symbol, axis);
            }
            const char *text = side ? equations[i].want : equations[i].have;
            ck_assert_ptr_null(htp_size_formula_parse(arena, text, &names, &formula));
            for (uint32_t lane = 0; lane < inputs.lane_count; lane++) {
                numbers[side][lane] = htp_size_formula_value(&formula, inputs.axes, lane);
            }
        }
        bool is_read = htp_equation_read(&inputs, numbers[0], numbers[1], &equation);
        uint32_t term = is_read ? htp_equation_solve(&equation) : HTP_NONE;
        ck_assert_msg((term == HTP_NONE) == !equations[i].solution, "%s", equations[i].have);
        if (term != HTP_NONE) {
            const htp_size_formula solution = htp_equation_solution(&equation, term);
            ck_assert_str_eq(inputs.axes[equation.terms[term].axis].symbol, equations[i].solved);
            ck_assert_str_eq(htp_inputs_write_formula(arena, &inputs, &solution),
                             equations[i].solution);
        }
    }
}

UNIT_TEST(a_sum_that_is_a_number_fixes_all_axes_in_it)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    htp_equation equation;
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[a=7,b=3]"));
    int64_t sum[HTP_MAX_LANES] = {0};
    int64_t ten[HTP_MAX_LANES] = {0};
    for (uint32_t lane = 0; lane < inputs.lane_count; lane++) {
        sum[lane] = inputs.axes[0].sizes[lane] + inputs.axes[1].sizes[lane];
        ten[lane] = 10;
    }
    ck_assert(htp_equation_read(&inputs, sum, ten, &equation));
    ck_assert(htp_equation_is_fixed(&equation) && !htp_equation_is_join(&equation));
    ck_assert_uint_eq(equation.count, 2);
    ck_assert_uint_eq(htp_equation_solve(&equation), HTP_NONE);
}

/* ---- axes ---- */

static void check_described(htp_arena *arena, const htp_axes *axes, const char *first,
                            const char *second)
{
    htp_inputs inputs;
    const uint32_t *dims = NULL;
    ck_assert(htp_axes_apply(axes, &inputs, &dims));
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 0), first);
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 1), second);
}

UNIT_TEST(axes_are_apart_until_they_are_joined)
{
    const htp_argument arguments[] = {argument_tensor("ids"), argument_tensor("mask")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "ids:int64[2,3]", "mask:int64[2,10]"));
    htp_axes axes = htp_axes_apart(arena, &inputs);
    ck_assert_uint_eq(htp_axes_count_moving(&axes), 4);
    check_described(arena, &axes, "ids:int64[batch=2,sequence=3]",
                    "mask:int64[mask_batch=2,mask_sequence=10]");
    ck_assert(!htp_axes_join(&axes, 1, 3)); /* of other sizes */
    ck_assert(htp_axes_join(&axes, 2, 0));
    ck_assert(!htp_axes_join(&axes, 0, 2));
    check_described(arena, &axes, "ids:int64[batch=2,sequence=3]",
                    "mask:int64[batch=2,mask_sequence=10]");
    axes.is_fixed[1] = true;
    check_described(arena, &axes, "ids:int64[batch=2,3]", "mask:int64[batch=2,mask_sequence=10]");
}

UNIT_TEST(axes_follow_others)
{
    const htp_argument arguments[] = {argument_tensor("ids"), argument_tensor("mask")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "ids:int64[2,3]", "mask:int64[5,8]"));
    htp_axes axes = htp_axes_apart(arena, &inputs);
    htp_size_formula sum = {.count = 0};
    ck_assert(htp_size_formula_push(&sum, HTP_SIZE_AXIS, 1));
    ck_assert(htp_size_formula_push(&sum, HTP_SIZE_AXIS, 2));
    ck_assert(htp_size_formula_push(&sum, HTP_SIZE_ADD, 0));
    ck_assert(htp_axes_set_formula(&axes, 3, &sum));
    ck_assert_uint_eq(htp_axes_count_moving(&axes), 3);
    check_described(arena, &axes, "ids:int64[batch=2,sequence=3]",
                    "mask:int64[mask_batch=5,sequence + mask_batch=8]");
    /* A formula of an axis that is itself a formula. */
    htp_size_formula more = {.count = 0};
    ck_assert(htp_size_formula_push(&more, HTP_SIZE_AXIS, 0));
    ck_assert(htp_size_formula_push(&more, HTP_SIZE_NUMBER, 3));
    ck_assert(htp_size_formula_push(&more, HTP_SIZE_ADD, 0));
    ck_assert(htp_axes_set_formula(&axes, 2, &more));
    check_described(arena, &axes, "ids:int64[batch=2,sequence=3]",
                    "mask:int64[batch + 3=5,batch + sequence + 3=8]");
    axes.is_fixed[1] = true;
    check_described(arena, &axes, "ids:int64[batch=2,3]", "mask:int64[batch + 3=5,batch + 6=8]");
    axes.is_fixed[0] = true;
    check_described(arena, &axes, "ids:int64[2,3]", "mask:int64[5,8]");
}

UNIT_TEST(named_axes_keep_their_names)
{
    const htp_argument arguments[] = {argument_tensor("ids"), argument_tensor("mask")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "ids:int64[n=2,t=3]", "mask:int64[n,t+n]"));
    htp_axes axes = htp_axes_named(arena, &inputs);
    check_described(arena, &axes, "ids:int64[n=2,t=3]", "mask:int64[n=2,n + t=5]");
    axes.is_fixed[1] = true;
    check_described(arena, &axes, "ids:int64[n=2,3]", "mask:int64[n=2,n + 3=5]");
}

UNIT_TEST(dims_are_alike_by_their_paths)
{
    const htp_argument arguments[] = {argument_tensor("past_1"), argument_tensor("past_22"),
                                      argument_tensor("other")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "past_1:float32[2,3]", "past_22:float32[2,4]",
                    "other:float32[2,3]"));
    htp_axes axes = htp_axes_apart(arena, &inputs);
    ck_assert_uint_eq(htp_axes_count_alike(&axes, 0), 2);
    ck_assert_uint_eq(htp_axes_count_alike(&axes, 1), 1);
    ck_assert_uint_eq(htp_axes_count_alike(&axes, 4), 1);
}

UNIT_TEST(many_axes_are_told_apart_in_little_time)
{
    enum { MANY = 20000 };
    htp_inputs inputs = {.axes = HTP_NEW_ARRAY(arena, htp_axis, MANY), .axis_count = MANY};
    for (uint32_t i = 0; i < MANY; i++) {
        inputs.axes[i].sizes[0] = 3 + i % 2;
    }
    const clock_t begin = clock();
    ck_assert(htp_inputs_choose_lanes(arena, &inputs, 0));
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    ck_assert_msg(seconds < 5, "%.1f s", seconds);
}

UNIT_TEST(the_largest_sizes_end)
{
    htp_axis axes[] = {{.sizes = {INT64_MAX}}, {.sizes = {INT64_MAX - 1}}, {.sizes = {1}}};
    htp_inputs inputs = {.axes = axes, .axis_count = 3};
    uint32_t tried = 0;
    for (uint32_t i = 0; htp_inputs_choose_lanes(arena, &inputs, i); i++) {
        tried++;
    }
    ck_assert_uint_gt(tried, 0);
}

UNIT_MAIN("axes", sizes_that_follow_from_axes, formulas_hold_in_all_lanes, equations_are_solved,
          a_sum_that_is_a_number_fixes_all_axes_in_it, axes_are_apart_until_they_are_joined,
          axes_follow_others, named_axes_keep_their_names, dims_are_alike_by_their_paths,
          many_axes_are_told_apart_in_little_time, the_largest_sizes_end)
