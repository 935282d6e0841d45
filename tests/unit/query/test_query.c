/*
 * Addresses of modules, regions and their borders.
 */
#include "query_fixture.h"

#include "query/select/nearest.h"

/* ---- patterns ---- */

static bool globs(const char *pattern, const char *text)
{
    return htp_address_glob(pattern, htp_slice_of(text));
}

UNIT_TEST(stars_stand_for_any_part)
{
    ck_assert(globs("BertLayer", "BertLayer") && !globs("BertLayer", "BertLayers"));
    ck_assert(globs("Bert*", "BertLayer") && globs("*Layer", "BertLayer") && globs("*", ""));
    ck_assert(globs("*a*b*", "xxaxxbxx") && !globs("*a*b*", "xxbxxaxx"));
    ck_assert(globs("a*a", "aaa") && !globs("a*a", "a") && globs("**", "abc"));
    ck_assert(globs("a%2Ab", "a*b") && !globs("a%2Ab", "axb") && globs("a%2Fb", "a%2Fb"));
    ck_assert(!globs("", "a") && globs("", ""));
}

UNIT_TEST(stars_take_no_time)
{
    char pattern[61], text[2001];
    for (size_t i = 0; i < 60; i += 2) {
        pattern[i] = '*';
        pattern[i + 1] = 'a';
    }
    pattern[60] = '\0';
    memset(text, 'a', 2000);
    text[1999] = 'b';
    text[2000] = '\0';
    ck_assert(!globs(pattern, text));
}

/* ---- addresses ---- */

/* The numbers of nodes in the region of an address, as text. */
static const char *nodes_of(htp_arena *arena, const char *address, bool own)
{
    htp_text text = {.arena = arena};
    htp_region region = htp_region_new(arena, &view, &tree);
    htp_status status = htp_region_add(arena, &region, address, own);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    for (uint32_t i = 0; i < view.nodes.count; i++) {
        if (region.has_node[i]) {
            htp_text_addf(&text, "%u", (unsigned)i);
        }
    }
    return htp_text_string(&text);
}

UNIT_TEST(addresses)
{
    static const struct {
        const char *address;
        bool own;
        const char *nodes;
    } cases[] = {
        {"/Net", false, "012345"},
        {"/Net", true, "0"},
        {"/Net/Encoder", false, "1234"},
        {"/Net/Encoder", true, ""},
        {"/Net/Encoder/Layer.1", false, "12"},
        {"/Net/Encoder/Layer.1", true, "2"},
        {"/Net/Encoder/Layer.*", true, "24"},
        {"/Net/*", true, "5"},
        {"/Net/**", false, "012345"},
        {"/**/Attention", false, "13"},
        {"/Net/**/Attention", false, "13"},
        {"/*/*/*/Attention", false, "13"},
        {"Encoder/Layer.10", false, "34"},
        {"Layer.1/Attention", false, "1"},
        {"Layer", false, "1234"},
        {"Layer.1", false, "12"},
        {"Layer.1*", false, "1234"},
        {"Attention", false, "13"},
        {"He*", false, "5"},
    };
    message model = chain_of(arena, NULL, "source_module", layers, 6);
    open_tree(arena, &model);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *nodes = nodes_of(arena, cases[i].address, cases[i].own);
        ck_assert_msg(strcmp(nodes, cases[i].nodes) == 0, "%s: %s", cases[i].address, nodes);
    }
    close_tree();
}

UNIT_TEST(what_matches_nothing_names_the_nearest)
{
    static const struct {
        const char *address, *part;
    } cases[] = {
        {"/Net/Encodr", "the nearest are /Net/Encoder"},
        {"/Net/Encoder/Layer.2", "/Net/Encoder/Layer.1"},
        {"Layer.2", "the nearest are Layer.1"},
        {"Atention", "the nearest are Attention"},
        {"Layer.1/Head", "no module is 'Layer.1/Head'"},
        {"", "no module is ''"},
        {"/", "no module is '/'"},
    };
    message model = chain_of(arena, NULL, "source_module", layers, 6);
    open_tree(arena, &model);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        htp_address_matches matches;
        htp_status status = htp_address_find(arena, &tree, cases[i].address, &matches);
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_USAGE);
        ck_assert_msg(strstr(htp_status_message(status), cases[i].part) != NULL, "%s",
                      htp_status_message(status));
        htp_status_free(status);
    }
    close_tree();
}

