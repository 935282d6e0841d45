#include "hierarchy/aliases.h"

#include "base/text.h"
#include "module_list.h"
#include "unit.h"

#include <string.h>

static const int64_t shape[] = {3};
static const int64_t dense[] = {1};

typedef HTP_VECTOR(htp_weight) weight_list;

typedef struct program {
    htp_arena *arena;
    module_list modules;
    weight_list weights;
} program;

static uint32_t add(program *p, uint32_t parent, const char *name, const char *class,
                    uint32_t calls)
{
    uint32_t module = module_list_add(p->arena, &p->modules, parent, name, class);
    p->modules.calls.items[module] = calls;
    return module;
}

static void hold(program *p, uint32_t module, const char *name, uint64_t storage, int64_t offset)
{
    const char *path = p->modules.items[module].path;
    htp_weight weight = {.name = *path ? htp_arena_printf(p->arena, "%s.%s", path, name) : name,
                         .module = module,
                         .dtype = HTP_DTYPE_FLOAT32,
                         .rank = 1,
                         .dims = shape,
                         .strides = dense,
                         .storage = storage,
                         .storage_offset = offset};
    HTP_PUSH(p->arena, &p->weights, weight);
}

/* The aliases of all modules: "a: b c; d: e;". */
static const char *find(program *p)
{
    htp_text text = {.arena = p->arena};
    const htp_instance *modules = p->modules.items;
    uint32_t count = (uint32_t)p->modules.count;
    const htp_parameters *parameters = htp_parameters_count(
        p->arena, modules, count, p->weights.items, (uint32_t)p->weights.count);
    const htp_alias_list *lists = htp_aliases_find(p->arena, modules, count, p->modules.calls.items,
                                                   p->weights.items, parameters);
    for (uint32_t i = 0; i < count; i++) {
        for (size_t k = 0; k < lists[i].count; k++) {
            htp_text_addf(&text, "%s%s%s", k ? " " : modules[i].path, k ? "" : ": ",
                          lists[i].paths[k]);
        }
        htp_text_add(&text, lists[i].count ? "; " : "");
    }
    return htp_text_string(&text);
}

static program begin(htp_arena *arena)
{
    program p = {.arena = arena};
    add(&p, HTP_NONE, "", "pkg.Net", 1);
    return p;
}

UNIT_TEST(the_called_one_has_the_names_of_the_others)
{
    program p = begin(arena);
    hold(&p, add(&p, 0, "a", "pkg.X", 0), "w", 1, 0);
    hold(&p, add(&p, 0, "b", "pkg.X", 2), "w", 1, 0);
    hold(&p, add(&p, 0, "c", "pkg.X", 0), "w", 1, 0);
    ck_assert_str_eq(find(&p), "b: a c; ");
}

UNIT_TEST(all_that_are_called_have_the_others)
{
    program p = begin(arena);
    hold(&p, add(&p, 0, "a", "pkg.X", 1), "w", 1, 0);
    hold(&p, add(&p, 0, "b", "pkg.X", 1), "w", 1, 0);
    hold(&p, add(&p, 0, "c", "pkg.X", 0), "w", 1, 0);
    ck_assert_str_eq(find(&p), "a: b c; b: a c; ");
}

UNIT_TEST(the_first_where_none_is_called)
{
    program p = begin(arena);
    hold(&p, add(&p, 0, "a", "pkg.X", 0), "w", 1, 0);
    hold(&p, add(&p, 0, "b", "pkg.X", 0), "w", 1, 0);
    ck_assert_str_eq(find(&p), "a: b; ");
}

UNIT_TEST(other_classes_names_and_places_make_no_twins)
{
    program p = begin(arena);
    hold(&p, add(&p, 0, "a", "pkg.X", 1), "w", 1, 0);
    hold(&p, add(&p, 0, "b", "pkg.Y", 0), "w", 1, 0);
    hold(&p, add(&p, 0, "c", "pkg.X", 0), "v", 1, 0);
    hold(&p, add(&p, 0, "d", "pkg.X", 0), "w", 1, 3);
    uint32_t more = add(&p, 0, "e", "pkg.X", 0);
    hold(&p, more, "w", 1, 0);
    hold(&p, more, "v", 2, 0);
    add(&p, 0, "f", "pkg.Z", 1);
    add(&p, 0, "g", "pkg.Z", 0);
    ck_assert_str_eq(find(&p), "");
}

