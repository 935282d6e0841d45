/*
 * Symbols of programs: numbers from the sizes of inputs, ranges and guards.
 */
#include "exported/symbols/symbols.h"
#include "unit.h"

#define S "Symbol('s0', positive=True, integer=True)"
#define T "Symbol('s1', positive=True, integer=True)"

enum { OF_S, OF_TWICE_T, OF_SUM, OF_DATA, OF_UNHEARD, OF_OTHER_DATA, OF_LEAST, OF_REST };

static const htp_exported_expression expressions[] = {
    [OF_S] = {S, true, 4},
    [OF_TWICE_T] = {"Mul(Integer(2), " T ")", true, 6},
    [OF_SUM] = {"Add(" S ", " T ")", true, 7},
    [OF_DATA] = {"Symbol('u0', integer=True)", false, 0},
    [OF_UNHEARD] = {"Zeta(" S ")", false, 0},
    [OF_OTHER_DATA] = {"Symbol('u1', integer=True)", false, 0},
    [OF_LEAST] = {"Min(Integer(3), Symbol('u1', integer=True))", false, 0},
    [OF_REST] = {"Add(Integer(9), Mul(Integer(-1), Symbol('u0', integer=True)))", false, 0},
};

static const htp_exported_size sizes_x[] = {{OF_S, 0, 0}, {OF_TWICE_T, 0, 0}, {HTP_NONE, 8, 0}};
static const htp_exported_size sizes_y[] = {{OF_SUM, 0, 0}};
static const htp_exported_size sizes_made[] = {{OF_LEAST, 0, 0}, {OF_REST, 0, 0}};

static htp_exported_value values[] = {
    {.name = "w", .kind = HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_FLOAT32},
    {.name = "x",
     .kind = HTP_TRACE_TENSOR,
     .dtype = HTP_DTYPE_FLOAT32,
     .rank = 3,
     .sizes = sizes_x},
    {.name = "y", .kind = HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_INT64, .rank = 1, .sizes = sizes_y},
    {.name = "made", .kind = HTP_TRACE_TENSOR, .rank = 2, .sizes = sizes_made},
};

static const htp_exported_input inputs[] = {
    {.kind = HTP_EXPORTED_PARAMETER, .argument = {.kind = HTP_EXPORTED_VALUE, .value = 0}},
    {.kind = HTP_EXPORTED_USER_INPUT, .argument = {.kind = HTP_EXPORTED_VALUE, .value = 1}},
    {.kind = HTP_EXPORTED_USER_INPUT, .argument = {.kind = HTP_EXPORTED_VALUE, .value = 2}},
};

static const htp_exported_range ranges[] = {{"s0", true, true, 2, 64},
                                            {"Mul(Integer(2), s1)", true, false, 2, 0},
                                            {"u0", true, true, 1, 9},
                                            {"u1", true, true, 1, 9}};

static const char *const paths[] = {NULL, "x", "past.0"};

static htp_exported_program program_of(const char *const *guards, uint32_t guard_count)
{
    htp_exported_program program = {.inputs = inputs,
                                    .input_count = 3,
                                    .ranges = ranges,
                                    .range_count = 4,
                                    .guards = guards,
                                    .guard_count = guard_count};
    program.expressions.items = (htp_exported_expression *)expressions;
    program.expressions.count = sizeof(expressions) / sizeof(*expressions);
    program.values.items = values;
    program.values.count = sizeof(values) / sizeof(*values);
    return program;
}

/* Binds x of [s, 2·t, 8] and past.0 of [sum], in one lane. */
static htp_status bind(htp_exported_symbols *symbols, int64_t s, int64_t twice, int64_t last,
                       int64_t sum)
{
    static htp_input x;
    static htp_input y;
    x = (htp_input){
        .dtype = HTP_DTYPE_FLOAT32, .rank = 3, .dims = {{s, twice, last}, {s + 1, twice, last}}};
    y = (htp_input){.dtype = HTP_DTYPE_INT64, .rank = 1, .dims = {{sum}, {sum + 1}}};
    const htp_input *const given[] = {NULL, &x, &y};
    return htp_exported_symbols_bind(symbols, given, 2);
}

static void read(htp_arena *arena, htp_exported_symbols *symbols,
                 const htp_exported_program *program)
{
    expect_ok(htp_exported_symbols_read(arena, program, paths, symbols));
}

UNIT_TEST(sizes_of_inputs_give_all_others)
{
    htp_exported_symbols symbols;
    const htp_exported_program program = program_of(NULL, 0);
    const htp_exported_size sum = {OF_SUM, 0, 0};
    const htp_exported_size data = {OF_DATA, 0, 0};
    int64_t number[2] = {0, 0};
    read(arena, &symbols, &program);
    expect_ok(bind(&symbols, 5, 6, 8, 8));
    expect_ok(htp_exported_symbols_size(&symbols, &sum, 0, &number[0]));
    expect_ok(htp_exported_symbols_size(&symbols, &sum, 1, &number[1]));
    ck_assert_int_eq(number[0], 8);
    ck_assert_int_eq(number[1], 9);
    ck_assert(htp_exported_symbols_have_data(&symbols));
    ck_assert_uint_eq(symbols.data_sizes.count, 2);
    expect_ok(htp_exported_symbols_size(&symbols, &data, 0, &number[0]));
    expect_ok(htp_exported_symbols_size(&symbols, &data, 1, &number[1]));
    ck_assert_int_ne(number[0], number[1]);
    ck_assert(number[0] >= 1 && number[0] <= 9);
}

