/*
 * Calls of functions and methods: their values, the scopes of modules, arguments, and forks.
 */
#include "named_trace.h"

/* ---- scopes ---- */

/* A line per scope: the module and the number of its call, the caller, the line of the call, and
 * arguments; then the number of earlier calls of any kind. */
static const char *scopes_text(const interpretation *i)
{
    htp_text text = {.arena = i->arena};
    ck_assert_int_eq(i->code, HTP_CODE_OK);
    for (uint32_t s = 0; s < i->trace->scope_count; s++) {
        const htp_trace_scope *scope = &i->trace->scopes[s];
        const char *path =
            i->trace->scopes[s].module ? i->program->classes[scope->module].name : "";
        htp_text_addf(&text, "%s#%u", path, (unsigned)scope->call);
        if (scope->site) {
            const htp_trace_call *call = &i->trace->calls[scope->site - 1];
            htp_text_addf(&text, " of %u, %s() line %u", (unsigned)scope->parent, call->function,
                          (unsigned)call->source_line);
        }
        for (uint32_t k = 0; k < scope->passed_count; k++) {
            htp_text_addf(&text, "%s%s=", k ? ", " : ": ", scope->passed[k].name);
            interpret_add_value(i, &text, scope->passed[k].value);
        }
        htp_text_add(&text, "\n");
    }
    htp_text_addf(&text, "%u calls", (unsigned)i->trace->call_count);
    return htp_text_string(&text);
}

/* Checks the scopes of a whole program for these inputs. */
static void has_scopes(htp_arena *arena, const char *program, const char *inputs,
                       const char *expected)
{
    interpretation *i = interpret_open_program(arena, program);
    interpret_run_carried(i, inputs, HTP_MAX_LANES, NULL, 0);
    const char *text = scopes_text(i);
    htp_interpreter_close(i->interpreter);
    ck_assert_str_eq(text, expected);
}

UNIT_TEST(a_running_forward_is_a_scope)
{
    has_scopes(arena,
               "class Net a=Block\n"
               "class Block n=1\n"
               "def Net.forward(%self:Net, %x, %k:int)\n"
               "%a:Block = prim::GetAttr<a>(%self)\n"
               "%u = prim::CallMethod<Block.forward>(%a, %x)\n"
               "-> %u\n"
               "def Block.forward(%self:Block, %z)\n"
               "%r = aten::relu(%z)\n"
               "-> %r\n",
               "[?,3] 7",
               "#0: x=[?,3], k=7\n"
               "Block#0 of 0, forward() line 2: z=[?,3]\n"
               "1 calls");
}

UNIT_TEST(calls_of_one_module_are_counted)
{
    has_scopes(arena,
               "class Net a=Block b=Other\n"
               "class Block n=1\n"
               "class Other n=1\n"
               "def Net.forward(%self:Net, %x)\n"
               "%a:Block = prim::GetAttr<a>(%self)\n"
               "%b:Other = prim::GetAttr<b>(%self)\n"
               "%u = prim::CallMethod<Block.forward>(%a, %x)\n"
               "%v = prim::CallMethod<Other.forward>(%b, %u)\n"
               "%w = prim::CallMethod<Block.forward>(%a, %v)\n"
               "-> %w\n"
               "def Block.forward(%self:Block, %z)\n"
               "-> %z\n"
               "def Other.forward(%self:Other, %z)\n"
               "-> %z\n",
               "[2]",
               "#0: x=[2]\n"
               "Block#0 of 0, forward() line 3: z=[2]\n"
               "Other#0 of 0, forward() line 4: z=[2]\n"
               "Block#1 of 0, forward() line 5: z=[2]\n"
               "3 calls");
}

UNIT_TEST(methods_but_forward_and_functions_are_no_scopes)
{
    has_scopes(arena,
               "class Net a=Block\n"
               "class Block n=1\n"
               "def Net.forward(%self:Net, %x)\n"
               "%a:Block = prim::GetAttr<a>(%self)\n"
               "%u = prim::CallMethod<Block.help>(%a, %x)\n"
               "%v = prim::CallFunction<twice>(%u, %a, %u)\n"
               "-> %v\n"
               "def Block.help(%self:Block, %z)\n"
               "-> %z\n"
               "def twice(%a:Block, %z)\n"
               "%y = prim::CallMethod<Block.forward>(%a, %z)\n"
               "-> %y\n"
               "def Block.forward(%self:Block, %z)\n"
               "-> %z\n",
               "[2]",
               "#0: x=[2]\n"
               "Block#0 of 0, twice() line 1: z=[2]\n"
               "3 calls");
}

