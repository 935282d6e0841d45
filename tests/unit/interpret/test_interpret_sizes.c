/*
 * Numbers and tensors computed from sizes.
 */
#include "effects_fixture.h"

/* ---- numbers and tensors --------------------------------------------------------------------- */

UNIT_TEST(a_fixed_size_is_a_constant)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %1)\n"
               "%v:int = aten::mul.int(%s, %s)\n"
               "-> %s %v\n",
               "3 = aten::size.int(x, 1)\n"
               "9 = aten::mul.int(3, 3)\n"
               "=> 3, 9");
}

UNIT_TEST(a_dynamic_size_is_none)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%v:int = aten::mul.int(%s, %2)\n"
               "-> %s %v\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 int = aten::mul.int(%1, 2)\n"
               "=> %1, %2");
}

UNIT_TEST(all_sizes_are_read_at_once)
{
    body_gives(arena,
               "%s:list = aten::size(%x)\n"
               "%z = aten::zeros(%s, %none, %none, %none, %none)\n"
               "-> %z\n",
               "(%1 int, 3) = aten::size(x)\n"
               "%2[?,3] = aten::zeros((%1, 3), None, None, None, None)\n"
               "=> %2");
}

UNIT_TEST(a_rank_is_a_constant)
{
    body_gives(arena,
               "%d:int = aten::dim(%x)\n"
               "%u = aten::unsqueeze(%x, %d)\n"
               "-> %u\n",
               "2 = aten::dim(x)\n"
               "%1[?,3,1] = aten::unsqueeze(x, 2)\n"
               "=> %1");
}

UNIT_TEST(a_tensor_of_sizes_is_computed)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%t = prim::NumToTensor.Scalar(%s)\n"
               "%u = aten::add.Tensor(%t, %t, %1)\n"
               "%v:int = aten::Int.Tensor(%u)\n"
               "%l_a:list = prim::ListConstruct(%v)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "%l:list = prim::ListConstruct(%x, %x)\n"
               "%b = aten::cat(%l, %0)\n"
               "%w = aten::select.int(%b, %1, %0)\n" EFFECTS_COMPARE("%z_a", "%w"),
               "%1 int = aten::size.int(x, 0)\n"
               "%2[] = prim::NumToTensor.Scalar(%1)\n"
               "%3[] = aten::add.Tensor(%2, %2, 1)\n"
               "%4 int = aten::Int.Tensor(%3)\n"
               "%5[?] = aten::zeros((%4), None, None, None, None)\n"
               "%6[?,3] = aten::cat((x, x), 0)\n"
               "%7[?] = aten::select.int(%6, 1, 0)\n"
               "%8[2,?] = aten::stack((%5, %7), 0)\n"
               "=> %8");
}

UNIT_TEST(a_tensor_of_a_constant_is_computed)
{
    body_gives(arena,
               "%t = prim::NumToTensor.Scalar(%3)\n"
               "%u = aten::mul.Tensor(%t, %t)\n"
               "%v:int = aten::Int.Tensor(%u)\n"
               "%l_a:list = prim::ListConstruct(%v)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "-> %z_a\n",
               "%1[] = prim::NumToTensor.Scalar(3)\n"
               "%2[] = aten::mul.Tensor(%1, %1)\n"
               "9 = aten::Int.Tensor(%2)\n"
               "%3[9] = aten::zeros((9), None, None, None, None)\n"
               "=> %3");
}

UNIT_TEST(positions_are_computed)
{
    body_gives(arena,
               "%p = aten::arange(%5, %none, %none, %none, %none)\n"
               "%e = aten::select.int(%p, %0, %3)\n"
               "%v:int = aten::Int.Tensor(%e)\n"
               "%l_a:list = prim::ListConstruct(%v)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "-> %z_a\n",
               "%1[5] = aten::arange(5, None, None, None, None)\n"
               "%2[] = aten::select.int(%1, 0, 3)\n"
               "3 = aten::Int.Tensor(%2)\n"
               "%3[3] = aten::zeros((3), None, None, None, None)\n"
               "=> %3");
}

