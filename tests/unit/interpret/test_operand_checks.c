/*
 * Operands on which operators must not run.
 */
#include "interpret_fixture.h"

#include "interpret/operators/operand_checks.h"

/* ---- operands -------------------------------------------------------------------------------- */

static htp_operand int_of(int64_t number)
{
    return (htp_operand){.kind = HTP_OPERAND_INT, .as.i = number};
}

static htp_operand bool_of(bool flag)
{
    return (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = flag};
}

static htp_operand list_of(const htp_operand *elements, uint32_t count)
{
    return (htp_operand){.kind = HTP_OPERAND_LIST, .count = count, .as.elements = elements};
}

static htp_operand tensor_of(const htp_runner_tensor *tensor)
{
    return (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
}

/* A fake runner; its program has no operators. */
static runner_fixture *open_runner(htp_arena *arena)
{
    return runner_make_up(arena, program_read(arena, "class Net n=1\n"
                                                     "def Net.forward(%self:Net, %x)\n"
                                                     "  -> %x\n"));
}

/* A real tensor of two numbers. */
static htp_operand numbers_of(runner_fixture *r, int32_t type, int64_t first, int64_t second)
{
    const int64_t size = 2;
    runner_tensor *made = runner_new(r, type, &size, 1, NULL, true);
    made->numbers[0] = first;
    made->numbers[1] = second;
    return tensor_of(&made->view);
}

static htp_operand sizes_of(runner_fixture *r, int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns};
    return tensor_of(&runner_new(r, HTP_SCALAR_FLOAT, sizes, 2, NULL, false)->view);
}

/* Why an operator may not run; "" if it may. */
static const char *refusal_of(const char *name, const htp_operands *operands)
{
    static htp_error reason;
    htp_operand_check *check = htp_operand_check_find(name);
    ck_assert_msg(check, "%s is not checked", name);
    htp_operand_budget budget = {0};
    htp_operands with = *operands;
    with.budget = &budget;
    return check(&with, &reason) ? "" : reason.message;
}

/* The same of two operands without names. */
static const char *refusal_of_pair(const char *name, runner_fixture *r, htp_operand a,
                                   htp_operand b)
{
    const htp_operand all[] = {a, b};
    const htp_operands operands = {
        .all = all, .count = 2, .gives_int = true, .runner = r ? &r->runner : NULL};
    return refusal_of(name, &operands);
}

/* The same of one operand with a name. */
static const char *refusal_of_named(const char *name, const char *argument, htp_operand value,
                                    runner_fixture *r)
{
    const htp_program_argument arguments[] = {{.name = "self"},
                                              {.name = argument, .fixed_length = 2}};
    const htp_operand all[] = {{.kind = HTP_OPERAND_NONE}, value};
    const htp_operands operands = {.all = all,
                                   .count = 2,
                                   .arguments = arguments,
                                   .argument_count = 2,
                                   .runner = r ? &r->runner : NULL};
    return refusal_of(name, &operands);
}

/* ---- which operators ------------------------------------------------------------------------- */

UNIT_TEST(operators_are_found_by_their_names)
{
    static const char *const names[] = {"aten::embedding_bag",
                                        "aten::gru",
                                        "aten::lstm",
                                        "aten::rnn_relu",
                                        "aten::rnn_tanh",
                                        "aten::div",
                                        "aten::divide",
                                        "aten::divmod",
                                        "aten::floor_divide",
                                        "aten::floordiv",
                                        "aten::remainder",
                                        "aten::fmod",
                                        "aten::mod",
                                        "aten::gcd",
                                        "aten::lcm",
                                        "aten::__lshift__",
                                        "aten::__rshift__",
                                        "aten::mul",
                                        "aten::factorial",
                                        "aten::repeat_interleave",
                                        "aten::reflection_pad1d",
                                        "aten::reflection_pad2d",
                                        "aten::reflection_pad3d",
                                        "aten::replication_pad1d",
                                        "aten::replication_pad2d",
                                        "aten::replication_pad3d",
                                        "aten::max_unpool2d",
                                        "aten::max_unpool3d",
                                        "aten::channel_shuffle",
                                        "aten::native_channel_shuffle",
                                        "aten::linalg_lu_solve",
                                        "aten::lu_solve",
                                        "aten::lu_unpack",
                                        "aten::__round_to_zero_floordiv",
                                        "aten::div_",
                                        "aten::remainder_",
                                        "aten::gcd_"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ck_assert_msg(htp_operand_check_find(names[i]), "%s is not checked", names[i]);
    }
}

