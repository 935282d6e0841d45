#include "arguments_fixture.h"
#include "code_fixture.h"
#include "source/code/code_tuples.h"
#include "unit.h"

#define TOO_MUCH                                                                                   \
    "tuples are nested too deep or hold too much, which PyTorch does not write; save the model "   \
    "again"

static htp_status check_code(htp_arena *arena, const char *code, double constant)
{
    htp_syntax_module module;
    expect_ok(code_read(arena, code, &module));
    return htp_tuples_check(arena, "model.pt", &module, 1, constant);
}

/* @p count lines, each with the number of its own and of the one before for "%d", between @p first
 * and @p last, as the body of a function. */
static const char *lines(htp_arena *arena, const char *first, const char *line, int count,
                         const char *last)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "def f(x, y) -> int:\n  %s\n", first);
    for (int i = 1; i <= count; i++) {
        htp_text_add(&text, "  ");
        for (const char *at = line; *at; at++) {
            if (*at == '@') {
                htp_text_addf(&text, "v%d", i);
            } else if (*at == '#') {
                htp_text_addf(&text, "v%d", i - 1);
            } else {
                htp_text_add_bytes(&text, at, 1);
            }
        }
        htp_text_add(&text, "\n");
    }
    htp_text_addf(&text, "  %s\n", last);
    return text.bytes;
}

static void expect_limit(htp_arena *arena, const char *first, const char *line, int few, int many)
{
    expect_ok(check_code(arena, lines(arena, first, line, few, "pass"), 0));
    expect_failure(check_code(arena, lines(arena, first, line, many, "pass"), 0),
                   HTP_CODE_BAD_INPUT, TOO_MUCH);
}

UNIT_TEST(tuples_that_grow)
{
    expect_limit(arena, "v0 = (1, 1)", "@ = (#, #)", 8, 30);
    expect_limit(arena, "v0 = (1, )", "@ = (#, )", 20, 60);
    expect_limit(arena, "v0 = (1, 1)", "@ = (#, #, #, #, #, #, #, #, #, #)", 3, 12);
    expect_limit(arena, "v = (1, 1)", "v = (v, v)", 8, 30);
    expect_limit(arena, "v0 = (1, 1)", "@ = # + #", 15, 40);
    expect_limit(arena, "v = (1, 1)", "v += v", 15, 40);
    expect_limit(arena, "v0 = (1, 1)", "@ = (*#, *#)", 8, 40);
    expect_limit(arena, "v0 = (1, 1)", "@ = (#, #) if x else (#, #)", 8, 30);
    expect_limit(arena, "v0 = (1, 1)", "@, = ((#, #), )", 8, 30);
    expect_limit(arena, "v0 = (1, 1)", "w, *@ = (#, #)", 5, 40);
    expect_limit(arena, "v0 = (1, 1)", "x = @ = (#, #)", 8, 30);
    expect_limit(arena, "v0 = (1, 1)", "@ = [#, (#, #)][0]", 8, 30);
    expect_limit(arena, "v0 = (1, 1)", "@ = {1: (#, #)}[1]", 8, 30);
}

UNIT_TEST(tuples_that_do_not)
{
    expect_ok(check_code(arena, lines(arena, "v0 = 1", "@ = # + #", 5000, "pass"), 0));
    expect_ok(check_code(arena, lines(arena, "v0 = (1, 1)", "@ = f((#, #))", 5000, "pass"), 0));
    expect_ok(check_code(arena, lines(arena, "v0 = (1, 1)", "@ = (#, #).a", 5000, "pass"), 0));
    expect_ok(check_code(arena, lines(arena, "v0 = (1, 1)", "@ = (1, (2, x))", 5000, "pass"), 0));
    expect_ok(check_code(arena, lines(arena, "v = 1", "v += 1", 5000, "pass"), 0));
    expect_ok(check_code(arena, lines(arena, "v = (1, 2)", "a, b = v", 5000, "return a"), 0));
}

