/*
 * Objects restored by an archive's code: results and refusals.
 */
#include "restore_fixture.h"

/* ---- values ---------------------------------------------------------------------------------- */

UNIT_TEST(constants_are_attributes)
{
    restore_expect(arena,
                   "%i:int = prim::Constant<-7>()\nprim::SetAttr<a>(%self, %i)\n"
                   "%b:bool = prim::Constant<True>()\nprim::SetAttr<b>(%self, %b)\n"
                   "%f:float = prim::Constant<2.5>()\nprim::SetAttr<c>(%self, %f)\n"
                   "%s:str = prim::Constant<\"word\">()\nprim::SetAttr<d>(%self, %s)\n" NOTHING
                   "prim::SetAttr<e>(%self, %none)\n"
                   "%o:Block = prim::Constant<Block>()\nprim::SetAttr<f>(%self, %o)\n-> %none\n",
                   "", "a=-7 b=True c=2.5 d='word' e=None f=object");
}

UNIT_TEST(attributes_are_read_back)
{
    restore_expect(arena,
                   STATE "prim::SetAttr<a>(%self, %n)\n"
                         "%a:int = prim::GetAttr<a>(%self)\n"
                         "%sum:int = aten::add.int(%a, %n)\n"
                         "prim::SetAttr<b>(%self, %sum)\n"
                         "prim::SetAttr<a>(%self, %sum)\n-> %sum\n",
                   "", "a=6 b=6");
}

UNIT_TEST(containers_are_made_and_unpacked)
{
    restore_expect(arena,
                   STATE "%m:list = prim::ListConstruct(%n, %n)\nprim::SetAttr<a>(%self, %m)\n"
                         "%t:tuple = prim::TupleConstruct(%n, %c)\nprim::SetAttr<b>(%self, %t)\n"
                         "%d:dict = prim::DictConstruct(%n, %c)\nprim::SetAttr<c>(%self, %d)\n"
                         "%x:int, %y:int = prim::ListUnpack(%l)\nprim::SetAttr<d>(%self, %y)\n"
                         "-> %x\n",
                   "", "a=[3 3] b=(3 True) c={3 True} d=5");
}

UNIT_TEST(a_list_is_shared)
{
    restore_expect(arena,
                   STATE "prim::SetAttr<a>(%self, %l)\n"
                         "prim::SetAttr<b>(%self, %l)\n"
                         "%m:list = aten::append.t(%l, %n)\n"
                         "%a:list = prim::GetAttr<a>(%self)\n"
                         "%k:list = aten::append.t(%a, %n)\n"
                         "%length:int = aten::len.t(%l)\n"
                         "prim::SetAttr<c>(%self, %length)\n-> %m\n",
                   "", "a=[4 5 3 3] b=[4 5 3 3] c=4");
}

UNIT_TEST(some_nodes_give_what_they_are_given)
{
    restore_expect(arena,
                   STATE "%x:int = prim::unchecked_cast(%n)\nprim::SetAttr<a>(%self, %x)\n"
                         "%y:int = prim::unchecked_unwrap_optional(%n)\n"
                         "prim::SetAttr<b>(%self, %y)\n-> %x\n",
                   "", "a=3 b=3");
}

UNIT_TEST(nothing_is_printed)
{
    restoration *r = restore_net(arena,
                                 STATE "prim::Print(%n)\naten::warn(%n, %n)\n"
                                       "%u:int = prim::Uninitialized()\n"
                                       "prim::SetAttr<a>(%self, %u)\n-> %n\n",
                                 "");
    ck_assert_int_eq(r->code, HTP_CODE_OK);
    ck_assert_str_eq(restore_attributes(r), "a=None");
    ck_assert_str_eq(htp_text_string(&r->ran), "");
}

UNIT_TEST(types_are_the_runners)
{
    restore_expect(arena,
                   STATE "%x:bool = prim::isinstance(%n)\nprim::SetAttr<a>(%self, %x)\n"
                         "-> %x\n",
                   "", "a=False");
}

