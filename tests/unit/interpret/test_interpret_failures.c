/*
 * Operators that fail, dependent values, and the wording of refusals.
 */
#include "effects_fixture.h"

/* ---- operators that fail --------------------------------------------------------------------- */

UNIT_TEST(what_only_the_real_kernel_tells_is_tried_on_probes)
{
    body_gives(arena,
               "%a = aten::median(%x)\n"
               "%r = aten::relu(%a)\n"
               "-> %r\n",
               "%1[] = aten::median(x)\n"
               "%2[] = aten::relu(%1)\n"
               "=> %2");
}

UNIT_TEST(what_only_the_real_kernel_tells_is_not_tried_on_much)
{
    body_gives(arena,
               "%m:int = prim::Constant<-1>()\n"
               "%n:int = prim::Constant<5000>()\n"
               "%f:bool = prim::Constant<0>()\n"
               "%s:int[] = prim::ListConstruct(%m, %m, %n)\n"
               "%u = aten::unsqueeze(%x, %m)\n"
               "%w = aten::expand(%u, %s, %f)\n"
               "%a = aten::median(%w)\n"
               "-> %a\n",
               "%1[?,3,1] = aten::unsqueeze(x, -1)\n"
               "%2[?,3,5000] = aten::expand(%1, (-1, -1, 5000), 0)\n"
               "%3 unknown = aten::median(%2) ! this libtorch has no meta kernel for its "
               "output's size\n"
               "=> %3");
}

UNIT_TEST(what_follows_from_what_failed_is_unknown)
{
    body_gives(arena,
               "%a = aten::mode(%x)\n"
               "%r = aten::relu(%a)\n"
               "-> %r\n",
               "%1 unknown = aten::mode(x) ! its output's size depends on the data\n"
               "%2 unknown = aten::relu(%1)\n"
               "=> %2");
}

UNIT_TEST(what_failed_decides_nothing)
{
    body_gives(arena,
               "%a = aten::mode(%x)\n"
               "%b:bool = aten::Bool.Tensor(%a)\n"
               "%r = prim::If(%b)\n"
               "{ -> %x }\n"
               "{ -> %y }\n"
               "-> %r\n",
               "aten::mode, which decides what runs: its output's size depends on the data, in "
               "the root module (model.py:12)");
}

UNIT_TEST(an_operator_that_nobody_has_is_refused)
{
    body_gives(arena,
               "%a = aten::none_such(%x)\n"
               "-> %a\n",
               "this libtorch has no operator aten::none_such for these arguments, in the root "
               "module (model.py:12)");
}

UNIT_TEST(an_operator_that_writes_files_is_not_run)
{
    body_gives(arena,
               "%a = aten::save(%x)\n"
               "-> %a\n",
               "%1 unknown = aten::save(x) ! it does more than to compute, and is not run for a "
               "file\n"
               "=> %1");
}

UNIT_TEST(an_operator_whose_kernel_is_unchecked_is_not_run)
{
    body_gives(arena,
               "%a = aten::_sparse_sum(%x)\n"
               "-> %a\n",
               "%1 unknown = aten::_sparse_sum(x) ! it is not run, because its kernel does not "
               "check its operands\n"
               "=> %1");
}

UNIT_TEST(sizes_that_do_not_fit_are_told)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[4,3]>()\n"
               "%r = aten::add.Tensor(%x, %k, %1)\n"
               "-> %r\n",
               "aten::add.Tensor raised in the root module (model.py:13): The size of tensor a "
               "(10) must match the size of tensor b (4) at dimension 0");
}

UNIT_TEST(sizes_of_lanes_that_nobody_gave_are_not_told)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[10,3]>()\n"
               "%r = aten::add.Tensor(%x, %k, %1)\n"
               "-> %r\n",
               "aten::add.Tensor raised in the root module (model.py:13): The size of tensor a "
               "(?) must match the size of tensor b (10) at dimension 0");
}

UNIT_TEST(a_dim_that_is_none_has_no_size)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %5)\n"
               "-> %s\n",
               "aten::size.int raised in the root module (model.py:12): Dimension out of range");
}