/* Sizes between the same bounds are two sizes; what follows one of them moves. */
UNIT_TEST(data_sizes_are_told_apart)
{
    htp_exported_symbols symbols;
    const htp_exported_program program = program_of(NULL, 0);
    htp_input x = {
        .dtype = HTP_DTYPE_FLOAT32, .rank = 3, .dims = {{5, 6, 8}, {6, 6, 8}, {7, 10, 8}}};
    htp_input y = {.dtype = HTP_DTYPE_INT64, .rank = 1, .dims = {{8}, {9}, {12}}};
    const htp_input *const given[] = {NULL, &x, &y};
    int64_t number[3][2];
    read(arena, &symbols, &program);
    expect_ok(htp_exported_symbols_bind(&symbols, given, 3));
    const int64_t *a = symbols.data_sizes.items[0].sizes;
    const int64_t *b = symbols.data_sizes.items[1].sizes;
    ck_assert((a[1] - a[0]) * (b[2] - b[0]) != (a[2] - a[0]) * (b[1] - b[0]));
    for (uint32_t lane = 0; lane < 3; lane++) {
        ck_assert(a[lane] >= 1 && a[lane] <= 9 && b[lane] >= 1 && b[lane] <= 9);
        expect_ok(htp_exported_symbols_size(&symbols, &sizes_made[0], lane, &number[lane][0]));
        expect_ok(htp_exported_symbols_size(&symbols, &sizes_made[1], lane, &number[lane][1]));
    }
    ck_assert(number[0][0] != number[1][0] || number[0][0] != number[2][0]);
    ck_assert(number[0][1] != number[1][1]);
}

UNIT_TEST(what_does_not_fit_is_refused)
{
    htp_exported_symbols symbols;
    const htp_exported_program program = program_of(NULL, 0);
    const htp_exported_size unheard = {OF_UNHEARD, 0, 0};
    int64_t number = 0;
    read(arena, &symbols, &program);
    expect_failure(bind(&symbols, 5, 6, 7, 8), HTP_CODE_USAGE, "axis 2 is 8 in the program");
    expect_failure(bind(&symbols, 5, 7, 8, 8), HTP_CODE_USAGE, "\"x\": axis 1 cannot be 7");
    expect_failure(bind(&symbols, 5, 6, 8, 9), HTP_CODE_USAGE, "\"past.0\": axis 0 cannot be 9");
    expect_failure(bind(&symbols, 1, 6, 8, 4), HTP_CODE_USAGE, "axis 0 of input \"x\" is 1");
    expect_failure(bind(&symbols, 64, 6, 8, 67), HTP_CODE_USAGE, "at most 64");
    values[1].dtype = HTP_DTYPE_FLOAT64;
    expect_failure(bind(&symbols, 5, 6, 8, 8), HTP_CODE_USAGE, "a float64 of rank 3 here alone");
    values[1].dtype = HTP_DTYPE_FLOAT32;
    expect_ok(bind(&symbols, 5, 6, 8, 8));
    expect_failure(htp_exported_symbols_size(&symbols, &unheard, 0, &number), HTP_CODE_UNSUPPORTED,
                   "\"Zeta\"");
}

UNIT_TEST(guards_hold_in_every_lane)
{
    static const char *const guards[] = {"L['x'].size()[0] + L['past'][0].size()[0] < 100",
                                         "L['flat_args'][1].size()[0] != 13"};
    static const char *const unknown[] = {"L['x'].stride()[0] == 1"};
    htp_exported_symbols symbols;
    const htp_exported_program program = program_of(guards, 2);
    const htp_exported_program other = program_of(unknown, 1);
    read(arena, &symbols, &program);
    expect_ok(bind(&symbols, 5, 6, 8, 8));
    expect_failure(bind(&symbols, 50, 6, 8, 53), HTP_CODE_USAGE, "< 100");
    expect_failure(bind(&symbols, 9, 6, 8, 12), HTP_CODE_USAGE, "!= 13");
    read(arena, &symbols, &other);
    expect_failure(bind(&symbols, 4, 6, 8, 7), HTP_CODE_USAGE, "stride");
}

UNIT_TEST(no_formula_is_bad_input)
{
    static const char *const guards[] = {"L['x"};
    htp_exported_symbols symbols;
    const htp_exported_program program = program_of(guards, 1);
    expect_failure(htp_exported_symbols_read(arena, &program, paths, &symbols), HTP_CODE_BAD_INPUT,
                   "a formula of sizes");
}

