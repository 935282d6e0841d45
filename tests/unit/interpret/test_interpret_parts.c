/*
 * Tensors split into lists.
 */
#include "lists_fixture.h"

/* ---- unbind ---------------------------------------------------------------------------------- */

UNIT_TEST(along_a_dynamic_dim_rows_are_those_of_the_tensor)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %h:int = aten::len.t(%l)\n"
                 "  %r = aten::__getitem__.t(%l, %k)\n"
                 "  -> %h, %r\n",
                 "%1[?,3] = aten::movedim.int(x, 0, 0)\n"
                 "%2 int = aten::size.int(%1, 0)\n"
                 "%3[3] = aten::select.int(%1, 0, k)\n"
                 "=> %2, %3");
}

UNIT_TEST(along_another_dim_rows_are_moved_to_the_front)
{
    method_gives(arena, "[3,?] [2]",
                 "  %l:list = aten::unbind.int(%x, %minus)\n"
                 "  %r = aten::__getitem__.t(%l, %0)\n"
                 "  -> %r\n",
                 "%1[?,3] = aten::movedim.int(x, -1, 0)\n"
                 "%2[3] = aten::select.int(%1, 0, 0)\n"
                 "=> %2");
}

UNIT_TEST(rows_of_a_dynamic_dim_are_appended_to)
{
    method_gives(arena, "[?,2] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %q:list = aten::append.t(%l, %y)\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[?,2] = aten::movedim.int(x, 0, 0)\n"
                 "%2[1,2] = aten::unsqueeze(y, 0)\n"
                 "%3[?,2] = aten::cat((%1, %2), 0)\n"
                 "%4[?,2] = aten::movedim.int(%3, 0, 0)\n"
                 "=> %4");
}

UNIT_TEST(along_a_fixed_dim_there_are_known_tensors)
{
    method_gives(arena, "[2,?] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %h:int = aten::len.t(%l)\n"
                 "  -> %h, %l\n",
                 "(%1[?], %2[?]) = aten::unbind.int(x, 0)\n"
                 "=> 2, %1, %2");
}

UNIT_TEST(what_is_unpacked_has_a_known_number_of_parts)
{
    method_gives(arena, "[2,?] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %p, %q = prim::ListUnpack(%l)\n"
                 "  -> %q, %p\n",
                 "(%1[?], %2[?]) = aten::unbind.int(x, 0)\n"
                 "=> %2, %1");
}

UNIT_TEST(the_data_does_not_decide_how_much_is_unpacked)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %p, %q = prim::ListUnpack(%l)\n"
                 "  -> %p, %q\n",
                 "aten::unbind raised in the root module: the program takes 10 parts of dim 0, of "
                 "which other sizes give more or fewer");
}

UNIT_TEST(no_dim_is_out_of_range)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::unbind.int(%x, %2)\n"
                 "  -> %l\n",
                 "aten::unbind.int raised in the root module: Dimension out of range");
}

/* ---- split ----------------------------------------------------------------------------------- */

UNIT_TEST(a_dynamic_dim_is_split_into_a_sequence)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::split.Tensor(%x, %2, %0)\n"
                 "  %h:int = aten::len.t(%l)\n"
                 "  %r = aten::__getitem__.t(%l, %0)\n"
                 "  -> %h, %r\n",
                 "%1 sequence[?,3] = aten::split.Tensor(x, 2, 0)\n"
                 "%2 int = aten::len.t(%1)\n"
                 "%3[?,3] = aten::__getitem__.t(%1, 0)\n"
                 "=> %2, %3");
}

UNIT_TEST(parts_are_joined_again)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::split.Tensor(%x, %2, %0)\n"
                 "  %r = aten::cat(%l, %0)\n"
                 "  -> %r\n",
                 "%1 sequence[?,3] = aten::split.Tensor(x, 2, 0)\n"
                 "%2[?,3] = aten::cat(%1, 0)\n"
                 "=> %2");
}

