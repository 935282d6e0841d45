/*
 * Branches whose sides cannot be merged, so that the rest of the code is part of both.
 */
#include "named_trace.h"

/* Each of them doubles the remaining paths. */
UNIT_TEST(six_branches_that_cannot_meet_are_followed)
{
    interpretation *i = named_open(arena, "class Net n=1\n",
                                   "%a = prim::If(%c) { -> %x } { -> %none }\n"
                                   "%b = prim::If(%c) { -> %x } { -> %none }\n"
                                   "%e = prim::If(%c) { -> %x } { -> %none }\n"
                                   "%f = prim::If(%c) { -> %x } { -> %none }\n"
                                   "%g = prim::If(%c) { -> %x } { -> %none }\n"
                                   "%h = prim::If(%c) { -> %x } { -> %none }\n"
                                   "%z = aten::relu(%y)\n"
                                   "-> %z\n");
    interpret_run_carried(i, NAMED_INPUTS, HTP_MAX_LANES, NULL, 0);
    ck_assert_int_eq(i->code, HTP_CODE_OK);
    uint32_t branches = 0;
    for (uint32_t n = 0; n < i->trace->node_count; n++) {
        branches += strcmp(i->trace->nodes[n].kind, "prim::If") == 0;
    }
    ck_assert_uint_eq(branches, 63);
    ck_assert_uint_eq(i->trace->node_count, 63 + 64);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(None_and_a_tensor_are_asked_for_on_their_own_sides)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { -> %none }\n"
          "%b:bool = aten::__is__(%r, %none)\n"
          "%s = prim::If(%b) { %u = aten::neg(%y) -> %u } {\n"
          "  %v = prim::unchecked_unwrap_optional(%r)\n"
          "  %w = aten::relu(%v)\n"
          "  -> %w }\n"
          "-> %s\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu(x); -> %2 } { %3[?,3] = aten::neg(y); "
          "-> %3 }\n"
          "=> %1");
}

UNIT_TEST(tensors_of_different_ranks_meet_where_they_have_one)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { %t = aten::sum(%x, %none) -> %t }\n"
          "%s = aten::sum(%r, %none)\n"
          "-> %s\n",
          "%1[] = prim::If(c) { %2[] = aten::sum(x, None); -> %2 } { %3[] = aten::sum(x, None); "
          "%4[] = aten::sum(%3, None); -> %4 }\n"
          "=> %1");
}

UNIT_TEST(what_follows_runs_on_both_sides_up_to_the_end_of_the_function)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { -> %none }\n"
          "%z = aten::relu(%y)\n"
          "%w = aten::neg(%z)\n"
          "-> %w\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu(y); %3[?,3] = aten::neg(%2); -> %3 } { "
          "%4[?,3] = aten::relu(y); %5[?,3] = aten::neg(%4); -> %5 }\n"
          "=> %1");
}

UNIT_TEST(tensors_of_different_dtypes_are_apart)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { %t = aten::gt.Scalar(%x, %0) -> %t }\n"
          "%s = aten::eq.Scalar(%r, %1)\n"
          "-> %s\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::eq.Scalar(x, 1); -> %2 } { "
          "%3[?,3] = aten::gt.Scalar(x, 0); %4[?,3] = aten::eq.Scalar(%3, 1); -> %4 }\n"
          "=> %1");
}

UNIT_TEST(numbers_of_different_types_are_apart)
{
    gives(arena,
          "%half:float = prim::Constant<0.5>()\n"
          "%r:Scalar = prim::If(%c) { -> %1 } { -> %half }\n"
          "%z = aten::add.Scalar(%x, %r, %1)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::add.Scalar(x, 1, 1); -> %2 } { "
          "%3[?,3] = aten::add.Scalar(x, 0.5, 1); -> %3 }\n"
          "=> %1");
}

UNIT_TEST(strings_that_differ_are_apart)
{
    gives(arena,
          "%other:str = prim::Constant<\"another\">()\n"
          "%r:str = prim::If(%c) { -> %text } { -> %other }\n"
          "%z = aten::relu(%x)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu(x); -> %2 } { %3[?,3] = aten::relu(x); "
          "-> %3 }\n"
          "=> %1");
}