UNIT_TEST(an_index_out_of_range_in_some_lane_is_told)
{
    body_gives(arena,
               "%six:int = prim::Constant<6>()\n"
               "%a = aten::select.int(%x, %0, %six)\n"
               "-> %a\n",
               "aten::select.int raised in the root module (model.py:13): index out of range");
}

UNIT_TEST(under_a_condition_it_need_not_run_at_all_sizes)
{
    body_gives(arena,
               "%six:int = prim::Constant<6>()\n"
               "%r = prim::If(%c)\n"
               "{ %a = aten::select.int(%x, %0, %six)\n -> %a }\n"
               "{ %b = aten::select.int(%x, %0, %0)\n -> %b }\n"
               "-> %r\n",
               "%1[3] = prim::If(c) { %2[3] = aten::select.int(x, 0, 6); -> %2 } { %3[3] = "
               "aten::select.int(x, 0, 0); -> %3 }\n"
               "=> %1");
}

UNIT_TEST(a_list_with_what_failed_in_it_gives_nothing)
{
    body_gives(arena,
               "%a = aten::mode(%x)\n"
               "%l:list = prim::ListConstruct(%a, %x)\n"
               "%s = aten::stack(%l, %0)\n"
               "-> %s %x\n",
               "%1 unknown = aten::mode(x) ! its output's size depends on the data\n"
               "%2 unknown = aten::stack((%1, x), 0)\n"
               "=> %2, x");
}

UNIT_TEST(what_fails_on_one_side_is_unknown_behind_the_branch)
{
    body_gives(arena,
               "%r = prim::If(%c)\n"
               "{ %a = aten::mode(%x)\n -> %a }\n"
               "{ -> %x }\n"
               "%s = aten::neg(%r)\n"
               "-> %s\n",
               "prim::If(c) { %1 unknown = aten::mode(x) ! its output's size depends on the "
               "data; -> } { -> }\n"
               "%2 unknown = aten::neg(unknown)\n"
               "=> %2");
}

UNIT_TEST(what_fails_in_a_loop_is_unknown_behind_it)
{
    body_gives(arena,
               "%r = prim::Loop(%n, %true, %x)\n"
               "{ (%i:int, %a)\n %b = aten::mode(%a)\n -> %true %b }\n"
               "%s = aten::neg(%r)\n"
               "-> %s\n",
               "%1 unknown = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4 unknown = "
               "aten::mode(%3) ! its output's size depends on the data; -> True, %4 }\n"
               "%5 unknown = aten::neg(unknown)\n"
               "=> %5");
}

UNIT_TEST(a_count_that_failed_starts_no_loop)
{
    body_gives(arena,
               "%a = aten::mode(%x)\n"
               "%i:int = aten::Int.Tensor(%a)\n"
               "prim::Loop(%i, %true)\n"
               "{ (%k:int)\n -> %true }\n"
               "-> %x\n",
               "aten::mode, which decides what runs: its output's size depends on the data, in "
               "the root module (model.py:12)");
}

UNIT_TEST(a_size_follows_from_no_mask_that_failed)
{
    body_gives(arena,
               "%a = aten::mode(%x)\n"
               "%m = aten::gt.Scalar(%a, %0)\n"
               "%b = aten::masked_select(%x, %m)\n"
               "-> %b\n",
               "%1 unknown = aten::mode(x) ! its output's size depends on the data\n"
               "%2 unknown = aten::gt.Scalar(%1, 0)\n"
               "%3 unknown = aten::masked_select(x, %2)\n"
               "=> %3");
}

UNIT_TEST(what_fails_to_be_changed_is_unknown)
{
    body_gives(arena,
               "%a = aten::mode(%x)\n"
               "%z = aten::add_.Tensor(%y, %a, %1)\n"
               "-> %x %y\n",
               "%1 unknown = aten::mode(x) ! its output's size depends on the data\n"
               "%2 unknown = aten::add_.Tensor(y, %1, 1)\n"
               "=> x, unknown");
}

UNIT_TEST(a_view_that_failed_leaves_its_tensor)
{
    body_gives(arena,
               "%l:list = prim::ListConstruct(%2)\n"
               "%v = aten::as_strided(%x, %l, %l)\n"
               "-> %v %x\n",
               "%1 unknown = aten::as_strided(x, (2), (2)) ! this libtorch has no meta kernel "
               "for its output's size\n"
               "=> %1, x");
}

