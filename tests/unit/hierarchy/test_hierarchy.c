#include "base/map.h"
#include "hierarchy/hierarchy.h"
#include "module_list.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define CONTAINER "torch.nn.modules.container.ModuleList"
#define SEQUENTIAL "torch.nn.modules.container.Sequential"
#define LINEAR "torch.nn.modules.linear.Linear"

static const htp_hierarchy *build(htp_arena *arena, const module_list *list, bool include_torch_nn)
{
    htp_hierarchy_options options = {include_torch_nn};
    return htp_hierarchy_build(arena, list->items, (uint32_t)list->count, &options);
}

#define ADD(parent, name, qualified_class)                                                         \
    module_list_add(arena, &list, (parent), (name), (qualified_class))

#define TAG(module) (hierarchy->modules[module].tag)
#define FULL_TAG(module) (hierarchy->modules[module].full_tag)

UNIT_TEST(layers_1_and_10_are_told_apart)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t layers = ADD(0, "layers", CONTAINER);
    uint32_t first = HTP_NONE;
    for (int i = 0; i < 12; i++) {
        uint32_t layer = ADD(layers, htp_arena_printf(arena, "%d", i), "pkg.Layer");
        ADD(layer, "linear", LINEAR);
        first = i == 0 ? layer : first;
    }
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(0), "/Net");
    ck_assert_str_eq(TAG(layers), "/Net");
    ck_assert_str_eq(TAG(first + 2), "/Net/Layer.1");
    ck_assert_str_eq(TAG(first + 20), "/Net/Layer.10");
    ck_assert_str_eq(TAG(first + 21), "/Net/Layer.10");
    ck_assert_uint_eq(hierarchy->modules[first + 21].owner, first + 20);
    ck_assert_str_eq(FULL_TAG(first + 21), "/Net/ModuleList/Layer.10/Linear");
    ck_assert_uint_eq(hierarchy->modules[first + 21].level, 3);
    ck_assert(hierarchy->modules[first + 21].is_leaf);
    ck_assert(hierarchy->modules[first + 21].is_torch_nn);
    ck_assert(!hierarchy->modules[first + 21].is_eligible);
    ck_assert_str_eq(hierarchy->modules[first + 21].class_name, "Linear");
    ck_assert(!hierarchy->modules[layers].is_leaf);
}

UNIT_TEST(two_lists_of_one_class)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t encoder = ADD(0, "encoder", CONTAINER);
    uint32_t e0 = ADD(encoder, "0", "pkg.Block");
    uint32_t e1 = ADD(encoder, "1", "pkg.Block");
    uint32_t decoder = ADD(0, "decoder", CONTAINER);
    uint32_t d0 = ADD(decoder, "0", "pkg.Block");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(e0), "/Net/Block.encoder.0");
    ck_assert_str_eq(TAG(e1), "/Net/Block.encoder.1");
    ck_assert_str_eq(TAG(d0), "/Net/Block.decoder.0");
    ck_assert_str_eq(FULL_TAG(e0), "/Net/ModuleList.encoder/Block.0");
    ck_assert_str_eq(FULL_TAG(d0), "/Net/ModuleList.decoder/Block.0");
}

UNIT_TEST(two_lists_of_different_classes_and_numbers)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t a = ADD(0, "a", CONTAINER);
    uint32_t x = ADD(a, "0", "pkg.X");
    uint32_t y = ADD(a, "1", "pkg.Y");
    uint32_t b = ADD(0, "b", CONTAINER);
    uint32_t x1 = ADD(b, "1", "other.X");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(x), "/Net/X.0");
    ck_assert_str_eq(TAG(y), "/Net/Y.1");
    ck_assert_str_eq(TAG(x1), "/Net/X.1");
}

UNIT_TEST(nested_sequentials)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t outer = ADD(0, "features", SEQUENTIAL);
    uint32_t stem = ADD(outer, "0", SEQUENTIAL);
    uint32_t stem0 = ADD(stem, "0", "pkg.Cell");
    uint32_t body = ADD(outer, "1", SEQUENTIAL);
    uint32_t body0 = ADD(body, "0", "pkg.Cell");
    uint32_t alone = ADD(body, "1", "pkg.Gate");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(stem0), "/Net/Cell.features.0.0");
    ck_assert_str_eq(TAG(body0), "/Net/Cell.features.1.0");
    ck_assert_str_eq(TAG(alone), "/Net/Gate.1");
    ck_assert_str_eq(FULL_TAG(body0), "/Net/Sequential/Sequential.1/Cell.0");
}

