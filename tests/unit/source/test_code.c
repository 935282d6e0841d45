#include "arguments_fixture.h"
#include "source/code/code.h"
#include "source/code/code_tokens.h"
#include "unit.h"

#include <stdio.h>

static htp_status check_bytes(const char *text, size_t count)
{
    /* A copy of exactly its size, so that checkers see reads beyond the end. */
    char *copy = malloc(count ? count : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, count);
    htp_arena arena;
    htp_arena_init(&arena);
    ck_assert_int_eq(htp_arena_recover(&arena), 0);
    htp_code_token_list tokens = {0};
    htp_status status =
        htp_code_check(&arena, &(htp_code_record){"model.pt", "code/m.py", copy, count}, &tokens);
    htp_arena_free(&arena);
    free(copy);
    return status;
}

static htp_status check(const char *text)
{
    return check_bytes(text, strlen(text));
}

/* @p count times @p part, between @p before and @p after. */
static htp_status check_many(const char *before, const char *part, size_t count, const char *after)
{
    static char text[1 << 20];
    size_t size = 0;
    ck_assert_uint_lt(strlen(before) + strlen(part) * count + strlen(after), sizeof(text));
    size += (size_t)sprintf(text + size, "%s", before);
    for (size_t i = 0; i < count; i++) {
        size += (size_t)sprintf(text + size, "%s", part);
    }
    size += (size_t)sprintf(text + size, "%s", after);
    return check_bytes(text, size);
}

/* Nested blocks, each indented by one more. */
static htp_status check_blocks(size_t count)
{
    static char text[1 << 20];
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += (size_t)sprintf(text + size, "%*sif x:\n", (int)i, "");
    }
    size += (size_t)sprintf(text + size, "%*spass\n", (int)count, "");
    return check_bytes(text, size);
}

UNIT_TEST(ordinary_code)
{
    expect_ok(check(""));
    expect_ok(
        check("op_version_set = 1\n\nclass M(Module):\n  __parameters__ = [\"weight\", ]\n"
              "  weight : Tensor\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
              "    if torch.gt(x, -1.5e-3):\n      y = \"a\\\"b(\"\n    else:\n      y = x\n"
              "    return y\n"));
    expect_ok(check("x = '(' # ((((\ny = '''(\n((''' + \"\"\"((\"\"\"\n"));
    expect_ok(check(")]}) x\n"));
    expect_ok(check("x = \\\n  1\n"));
    expect_ok(check_many("x = [", "1., ", 100000, "]\n"));
    expect_ok(check_many("", "x = x + 1\n", 50000, ""));
    expect_ok(check_many("", "if x:\n  y = (1)\nelse:\n  y = [2]\n", 10000, ""));
}

UNIT_TEST(what_is_no_token)
{
    static const char *const texts[] = {"x = \"never ends (((((",
                                        "x = \"ends with \\",
                                        "\"\"\"never ends",
                                        "x = 'of two\nlines'\n",
                                        "x; y\n",
                                        "x = $\n",
                                        "x = \xc3\xa9\n",
                                        "`x`\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        expect_failure(check(texts[i]), HTP_CODE_BAD_INPUT, "expected a valid token but found '");
    }
    expect_failure(check_bytes("x\n\0", 3), HTP_CODE_BAD_INPUT,
                   "found '?' here, in code/m.py, line 2");
    expect_failure(check("if x:\n    y\n  z\n"), HTP_CODE_BAD_INPUT,
                   "invalid indent level 2, in code/m.py, line 3");
    expect_failure(check("  x\ny\n"), HTP_CODE_BAD_INPUT, "invalid indent level 0");
}

UNIT_TEST(nested_brackets)
{
    expect_ok(check_many("x = ", "(", 500, ""));
    expect_failure(check_many("x = ", "(", 501, ""), HTP_CODE_BAD_INPUT,
                   "code/m.py, line 1: brackets are nested more than 500");
    expect_failure(check_many("\n\nx = ", "f([{", 167, ""), HTP_CODE_BAD_INPUT, "line 3: brackets");
    expect_failure(check_many("# type: ", "(", 501, ""), HTP_CODE_BAD_INPUT, "brackets");
    expect_ok(check_many("# ", "(", 501, "\n"));
    expect_failure(check_many("x = ", "(\n", 501, ""), HTP_CODE_BAD_INPUT, "line 501: brackets");
}

UNIT_TEST(nested_blocks)
{
    expect_ok(check_blocks(500));
    expect_failure(check_blocks(502), HTP_CODE_BAD_INPUT,
                   "line 502: blocks are nested more than 500");
    expect_failure(check_many("if x:\n  y = 1\n", "elif x:\n  y = 1\n", 501, ""),
                   HTP_CODE_BAD_INPUT, "\"elif\"");
}

UNIT_TEST(chains)
{
    static const char *const chains[] = {"- ",           "x + ", "not ", ".a",   "()",      "[0]",
                                         "1 if x else ", "'a' ", "~",    "x = ", "x\\\n + "};
    for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        expect_failure(check_many("x = y", chains[i], 2001, "\n"), HTP_CODE_BAD_INPUT,
                       "operators in a row are more than 2000");
        expect_failure(check_many("x = f(y", chains[i], 2001, "\n"), HTP_CODE_BAD_INPUT,
                       "operators in a row are more than 2000");
    }
}

UNIT_MAIN("code", ordinary_code, what_is_no_token, nested_brackets, nested_blocks, chains)
