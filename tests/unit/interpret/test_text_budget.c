/*
 * The budget of operators on texts.
 */
#include "unit.h"

#include "interpret/operators/operand_checks.h"

#include <string.h>

static const char too_long[] =
    "it takes more than 1048576 characters of one string (--limit characters=N raises this limit)";
static const char endless[] = "it takes more than 268435456 characters that string operators "
                              "process (--limit text-work=N raises this limit)";
static const char unknown[] = "it writes a value of unknown length, or of too many parts";

/* A text of this many characters, none of which is read. */
static htp_operand text_of(uint64_t characters)
{
    return (htp_operand){.kind = HTP_OPERAND_STRING, .as.text = "", .bytes = characters};
}

static htp_operand int_of(int64_t number)
{
    return (htp_operand){.kind = HTP_OPERAND_INT, .as.i = number};
}

static htp_operand list_of(const htp_operand *elements, uint32_t count)
{
    return (htp_operand){.kind = HTP_OPERAND_LIST, .count = count, .as.elements = elements};
}

static htp_operand tuple_of(const htp_operand *elements, uint32_t count)
{
    return (htp_operand){.kind = HTP_OPERAND_TUPLE, .count = count, .as.elements = elements};
}

/* Why an operator on texts may not run as the first one; "" if it may. */
static const char *refusal_of(const char *name, const htp_operand *operands, size_t count)
{
    static htp_error reason;
    htp_operand_budget budget = {0};
    bool may = htp_text_charge(htp_text_cost_find(name), operands, count, &budget, &reason);
    return may ? "" : reason.message;
}

#define REFUSAL_OF(name, ...)                                                                      \
    refusal_of((name), (const htp_operand[]){__VA_ARGS__},                                         \
               sizeof((const htp_operand[]){__VA_ARGS__}) / sizeof(htp_operand))

UNIT_TEST(a_limit_is_chosen)
{
    htp_limits limits = {0};
    htp_error reason = {{0}};
    const htp_operand operands[] = {text_of(60), text_of(40)};
    const htp_text_cost *cost = htp_text_cost_find("aten::add");
    htp_operand_budget budget = {.limits = &limits};
    ck_assert(!htp_limits_set(&limits, "characters=100"));
    ck_assert(htp_text_charge(cost, operands, 2, &budget, &reason));
    ck_assert(!budget.is_exceeded);
    ck_assert(!htp_limits_set(&limits, "characters=99"));
    ck_assert(!htp_text_charge(cost, operands, 2, &budget, &reason));
    ck_assert(budget.is_exceeded);
    ck_assert_str_eq(
        reason.message,
        "it takes more than 99 characters of one string (--limit characters=N raises this limit)");
}

UNIT_TEST(two_texts_make_one_that_is_as_long_as_both)
{
    ck_assert_str_eq(REFUSAL_OF("aten::add", text_of(1 << 19), text_of(1 << 19)), "");
    ck_assert_str_eq(REFUSAL_OF("aten::add", text_of(1 << 19), text_of((1 << 19) + 1)), too_long);
}

UNIT_TEST(an_operator_without_operands_costs_nothing)
{
    ck_assert_str_eq(refusal_of("aten::replace", NULL, 0), "");
}

UNIT_TEST(what_stands_between_joined_texts_counts_each_time)
{
    const htp_operand one = text_of(1);
    htp_operand elements[1024];
    for (size_t i = 0; i < 1024; i++) {
        elements[i] = one;
    }
    const htp_operand list = list_of(elements, 1024);
    ck_assert_str_eq(REFUSAL_OF("aten::join", text_of(512), list), "");
    ck_assert_str_eq(REFUSAL_OF("aten::join", text_of(1024), list), too_long);
}

UNIT_TEST(each_character_may_be_replaced)
{
    ck_assert_str_eq(REFUSAL_OF("aten::replace", text_of(1000), text_of(1), text_of(1000)), "");
    ck_assert_str_eq(REFUSAL_OF("aten::replace", text_of(2000), text_of(1), text_of(1000)),
                     too_long);
    ck_assert_str_eq(REFUSAL_OF("aten::replace", text_of(1), text_of(0), text_of(1)),
                     "it replaces an empty text, which libtorch does without end");
    ck_assert_str_eq(REFUSAL_OF("aten::replace", text_of(1 << 20)), too_long);
}

UNIT_TEST(tabs_are_as_wide_as_is_said)
{
    ck_assert_str_eq(REFUSAL_OF("aten::expandtabs", text_of(1000), int_of(1000)), "");
    ck_assert_str_eq(REFUSAL_OF("aten::expandtabs", text_of(1000), int_of(INT64_MAX)), too_long);
    ck_assert_str_eq(REFUSAL_OF("aten::expandtabs", text_of(1000), int_of(INT64_MIN)), "");
}

UNIT_TEST(widths_are_lengths)
{
    static const char *const names[] = {"aten::zfill", "aten::ljust", "aten::rjust",
                                        "aten::center"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ck_assert_str_eq(REFUSAL_OF(names[i], text_of(1), int_of((1 << 20) - 1)), "");
        ck_assert_str_eq(REFUSAL_OF(names[i], text_of(1), int_of(1 << 20)), too_long);
        ck_assert_str_eq(REFUSAL_OF(names[i], text_of(1), int_of(-1)), "");
        ck_assert_str_eq(REFUSAL_OF(names[i], text_of(1 << 20), int_of(1)), too_long);
    }
}

UNIT_TEST(a_width_is_asked_for_by_no_other_operator)
{
    ck_assert_str_eq(REFUSAL_OF("aten::find", text_of(1), int_of(INT64_MAX)), "");
}