/* Modules whose classes have packages: 0 is the root, 1 a norm, 2 a head, 3 a norm of another
 * package, 4 a head without one. */
static message packages_of(htp_arena *arena)
{
    static const char *const chains[] = {
        ": my.models.net.Net/norm: torch.nn.modules.normalization.LayerNorm/a: aten.neg",
        ": my.models.net.Net/head: my.models.net.Head/b: aten.neg",
        ": my.models.net.Net/other: torch.nn.norms.LayerNorm/c: aten.neg",
        ": my.models.net.Net/bare: Head/d: aten.neg",
    };
    return chain_of(arena, NULL, "namespace", chains, 4);
}

UNIT_TEST(classes_with_packages)
{
    static const struct {
        const char *address, *modules;
    } cases[] = {
        {"torch.nn.LayerNorm", "13"},
        {"torch.LayerNorm", "13"},
        {"torch.nn.modules.LayerNorm", "1"},
        {"torch.nn.modules.normalization.LayerNorm", "1"},
        {"torch.nn.norms.LayerNorm", "3"},
        {"torch.*.norms.LayerNorm", "3"},
        {"torch.nn.Layer*", "13"},
        {"torch.nn.*", "13"},
        {"**.norms.*", "3"},
        {"my.Head", "2"},
        {"my.models.net.Head", "2"},
        {"my.*", "02"},
        {"Head", "24"},
        {"nn.LayerNorm", ""},
        {"tor.LayerNorm", ""},
        {"torch.n.LayerNorm", ""},
        {"torch.nn.modules.normalization.LayerNorm.LayerNorm", ""},
        {"torch.nn", ""},
        {"torch.nn.", ""},
        {".LayerNorm", ""},
        {".", ""},
    };
    message model = packages_of(arena);
    open_tree(arena, &model);
    ck_assert_uint_eq(tree.module_count, 5);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        htp_address_matches matches;
        htp_text text = {.arena = arena};
        htp_status_free(htp_address_find(arena, &tree, cases[i].address, &matches));
        for (uint32_t m = 0; m < tree.module_count; m++) {
            if (matches.is_matched[m]) {
                htp_text_addf(&text, "%u", (unsigned)m);
            }
        }
        ck_assert_msg(strcmp(htp_text_string(&text), cases[i].modules) == 0, "%s: %s",
                      cases[i].address, htp_text_string(&text));
    }
    close_tree();
}

UNIT_TEST(nearest_classes_with_packages)
{
    static const char *const cases[][2] = {
        {"torch.nn.LayerNrm", "the nearest are torch.nn.LayerNorm"},
        {"torch.nn.modules.LayerNrm", "the nearest are torch.nn.modules.LayerNorm"},
        {"my.models.net.lib.Heads", "the nearest are my.models.net.Head"},
    };
    message model = packages_of(arena);
    open_tree(arena, &model);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = htp_nearest_text(arena, &tree, cases[i][0]);
        ck_assert_msg(strstr(text, cases[i][1]) != NULL, "%s", text);
    }
    close_tree();
}

UNIT_TEST(distances)
{
    ck_assert_uint_eq(htp_nearest_distance(htp_slice_of("kitten"), htp_slice_of("sitting"), 9), 3);
    ck_assert_uint_eq(htp_nearest_distance(htp_slice_of("kitten"), htp_slice_of("sitting"), 2), 2);
    ck_assert_uint_eq(htp_nearest_distance(htp_slice_of(""), htp_slice_of("abc"), 9), 3);
    ck_assert_uint_eq(htp_nearest_distance(htp_slice_of("abc"), htp_slice_of("abc"), 9), 0);
}

