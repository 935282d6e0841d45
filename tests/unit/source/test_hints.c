#include "program_fixture.h"
#include "source/hints/hints.h"
#include "source/program/operators.h"

#define SCHEMAS                                                                                    \
    "schema aten::embedding weight indices\n"                                                      \
    "schema aten::linear input weight\n"                                                           \
    "schema aten::conv2d input weight bias stride:list padding:list dilation:list groups:int\n"    \
    "schema aten::lstm.input input hx:list params:list num_layers:int bidirectional:bool\n"        \
    "schema aten::view self size:list\n"                                                           \
    "schema aten::unsqueeze self dim:int\n"                                                        \
    "schema aten::select.int self dim:int index:int\n"                                             \
    "schema aten::add.Tensor self other\n"                                                         \
    "schema aten::cat tensors:list dim:int\n"                                                      \
    "schema aten::item self\n"

/* All hints of a program whose method has @p arguments arguments, as one line: argument, kind,
 * position, and the weight's dims. */
static const char *hints_of(htp_arena *arena, const char *program, uint32_t arguments)
{
    const htp_hint *hints = NULL;
    uint32_t count = 0;
    htp_text text = {.arena = arena};
    expect_ok(htp_hints_find(arena, program_read(arena, program), arguments, &hints, &count));
    for (uint32_t i = 0; i < count; i++) {
        bool is_part = strcmp(hints[i].kind, "part") == 0;
        htp_text_addf(&text, "%s%u %s(%s)", i ? ", " : "", hints[i].argument, hints[i].kind,
                      hints[i].position);
        for (uint32_t k = 0; k < (is_part ? 3 : hints[i].weight_rank); k++) {
            htp_text_addf(&text, " %lld", (long long)hints[i].weight_dims[k]);
        }
    }
    return count ? htp_text_string(&text) : "";
}

UNIT_TEST(uses_are_found_with_the_weight_beside)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net weight=tensor[10,4]\n"
                                      "def Net.forward(%self:Net, %x)\n"
                                      "  %w = prim::GetAttr<weight>(%self)\n"
                                      "  %y = aten::embedding(%w, %x)\n"
                                      "  -> %y\n",
                              1),
                     "0 aten::embedding(indices) 10 4");
}

UNIT_TEST(calls_are_followed_into_objects)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net block=Block\n"
                                      "class Block weight=tensor[7,3]\n"
                                      "def Net.forward(%self:Net, %x, %y)\n"
                                      "  %b:Block = prim::GetAttr<block>(%self)\n"
                                      "  %z = prim::CallMethod<Block.forward>(%b, %y)\n"
                                      "  %u = prim::CallFunction<twice>(%b, %z)\n"
                                      "  -> %u\n"
                                      "def Block.forward(%self:Block, %x)\n"
                                      "  %w = prim::GetAttr<weight>(%self)\n"
                                      "  %y = aten::linear(%x, %w)\n"
                                      "  -> %x\n"
                                      "def twice(%x)\n"
                                      "  %y = aten::add.Tensor(%x, %x)\n"
                                      "  -> %y\n",
                              2),
                     "1 aten::linear(input) 7 3, 1 aten::add(self), 1 aten::add(other)");
}

UNIT_TEST(a_function_that_calls_itself_ends)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net n=1\n"
                                      "def Net.forward(%self:Net, %x)\n"
                                      "  %y = prim::CallMethod<Net.forward>(%self, %x)\n"
                                      "  -> %y\n",
                              1),
                     "");
}

UNIT_TEST(unknown_methods_and_attributes_say_nothing)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net n=1\n"
                                      "def Net.forward(%self:Net, %x)\n"
                                      "  %a = prim::GetAttr<other>(%self)\n"
                                      "  %y = prim::CallMethod<other>(%self, %x)\n"
                                      "  %z = prim::CallMethod<other>(%a, %x)\n"
                                      "  -> %y\n",
                              1),
                     "");
}

UNIT_TEST(groups_scale_the_channels)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net weight=tensor[8,2,3,3]\n"
                                      "def Net.forward(%self:Net, %x)\n"
                                      "  %w = prim::GetAttr<weight>(%self)\n"
                                      "  %n = prim::Constant<4>()\n"
                                      "  %y = aten::conv2d(%x, %w, %n, %n, %n, %n, %n)\n"
                                      "  -> %y\n",
                              1),
                     "0 aten::conv2d(input) 8 8 3 3");
}