UNIT_TEST(objects_are_made)
{
    restore_expect(arena,
                   STATE "%b:Block = prim::CreateObject()\n"
                         "%r = prim::CallMethod<Block.fill>(%b, %n)\n"
                         "%count:int = prim::GetAttr<inner>(%b)\n"
                         "prim::SetAttr<a>(%self, %count)\n-> %r\n",
                   "def Block.fill(%self:Block, %n:int)\n"
                   "prim::SetAttr<inner>(%self, %n)\n" NOTHING "-> %none\n",
                   "inner=3 a=3");
}

/* ---- branches and loops ---------------------------------------------------------------------- */

UNIT_TEST(one_side_is_run)
{
    restore_expect(arena,
                   STATE ONE "%x:int = prim::If(%c)\n{\n -> %one\n}\n"
                             "{\n prim::SetAttr<never>(%self, %n)\n -> %n\n}\n"
                             "prim::SetAttr<a>(%self, %x)\n"
                             "%no:bool = aten::__not__(%c)\n"
                             "%y:int = prim::If(%no)\n{\n -> %one\n}\n{\n -> %n\n}\n"
                             "prim::SetAttr<b>(%self, %y)\n-> %x\n",
                   "", "a=1 b=3");
}

/* Fibonacci numbers, by a loop whose body returns its inputs in another order. */
UNIT_TEST(what_a_loop_carries_changes_places)
{
    restore_expect(arena,
                   STATE ONE "%many:int = prim::Constant<10>()\n"
                             "%a:int, %b:int = prim::Loop(%many, %c, %one, %one)\n"
                             "{ (%i:int, %p:int, %q:int)\n"
                             " %sum:int = aten::add.int(%p, %q)\n -> %c %q %sum\n}\n"
                             "prim::SetAttr<a>(%self, %a)\nprim::SetAttr<b>(%self, %b)\n-> %a\n",
                   "", "a=89 b=144");
}

UNIT_TEST(a_loop_swaps)
{
    restore_expect(arena,
                   STATE ONE "%a:int, %b:int = prim::Loop(%n, %c, %one, %n)\n"
                             "{ (%i:int, %p:int, %q:int)\n -> %c %q %p\n}\n"
                             "prim::SetAttr<a>(%self, %a)\nprim::SetAttr<b>(%self, %b)\n-> %a\n",
                   "", "a=3 b=1");
}

UNIT_TEST(a_loop_counts_its_iterations)
{
    restore_expect(arena,
                   STATE "prim::Loop(%n, %c)\n"
                         "{ (%i:int)\n %m:list = aten::append.t(%l, %i)\n -> %c\n}\n"
                         "prim::SetAttr<a>(%self, %l)\n-> %n\n",
                   "", "a=[4 5 0 1 2]");
}

UNIT_TEST(a_loop_ends_where_its_condition_does)
{
    restore_expect(arena,
                   STATE ONE "%many:int = prim::Constant<1000>()\n"
                             "%a:int = prim::Loop(%many, %c, %one)\n"
                             "{ (%i:int, %p:int)\n"
                             " %more:int = aten::add.int(%p, %p)\n"
                             " %goes:bool = aten::lt.int(%more, %many)\n -> %goes %more\n}\n"
                             "prim::SetAttr<a>(%self, %a)\n-> %a\n",
                   "", "a=1024");
}

/* The condition of an iteration is a value of the previous one. */
UNIT_TEST(a_condition_may_be_carried)
{
    restore_expect(arena,
                   STATE ONE "%no:bool = prim::Constant<False>()\n"
                             "%many:int = prim::Constant<1000>()\n"
                             "%g:bool, %a:int = prim::Loop(%many, %c, %c, %one)\n"
                             "{ (%i:int, %next:bool, %p:int)\n"
                             " %more:int = aten::add.int(%p, %one)\n -> %next %no %more\n}\n"
                             "prim::SetAttr<a>(%self, %a)\n-> %a\n",
                   "", "a=3");
}

