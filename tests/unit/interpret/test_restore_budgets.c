/*
 * Budgets of __setstate__, and stopping it.
 */
#include "restore_fixture.h"

#define ENDLESS "%many:int = prim::Constant<9223372036854775807>()\n"

UNIT_TEST(steps_have_an_end)
{
    restore_expect_end(arena,
                       STATE ENDLESS "prim::Loop(%many, %c)\n{ (%i:int)\n"
                                     " %x:int = aten::add.int(%i, %n)\n -> %c\n}\n-> %n\n",
                       "", RUNS_NOT,
                       "takes more than 1048576 steps of the interpreter (--limit steps=N");
}

UNIT_TEST(an_empty_body_takes_its_time)
{
    restore_expect_end(arena, STATE ENDLESS "prim::Loop(%many, %c)\n{ (%i:int)\n -> %c\n}\n-> %n\n",
                       "", RUNS_NOT,
                       "takes more than 1048576 steps of the interpreter (--limit steps=N");
}

UNIT_TEST(calls_have_an_end)
{
    restore_expect_end(arena, "%x = prim::CallMethod<Net.again>(%self)\n-> %x\n",
                       "def Net.again(%self:Net)\n"
                       "%x = prim::CallMethod<Net.again>(%self)\n-> %x\n",
                       RUNS_NOT, "takes more than 1000 nested calls (--limit call-depth=N");
}

/* At the limit of depth, which only counts running calls. */
UNIT_TEST(depth_is_given_back)
{
    restore_expect(arena,
                   STATE "%many:int = prim::Constant<1000>()\n"
                         "%deep:int = prim::Constant<598>()\n"
                         "prim::Loop(%n, %c)\n{ (%i:int)\n"
                         " %x:int = prim::CallMethod<Net.down>(%self, %deep)\n -> %c\n}\n"
                         "prim::Loop(%many, %c)\n{ (%k:int)\n"
                         " prim::If(%c)\n {\n  ->\n }\n {\n  ->\n }\n -> %c\n}\n"
                         "prim::SetAttr<a>(%self, %n)\n-> %n\n",
                   "def Net.down(%self:Net, %n:int)\n" ONE "%more:bool = aten::gt.int(%n, %one)\n"
                   "%x:int = prim::If(%more)\n"
                   "{\n %less:int = aten::sub.int(%n, %one)\n"
                   " %rest:int = prim::CallMethod<Net.down>(%self, %less)\n -> %rest\n}\n"
                   "{\n -> %one\n}\n-> %x\n",
                   "a=3");
}

/* Fewer calls than the limit, but more blocks. */
UNIT_TEST(blocks_have_an_end)
{
    enum { BLOCKS_OF_A_CALL = 8 };
    htp_text text = {.arena = arena};
    htp_text_add(&text, "def Net.down(%self:Net, %c:bool)\n");
    for (int i = 0; i < BLOCKS_OF_A_CALL; i++) {
        htp_text_add(&text, "prim::If(%c)\n{\n");
    }
    htp_text_add(&text, "%x = prim::CallMethod<Net.down>(%self, %c)\n");
    for (int i = 0; i < BLOCKS_OF_A_CALL; i++) {
        htp_text_add(&text, "->\n}\n{\n ->\n}\n");
    }
    htp_text_add(&text, "-> %c\n");
    restore_expect_end(arena, STATE "%x = prim::CallMethod<Net.down>(%self, %c)\n-> %x\n",
                       htp_text_string(&text), RUNS_NOT,
                       "branches and loops that are nested more than 1200 deep" REFUSED);
}

#define BIG "%k:int = prim::Constant<16384>()\n" NOTHING

UNIT_TEST(sizes_have_an_end)
{
    restore_expect(arena,
                   STATE BIG "%s:list = prim::ListConstruct(%k, %k)\n"
                             "%x = aten::zeros(%s, %none, %none, %none, %none)\n"
                             "prim::SetAttr<a>(%self, %n)\n-> %x\n",
                   "", "a=3");
    restore_expect_end(arena,
                       STATE BIG "%s:list = prim::ListConstruct(%k, %k, %n)\n"
                                 "%x = aten::zeros(%s, %none, %none, %none, %none)\n-> %x\n",
                       "", RUNS_NOT,
                       "takes more than 268435456 elements of restored objects (--limit "
                       "restored-elements=N");
}