UNIT_TEST(siblings_of_one_class)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t before = ADD(0, "input_norm", "pkg.Norm");
    uint32_t after = ADD(0, "output_norm", "pkg.Norm");
    uint32_t head = ADD(0, "head", "pkg.Head");
    uint32_t inner = ADD(head, "norm", "pkg.Norm");
    uint32_t numbered = ADD(0, "7", "pkg.Norm");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(before), "/Net/Norm.input_norm");
    ck_assert_str_eq(TAG(after), "/Net/Norm.output_norm");
    ck_assert_str_eq(TAG(numbered), "/Net/Norm.7");
    ck_assert_str_eq(TAG(head), "/Net/Head");
    ck_assert_str_eq(TAG(inner), "/Net/Head/Norm");
}

/* "torch.nn." is a package, not a prefix of names. */
UNIT_TEST(package_of_the_class_decides)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "torch.nnx.Net");
    uint32_t linear = ADD(0, "a", "my.torch.nn.Linear");
    uint32_t ao = ADD(0, "b", "torch.ao.nn.Thing");
    uint32_t bare = ADD(0, "c", "Bare");
    uint32_t nn = ADD(0, "d", "torch.nn.Linear");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(linear), "/Net/Linear");
    ck_assert_str_eq(TAG(ao), "/Net/Thing");
    ck_assert_str_eq(TAG(bare), "/Net/Bare");
    ck_assert_str_eq(TAG(nn), "/Net");
    ck_assert(!hierarchy->modules[0].is_torch_nn);
}

UNIT_TEST(root_in_torch_nn)
{
    module_list list = {0};
    ADD(HTP_NONE, "", SEQUENTIAL);
    uint32_t linear = ADD(0, "0", LINEAR);
    uint32_t own = ADD(0, "1", "pkg.Block");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert(hierarchy->modules[0].is_eligible);
    ck_assert(hierarchy->modules[0].is_torch_nn);
    ck_assert_str_eq(TAG(0), "/Sequential");
    ck_assert_str_eq(TAG(linear), "/Sequential");
    ck_assert_str_eq(TAG(own), "/Sequential/Block.1");
}

UNIT_TEST(torch_nn_can_be_included)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t layers = ADD(0, "layers", CONTAINER);
    uint32_t linear = ADD(layers, "3", LINEAR);
    const htp_hierarchy *hierarchy = build(arena, &list, true);
    ck_assert_str_eq(TAG(linear), "/Net/ModuleList/Linear.3");
    ck_assert_str_eq(FULL_TAG(linear), TAG(linear));
    ck_assert_uint_eq(hierarchy->modules[linear].owner, linear);
}

UNIT_TEST(odd_names_are_encoded)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.N/t%");
    uint32_t dotted = ADD(0, "a.b", "pkg.X");
    uint32_t a = ADD(0, "a", "torch.nn.Y");
    uint32_t b = ADD(a, "b", "pkg.X");
    uint32_t control = ADD(0, "\n\x7f\xc2\x85", "pkg.X");
    uint32_t broken = ADD(0, "\xff\xc3", "pkg.X");
    uint32_t empty = ADD(0, "", "pkg.X");
    uint32_t percent = ADD(0, "%", "pkg.X");
    uint32_t classless = ADD(0, "z", "pkg.");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(0), "/N%2Ft%25");
    ck_assert_str_eq(hierarchy->modules[0].class_name, "N/t%");
    ck_assert_str_eq(TAG(dotted), "/N%2Ft%25/X.a%2Eb");
    ck_assert_str_eq(TAG(b), "/N%2Ft%25/X.a.b");
    ck_assert_str_eq(TAG(control), "/N%2Ft%25/X.%0A%7F%C2%85");
    ck_assert_str_eq(TAG(broken), "/N%2Ft%25/X.%FF%C3");
    ck_assert_str_eq(TAG(empty), "/N%2Ft%25/X.%");
    ck_assert_str_eq(TAG(percent), "/N%2Ft%25/X.%25");
    ck_assert_str_eq(TAG(classless), "/N%2Ft%25/%");
}

UNIT_TEST(unicode_stays)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Größe");
    uint32_t a = ADD(0, "eins", "pkg.層");
    uint32_t b = ADD(0, "zwölf", "pkg.層");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(a), "/Größe/層.eins");
    ck_assert_str_eq(TAG(b), "/Größe/層.zwölf");
}

