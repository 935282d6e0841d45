/*
 * Bounds of axes from refusals, and the sizes tried next.
 */
#include "source/input_search/bounds.h"

#include "api/axes/axis_bounds.h"
#include "api/axes/axis_refusals.h"
#include "arguments_fixture.h"
#include "source/tracing/shape_conflict.h"
#include "unit.h"

enum { FULL = 512 };

/* The sizes of a dim in each lane. */
struct sizes {
    int64_t lane[HTP_MAX_LANES];
};

/* A tensor of one dim. */
static htp_trace_value tensor(const struct sizes *sizes)
{
    htp_trace_value value = {
        .kind = HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_FLOAT32, .rank = 1, .weight = HTP_NONE};
    value.producer = HTP_NONE;
    for (size_t lane = 0; lane < HTP_MAX_LANES; lane++) {
        value.dims[lane] = &sizes->lane[lane];
    }
    return value;
}

static htp_trace_value integer(int64_t number)
{
    htp_trace_value value = {.kind = HTP_TRACE_INT, .has_lanes = true, .is_constant = true};
    for (size_t lane = 0; lane < HTP_MAX_LANES; lane++) {
        value.i[lane] = number;
    }
    return value;
}

/* A trace whose last node raised. */
struct refused {
    htp_trace_value values[3];
    htp_trace_node node;
    htp_trace trace;
};

static const uint32_t operands[] = {0, 1, 2};

static void refuse(struct refused *of, const char *kind, const char *const *names, uint32_t count)
{
    of->node = (htp_trace_node){.kind = kind,
                                .inputs = operands,
                                .input_names = names,
                                .input_count = count,
                                .source_file = "",
                                .failure = "at non-singleton dimension 0"};
    of->trace = (htp_trace){
        .values = of->values, .value_count = count, .nodes = &of->node, .node_count = 1};
}

static const htp_trace *select_at(struct refused *of, const struct sizes *sizes, int64_t index)
{
    static const char *const names[] = {"self", "dim", "index"};
    of->values[0] = tensor(sizes);
    of->values[1] = integer(0);
    of->values[2] = integer(index);
    refuse(of, "aten::select.int", names, 3);
    return &of->trace;
}

static const htp_trace *add(struct refused *of, const struct sizes *a, const struct sizes *b)
{
    static const char *const names[] = {"self", "other"};
    of->values[0] = tensor(a);
    of->values[1] = tensor(b);
    refuse(of, "aten::add.Tensor", names, 2);
    return &of->trace;
}

/* An input x of an axis n with these sizes, and another axis. */
static void give(htp_arena *arena, htp_inputs *inputs, const struct sizes *sizes)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    expect_ok(PARSE(arena, inputs, arguments, "x:float32[n=512,m=40]"));
    inputs->lane_count = HTP_INPUTS_LANES;
    inputs->bounds = HTP_NEW_ARRAY(arena, htp_bound, inputs->axis_count);
    for (size_t lane = 0; lane < HTP_MAX_LANES; lane++) {
        inputs->axes[0].sizes[lane] = sizes->lane[lane];
        inputs->axes[1].sizes[lane] = 40 + 7 * (int64_t)lane;
    }
}

static const struct sizes above = {{FULL, 1031, 521, 0}};
static const struct sizes around = {{FULL, 4621, 503, 0}};
static const struct sizes whole = {{FULL, FULL, FULL, 0}};
static const struct sizes cut = {{FULL, FULL, 503, 0}};

UNIT_TEST(an_index_tells_the_least_size)
{
    htp_inputs inputs;
    struct refused of;
    give(arena, &inputs, &around);
    htp_bounds_read(arena, select_at(&of, &around, 503), "too short", &inputs);
    ck_assert_int_eq(inputs.bounds[0].least, 504);
    ck_assert_int_eq(inputs.bounds[0].most, 0);
    ck_assert_str_eq(inputs.bounds[0].message, "too short");
    ck_assert_ptr_null(inputs.bounds[1].message);
    htp_bounds_read(arena, select_at(&of, &around, -510), "shorter still", &inputs);
    ck_assert_int_eq(inputs.bounds[0].least, 510);
    ck_assert_str_eq(inputs.bounds[0].message, "too short");
}

