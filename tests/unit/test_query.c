/*
 * Trees of modules, addresses, and regions.
 */
#include "proto_fixture.h"
#include "query/nearest.h"
#include "query/python_list.h"
#include "query/region.h"

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

/* ---- trees ---- */

/* A chain of Neg nodes: the first has attribute or metadata @p key with the first tag, and so on.
 */
static message chain_of(htp_arena *arena, const char *attribute, const char *key,
                        const char *const *tags, size_t count)
{
    message graph = message_new(arena);
    for (size_t i = 0; i < count; i++) {
        message node =
            node_of(arena, "Neg", htp_arena_printf(arena, "n%zu", i),
                    htp_arena_printf(arena, "v%zu", i), "", htp_arena_printf(arena, "v%zu", i + 1));
        if (attribute) {
            message value = message_new(arena);
            put_text(&value, 1, attribute);
            put_text(&value, 4, tags[i]);
            put_number(&value, 20, HTP_VIEW_STRING);
            put_message(&node, 5, &value);
        } else {
            put_entry(&node, 9, key, tags[i]);
        }
        put_message(&graph, 1, &node);
    }
    message input = info_of(arena, "v0");
    message output = info_of(arena, htp_arena_printf(arena, "v%zu", count));
    put_message(&graph, 11, &input);
    put_message(&graph, 12, &output);
    return model_of(arena, &graph);
}

static const char *const layers[] = {
    "/Net",
    "/Net/Encoder/Layer.1/Attention",
    "/Net/Encoder/Layer.1",
    "/Net/Encoder/Layer.10/Attention",
    "/Net/Encoder/Layer.10",
    "/Net/Head",
};

static htp_view view;
static htp_tree tree;

static void open_tree(htp_arena *arena, const message *model)
{
    open_model(&view, arena, model);
    htp_status status = htp_tree_find(&view, &tree);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
}

static void close_tree(void)
{
    htp_tree_close(&tree);
    htp_view_close(&view);
}

static bool is_tag(uint32_t module, const char *tag)
{
    return htp_slice_equals(tree.modules[module].tag, htp_slice_of(tag));
}

UNIT_TEST(trees_of_tags)
{
    static const struct {
        const char *attribute, *key;
        htp_tree_source source;
    } ways[] = {{"__source_module", NULL, HTP_TREE_ATTRIBUTES},
                {"source_module", NULL, HTP_TREE_ATTRIBUTES},
                {"my_source_module", NULL, HTP_TREE_ATTRIBUTES},
                {NULL, "source_module", HTP_TREE_METADATA},
                {NULL, "layer_ann", HTP_TREE_LAYER_ANN}};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        message model = chain_of(arena, ways[i].attribute, ways[i].key, layers, 6);
        open_tree(arena, &model);
        ck_assert_int_eq(tree.source, ways[i].source);
        ck_assert_uint_eq(tree.module_count, 7);
        ck_assert(is_tag(0, "/Net") && is_tag(1, "/Net/Encoder"));
        ck_assert_uint_eq(tree.modules[0].nodes_total, 6);
        ck_assert_uint_eq(tree.modules[0].nodes_own, 1);
        ck_assert_uint_eq(tree.modules[1].nodes_total, 4);
        ck_assert_uint_eq(tree.modules[1].nodes_own, 0);
        ck_assert_uint_eq(tree.modules[1].depth, 1);
        close_tree();
    }
}

UNIT_TEST(trees_of_doc_strings)
{
    message graph = message_new(arena);
    message node = node_of(arena, "Neg", "n", "x", "", "y");
    put_text(&node, 6, "source_module: /Net/Head\nmore");
    put_message(&graph, 1, &node);
    message model = model_of(arena, &graph);
    open_tree(arena, &model);
    ck_assert_int_eq(tree.source, HTP_TREE_DOC_STRINGS);
    ck_assert(is_tag(1, "/Net/Head"));
    close_tree();
}

UNIT_TEST(trees_of_chains_follow_the_rules)
{
    static const char linear_chain[] =
        ": pkg.Net/encoder: pkg.Encoder/encoder.layer.1: pkg.Layer/"
        "encoder.layer.1.up: torch.nn.modules.linear.Linear/linear: aten.linear";
    static const char *const chains[] = {
        ": pkg.Net/encoder: pkg.Encoder/encoder.layer.0: pkg.Layer/add: aten.add",
        linear_chain,
        ": pkg.Net/first: pkg.Norm/add: aten.add",
        ": pkg.Net/second: pkg.Norm/add: aten.add",
    };
    message model = chain_of(arena, NULL, "namespace", chains, 4);
    open_tree(arena, &model);
    ck_assert_int_eq(tree.source, HTP_TREE_NAMESPACE);
    uint32_t linear = tree.places[1].innermost;
    uint32_t owner = tree.owners.items[tree.places[1].tags.first];
    ck_assert(is_tag(owner, "/Net/Encoder/Layer.1") && is_tag(linear, "/Net/Encoder/Layer.1"));
    ck_assert(!tree.modules[linear].has_tag && tree.modules[owner].has_tag);
    ck_assert(htp_slice_equals(tree.modules[linear].class_name, htp_slice_of("Linear")));
    ck_assert(is_tag(tree.places[2].innermost, "/Net/Norm.first"));
    ck_assert(is_tag(tree.places[3].innermost, "/Net/Norm.second"));
    close_tree();
}

