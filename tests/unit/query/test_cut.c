/*
 * Data flow of a graph, its parts, and their order.
 */
#include "onnx/files/folder.h"
#include "proto_fixture.h"
#include "query/partition/cut.h"
#include "query/partition/split.h"
#include "query/select/calls.h"

#include <fcntl.h>

static htp_view view;
static htp_tree tree;

/* A node of a test: "A n a b" has tag /A, inputs a and b, and output n. */
typedef struct row {
    const char *tag, *name, *a, *b;
} row;

/* Opens a graph with input x, initializer w, and the last row's output. */
static void open_rows(htp_arena *arena, const row *rows, size_t count)
{
    static const float weight[] = {1};
    message graph = message_new(arena);
    for (size_t i = 0; i < count; i++) {
        bool is_constant = *rows[i].a == '\0';
        message node =
            is_constant ? message_new(arena)
                        : node_of(arena, "Add", rows[i].name, rows[i].a, rows[i].b, rows[i].name);
        if (is_constant) {
            put_text(&node, 2, rows[i].name);
            put_text(&node, 3, rows[i].name);
            put_text(&node, 4, "Constant");
        }
        put_entry(&node, 9, "source_module", rows[i].tag);
        put_message(&graph, 1, &node);
    }
    message w = tensor_of(arena, "w", weight, 1);
    message x = info_of(arena, "x");
    message y = info_of(arena, rows[count - 1].name);
    put_message(&graph, 5, &w);
    put_message(&graph, 11, &x);
    put_message(&graph, 12, &y);
    message model = model_of(arena, &graph);
    open_model(&view, arena, &model);
    htp_status status = htp_tree_find(&view, &tree);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
}

static void close_rows(void)
{
    htp_tree_close(&tree);
    htp_view_close(&view);
}

#define OPEN(rows) open_rows(arena, rows, sizeof(rows) / sizeof((rows)[0]))

static void assert_refused(htp_status status, const char *part)
{
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_USAGE);
    ck_assert_msg(strstr(htp_status_message(status), part) != NULL, "no '%s' in: %s", part,
                  htp_status_message(status));
    htp_status_free(status);
}

static htp_status cut(htp_arena *arena, const char *address, htp_cut *made)
{
    htp_region region = htp_region_new(arena, &view, &tree);
    htp_status status = htp_region_add(arena, &region, address, false);
    return status ? status : htp_cut_region(arena, &region, address, made);
}

/* The names of values, or of nodes, as one text. */
static const char *names_of(htp_arena *arena, const htp_numbers *list, bool are_nodes)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < list->count; i++) {
        htp_view_name name = are_nodes ? view.nodes.items[list->items[i]].name
                                       : view.values.items[list->items[i]].name;
        htp_text_addf(&text, "%s%s", i ? " " : "", htp_view_text(&view, name));
    }
    return htp_text_string(&text);
}

/* ---- cutting out ---- */

UNIT_TEST(detours_are_found)
{
    static const row rows[] = {{"/N/A", "a", "x", ""},  {"/N", "b", "a", ""},
                               {"/N/B", "c", "b", "w"}, {"/N", "d", "c", ""},
                               {"/N/A", "e", "d", "a"}, {"/N", "f", "e", ""}};
    htp_cut made;
    OPEN(rows);
    assert_refused(cut(arena, "A", &made), "'a' -> 'b' -> 'c' -> 'd' -> 'e'; the smallest module "
                                           "around it that can be is '/N'");
    ck_assert_ptr_null(cut(arena, "B", &made));
    ck_assert_uint_eq(made.graph, 0);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(made.part_of[i], i == 2 ? 0 : HTP_NONE);
    }
    ck_assert_ptr_null(cut(arena, "/N", &made));
    assert_refused(cut(arena, "C", &made), "no module is 'C'");
    close_rows();
}

UNIT_TEST(long_paths_are_cut)
{
    row rows[12];
    for (size_t i = 0; i < 12; i++) {
        rows[i] = (row){i == 0 || i == 10 ? "/N/A" : "/N", htp_arena_printf(arena, "v%zu", i),
                        i ? rows[i - 1].name : "x", ""};
    }
    htp_cut made;
    OPEN(rows);
    assert_refused(cut(arena, "A", &made), "'v0' -> 'v1' -> 'v2' -> ... (6 more) -> 'v9' -> 'v10'");
    close_rows();
}

