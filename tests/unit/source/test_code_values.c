#include "arguments_fixture.h"
#include "code_fixture.h"
#include "source/code/code_values.h"
#include "unit.h"

static htp_status check(htp_arena *arena, const char *code)
{
    htp_syntax_module module;
    expect_ok(code_read(arena, code, &module));
    return htp_values_check(&module);
}

static htp_status check_default(htp_arena *arena, const char *value)
{
    return check(arena, htp_arena_printf(arena, "def f(a, b: int=%s):\n  pass\n", value));
}

static htp_status check_constant(htp_arena *arena, const char *value)
{
    return check(arena, htp_arena_printf(
                            arena, "class A(Module):\n  x : int\n  y : Final[int] = %s\n", value));
}

UNIT_TEST(literals)
{
    static const char *const values[] = {
        "1",
        "-1",
        "- -1",
        "1.5",
        "1j",
        "1.-2.j",
        "-1.+2.j",
        "'a'",
        "'a' 'b'",
        "True",
        "False",
        "None",
        "inf",
        "-inf",
        "x",
        "__torch__.Color.RED",
        "[]",
        "[1, -2]",
        "(1, 'a', [None])",
        "()",
        "{}",
        "{1: 'a', 'b': [2]}",
        "torch.device(\"cpu\")",
        "annotate(List[int], [])",
        "annotate(Optional[f(x)], None)",
        "(1)",
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        expect_ok(check_default(arena, values[i]));
        expect_ok(check_constant(arena, values[i]));
    }
}

UNIT_TEST(what_runs)
{
    static const char *const values[] = {
        "f()",
        "f(1).x",
        "[f()]",
        "(1, f())",
        "{1: f()}",
        "{f(): 1}",
        "-f()",
        "1 + f()",
        "1 * 2",
        "not x",
        "~1",
        "x[0]",
        "[0][0]",
        "x if y else z",
        "1 == 2",
        "x and y",
        "[i for i in x]",
        "{i: 1 for i in x}",
        "*x",
        "...",
        "torch.device(x)",
        "torch.device('cpu', 1)",
        "torch . device('cpu')",
        "torch.device(type='cpu')",
        "torch.device(f())",
        "annotate(int, f())",
        "annotate(int)",
        "annotate(int, 1, 2)",
        "annotate(int, x=1)",
        "annotate(a=int, b=1)",
        "x.annotate(int, 1)",
        "f().device('cpu')",
        "'a'.upper()",
        "(1).x",
        "1 ** 2",
        "x @ y",
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        expect_failure(check_default(arena, values[i]), HTP_CODE_UNSUPPORTED,
                       "model.pt: code/m.py, line 1: the default of argument b is computed by \"");
        expect_failure(check_constant(arena, values[i]), HTP_CODE_UNSUPPORTED,
                       "model.pt: code/m.py, line 3: y of class A is computed by \"");
    }
}

UNIT_TEST(where_values_are_declared)
{
    expect_ok(check(arena, "class A:\n  x : f()\n  __annotations__[\"0\"] = f(x)\n  x += f()\n"));
    expect_ok(check(arena, "def f(a: List[g()]) -> g():\n  x = g(y=h())\n  x : int = g()\n"));
    expect_failure(check(arena, "class A:\n  def f(self, a: int=g()) -> int:\n    pass\n"),
                   HTP_CODE_UNSUPPORTED, "line 2: the default of argument a is computed by \"g(\"");
    expect_failure(check(arena, "def f():\n  if x:\n    def g(y, *, z=h(1)):\n      pass\n"),
                   HTP_CODE_UNSUPPORTED, "line 3: the default of argument z");
    expect_failure(check(arena, "class A(NamedTuple):\n  x : int = f(1)\n"), HTP_CODE_UNSUPPORTED,
                   "x of class A is computed by \"f(1\", which does not run when a file is opened; "
                   "write out its value");
    expect_failure(check(arena, "class A:\n  x = y = f()\n"), HTP_CODE_UNSUPPORTED, "x of class A");
    expect_failure(check(arena, "class A:\n  a.b = f()\n"), HTP_CODE_UNSUPPORTED, "a.b of class A");
}

UNIT_TEST(constants_without_values)
{
    expect_failure(check(arena, "def f(x):\n"
                                "  w = ops.prim.ConstantMKLDNNTensor()\n"
                                "  return torch.add(x, w)\n"),
                   HTP_CODE_BAD_INPUT, "line 2: the file has lost weights");
    expect_ok(check(arena, "def f(x):\n  return ops.prim.dtype(x)\n"));
}

UNIT_TEST(long_values)
{
    expect_failure(
        check_default(arena, "f('012345678901234567890123456789012345678901234567890123456')"),
        HTP_CODE_UNSUPPORTED,
        "\"f('012345678901234567890123456789012345678901234567890123456...\"");
    expect_failure(check_default(arena, "f(1,\n2)"), HTP_CODE_UNSUPPORTED, "\"f(1, 2\"");
}

UNIT_MAIN("code_values", literals, what_runs, where_values_are_declared, constants_without_values,
          long_values)