UNIT_TEST(what_is_large_is_not_computed)
{
    body_gives(arena,
               "%h:int = prim::Constant<70000>()\n"
               "%p = aten::arange(%h, %none, %none, %none, %none)\n"
               "%e = aten::select.int(%p, %0, %3)\n"
               "%v:int = aten::Int.Tensor(%e)\n"
               "%l_a:list = prim::ListConstruct(%v)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "-> %z_a\n",
               "%1[70000] = aten::arange(70000, None, None, None, None)\n"
               "%2[] = aten::select.int(%1, 0, 3)\n"
               "%3 int = aten::Int.Tensor(%2)\n"
               "%4[?] = aten::zeros((%3), None, None, None, None)\n"
               "=> %4");
}

UNIT_TEST(the_side_that_a_fixed_size_takes_is_the_only_one)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %1)\n"
               "%g:bool = aten::gt.int(%s, %5)\n"
               "%r = prim::If(%g)\n"
               "{ -> %x }\n"
               "{ -> %y }\n"
               "-> %r\n",
               "3 = aten::size.int(x, 1)\n"
               "False = aten::gt.int(3, 5)\n"
               "=> y");
}

UNIT_TEST(a_dynamic_size_decides_in_the_run)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%g:bool = aten::gt.int(%s, %5)\n"
               "%r = prim::If(%g)\n"
               "{ -> %x }\n"
               "{ -> %y }\n"
               "-> %r\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 bool = aten::gt.int(%1, 5)\n"
               "%3[?,3] = prim::If(%2) { -> x } { -> y }\n"
               "=> %3");
}

UNIT_TEST(so_it_does_where_it_takes_one_side_in_all_lanes)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%g:bool = aten::gt.int(%s, %3)\n"
               "%r = prim::If(%g)\n"
               "{ -> %x }\n"
               "{ -> %y }\n"
               "-> %r\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 bool = aten::gt.int(%1, 3)\n"
               "%3[?,3] = prim::If(%2) { -> x } { -> y }\n"
               "=> %3");
}

UNIT_TEST(a_check_that_passes_in_all_lanes_is_left_out)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%g:bool = aten::gt.int(%s, %3)\n"
               "prim::If(%g)\n"
               "{ -> }\n"
               "{ prim::RaiseException(%text, %none)\n -> }\n"
               "-> %x\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 bool = aten::gt.int(%1, 3)\n"
               "=> x");
}

UNIT_TEST(a_check_that_raises_in_some_lane_is_told)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%g:bool = aten::gt.int(%s, %5)\n"
               "prim::If(%g)\n"
               "{ -> }\n"
               "{ prim::RaiseException(%text, %none)\n -> }\n"
               "-> %x\n",
               "forward() raised on these inputs in the root module (model.py:15): it is wrong");
}

UNIT_TEST(a_remainder_that_is_none_passes_a_check)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%d:int = aten::mul.int(%s, %2)\n"
               "%o:int = aten::remainder.int(%d, %2)\n"
               "%g:bool = aten::ne.int(%o, %0)\n"
               "prim::If(%g)\n"
               "{ prim::RaiseException(%text, %none)\n -> }\n"
               "{ -> }\n"
               "-> %x\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 int = aten::mul.int(%1, 2)\n"
               "%3 int = aten::remainder.int(%2, 2)\n"
               "%4 bool = aten::ne.int(%3, 0)\n"
               "=> x");
}

/* ---- tensors without elements ---------------------------------------------------------------- */

UNIT_TEST(what_is_summed_of_nothing_is_known)
{
    body_gives(arena,
               "%e = aten::slice.Tensor(%x, %0, %0, %0, %1)\n"
               "%s = aten::sum(%e, %none)\n"
               "%b:bool = aten::Bool.Tensor(%s)\n"
               "%r = prim::If(%b)\n"
               "{ -> %x }\n"
               "{ -> %y }\n"
               "-> %r\n",
               "%1[0,3] = aten::slice.Tensor(x, 0, 0, 0, 1)\n"
               "%2[] = aten::sum(%1, None)\n"
               "False = aten::Bool.Tensor(%2)\n"
               "=> y");
}

UNIT_TEST(what_a_mask_selects_of_nothing_is_nothing)
{
    body_gives(arena,
               "%e = aten::slice.Tensor(%x, %0, %0, %0, %1)\n"
               "%m = aten::gt.Scalar(%e, %0)\n"
               "%a = aten::masked_select(%e, %m)\n"
               "-> %a\n",
               "%1[0,3] = aten::slice.Tensor(x, 0, 0, 0, 1)\n"
               "%2[0,3] = aten::gt.Scalar(%1, 0)\n"
               "%3[0] = aten::masked_select(%1, %2)\n"
               "=> %3");
}