/* Two halves of a module that are only connected through other nodes, without a path between them,
 * can be one model. */
UNIT_TEST(parts_need_not_be_connected)
{
    static const row rows[] = {{"/N/A", "a", "x", ""},
                               {"/N/B", "b", "x", ""},
                               {"/N/A", "c", "x", ""},
                               {"/N", "d", "a", "b"},
                               {"/N", "e", "d", "c"}};
    htp_cut made;
    OPEN(rows);
    ck_assert_ptr_null(cut(arena, "A", &made));
    close_rows();
}

UNIT_TEST(constants_and_weights_cross_no_border)
{
    static const row rows[] = {{"/N/A", "k", "", ""},   {"/N/A", "a", "x", "k"},
                               {"/N/A", "b", "a", "w"}, {"/N/B", "c", "b", "k"},
                               {"/N/B", "d", "c", "w"}, {"/N", "y", "d", "a"}};
    static const char *const expected[][4] = {{"x", "a b", "", "w"}, {"b", "d", "k", "w"}};
    static const char *const addresses[] = {"A", "B"};
    OPEN(rows);
    for (size_t i = 0; i < 2; i++) {
        htp_cut made;
        htp_part part;
        ck_assert_ptr_null(cut(arena, addresses[i], &made));
        const htp_division division = htp_division_make(arena, &view, NULL, 0, 1, made.part_of);
        htp_part_find(htp_part_maker_new(arena, &division, &tree, htp_view_types_new(arena, &view)),
                      arena, 0, NULL, &part);
        ck_assert_str_eq(names_of(arena, &part.inputs, false), expected[i][0]);
        ck_assert_str_eq(names_of(arena, &part.outputs, false), expected[i][1]);
        ck_assert_str_eq(names_of(arena, &part.constants, true), expected[i][2]);
        ck_assert_str_eq(names_of(arena, &part.weights, false), expected[i][3]);
        ck_assert_uint_eq(part.node_count, i == 0 ? 3 : 2);
    }
    close_rows();
}

UNIT_TEST(types_that_are_not_known_are_asked_for)
{
    static const row rows[] = {{"/N/A", "a", "x", ""}, {"/N", "y", "a", ""}};
    htp_cut made;
    htp_part part;
    const htp_recipe *recipe;
    OPEN(rows);
    ck_assert_ptr_null(cut(arena, "A", &made));
    const htp_division division = htp_division_make(arena, &view, NULL, 0, 1, made.part_of);
    htp_part_maker *maker =
        htp_part_maker_new(arena, &division, &tree, htp_view_types_new(arena, &view));
    htp_part_find(maker, arena, 0, NULL, &part);
    htp_status status = htp_part_recipe(maker, arena, &part, NULL, &recipe);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(htp_status_message(status), "the type of 'x'"));
    htp_status_free(status);
    close_rows();
}

/* ---- calls ---- */

UNIT_TEST(calls_by_what_is_connected)
{
    static const row rows[] = {{"/N/A", "a", "x", "w"}, {"/N/A", "b", "a", "a"},
                               {"/N", "c", "b", ""},    {"/N/A", "d", "c", "w"},
                               {"/N/A", "e", "d", "d"}, {"/N", "y", "e", ""}};
    OPEN(rows);
    for (uint32_t call = 0; call < 3; call++) {
        htp_region region = htp_region_new(arena, &view, &tree);
        ck_assert_ptr_null(htp_region_add(arena, &region, "A", false));
        htp_status status = htp_calls_restrict(arena, &region, 1, call, "A");
        if (call == 2) {
            assert_refused(status, "no call 2, only calls 0 to 1");
            continue;
        }
        ck_assert_ptr_null(status);
        ck_assert_uint_eq(region.node_count, 2);
        ck_assert(region.has_node[call == 0 ? 0 : 3] && region.has_node[call == 0 ? 1 : 4]);
    }
    close_rows();
}

/* Branches of one call have other weights or other operators. */
UNIT_TEST(branches_are_no_calls)
{
    static const row rows[] = {
        {"/N/A", "a", "x", "w"}, {"/N/A", "b", "x", "x"}, {"/N", "y", "a", "b"}};
    OPEN(rows);
    htp_region region = htp_region_new(arena, &view, &tree);
    ck_assert_ptr_null(htp_region_add(arena, &region, "A", false));
    assert_refused(htp_calls_restrict(arena, &region, 1, 0, "A"), "cannot be told apart");
    close_rows();
}