UNIT_TEST(the_tracer_s_names_of_later_forwards_are_scopes)
{
    has_scopes(arena,
               "class Net a=Block\n"
               "class Block n=1\n"
               "def Net.forward(%self:Net, %x)\n"
               "%a:Block = prim::GetAttr<a>(%self)\n"
               "%u = prim::CallMethod<Block.forward1>(%a, %x)\n"
               "%v = prim::CallMethod<Block.forward_on>(%a, %u)\n"
               "-> %v\n"
               "def Block.forward1(%self:Block, %z)\n"
               "-> %z\n"
               "def Block.forward_on(%self:Block, %z)\n"
               "-> %z\n",
               "[2]",
               "#0: x=[2]\n"
               "Block#0 of 0, forward() line 2: z=[2]\n"
               "2 calls");
}

UNIT_TEST(parts_of_arguments_are_passed_by_name)
{
    has_scopes(arena,
               "class Net a=Block\n"
               "class Block n=1\n"
               "def Net.forward(%self:Net, %x, %y)\n"
               "%none = prim::Constant<None>()\n"
               "%word:str = prim::Constant<\"word\">()\n"
               "%l:list = prim::ListConstruct(%x, %y)\n"
               "%t:tuple = prim::TupleConstruct(%l, %none)\n"
               "%e:dict = prim::DictConstruct(%word, %y)\n"
               "%a:Block = prim::GetAttr<a>(%self)\n"
               "prim::CallMethod<Block.forward>(%a, %t, %none, %word, %e)\n"
               "-> %x\n"
               "def Block.forward(%self:Block, %past:tuple, %mask, %mode:str, %all:dict)\n"
               "->\n",
               "[2] [3]",
               "#0: x=[2], y=[3]\n"
               "Block#0 of 0, forward() line 7: past_0_0=[2], past_0_1=[3], all_word=[3]\n"
               "1 calls");
}

UNIT_TEST(scopes_of_an_attempt_that_was_discarded_are_gone)
{
    has_scopes(arena,
               "class Net a=Block\n"
               "class Block n=1\n"
               "def Net.forward(%self:Net, %x, %n:int)\n"
               "%true:bool = prim::Constant<True>()\n"
               "%a:Block = prim::GetAttr<a>(%self)\n"
               "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
               "  %l:list = prim::ListConstruct(%z, %z)\n"
               "  %w = prim::CallMethod<Block.forward>(%a, %l)\n"
               "  -> %true, %w }\n"
               "%k:list = prim::ListConstruct(%x, %r)\n"
               "%q = prim::CallMethod<Block.forward>(%a, %k)\n"
               "-> %r\n"
               "def Block.forward(%self:Block, %all:list)\n"
               "%zero:int = prim::Constant<0>()\n"
               "%w = aten::cat(%all, %zero)\n"
               "-> %w\n",
               "[4,3] int",
               "#0: x=[4,3], n=int\n"
               "Block#0 of 0, forward() line 7: all_0=[?,3], all_1=[?,3]\n"
               "Block#1 of 0, forward() line 5: all_0=[4,3], all_1=[?,3]\n"
               "2 calls");
}

UNIT_TEST(a_side_that_is_discarded_has_no_scopes)
{
    has_scopes(arena,
               "class Net a=Block\n"
               "class Block n=1\n"
               "def Net.forward(%self:Net, %x, %c:bool)\n"
               "%a:Block = prim::GetAttr<a>(%self)\n"
               "%r = prim::If(%c) {\n"
               "  %u = prim::CallMethod<Block.fail>(%a, %x) -> %u } {\n"
               "  %v = prim::CallMethod<Block.forward>(%a, %x) -> %v }\n"
               "-> %r\n"
               "def Block.forward(%self:Block, %z)\n"
               "-> %z\n"
               "def Block.fail(%self:Block, %z)\n"
               "%w = prim::CallMethod<Block.forward>(%self, %z)\n"
               "%why:str = prim::Constant<\"no\">()\n"
               "prim::RaiseException(%why)\n"
               "-> %w\n",
               "[2] bool",
               "#0: x=[2], c=bool\n"
               "Block#0 of 0, forward() line 4: z=[2]\n"
               "1 calls");
}

