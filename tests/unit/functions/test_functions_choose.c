/*
 * Selectors of the modules that become functions.
 */
#include "functions/choose.h"
#include "module_list.h"
#include "unit.h"

#include <string.h>

#define LIST "torch.nn.modules.container.ModuleList"
#define SEQUENTIAL "torch.nn.modules.container.Sequential"
#define LINEAR "torch.nn.modules.linear.Linear"
#define NORM "torch.nn.modules.normalization.LayerNorm"

/* One letter per module, in order of the tree below: the chosen ones. */
enum { ROOT, ENCODER, LAYER, LAYER_0, LINEAR_0, LAYER_1, LINEAR_1, HEAD, HEAD_NORM, SPARE, SHARED };

/* A list of two layers, a head that is a Sequential with a norm and a module that is never called,
 * and a second name of the encoder's first layer, as a separate object. */
static module_list make_modules(htp_arena *arena)
{
    static const struct {
        uint32_t parent;
        const char *name, *class_name;
        uint32_t calls;
    } rows[] = {
        [ROOT] = {HTP_NONE, "", "my.models.net.Net", 1},
        [ENCODER] = {ROOT, "encoder", "my.models.net.Encoder", 1},
        [LAYER] = {ENCODER, "layer", LIST, 0},
        [LAYER_0] = {LAYER, "0", "my.models.net.Layer", 2},
        [LINEAR_0] = {LAYER_0, "up", LINEAR, 2},
        [LAYER_1] = {LAYER, "1", "my.models.net.Layer", 1},
        [LINEAR_1] = {LAYER_1, "up", LINEAR, 1},
        [HEAD] = {ROOT, "head", SEQUENTIAL, 1},
        [HEAD_NORM] = {HEAD, "0", NORM, 1},
        [SPARE] = {HEAD, "a,b", "my.models.net.Spare", 0},
        [SHARED] = {ROOT, "shared", "my.models.net.Layer", 0},
    };
    module_list list = {0};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t module =
            module_list_add(arena, &list, rows[i].parent, rows[i].name, rows[i].class_name);
        list.calls.items[module] = rows[i].calls;
    }
    return list;
}

static htp_status choose_of(htp_arena *arena, const module_list *list, bool include_torch_nn,
                            const char *selectors, bool *is_chosen)
{
    const htp_hierarchy_options options = {include_torch_nn};
    const htp_hierarchy *hierarchy =
        htp_hierarchy_build(arena, list->items, (uint32_t)list->count, &options);
    return htp_functions_choose(arena, hierarchy, list->items, list->calls.items, selectors,
                                is_chosen);
}

/* The numbers of the chosen modules, as text; or the message. */
static const char *choose(htp_arena *arena, const module_list *list, bool include_torch_nn,
                          const char *selectors)
{
    bool *is_chosen = HTP_NEW_ARRAY(arena, bool, list->count);
    htp_status status = choose_of(arena, list, include_torch_nn, selectors, is_chosen);
    htp_text text = {.arena = arena};
    for (uint32_t m = 0; m < list->count && !status; m++) {
        if (is_chosen[m]) {
            htp_text_addf(&text, "%s%u", text.length > 0 ? " " : "", (unsigned)m);
        }
    }
    if (status) {
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_USAGE);
        htp_text_add(&text, htp_status_message(status));
        ck_assert_ptr_null(strchr(htp_text_string(&text), '\n'));
    }
    htp_status_free(status);
    return htp_text_string(&text);
}