UNIT_TEST(trees_of_python_lists)
{
    message graph = message_new(arena);
    message node = node_of(arena, "Neg", "n", "x", "", "y");
    put_entry(&node, 9, "pkg.torch.onnx.name_scopes", "['', 'head', 'neg']");
    put_entry(&node, 9, "pkg.torch.onnx.class_hierarchy", "['pkg.Net', 'pkg.Head', 'aten.neg']");
    put_message(&graph, 1, &node);
    message model = model_of(arena, &graph);
    open_tree(arena, &model);
    ck_assert_int_eq(tree.source, HTP_TREE_NAME_SCOPES);
    ck_assert(is_tag(tree.places[0].innermost, "/Net/Head"));
    close_tree();
}

UNIT_TEST(python_lists)
{
    static const char text[] = "['', \"it's\", 'a\\n\\'\\u00e9\\x41', ]";
    const htp_slice *strings;
    ck_assert_uint_eq(htp_python_list_read(
                          arena, (htp_span){(const unsigned char *)text, strlen(text)}, &strings),
                      3);
    ck_assert(htp_slice_equals(strings[1], htp_slice_of("it's")));
    ck_assert(htp_slice_equals(strings[2], htp_slice_of("a\n'\xc3\xa9"
                                                        "A")));
    static const char *const wrong[] = {"", "[", "['a'", "['a", "[1]", "['\\q']", "['\\x4']", "a"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        htp_span span = {(const unsigned char *)wrong[i], strlen(wrong[i])};
        ck_assert_uint_eq(htp_python_list_read(arena, span, &strings), 0);
    }
}

UNIT_TEST(trees_of_node_names)
{
    message graph = message_new(arena);
    message node = node_of(arena, "Neg", "/encoder/layer.0/Neg", "x", "", "y");
    message other = node_of(arena, "Neg", "Neg_1", "y", "", "z");
    put_message(&graph, 1, &node);
    put_message(&graph, 1, &other);
    message model = model_of(arena, &graph);
    htp_address_matches matches;
    open_tree(arena, &model);
    ck_assert_int_eq(tree.source, HTP_TREE_NODE_NAMES);
    ck_assert(is_tag(2, "/encoder/layer.0"));
    ck_assert_uint_eq(tree.untagged, 1);
    ck_assert_ptr_null(htp_address_find(arena, &tree, "encoder.layer.0", &matches));
    ck_assert_uint_eq(matches.first, 2);
    close_tree();
}

/* Which path a module has by the names of nodes alone, or by that of a weight, too. */
static void check_path(htp_arena *arena, const char *scope, const char *weight, const char *path)
{
    message graph = message_new(arena);
    message node = node_of(arena, "Neg", htp_arena_printf(arena, "%s/Neg", scope), "x", "", "y");
    message tensor = message_new(arena);
    put_message(&graph, 1, &node);
    put_text(&tensor, 8, weight);
    put_message(&graph, 5, &tensor);
    message model = model_of(arena, &graph);
    htp_address_matches matches;
    open_tree(arena, &model);
    uint32_t last = tree.module_count - 1;
    ck_assert(is_tag(last, scope));
    ck_assert(htp_slice_equals(tree.modules[last].path, htp_slice_of(path)));
    ck_assert_ptr_null(htp_address_find(arena, &tree, path, &matches));
    ck_assert_uint_eq(matches.first, last);
    ck_assert_ptr_null(htp_address_find(arena, &tree, scope, &matches));
    ck_assert_uint_eq(matches.first, last);
    close_tree();
}

UNIT_TEST(paths_of_node_names)
{
    check_path(arena, "/layer1/layer1.0/conv1", "w", "layer1.0.conv1");
    check_path(arena, "/a/b/b.0/b.0.1", "w", "a.b.0.1");
    check_path(arena, "/a/b.0/b.0.1/c/c.2", "w", "a.b.0.1.c.2");
    check_path(arena, "/0/0.1", "w", "0.1");
    check_path(arena, "/layer1/layer10.0", "w", "layer1.layer10.0");
    check_path(arena, "/layer1/layer1.x", "w", "layer1.layer1.x");
    check_path(arena, "/layer/layer.0/fc", "layer.layer.0.fc.weight", "layer.layer.0.fc");
    check_path(arena, "/layer/layer.0/fc", "layer.0.fc.weight", "layer.0.fc");
}