/* Renaming every class and attribute changes the tags in exactly these places. */
UNIT_TEST(no_name_is_special)
{
    static const char *const rows[][4] = {
        {"", "", "pkg.A", "pkg.Q"},     {"0", "0", CONTAINER, CONTAINER},
        {"1", "1", "pkg.B", "pkg.R"},   {"x", "y", "pkg.B", "pkg.R"},
        {"x", "y", "pkg.C", "pkg.S"},   {"x", "y", LINEAR, LINEAR},
        {"xx", "yy", "pkg.C", "pkg.S"},
    };
    static const uint32_t parents[] = {HTP_NONE, 0, 1, 1, 3, 4, 3};
    static const char named[] = "ABCx";
    static const char renaming[] = "QRSy";
    module_list lists[2] = {{0}, {0}};
    for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
        for (size_t side = 0; side < 2; side++) {
            module_list_add(arena, &lists[side], parents[i], rows[i][side], rows[i][2 + side]);
        }
    }
    const htp_hierarchy *one = build(arena, &lists[0], false);
    const htp_hierarchy *other = build(arena, &lists[1], false);
    for (uint32_t i = 0; i < one->module_count; i++) {
        char *renamed = htp_arena_strdup(arena, one->modules[i].tag);
        for (char *at = renamed; *at; at++) {
            const char *found = strchr(named, *at);
            if (found) {
                *at = renaming[found - named];
            }
        }
        ck_assert_str_eq(renamed, other->modules[i].tag);
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static void check_injective(htp_arena *arena, const htp_hierarchy *hierarchy)
{
    htp_map tags = {0};
    htp_map full_tags = {0};
    uint32_t eligible = 0;
    for (uint32_t i = 0; i < hierarchy->module_count; i++) {
        const htp_hierarchy_module *module = &hierarchy->modules[i];
        eligible += module->is_eligible;
        if (module->is_eligible) {
            UNIT_CHECK(module->owner == i);
            htp_map_set(arena, &tags, module->tag, i);
        } else {
            UNIT_CHECK(module->owner < i);
            UNIT_CHECK(module->tag == hierarchy->modules[module->owner].tag);
        }
        htp_map_set(arena, &full_tags, module->full_tag, i);
        UNIT_CHECK(tags.count == eligible);
        UNIT_CHECK(full_tags.count == i + 1);
    }
}

/* Trees of names chosen to collide, each attribute name once below a parent. */
UNIT_TEST(tags_are_injective)
{
    static const char *const names[] = {"",  "0", "1",  "10",  "a",    "a.b", "b",   "%",
                                        "/", ".", "..", "...", "...1", "%2E", "\xff"};
    static const char *const classes[] = {"A",          "p.A",        "A.0",   "",     "p.%",
                                          "torch.nn.A", "torch.nn.B", "p.A/A", "p...1"};
    enum {
        NAMES = sizeof(names) / sizeof(names[0]),
        CLASSES = sizeof(classes) / sizeof(classes[0])
    };
    uint32_t state = 1;
    for (int round = 0; round < 300; round++) {
        module_list list = {0};
        uint32_t taken[40] = {0};
        ADD(HTP_NONE, "", classes[next_random(&state) % CLASSES]);
        while (list.count < 40) {
            uint32_t parent = next_random(&state) % (uint32_t)list.count;
            uint32_t name = next_random(&state) % NAMES;
            if (!(taken[parent] & 1U << name)) {
                taken[parent] |= 1U << name;
                ADD(parent, names[name], classes[next_random(&state) % CLASSES]);
            }
        }
        check_injective(arena, build(arena, &list, false));
        check_injective(arena, build(arena, &list, true));
    }
}

/* A chain of @p depth modules, each with a sibling of its class; paths are left out because they
 * would be quadratic. */
static module_list make_chain(htp_arena *arena, uint32_t depth, const char *qualified_class,
                              const char *last_class)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t parent = 0;
    for (uint32_t i = 0; i < depth; i++) {
        htp_instance module = {.name = i % 2 ? "deeper" : "0", .path = "", .parent = parent};
        module.qualified_class = qualified_class;
        HTP_PUSH(arena, &list, module);
        parent = (uint32_t)list.count - 1;
    }
    for (uint32_t i = 0; i < 3; i++) {
        htp_instance module = {.name = i == 0 ? "x" : i == 1 ? "y" : "z", .path = ""};
        module.qualified_class = last_class;
        module.parent = parent;
        HTP_PUSH(arena, &list, module);
    }
    return list;
}

UNIT_TEST(deep_chains)
{
    enum { DEPTH = 100000 };
    static const char *const classes[] = {"pkg.Block", SEQUENTIAL};
    for (size_t i = 0; i < 2; i++) {
        module_list list = make_chain(arena, DEPTH, classes[i], "pkg.End");
        const htp_hierarchy *hierarchy = build(arena, &list, false);
        check_injective(arena, hierarchy);
        ck_assert_uint_eq(hierarchy->modules[DEPTH].level, DEPTH);
        ck_assert_uint_lt(strlen(TAG(DEPTH + 1)), 2UL * HTP_TAG_LENGTH);
        ck_assert_uint_lt(strlen(FULL_TAG(DEPTH + 1)), 2UL * HTP_TAG_LENGTH);
        ck_assert_uint_lt(arena->total, (size_t)1 << 30);
    }
}