UNIT_TEST(parts_are_joined_along_the_other_dim)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::split.Tensor(%x, %2, %0)\n"
                 "  %r = aten::cat(%l, %1)\n"
                 "  -> %r\n",
                 "%1 sequence[?,3] = aten::split.Tensor(x, 2, 0)\n"
                 "%2[?,?] = aten::cat(%1, 1)\n"
                 "=> %2");
}

UNIT_TEST(a_dim_is_split_that_counts_from_the_end)
{
    method_gives(arena, "[3,?] [2]",
                 "  %l:list = aten::split.Tensor(%x, %2, %minus)\n"
                 "  -> %l\n",
                 "%1 sequence[3,?] = aten::split.Tensor(x, 2, 1)\n"
                 "=> %1");
}

UNIT_TEST(a_fixed_dim_is_split_into_known_tensors)
{
    method_gives(arena, "[5,?] [2]",
                 "  %l:list = aten::split.Tensor(%x, %2, %0)\n"
                 "  -> %l\n",
                 "(%1[2,?], %2[2,?], %3[1,?]) = aten::split.Tensor(x, 2, 0)\n"
                 "=> %1, %2, %3");
}

UNIT_TEST(into_as_many_as_there_are_there_is_one_part)
{
    method_gives(arena, "[?,3] [2]",
                 "  %h:int = aten::size.int(%x, %0)\n"
                 "  %l:list = aten::split.Tensor(%x, %h, %0)\n"
                 "  -> %l\n",
                 "%1 int = aten::size.int(x, 0)\n"
                 "(%2[?,3]) = aten::split.Tensor(x, %1, 0)\n"
                 "=> %2");
}

UNIT_TEST(a_split_of_a_dynamic_dim_is_not_unpacked)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::split.Tensor(%x, %2, %0)\n"
                 "  %p, %q = prim::ListUnpack(%l)\n"
                 "  -> %p\n",
                 "aten::split raised in the root module: the program takes 5 parts of dim 0, of "
                 "which other sizes give more or fewer");
}

UNIT_TEST(parts_of_a_size_that_the_data_decides_are_a_sequence)
{
    method_gives(arena, "[4,3] [2]",
                 "  %l:list = aten::split.Tensor(%x, %k, %0)\n"
                 "  %h:int = aten::len.t(%l)\n"
                 "  -> %h, %l\n",
                 "%1 sequence[?,3] = aten::split.Tensor(x, k, 0)\n"
                 "%2 int = aten::len.t(%1)\n"
                 "=> %2, %1");
}

UNIT_TEST(and_are_not_unpacked)
{
    method_gives(arena, "[4,3] [2]",
                 "  %l:list = aten::split.Tensor(%x, %k, %0)\n"
                 "  %p, %q = prim::ListUnpack(%l)\n"
                 "  -> %p\n",
                 "into how many parts a tensor is split depends on the data, in the root "
                 "module");
}

UNIT_TEST(the_data_does_not_decide_the_dim)
{
    method_gives(arena, "[4,3] [2]",
                 "  %l:list = aten::split.Tensor(%x, %k, %n)\n"
                 "  -> %l\n",
                 "into how many parts a tensor is split depends on the data, in the root "
                 "module");
}

UNIT_TEST(a_part_has_a_size_above_nought)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::split.Tensor(%x, %0, %0)\n"
                 "  -> %l\n",
                 "aten::split.Tensor raised in the root module: split expects a positive "
                 "size");
}

/* ---- chunk ----------------------------------------------------------------------------------- */

UNIT_TEST(two_chunks_of_a_dynamic_dim_are_two)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::chunk(%x, %2, %0)\n"
                 "  %h:int = aten::len.t(%l)\n"
                 "  -> %h, %l\n",
                 "(%1[?,3], %2[?,3]) = aten::chunk(x, 2, 0)\n"
                 "=> 2, %1, %2");
}

UNIT_TEST(three_chunks_may_be_fewer)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::chunk(%x, %3, %0)\n"
                 "  %h:int = aten::len.t(%l)\n"
                 "  -> %h, %l\n",
                 "%1 sequence[?,3] = aten::chunk(x, 3, 0)\n"
                 "%2 int = aten::len.t(%1)\n"
                 "=> %2, %1");
}