UNIT_TEST(what_does_not_grow_with_an_axis_tells_the_most)
{
    static const struct {
        const struct sizes *axis, *other;
        int64_t most;
    } pairs[] = {
        {&above, &whole, FULL},
        {&around, &cut, FULL}, /* a table of positions */
        {&around, &whole, 0},  /* refused on both sides, so no limit */
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        htp_inputs inputs;
        struct refused of;
        give(arena, &inputs, pairs[i].axis);
        htp_bounds_read(arena, add(&of, pairs[i].axis, pairs[i].other), "", &inputs);
        ck_assert_int_eq(inputs.bounds[0].most, pairs[i].most);
        give(arena, &inputs, pairs[i].axis);
        htp_bounds_read(arena, add(&of, pairs[i].other, pairs[i].axis), "", &inputs);
        ck_assert_int_eq(inputs.bounds[0].most, pairs[i].most);
    }
}

UNIT_TEST(what_is_no_axis_tells_nothing)
{
    static const struct sizes other = {{FULL, 2062, 521, 0}};
    htp_inputs inputs;
    struct refused of;
    give(arena, &inputs, &above);
    htp_bounds_read(arena, select_at(&of, &other, 600), "", &inputs);
    htp_bounds_read(arena, add(&of, &other, &whole), "", &inputs);
    htp_bounds_read(arena, NULL, "", &inputs);
    ck_assert_ptr_null(inputs.bounds[0].message);
}

UNIT_TEST(a_way_that_the_program_took_tells_nothing)
{
    htp_inputs inputs;
    struct refused of;
    give(arena, &inputs, &around);
    (void)select_at(&of, &around, 503);
    of.trace.has_control = true;
    htp_bounds_read(arena, &of.trace, "", &inputs);
    of.trace.has_control = false;
    of.node.block = 1;
    htp_bounds_read(arena, &of.trace, "", &inputs);
    ck_assert_ptr_null(inputs.bounds[0].message);
}

/* ---- trials ---- */

UNIT_TEST(sizes_out_of_bounds_are_not_tried)
{
    htp_inputs inputs;
    uint32_t tried = 0;
    give(arena, &inputs, &whole);
    inputs.bounds[0].most = FULL;
    inputs.keeps_bounds = true;
    for (bool goes_on = htp_inputs_choose_lanes(arena, &inputs, 0); goes_on; tried++) {
        ck_assert_int_lt(inputs.axes[0].sizes[1], FULL);
        ck_assert_int_lt(inputs.axes[0].sizes[2], FULL);
        goes_on = htp_inputs_choose_lanes(arena, &inputs, inputs.choice + 1);
    }
    ck_assert_uint_gt(tried, 1);
    inputs.keeps_bounds = false;
    ck_assert(htp_inputs_choose_lanes(arena, &inputs, 0));
    ck_assert_int_gt(inputs.axes[0].sizes[1], FULL);
}

/* Gives x[224,320], whose dims vary in steps of 16 as the file says. */
static void give_patches(htp_arena *arena, htp_inputs *inputs)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    expect_ok(PARSE(arena, inputs, arguments, "x:float32[height=224,width=320]"));
    inputs->bounds = HTP_NEW_ARRAY(arena, htp_bound, 2);
    inputs->bounds[0] = (htp_bound){.least = 32, .most = 512, .step = 16, .is_declared = true};
    inputs->bounds[1] = inputs->bounds[0];
    inputs->keeps_bounds = true;
}