UNIT_TEST(what_is_written_through_a_view_that_failed_is_unknown)
{
    body_gives(arena,
               "%l:list = prim::ListConstruct(%2)\n"
               "%v = aten::as_strided(%x, %l, %l)\n"
               "%z = aten::relu_(%v)\n"
               "%r = aten::neg(%x)\n"
               "-> %r %y\n",
               "%1 unknown = aten::as_strided(x, (2), (2)) ! this libtorch has no meta kernel "
               "for its output's size\n"
               "%2 unknown = aten::relu_(%1)\n"
               "%3 unknown = aten::relu_() ! aten::as_strided in the root module (model.py:13): "
               "this libtorch has no meta kernel for its output's size\n"
               "%4 unknown = aten::neg(%3)\n"
               "=> %4, y");
}

UNIT_TEST(an_operator_in_place_without_a_kernel_gives_its_operand)
{
    body_gives(arena,
               "%z = aten::uniform_(%x)\n"
               "-> %x\n",
               "%1[?,3] = aten::uniform_(x)\n"
               "=> %1");
}

UNIT_TEST(a_view_of_another_dtype_is_not_written_through)
{
    body_gives(arena,
               "%v = aten::view.dtype(%x, %3)\n"
               "%z = aten::relu_(%v)\n"
               "-> %x\n",
               "%1[?,3] = aten::view.dtype(x, 3)\n"
               "%2[?,3] = aten::relu_(%1)\n"
               "%3 unknown = aten::relu_(%1) ! a tensor is changed through a view of another "
               "dtype, in the root module (model.py:13)\n"
               "=> unknown");
}

UNIT_TEST(a_tensor_has_no_attributes)
{
    body_gives(arena,
               "%r = prim::GetAttr<h>(%x)\n"
               "-> %r\n",
               "an attribute is read from something that is no object");
}

UNIT_TEST(a_tensor_is_given_no_attribute)
{
    body_gives(arena,
               "prim::SetAttr<h>(%x, %y)\n"
               "-> %x\n",
               "an attribute is set of something that is no object");
}

UNIT_TEST(a_number_is_no_class)
{
    body_gives(arena,
               "%p:int = prim::CreateObject()\n"
               "-> %x\n",
               "int is no class of objects");
}

/* ---- exceptions ------------------------------------------------------------------------------ */

UNIT_TEST(an_exception_ends_the_method)
{
    body_gives(arena,
               "prim::RaiseException(%text, %none)\n"
               "-> %x\n",
               "forward() raised on these inputs in the root module (model.py:12): it is wrong");
}

/* The model computes only the other side. */
UNIT_TEST(an_operator_that_always_raises_is_an_exception)
{
    body_gives(arena,
               "%e:list = prim::ListConstruct()\n"
               "%r = prim::If(%c)\n"
               "{ %a = aten::cat(%e, %0)\n -> %a }\n"
               "{ -> %x }\n"
               "-> %r\n",
               "=> x");
}

UNIT_TEST(sizes_that_raise_on_one_side_are_told)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[4,3]>()\n"
               "%r = prim::If(%c)\n"
               "{ %a = aten::add.Tensor(%x, %k, %1)\n -> %a }\n"
               "{ -> %x }\n"
               "-> %r\n",
               "aten::add.Tensor raised in the root module (model.py:14): The size of tensor a "
               "(10) must match the size of tensor b (4) at dimension 0");
}

UNIT_TEST(sides_that_both_raise_end_the_method)
{
    body_gives(arena,
               "%e:list = prim::ListConstruct()\n"
               "%r = prim::If(%c)\n"
               "{ %a = aten::cat(%e, %0)\n -> %a }\n"
               "{ prim::RaiseException(%text, %none)\n -> %x }\n"
               "-> %r\n",
               "aten::cat raised in the root module (model.py:14): expected a non-empty list of "
               "Tensors");
}