UNIT_TEST(three_that_are_unpacked_are_three)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::chunk(%x, %3, %0)\n"
                 "  %p, %q, %r = prim::ListUnpack(%l)\n"
                 "  -> %r\n",
                 "(%1[?,3], %2[?,3], %3[?,3]) = aten::chunk(x, 3, 0)\n"
                 "=> %3");
}

UNIT_TEST(one_chunk_is_the_tensor)
{
    method_gives(arena, "[?,3] [2]",
                 "  %l:list = aten::chunk(%x, %1, %0)\n"
                 "  -> %l\n",
                 "(%1[?,3]) = aten::chunk(x, 1, 0)\n"
                 "=> %1");
}

UNIT_TEST(chunks_of_a_fixed_dim_are_known)
{
    method_gives(arena, "[7,?] [2]",
                 "  %l:list = aten::chunk(%x, %3, %0)\n"
                 "  -> %l\n",
                 "(%1[3,?], %2[3,?], %3[1,?]) = aten::chunk(x, 3, 0)\n"
                 "=> %1, %2, %3");
}

/* ---- lists changed later, while the operator's output stays ---------------------------- */

UNIT_TEST(parts_are_reversed)
{
    method_gives(arena, "[2,?] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  aten::reverse.t(%l)\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "(%1[?], %2[?]) = aten::unbind.int(x, 0)\n"
                 "%3[2,?] = aten::stack((%2, %1), 0)\n"
                 "=> %3");
}

UNIT_TEST(a_part_gives_way_to_another_tensor)
{
    method_gives(arena, "[2,?] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %q:list = aten::_set_item.t(%l, %0, %y)\n"
                 "  -> %l\n",
                 "(%1[?], %2[?]) = aten::unbind.int(x, 0)\n"
                 "=> y, %2");
}

UNIT_TEST(a_tensor_is_appended_to_known_parts)
{
    method_gives(arena, "[2,?] [2]",
                 "  %l:list = aten::chunk(%x, %2, %0)\n"
                 "  %q:list = aten::append.t(%l, %y)\n"
                 "  %p = aten::pop.t(%l, %0)\n"
                 "  -> %l\n",
                 "(%1[1,?], %2[1,?]) = aten::chunk(x, 2, 0)\n"
                 "=> %2, y");
}

UNIT_TEST(known_parts_are_read_anew)
{
    method_gives(arena, "[2,?] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %w = aten::relu_(%x)\n"
                 "  -> %l\n",
                 "(%1[?], %2[?]) = aten::unbind.int(x, 0)\n"
                 "%3[2,?] = aten::relu_(x)\n"
                 "(%4[?], %5[?]) = aten::unbind.int(%3, 0)\n"
                 "(%6[?], %7[?]) = aten::unbind.int(%3, 0)\n"
                 "=> %4, %7");
}

UNIT_MAIN("interpret: parts", along_a_dynamic_dim_rows_are_those_of_the_tensor,
          along_another_dim_rows_are_moved_to_the_front, rows_of_a_dynamic_dim_are_appended_to,
          along_a_fixed_dim_there_are_known_tensors, what_is_unpacked_has_a_known_number_of_parts,
          the_data_does_not_decide_how_much_is_unpacked, no_dim_is_out_of_range,
          a_dynamic_dim_is_split_into_a_sequence, parts_are_joined_again,
          parts_are_joined_along_the_other_dim, a_dim_is_split_that_counts_from_the_end,
          a_fixed_dim_is_split_into_known_tensors, into_as_many_as_there_are_there_is_one_part,
          a_split_of_a_dynamic_dim_is_not_unpacked,
          parts_of_a_size_that_the_data_decides_are_a_sequence, and_are_not_unpacked,
          the_data_does_not_decide_the_dim, a_part_has_a_size_above_nought,
          two_chunks_of_a_dynamic_dim_are_two, three_chunks_may_be_fewer,
          three_that_are_unpacked_are_three, one_chunk_is_the_tensor,
          chunks_of_a_fixed_dim_are_known, parts_are_reversed, a_part_gives_way_to_another_tensor,
          a_tensor_is_appended_to_known_parts, known_parts_are_read_anew)