UNIT_TEST(a_loop_may_not_run)
{
    restore_expect(arena,
                   STATE ONE "%no:bool = aten::__not__(%c)\n"
                             "%a:int = prim::Loop(%n, %no, %one)\n"
                             "{ (%i:int, %p:int)\n"
                             " %more:int = aten::add.int(%p, %p)\n -> %c %more\n}\n"
                             "prim::SetAttr<a>(%self, %a)\n-> %a\n",
                   "", "a=1");
}

UNIT_TEST(loops_within_loops_begin_anew)
{
    restore_expect(arena,
                   STATE ONE "%a:int = prim::Loop(%n, %c, %one)\n"
                             "{ (%i:int, %p:int)\n"
                             " %b:int = prim::Loop(%i, %c, %p)\n"
                             " { (%k:int, %q:int)\n"
                             "  %more:int = aten::add.int(%q, %n)\n  -> %c %more\n }\n"
                             " -> %c %b\n}\n"
                             "prim::SetAttr<a>(%self, %a)\n-> %a\n",
                   "", "a=10");
}

/* ---- calls ----------------------------------------------------------------------------------- */

UNIT_TEST(functions_are_called)
{
    restore_expect(arena,
                   STATE "%f = prim::Constant<None>()\n"
                         "%x:int = prim::CallFunction<double>(%f, %n)\n"
                         "prim::SetAttr<a>(%self, %x)\n-> %x\n",
                   "def double(%n:int)\n%s:int = aten::add.int(%n, %n)\n-> %s\n", "a=6");
}

/* Factorials: each call has its own values. */
UNIT_TEST(a_method_may_call_itself)
{
    restore_expect(arena,
                   STATE "%many:int = prim::Constant<10>()\n"
                         "%x:int = prim::CallMethod<Net.product>(%self, %many)\n"
                         "%y:int = prim::CallMethod<Net.product>(%self, %n)\n"
                         "prim::SetAttr<a>(%self, %x)\nprim::SetAttr<b>(%self, %y)\n-> %x\n",
                   "def Net.product(%self:Net, %n:int)\n" ONE
                   "%more:bool = aten::gt.int(%n, %one)\n"
                   "%x:int = prim::If(%more)\n"
                   "{\n %less:int = aten::sub.int(%n, %one)\n"
                   " %rest:int = prim::CallMethod<Net.product>(%self, %less)\n"
                   " %all:int = aten::mul.int(%n, %rest)\n -> %all\n}\n"
                   "{\n -> %one\n}\n-> %x\n",
                   "a=3628800 b=6");
}

UNIT_TEST(a_call_without_a_result_gives_none)
{
    restore_expect(arena,
                   "%x = prim::CallMethod<Net.rest>(%self)\nprim::SetAttr<a>(%self, %x)\n-> %x\n",
                   "def Net.rest(%self:Net)\n->\n", "a=None");
}

UNIT_TEST(calls_have_the_arguments_that_are_declared)
{
    restore_expect_end(arena, STATE "%x = prim::CallMethod<Net.two>(%self, %n)\n-> %x\n",
                       "def Net.two(%self:Net, %a:int, %b:int)\n-> %a\n", HTP_CODE_BAD_INPUT,
                       "__setstate__ of Net calls two() with 2 arguments");
}

UNIT_TEST(methods_are_those_of_the_object)
{
    restore_expect_end(arena, STATE "%x = prim::CallMethod<Net.fill>(%n)\n-> %x\n", "",
                       HTP_CODE_BAD_INPUT, "calls fill() of no object");
    restore_expect_end(arena, STATE "%x = prim::CallMethod<Net.fill>(%self)\n-> %x\n",
                       "def Block.fill(%self:Block)\n-> %self\n", HTP_CODE_BAD_INPUT,
                       "calls fill(), which Net does not have");
}

