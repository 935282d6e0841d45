#include "arguments_fixture.h"
#include "code_fixture.h"
#include "unit.h"

/* The declarations of a record as text. */
static void expect_tree(htp_arena *arena, const char *code, const char *tree)
{
    htp_syntax_module module;
    htp_text text = {.arena = arena};
    expect_ok(code_read(arena, code, &module));
    for (uint32_t i = 0; i < module.declarations->count; i++) {
        code_write(&text, &module, module.declarations->parts[i]);
    }
    ck_assert_str_eq(text.bytes ? text.bytes : "", tree);
}

/* A statement in a function. */
static void expect_statement(htp_arena *arena, const char *code, const char *tree)
{
    expect_tree(arena, htp_arena_printf(arena, "def f():\n  %s\n", code),
                htp_arena_printf(arena, "(def f (row) - - (row %s))", tree));
}

static void expect_value(htp_arena *arena, const char *code, const char *tree)
{
    expect_statement(arena, code, htp_arena_printf(arena, "(do %s)", tree));
}

static void expect_refusal(htp_arena *arena, const char *code, const char *words)
{
    htp_syntax_module module;
    expect_failure(code_read(arena, code, &module), HTP_CODE_BAD_INPUT, words);
}

UNIT_TEST(values)
{
    static const char *const plain[] = {
        "x",       "_x1",   "inf",  "1",     "1.",      ".5",       "1e3",
        "1.5e-3",  "2E+4",  "1j",   "1.5j",  "0x1F",    "0x.8",     "0x1p3",
        "True",    "False", "None", "...",   "'a'",     "\"a\"",    "''",
        "'a\\'b'", "'#'",   "isx",  "notin", "nothing", "NoneType", "defx",
    };
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        expect_value(arena, plain[i], plain[i]);
    }
    expect_value(arena, "'''a\n'b'''", "'''a\n'b'''");
    expect_value(arena, "'a\\\nb'", "'a\\\nb'");
    expect_value(arena, "'a' \"b\"", "'a'");
    expect_value(arena, "x # ' (", "x");
}

UNIT_TEST(collections)
{
    expect_value(arena, "()", "(tuple)");
    expect_value(arena, "(x)", "x");
    expect_value(arena, "(x, )", "(tuple x)");
    expect_value(arena, "x, y", "(tuple x y)");
    expect_value(arena, "((x, y), *z)", "(tuple (tuple x y) (starred z))");
    expect_value(arena, "[]", "(list)");
    expect_value(arena, "[1, 2, ]", "(list 1 2)");
    expect_value(arena, "[[1], x]", "(list (list 1) x)");
    expect_value(arena, "{}", "(dict)");
    expect_value(arena, "{1: x, 2: y}", "(dict 1 x 2 y)");
    expect_value(arena, "[x for x in y]", "(list-of x x y)");
    expect_value(arena, "[f(x) for x.y in z]", "(list-of (call f x) (attribute y x) z)");
    expect_value(arena, "{x: 1 for x in y}", "(dict-of x 1 x y)");
    expect_value(arena, "[1,\n2,\n  # (\n3]", "(list 1 2 3)");
}

UNIT_TEST(what_follows_values)
{
    expect_value(arena, "a.b.c", "(attribute c (attribute b a))");
    expect_value(arena, "f()", "(call f)");
    expect_value(arena, "f(x, y=1, *z, )(2)", "(call (call f x (keyword y 1) (starred z)) 2)");
    expect_value(arena, "f(x == y)", "(call f (eq x y))");
    expect_value(arena, "x[1]", "(subscript x 1)");
    expect_value(arena, "x[1, 2:]", "(subscript x 1 (slice 2 - -))");
    expect_value(arena, "x[:]", "(subscript x (slice - - -))");
    expect_value(arena, "x[::2, :3]", "(subscript x (slice - - 2) (slice - 3 -))");
    expect_value(arena, "x[1:2:3]", "(subscript x (slice 1 2 3))");
    expect_value(arena, "x[1::]", "(subscript x (slice 1 - -))");
    expect_value(arena, "(x).y[0](z)", "(call (subscript (attribute y x) 0) z)");
}

UNIT_TEST(operators)
{
    expect_value(arena, "a + b * c", "(+ a (* b c))");
    expect_value(arena, "a - b - c", "(- (- a b) c)");
    expect_value(arena, "a ** b ** c", "(pow operator a (pow operator b c))");
    expect_value(arena, "-a ** b", "(- (pow operator a b))");
    expect_value(arena, "- a * b", "(* (- a) b)");
    expect_value(arena, "not a == b", "(not (eq a b))");
    expect_value(arena, "a not in b", "(not (in a b))");
    expect_value(arena, "a is not b", "(is not a b)");
    expect_value(arena, "a is nothing", "(is not a hing)");
    expect_value(arena, "a or b and c", "(and (or a b) c)");
    expect_value(arena, "a if b else c if d else e", "(choose b a (choose d c e))");
    expect_value(arena, "a + b if c else d", "(choose c (+ a b) d)");
    expect_value(arena, "a << b | c & d ^ e", "(| (<< a b) (^ (& c d) e))");
    expect_value(arena, "~a // b @ c % d", "(~ (% (@ (floordiv a b) c) d))");
}