/* A value that is changed in place after the call is another value. */
UNIT_TEST(what_is_passed_is_as_it_was_when_the_call_began)
{
    interpretation *i =
        interpret_open_program(arena, "class Net a=Block\n"
                                      "class Block n=1\n"
                                      "def Net.forward(%self:Net, %x)\n"
                                      "%a:Block = prim::GetAttr<a>(%self)\n"
                                      "%u = aten::clone(%x)\n"
                                      "%v = prim::CallMethod<Block.forward>(%a, %u)\n"
                                      "%w = aten::relu_(%u)\n"
                                      "-> %u\n"
                                      "def Block.forward(%self:Block, %z)\n"
                                      "%r = aten::relu_(%z)\n"
                                      "-> %r\n");
    interpret_run_carried(i, "[2]", HTP_MAX_LANES, NULL, 0);
    ck_assert_int_eq(i->code, HTP_CODE_OK);
    ck_assert_uint_eq(i->trace->scopes[1].passed[0].value, i->trace->nodes[0].outputs[0]);
    ck_assert_uint_eq(i->trace->outputs[0], i->trace->nodes[2].outputs[0]);
    htp_interpreter_close(i->interpreter);
}

/* The scope of a node, its function, and the call of that. */
UNIT_TEST(nodes_know_where_they_stand)
{
    interpretation *i =
        interpret_open_program(arena, "class Net a=Block\n"
                                      "class Block n=1\n"
                                      "def Net.forward(%self:Net, %x)\n"
                                      "%a:Block = prim::GetAttr<a>(%self)\n"
                                      "%u = prim::CallMethod<Block.forward>(%a, %x)\n"
                                      "%v = aten::neg(%u)\n"
                                      "-> %v\n"
                                      "def Block.forward(%self:Block, %z)\n"
                                      "%r = prim::CallFunction<help>(%z, %z)\n"
                                      "-> %r\n"
                                      "def help(%z)\n"
                                      "%r = aten::relu(%z)\n"
                                      "-> %r\n");
    interpret_run_carried(i, "[2]", HTP_MAX_LANES, NULL, 0);
    ck_assert_int_eq(i->code, HTP_CODE_OK);
    const htp_trace_node *relu = &i->trace->nodes[0];
    const htp_trace_node *neg = &i->trace->nodes[1];
    ck_assert_uint_eq(relu->scope, 1);
    ck_assert_str_eq(relu->function, "help");
    ck_assert_uint_eq(relu->source_line, 1);
    ck_assert_uint_eq(relu->call, 2);
    ck_assert_str_eq(i->trace->calls[1].function, "forward");
    ck_assert_uint_eq(i->trace->calls[1].scope, 1);
    ck_assert_uint_eq(i->trace->calls[1].call, 1);
    ck_assert_uint_eq(i->trace->calls[0].call, 0);
    ck_assert_uint_eq(neg->scope, 0);
    ck_assert_uint_eq(neg->call, 0);
    ck_assert_uint_eq(neg->source_line, 3);
    htp_interpreter_close(i->interpreter);
}

/* ---- values ---- */

UNIT_TEST(methods_read_the_attributes_of_their_own_object)
{
    gives_in(arena,
             "class Net a=Block b=Other\n"
             "class Block w=tensor[3]\n"
             "class Other w=tensor[3]\n",
             "%a:Block = prim::GetAttr<a>(%self)\n"
             "%b:Other = prim::GetAttr<b>(%self)\n"
             "%u = prim::CallMethod<Block.forward>(%a, %x)\n"
             "%v = prim::CallMethod<Other.forward>(%b, %u)\n"
             "-> %v\n"
             "def Block.forward(%self:Block, %z)\n" NAMED_CONSTANTS "%w = prim::GetAttr<w>(%self)\n"
             "%r = aten::add.Tensor(%z, %w, %1)\n"
             "-> %r\n"
             "def Other.forward(%self:Other, %z)\n"
             "%w = prim::GetAttr<w>(%self)\n"
             "%r = aten::mul.Tensor(%z, %w)\n"
             "-> %r\n",
             "%1[?,3] = aten::add.Tensor(x, Block.w, 1)\n"
             "%2[?,3] = aten::mul.Tensor(%1, Other.w)\n"
             "=> %2");
}