UNIT_TEST(tensors_without_a_storage_make_no_twins)
{
    program p = begin(arena);
    hold(&p, add(&p, 0, "a", "pkg.X", 1), "w", 1, 0);
    hold(&p, add(&p, 0, "b", "pkg.X", 1), "w", 1, 0);
    p.weights.items[0].dtype = HTP_DTYPE_OTHER;
    p.weights.items[1].dtype = HTP_DTYPE_OTHER;
    ck_assert_str_eq(find(&p), "");
}

/* Modules below twins are twins, too; for uncalled ones, called modules below count. */
UNIT_TEST(trees_of_twins)
{
    program p = begin(arena);
    for (uint32_t called = 0; called < 2; called++) {
        uint32_t list = add(&p, 0, called ? "used" : "spare", "torch.nn.ModuleList", 0);
        uint32_t layer = add(&p, list, "0", "pkg.Layer", called);
        hold(&p, add(&p, layer, "norm", "pkg.Norm", called), "w", 1, 0);
        add(&p, layer, "gate", "pkg.Gate", called);
    }
    ck_assert_str_eq(find(&p), "used: spare; used.0: spare.0; used.0.norm: spare.0.norm; ");
}

UNIT_TEST(trees_that_differ_below)
{
    program p = begin(arena);
    for (uint32_t called = 0; called < 2; called++) {
        uint32_t layer = add(&p, 0, called ? "a" : "b", "pkg.Layer", called);
        hold(&p, add(&p, layer, "norm", "pkg.Norm", called), "w", 1, 0);
        add(&p, layer, called ? "gate" : "door", "pkg.Gate", called);
    }
    ck_assert_str_eq(find(&p), "a.norm: b.norm; ");
}

/* An object with two names in the file is only below the first. */
UNIT_TEST(twins_that_hold_one_object)
{
    static const char *const further[] = {"b.inner"};
    program p = begin(arena);
    uint32_t a = add(&p, 0, "a", "pkg.Layer", 1);
    uint32_t inner = add(&p, a, "inner", "pkg.Inner", 1);
    hold(&p, inner, "w", 1, 0);
    p.modules.items[inner].aliases = further;
    p.modules.items[inner].alias_count = 1;
    add(&p, 0, "b", "pkg.Layer", 0);
    ck_assert_str_eq(find(&p), "a: b; a.inner: b.inner; ");
}

UNIT_TEST(many_twins_are_listed_once)
{
    program p = begin(arena);
    enum { MANY = 20000 };
    for (uint32_t i = 0; i < MANY; i++) {
        hold(&p, add(&p, 0, htp_arena_printf(arena, "m%u", (unsigned)i), "pkg.X", i > 0), "w", 1,
             0);
    }
    const htp_parameters *parameters =
        htp_parameters_count(arena, p.modules.items, (uint32_t)p.modules.count, p.weights.items,
                             (uint32_t)p.weights.count);
    const htp_alias_list *lists =
        htp_aliases_find(arena, p.modules.items, (uint32_t)p.modules.count, p.modules.calls.items,
                         p.weights.items, parameters);
    for (uint32_t i = 0; i < p.modules.count; i++) {
        UNIT_CHECK(lists[i].count == (i == 2 ? MANY - 1 : 0));
    }
}

UNIT_MAIN("aliases", the_called_one_has_the_names_of_the_others,
          all_that_are_called_have_the_others, the_first_where_none_is_called,
          other_classes_names_and_places_make_no_twins, tensors_without_a_storage_make_no_twins,
          trees_of_twins, trees_that_differ_below, twins_that_hold_one_object,
          many_twins_are_listed_once)