/* ---- splitting ---- */

static htp_status split(htp_arena *arena, const char *const *tags, size_t count, htp_split *made)
{
    bool *is_chosen = HTP_NEW_ARRAY(arena, bool, tree.module_count);
    for (uint32_t m = 0; m < tree.module_count; m++) {
        for (size_t i = 0; i < count; i++) {
            is_chosen[m] =
                is_chosen[m] || htp_slice_equals(tree.modules[m].tag, htp_slice_of(tags[i]));
        }
    }
    return htp_split_find(arena, &view, &tree, is_chosen, true, made);
}

static const char *const a_and_b[] = {"/N/A", "/N/B"};

UNIT_TEST(parts_have_an_order)
{
    static const row rows[] = {{"/N", "k", "", ""},    {"/N/A", "a", "x", ""},
                               {"/N", "b", "x", "k"},  {"/N/B", "c", "b", ""},
                               {"/N/A", "d", "a", ""}, {"/N", "e", "c", "d"}};
    static const uint32_t expected[] = {HTP_NONE, 1, 0, 2, 1, 3};
    htp_split made;
    OPEN(rows);
    ck_assert_ptr_null(split(arena, a_and_b, 2, &made));
    ck_assert_uint_eq(made.parts.count, 4);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(made.part_of[i], expected[i]);
    }
    ck_assert_uint_eq(made.parts.items[0].module, HTP_NONE);
    ck_assert(htp_slice_equals(tree.modules[made.parts.items[1].module].tag, htp_slice_of("/N/A")));
    close_rows();
}

UNIT_TEST(modules_that_need_each_other)
{
    static const row rows[] = {{"/N/A", "a", "x", ""},
                               {"/N/B", "b", "a", ""},
                               {"/N/B", "c", "x", ""},
                               {"/N/A", "d", "c", ""},
                               {"/N", "y", "b", "d"}};
    htp_split made;
    OPEN(rows);
    ck_assert_ptr_null(split(arena, a_and_b, 1, &made));
    ck_assert_ptr_null(split(arena, a_and_b + 1, 1, &made));
    assert_refused(split(arena, a_and_b, 2, &made), "cannot both be parts");
    static const char *const inside[] = {"/N", "/N/B"};
    assert_refused(split(arena, inside, 2, &made), "'/N/B' lies in '/N'");
    close_rows();
}

UNIT_TEST(modules_that_are_left_and_come_back_to)
{
    static const row rows[] = {
        {"/N/A", "a", "x", ""}, {"/N", "b", "a", ""}, {"/N/A", "y", "b", ""}};
    htp_split made;
    OPEN(rows);
    assert_refused(split(arena, a_and_b, 1, &made), "'a' -> 'b' -> 'y'");
    close_rows();
}

/* ---- folders ---- */

UNIT_TEST(folders_appear_complete)
{
    const char *path = proto_path(arena, "made");
    htp_folder folder;
    char file[PATH_MAX];
    htp_status status = htp_folder_begin(&folder, path);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert(htp_folder_file(&folder, "x", file));
    write_bytes(file, "bytes", 5);
    ck_assert_ptr_null(htp_folder_publish(&folder));
    htp_folder_discard(&folder); /* nothing is left to remove */
    ck_assert_int_eq(access(proto_path(arena, "made/x"), F_OK), 0);
    status = htp_folder_begin(&folder, path);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_CANNOT_WRITE);
    htp_status_free(status);
}

UNIT_TEST(folders_that_are_given_up_are_gone)
{
    htp_folder folder;
    char file[PATH_MAX];
    ck_assert_ptr_null(htp_folder_begin(&folder, proto_path(arena, "none/")));
    ck_assert(htp_folder_file(&folder, "x", file));
    write_bytes(file, "bytes", 5);
    htp_folder_discard(&folder);
    ck_assert_int_ne(access(file, F_OK), 0);
    ck_assert_int_eq(rmdir(proto_folder), 0); /* it is empty */
    ck_assert_int_eq(mkdir(proto_folder, (mode_t)0700), 0);
}