/* Its method is native, without code in the archive. */
static restoration *restore_native(htp_arena *arena, const char *class_name, bool has_libraries)
{
    const char *name = htp_arena_printf(arena, "%s.__setstate__", class_name);
    restoration *r =
        restore_prepare(arena, htp_arena_printf(arena,
                                                "def Net.first(%%self:Net)\n-> %%self\n"
                                                "def %s(%%self, %%state)\n-> %%self\n",
                                                name));
    program_fixture *p = r->made_up->program;
    uint32_t of = program_named(&p->class_names, class_name);
    uint32_t function = program_named(&p->function_names, name);
    static const char *const names[] = {"__setstate__"};
    p->classes.items[of].method_names = names;
    p->classes.items[of].methods = (uint32_t *)htp_arena_copy(arena, &function, sizeof(function));
    p->classes.items[of].method_count = 1;
    p->functions.items[function].name = names[0];
    p->functions.items[function].block_count = 0;
    r->facts.has_libraries = has_libraries;
    restore_follow(r, class_name);
    return r;
}

UNIT_TEST(packed_weights_unpack_themselves)
{
    restoration *r = restore_native(arena, "__torch__.torch.classes.quantized.Packed", false);
    ck_assert_msg(r->code == HTP_CODE_OK, "%s", r->message);
    ck_assert_str_eq(htp_text_string(&r->ran),
                     " __torch__.torch.classes.quantized.Packed.__setstate__");
}

UNIT_TEST(classes_of_libraries_restore_themselves)
{
    restoration *r = restore_native(arena, "__torch__.torch.classes.house.Table", true);
    ck_assert_msg(r->code == HTP_CODE_OK, "%s", r->message);
    r = restore_native(arena, "__torch__.torch.classes.house.Table", false);
    ck_assert_int_eq(r->code, RUNS_NOT);
    ck_assert_ptr_nonnull(
        strstr(r->message, "needs torch.classes.house.Table.__setstate__()" REFUSED));
    ck_assert_str_eq(htp_text_string(&r->ran), "");
}

UNIT_TEST(libtorchs_other_classes_do_nothing)
{
    restoration *r = restore_native(arena, "__torch__.torch.classes.cuda.Stream", true);
    ck_assert_int_eq(r->code, RUNS_NOT);
    ck_assert_str_eq(htp_text_string(&r->ran), "");
}

/* ---- refusals ------------------------------------------------------------------------- */

UNIT_TEST(what_reaches_out_does_not_run)
{
    restore_expect_end(arena, STATE "%x = aten::save(%n)\n-> %x\n", "", RUNS_NOT,
                       "__setstate__ of Net needs aten::save" REFUSED);
}

UNIT_TEST(what_is_unchecked_does_not_run)
{
    restore_expect_end(arena, STATE "%x = aten::_sparse_sum(%n)\n-> %x\n", "", RUNS_NOT,
                       "needs aten::_sparse_sum" REFUSED);
}

UNIT_TEST(what_is_not_known_does_not_run)
{
    restore_expect_end(arena, STATE "%x = prim::rpc_async(%n)\n-> %x\n", "", RUNS_NOT,
                       "needs prim::rpc_async" REFUSED);
}

UNIT_TEST(what_is_random_does_not_run)
{
    restoration *r = restore_prepare(
        arena, "def Net.__setstate__(%self:Net, %state)\n%x = aten::rand(%state)\n-> %x\n");
    program_fixture *p = r->made_up->program;
    htp_program_node *node = HTP_NEW(arena, htp_program_node);
    *node = p->functions.items[0].nodes[0];
    node->is_nondeterministic = true;
    p->functions.items[0].nodes = node;
    restore_follow(r, "Net");
    ck_assert_int_eq(r->code, RUNS_NOT);
    ck_assert_ptr_nonnull(strstr(r->message, "needs aten::rand" REFUSED));
    ck_assert_str_eq(htp_text_string(&r->ran), "");
}

UNIT_TEST(exceptions_are_told)
{
    restore_expect_end(arena,
                       "%s:str = prim::Constant<\"not today\">()\n"
                       "prim::RaiseException(%s, %s)\n-> %s\n",
                       "", HTP_CODE_BAD_INPUT, "__setstate__ of Net raised: not today");
    restore_expect_end(arena, STATE "prim::RaiseException(%n, %n)\n-> %n\n", "", HTP_CODE_BAD_INPUT,
                       "__setstate__ of Net raised: an exception");
}