/* ---- operators without effect ---------------------------------------------------- */

/* How often kernels run for a method of one tensor. */
static uint32_t count_runs(htp_arena *arena, const char *body)
{
    interpretation *i =
        interpret_open_program(arena, effects_program(arena, "class Net n=1\n", body));
    i->runner->runs = 0;
    effects_call(i, "[?,3]", "");
    ck_assert_msg(i->code == HTP_CODE_OK, "%s", i->message);
    uint32_t runs = i->runner->runs;
    htp_interpreter_close(i->interpreter);
    return runs;
}

UNIT_TEST(a_slice_of_all_of_a_dim_runs_no_kernel)
{
    const char *body = "%a = aten::slice.Tensor(%x, %0, %0, %many, %1)\n"
                       "%b = aten::slice.Tensor(%a, %minus, %none, %none, %1)\n"
                       "-> %b\n";
    ck_assert_uint_eq(count_runs(arena, body), 0);
    body_gives(arena, body,
               "%1[?,3] = aten::slice.Tensor(x, 0, 0, 9223372036854775807, 1)\n"
               "%2[?,3] = aten::slice.Tensor(%1, -1, None, None, 1)\n"
               "=> %2");
}

UNIT_TEST(a_slice_of_a_part_does)
{
    ck_assert_uint_gt(count_runs(arena, "%a = aten::slice.Tensor(%x, %0, %1, %many, %1)\n-> %a\n"),
                      0);
    ck_assert_uint_gt(count_runs(arena, "%a = aten::slice.Tensor(%x, %1, %0, %2, %1)\n-> %a\n"), 0);
    ck_assert_uint_gt(count_runs(arena, "%a = aten::slice.Tensor(%x, %0, %0, %many, %2)\n-> %a\n"),
                      0);
}

UNIT_TEST(what_is_written_into_a_slice_of_all_is_in_the_whole)
{
    body_gives(arena,
               "%c = aten::neg(%x)\n"
               "%a = aten::slice.Tensor(%c, %0, %0, %many, %1)\n"
               "%z = aten::relu_(%a)\n"
               "%r = aten::neg(%c)\n"
               "-> %r\n",
               "%1[?,3] = aten::neg(x)\n"
               "%2[?,3] = aten::slice.Tensor(%1, 0, 0, 9223372036854775807, 1)\n"
               "%3[?,3] = aten::relu_(%2)\n"
               "%4[?,3] = aten::neg(%3)\n"
               "=> %4");
}

UNIT_TEST(a_type_that_a_tensor_has_runs_no_kernel)
{
    const char *start = "%six = prim::Constant<6>()\n%seven = prim::Constant<7>()\n"
                        "%no = prim::Constant<False>()\n%yes = prim::Constant<True>()\n";
    static const struct {
        const char *line;
        bool runs;
    } cases[] = {
        {"%a = aten::to.dtype(%x, %six, %no, %no, %none)\n-> %a\n", false},
        {"%a = aten::to.dtype(%x, %seven, %no, %no, %none)\n-> %a\n", true},
        {"%a = aten::to.dtype(%x, %six, %no, %yes, %none)\n-> %a\n", true},
        {"%a = aten::to.dtype(%x, %six, %no, %no, %0)\n-> %a\n", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *body = htp_arena_printf(arena, "%s%s", start, cases[i].line);
        ck_assert_int_eq(count_runs(arena, body) > 0, cases[i].runs);
    }
}

UNIT_MAIN("interpret: sizes", a_fixed_size_is_a_constant, a_dynamic_size_is_none,
          all_sizes_are_read_at_once, a_rank_is_a_constant, a_tensor_of_sizes_is_computed,
          a_tensor_of_a_constant_is_computed, positions_are_computed, what_is_large_is_not_computed,
          the_side_that_a_fixed_size_takes_is_the_only_one, a_dynamic_size_decides_in_the_run,
          so_it_does_where_it_takes_one_side_in_all_lanes,
          a_check_that_passes_in_all_lanes_is_left_out, a_check_that_raises_in_some_lane_is_told,
          a_remainder_that_is_none_passes_a_check, what_is_summed_of_nothing_is_known,
          what_a_mask_selects_of_nothing_is_nothing, a_slice_of_all_of_a_dim_runs_no_kernel,
          a_slice_of_a_part_does, what_is_written_into_a_slice_of_all_is_in_the_whole,
          a_type_that_a_tensor_has_runs_no_kernel)