UNIT_TEST(selectors_choose)
{
    static const struct {
        const char *selectors, *modules;
    } cases[] = {
        {NULL, "1 3 5"},
        {"", "1 3 5"},
        {"depth=1", "1"},
        {"depth=2", "3 5"},
        {"depth=02", "3 5"},
        {"depth=1,depth=2", "1 3 5"},
        {"Layer", "3 5"},
        {"Layer.0", "3"},
        {"encoder.layer.1", "5"},
        {"/Net/Encoder/Layer.1", "5"},
        {"Encoder/Layer.*", "3 5"},
        {"my.Layer", "3 5"},
        {"torch.nn.LayerNorm", "8"},
        {"torch.nn.*", "4 6 7 8"},
        {"**", "1 3 4 5 6 7 8"},
        {"*", "1 7"},
        {"/**", "1 3 5"},
        {"my.*", "1 3 5"},
        {"head", "7"},
        {"head.*", "8"},
        {"/Net/Sequential/LayerNorm.0", "8"},
        {"Layer, torch.nn.Linear ,head", "3 4 5 6 7"},
        {"Layer,Layer,Layer.0", "3 5"},
        {"Net*,Layer.0", "functions: 'Net*' is the root"},
    };
    module_list list = make_modules(arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *modules = choose(arena, &list, false, cases[i].selectors);
        bool is_right = cases[i].modules[0] == 'f' ? strstr(modules, cases[i].modules) != NULL
                                                   : strcmp(modules, cases[i].modules) == 0;
        ck_assert_msg(is_right, "%s: %s", cases[i].selectors, modules);
    }
}

/* With it, torch.nn's modules have tags and count as levels. The default choice is the same. */
UNIT_TEST(tags_of_torch_nn)
{
    module_list list = make_modules(arena);
    ck_assert_str_eq(choose(arena, &list, true, "depth=1"), "1 7");
    ck_assert_str_eq(choose(arena, &list, true, "depth=2"), "8");
    ck_assert_str_eq(choose(arena, &list, true, "depth=3"), "3 5");
    ck_assert_str_eq(choose(arena, &list, true, ""), "1 3 5");
}

UNIT_TEST(commas_in_names)
{
    module_list list = make_modules(arena);
    list.calls.items[SPARE] = 1;
    ck_assert_str_eq(choose(arena, &list, false, "head.a%2Cb"), "9");
    ck_assert_str_eq(choose(arena, &list, false, "head.a%2cb,head"), "7 9");
    ck_assert_ptr_nonnull(strstr(choose(arena, &list, false, "head.a,b"), "no module is 'head.a'"));
    ck_assert_ptr_nonnull(strstr(choose(arena, &list, false, "head.a%2Cc"), "is 'head.a,c'; the"));
}

UNIT_TEST(selectors_that_choose_nothing)
{
    static const char *const cases[][2] = {
        {"Layr", "functions: no module is 'Layr'; the nearest are Layer"},
        {"Layer,torch.nn.Linea", "no module is 'torch.nn.Linea'; the nearest are torch.nn.Linear"},
        {"(Layer", "no module is '(Layer'; the nearest"},
        {"Layer)", "no module is 'Layer)'; the nearest"},
        {"[", "no module is '['"},
        {"%", "no module is '%'"},
        {"%2", "no module is '%2'"},
        {"/", "no module is '/'"},
        {"Depth=1", "no module is 'Depth=1'"},
        {"a\nb", "no module is 'a b'"},
        {"encoder.layer",
         "'encoder.layer' is never called; called below: encoder.layer.0, encoder.layer.1"},
        {"shared", "'shared' is never called; called of that class: encoder.layer.0, encoder.lay"},
        {"Spare", "'Spare' is never called; inspect --json of an ONNX model"},
        {"/Net", "'/Net' is the root, whose body is the model itself; choose modules below it"},
        {"Net", "'Net' is the root"},
        {"my.Net,Layer", "'my.Net' is the root"},
        {"depth=3", "'depth=3': no module with a tag is called there; the nearest depth where one "
                    "is: depth=2"},
        {"depth=4294967296", "is: depth=2"},
        {"depth=99999999999999999999999999999999999999", "is: depth=2"},
        {"depth=0", "'depth=0' is the root"},
        {"depth=000", "'depth=000' is the root"},
        {"depth=x", "'depth=x' is no depth"},
        {"depth=-1", "'depth=-1' is no depth"},
        {"depth=+1", "'depth=+1' is no depth"},
        {"depth= 1", "'depth= 1' is no depth"},
        {"depth=1.5", "'depth=1.5' is no depth"},
        {"depth=", "'depth=' is no depth"},
        {"Layer,,Encoder", "an empty selector in 'Layer,,Encoder'"},
        {"Layer,", "an empty selector"},
        {",Layer", "an empty selector"},
        {",", "an empty selector"},
        {" ", "an empty selector"},
        {"Layer, ,Encoder", "an empty selector"},
    };
    module_list list = make_modules(arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *message = choose(arena, &list, false, cases[i][0]);
        ck_assert_msg(strstr(message, cases[i][1]) != NULL, "%s: %s", cases[i][0], message);
    }
}