UNIT_TEST(strings_that_are_equal_are_one)
{
    gives(arena,
          "%other:str = prim::Constant<\"it is wrong\">()\n"
          "%r:str = prim::If(%c) { -> %text } { -> %other }\n"
          "%z = aten::relu(%x)\n"
          "-> %z\n",
          "prim::If(c) { -> } { -> }\n"
          "%1[?,3] = aten::relu(x)\n"
          "=> %1");
}

UNIT_TEST(lists_of_different_lengths_are_apart)
{
    gives(arena,
          "%r:list = prim::If(%c) {\n"
          "  %l:list = prim::ListConstruct(%x)\n"
          "  -> %l } {\n"
          "  %m:list = prim::ListConstruct(%x, %y)\n"
          "  -> %m }\n"
          "%z = aten::cat(%r, %0)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::cat((x), 0); -> %2 } { "
          "%3[?,3] = aten::cat((x, y), 0); -> %3 }\n"
          "=> %1");
}

UNIT_TEST(a_tuple_whose_part_is_apart_is_apart)
{
    gives(arena,
          "%r:tuple = prim::If(%c) {\n"
          "  %t:tuple = prim::TupleConstruct(%x, %none)\n"
          "  -> %t } {\n"
          "  %u:tuple = prim::TupleConstruct(%x, %y)\n"
          "  -> %u }\n"
          "%a, %b = prim::TupleUnpack(%r)\n"
          "%f:bool = aten::__is__(%b, %none)\n"
          "%z = prim::If(%f) { -> %a } {\n"
          "  %v = prim::unchecked_unwrap_optional(%b)\n"
          "  %w = aten::add.Tensor(%a, %v, %1)\n"
          "  -> %w }\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> x } { %2[?,3] = aten::add.Tensor(x, y, 1); -> %2 }\n"
          "=> %1");
}

UNIT_TEST(a_list_that_one_side_makes_longer_is_apart)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::If(%c) { %k:list = aten::append(%l, %y) -> } { -> }\n"
          "%z = aten::cat(%l, %0)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::cat((x, y), 0); -> %2 } { "
          "%3[?,3] = aten::cat((x), 0); -> %3 }\n"
          "=> %1");
}

UNIT_TEST(sides_meet_at_the_end_of_the_branch_around_them)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %s = prim::If(%d) { -> %x } { %t = aten::sum(%x, %none) -> %t }\n"
          "  %u = aten::sum(%s, %none)\n"
          "  -> %u } { %v = aten::sum(%y, %none) -> %v }\n"
          "%w = aten::relu(%r)\n"
          "-> %w\n",
          "%1[] = prim::If(c) { %2[] = prim::If(d) { %3[] = aten::sum(x, None); -> %3 } { "
          "%4[] = aten::sum(x, None); %5[] = aten::sum(%4, None); -> %5 }; -> %2 } { "
          "%6[] = aten::sum(y, None); -> %6 }\n"
          "%7[] = aten::relu(%1)\n"
          "=> %7");
}

UNIT_TEST(sides_that_are_apart_at_the_end_of_the_branch_around_them_part_that_too)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %s = prim::If(%d) { -> %x } { -> %none }\n"
          "  -> %s } { -> %y }\n"
          "%b:bool = aten::__is__(%r, %none)\n"
          "%z = prim::If(%b) { -> %y } { %w = aten::relu(%r) -> %w }\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = prim::If(d) { %3[?,3] = aten::relu(x); -> %3 } { "
          "-> y }; -> %2 } { %4[?,3] = aten::relu(y); -> %4 }\n"
          "=> %1");
}

UNIT_TEST(sides_meet_at_the_end_of_a_call)
{
    gives(arena,
          "%r = prim::CallFunction<f>(%x, %x, %c)\n"
          "%z = aten::neg(%r)\n"
          "-> %z\n"
          "def f(%a, %b:bool)\n" NAMED_CONSTANTS
          "%r = prim::If(%b) { -> %a } { %t = aten::sum(%a, %none) -> %t }\n"
          "%s = aten::sum(%r, %none)\n"
          "-> %s\n",
          "%1[] = prim::If(c) { %2[] = aten::sum(x, None); -> %2 } { %3[] = aten::sum(x, None); "
          "%4[] = aten::sum(%3, None); -> %4 }\n"
          "%5[] = aten::neg(%1)\n"
          "=> %5");
}

