#include "unit.h"
#include "verify/axes.h"

static int64_t size_of(htp_arena *arena, const char *formula)
{
    static const int64_t sizes[] = {3, 10};
    htp_made_axes axes = {.sizes = sizes};
    htp_made_axes_add(arena, &axes, "batch");
    htp_made_axes_add(arena, &axes, "past_1");
    return htp_made_axes_size(&axes, formula);
}

UNIT_TEST(formulas_of_axes)
{
    static const struct {
        const char *formula;
        int64_t size;
    } cases[] = {
        {"batch", 3},
        {"past_1 + batch", 13},
        {"2*batch - 1", 5},
        {"past_1//4*(batch + 1)", 8},
        {"((batch))", 3},
        {" 7 ", 7},
        {"unknown", -1},
        {"batch +", -1},
        {"(batch", -1},
        {"batch)", -1},
        {"batch - past_1", -1},
        {"batch//0", -1},
        {"99999999999", -1},
        {"past_1*999999999", -1},
        {"", -1},
        {"((((((((((((((((((((((((((((((((((batch))))))))))))))))))))))))))))))))))", -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        ck_assert_msg(size_of(arena, cases[i].formula) == cases[i].size, "%s: %lld",
                      cases[i].formula, (long long)size_of(arena, cases[i].formula));
    }
}

UNIT_TEST(axes_are_named_by_formulas_once)
{
    htp_made_axes axes = {.sizes = NULL};
    htp_made_axes_add(arena, &axes, "past + 2*sequence");
    htp_made_axes_add(arena, &axes, "sequence");
    ck_assert_uint_eq(axes.names.count, 2);
    ck_assert_str_eq(axes.names.items[0], "past");
    ck_assert_str_eq(axes.names.items[1], "sequence");
}

UNIT_MAIN("axes", formulas_of_axes, axes_are_named_by_formulas_once)