/* ---- borders ---- */

static const char *border_text(htp_arena *arena, const htp_region_values *values)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < values->count; i++) {
        const htp_region_value *crossing = &values->items[i];
        htp_text_addf(&text, "%s%s:", i ? " " : "",
                      htp_view_text(&view, view.values.items[crossing->value].name));
        for (size_t k = 0; k < crossing->others.count; k++) {
            uint32_t other = crossing->others.items[k];
            htp_slice tag = other == HTP_NONE ? htp_slice_of("-") : tree.modules[other].tag;
            htp_text_addf(&text, "%s%.*s", k ? "," : "", (int)tag.length, tag.at);
        }
    }
    return htp_text_string(&text);
}

static void assert_border(htp_arena *arena, const char *address, const char *expected_inputs,
                          const char *expected_outputs)
{
    htp_region_values inputs = {0};
    htp_region_values outputs = {0};
    htp_region region = htp_region_new(arena, &view, &tree);
    ck_assert_ptr_null(htp_region_add(arena, &region, address, false));
    htp_region_find_border(arena, &region, &inputs, &outputs);
    ck_assert_str_eq(border_text(arena, &inputs), expected_inputs);
    ck_assert_str_eq(border_text(arena, &outputs), expected_outputs);
}

UNIT_TEST(borders)
{
    message model = chain_of(arena, NULL, "source_module", layers, 6);
    open_tree(arena, &model);
    assert_border(arena, "/Net", "v0:-", "v6:-");
    assert_border(arena, "Encoder", "v1:/Net", "v5:/Net/Head");
    assert_border(arena, "Layer.1/Attention", "v1:/Net", "v2:/Net/Encoder/Layer.1");
    close_tree();
}

/* x -> A -> h; If(h) with a body that reads h and a weight; y = B(if, h). */
UNIT_TEST(borders_of_bodies)
{
    static const float weight[] = {1};
    message graph = message_new(arena);
    message body = message_new(arena);
    message attribute = message_new(arena);
    message a = node_of(arena, "Neg", "/a/Neg", "x", "", "h");
    message inner = node_of(arena, "Mul", "/b/Mul", "h", "w", "m");
    message branch = node_of(arena, "If", "/b/If", "c", "", "i");
    message last = node_of(arena, "Add", "/c/Add", "i", "h", "y");
    message output = info_of(arena, "m");
    message w = tensor_of(arena, "w", weight, 1);
    put_message(&body, 1, &inner);
    put_message(&body, 12, &output);
    put_text(&attribute, 1, "then_branch");
    put_message(&attribute, 6, &body);
    put_number(&attribute, 20, HTP_VIEW_GRAPH);
    put_message(&branch, 5, &attribute);
    put_message(&graph, 1, &a);
    put_message(&graph, 1, &branch);
    put_message(&graph, 1, &last);
    put_message(&graph, 5, &w);
    const char *const names[] = {"x", "c"};
    for (size_t i = 0; i < 2; i++) {
        message input = info_of(arena, names[i]);
        put_message(&graph, 11, &input);
    }
    message y = info_of(arena, "y");
    put_message(&graph, 12, &y);
    message model = model_of(arena, &graph);
    open_tree(arena, &model);
    assert_border(arena, "a", "x:-", "h:/c,/b");
    assert_border(arena, "b", "c:- h:/a", "i:/c");
    assert_border(arena, "c", "i:/b h:/a", "y:-");
    close_tree();
}

UNIT_MAIN_WITH("query", proto_folder_make, proto_folder_remove, stars_stand_for_any_part,
               stars_take_no_time, addresses, what_matches_nothing_names_the_nearest,
               classes_with_packages, nearest_classes_with_packages, distances, borders,
               borders_of_bodies)