UNIT_TEST(sides_that_are_apart_at_the_end_of_a_call_part_the_caller)
{
    gives(arena,
          "%r = prim::CallFunction<f>(%x, %x, %c)\n"
          "%s = aten::sum(%r, %none)\n"
          "-> %s\n"
          "def f(%a, %b:bool)\n" NAMED_CONSTANTS
          "%r = prim::If(%b) { -> %a } { %t = aten::sum(%a, %none) -> %t }\n"
          "%u = aten::relu(%r)\n"
          "-> %u\n",
          "%1[] = prim::If(c) { %2[?,3] = aten::relu(x); %3[] = aten::sum(%2, None); -> %3 } { "
          "%4[] = aten::sum(x, None); %5[] = aten::relu(%4); %6[] = aten::sum(%5, None); -> %6 }\n"
          "=> %1");
}

UNIT_TEST(lists_that_a_call_alone_has_seen_may_stay_apart)
{
    gives(arena,
          "%r = prim::CallFunction<f>(%x, %x, %y, %c)\n"
          "%z = aten::relu(%r)\n"
          "-> %z\n"
          "def f(%a, %b, %flag:bool)\n" NAMED_CONSTANTS "%l:list = prim::ListConstruct(%a)\n"
          "prim::If(%flag) { %k:list = aten::append(%l, %b) -> } { -> }\n"
          "%z = aten::cat(%l, %0)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::cat((x, y), 0); -> %2 } { "
          "%3[?,3] = aten::cat((x), 0); -> %3 }\n"
          "%4[?,3] = aten::relu(%1)\n"
          "=> %4");
}

UNIT_TEST(lists_of_the_caller_part_it)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::CallFunction<f>(%x, %l, %y, %c)\n"
          "%z = aten::cat(%l, %0)\n"
          "%w = aten::relu(%z)\n"
          "-> %w\n"
          "def f(%l:list, %b, %flag:bool)\n"
          "prim::If(%flag) { %k:list = aten::append(%l, %b) -> } { -> }\n"
          "->\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::cat((x, y), 0); %3[?,3] = aten::relu(%2); "
          "-> %3 } { %4[?,3] = aten::cat((x), 0); %5[?,3] = aten::relu(%4); -> %5 }\n"
          "=> %1");
}

UNIT_TEST(lists_that_a_call_gives_back_part_the_caller)
{
    gives(arena,
          "%l:list = prim::CallFunction<f>(%x, %x, %y, %c)\n"
          "%z = aten::cat(%l, %0)\n"
          "-> %z\n"
          "def f(%a, %b, %flag:bool)\n"
          "%l:list = prim::ListConstruct(%a)\n"
          "prim::If(%flag) { %k:list = aten::append(%l, %b) -> } { -> }\n"
          "-> %l\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::cat((x, y), 0); -> %2 } { "
          "%3[?,3] = aten::cat((x), 0); -> %3 }\n"
          "=> %1");
}

UNIT_TEST(sides_that_are_apart_when_the_method_returns_are_refused)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { %t = aten::sum(%x, %none) -> %t }\n"
          "-> %r\n",
          "the sides of a branch on the data give tensors of different ranks or dtypes, in the "
          "root module");
}

UNIT_TEST(lists_that_are_apart_when_the_method_returns_are_sequences)
{
    gives(arena,
          "%r:list = prim::If(%c) {\n"
          "  %l:list = prim::ListConstruct(%x)\n"
          "  -> %l } {\n"
          "  %m:list = prim::ListConstruct(%x, %y)\n"
          "  -> %m }\n"
          "-> %r\n",
          "%1 sequence[?,3] = prim::If(c) { %2 sequence[?,3] = prim::ListConstruct(x); -> %2 } { "
          "%3 sequence[?,3] = prim::ListConstruct(x, y); -> %3 }\n"
          "=> %1");
}

UNIT_TEST(an_early_return_is_a_flag_and_a_value)
{
    gives(arena,
          "%r = prim::CallFunction<f>(%x, %x, %c)\n"
          "%z = aten::neg(%r)\n"
          "-> %z\n"
          "def f(%a, %flag:bool)\n" NAMED_CONSTANTS
          "%is_done:bool, %value = prim::If(%flag) { %u = aten::relu(%a) -> %true, %u } {\n"
          "  %q = prim::Uninitialized()\n"
          "  -> %false, %q }\n"
          "%out = prim::If(%is_done) { -> %value } {\n"
          "  %v = aten::add.Scalar(%a, %1, %1)\n"
          "  -> %v }\n"
          "-> %out\n",
          "%1 bool, %2[?,3] = prim::If(c) { %3[?,3] = aten::relu(x); -> True, %3 } { "
          "-> False, nothing }\n"
          "%4[?,3] = prim::If(%1) { -> %2 } { %5[?,3] = aten::add.Scalar(x, 1, 1); -> %5 }\n"
          "%6[?,3] = aten::neg(%4)\n"
          "=> %6");
}