UNIT_TEST(strides_tell_the_rank_of_a_computed_weight)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net n=1\n"
                                      "def Net.forward(%self:Net, %x, %w)\n"
                                      "  %n = prim::Constant<1>()\n"
                                      "  %s:list = prim::ListConstruct(%n, %n)\n"
                                      "  %y = aten::conv2d(%x, %w, %n, %s, %s, %s, %n)\n"
                                      "  -> %y\n",
                              2),
                     "0 aten::conv2d(input) 0 0 0 0, 1 aten::conv2d(weight) 0 0 0 0");
}

UNIT_TEST(states_of_recurrent_layers_have_layers_and_features)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net weights=list[tensor[16,3]tensor[16,4]]\n"
                                      "def Net.forward(%self:Net, %x, %h)\n"
                                      "  %w:list = prim::GetAttr<weights>(%self)\n"
                                      "  %s:list = prim::ListConstruct(%h, %h)\n"
                                      "  %n = prim::Constant<3>()\n"
                                      "  %b = prim::Constant<1>()\n"
                                      "  %y = aten::lstm.input(%x, %s, %w, %n, %b)\n"
                                      "  -> %y\n",
                              2),
                     "0 aten::lstm(input) 16 3, 1 aten::lstm(hx) 6 0 4, 1 aten::lstm(hx) 6 0 4");
}

UNIT_TEST(rows_that_are_cut_have_their_product)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net n=1\n"
                                      "def Net.forward(%self:Net, %x)\n"
                                      "  %m = prim::Constant<-1>()\n"
                                      "  %a = prim::Constant<3>()\n"
                                      "  %b = prim::Constant<14>()\n"
                                      "  %s:list = prim::ListConstruct(%m, %a, %a, %b, %b)\n"
                                      "  %y = aten::view(%x, %s)\n"
                                      "  -> %y\n",
                              1),
                     "0 aten::view(self) 1764");
}

UNIT_TEST(parts_of_arguments_have_paths)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net weight=tensor[5,2]\n"
                                      "def Net.forward(%self:Net, %past:list, %d:dict)\n"
                                      "  %w = prim::GetAttr<weight>(%self)\n"
                                      "  %a:list, %b = prim::ListUnpack(%past)\n"
                                      "  %n = prim::Constant<1>()\n"
                                      "  %c = aten::__getitem__(%a, %n)\n"
                                      "  %k = prim::Constant<\"mask\">()\n"
                                      "  %e = aten::__getitem__(%d, %k)\n"
                                      "  %y = aten::linear(%c, %w)\n"
                                      "  %z = aten::linear(%e, %w)\n"
                                      "  -> %y\n",
                              2),
                     "0 part(0) 0 1 0, 0 part(1) 0 1 0, 0 part(0.1) 0 1 0, 1 part(mask) 0 1 0, "
                     "0 part(0.1) 0 1 0, 0 aten::linear(input) 5 2, "
                     "1 part(mask) 0 1 0, 1 aten::linear(input) 5 2");
}

UNIT_TEST(other_shapes_are_told_with_their_ranks)
{
    ck_assert_str_eq(
        hints_of(arena,
                 SCHEMAS "class Net weight=tensor[5,2]\n"
                         "def Net.forward(%self:Net, %x)\n"
                         "  %w = prim::GetAttr<weight>(%self)\n"
                         "  %n = prim::Constant<1>()\n"
                         "  %a = aten::unsqueeze(%x, %n)\n"
                         "  %b = aten::select.int(%a, %n, %n)\n"
                         "  %c = aten::to(%b)\n"
                         "  %y = aten::linear(%c, %w)\n"
                         "  -> %y\n",
                 1),
        "0 aten::unsqueeze(self), 0 part() 1 1 0, 0 aten::select(self), 0 part() 1 1 0, "
        "0 pick() 1 1, 0 part() 0 1 1, 0 aten::linear(input) 5 2");
}

UNIT_TEST(arguments_of_one_operator_look_alike)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net weight=tensor[5,6]\n"
                                      "def Net.forward(%self:Net, %x, %y)\n"
                                      "  %w = prim::GetAttr<weight>(%self)\n"
                                      "  %n = prim::Constant<1>()\n"
                                      "  %l:list = prim::ListConstruct(%x, %y)\n"
                                      "  %a = aten::cat(%l, %n)\n"
                                      "  %b = aten::linear(%a, %w)\n"
                                      "  -> %b\n",
                              2),
                     "0 aten::cat(tensors), 1 aten::cat(tensors), 1 beside() 0 0, "
                     "0 part() 0 2 0, 0 aten::linear(input) 5 6");
}