/* Variables are local to a function; arguments are plain. */
UNIT_TEST(functions)
{
    htp_text text = {.arena = arena};
    for (int i = 0; i < 60; i++) {
        htp_text_addf(&text, "def f%d(v) -> int:\n  v = (v, v)\n", i);
    }
    expect_ok(check_code(arena, text.bytes, 0));
    expect_failure(
        check_code(arena, "class A:\n  def f(self):\n    return 1, 2\n", 0), HTP_CODE_BAD_INPUT,
        "model.pt: code/m.py, line 3: a function that returns a tuple does not declare it");
    expect_failure(
        check_code(arena, "def f() -> int:\n  def g():\n    return 1, 2\n  return 1\n", 0),
        HTP_CODE_BAD_INPUT, "line 3: a function that returns a tuple");
    expect_failure(check_code(arena, "def f() -> int:\n  # type: ()\n  return 1, 2\n", 0),
                   HTP_CODE_BAD_INPUT, "line 3: a function that returns a tuple");
    expect_ok(check_code(arena, "def f():\n  # type: () -> int\n  return 1, 2\n", 0));
    expect_ok(check_code(arena, "def f():\n  return f((1, 2))\n", 0));
    expect_ok(check_code(arena, "def f():\n  return\n", 0));
}

UNIT_TEST(loops)
{
    expect_ok(check_code(arena, "def f():\n  for i in range(3):\n    pass\n", 0));
    expect_ok(check_code(arena, "def f():\n  for i, j in range(3), range(4):\n    pass\n", 0));
    static const char *const others[] = {"x", "(1, 2)", "range", "x.range(3)", "range(3)[0]"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        expect_failure(check_code(arena,
                                  htp_arena_printf(arena,
                                                   "def f():\n  for i in range(2), %s:\n    "
                                                   "pass\n",
                                                   others[i]),
                                  0),
                       HTP_CODE_BAD_INPUT, "line 2: a loop is over something else than range()");
    }
    expect_failure(check_code(arena, "def f():\n  range = x\n  for i in range(3):\n    pass\n", 0),
                   HTP_CODE_BAD_INPUT, "line 3: a loop is over something else than range()");
    expect_failure(check_code(arena, "def f(range):\n  for i in range(3):\n    pass\n", 0),
                   HTP_CODE_BAD_INPUT, "a loop is over something else than range()");
    expect_failure(check_code(arena, "def f():\n  x = [i for i in y]\n", 0), HTP_CODE_BAD_INPUT,
                   "a list or dict is made by a loop of its own");
    expect_failure(check_code(arena, "def f():\n  return f({i: 1 for i in y})\n", 0),
                   HTP_CODE_BAD_INPUT, "a list or dict is made by a loop of its own");
}

static const char *nested_type(htp_arena *arena, int levels)
{
    htp_text text = {.arena = arena};
    for (int i = 0; i < levels; i++) {
        htp_text_add(&text, "Tuple[");
    }
    htp_text_add(&text, "int");
    for (int i = 0; i < levels; i++) {
        htp_text_add(&text, "]");
    }
    return text.bytes;
}

UNIT_TEST(types)
{
    static const char *const places[] = {
        "def f():\n  v : %s = 1\n",
        "def f(v: %s):\n  pass\n",
        "def f() -> %s:\n  pass\n",
        "class A:\n  v : %s\n",
        "def f():\n  annotate(%s, 1)\n",
        "class A(NamedTuple):\n  v : %s\n",
        "def f(v):\n  # type: (%s) -> int\n  pass\n",
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        htp_text few = {.arena = arena};
        htp_text many = {.arena = arena};
        htp_text most = {.arena = arena};
        const char *at = strstr(places[i], "%s");
        htp_text *const texts[] = {&few, &many, &most};
        const int levels[] = {20, 27, 490};
        for (size_t j = 0; j < 3; j++) {
            htp_text_add_bytes(texts[j], places[i], (size_t)(at - places[i]));
            htp_text_add(texts[j], nested_type(arena, levels[j]));
            htp_text_add(texts[j], at + 2);
        }
        expect_ok(check_code(arena, few.bytes, 0));
        expect_failure(check_code(arena, many.bytes, 0), HTP_CODE_BAD_INPUT, TOO_MUCH);
        expect_failure(check_code(arena, most.bytes, 0), HTP_CODE_BAD_INPUT, TOO_MUCH);
    }
}