UNIT_TEST(sizes_move_in_the_steps_of_the_file)
{
    htp_inputs inputs;
    uint32_t tried = 0;
    give_patches(arena, &inputs);
    for (bool goes_on = htp_inputs_choose_lanes(arena, &inputs, 0); goes_on; tried++) {
        for (uint32_t lane = 1; lane < inputs.lane_count; lane++) {
            for (uint32_t i = 0; i < 2; i++) {
                ck_assert_int_eq(inputs.axes[i].sizes[lane] % 16, 0);
                ck_assert_int_ge(inputs.axes[i].sizes[lane], 32);
                ck_assert_int_le(inputs.axes[i].sizes[lane], 512);
            }
        }
        goes_on = htp_inputs_choose_lanes(arena, &inputs, inputs.choice + 1);
    }
    ck_assert_uint_gt(tried, 0);
}

/* A file that takes small images that are not higher than wide. */
static bool takes_wide(void *user, const htp_inputs *inputs, uint32_t lane)
{
    const htp_axis *axes = inputs->axes;
    ++*(uint32_t *)user;
    return axes[0].sizes[lane] <= axes[1].sizes[lane] &&
           axes[0].sizes[lane] * axes[1].sizes[lane] <= 90000;
}

static bool takes_none(void *user, const htp_inputs *inputs, uint32_t lane)
{
    (void)inputs;
    ++*(uint32_t *)user;
    return lane == 0;
}

UNIT_TEST(sizes_are_those_that_the_file_takes_together)
{
    htp_inputs inputs;
    uint32_t asked = 0;
    give_patches(arena, &inputs);
    inputs.takes = takes_wide;
    inputs.taker = &asked;
    ck_assert(htp_inputs_choose_lanes(arena, &inputs, 0));
    for (uint32_t lane = 0; lane < inputs.lane_count; lane++) {
        ck_assert(takes_wide(&asked, &inputs, lane));
        ck_assert(lane == 0 || inputs.axes[0].sizes[lane] != inputs.axes[0].sizes[0]);
        ck_assert(lane == 0 || inputs.axes[1].sizes[lane] != inputs.axes[1].sizes[0]);
    }
    asked = 0;
    inputs.takes = takes_none;
    ck_assert(!htp_inputs_choose_lanes(arena, &inputs, 0));
    ck_assert_uint_lt(asked, 10000);
}

/* With all sizes from 1 to 4, and an example of 2. */
UNIT_TEST(few_sizes_are_enough)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    htp_bound bound = {.least = 1, .most = 4, .is_declared = true};
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[batch=2,3]"));
    inputs.bounds = &bound;
    inputs.keeps_bounds = true;
    ck_assert(htp_inputs_choose_lanes(arena, &inputs, 0));
    ck_assert_int_ne(inputs.axes[0].sizes[1], inputs.axes[0].sizes[2]);
    ck_assert_int_le(inputs.axes[0].sizes[1], 4);
    ck_assert_int_le(inputs.axes[0].sizes[2], 4);
    bound.most = 2;
    ck_assert(!htp_inputs_choose_lanes(arena, &inputs, 0));
}

UNIT_TEST(an_axis_without_room_is_fixed)
{
    htp_inputs inputs;
    htp_shape_conflict conflict = {.message = "another one"};
    give(arena, &inputs, &whole);
    inputs.bounds[0] = (htp_bound){.most = FULL, .message = "too long"};
    htp_shape_conflict_bound(arena, &conflict, &inputs);
    ck_assert_uint_eq(conflict.condition_count, 0);
    inputs.bounds[0].least = FULL - 1;
    htp_shape_conflict_bound(arena, &conflict, &inputs);
    ck_assert_uint_eq(conflict.condition_count, 1);
    ck_assert(htp_equation_is_fixed(&conflict.conditions[0].equation));
    ck_assert_uint_eq(conflict.conditions[0].equation.terms[0].axis, 0);
    ck_assert_str_eq(conflict.message, "too long");
}

/* ---- kept bounds ---- */

/* Whether a trial's result for the first of some axes of x[6,7] and y[6,7] also counts for others.
 */