UNIT_TEST(a_check_in_a_loop_is_left_out)
{
    body_gives(arena,
               "%r = prim::Loop(%n, %true, %x)\n"
               "{ (%i:int, %a)\n"
               "prim::If(%c)\n"
               "{ prim::RaiseException(%text, %none)\n -> }\n"
               "{ -> }\n"
               "-> %true %a }\n"
               "-> %r\n",
               "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) -> True, %3 }\n"
               "=> %1");
}

/* ---- places ---------------------------------------------------------------------------------- */

#define BLOCKS "class Net b=Block\nclass Block n=1\n"
#define CALLS                                                                                      \
    "%b:Block = prim::GetAttr<b>(%self)\n"                                                         \
    "%r = prim::CallMethod<forward>(%b, %x)\n"                                                     \
    "-> %r\n"                                                                                      \
    "def Block.forward(%self:Block, %x)\n"

UNIT_TEST(a_refusal_tells_the_module_that_it_is_in)
{
    tensor_gives(arena, BLOCKS, CALLS "%y = aten::none_such(%x)\n-> %y\n", "[2]",
                 "this libtorch has no operator aten::none_such for these arguments, in Block "
                 "(model.py:1)");
}

UNIT_TEST(so_does_an_operator_that_raises)
{
    tensor_gives(arena, BLOCKS,
                 CALLS "%k = prim::Constant<tensor[3]>()\n"
                       "%one:int = prim::Constant<1>()\n"
                       "%y = aten::add.Tensor(%x, %k, %one)\n-> %y\n",
                 "[2]",
                 "aten::add.Tensor raised in Block (model.py:3): The size of tensor a (2) must "
                 "match the size of tensor b (3) at dimension 0");
}

UNIT_TEST(a_function_is_in_the_module_that_calls_it)
{
    tensor_gives(arena, "class Net n=1\n",
                 "%r = prim::CallFunction<f>(%self, %x)\n-> %r\n"
                 "def f(%x)\n"
                 "%y = aten::none_such(%x)\n-> %y\n",
                 "[2]",
                 "this libtorch has no operator aten::none_such for these arguments, in the root "
                 "module (model.py:1)");
}

UNIT_TEST(an_argument_that_is_missing_is_told)
{
    tensor_gives(arena, "class Net n=1\n", "-> %x\n", "", "argument \"x\" of forward() is missing");
}

UNIT_TEST(an_argument_of_another_kind_is_told)
{
    tensor_gives(arena, "class Net n=1\n", "-> %x\n", "3",
                 "argument \"x\" of forward() is a Tensor, not a number");
}

UNIT_MAIN("interpret: failures", what_only_the_real_kernel_tells_is_tried_on_probes,
          what_only_the_real_kernel_tells_is_not_tried_on_much,
          what_follows_from_what_failed_is_unknown, what_failed_decides_nothing,
          an_operator_that_nobody_has_is_refused, an_operator_that_writes_files_is_not_run,
          an_operator_whose_kernel_is_unchecked_is_not_run, sizes_that_do_not_fit_are_told,
          sizes_of_lanes_that_nobody_gave_are_not_told, a_dim_that_is_none_has_no_size,
          an_index_out_of_range_in_some_lane_is_told,
          under_a_condition_it_need_not_run_at_all_sizes,
          a_list_with_what_failed_in_it_gives_nothing,
          what_fails_on_one_side_is_unknown_behind_the_branch,
          what_fails_in_a_loop_is_unknown_behind_it, a_count_that_failed_starts_no_loop,
          a_size_follows_from_no_mask_that_failed, what_fails_to_be_changed_is_unknown,
          a_view_that_failed_leaves_its_tensor,
          what_is_written_through_a_view_that_failed_is_unknown,
          an_operator_in_place_without_a_kernel_gives_its_operand,
          a_view_of_another_dtype_is_not_written_through, a_tensor_has_no_attributes,
          a_tensor_is_given_no_attribute, a_number_is_no_class, an_exception_ends_the_method,
          an_operator_that_always_raises_is_an_exception, sizes_that_raise_on_one_side_are_told,
          sides_that_both_raise_end_the_method, a_check_in_a_loop_is_left_out,
          a_refusal_tells_the_module_that_it_is_in, so_does_an_operator_that_raises,
          a_function_is_in_the_module_that_calls_it, an_argument_that_is_missing_is_told,
          an_argument_of_another_kind_is_told)