UNIT_TEST(an_early_return_of_None_parts_the_caller)
{
    gives(arena,
          "%r = prim::CallFunction<f>(%x, %x, %c)\n"
          "%b:bool = aten::__isnot__(%r, %none)\n"
          "%z = prim::If(%b) {\n"
          "  %u = prim::unchecked_unwrap_optional(%r)\n"
          "  %v = aten::neg(%u)\n"
          "  -> %v } { -> %y }\n"
          "-> %z\n"
          "def f(%a, %flag:bool)\n" NAMED_CONSTANTS
          "%is_done:bool, %value = prim::If(%flag) { -> %true, %none } {\n"
          "  %q = prim::Uninitialized()\n"
          "  -> %false, %q }\n"
          "%out = prim::If(%is_done) { -> %value } { %w = aten::relu(%a) -> %w }\n"
          "-> %out\n",
          "%1 bool = prim::If(c) { -> True } { -> False }\n"
          "%2[?,3] = prim::If(%1) { -> y } { %3[?,3] = aten::relu(x); %4[?,3] = aten::neg(%3); "
          "-> %4 }\n"
          "=> %2");
}

UNIT_TEST(an_early_return_of_a_list_parts_what_another_list_follows)
{
    gives(arena,
          "%r:list = prim::CallFunction<f>(%x, %x, %y, %c)\n"
          "%z = aten::cat(%r, %0)\n"
          "-> %z\n"
          "def f(%a, %b, %flag:bool)\n" NAMED_CONSTANTS
          "%is_done:bool, %value:list = prim::If(%flag) {\n"
          "  %l:list = prim::ListConstruct(%a)\n"
          "  -> %true, %l } {\n"
          "  %q:list = prim::Uninitialized()\n"
          "  -> %false, %q }\n"
          "%out:list = prim::If(%is_done) { -> %value } {\n"
          "  %m:list = prim::ListConstruct(%a, %b)\n"
          "  -> %m }\n"
          "-> %out\n",
          "%1 bool, %2[?,3] = prim::If(c) { -> True, x } { -> False, nothing }\n"
          "%3[?,3] = prim::If(%1) { %4[?,3] = aten::cat((%2), 0); -> %4 } { "
          "%5[?,3] = aten::cat((x, y), 0); -> %5 }\n"
          "=> %3");
}

UNIT_TEST(each_side_that_is_apart_may_part_again)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { -> %none }\n"
          "%s = prim::If(%d) { -> %y } { -> %none }\n"
          "%t = prim::CallFunction<both>(%x, %r, %s, %x)\n"
          "-> %t\n"
          "def both(%a, %b, %z)\n" NAMED_CONSTANTS "%no_a:bool = aten::__is__(%a, %none)\n"
          "%u = prim::If(%no_a) { -> %z } { -> %a }\n"
          "%no_b:bool = aten::__is__(%b, %none)\n"
          "%v = prim::If(%no_b) { -> %z } { -> %b }\n"
          "%w = aten::add.Tensor(%u, %v, %1)\n"
          "-> %w\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = prim::If(d) { %3[?,3] = aten::add.Tensor(x, y, 1); "
          "-> %3 } { %4[?,3] = aten::add.Tensor(x, x, 1); -> %4 }; -> %2 } { "
          "%5[?,3] = prim::If(d) { %6[?,3] = aten::add.Tensor(x, y, 1); -> %6 } { "
          "%7[?,3] = aten::add.Tensor(x, x, 1); -> %7 }; -> %5 }\n"
          "=> %1");
}

UNIT_TEST(an_exception_behind_one_of_the_sides_leaves_the_other)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { -> %none }\n"
          "%b:bool = aten::__is__(%r, %none)\n"
          "prim::If(%b) { prim::RaiseException(%text) -> } { -> }\n"
          "%v = prim::unchecked_unwrap_optional(%r)\n"
          "%w = aten::relu(%v)\n"
          "-> %w\n",
          "%1[?,3] = aten::relu(x)\n"
          "=> %1");
}