UNIT_TEST(branches_hand_on_arguments_first)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "class Net weight=tensor[5,6]\n"
                                      "def Net.forward(%self:Net, %x, %c)\n"
                                      "  %w = prim::GetAttr<weight>(%self)\n"
                                      "  %y = prim::If(%c)\n"
                                      "  {\n"
                                      "    -> %w\n"
                                      "  }\n"
                                      "  {\n"
                                      "    -> %x\n"
                                      "  }\n"
                                      "  %b = aten::linear(%y, %w)\n"
                                      "  -> %b\n",
                              2),
                     "0 aten::linear(input) 5 6");
}

/* ---- operators ------------------------------------------------------------------------------- */

UNIT_TEST(numbers_of_arguments_tell_by_their_conversion_alone)
{
    ck_assert_str_eq(hints_of(arena,
                              SCHEMAS "def Net.forward(%self:Net, %x, %n)\n"
                                      "  %s = aten::item(%n)\n"
                                      "  %y = aten::add.Tensor(%x, %s)\n"
                                      "  %i:int = aten::Int.Scalar(%s)\n"
                                      "  -> %y\n",
                              2),
                     "1 aten::item(self), 0 aten::add(self), 1 aten::Int(a)");
}

UNIT_TEST(operators_are_counted_where_they_stand)
{
    const htp_named_operator *operators = NULL;
    uint32_t count = 0;
    const htp_program *program =
        program_read(arena, SCHEMAS "schema aten::len.t list:list -> r:int\n"
                                    "schema aten::mul.int a:int b:int -> r:int\n"
                                    "class Net block=Block\n"
                                    "class Block n=1\n"
                                    "def Net.forward(%self:Net, %x)\n"
                                    "  %b:Block = prim::GetAttr<block>(%self)\n"
                                    "  %y = prim::CallMethod<forward>(%b, %x)\n"
                                    "  %z = prim::CallMethod<forward>(%b, %y)\n"
                                    "  %l:list = prim::ListConstruct(%z)\n"
                                    "  %n:int = aten::len.t(%l)\n"
                                    "  -> %z\n"
                                    "def Block.forward(%self:Block, %x)\n"
                                    "  %n:int = prim::Constant<2>()\n"
                                    "  %m:int = aten::mul.int(%n, %n)\n"
                                    "  %y = prim::If(%m)\n"
                                    "  {\n"
                                    "    %a = aten::add.Tensor(%x, %x)\n"
                                    "    -> %a\n"
                                    "  }\n"
                                    "  {\n"
                                    "    %c = aten::add.Tensor(%x, %x)\n"
                                    "    -> %c\n"
                                    "  }\n"
                                    "  -> %y\n"
                                    "def never(%x)\n"
                                    "  %y = aten::linear(%x, %x)\n"
                                    "  -> %y\n");
    expect_ok(htp_operators_find(arena, program, &operators, &count));
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(operators[0].kind, "aten::add.Tensor");
    ck_assert_uint_eq(operators[0].places, 2);
    ck_assert(operators[0].has_tensors && !operators[0].is_followed);
    ck_assert_str_eq(operators[1].kind, "aten::len.t");
    ck_assert(!operators[1].has_tensors && operators[1].is_followed);
    ck_assert_str_eq(operators[2].kind, "aten::mul.int");
    ck_assert(!operators[2].has_tensors && !operators[2].is_followed);
}

UNIT_MAIN("hints", uses_are_found_with_the_weight_beside, calls_are_followed_into_objects,
          a_function_that_calls_itself_ends, unknown_methods_and_attributes_say_nothing,
          groups_scale_the_channels, strides_tell_the_rank_of_a_computed_weight,
          states_of_recurrent_layers_have_layers_and_features, rows_that_are_cut_have_their_product,
          parts_of_arguments_have_paths, other_shapes_are_told_with_their_ranks,
          arguments_of_one_operator_look_alike, branches_hand_on_arguments_first,
          numbers_of_arguments_tell_by_their_conversion_alone,
          operators_are_counted_where_they_stand)