/* An address is spelled out up to the bound, and referred to by number beyond it. */
UNIT_TEST(long_addresses_are_referred_to)
{
    char *name = htp_arena_alloc(arena, HTP_TAG_LENGTH + 1);
    memset(name, 'n', HTP_TAG_LENGTH);
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t a = ADD(0, "a", htp_arena_printf(arena, "pkg.%s", name));
    uint32_t b = ADD(a, "b", "pkg.B");
    uint32_t c = ADD(b, "c", "pkg.C");
    uint32_t container = ADD(0, name, CONTAINER);
    uint32_t x = ADD(container, "x", "pkg.X");
    uint32_t inner = ADD(container, "inner", CONTAINER);
    uint32_t y = ADD(inner, "y", "pkg.X");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(a), htp_arena_printf(arena, "/Net/%s", name));
    ck_assert_str_eq(TAG(b), "/...1/B");
    ck_assert_str_eq(TAG(c), "/...1/B/C");
    ck_assert_str_eq(TAG(x), htp_arena_printf(arena, "/Net/X.%s.x", name));
    ck_assert_str_eq(TAG(y), htp_arena_printf(arena, "/Net/X.%s.inner.y", name));
    uint32_t below = ADD(ADD(ADD(0, "m", CONTAINER), name, CONTAINER), "p", "pkg.P");
    ADD(container, "p", "pkg.P");
    hierarchy = build(arena, &list, false);
    ck_assert_str_eq(TAG(below), htp_arena_printf(arena, "/Net/P....%u.%s.p", below - 2, name));
}

UNIT_TEST(wide_trees)
{
    enum { WIDTH = 100000 };
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    for (uint32_t i = 0; i < WIDTH; i++) {
        ADD(0, htp_arena_printf(arena, "%u", i), "pkg.Block");
    }
    for (uint32_t i = 0; i < WIDTH; i++) {
        ADD(0, htp_arena_printf(arena, "n%u", i), "pkg.Named");
    }
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    check_injective(arena, hierarchy);
    ck_assert_str_eq(TAG(WIDTH), "/Net/Block.99999");
    ck_assert_str_eq(TAG(WIDTH + 1), "/Net/Named.n0");
}

/* A shared module has one tag; operations of a torch.nn module belong to its caller. */
UNIT_TEST(scopes_have_the_tag_of_their_calls)
{
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    uint32_t a = ADD(0, "a", "pkg.A");
    uint32_t shared = ADD(a, "shared", LINEAR);
    uint32_t b = ADD(0, "b", "pkg.B");
    uint32_t wrapper = ADD(0, "w", SEQUENTIAL);
    uint32_t inner = ADD(wrapper, "0", "pkg.C");
    const htp_hierarchy *hierarchy = build(arena, &list, false);
    const htp_trace_scope scopes[] = {
        {HTP_NONE, 0, 0, 0, NULL, 0}, {0, a, 0, 0, NULL, 0},      {1, shared, 0, 0, NULL, 0},
        {0, b, 0, 0, NULL, 0},        {3, shared, 1, 0, NULL, 0}, {3, a, 1, 0, NULL, 0},
        {0, wrapper, 0, 0, NULL, 0},  {6, inner, 0, 0, NULL, 0},  {6, shared, 2, 0, NULL, 0},
    };
    const uint32_t expected[] = {0, a, a, b, b, a, 0, inner, 0};
    const uint32_t *owners = htp_hierarchy_tag_scopes(arena, hierarchy, scopes, 9);
    for (size_t i = 0; i < 9; i++) {
        ck_assert_uint_eq(owners[i], expected[i]);
    }
}

UNIT_TEST(deep_chains_of_calls)
{
    enum { DEPTH = 100000 };
    module_list list = {0};
    ADD(HTP_NONE, "", "pkg.Net");
    ADD(0, "a", SEQUENTIAL);
    htp_trace_scope *scopes = HTP_NEW_ARRAY(arena, htp_trace_scope, DEPTH);
    for (uint32_t i = 0; i < DEPTH; i++) {
        scopes[i] = (htp_trace_scope){.parent = i - 1, .module = i > 0, .call = i};
    }
    const uint32_t *owners =
        htp_hierarchy_tag_scopes(arena, build(arena, &list, false), scopes, DEPTH);
    ck_assert_uint_eq(owners[DEPTH - 1], 0);
}

UNIT_MAIN("hierarchy", layers_1_and_10_are_told_apart, two_lists_of_one_class,
          two_lists_of_different_classes_and_numbers, nested_sequentials, siblings_of_one_class,
          package_of_the_class_decides, root_in_torch_nn, torch_nn_can_be_included,
          odd_names_are_encoded, unicode_stays, no_name_is_special, tags_are_injective, deep_chains,
          long_addresses_are_referred_to, wide_trees, scopes_have_the_tag_of_their_calls,
          deep_chains_of_calls)
