/*
 * Dicts, and data-dependent keys.
 */
#include "lists_fixture.h"

/* ---- dicts ----------------------------------------------------------------------------------- */

UNIT_TEST(a_key_finds_its_value)
{
    list_gives(arena,
               "  %x:str = prim::Constant<\"x\">()\n"
               "  %y:str = prim::Constant<\"y\">()\n"
               "  %d:dict = prim::DictConstruct(%x, %a, %y, %b)\n"
               "  %r = aten::__getitem__.Dict_str(%d, %y)\n"
               "  -> %r\n",
               "=> b");
}

UNIT_TEST(an_equal_key_of_another_place_finds_it)
{
    list_gives(arena,
               "  %x:str = prim::Constant<\"x\">()\n"
               "  %same:str = prim::Constant<\"x\">()\n"
               "  %d:dict = prim::DictConstruct(%x, %a)\n"
               "  %r = aten::__getitem__.Dict_str(%d, %same)\n"
               "  -> %r\n",
               "=> a");
}

UNIT_TEST(a_key_that_is_not_there_is_refused)
{
    list_gives(arena,
               "  %x:str = prim::Constant<\"x\">()\n"
               "  %y:str = prim::Constant<\"y\">()\n"
               "  %d:dict = prim::DictConstruct(%x, %a)\n"
               "  %r = aten::__getitem__.Dict_str(%d, %y)\n"
               "  -> %r\n",
               "a key is not in its dict, in the root module");
}

UNIT_TEST(keys_may_be_numbers)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %a, %minus, %b)\n"
               "  %r = aten::__getitem__.Dict_int(%d, %minus)\n"
               "  -> %r\n",
               "=> b");
}

UNIT_TEST(a_later_value_of_a_key_counts)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%1, %a, %2, %b, %1, %c)\n"
               "  %n1:int = aten::len.Dict_int(%d)\n"
               "  %r = aten::__getitem__.Dict_int(%d, %1)\n"
               "  -> %n1, %r\n",
               "=> 2, c");
}

UNIT_TEST(keys_and_values_come_in_the_order_of_their_making)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  aten::_set_item.int(%d, %2, %b)\n"
               "  %k:list = aten::keys.int(%d)\n"
               "  %v:list = aten::values.int(%d)\n"
               "  -> %k, %v\n",
               "=> 3, 1, 2, c, a, b");
}

UNIT_TEST(a_key_that_is_set_again_keeps_its_place)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  aten::_set_item.int(%d, %3, %b)\n"
               "  %k:list = aten::keys.int(%d)\n"
               "  %v:list = aten::values.int(%d)\n"
               "  -> %k, %v\n",
               "=> 3, 1, b, a");
}

UNIT_TEST(a_key_that_was_taken_out_comes_last)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  %p = aten::pop.Dict_int(%d, %3)\n"
               "  aten::_set_item.int(%d, %3, %p)\n"
               "  %k:list = aten::keys.int(%d)\n"
               "  %v:list = aten::values.int(%d)\n"
               "  -> %k, %v\n",
               "=> 1, 3, a, c");
}

UNIT_TEST(the_length_of_a_dict_counts_keys)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  %k:int = aten::len.Dict_int(%d)\n"
               "  -> %k\n",
               "=> 2");
}

UNIT_TEST(keys_are_a_list_of_their_own)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c)\n"
               "  %k:list = aten::keys.int(%d)\n"
               "  aten::clear.t(%k)\n"
               "  %q:list = aten::values.int(%d)\n"
               "  -> %q\n",
               "=> c");
}

UNIT_TEST(items_are_pairs_of_keys_and_values)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  %i:list = aten::items.int(%d)\n"
               "  %p:tuple, %q:tuple = prim::ListUnpack(%i)\n"
               "  %k:int, %v = prim::TupleUnpack(%q)\n"
               "  -> %k, %v\n",
               "=> 1, a");
}

UNIT_TEST(a_dict_tells_what_keys_it_has)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  %p:bool = aten::__contains__.int(%d, %1)\n"
               "  %q:bool = aten::__contains__.int(%d, %2)\n"
               "  -> %p, %q\n",
               "=> True, False");
}

UNIT_TEST(get_finds_a_value_or_none)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c)\n"
               "  %p = aten::get.int(%d, %3)\n"
               "  %q = aten::get.int(%d, %1)\n"
               "  %s:bool = aten::__is__(%q, %none)\n"
               "  -> %p, %s\n",
               "=> c, True");
}

UNIT_TEST(get_gives_what_is_asked_for_otherwise)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c)\n"
               "  %p = aten::get.default_int(%d, %3, %b)\n"
               "  %q = aten::get.default_int(%d, %1, %b)\n"
               "  -> %p, %q\n",
               "=> c, b");
}

UNIT_TEST(pop_takes_a_key_out)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a, %2, %b)\n"
               "  %p = aten::pop.Dict_int(%d, %1)\n"
               "  %k:list = aten::keys.int(%d)\n"
               "  %v:list = aten::values.int(%d)\n"
               "  -> %p, %k, %v\n",
               "=> a, 3, 2, c, b");
}