/* ---- formatted values --------------------------------------------------------------------- */

UNIT_TEST(what_is_shared_is_written_again_and_again)
{
    htp_operand level = int_of(1);
    htp_operand both[20][2];
    for (size_t i = 0; i < 20; i++) {
        both[i][0] = both[i][1] = level;
        level = i % 2 ? list_of(both[i], 2) : tuple_of(both[i], 2);
        const char *const refusal = i < 14 ? "" : i < 19 ? too_long : unknown;
        ck_assert_str_eq(REFUSAL_OF("aten::str", level), refusal);
        ck_assert_str_eq(REFUSAL_OF("aten::format", text_of(2), level), refusal);
    }
}

UNIT_TEST(a_text_within_counts_with_all_its_characters)
{
    const htp_operand element = text_of(1 << 20);
    ck_assert_str_eq(REFUSAL_OF("aten::str", list_of(&element, 1)), too_long);
    ck_assert_str_eq(REFUSAL_OF("aten::percentFormat", text_of(2), element), too_long);
}

UNIT_TEST(what_nobody_looks_into_may_be_of_any_length)
{
    ck_assert_str_eq(REFUSAL_OF("aten::str", {.kind = HTP_OPERAND_OTHER}), unknown);
    ck_assert_str_eq(REFUSAL_OF("aten::str", {.kind = HTP_OPERAND_NONE}), "");
}

/* ---- all texts together ---------------------------------------------------------------------- */

UNIT_TEST(each_place_is_compared_with_all_of_what_is_looked_for)
{
    static const char *const names[] = {
        "aten::__contains__", "aten::count",  "aten::find",   "aten::rfind",     "aten::index",
        "aten::rindex",       "aten::split",  "aten::rsplit", "aten::partition", "aten::rpartition",
        "aten::strip",        "aten::lstrip", "aten::rstrip", "aten::replace"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ck_assert_str_eq(REFUSAL_OF(names[i], text_of(1000), text_of(1000)), "");
        ck_assert_str_eq(REFUSAL_OF(names[i], text_of(500000), text_of(250001)), endless);
    }
    ck_assert_str_eq(REFUSAL_OF("aten::eq", text_of(500000), text_of(250001)), "");
}

UNIT_TEST(many_short_runs_come_to_an_end)
{
    const htp_operand operands[] = {text_of(1 << 18), text_of(1 << 18)};
    const htp_text_cost *cost = htp_text_cost_find("aten::add");
    htp_error reason = {{0}};
    htp_operand_budget budget = {0};
    int runs = 0;
    while (runs < 1000 && htp_text_charge(cost, operands, 2, &budget, &reason)) {
        runs++;
    }
    ck_assert_int_eq(runs, (1 << 28) / (1 << 20));
    ck_assert_str_eq(reason.message, endless);
}

/* ---- operators that libtorch runs by itself -------------------------------------------------- */

static const char find_schema[] = "aten::find(str self, str substr, int start=0) -> int";

UNIT_TEST(operators_on_texts_are_told_by_their_schemas)
{
    ck_assert(htp_operation_is_checked("aten::find", find_schema));
    ck_assert(htp_operation_is_checked("aten::chr", "aten::chr(int i) -> str"));
    ck_assert(htp_operation_is_checked("aten::x", "aten::x(Dict(str, t)[] self) -> ()"));
    ck_assert(htp_operation_is_checked("aten::x", "aten::x(str[]? self) -> ()"));
    ck_assert(!htp_operation_is_checked("aten::str", "aten::str(int strides, my.str s) -> int"));
    ck_assert(!htp_operation_is_checked("aten::x", "str"));
    ck_assert(htp_operation_is_checked("aten::gcd", "aten::gcd.int(int a, int b) -> int"));
}

UNIT_TEST(an_operator_that_runs_by_itself_is_bounded)
{
    const htp_operand texts[] = {text_of(500000), text_of(250001)};
    const htp_operand numbers[] = {int_of(1), int_of(0)};
    const htp_constant_operation find = {"aten::find", find_schema, texts, 2};
    const htp_constant_operation whole = {"aten::floordiv",
                                          "aten::floordiv.int(int a, int b) -> int", numbers, 2};
    const htp_constant_operation real = {"aten::div", "aten::div.int(int a, int b) -> float",
                                         numbers, 2};
    htp_error reason = {{0}};
    htp_operand_budget budget = {0};
    ck_assert(!htp_operation_may_run(&find, &budget, &reason));
    ck_assert_str_eq(reason.message, endless);
    ck_assert(!htp_operation_may_run(&whole, &budget, &reason));
    ck_assert_str_eq(reason.message, "division by 0");
    ck_assert(htp_operation_may_run(&real, &budget, &reason));
}

UNIT_MAIN("interpret: text budget", a_limit_is_chosen, two_texts_make_one_that_is_as_long_as_both,
          an_operator_without_operands_costs_nothing,
          what_stands_between_joined_texts_counts_each_time, each_character_may_be_replaced,
          tabs_are_as_wide_as_is_said, widths_are_lengths,
          a_width_is_asked_for_by_no_other_operator, what_is_shared_is_written_again_and_again,
          a_text_within_counts_with_all_its_characters, what_nobody_looks_into_may_be_of_any_length,
          each_place_is_compared_with_all_of_what_is_looked_for, many_short_runs_come_to_an_end,
          operators_on_texts_are_told_by_their_schemas, an_operator_that_runs_by_itself_is_bounded)
