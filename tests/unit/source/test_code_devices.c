/*
 * Devices in code.
 */
#include "arguments_fixture.h"
#include "code_fixture.h"
#include "source/code/code_values.h"
#include "source/contents/devices.h"
#include "unit.h"

static htp_status take(htp_arena *arena, htp_archive *archive, const char *text)
{
    htp_syntax_module module;
    *archive = (htp_archive){.record_count = 0};
    expect_ok(code_read(arena, text, &module));
    expect_ok(htp_values_check(&module));
    HTP_TRY(htp_devices_take_code(arena, archive, "code/m.py", &module));
    return htp_devices_check("model.pt", archive);
}

/* Whether libtorch gets the text unchanged. */
static bool is_unchanged(const htp_archive *archive, const char *text)
{
    const htp_archive_given *given = archive->given.items;
    return archive->given.count == 1 && given->count == strlen(text) &&
           memcmp(given->bytes, text, given->count) == 0;
}

static void expect_home(htp_arena *arena, const char *body, const char *home)
{
    htp_archive archive;
    const char *text = htp_arena_printf(arena, "def f(x):\n  %s\n", body);
    expect_ok(take(arena, &archive, text));
    const char *found = htp_devices_of(&archive).home;
    ck_assert_msg(home ? found && strcmp(found, home) == 0 : !found, "%s", body);
    ck_assert(is_unchanged(&archive, text));
}

UNIT_TEST(where_tensors_are_made)
{
    expect_home(arena, "y = torch.zeros([2], device=torch.device(\"cuda:1\"))", "cuda:1");
    expect_home(arena, "y = torch.to(x, torch.device(\"cuda\"), 6)", "cuda:0");
    expect_home(arena,
                "y = torch.add(torch.ones([2], device=torch.device(\"cpu\")), torch.ones([2], "
                "device=torch.device('mps:0')))",
                "mps:0");
    expect_home(arena, "y = torch.zeros([2], device=torch.device(\"cpu\"))", NULL);
    expect_home(arena, "y = torch.zeros([2], device=torch.device(\"meta\"))", NULL);
}

UNIT_TEST(what_devices_are_compared_with_tells_nothing)
{
    expect_home(arena, "y = torch.eq(ops.prim.device(x), torch.device(\"cuda:1\"))", NULL);
    expect_home(arena, "y = torch.device(\"cuda:1\")", NULL);
}

UNIT_TEST(what_runs_may_name_anything)
{
    expect_home(arena, "y = torch.device(\"nosuch:3\")", NULL);
    expect_home(arena, "y = torch.device(\"cuda:-1\")", NULL);
    expect_home(arena, "y = torch.zeros([2], device=torch.device(\"\"))", NULL);
}

UNIT_TEST(declared_devices_that_every_libtorch_knows)
{
    htp_archive archive;
    static const char text[] = "def f(x, d: Device=torch.device(\"cuda:0\")):\n  pass\n";
    expect_ok(take(arena, &archive, text));
    ck_assert(is_unchanged(&archive, text));
    ck_assert_ptr_null(htp_devices_of(&archive).renamed);
}

UNIT_TEST(other_declared_devices_get_another_name)
{
    htp_archive archive;
    expect_ok(take(arena, &archive,
                   "class A(Module):\n  d : Final[Device] = torch.device(\"npu:1\")\n"
                   "  def f(x, d: Device=torch.device('npu')):\n    y = torch.device(\"npu\")\n"));
    ck_assert_uint_eq(archive.given.count, 1);
    const htp_archive_given *given = &archive.given.items[0];
    static const char expected[] =
        "class A(Module):\n  d : Final[Device] = torch.device(\"ve:1\" )\n"
        "  def f(x, d: Device=torch.device('ve' )):\n    y = torch.device(\"npu\")\n";
    ck_assert_uint_eq(given->count, sizeof(expected) - 1);
    ck_assert(memcmp(given->bytes, expected, given->count) == 0);
    ck_assert_str_eq(htp_devices_of(&archive).renamed, "npu");
}

static void expect_refused(htp_arena *arena, const char *value, const char *words)
{
    htp_archive archive;
    const char *text = htp_arena_printf(arena, "def f(x, d: Device=%s):\n  pass\n", value);
    expect_failure(take(arena, &archive, text), HTP_CODE_BAD_INPUT, words);
}

UNIT_TEST(declarations_without_a_device)
{
    expect_refused(arena, "torch.device(\"\")", "code/m.py, line 1: a declaration has the device");
    expect_refused(arena, "torch.device(\"cuda:-1\")", "neither TYPE nor TYPE:INDEX");
    expect_refused(arena, "torch.device(\"cu\" \"da\")", "neither TYPE nor TYPE:INDEX");
    expect_refused(arena, "[torch.device(\"cuda:128\")]", "neither TYPE nor TYPE:INDEX");
    expect_refused(arena, "torch.device(\"nosuch:3\")", "which PyTorch does not know");
    expect_refused(arena, "torch.device(\"x\")", "which no libtorch knows");
}

UNIT_MAIN("code: devices", where_tensors_are_made, what_devices_are_compared_with_tells_nothing,
          what_runs_may_name_anything, declared_devices_that_every_libtorch_knows,
          other_declared_devices_get_another_name, declarations_without_a_device)
