#include "program_fixture.h"
#include "source/call_oracle/call_oracle.h"

/* A place in a program: a function by its name, a node, and the call around it. */
typedef struct place {
    const char *function; /* NULL: none */
    uint32_t node;
    uint32_t call;
} place;

typedef struct asked {
    place calls[8];
    uint32_t call_count;
    place nodes[8];
    uint32_t node_count;
} asked;

/* The status of a search, and its result. */
typedef struct result {
    htp_code code;
    const char *message;
    const char *text;
} result;

static htp_trace_stand stand_of(const htp_program *program, const place *at)
{
    const program_fixture *p = program->reader;
    htp_trace_stand stand = {HTP_NONE, at->node, at->call};
    if (at->function) {
        stand.function = program_named(&p->function_names, at->function);
    }
    return stand;
}

/* "Net.Block Net ?": the classes of the modules that run at each node, innermost last. */
static const char *describe(htp_arena *arena, const htp_program *program,
                            const htp_static_calls *found)
{
    htp_text all = {.arena = arena};
    for (uint32_t i = 0; i < found->node_count; i++) {
        const char *path = found->nodes[i] == HTP_NONE ? "?" : "";
        for (uint32_t r = found->nodes[i]; r != HTP_NONE; r = found->running[r].caller) {
            const char *name = program->classes[found->running[r].object].name;
            path = *path ? htp_arena_printf(arena, "%s.%s", name, path) : name;
        }
        htp_text_addf(&all, "%s%s", i ? " " : "", path);
    }
    return htp_text_string(&all);
}

/* Objects of a class have its number, and are modules except those of a "Plain". */
static void forget_plain_modules(const htp_program *program)
{
    program_fixture *p = program->reader;
    uint32_t number = 0;
    if (htp_map_get(&p->class_names, "Plain", &number)) {
        p->classes.items[number].is_module = false;
    }
}

static result find_watched(htp_arena *arena, const char *text, const asked *of, htp_tick tick)
{
    const htp_program *program = program_read(arena, text);
    htp_trace_stand calls[8];
    htp_trace_stand nodes[8];
    result made = {.text = ""};
    htp_static_calls found = {0};
    for (uint32_t i = 0; i < of->call_count; i++) {
        calls[i] = stand_of(program, &of->calls[i]);
    }
    for (uint32_t i = 0; i < of->node_count; i++) {
        nodes[i] = stand_of(program, &of->nodes[i]);
    }
    forget_plain_modules(program);
    const htp_static_stands stands = {calls, of->call_count, nodes, of->node_count};
    const htp_static_watch watch = {tick, NULL, NULL};
    htp_status status = htp_static_calls_find(arena, program, &stands, &watch, &found);
    made.code = htp_status_code(status);
    made.message = htp_arena_strdup(arena, htp_status_message(status));
    htp_status_free(status);
    made.text = made.code == HTP_CODE_OK ? describe(arena, program, &found) : "";
    return made;
}

static const char *find(htp_arena *arena, const char *text, const asked *of)
{
    result made = find_watched(arena, text, of, NULL);
    ck_assert_msg(made.code == HTP_CODE_OK, "%s", made.message);
    return made.text;
}

#define CALLS(...)                                                                                 \
    .calls = {__VA_ARGS__}, .call_count = sizeof((place[]){__VA_ARGS__}) / sizeof(place)
#define NODES(...)                                                                                 \
    .nodes = {__VA_ARGS__}, .node_count = sizeof((place[]){__VA_ARGS__}) / sizeof(place)

#define BLOCK                                                                                      \
    "def Block.forward(%self:Block, %x)\n"                                                         \
    "  %y = aten::tanh(%x)\n"                                                                      \
    "  -> %y\n"
#define OTHER                                                                                      \
    "def Other.forward(%self:Other, %x)\n"                                                         \
    "  %y = aten::relu(%x)\n"                                                                      \
    "  -> %y\n"
#define TWO "class Net a=Block b=Other same=Block\nclass Block\nclass Other\n"