/* The sizes of x's first axis under a guard, exported with 512. */
static htp_exported_bounds sizes_under(htp_arena *arena, const char *guard)
{
    static htp_exported_expression wide[sizeof(expressions) / sizeof(*expressions)];
    memcpy(wide, expressions, sizeof(wide));
    wide[OF_S].hint = 512;
    static const htp_exported_range only[] = {{"s0", true, false, 2, 0}};
    htp_exported_program program = program_of(&guard, 1);
    program.expressions.items = wide;
    program.ranges = only;
    program.range_count = 1;
    htp_exported_symbols symbols;
    read(arena, &symbols, &program);
    uint32_t symbol = htp_exported_symbols_alone(&symbols, &sizes_x[0]);
    return (htp_exported_bounds){symbols.leasts[symbol], symbols.mosts[symbol]};
}

UNIT_TEST(sizes_end_at_bounds_and_guards)
{
    static const struct {
        const char *guard;
        htp_exported_bounds sizes;
    } rows[] = {
        {"L['x'].size()[2] == 8", {2, INT64_MAX}},
        {"L['x'].size()[0] >= 500", {500, INT64_MAX}},
        {"L['x'].size()[0] >= 100", {100, INT64_MAX}},
        {"L['x'].size()[0] % 8 == 0", {8, INT64_MAX}},
        {"L['x'].size()[0] % 8 == 0 and L['x'].size()[0] >= 25", {32, INT64_MAX}},
        {"(L['x'].size()[0] // 16) == 32", {512, 527}},
        {"L['x'].size()[0] < 1000", {2, 999}},
        {"L['x'].size()[0] % 8 == 0 and L['x'].size()[0] <= 5000", {8, 5000}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const htp_exported_bounds sizes = sizes_under(arena, rows[i].guard);
        ck_assert_int_eq(sizes.least, rows[i].sizes.least);
        ck_assert_int_eq(sizes.most, rows[i].sizes.most);
    }
}

/* Guards of two symbols do not restrict the steps of each; they are checked with the lanes'
 * sizes. */
UNIT_TEST(guards_of_several_sizes_are_asked_of_lanes)
{
    static const char *const guards[] = {"L['x'].size()[0] >= 4 and L['x'].size()[0] % 2 == 0",
                                         "L['x'].size()[0] + ((-1)*L['x'].size()[1]) <= -2",
                                         "L['x'].size()[0] != 3"};
    htp_exported_symbols symbols;
    const htp_exported_program program = program_of(guards, 3);
    read(arena, &symbols, &program);
    const uint32_t s = htp_exported_symbols_alone(&symbols, &sizes_x[0]);
    ck_assert_int_eq(symbols.steps[s], 2);
    ck_assert_int_eq(symbols.leasts[s], 4);
    htp_symbol_samples *samples = htp_exported_symbols_sample(&symbols);
    ck_assert(htp_exported_symbols_restricts(samples, 1));
    ck_assert(!htp_exported_symbols_restricts(samples, 2));
    htp_input x = {
        .dtype = HTP_DTYPE_FLOAT32, .rank = 3, .dims = {{4, 6, 8}, {8, 6, 8}, {8, 10, 8}}};
    htp_input y = {.dtype = HTP_DTYPE_INT64, .rank = 1, .dims = {{7}, {11}, {13}}};
    const htp_input *const given[] = {NULL, &x, &y};
    ck_assert(htp_exported_symbols_take(&symbols, given, 0));
    ck_assert(!htp_exported_symbols_take(&symbols, given, 1));
    ck_assert(htp_exported_symbols_take(&symbols, given, 2));
}

/* A program that was exported with its maximum size. */
UNIT_TEST(sizes_move_down_where_there_is_no_more)
{
    static const char *const guards[] = {"L['x'].size()[0] <= 4"};
    static const htp_exported_range few[] = {{"s0", true, true, 2, 4}};
    htp_exported_symbols symbols;
    htp_exported_program program = program_of(guards, 1);
    program.ranges = few;
    program.range_count = 1;
    read(arena, &symbols, &program);
    ck_assert_int_eq(symbols.steps[htp_exported_symbols_alone(&symbols, &sizes_x[0])], 1);
}

UNIT_TEST(places_of_guards_are_read)
{
    const char *at = "L['past'][0].size()[1] <= 3";
    ck_assert_str_eq(htp_exported_guard_place(arena, &at), "L.past.0.size.1");
    ck_assert_str_eq(at, " <= 3");
    ck_assert_ptr_null(htp_exported_guard_place(arena, &at));
    at = "L['past'";
    ck_assert_ptr_null(htp_exported_guard_place(arena, &at));
    ck_assert_str_eq(at, "L['past'");
}

UNIT_MAIN("symbols", sizes_of_inputs_give_all_others, data_sizes_are_told_apart,
          what_does_not_fit_is_refused, guards_hold_in_every_lane, no_formula_is_bad_input,
          sizes_end_at_bounds_and_guards, guards_of_several_sizes_are_asked_of_lanes,
          sizes_move_down_where_there_is_no_more, places_of_guards_are_read)