UNIT_TEST(pop_gives_what_is_asked_for_otherwise)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c)\n"
               "  %p = aten::pop.Dict_default_int(%d, %1, %a)\n"
               "  %k:int = aten::len.Dict_int(%d)\n"
               "  -> %p, %k\n",
               "=> a, 1");
}

UNIT_TEST(pop_of_a_key_that_is_not_there_is_refused)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c)\n"
               "  %p = aten::pop.Dict_int(%d, %1)\n"
               "  -> %p\n",
               "a key is not in its dict, in the root module");
}

UNIT_TEST(a_dict_is_updated_by_another_one)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  %e:dict = prim::DictConstruct(%2, %b, %3, %a)\n"
               "  aten::update.int(%d, %e)\n"
               "  %k:list = aten::keys.int(%d)\n"
               "  %v:list = aten::values.int(%d)\n"
               "  %m:int = aten::len.Dict_int(%e)\n"
               "  -> %k, %v, %m\n",
               "=> 3, 1, 2, a, a, b, 2");
}

UNIT_TEST(a_dict_that_is_updated_by_itself_stays)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  aten::update.int(%d, %d)\n"
               "  %v:list = aten::values.int(%d)\n"
               "  -> %v\n",
               "=> c, a");
}

UNIT_TEST(a_cleared_dict_has_no_keys)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %c, %1, %a)\n"
               "  aten::clear.int(%d)\n"
               "  %k:int = aten::len.Dict_int(%d)\n"
               "  %q:bool = aten::__contains__.int(%d, %1)\n"
               "  -> %k, %q\n",
               "=> 0, False");
}

UNIT_TEST(a_dict_is_made_of_nothing)
{
    list_gives(arena,
               "  %d:dict = aten::dict()\n"
               "  aten::_set_item.int(%d, %2, %b)\n"
               "  %r = aten::__getitem__.Dict_int(%d, %2)\n"
               "  -> %r\n",
               "=> b");
}

UNIT_TEST(a_dict_is_made_of_pairs_of_which_the_last_ones_count)
{
    list_gives(arena,
               "  %p:tuple = prim::TupleConstruct(%1, %a)\n"
               "  %q:tuple = prim::TupleConstruct(%2, %b)\n"
               "  %s:tuple = prim::TupleConstruct(%1, %c)\n"
               "  %l:list = prim::ListConstruct(%p, %q, %s)\n"
               "  %d:dict = aten::dict.int(%l)\n"
               "  %k:list = aten::keys.int(%d)\n"
               "  %v:list = aten::values.int(%d)\n"
               "  -> %k, %v\n",
               "=> 1, 2, c, b");
}

UNIT_TEST(a_dict_of_a_dict_is_another_one)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%1, %a)\n"
               "  %e:dict = aten::dict.Dict_int(%d)\n"
               "  aten::_set_item.int(%e, %1, %b)\n"
               "  %p = aten::__getitem__.Dict_int(%d, %1)\n"
               "  %q = aten::__getitem__.Dict_int(%e, %1)\n"
               "  -> %p, %q\n",
               "=> a, b");
}

UNIT_TEST(a_copy_of_a_dict_is_another_one)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%1, %a)\n"
               "  %e:dict = aten::copy.Dict_int(%d)\n"
               "  aten::clear.int(%d)\n"
               "  %q = aten::__getitem__.Dict_int(%e, %1)\n"
               "  -> %q\n",
               "=> a");
}

UNIT_TEST(a_list_in_a_dict_is_shared)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%1, %all)\n"
               "  %l:list = aten::__getitem__.Dict_int(%d, %1)\n"
               "  %p = aten::pop.t(%l, %minus)\n"
               "  -> %all\n",
               "=> a, b");
}

UNIT_TEST(a_tensor_that_is_changed_in_place_is_changed_in_its_dict)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%1, %a)\n"
               "  %r = aten::relu_(%a)\n"
               "  %q = aten::__getitem__.Dict_int(%d, %1)\n"
               "  -> %q\n",
               "%1[2] = aten::relu_(a)\n"
               "=> %1");
}

UNIT_TEST(a_key_may_not_depend_on_the_data)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%n, %a)\n"
               "  -> %a\n",
               "a key of a dict depends on the inputs");
}

UNIT_TEST(nothing_is_set_at_a_key_of_the_data)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%1, %a)\n"
               "  aten::_set_item.int(%d, %n, %b)\n"
               "  -> %a\n",
               "a key of a dict depends on the inputs");
}

UNIT_TEST(no_operator_takes_a_dict)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%1, %a)\n"
               "  %r = aten::relu(%d)\n"
               "  -> %r\n",
               "aten::relu on a dict, in the root module");
}