/* ---- modules --------------------------------------------------------------------------------- */

UNIT_TEST(the_method_runs_in_its_module)
{
    const asked of = {NODES({"Net.forward", 0, 0})};
    ck_assert_str_eq(
        find(arena, "class Net\ndef Net.forward(%self:Net, %x)\n  %y = aten::tanh(%x)\n  -> %y\n",
             &of),
        "Net");
}

#define TWICE                                                                                      \
    TWO "def Net.forward(%self:Net, %x)\n"                                                         \
        "  %a:Block = prim::GetAttr<a>(%self)\n"                                                   \
        "  %y = prim::CallMethod<Block.forward>(%a, %x)\n"                                         \
        "  %b:Other = prim::GetAttr<b>(%self)\n"                                                   \
        "  %z = prim::CallMethod<Other.forward>(%b, %y)\n"                                         \
        "  %s:Block = prim::GetAttr<same>(%self)\n"                                                \
        "  %u = prim::CallMethod<Block.forward>(%s, %z)\n"                                         \
        "  -> %u\n" BLOCK OTHER

UNIT_TEST(calls_are_made_on_attributes)
{
    const asked of = {
        CALLS({"Net.forward", 1, 0}, {"Net.forward", 3, 0}),
        NODES({"Block.forward", 0, 1}, {"Other.forward", 0, 2}, {"Net.forward", 3, 0})};
    ck_assert_str_eq(find(arena, TWICE, &of), "Net.Block Net.Other Net");
}

UNIT_TEST(a_shared_module_is_one_object)
{
    const asked of = {
        CALLS({"Net.forward", 1, 0}, {"Net.forward", 5, 0}, {"Net.forward", 1, 0}),
        NODES({"Block.forward", 0, 1}, {"Block.forward", 0, 2}, {"Block.forward", 0, 3})};
    ck_assert_str_eq(find(arena, TWICE, &of), "Net.Block Net.Block Net.Block");
}

UNIT_TEST(later_calls_that_were_traced_enter_a_module_other_methods_do_not)
{
    const char *program = TWO "def Net.forward(%self:Net, %x)\n"
                              "  %a:Block = prim::GetAttr<a>(%self)\n"
                              "  %y = prim::CallMethod<Block.forward12>(%a, %x)\n"
                              "  %z = prim::CallMethod<Block.forwards>(%a, %y)\n"
                              "  -> %z\n"
                              "def Block.forward12(%self:Block, %x)\n"
                              "  %y = aten::tanh(%x)\n"
                              "  -> %y\n"
                              "def Block.forwards(%self:Block, %x)\n"
                              "  %y = aten::tanh(%x)\n"
                              "  -> %y\n";
    const asked of = {CALLS({"Net.forward", 1, 0}, {"Net.forward", 2, 0}),
                      NODES({"Block.forward12", 0, 1}, {"Block.forwards", 0, 2})};
    ck_assert_str_eq(find(arena, program, &of), "Net.Block Net");
}

UNIT_TEST(what_is_no_module_is_not_known)
{
    const char *program = "class Net p=Plain\n"
                          "class Plain\n"
                          "def Net.forward(%self:Net, %x)\n"
                          "  %p:Plain = prim::GetAttr<p>(%self)\n"
                          "  %y = prim::CallMethod<Plain.forward>(%p, %x)\n"
                          "  %z = prim::CallMethod<Plain.get>(%p, %x)\n"
                          "  -> %y\n"
                          "def Plain.forward(%self:Plain, %x)\n"
                          "  %y = aten::tanh(%x)\n"
                          "  -> %y\n"
                          "def Plain.get(%self:Plain, %x)\n"
                          "  %y = aten::tanh(%x)\n"
                          "  -> %y\n";
    const asked of = {CALLS({"Net.forward", 1, 0}, {"Net.forward", 2, 0}),
                      NODES({"Plain.forward", 0, 1}, {"Plain.get", 0, 2})};
    ck_assert_str_eq(find(arena, program, &of), "? Net");
}