/* Another process was faster: its file stays. */
UNIT_TEST(folders_replace_nothing)
{
    const char *path = proto_path(arena, "made");
    htp_folder folder;
    ck_assert_ptr_null(htp_folder_begin(&folder, path));
    ck_assert_int_eq(mkdir(path, (mode_t)0700), 0);
    write_bytes(proto_path(arena, "made/theirs"), "bytes", 5);
    htp_status status = htp_folder_publish(&folder);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_CANNOT_WRITE);
    htp_status_free(status);
    htp_folder_discard(&folder);
    ck_assert_int_eq(access(proto_path(arena, "made/theirs"), F_OK), 0);
}

/* ---- arguments of callers ---- */

UNIT_TEST(extractions_are_checked)
{
    static const char *const modules[] = {"A", NULL};
    htp_extraction given;
    memset(&given, 0, sizeof(given));
    assert_refused(htp_model_extract(NULL, &given, "x", NULL, NULL), "htp_extraction_init()");
    assert_refused(htp_model_extract(NULL, NULL, "x", NULL, NULL), "htp_extraction_init()");
    htp_extraction_init(&given);
    ck_assert(given.call == -1 && given.external_data == HTP_EXTERNAL_AUTO);
    assert_refused(htp_model_extract(NULL, &given, "x", NULL, NULL), "no module");
    given.modules = modules;
    given.module_count = 2;
    assert_refused(htp_model_extract(NULL, &given, "x", NULL, NULL), "list of modules");
    given.module_count = 1;
    given.call = -2;
    assert_refused(htp_model_extract(NULL, &given, "x", NULL, NULL), "no call -2");
    given.call = INT64_MAX;
    assert_refused(htp_model_extract(NULL, &given, "x", NULL, NULL), "no call 9");
    given.call = -1;
    given.external_data = (htp_external_data)9;
    assert_refused(htp_model_extract(NULL, &given, "x", NULL, NULL), "external data: 9");
    given.external_data = HTP_EXTERNAL_AUTO;
    assert_refused(htp_model_extract(NULL, &given, "x", NULL, NULL), "no model");
    given.struct_size++;
    assert_refused(htp_model_extract(NULL, &given, "x", NULL, NULL), "htp_extraction_init()");
}

UNIT_TEST(splittings_are_checked)
{
    static const char *const modules[] = {"A"};
    htp_splitting given;
    memset(&given, 0, sizeof(given));
    assert_refused(htp_model_split(NULL, &given, "x", NULL, NULL), "htp_splitting_init()");
    htp_splitting_init(&given);
    assert_refused(htp_model_split(NULL, &given, "x", NULL, NULL), "or a depth");
    given.at = modules;
    given.at_count = 1;
    given.depth = 1;
    assert_refused(htp_model_split(NULL, &given, "x", NULL, NULL), "or a depth");
    given.depth = -1;
    given.share_weights = true;
    given.external_data = HTP_EXTERNAL_NEVER;
    assert_refused(htp_model_split(NULL, &given, "x", NULL, NULL), "shared");
    given.external_data = HTP_EXTERNAL_AUTO;
    assert_refused(htp_model_split(NULL, &given, "x", NULL, NULL), "no model");
}

UNIT_TEST(outputs_need_names)
{
    static const row rows[] = {{"/N/A", "a", "x", ""}, {"/N", "y", "a", ""}};
    static const char *const modules[] = {"A"};
    htp_extraction extraction;
    htp_splitting splitting;
    htp_model *model;
    OPEN(rows);
    close_rows();
    htp_extraction_init(&extraction);
    htp_splitting_init(&splitting);
    extraction.modules = splitting.at = modules;
    extraction.module_count = splitting.at_count = 1;
    ck_assert_ptr_null(htp_model_open(proto_path(arena, "m.onnx"), &model));
    char *text = (char *)modules;
    assert_refused(htp_model_extract(model, &extraction, NULL, &text, NULL), "no name");
    ck_assert_ptr_null(text);
    assert_refused(htp_model_split(model, &splitting, "", NULL, NULL), "no name");
    htp_model_free(model);
}

UNIT_MAIN_WITH("cut", proto_folder_make, proto_folder_remove, detours_are_found, long_paths_are_cut,
               parts_need_not_be_connected, constants_and_weights_cross_no_border,
               types_that_are_not_known_are_asked_for, calls_by_what_is_connected,
               branches_are_no_calls, parts_have_an_order, modules_that_need_each_other,
               modules_that_are_left_and_come_back_to, folders_appear_complete,
               folders_that_are_given_up_are_gone, folders_replace_nothing, extractions_are_checked,
               splittings_are_checked, outputs_need_names)
