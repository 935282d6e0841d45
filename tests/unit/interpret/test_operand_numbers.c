/*
 * Numbers that stand for dtypes, layouts and memory formats.
 */
#include "interpret_fixture.h"

#include "interpret/operators/operand_checks.h"

/* Why an operator must not get a number as an argument; "" if it may. */
static const char *refusal_of(const runner_fixture *r, const char *argument, int64_t number)
{
    static htp_error reason;
    const htp_program_argument named = {.name = argument};
    const htp_operand value = {.kind = HTP_OPERAND_INT, .as.i = number};
    const htp_operands operands = {
        .all = &value, .count = 1, .arguments = &named, .argument_count = 1, .runner = &r->runner};
    return htp_operands_are_known(&operands, &reason) ? "" : reason.message;
}

UNIT_TEST(numbers_that_stand_for_dtypes_and_the_like_are_such)
{
    runner_fixture *r = runner_make_up(arena, program_read(arena, "class Net n=1\n"
                                                                  "def Net.forward(%self:Net, %x)\n"
                                                                  "  -> %x\n"));
    const htp_runner_facts *facts = r->runner.facts(r->runner.self);
    ck_assert_str_eq(refusal_of(r, "dtype", 0), "");
    ck_assert_str_eq(refusal_of(r, "out_dtype", facts->dtypes - 1), "");
    ck_assert_str_eq(refusal_of(r, "dtype", 101), "there is no dtype 101");
    ck_assert_str_eq(refusal_of(r, "type2", -1), "there is no dtype -1");
    ck_assert_str_eq(refusal_of(r, "layout", facts->layouts), "there is no layout 8");
    ck_assert_str_eq(refusal_of(r, "memory_format", 4), "there is no memory format 4");
    ck_assert_str_eq(refusal_of(r, "dim", 101), "");
}

/* libtorch would narrow the number to an int. */
UNIT_TEST(no_operator_is_given_what_is_no_dtype)
{
    const char *program = "class Net n=1\n"
                          "def Net.forward(%self:Net, %x)\n"
                          "  %dtype:int = prim::Constant<262>()\n"
                          "  %y = aten::sum(%x, %dtype)\n"
                          "  -> %y\n";
    ck_assert_str_eq(interpret(arena, program, "[2]"),
                     "aten::sum raised in the root module (model.py:2): there is no dtype 262");
}

UNIT_MAIN("interpret: operand numbers", numbers_that_stand_for_dtypes_and_the_like_are_such,
          no_operator_is_given_what_is_no_dtype)