/* ---- functions and interfaces ---------------------------------------------------------------- */

UNIT_TEST(functions_are_given_modules)
{
    const char *program = TWO "def Net.forward(%self:Net, %x)\n"
                              "  %f:Function = prim::Constant<None>()\n"
                              "  %a:Block = prim::GetAttr<a>(%self)\n"
                              "  %y = prim::CallFunction<run>(%f, %a, %x)\n"
                              "  -> %y\n"
                              "def run(%m:Block, %x)\n"
                              "  %y = prim::CallMethod<Block.forward>(%m, %x)\n"
                              "  %z = aten::tanh(%y)\n"
                              "  -> %z\n" BLOCK;
    const asked of = {CALLS({"Net.forward", 2, 0}, {"run", 0, 1}),
                      NODES({"run", 1, 1}, {"Block.forward", 0, 2})};
    ck_assert_str_eq(find(arena, program, &of), "Net Net.Block");
}

UNIT_TEST(functions_give_modules)
{
    const char *program = TWO "def Net.forward(%self:Net, %x)\n"
                              "  %a:Block = prim::CallMethod<Net.pick>(%self)\n"
                              "  %y = prim::CallMethod<Block.forward>(%a, %x)\n"
                              "  -> %y\n"
                              "def Net.pick(%self:Net)\n"
                              "  %a:Block = prim::GetAttr<a>(%self)\n"
                              "  -> %a\n" BLOCK;
    const asked of = {CALLS({"Net.forward", 0, 0}, {"Net.forward", 1, 0}),
                      NODES({"Net.pick", 0, 1}, {"Block.forward", 0, 2})};
    ck_assert_str_eq(find(arena, program, &of), "Net Net.Block");
}

#define SHAPES                                                                                     \
    TWO "def Net.forward(%self:Net, %x)\n"                                                         \
        "  %a:Block = prim::GetAttr<a>(%self)\n"                                                   \
        "  %f:Function = prim::Constant<None>()\n"                                                 \
        "  %y = prim::CallFunction<run>(%f, %a, %x)\n"                                             \
        "  %b:Other = prim::GetAttr<b>(%self)\n"                                                   \
        "  %z = prim::CallFunction<run>(%f, %b, %y)\n"                                             \
        "  %n:Shape = prim::GetAttr<none>(%self)\n"                                                \
        "  %u = prim::CallFunction<run>(%f, %n, %y)\n"                                             \
        "  -> %z\n"                                                                                \
        "def run(%m:Shape, %x)\n"                                                                  \
        "  %y = prim::CallMethod<forward>(%m, %x)\n"                                               \
        "  -> %y\n" BLOCK OTHER

UNIT_TEST(the_object_tells_what_an_interface_calls)
{
    const asked of = {
        CALLS({"Net.forward", 2, 0}, {"run", 0, 1}, {"Net.forward", 4, 0}, {"run", 0, 3}),
        NODES({"Block.forward", 0, 2}, {"Other.forward", 0, 4})};
    ck_assert_str_eq(find(arena, SHAPES, &of), "Net.Block Net.Other");
}

UNIT_TEST(another_function_than_the_one_that_is_called_is_not_known)
{
    const asked of = {CALLS({"Net.forward", 2, 0}, {"run", 0, 1}),
                      NODES({"Other.forward", 0, 2}, {"Block.forward", 0, 1})};
    ck_assert_str_eq(find(arena, SHAPES, &of), "? ?");
}

UNIT_TEST(an_interface_of_an_unknown_object_calls_nothing)
{
    const asked of = {CALLS({"Net.forward", 6, 0}, {"run", 0, 1}),
                      NODES({"run", 0, 1}, {"Block.forward", 0, 2})};
    ck_assert_str_eq(find(arena, SHAPES, &of), "Net ?");
}

/* ---- branches and loops ---------------------------------------------------------------------- */