UNIT_TEST(lines)
{
    expect_statement(arena, "x = 1", "(assign x - 1)");
    expect_statement(arena, "x : int = 1", "(assign x int 1)");
    expect_statement(arena, "x : List[int]", "(assign x (subscript List int) -)");
    expect_statement(arena, "x = y = z = 1", "(assign x - y z 1)");
    expect_statement(arena, "a, (b, *c) = x", "(assign (tuple a (tuple b (starred c))) - x)");
    expect_statement(arena, "a, = x", "(assign (tuple a) - x)");
    expect_statement(arena, "x = 1, 2", "(assign x - (tuple 1 2))");
    expect_statement(arena, "x.y[0] += 2", "(assign + (subscript (attribute y x) 0) 2)");
    expect_statement(arena, "x **= 2", "(assign pow operator x 2)");
    expect_statement(arena, "return", "(return -)");
    expect_statement(arena, "return x, y", "(return (tuple x y))");
    expect_statement(arena, "raise x", "(raise x)");
    expect_statement(arena, "assert x, y", "(assert x y)");
    expect_statement(arena, "assert x", "(assert x -)");
    expect_statement(arena, "del x[0], y", "(del (subscript x 0) y)");
    expect_statement(arena, "global x, y", "(global x y)");
    expect_statement(arena, "pass\n  break\n  continue", "(pass) (break) (continue)");
    expect_statement(arena, "x = \\\n 1", "(assign x - 1)");
}

UNIT_TEST(blocks)
{
    expect_statement(arena, "if a:\n    b\n  c", "(if a (row (do b)) -) (do c)");
    expect_statement(arena, "if a:\n    b\n  else:\n    c", "(if a (row (do b)) (row (do c)))");
    expect_statement(arena, "if a:\n    b\n  elif c:\n    d\n  else:\n    e",
                     "(if a (row (do b)) (row (if c (row (do d)) (row (do e)))))");
    expect_statement(arena, "while a:\n      b\n\n  # c\n      d", "(while a (row (do b) (do d)))");
    expect_statement(arena, "for i in range(3):\n    x",
                     "(for (row i) (row (call range 3)) (row (do x)))");
    expect_statement(arena, "for i, j, in a, b:\n    x", "(for (row i j) (row a b) (row (do x)))");
    expect_statement(arena, "with a as b, c:\n    x",
                     "(with (row (item a b) (item c -)) (row (do x)))");
    expect_statement(arena, "if a:\n\t\t if b:\n\t\t\t\t c\n  d",
                     "(if a (row (if b (row (do c)) -)) -) (do d)");
}

UNIT_TEST(declarations)
{
    expect_tree(arena, "", "");
    expect_tree(arena, "\n\n# nothing\n", "");
    expect_tree(arena, "op_version_set = 1\nimport __torch__.a\nimport b\ndef f(): pass\n",
                "(def f (row) - - (row (pass)))");
    expect_tree(arena, "def f(self, x: int=1, *, y,) -> int:\n  pass\n",
                "(def f (row (parameter self - -) (parameter x int 1) (parameter y - -)) int - "
                "(row (pass)))");
    expect_tree(arena, "def f(x, y):\n  # type: (int, List[int]) -> int\n  pass\n",
                "(def f (row (parameter x - -) (parameter y - -)) int (row int (subscript List "
                "int)) (row (pass)))");
    expect_tree(arena, "def f(x) -> int: # type: (int) pass\n",
                "(def f (row (parameter x - -)) - (row int) (row (pass)))");
    expect_tree(arena, "class A:\n  x : int\n", "(class A - (row (assign x int -)))");
    expect_tree(arena,
                "class A(Module):\n  def f(self):\n    def g(): return\nclass B(a.b):\n  x\n",
                "(class A Module (row (def f (row (parameter self - -)) - - (row (def g (row) - - "
                "(row (return -)))))))(class B (attribute b a) (row (do x)))");
}