UNIT_TEST(lists_that_are_repeated_have_an_end)
{
    restore_expect_end(arena,
                       STATE "%k:int = prim::Constant<134217729>()\n"
                             "%x:list = aten::mul.left_t(%l, %k)\n-> %x\n",
                       "", RUNS_NOT, "takes more than 268435456 elements of restored objects");
    restore_expect(arena,
                   STATE "%k:int = prim::Constant<131072>()\n"
                         "%x:list = aten::mul.left_t(%l, %k)\n"
                         "prim::SetAttr<a>(%self, %n)\n-> %x\n",
                   "", "a=3");
    restore_expect_end(arena,
                       STATE "%k:int = prim::Constant<131073>()\n"
                             "%x:list = aten::mul.left_t(%l, %k)\n-> %x\n",
                       "", RUNS_NOT,
                       "it takes more than 262144 elements of one list, tuple or dict");
}

UNIT_TEST(all_operators_together_have_an_end)
{
    restore_expect_end(arena,
                       STATE BIG "%s:list = prim::ListConstruct(%k)\n"
                                 "prim::Loop(%k, %c)\n{ (%i:int)\n"
                                 " %x = aten::zeros(%s, %none, %none, %none, %none)\n"
                                 " %y:int = aten::add.int(%i, %i)\n -> %c\n}\n-> %n\n",
                       "", RUNS_NOT, "takes more than 268435456 elements of restored objects");
}

UNIT_TEST(memory_is_cleared)
{
    restoration *r =
        restore_net(arena, STATE "%x = aten::empty(%l)\n%y = aten::empty(%l)\n-> %x\n", "");
    ck_assert_msg(r->code == HTP_CODE_OK, "%s", r->message);
    ck_assert_str_eq(htp_text_string(&r->ran), " aten::empty aten::zero_ aten::empty aten::zero_");
}

UNIT_TEST(who_asked_may_stop_it)
{
    restoration *r =
        restore_prepare(arena, "def Net.__setstate__(%self:Net, %state)\n" STATE ENDLESS
                               "prim::Loop(%many, %c)\n{ (%i:int)\n -> %c\n}\n-> %n\n");
    r->stops_at = 3;
    restore_follow(r, "Net");
    ck_assert_int_eq(r->code, HTP_CODE_INTERNAL);
    ck_assert_str_eq(r->message, "interrupted");
    ck_assert_uint_eq(r->ticks, 3);
}

static htp_shim_code reading; /* how it ends */

static htp_shim_code load_nothing(const htp_program *program, uint32_t function, htp_error *error)
{
    (void)program;
    (void)function;
    (void)snprintf(error->message, sizeof(error->message), "unreadable");
    return reading;
}

UNIT_TEST(a_function_may_not_be_readable)
{
    restoration *r = restore_prepare(arena, "def Net.__setstate__(%self:Net, %state)\n-> %state\n");
    program_fixture *p = r->made_up->program;
    static const struct {
        htp_shim_code reading;
        htp_code code;
    } ends[] = {
        {HTP_SHIM_NOT_MODEL, HTP_CODE_BAD_INPUT},
        {HTP_SHIM_UNSUPPORTED, HTP_CODE_UNSUPPORTED},
        {HTP_SHIM_INTERNAL, HTP_CODE_INTERNAL},
    };
    p->functions.items[0].is_loaded = false;
    p->program.load_function = load_nothing;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        reading = ends[i].reading;
        restore_follow(r, "Net");
        ck_assert_int_eq(r->code, ends[i].code);
        ck_assert_str_eq(r->message, "unreadable");
    }
}

UNIT_MAIN("restore: budgets", steps_have_an_end, an_empty_body_takes_its_time, calls_have_an_end,
          depth_is_given_back, blocks_have_an_end, sizes_have_an_end,
          lists_that_are_repeated_have_an_end, all_operators_together_have_an_end,
          memory_is_cleared, who_asked_may_stop_it, a_function_may_not_be_readable)