UNIT_TEST(no_operator_takes_a_list_that_holds_a_dict)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%1, %a)\n"
               "  %l:list = prim::ListConstruct(%d)\n"
               "  %r = aten::stack(%l, %0)\n"
               "  -> %r\n",
               "aten::stack on a dict, in the root module");
}

UNIT_TEST(a_key_of_the_data_is_looked_for_among_those_that_are_there)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %a, %1, %b)\n"
               "  %q:bool = aten::__contains__.int(%d, %n)\n"
               "  -> %q\n",
               "%1[2] = aten::eq.Scalar(data1[2], n)\n"
               "%2[] = aten::any(%1)\n"
               "%3 bool = aten::Bool.Tensor(%2)\n"
               "=> %3");
}

UNIT_TEST(the_value_of_a_key_of_the_data_is_looked_up)
{
    list_gives(arena,
               "  %d:dict = prim::DictConstruct(%3, %a, %1, %b)\n"
               "  %q = aten::__getitem__.Dict_int(%d, %n)\n"
               "  -> %q\n",
               "%1[2] = aten::eq.Scalar(data1[2], n)\n"
               "%2[2] = aten::mul.Tensor(%1, data2[2])\n"
               "%3[] = aten::sum(%2, None)\n"
               "%4 int = aten::Int.Tensor(%3)\n"
               "%5 int = aten::add.int(%4, 2)\n"
               "%6[1,2] = aten::unsqueeze(a, 0)\n"
               "%7[1,2] = aten::unsqueeze(b, 0)\n"
               "%8[2,2] = aten::cat((%6, %7), 0)\n"
               "%9[2] = aten::select.int(%8, 0, %5)\n"
               "=> %9");
}

/* The integers of a constant that is a node's input. */
static const char *constant_numbers(const interpretation *i, uint32_t node, uint32_t input)
{
    const htp_trace_value *value = &i->trace->values[i->trace->nodes[node].inputs[input]];
    htp_text text = {.arena = i->arena};
    for (int64_t k = 0; k < value->dims[0][0]; k++) {
        int64_t number;
        memcpy(&number, (const char *)value->data + (size_t)k * sizeof(number), sizeof(number));
        htp_text_addf(&text, "%s%" PRId64, k ? " " : "", number);
    }
    return htp_text_string(&text);
}

UNIT_TEST(a_key_that_is_found_tells_its_place_from_the_end)
{
    interpretation *i = interpret_open_program(
        arena, "class Net n=1\n"
               "def Net.forward(%self:Net, %a, %n:int)\n"
               "  %3:int = prim::Constant<3>()\n"
               "  %minus:int = prim::Constant<-1>()\n"
               "  %7:int = prim::Constant<7>()\n"
               "  %d:dict = prim::DictConstruct(%3, %a, %minus, %a, %7, %a)\n"
               "  %r = aten::__getitem__.Dict_int(%d, %n)\n"
               "  -> %r\n");
    interpret_run_carried(i, "[2] int", HTP_MAX_LANES, NULL, 0);
    ck_assert_str_eq(i->trace->nodes[0].kind, "aten::eq.Scalar");
    ck_assert_str_eq(constant_numbers(i, 0, 0), "3 -1 7");
    ck_assert_str_eq(i->trace->nodes[1].kind, "aten::mul.Tensor");
    ck_assert_str_eq(constant_numbers(i, 1, 1), "-3 -2 -1");
    htp_interpreter_close(i->interpreter);
}

UNIT_MAIN("interpret: dicts", a_key_finds_its_value, an_equal_key_of_another_place_finds_it,
          a_key_that_is_not_there_is_refused, keys_may_be_numbers, a_later_value_of_a_key_counts,
          keys_and_values_come_in_the_order_of_their_making,
          a_key_that_is_set_again_keeps_its_place, a_key_that_was_taken_out_comes_last,
          the_length_of_a_dict_counts_keys, keys_are_a_list_of_their_own,
          items_are_pairs_of_keys_and_values, a_dict_tells_what_keys_it_has,
          get_finds_a_value_or_none, get_gives_what_is_asked_for_otherwise, pop_takes_a_key_out,
          pop_gives_what_is_asked_for_otherwise, pop_of_a_key_that_is_not_there_is_refused,
          a_dict_is_updated_by_another_one, a_dict_that_is_updated_by_itself_stays,
          a_cleared_dict_has_no_keys, a_dict_is_made_of_nothing,
          a_dict_is_made_of_pairs_of_which_the_last_ones_count, a_dict_of_a_dict_is_another_one,
          a_copy_of_a_dict_is_another_one, a_list_in_a_dict_is_shared,
          a_tensor_that_is_changed_in_place_is_changed_in_its_dict,
          a_key_may_not_depend_on_the_data, nothing_is_set_at_a_key_of_the_data,
          no_operator_takes_a_dict, no_operator_takes_a_list_that_holds_a_dict,
          a_key_of_the_data_is_looked_for_among_those_that_are_there,
          the_value_of_a_key_of_the_data_is_looked_up,
          a_key_that_is_found_tells_its_place_from_the_end)