UNIT_TEST(a_call_gives_several_values)
{
    gives(arena,
          "%r, %s = prim::CallFunction<f>(%x, %x, %y)\n"
          "%z = aten::add.Tensor(%s, %r, %1)\n"
          "-> %z\n"
          "def f(%a, %b)\n"
          "%u = aten::relu(%b)\n"
          "-> %a, %u\n",
          "%1[?,3] = aten::relu(y)\n"
          "%2[?,3] = aten::add.Tensor(%1, x, 1)\n"
          "=> %2");
}

UNIT_TEST(a_call_changes_the_lists_of_its_caller)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::CallFunction<f>(%x, %l, %y)\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n"
          "def f(%l:list, %b)\n"
          "%k:list = aten::append(%l, %b)\n"
          "->\n",
          "%1[2,?,3] = aten::stack((x, y), 0)\n"
          "=> %1");
}

UNIT_TEST(a_call_changes_the_tensors_of_its_caller)
{
    gives(arena,
          "%u = aten::clone(%x)\n"
          "prim::CallFunction<f>(%x, %u)\n"
          "%z = aten::neg(%u)\n"
          "-> %z\n"
          "def f(%a)\n"
          "%v = aten::relu_(%a)\n"
          "->\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = aten::relu_(%1)\n"
          "%3[?,3] = aten::neg(%2)\n"
          "=> %3");
}

UNIT_TEST(a_function_that_calls_itself_ends_where_that_is_decided)
{
    gives(arena,
          "%r = prim::CallFunction<f>(%x, %x, %2)\n"
          "-> %r\n"
          "def f(%a, %k:int)\n" NAMED_CONSTANTS "%b:bool = aten::gt.int(%k, %0)\n"
          "%r = prim::If(%b) {\n"
          "  %u = aten::relu(%a)\n"
          "  %j:int = aten::sub.int(%k, %1)\n"
          "  %v = prim::CallFunction<f>(%a, %u, %j)\n"
          "  -> %v } { -> %a }\n"
          "-> %r\n",
          "True = aten::gt.int(2, 0)\n"
          "%1[?,3] = aten::relu(x)\n"
          "1 = aten::sub.int(2, 1)\n"
          "True = aten::gt.int(1, 0)\n"
          "%2[?,3] = aten::relu(%1)\n"
          "0 = aten::sub.int(1, 1)\n"
          "False = aten::gt.int(0, 0)\n"
          "=> %2");
}

UNIT_TEST(a_function_with_other_arguments_is_no_program)
{
    gives(arena,
          "%r = prim::CallFunction<f>(%x, %x)\n"
          "-> %r\n"
          "def f(%a, %b)\n"
          "-> %a\n",
          "f() takes 2 arguments, not 1");
}

UNIT_TEST(a_method_that_there_is_not_is_no_program)
{
    gives(arena,
          "%r = prim::CallMethod<other>(%self, %x)\n"
          "-> %r\n",
          "Net does not have a method with name 'other'");
}

UNIT_TEST(a_method_of_a_tensor_is_refused)
{
    gives(arena,
          "%r = prim::CallMethod<other>(%x, %x)\n"
          "-> %r\n",
          "a method is called on something that is no object, in the root module");
}

UNIT_TEST(a_value_that_nothing_has_made_is_no_program)
{
    gives(arena,
          "%r = prim::If(%false) { %u = aten::relu(%y) -> %u } { %v = aten::neg(%u) -> %v }\n"
          "-> %r\n",
          "a value is read that nothing has made");
}