UNIT_TEST(what_is_no_statement)
{
    static const char *const statements[] = {
        "x y",
        "x = ",
        "x = (1",
        "x = 1)",
        "x[]]",
        "{1: 2, }",
        "{1}",
        "{1: 2:}",
        "x.1",
        "x..y",
        "1_0",
        "x ? y",
        "x = !y",
        "lambda x: y",
        "yield x",
        "x if y",
        "[x for y]",
        "for x in y: z",
        "if x:\ny",
        "if x y",
        "else:\n    x",
        "while x",
        "with x as 1:\n    y",
        "del x,",
        "global 1",
        "return return",
        "u'a'",
        "b'a'",
        "x <> y",
        "f(x=)",
        "f(x for)",
        "pass 1",
        "break x",
        "x : ",
        "x : int int",
        "class A:\n    x",
        "import x",
        "x = y : int",
        "# type: (int)",
        "x +",
        "not",
        "x, , y",
        "(, )",
        "x = 'a\n'",
        "try:\n    x",
        "x = $",
    };
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        expect_refusal(arena, htp_arena_printf(arena, "def f():\n  %s\n", statements[i]),
                       ", in code/m.py, line ");
    }
}

UNIT_TEST(what_is_no_code)
{
    static const char *const codes[] = {
        "x\n",
        "x = 1\n",
        "  \nx",
        "pass\n",
        "class A",
        "class A:\n",
        "class A:\npass\n",
        "class A(:\n  pass\n",
        "class:\n  pass\n",
        "def f:\n  pass\n",
        "def f()\n  pass\n",
        "def f():\n  pass",
        "def f(1):\n  pass\n",
        "def f(x: Optional[]):\n  pass\n",
        "def f(x) -> List[]:\n  pass\n",
        "def f(x):\n  # type: (Dict[]) -> int\n  pass\n",
        "def f(x):\n  return x[]\n",
        "def f(x y):\n  pass\n",
        "def f(*, *, x):\n  pass\n",
        "def f() ->:\n  pass\n",
        "import x",
        "op_version_set = x\n",
        "op_version_set : 1\n",
        "def f():\n  # type: int\n  pass\n",
        "# type: ignore\n",
        "def f():\n    pass\n   pass\n",
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        expect_refusal(arena, codes[i], ", in code/m.py, line ");
    }
    expect_refusal(arena, "def f():\n  return )\n",
                   "model.pt: expected ident but found ')' here, in code/m.py, line 2");
    expect_refusal(arena, "def f():\n  return x",
                   "expected newline but found 'eof' here, in code/m.py, line 2");
    expect_refusal(arena, "\nx = 1\n",
                   "Unexpected token in code import: ident, in code/m.py, line 2");
}

/* Chains and brackets that are each within their limits exceed the joint one. */
UNIT_TEST(levels)
{
    htp_text signs = {.arena = arena};
    htp_text sums = {.arena = arena};
    htp_text sum = {.arena = arena};
    htp_text few = {.arena = arena};
    htp_text_add(&few, "x = ");
    for (size_t i = 0; i < 1000; i++) {
        htp_text_add(&sum, " + 1");
        htp_text_add(&few, "- ");
    }
    htp_text_add(&few, "1");
    htp_text_add(&few, sum.bytes);
    for (size_t i = 0; i < 400; i++) {
        htp_text_add(&signs, "(- - - - - - - - - -");
        htp_text_add(&sums, "(");
    }
    htp_text_add(&sums, "1");
    for (size_t i = 0; i < 400; i++) {
        htp_text_add(&sums, " + 1 + 1 + 1 + 1 + 1 + 1 + 1)");
    }
    expect_refusal(arena, htp_arena_printf(arena, "def f():\n  x = %s\n", signs.bytes),
                   "code/m.py, line 2: levels of code are more than 2500, which PyTorch does not");
    expect_refusal(arena, htp_arena_printf(arena, "def f():\n  x = %s\n", sums.bytes),
                   "levels of code are more than 2500");
    expect_refusal(arena, htp_arena_printf(arena, "def f():\n  %s\n", few.bytes),
                   "operators in a row are more than 2000");
    expect_refusal(arena, "def f():\n  x = (\n", "found 'eof'");
}

UNIT_TEST(places)
{
    htp_syntax_module module;
    expect_ok(code_read(arena, "def f():\n  x = torch.a( 1, [2])\n", &module));
    const htp_syntax_node *call = module.declarations->parts[0]->parts[3]->parts[0]->parts[2];
    ck_assert_int_eq(call->kind, HTP_SYNTAX_CALL);
    ck_assert_int_eq(
        strncmp(module.code.text + call->start, "torch.a( 1, [2", call->end - call->start), 0);
    ck_assert_uint_eq(call->end - call->start, strlen("torch.a( 1, [2"));
    ck_assert_uint_eq(htp_code_line(&module.code, call->start), 2);
    ck_assert_uint_eq(htp_code_line(&module.code, 0), 1);
}

UNIT_MAIN("code_syntax", values, collections, what_follows_values, operators, lines, blocks,
          declarations, what_is_no_statement, what_is_no_code, levels, places)