#define BRANCH(then_name, else_name)                                                               \
    TWO "def Net.forward(%self:Net, %x)\n"                                                         \
        "  %m:Shape = prim::If(%x)\n"                                                              \
        "    {\n"                                                                                  \
        "      %a:Shape = prim::GetAttr<" then_name ">(%self)\n"                                   \
        "      -> %a\n"                                                                            \
        "    }\n"                                                                                  \
        "    {\n"                                                                                  \
        "      %b:Shape = prim::GetAttr<" else_name ">(%self)\n"                                   \
        "      -> %b\n"                                                                            \
        "    }\n"                                                                                  \
        "  %y = prim::CallMethod<forward>(%m, %x)\n"                                               \
        "  -> %y\n" BLOCK OTHER

UNIT_TEST(sides_that_agree_give_one_module)
{
    const asked of = {CALLS({"Net.forward", 1, 0}), NODES({"Block.forward", 0, 1})};
    ck_assert_str_eq(find(arena, BRANCH("a", "same"), &of), "Net.Block");
}

UNIT_TEST(sides_that_differ_give_none)
{
    const asked of = {
        CALLS({"Net.forward", 1, 0}),
        NODES({"Block.forward", 0, 1}, {"Other.forward", 0, 1}, {"Net.forward", 1, 0})};
    ck_assert_str_eq(find(arena, BRANCH("a", "b"), &of), "? ? Net");
}

/* A loop whose body gets %m, and passes on @p next. The class of %m is known. */
#define LOOP(next)                                                                                 \
    "class Net a=Block b=Other same=Block\nclass Block\nclass Other\n"                             \
    "def Net.forward(%self:Net, %x, %n:int, %k:bool)\n"                                            \
    "  %a:Block = prim::GetAttr<a>(%self)\n"                                                       \
    "  %l:Block = prim::Loop(%n, %k, %a)\n"                                                        \
    "    { (%i:int, %m:Block)\n"                                                                   \
    "      %y = prim::CallMethod<Block.forward>(%m, %x)\n"                                         \
    "      %s:Block = prim::GetAttr<same>(%self)\n"                                                \
    "      %b:Block = prim::GetAttr<b>(%self)\n"                                                   \
    "      %c = prim::CallMethod<Block.forward>(%s, %x)\n"                                         \
    "      -> %k, " next "\n"                                                                      \
    "    }\n"                                                                                      \
    "  %z = prim::CallMethod<Block.forward>(%l, %x)\n"                                             \
    "  -> %z\n" BLOCK

/* Nodes of a block come after those of the enclosing block. */
static const asked loops = {
    CALLS({"Net.forward", 3, 0}, {"Net.forward", 6, 0}, {"Net.forward", 2, 0}),
    NODES({"Block.forward", 0, 1}, {"Block.forward", 0, 2}, {"Block.forward", 0, 3},
          {"Net.forward", 3, 0})};

UNIT_TEST(what_a_loop_hands_on_as_it_came_is_known)
{
    ck_assert_str_eq(find(arena, LOOP("%m"), &loops), "Net.Block Net.Block Net.Block Net");
}

UNIT_TEST(a_module_that_changes_in_a_loop_is_not_known)
{
    ck_assert_str_eq(find(arena, LOOP("%b"), &loops), "? Net.Block ? Net");
}

UNIT_TEST(what_a_loop_always_leaves_is_known_behind_it)
{
    ck_assert_str_eq(find(arena, LOOP("%s"), &loops), "? Net.Block Net.Block Net");
}

UNIT_TEST(below_what_is_not_known_nothing_is)
{
    const char *program = TWO "def Net.forward(%self:Net, %x)\n"
                              "  %m:Block = prim::Uninitialized()\n"
                              "  %y = prim::CallMethod<Block.forward>(%m, %self, %x)\n"
                              "  -> %y\n"
                              "def Block.forward(%self:Block, %net:Net, %x)\n"
                              "  %b:Other = prim::GetAttr<b>(%net)\n"
                              "  %y = prim::CallMethod<Other.forward>(%b, %x)\n"
                              "  -> %y\n" OTHER;
    const asked of = {CALLS({"Net.forward", 1, 0}, {"Block.forward", 1, 1}),
                      NODES({"Block.forward", 0, 1}, {"Other.forward", 0, 2})};
    ck_assert_str_eq(find(arena, program, &of), "? ?");
}