static bool counts(htp_arena *arena, const htp_axes *then, const htp_axes *now)
{
    htp_axis_bounds known = {0};
    htp_inputs inputs;
    const uint32_t *moving = NULL;
    ck_assert(htp_axes_apply(then, &inputs, &moving));
    ck_assert(!htp_axis_bounds_recall(&known, then, moving, &inputs));
    const htp_bound *nothing = HTP_NEW_ARRAY(arena, htp_bound, inputs.axis_count);
    htp_axis_bounds_keep(&known, then, moving, &inputs, nothing);
    ck_assert_uint_eq(known.count, 0);
    inputs.bounds[0] = (htp_bound){.most = 6, .message = "too long"};
    htp_axis_bounds_keep(&known, then, moving, &inputs, nothing);
    ck_assert_uint_eq(known.count, 1);
    ck_assert(htp_axes_apply(now, &inputs, &moving));
    bool has_any = htp_axis_bounds_recall(&known, now, moving, &inputs);
    ck_assert_int_eq(inputs.bounds[0].most, has_any ? 6 : 0);
    return has_any;
}

UNIT_TEST(bounds_hold_where_no_more_moves)
{
    const htp_argument arguments[] = {argument_tensor("x"), argument_tensor("y")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[6,7]", "y:float32[6,7]"));
    const htp_axes all = htp_axes_apart(arena, &inputs);
    htp_axes fewer = htp_axes_copy(&all);
    fewer.is_fixed[3] = true;
    htp_axes joined = htp_axes_copy(&fewer);
    ck_assert(htp_axes_join(&joined, 0, 2));
    ck_assert(counts(arena, &all, &all));
    ck_assert(counts(arena, &all, &fewer));
    ck_assert(counts(arena, &all, &joined));
    ck_assert(!counts(arena, &fewer, &all));
    ck_assert(!counts(arena, &joined, &fewer)); /* the other axis may be the cause */
    htp_axes alone = htp_axes_copy(&fewer);
    alone.is_fixed[2] = true;
    ck_assert(!counts(arena, &joined, &alone));
}

UNIT_TEST(a_refusal_is_found_again)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    htp_axis_refusals known = {0};
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[6,6]"));
    const htp_axes both = htp_axes_apart(arena, &inputs);
    htp_axes one = htp_axes_copy(&both);
    one.is_fixed[1] = true;
    htp_axes joined = htp_axes_copy(&both);
    ck_assert(htp_axes_join(&joined, 0, 1));
    const htp_shape_conflict all = {.message = "why"};
    const htp_shape_conflict in_order = {.one_order = true};
    const htp_shape_conflict first = {.tries_one = true};
    htp_status status = htp_status_make(HTP_CODE_USAGE, "refused");
    htp_axis_refusals_keep(&known, &both, &all, status);
    ck_assert_ptr_null(htp_axis_refusals_find(&known, &both, &in_order));
    ck_assert_ptr_null(htp_axis_refusals_find(&known, &both, &first));
    ck_assert_ptr_null(htp_axis_refusals_find(&known, &one, &all));
    ck_assert_ptr_null(htp_axis_refusals_find(&known, &joined, &all));
    const htp_axis_refusal *found = htp_axis_refusals_find(&known, &both, &all);
    ck_assert_ptr_nonnull(found);
    ck_assert_str_eq(found->message, "refused");
    ck_assert_str_eq(found->conflict.message, "why");
    htp_axis_refusals_keep(&known, &one, &all, status);
    ck_assert_ptr_nonnull(
        htp_axis_refusals_find(&known, &one, &in_order)); /* it is the only axis */
    htp_status_free(status);
}

UNIT_MAIN("bounds", an_index_tells_the_least_size, what_does_not_grow_with_an_axis_tells_the_most,
          what_is_no_axis_tells_nothing, a_way_that_the_program_took_tells_nothing,
          sizes_out_of_bounds_are_not_tried, sizes_move_in_the_steps_of_the_file,
          sizes_are_those_that_the_file_takes_together, few_sizes_are_enough,
          an_axis_without_room_is_fixed, bounds_hold_where_no_more_moves, a_refusal_is_found_again)
