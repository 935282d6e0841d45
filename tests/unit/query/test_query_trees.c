/*
 * Trees of modules, by tags, records and names of nodes.
 */
#include "query_fixture.h"

#include "query/tree/python_list.h"

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

/* Checks a module's path, from names of nodes alone or also from a weight's name. */
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

UNIT_MAIN_WITH("query_trees", proto_folder_make, proto_folder_remove, trees_of_tags,
               trees_of_doc_strings, trees_of_chains_follow_the_rules, trees_of_python_lists,
               python_lists, trees_of_node_names, paths_of_node_names, trees_of_nothing,
               tags_and_records_that_are_garbled, modules_without_end, records_tell_of_all_modules)