/* ---- forks ----------------------------------------------------------------------------------- */

#define FORKS(first, second)                                                                       \
    TWO "def Net.forward(%self:Net, %x)\n"                                                         \
        "  %a:Shape = prim::GetAttr<" first ">(%self)\n"                                           \
        "  %b:Shape = prim::GetAttr<" second ">(%self)\n"                                          \
        "  %y:Future = prim::fork<body>(%a, %x)\n"                                                 \
        "  %z:Future = prim::fork<body>(%b, %x)\n"                                                 \
        "  -> %x\n"                                                                                \
        "def body(%m:Shape, %x)\n"                                                                 \
        "  %y = prim::CallMethod<forward>(%m, %x)\n"                                               \
        "  -> %y\n" BLOCK OTHER

/* The body of a fork belongs to the enclosing function. */
static const asked forks = {CALLS({"body", 0, 0}),
                            NODES({"body", 0, 0}, {"Block.forward", 0, 1}, {"Net.forward", 2, 0})};

UNIT_TEST(forks_run_in_the_call_around_them)
{
    ck_assert_str_eq(find(arena, FORKS("a", "same"), &forks), "Net Net.Block Net");
}

UNIT_TEST(one_body_that_is_forked_on_two_objects_is_not_known)
{
    ck_assert_str_eq(find(arena, FORKS("a", "b"), &forks), "? ? Net");
}

/* ---- numbers of strangers -------------------------------------------------------------------- */

UNIT_TEST(numbers_beyond_the_program_are_not_known)
{
    const asked of = {
        CALLS({"Net.forward", 99, 0}, {"Net.forward", 1, 7}, {"Net.forward", 0, 0}, {NULL, 1, 0}),
        NODES({"Block.forward", 0, 1}, {"Block.forward", 0, 2}, {"Block.forward", 0, 3},
              {"Block.forward", 0, 4}, {"Net.forward", UINT32_MAX, 0},
              {"Net.forward", 0, UINT32_MAX}, {NULL, 0, 0})};
    ck_assert_str_eq(find(arena, TWICE, &of), "? ? ? ? ? ? ?");
}

UNIT_TEST(a_call_does_not_stand_in_itself_or_in_later_ones)
{
    const asked of = {
        CALLS({"Net.forward", 1, 1}, {"Net.forward", 1, 3}, {"Net.forward", 1, 0}),
        NODES({"Block.forward", 0, 1}, {"Block.forward", 0, 2}, {"Block.forward", 0, 3})};
    ck_assert_str_eq(find(arena, TWICE, &of), "? ? Net.Block");
}

UNIT_TEST(methods_that_a_class_does_not_have_call_nothing)
{
    const char *program = "class Net\n"
                          "def Net.forward(%self:Net, %x)\n"
                          "  %y = prim::CallMethod<Net.missing>(%self, %x)\n"
                          "  -> %y\n";
    const asked of = {CALLS({"Net.forward", 0, 0}),
                      NODES({"Net.forward", 0, 1}, {"Net.forward", 0, 0})};
    ck_assert_str_eq(find(arena, program, &of), "? Net");
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static void check_refusal(htp_arena *arena, const char *program, const char *message)
{
    const asked of = {NODES({"Net.forward", 0, 0})};
    result made = find_watched(arena, program, &of, NULL);
    ck_assert_int_eq(made.code, HTP_CODE_UNSUPPORTED);
    ck_assert_str_eq(made.message, message);
}

UNIT_TEST(functions_that_call_themselves_are_refused)
{
    check_refusal(arena,
                  "class Net\n"
                  "def Net.forward(%self:Net, %x)\n"
                  "  %y = prim::CallMethod<Net.again>(%self, %x)\n"
                  "  -> %y\n"
                  "def Net.again(%self:Net, %x)\n"
                  "  %y = prim::CallMethod<Net.forward>(%self, %x)\n"
                  "  -> %y\n",
                  "forward() calls itself");
}

/* A chain of functions, each of which calls the next one this many times. */
static const char *chain(htp_arena *arena, uint32_t length, uint32_t times)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "class Net\ndef Net.forward(%%self:Net, %%x)\n"
                         "  %%y = prim::CallFunction<f0>(%%x, %%x)\n  -> %%y\n");
    for (uint32_t i = 0; i < length; i++) {
        htp_text_addf(&text, "def f%u(%%x)\n", i);
        for (uint32_t k = 0; k < times && i + 1 < length; k++) {
            htp_text_addf(&text, "  %%y = prim::CallFunction<f%u>(%%x, %%x)\n", i + 1);
        }
        htp_text_addf(&text, "  -> %%x\n");
    }
    return htp_text_string(&text);
}