UNIT_TEST(a_class_needs_the_method)
{
    restoration *r = restore_prepare(arena, "def Net.first(%self:Net)\n-> %self\n");
    restore_follow(r, "__torch__.model.___torch_mangle_7.Deep");
    ck_assert_int_eq(r->code, HTP_CODE_BAD_INPUT);
    ck_assert_str_eq(r->message,
                     "damaged archive: model.Deep has a __getstate__, but no __setstate__");
}

UNIT_TEST(operators_may_raise)
{
    restore_expect_end(arena, STATE "%x = aten::neg(%n)\n-> %x\n", "", HTP_CODE_BAD_INPUT,
                       "no tensor");
}

static void end_with(htp_arena *arena, htp_run_code code, htp_code wanted)
{
    restoration *r = restore_prepare(arena, "def Net.__setstate__(%self:Net, %state)\n" ONE
                                            "%x:int = aten::add.int(%one, %one)\n-> %x\n");
    r->made_up->fails_at = 1;
    r->made_up->fails_with = code;
    restore_follow(r, "Net");
    ck_assert_int_eq(r->code, wanted);
}

UNIT_TEST(the_ends_of_operators_are_told_apart)
{
    end_with(arena, HTP_RUN_RAISED, HTP_CODE_BAD_INPUT);
    end_with(arena, HTP_RUN_NO_KERNEL, HTP_CODE_BAD_INPUT);
    end_with(arena, HTP_RUN_UNSUPPORTED, HTP_CODE_UNSUPPORTED);
    end_with(arena, HTP_RUN_NO_MEMORY, HTP_CODE_INTERNAL);
}

UNIT_TEST(attributes_are_those_of_objects)
{
    restore_expect_end(arena, STATE "%x = prim::GetAttr<a>(%n)\n-> %x\n", "", HTP_CODE_BAD_INPUT,
                       "it is no object");
}

UNIT_TEST(branches_need_a_bool)
{
    restore_expect_end(arena, STATE "prim::If(%n)\n{\n ->\n}\n{\n ->\n}\n-> %n\n", "",
                       HTP_CODE_BAD_INPUT, "no bool where it branches");
    restore_expect_end(arena, STATE "prim::Loop(%c, %c)\n{ (%i:int)\n -> %c\n}\n-> %n\n", "",
                       HTP_CODE_BAD_INPUT, "no int where it branches");
    restore_expect_end(arena, STATE "prim::Loop(%n, %c)\n{ (%i:int)\n -> %n\n}\n-> %n\n", "",
                       HTP_CODE_BAD_INPUT, "no bool where it branches");
}

UNIT_TEST(nodes_give_as_much_as_is_expected)
{
    restore_expect_end(arena, "%a, %b, %c, %d = prim::TupleUnpack(%state)\n-> %a\n", "",
                       HTP_CODE_BAD_INPUT, "expects more of prim::TupleUnpack than it gives");
}

UNIT_MAIN("restore", constants_are_attributes, attributes_are_read_back,
          containers_are_made_and_unpacked, a_list_is_shared, some_nodes_give_what_they_are_given,
          nothing_is_printed, types_are_the_runners, objects_are_made, one_side_is_run,
          what_a_loop_carries_changes_places, a_loop_swaps, a_loop_counts_its_iterations,
          a_loop_ends_where_its_condition_does, a_condition_may_be_carried, a_loop_may_not_run,
          loops_within_loops_begin_anew, functions_are_called, a_method_may_call_itself,
          a_call_without_a_result_gives_none, calls_have_the_arguments_that_are_declared,
          methods_are_those_of_the_object, packed_weights_unpack_themselves,
          classes_of_libraries_restore_themselves, libtorchs_other_classes_do_nothing,
          what_reaches_out_does_not_run, what_is_unchecked_does_not_run,
          what_is_not_known_does_not_run, what_is_random_does_not_run, exceptions_are_told,
          a_class_needs_the_method, operators_may_raise, the_ends_of_operators_are_told_apart,
          attributes_are_those_of_objects, branches_need_a_bool, nodes_give_as_much_as_is_expected)