UNIT_TEST(a_fork_runs_at_once)
{
    gives(arena,
          "%f = prim::fork<body>(%x, %y)\n"
          "%z = aten::neg(%x)\n"
          "%r = aten::wait(%f)\n"
          "%s = aten::add.Tensor(%r, %z, %1)\n"
          "-> %s\n"
          "def body(%a, %b)\n" NAMED_CONSTANTS "%r = aten::add.Tensor(%a, %b, %1)\n"
          "-> %r\n",
          "%1[?,3] = aten::add.Tensor(x, y, 1)\n"
          "%2[?,3] = aten::neg(x)\n"
          "%3[?,3] = aten::add.Tensor(%1, %2, 1)\n"
          "=> %3");
}

UNIT_TEST(several_results_of_a_fork_are_a_tuple)
{
    gives(arena,
          "%f:tuple = prim::fork<body>(%x, %y)\n"
          "%r:tuple = aten::wait(%f)\n"
          "%a, %b = prim::TupleUnpack(%r)\n"
          "%s = aten::add.Tensor(%b, %a, %1)\n"
          "-> %s\n"
          "def body(%a, %b)\n"
          "%r = aten::relu(%a)\n"
          "%s = aten::neg(%b)\n"
          "-> %r, %s\n",
          "%1[?,3] = aten::relu(x)\n"
          "%2[?,3] = aten::neg(y)\n"
          "%3[?,3] = aten::add.Tensor(%2, %1, 1)\n"
          "=> %3");
}

UNIT_TEST(sides_that_are_apart_in_a_fork_part_what_waits_for_it)
{
    gives(arena,
          "%f = prim::fork<body>(%x, %c)\n"
          "%r = aten::wait(%f)\n"
          "%s = aten::sum(%r, %none)\n"
          "-> %s\n"
          "def body(%a, %flag:bool)\n" NAMED_CONSTANTS
          "%r = prim::If(%flag) { -> %a } { %u = aten::sum(%a, %none) -> %u }\n"
          "%v = aten::relu(%r)\n"
          "-> %v\n",
          "%1[] = prim::If(c) { %2[?,3] = aten::relu(x); %3[] = aten::sum(%2, None); -> %3 } { "
          "%4[] = aten::sum(x, None); %5[] = aten::relu(%4); %6[] = aten::sum(%5, None); -> %6 }\n"
          "=> %1");
}

UNIT_TEST(constants_of_a_function_are_one_value_however_often_it_runs)
{
    gives(arena,
          "%l:list = prim::CallFunction<f>(%x, %x)\n"
          "%m:list = prim::CallFunction<f>(%x, %y)\n"
          "%a = aten::stack(%l, %0)\n"
          "%b = aten::stack(%m, %0)\n"
          "%z = aten::add.Tensor(%a, %b, %1)\n"
          "-> %z\n"
          "def f(%a)\n"
          "%t = prim::Constant<tensor[3]>()\n"
          "%u = aten::relu(%t)\n"
          "%l:list = prim::ListConstruct(%t, %u)\n"
          "-> %l\n",
          "%1[3] = aten::relu(data1[3])\n"
          "%2[3] = aten::relu(data1)\n"
          "%3[2,3] = aten::stack((data1, %1), 0)\n"
          "%4[2,3] = aten::stack((data1, %2), 0)\n"
          "%5[2,3] = aten::add.Tensor(%3, %4, 1)\n"
          "=> %5");
}

UNIT_MAIN("interpret: calls", a_running_forward_is_a_scope, calls_of_one_module_are_counted,
          methods_but_forward_and_functions_are_no_scopes,
          the_tracer_s_names_of_later_forwards_are_scopes, parts_of_arguments_are_passed_by_name,
          scopes_of_an_attempt_that_was_discarded_are_gone, a_side_that_is_discarded_has_no_scopes,
          what_is_passed_is_as_it_was_when_the_call_began, nodes_know_where_they_stand,
          methods_read_the_attributes_of_their_own_object, a_call_gives_several_values,
          a_call_changes_the_lists_of_its_caller, a_call_changes_the_tensors_of_its_caller,
          a_function_that_calls_itself_ends_where_that_is_decided,
          a_function_with_other_arguments_is_no_program, a_method_that_there_is_not_is_no_program,
          a_method_of_a_tensor_is_refused, a_value_that_nothing_has_made_is_no_program,
          a_fork_runs_at_once, several_results_of_a_fork_are_a_tuple,
          sides_that_are_apart_in_a_fork_part_what_waits_for_it,
          constants_of_a_function_are_one_value_however_often_it_runs)