/* Syntax errors are reported before a model is open, others are not. */
UNIT_TEST(selectors_are_checked_alone)
{
    static const char *const right[] = {NULL, "", "a", "depth=7", "a,depth=1, b ", "%", "("};
    static const char *const wrong[] = {",", "a,,b", "depth=0", "depth=x", "a,depth=-1"};
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        htp_status status = htp_functions_check(right[i]);
        ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        htp_status status = htp_functions_check(wrong[i]);
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_USAGE);
        htp_status_free(status);
    }
}

UNIT_TEST(nothing_below_the_root)
{
    module_list list = {0};
    module_list_add(arena, &list, HTP_NONE, "", "pkg.Net");
    ck_assert_str_eq(choose(arena, &list, false, ""), "");
    ck_assert_ptr_nonnull(
        strstr(choose(arena, &list, false, "depth=1"), "no module below the root that has a tag"));
    module_list_add(arena, &list, 0, "linear", LINEAR);
    ck_assert_str_eq(choose(arena, &list, false, ""), "");
    ck_assert_str_eq(choose(arena, &list, false, "torch.nn.Linear"), "1");
    ck_assert_ptr_nonnull(
        strstr(choose(arena, &list, false, "depth=1"), "no module below the root that has a tag"));
}

/* Lists of called modules stay short, and stop at called ones. */
UNIT_TEST(long_lists_are_cut)
{
    module_list list = {0};
    module_list_add(arena, &list, HTP_NONE, "", "pkg.Net");
    uint32_t layers = module_list_add(arena, &list, 0, "layers", LIST);
    list.calls.items[layers] = 0;
    for (int i = 0; i < 50; i++) {
        uint32_t layer =
            module_list_add(arena, &list, layers, htp_arena_printf(arena, "%d", i), "pkg.Layer");
        module_list_add(arena, &list, layer, "linear", LINEAR);
    }
    ck_assert_str_eq(choose(arena, &list, false, "layers"),
                     "functions: 'layers' is never called; called below: layers.0, layers.1, "
                     "layers.2 and 47 more");
}

/* Selectors that match none, some and all of many modules. */
UNIT_TEST(many_modules)
{
    enum { WIDTH = 100000 };
    static const struct {
        const char *selectors;
        uint32_t count; /* 0: it is refused */
    } cases[] = {
        {"", WIDTH},         {"depth=1", WIDTH},
        {"depth=2", 0},      {"B*", WIDTH},
        {"**/*", WIDTH},     {"pkg.**.Block", WIDTH},
        {"n99999", 0},       {"torch.*.*.*.*.LayerNorm", 0},
        {"layers", 0},       {"layers.n9999*", 11},
        {"*.n77,B*", WIDTH},
    };
    module_list list = {0};
    module_list_add(arena, &list, HTP_NONE, "", "pkg.Net");
    uint32_t layers = module_list_add(arena, &list, 0, "layers", LIST);
    list.calls.items[layers] = 0;
    for (uint32_t i = 0; i < WIDTH; i++) {
        module_list_add(arena, &list, layers, htp_arena_printf(arena, "n%u", (unsigned)i),
                        "pkg.models.Block");
    }
    const htp_hierarchy_options options = {false};
    const htp_hierarchy *hierarchy =
        htp_hierarchy_build(arena, list.items, (uint32_t)list.count, &options);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool *is_chosen = HTP_NEW_ARRAY(arena, bool, list.count);
        htp_status status = htp_functions_choose(arena, hierarchy, list.items, list.calls.items,
                                                 cases[i].selectors, is_chosen);
        uint32_t count = 0;
        for (size_t m = 0; m < list.count; m++) {
            count += is_chosen[m];
        }
        ck_assert_uint_eq(count, cases[i].count);
        ck_assert(cases[i].count > 0 || htp_status_code(status) == HTP_CODE_USAGE);
        htp_status_free(status);
    }
}

UNIT_MAIN("functions_choose", selectors_choose, tags_of_torch_nn, commas_in_names,
          selectors_that_choose_nothing, selectors_are_checked_alone, nothing_below_the_root,
          long_lists_are_cut, many_modules)