/* Any variable may have the declared type. */
UNIT_TEST(declared_types_and_constants)
{
    const char *tuples = lines(arena, "v0 = (1, 1)", "@ = (#, #)", 8, "pass");
    expect_ok(check_code(arena, tuples, 0));
    expect_ok(check_code(arena, tuples, 100));
    expect_failure(check_code(arena, tuples, 1 << 20), HTP_CODE_BAD_INPUT, TOO_MUCH);
    expect_failure(check_code(arena, "", 1e9), HTP_CODE_BAD_INPUT,
                   "model.pt: damaged archive: constants.pkl: tuples are nested too deep");
    expect_failure(check_code(arena,
                              htp_arena_printf(arena, "%sdef g(x: %s):\n  pass\n", tuples,
                                               nested_type(arena, 20)),
                              0),
                   HTP_CODE_BAD_INPUT, TOO_MUCH);
}

static const char *named_tuples(htp_arena *arena, const char *module, int count)
{
    htp_text text = {.arena = arena};
    for (int i = 0; i < count; i++) {
        htp_text_addf(&text, "class T%d(NamedTuple):\n  a : %s.T%d\n  b : %s. T%d\n", i, module,
                      i + 1, module, i + 1);
    }
    htp_text_addf(&text, "class T%d(NamedTuple):\n  a : int\n", count);
    return text.bytes;
}

UNIT_TEST(named_tuples_in_named_tuples)
{
    expect_ok(check_code(arena, named_tuples(arena, "__torch__.m", 8), 0));
    expect_failure(check_code(arena, named_tuples(arena, "__torch__.m", 40), 0), HTP_CODE_BAD_INPUT,
                   TOO_MUCH);
    expect_failure(check_code(arena, named_tuples(arena, "__TORCH__.m", 40), 0), HTP_CODE_BAD_INPUT,
                   TOO_MUCH);
    expect_ok(check_code(arena, named_tuples(arena, "__torch__.other", 40), 0));
    expect_failure(check_code(arena, named_tuples(arena, "__torch__.m", 60), 0), HTP_CODE_BAD_INPUT,
                   "named tuples are nested too deep");
    expect_failure(check_code(arena, "class T(NamedTuple):\n  a : __torch__.m.T\n", 0),
                   HTP_CODE_BAD_INPUT, "line 2: named tuples are nested too deep");
    expect_ok(check_code(arena, "class T(NamedTuple):\n  a : __torch__.m.t\n", 0));
    expect_ok(check_code(arena, "class T(Module):\n  a : __torch__.m.T\n", 0));
}

/* Half of them in another record. */
UNIT_TEST(records)
{
    htp_syntax_module modules[2];
    expect_ok(code_read(arena, "class T(NamedTuple):\n  a : List[__torch__.N.T]\n", &modules[0]));
    expect_ok(code_read(arena, "class T(NamedTuple):\n  a : __torch__.m.T\n", &modules[1]));
    modules[1].qualifier = "__torch__.n";
    expect_failure(htp_tuples_check(arena, "model.pt", modules, 2, 0), HTP_CODE_BAD_INPUT,
                   "named tuples are nested too deep");
    modules[1].qualifier = "__torch__.o";
    expect_ok(htp_tuples_check(arena, "model.pt", modules, 2, 0));
}

UNIT_MAIN("code_tuples", tuples_that_grow, tuples_that_do_not, functions, loops, types,
          declared_types_and_constants, named_tuples_in_named_tuples, records)