UNIT_TEST(programs_that_are_too_large_are_refused)
{
    check_refusal(arena, chain(arena, 40, 2),
                  "with all calls inlined, the program has more than 2097152 operations");
}

UNIT_TEST(programs_that_are_too_deep_are_refused)
{
    const asked of = {NODES({"Net.forward", 0, 0})};
    ck_assert_str_eq(find(arena, chain(arena, 1200, 1), &of), "Net");
    check_refusal(arena, chain(arena, 1201, 1),
                  "with all calls inlined, the program is nested more than 1200 deep "
                  "(--limit call-depth=N raises this limit)");
}

/* Callees of interfaces are found during the walk, and limited there. */
UNIT_TEST(interfaces_that_call_themselves_are_bounded)
{
    check_refusal(arena,
                  "class Net\n"
                  "def Net.forward(%self:Net, %x)\n"
                  "  %y:Shape = prim::CallMethod<Net.again>(%self, %self)\n"
                  "  -> %y\n"
                  "def Net.again(%self:Net, %m:Shape)\n"
                  "  %y:Shape = prim::CallMethod<again>(%m, %m)\n"
                  "  -> %y\n",
                  "with all calls inlined, the program is nested more than 1200 deep "
                  "(--limit call-depth=N raises this limit)");
}

static bool stop(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)total;
    return done < 1024;
}

UNIT_TEST(a_search_can_be_stopped)
{
    const asked of = {NODES({"Net.forward", 0, 0})};
    result made = find_watched(arena, chain(arena, 900, 1), &of, stop);
    ck_assert_int_eq(made.code, HTP_CODE_INTERRUPTED);
    ck_assert_str_eq(made.message, "interrupted");
}

UNIT_MAIN("static_calls", the_method_runs_in_its_module, calls_are_made_on_attributes,
          a_shared_module_is_one_object,
          later_calls_that_were_traced_enter_a_module_other_methods_do_not,
          what_is_no_module_is_not_known, functions_are_given_modules, functions_give_modules,
          the_object_tells_what_an_interface_calls,
          another_function_than_the_one_that_is_called_is_not_known,
          an_interface_of_an_unknown_object_calls_nothing, sides_that_agree_give_one_module,
          sides_that_differ_give_none, what_a_loop_hands_on_as_it_came_is_known,
          a_module_that_changes_in_a_loop_is_not_known,
          what_a_loop_always_leaves_is_known_behind_it, below_what_is_not_known_nothing_is,
          forks_run_in_the_call_around_them, one_body_that_is_forked_on_two_objects_is_not_known,
          numbers_beyond_the_program_are_not_known,
          a_call_does_not_stand_in_itself_or_in_later_ones,
          methods_that_a_class_does_not_have_call_nothing,
          functions_that_call_themselves_are_refused, programs_that_are_too_large_are_refused,
          programs_that_are_too_deep_are_refused, interfaces_that_call_themselves_are_bounded,
          a_search_can_be_stopped)