UNIT_TEST(other_operators_are_not_checked)
{
    static const char *const names[] = {
        "", "_", "aten::add", "aten::div__", "aten::__lshift_", "aten::div.int"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ck_assert_msg(!htp_operand_check_find(names[i]), "%s is checked", names[i]);
    }
    char name[1000];
    memset(name, '_', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    ck_assert(!htp_operand_check_find(name));
}

/* ---- numbers --------------------------------------------------------------------------------- */

UNIT_TEST(the_least_number_is_not_divided_by_minus_one)
{
    static const char *const names[] = {"aten::floordiv", "aten::remainder", "aten::gcd",
                                        "aten::lcm", "aten::fmod"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ck_assert_str_eq(refusal_of_pair(names[i], NULL, int_of(INT64_MIN), int_of(-1)),
                         "-9223372036854775808 is divided by -1");
        ck_assert_str_eq(refusal_of_pair(names[i], NULL, int_of(INT64_MIN + 1), int_of(-1)), "");
        ck_assert_str_eq(refusal_of_pair(names[i], NULL, int_of(INT32_MIN), int_of(-1)), "");
    }
}

UNIT_TEST(common_divisors_divide_both_ways)
{
    ck_assert_str_eq(refusal_of_pair("aten::gcd", NULL, int_of(-1), int_of(INT64_MIN)),
                     "-9223372036854775808 is divided by -1");
    ck_assert_str_eq(refusal_of_pair("aten::floordiv", NULL, int_of(-1), int_of(INT64_MIN)), "");
}

UNIT_TEST(whole_numbers_are_not_divided_by_0)
{
    ck_assert_str_eq(refusal_of_pair("aten::floordiv", NULL, int_of(1), int_of(0)),
                     "division by 0");
    const htp_operand all[] = {int_of(1), int_of(0)};
    const htp_operands real = {.all = all, .count = 2};
    ck_assert_str_eq(refusal_of("aten::div", &real), "");
}

UNIT_TEST(an_operator_without_operands_is_left_to_raise)
{
    const htp_operands none = {.count = 0};
    ck_assert_str_eq(refusal_of("aten::floordiv", &none), "");
    ck_assert_str_eq(refusal_of("aten::mul", &none), "");
    ck_assert_str_eq(refusal_of("aten::lstm", &none), "");
}

UNIT_TEST(tensors_of_whole_numbers_are_looked_into)
{
    runner_fixture *r = open_runner(arena);
    const htp_operand turned = numbers_of(r, HTP_SCALAR_LONG, 1, -1);
    const htp_operand longs = numbers_of(r, HTP_SCALAR_LONG, 0, INT64_MIN);
    const htp_operand ints = numbers_of(r, HTP_SCALAR_INT, INT32_MIN, 0);
    ck_assert_str_eq(refusal_of_pair("aten::floor_divide", r, longs, turned),
                     "-9223372036854775808 is divided by -1");
    ck_assert_str_eq(refusal_of_pair("aten::floor_divide", r, ints, turned),
                     "-2147483648 is divided by -1");
    ck_assert_str_eq(refusal_of_pair("aten::remainder_", r, ints, int_of(-1)),
                     "-2147483648 is divided by -1");
    ck_assert_str_eq(refusal_of_pair("aten::floor_divide", r, turned, longs), "");
    ck_assert_str_eq(refusal_of_pair("aten::floor_divide", r, longs, int_of(2)), "");
}

UNIT_TEST(a_byte_is_never_negative)
{
    runner_fixture *r = open_runner(arena);
    const htp_operand longs = numbers_of(r, HTP_SCALAR_LONG, 0, INT64_MIN);
    ck_assert_str_eq(
        refusal_of_pair("aten::gcd", r, longs, numbers_of(r, HTP_SCALAR_BYTE, 255, 255)), "");
}

UNIT_TEST(tensors_of_other_numbers_are_not)
{
    runner_fixture *r = open_runner(arena);
    const htp_operand longs = numbers_of(r, HTP_SCALAR_LONG, 0, INT64_MIN);
    ck_assert_str_eq(
        refusal_of_pair("aten::div", r, longs, numbers_of(r, HTP_SCALAR_FLOAT, -1, -1)), "");
    ck_assert_str_eq(refusal_of_pair("aten::div", r, longs, sizes_of(r, 2, 2)), "");
}

UNIT_TEST(contents_that_cannot_be_had_may_be_anything)
{
    runner_fixture *r = open_runner(arena);
    const htp_operand ones = numbers_of(r, HTP_SCALAR_LONG, 1, 1);
    ck_assert_str_eq(refusal_of_pair("aten::div", r, int_of(INT64_MIN), ones), "");
    ck_assert_str_ne(refusal_of_pair("aten::div", NULL, int_of(INT64_MIN), ones), "");
    r->ends_at = r->makes + 1;
    ck_assert_str_ne(refusal_of_pair("aten::div", r, int_of(INT64_MIN), ones), "");
}

UNIT_TEST(numbers_are_shifted_by_fewer_bits_than_they_have)
{
    const char *const refusal = "a number is shifted by less than 0 or more than 63 bits";
    ck_assert_str_eq(refusal_of_pair("aten::__lshift__", NULL, int_of(1), int_of(63)), "");
    ck_assert_str_eq(refusal_of_pair("aten::__lshift__", NULL, int_of(1), int_of(64)), refusal);
    ck_assert_str_eq(refusal_of_pair("aten::__rshift__", NULL, int_of(1), int_of(-1)), refusal);
}

UNIT_TEST(factorials_fit_into_an_int)
{
    ck_assert_str_eq(refusal_of_pair("aten::factorial", NULL, int_of(20), int_of(0)), "");
    ck_assert_str_eq(refusal_of_pair("aten::factorial", NULL, int_of(21), int_of(0)),
                     "factorial() of more than 20 does not fit into an int");
}

UNIT_TEST(lists_and_texts_are_not_repeated_without_end)
{
    const char *const long_list = "it takes more than 262144 elements of one list, tuple or dict "
                                  "(--limit elements=N raises this limit)";
    const char *const long_text = "it takes more than 1048576 characters of one string (--limit "
                                  "characters=N raises this limit)";
    const htp_operand elements[] = {int_of(1), int_of(2)};
    const htp_operand list = list_of(elements, 2);
    const htp_operand text = {.kind = HTP_OPERAND_STRING, .as.text = "ab", .bytes = 2};
    ck_assert_str_eq(refusal_of_pair("aten::mul", NULL, list, int_of(1 << 17)), "");
    ck_assert_str_eq(refusal_of_pair("aten::mul", NULL, list, int_of((1 << 17) + 1)), long_list);
    ck_assert_str_eq(refusal_of_pair("aten::mul", NULL, int_of(INT64_MAX), text), long_text);
    ck_assert_str_eq(refusal_of_pair("aten::mul", NULL, list, int_of(INT64_MIN)), "");
    ck_assert_str_eq(refusal_of_pair("aten::mul", NULL, list_of(elements, 0), int_of(INT64_MAX)),
                     "");
    ck_assert_str_eq(refusal_of_pair("aten::mul", NULL, int_of(INT64_MAX), int_of(2)), "");
}

/* ---- tensors --------------------------------------------------------------------------------- */

UNIT_TEST(offsets_of_bags_are_a_row)
{
    runner_fixture *r = open_runner(arena);
    ck_assert_str_eq(refusal_of_named("aten::embedding_bag", "offsets", sizes_of(r, 2, 3), r),
                     "offsets has to be a 1D Tensor");
    ck_assert_str_eq(
        refusal_of_named("aten::embedding_bag", "offsets", numbers_of(r, HTP_SCALAR_LONG, 0, 1), r),
        "");
    ck_assert_str_eq(refusal_of_named("aten::embedding_bag", "indices", sizes_of(r, 2, 3), r), "");
}

/* Of a recurrent layer with a state. */
static const char *state_refusal(runner_fixture *r, htp_operand state, int64_t layers, bool twice)
{
    static const htp_program_argument arguments[] = {
        {.name = "input"}, {.name = "hx"}, {.name = "num_layers"}, {.name = "bidirectional"}};
    const htp_operand all[] = {{.kind = HTP_OPERAND_NONE}, state, int_of(layers), bool_of(twice)};
    const htp_operands operands = {
        .all = all, .count = 4, .arguments = arguments, .argument_count = 4, .runner = &r->runner};
    return refusal_of("aten::lstm", &operands);
}

UNIT_TEST(states_have_as_many_layers_as_there_are)
{
    runner_fixture *r = open_runner(arena);
    const htp_operand pair[] = {sizes_of(r, 4, 3), sizes_of(r, 2, 3)};
    ck_assert_str_eq(state_refusal(r, pair[0], 4, false), "");
    ck_assert_str_eq(state_refusal(r, pair[0], 2, true), "");
    ck_assert_str_eq(state_refusal(r, pair[0], 2, false),
                     "expected hidden states of 2 layers first, got [4, 3]");
    ck_assert_str_eq(state_refusal(r, list_of(pair, 1), 4, false), "");
    ck_assert_str_eq(state_refusal(r, list_of(pair, 2), 4, false),
                     "expected hidden states of 4 layers first, got [2, 3]");
    ck_assert_str_eq(state_refusal(r, numbers_of(r, HTP_SCALAR_LONG, 0, 0), 2, false),
                     "expected hidden states of 2 layers first, got [2]");
    ck_assert_str_ne(state_refusal(r, pair[0], INT64_MAX, true), "");
}

UNIT_TEST(sizes_of_any_rank_are_told)
{
    enum { RANK = 5000 };
    runner_fixture *r = open_runner(arena);
    int64_t *dims = HTP_NEW_ARRAY(arena, int64_t, RANK);
    const htp_operand state =
        tensor_of(&runner_new(r, HTP_SCALAR_FLOAT, dims, RANK, NULL, false)->view);
    const char *refusal = state_refusal(r, state, 1, false);
    ck_assert_uint_eq(strncmp(refusal, "expected hidden states of 1 layers first, got [0, 0", 51),
                      0);
}

UNIT_TEST(pivots_are_not_followed)
{
    const char *const refusal = "it is not run, because its kernel does not check its pivots";
    runner_fixture *r = open_runner(arena);
    const htp_operand real = numbers_of(r, HTP_SCALAR_INT, 1, 2);
    ck_assert_str_eq(refusal_of_named("aten::lu_solve", "LU_pivots", real, r), refusal);
    ck_assert_str_eq(refusal_of_named("aten::linalg_lu_solve", "pivots", real, r), refusal);
    ck_assert_str_eq(refusal_of_named("aten::lu_solve", "LU_pivots", sizes_of(r, 1, 2), r), "");
    const htp_program_argument argument = {.name = "pivots"};
    const htp_operand all = sizes_of(r, 1, 2);
    const htp_operands stand_in = {.all = &all,
                                   .count = 1,
                                   .arguments = &argument,
                                   .argument_count = 1,
                                   .are_made_real = true,
                                   .runner = &r->runner};
    ck_assert_str_eq(refusal_of("aten::lu_unpack", &stand_in), refusal);
}

UNIT_TEST(repeats_are_not_negative)
{
    runner_fixture *r = open_runner(arena);
    ck_assert_str_eq(refusal_of_named("aten::repeat_interleave", "repeats",
                                      numbers_of(r, HTP_SCALAR_LONG, 3, -1), r),
                     "repeats cannot be negative");
    ck_assert_str_eq(refusal_of_named("aten::repeat_interleave", "repeats",
                                      numbers_of(r, HTP_SCALAR_INT, 3, 0), r),
                     "");
    ck_assert_str_eq(refusal_of_named("aten::repeat_interleave", "repeats", sizes_of(r, 1, 1), r),
                     "");
}

/* Of operands with names. */
static const char *refusal_of_all(const char *name, const char *const *names,
                                  const htp_operand *all, size_t count, bool are_made_real)
{
    htp_program_argument arguments[4] = {{.name = ""}};
    ck_assert_uint_le(count, 4);
    for (size_t i = 0; i < count; i++) {
        arguments[i].name = names[i];
    }
    const htp_operands operands = {.all = all,
                                   .count = count,
                                   .arguments = arguments,
                                   .argument_count = count,
                                   .are_made_real = are_made_real};
    return refusal_of(name, &operands);
}

UNIT_TEST(there_are_groups)
{
    static const char *const names[] = {"self", "groups"};
    runner_fixture *r = open_runner(arena);
    ck_assert_str_eq(refusal_of_named("aten::channel_shuffle", "groups", int_of(0), NULL),
                     "expected groups, got 0");
    ck_assert_str_eq(refusal_of_named("aten::native_channel_shuffle", "groups", int_of(1), NULL),
                     "");
    htp_operand all[] = {sizes_of(r, 1, 3), int_of(3)};
    ck_assert_str_eq(refusal_of_all("aten::native_channel_shuffle", names, all, 2, false), "");
    all[1] = int_of(4);
    ck_assert_str_eq(refusal_of_all("aten::native_channel_shuffle", names, all, 2, false),
                     "3 channels are no 4 groups");
}

UNIT_TEST(the_largest_of_bags_with_a_last_offset_are_not_looked_for)
{
    static const char *const names[] = {"weight", "offsets", "mode", "include_last_offset"};
    const char *const refusal =
        "it is not run, because its kernel writes a bag too many with include_last_offset";
    runner_fixture *r = open_runner(arena);
    htp_operand all[] = {sizes_of(r, 3, 2), numbers_of(r, HTP_SCALAR_LONG, 0, 1), int_of(2),
                         bool_of(true)};
    ck_assert_str_eq(refusal_of_all("aten::embedding_bag", names, all, 4, false), "");
    ck_assert_str_eq(refusal_of_all("aten::embedding_bag", names, all, 4, true), refusal);
    all[0] = numbers_of(r, HTP_SCALAR_FLOAT, 1, 2);
    ck_assert_str_eq(refusal_of_all("aten::_embedding_bag", names, all, 4, false), refusal);
    all[2] = int_of(1);
    ck_assert_str_eq(refusal_of_all("aten::embedding_bag", names, all, 4, false), "");
    all[2] = int_of(2);
    all[3] = bool_of(false);
    ck_assert_str_eq(refusal_of_all("aten::embedding_bag", names, all, 4, false), "");
}

UNIT_TEST(signals_are_not_of_16_bits)
{
    static const char *const names[] = {"self"};
    runner_fixture *r = open_runner(arena);
    htp_operand signal = numbers_of(r, HTP_SCALAR_HALF, 1, 2);
    ck_assert_str_eq(refusal_of_all("aten::_fft_r2c", names, &signal, 1, false),
                     "it has no kernel for 16-bit floats");
    signal = numbers_of(r, HTP_SCALAR_FLOAT, 1, 2);
    ck_assert_str_eq(refusal_of_all("aten::_fft_r2c", names, &signal, 1, false), "");
}

UNIT_TEST(spectra_are_of_as_many_samples_as_is_said)
{
    static const char *const names[] = {"self", "dim", "last_dim_size"};
    runner_fixture *r = open_runner(arena);
    const htp_operand dims[] = {int_of(0), int_of(-1)};
    htp_operand all[] = {sizes_of(r, 7, 3), list_of(dims, 2), int_of(4)};
    ck_assert_str_eq(refusal_of_all("aten::_fft_c2r", names, all, 3, true), "");
    all[2] = int_of(5);
    ck_assert_str_eq(refusal_of_all("aten::_fft_c2r", names, all, 3, true), "");
    all[2] = int_of(6);
    ck_assert_str_eq(refusal_of_all("aten::_fft_c2r", names, all, 3, true),
                     "3 frequencies are not of 6 samples");
    ck_assert_str_eq(refusal_of_all("aten::_fft_c2r", names, all, 3, false), "");
    all[1] = list_of(dims, 1);
    ck_assert_str_eq(refusal_of_all("aten::_fft_c2r", names, all, 3, true),
                     "7 frequencies are not of 6 samples");
    all[1] = list_of(dims, 0);
    ck_assert_str_eq(refusal_of_all("aten::_fft_c2r", names, all, 3, true), "");
}

UNIT_TEST(lists_that_are_read_at_once_are_as_long_as_is_said)
{
    const htp_operand elements[] = {int_of(1), int_of(2), int_of(3)};
    ck_assert_str_eq(
        refusal_of_named("aten::reflection_pad1d", "padding", list_of(elements, 2), NULL), "");
    ck_assert_str_eq(
        refusal_of_named("aten::reflection_pad1d", "padding", list_of(elements, 1), NULL),
        "expected 2 numbers for padding, got 1");
    ck_assert_str_eq(
        refusal_of_named("aten::max_unpool2d", "output_size", list_of(elements, 3), NULL),
        "expected 2 numbers for output_size, got 3");
    ck_assert_str_eq(refusal_of_named("aten::max_unpool2d", "stride", list_of(elements, 3), NULL),
                     "");
}

/* ---- programs -------------------------------------------------------------------------------- */

UNIT_TEST(a_program_is_refused_as_if_the_operator_had_raised)
{
    const char *program = "class Net n=1\n"
                          "def Net.forward(%self:Net, %x)\n"
                          "  %a:int = prim::Constant<-9223372036854775808>()\n"
                          "  %b:int = prim::Constant<-1>()\n"
                          "  %c:int = aten::floordiv.int(%a, %b)\n"
                          "  -> %c\n";
    ck_assert_str_eq(interpret(arena, program, "[2]"),
                     "aten::floordiv.int raised in the root module (model.py:3): "
                     "-9223372036854775808 is divided by -1");
}

/* There are 32 of them, in four lanes. */
UNIT_TEST(all_texts_of_a_run_are_counted_together)
{
    htp_text program = {.arena = arena};
    htp_text_add(&program, "class Net n=1\n"
                           "def Net.forward(%self:Net, %x)\n"
                           "  %a:str = prim::Constant<\"");
    for (size_t i = 0; i < 1 << 16; i++) {
        htp_text_add(&program, "aaaaaaaa");
    }
    htp_text_add(&program, "\">()\n");
    for (size_t i = 0; i < 33; i++) {
        htp_text_add(&program, "  %is:bool = aten::eq.str(%a, %a)\n");
    }
    htp_text_add(&program, "  -> %is\n");
    ck_assert_str_eq(interpret(arena, htp_text_string(&program), "[2]"),
                     "aten::eq.str: it takes more than 268435456 characters that string operators "
                     "process (--limit text-work=N raises this limit), in the root module "
                     "(model.py:34)");
}

UNIT_MAIN("interpret: operand checks", operators_are_found_by_their_names,
          other_operators_are_not_checked, the_least_number_is_not_divided_by_minus_one,
          common_divisors_divide_both_ways, whole_numbers_are_not_divided_by_0,
          an_operator_without_operands_is_left_to_raise, tensors_of_whole_numbers_are_looked_into,
          a_byte_is_never_negative, tensors_of_other_numbers_are_not,
          contents_that_cannot_be_had_may_be_anything,
          numbers_are_shifted_by_fewer_bits_than_they_have, factorials_fit_into_an_int,
          lists_and_texts_are_not_repeated_without_end, offsets_of_bags_are_a_row,
          states_have_as_many_layers_as_there_are, sizes_of_any_rank_are_told,
          pivots_are_not_followed, repeats_are_not_negative, there_are_groups,
          the_largest_of_bags_with_a_last_offset_are_not_looked_for, signals_are_not_of_16_bits,
          spectra_are_of_as_many_samples_as_is_said,
          lists_that_are_read_at_once_are_as_long_as_is_said,
          a_program_is_refused_as_if_the_operator_had_raised,
          all_texts_of_a_run_are_counted_together)