UNIT_TEST(seven_branches_that_cannot_meet_are_too_many)
{
    gives(arena,
          "%a = prim::If(%c) { -> %x } { -> %none }\n"
          "%b = prim::If(%c) { -> %x } { -> %none }\n"
          "%e = prim::If(%c) { -> %x } { -> %none }\n"
          "%f = prim::If(%c) { -> %x } { -> %none }\n"
          "%g = prim::If(%c) { -> %x } { -> %none }\n"
          "%h = prim::If(%c) { -> %x } { -> %none }\n"
          "%i = prim::If(%c) { -> %x } { -> %none }\n"
          "-> %y\n",
          "the sides of a branch on the data give values of different kinds, in the root module");
}

UNIT_TEST(seven_that_meet_before_the_next_one_are_not)
{
    gives(arena,
          "%a = prim::CallFunction<f>(%x, %x, %c)\n"
          "%b = prim::CallFunction<f>(%x, %a, %c)\n"
          "%e = prim::CallFunction<f>(%x, %b, %c)\n"
          "%g = prim::CallFunction<f>(%x, %e, %c)\n"
          "%h = prim::CallFunction<f>(%x, %g, %c)\n"
          "%i = prim::CallFunction<f>(%x, %h, %c)\n"
          "%j = prim::CallFunction<f>(%x, %i, %c)\n"
          "-> %j\n"
          "def f(%a, %flag:bool)\n" NAMED_CONSTANTS "%r = prim::If(%flag) { -> %a } { -> %none }\n"
          "%b:bool = aten::__is__(%r, %none)\n"
          "%s = prim::If(%b) { %u = aten::relu(%a) -> %u } { -> %a }\n"
          "-> %s\n",
          "%1[?,3] = prim::If(c) { -> x } { %2[?,3] = aten::relu(x); -> %2 }\n"
          "%3[?,3] = prim::If(c) { -> %1 } { %4[?,3] = aten::relu(%1); -> %4 }\n"
          "%5[?,3] = prim::If(c) { -> %3 } { %6[?,3] = aten::relu(%3); -> %6 }\n"
          "%7[?,3] = prim::If(c) { -> %5 } { %8[?,3] = aten::relu(%5); -> %8 }\n"
          "%9[?,3] = prim::If(c) { -> %7 } { %10[?,3] = aten::relu(%7); -> %10 }\n"
          "%11[?,3] = prim::If(c) { -> %9 } { %12[?,3] = aten::relu(%9); -> %12 }\n"
          "%13[?,3] = prim::If(c) { -> %11 } { %14[?,3] = aten::relu(%11); -> %14 }\n"
          "=> %13");
}

UNIT_MAIN("interpret: sides that cannot meet", six_branches_that_cannot_meet_are_followed,
          None_and_a_tensor_are_asked_for_on_their_own_sides,
          tensors_of_different_ranks_meet_where_they_have_one,
          what_follows_runs_on_both_sides_up_to_the_end_of_the_function,
          tensors_of_different_dtypes_are_apart, numbers_of_different_types_are_apart,
          strings_that_differ_are_apart, strings_that_are_equal_are_one,
          lists_of_different_lengths_are_apart, a_tuple_whose_part_is_apart_is_apart,
          a_list_that_one_side_makes_longer_is_apart,
          sides_meet_at_the_end_of_the_branch_around_them,
          sides_that_are_apart_at_the_end_of_the_branch_around_them_part_that_too,
          sides_meet_at_the_end_of_a_call,
          sides_that_are_apart_at_the_end_of_a_call_part_the_caller,
          lists_that_a_call_alone_has_seen_may_stay_apart, lists_of_the_caller_part_it,
          lists_that_a_call_gives_back_part_the_caller,
          sides_that_are_apart_when_the_method_returns_are_refused,
          lists_that_are_apart_when_the_method_returns_are_sequences,
          an_early_return_is_a_flag_and_a_value, an_early_return_of_None_parts_the_caller,
          an_early_return_of_a_list_parts_what_another_list_follows,
          each_side_that_is_apart_may_part_again,
          an_exception_behind_one_of_the_sides_leaves_the_other,
          seven_branches_that_cannot_meet_are_too_many, seven_that_meet_before_the_next_one_are_not)