UNIT_TEST(trees_of_nothing)
{
    message graph = message_new(arena);
    message node = node_of(arena, "Neg", "", "x", "", "y");
    put_message(&graph, 1, &node);
    message model = model_of(arena, &graph);
    open_tree(arena, &model);
    ck_assert_int_eq(tree.source, HTP_TREE_NOWHERE);
    ck_assert_uint_eq(tree.module_count, 1);
    ck_assert_uint_eq(tree.untagged, 1);
    close_tree();
}

static void tree_fails(htp_arena *arena, const message *model, const char *part)
{
    open_model(&view, arena, model);
    htp_status status = htp_tree_find(&view, &tree);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    ck_assert_msg(strstr(htp_status_message(status), part) != NULL, "%s",
                  htp_status_message(status));
    htp_status_free(status);
    close_tree();
}

UNIT_TEST(tags_and_records_that_are_garbled)
{
    static const char *const wrong[] = {"/Net/\xff"};
    message model = chain_of(arena, NULL, "source_module", wrong, 1);
    tree_fails(arena, &model, "node 'n0': the tag is not UTF-8");
    model = chain_of(arena, "__source_module", NULL, wrong, 1);
    tree_fails(arena, &model, "not UTF-8");
    model = chain_of(arena, NULL, "source_module", layers, 6);
    put_entry(&model, 14, "htp.module_tree", "{\"modules\": [");
    tree_fails(arena, &model, "no JSON");
    model = chain_of(arena, NULL, "source_module", layers, 6);
    put_entry(&model, 14, "htp.module_tree", "[1, {}]");
    tree_fails(arena, &model, "no JSON with a list");
}

UNIT_TEST(modules_without_end)
{
    char tag[2 * 300 + 1], path[2 * 300 + 32];
    for (size_t i = 0; i < 300; i++) {
        memcpy(tag + 2 * i, "/a", 3);
        memcpy(path + 2 * i, "a.", 3);
    }
    memcpy(path + 600, ": A/op: t", 10);
    const char *tags[] = {tag};
    message model = chain_of(arena, NULL, "source_module", tags, 1);
    tree_fails(arena, &model, "node 'n0': more than 256 modules");
    tags[0] = path;
    model = chain_of(arena, NULL, "namespace", tags, 1);
    tree_fails(arena, &model, "node 'n0': more than 256 modules");
}

UNIT_TEST(records_tell_of_all_modules)
{
    static const char records[] =
        "{\"modules\": ["
        "{\"tag\": \"/Net\", \"full_tag\": \"/Net\", \"path\": \"\", \"class\": \"Net\", "
        "\"calls\": 1, \"parameters\": {\"total\": 7, \"bytes\": 28}},"
        "{\"tag\": \"/Net\", \"full_tag\": \"/Net/ModuleList\", \"path\": \"layer\"},"
        "{\"tag\": \"/Net/Head\", \"full_tag\": \"/Net/ModuleList/Head\", \"path\": \"layer.0\", "
        "\"class\": \"Head\"}]}";
    static const char *const tags[] = {"/Net", "/Net/Head", "/Net/Other"};
    htp_address_matches matches;
    message model = chain_of(arena, NULL, "source_module", tags, 3);
    put_entry(&model, 14, "htp.module_tree", records);
    open_tree(arena, &model);
    ck_assert(tree.has_records);
    ck_assert_uint_eq(tree.modules[0].parameters, 7);
    ck_assert(!tree.modules[1].has_tag && tree.modules[2].has_tag);
    ck_assert_uint_eq(tree.modules[2].parent, 1);
    ck_assert_uint_eq(tree.modules[2].depth, 1);
    ck_assert_uint_eq(tree.owners.items[tree.places[1].tags.first], 2);
    ck_assert_ptr_null(htp_address_find(arena, &tree, "layer.0", &matches));
    ck_assert_uint_eq(matches.first, 2);
    ck_assert_ptr_null(htp_address_find(arena, &tree, "/Net/ModuleList/Head", &matches));
    ck_assert_uint_eq(matches.first, 2);
    close_tree();
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
            htp_slice tag = other == HTP_VIEW_NONE ? htp_slice_of("-") : tree.modules[other].tag;
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
               stars_take_no_time, trees_of_tags, trees_of_doc_strings,
               trees_of_chains_follow_the_rules, trees_of_python_lists, python_lists,
               trees_of_node_names, paths_of_node_names, trees_of_nothing,
               tags_and_records_that_are_garbled, modules_without_end, records_tell_of_all_modules,
               addresses, what_matches_nothing_names_the_nearest, classes_with_packages,
               nearest_classes_with_packages, distances, borders, borders_of_bodies)
