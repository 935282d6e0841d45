/*
 * Rewritten models: everything outside of edits keeps its bytes.
 */
#include "onnx/rewriter/rewrite.h"
#include "proto_fixture.h"

static const float weights[] = {1, 2, 3};

static void assert_equal(const message *a, const message *b)
{
    ck_assert_uint_eq(a->length, b->length);
    ck_assert_mem_eq(a->bytes, b->bytes, a->length);
}

/* x, w -> Add -> y, with metadata and an unknown field in the node. @p parts: which of the node's
 * two properties and of the two initializers there are. */
enum { FIRST = 1, SECOND = 2, USED = 4, UNUSED = 8, ALL = 15 };
static message build(htp_arena *arena, unsigned parts, const char *tag)
{
    message graph = message_new(arena);
    message node = node_of(arena, "Add", "n", "x", "w", "y");
    if (parts & FIRST) {
        put_entry(&node, 9, "source_module", tag);
    }
    put_text(&node, 77, "whatever");
    if (parts & SECOND) {
        put_entry(&node, 9, "other", "kept");
    }
    put_message(&graph, 1, &node);
    message used = tensor_of(arena, "w", weights, 3);
    message unused = tensor_of(arena, "unused", weights, 2);
    if (parts & USED) {
        put_message(&graph, 5, &used);
    }
    if (parts & UNUSED) {
        put_message(&graph, 5, &unused);
    }
    message x = info_of(arena, "x");
    put_message(&graph, 11, &x);
    return model_of(arena, &graph);
}

static message rewrite(htp_view *view, htp_arena *arena, const htp_edit_list *edits)
{
    const char *path = proto_path(arena, "out.onnx");
    htp_writer_result result;
    htp_status status = htp_rewrite(view, edits, path, NULL, &result);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    message written = read_bytes(arena, path);
    ck_assert_uint_eq(written.length, result.model_bytes);
    return written;
}

static void edit(htp_arena *arena, htp_edit_list *edits, htp_span field, const message *bytes)
{
    htp_span replacement = {NULL, 0};
    if (bytes) {
        replacement = (htp_span){(const unsigned char *)bytes->bytes, bytes->length};
    }
    HTP_PUSH(arena, edits, (htp_edit){.field = field, .bytes = replacement});
}

UNIT_TEST(without_edits_nothing_changes)
{
    htp_view view;
    htp_edit_list edits = {0};
    message model = build(arena, ALL, "/Net");
    open_model(&view, arena, &model);
    message written = rewrite(&view, arena, &edits);
    assert_equal(&written, &model);
    htp_view_close(&view);
}

UNIT_TEST(fields_are_dropped)
{
    htp_view view;
    htp_edit_list edits = {0};
    message model = build(arena, ALL, "/Net");
    open_model(&view, arena, &model);
    edit(arena, &edits, view.tensors.items[1].whole, NULL); /* in any order */
    edit(arena, &edits, view.property_list.items[0].whole, NULL);
    message written = rewrite(&view, arena, &edits);
    message expected = build(arena, SECOND | USED, "");
    assert_equal(&written, &expected);
    htp_view_close(&view);
}

UNIT_TEST(fields_are_replaced)
{
    htp_view view;
    htp_edit_list edits = {0};
    char tag[400]; /* lengths around it get more digits */
    memset(tag, 'x', sizeof(tag) - 1);
    tag[sizeof(tag) - 1] = '\0';
    message model = build(arena, ALL, "/Net");
    message property = message_new(arena);
    put_entry(&property, 9, "source_module", tag);
    open_model(&view, arena, &model);
    edit(arena, &edits, view.property_list.items[0].whole, &property);
    message written = rewrite(&view, arena, &edits);
    message expected = build(arena, ALL, tag);
    assert_equal(&written, &expected);
    htp_view_close(&view);
}

UNIT_TEST(an_edit_of_no_field_is_refused)
{
    htp_view view;
    htp_edit_list edits = {0};
    htp_writer_result result;
    message model = build(arena, ALL, "/Net");
    open_model(&view, arena, &model);
    htp_span field = view.property_list.items[0].whole;
    field.at++;
    edit(arena, &edits, field, NULL);
    htp_status status = htp_rewrite(&view, &edits, proto_path(arena, "out.onnx"), NULL, &result);
    ck_assert_ptr_nonnull(status);
    ck_assert_int_ne(access(proto_path(arena, "out.onnx"), F_OK), 0);
    htp_status_free(status);
    htp_view_close(&view);
}

/* ---- external data ---- */

static void put_external(message *graph, const char *name, const char *location, const char *offset)
{
    message tensor = message_new(graph->arena);
    put_number(&tensor, 1, 4);
    put_number(&tensor, 2, 3); /* int8 */
    put_text(&tensor, 8, name);
    put_entry(&tensor, 13, "location", location);
    put_entry(&tensor, 13, "offset", offset);
    put_entry(&tensor, 13, "length", "4");
    put_number(&tensor, 14, 1);
    put_message(graph, 5, &tensor);
}

UNIT_TEST(one_data_file_is_copied)
{
    htp_view view;
    htp_edit_list edits = {0};
    message graph = message_new(arena);
    put_external(&graph, "a", "d.bin", "2");
    put_external(&graph, "b", "d.bin", "6");
    message model = model_of(arena, &graph);
    write_bytes(proto_path(arena, "d.bin"), "..AAAABBBB", 10);
    open_model(&view, arena, &model);
    message written = rewrite(&view, arena, &edits);
    graph = message_new(arena);
    put_external(&graph, "a", "out.onnx.data", "2");
    put_external(&graph, "b", "out.onnx.data", "6");
    message expected = model_of(arena, &graph);
    assert_equal(&written, &expected);
    message data = read_bytes(arena, proto_path(arena, "out.onnx.data"));
    ck_assert_uint_eq(data.length, 10);
    ck_assert_mem_eq(data.bytes, "..AAAABBBB", 10);
    htp_view_close(&view);
}

UNIT_TEST(what_is_left_of_data_files_is_laid_out_anew)
{
    htp_view view;
    htp_edit_list edits = {0};
    message graph = message_new(arena);
    put_external(&graph, "a", "d.bin", "0");
    put_external(&graph, "b", "d.bin", "4");
    put_external(&graph, "c", "e.bin", "1");
    put_external(&graph, "tied", "d.bin", "4");
    message model = model_of(arena, &graph);
    write_bytes(proto_path(arena, "d.bin"), "AAAABBBB", 8);
    write_bytes(proto_path(arena, "e.bin"), ".CCCC", 5);
    open_model(&view, arena, &model);
    edit(arena, &edits, view.tensors.items[0].whole, NULL);
    message written = rewrite(&view, arena, &edits);
    graph = message_new(arena);
    put_external(&graph, "b", "out.onnx.data", "0");
    put_external(&graph, "c", "out.onnx.data", "64");
    put_external(&graph, "tied", "out.onnx.data", "0");
    message expected = model_of(arena, &graph);
    assert_equal(&written, &expected);
    message data = read_bytes(arena, proto_path(arena, "out.onnx.data"));
    ck_assert_uint_eq(data.length, 68);
    ck_assert_mem_eq(data.bytes, "BBBB", 4);
    ck_assert_mem_eq(data.bytes + 64, "CCCC", 4);
    htp_view_close(&view);
}

UNIT_TEST(changed_sources_are_noticed)
{
    htp_view view;
    htp_edit_list edits = {0};
    htp_writer_result result;
    message graph = message_new(arena);
    put_external(&graph, "a", "d.bin", "0");
    message model = model_of(arena, &graph);
    write_bytes(proto_path(arena, "d.bin"), "AAAA", 4);
    open_model(&view, arena, &model);
    write_bytes(proto_path(arena, "d.bin"), "AA", 2);
    htp_status status = htp_rewrite(&view, &edits, proto_path(arena, "out.onnx"), NULL, &result);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    ck_assert_int_ne(access(proto_path(arena, "out.onnx"), F_OK), 0);
    ck_assert_int_ne(access(proto_path(arena, "out.onnx.data"), F_OK), 0);
    htp_status_free(status);
    htp_view_close(&view);
}

/* ---- composed models, and moved data ---- */

enum { LARGE = 2048 };

/* Of `bytes` bytes, all of them @p fill: in the model, or in d.bin at @p offset. */
static void put_bytes_tensor(message *graph, const char *name, char fill, size_t bytes,
                             const char *offset)
{
    message tensor = message_new(graph->arena);
    char *data = htp_arena_alloc(graph->arena, bytes);
    memset(data, fill, bytes);
    put_number(&tensor, 1, bytes);
    put_number(&tensor, 2, 3); /* int8 */
    put_text(&tensor, 8, name);
    if (offset) {
        put_entry(&tensor, 13, "location", "d.bin");
        put_entry(&tensor, 13, "offset", offset);
        put_entry(&tensor, 13, "length", htp_arena_printf(graph->arena, "%zu", bytes));
        put_number(&tensor, 14, 1);
    } else {
        put_bytes(&tensor, 9, data, bytes);
    }
    put_message(graph, 5, &tensor);
}

/* Tensors inside and outside of the model, small and large, and one of a node. */
static void open_mixed(htp_view *view, htp_arena *arena)
{
    char beside[2 * LARGE];
    message graph = message_new(arena);
    put_bytes_tensor(&graph, "in", 'i', LARGE, NULL);
    put_bytes_tensor(&graph, "small in", 's', 4, NULL);
    put_bytes_tensor(&graph, "out", 'o', LARGE, "0");
    put_bytes_tensor(&graph, "small out", 't', 4, "2048");
    put_bytes_tensor(&graph, "left out", 'l', LARGE, NULL);
    memset(beside, 'o', LARGE);
    memset(beside + LARGE, 't', LARGE);
    write_bytes(proto_path(arena, "d.bin"), beside, sizeof(beside));
    message model = model_of(arena, &graph);
    open_model(view, arena, &model);
}

static htp_span span_of(const message *bytes)
{
    return (htp_span){(const unsigned char *)bytes->bytes, bytes->length};
}

/* A model of the first four tensors, in another order. */
static const htp_recipe *make_recipe(const htp_view *view, htp_arena *arena)
{
    htp_recipe *model = HTP_NEW(arena, htp_recipe);
    htp_recipe *graph = HTP_NEW(arena, htp_recipe);
    message version = message_new(arena);
    put_number(&version, 1, 10);
    graph->number = 7;
    for (size_t i = 0; i < 4; i++) {
        static const size_t order[] = {3, 1, 2, 0};
        HTP_PUSH(arena, &graph->items,
                 (htp_recipe_item){.bytes = view->tensors.items[order[i]].whole});
    }
    HTP_PUSH(arena, &model->items, (htp_recipe_item){.bytes = span_of(&version)});
    HTP_PUSH(arena, &model->items, (htp_recipe_item){.message = graph});
    return model;
}

static const uint32_t first_four[] = {0, 1, 2, 3};

/* Opens the written model, and checks each tensor's bytes and place. */
static void check_mixed(htp_arena *arena, const char *path, const bool is_beside[4])
{
    static const char *const names[] = {"small out", "small in", "out", "in"};
    htp_view view;
    htp_status status = htp_view_open(&view, arena, path, NULL);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    ck_assert_uint_eq(view.tensors.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const htp_view_tensor *tensor = &view.tensors.items[i];
        ck_assert_str_eq(htp_view_text(&view, tensor->name), names[i]);
        ck_assert_uint_eq(tensor->bytes, i < 2 ? 4 : LARGE);
        ck_assert_int_eq(tensor->location != 0, is_beside[i]);
        message data = {.arena = arena};
        if (is_beside[i]) {
            data = read_bytes(arena, view.data_files.items[0].path);
        }
        const char *at = is_beside[i] ? data.bytes + tensor->offset : (const char *)tensor->data.at;
        for (size_t k = 0; k < tensor->bytes; k++) {
            UNIT_CHECK(at[k] == "tsoi"[i]);
        }
    }
    htp_view_close(&view);
}

UNIT_TEST(data_go_where_they_are_asked_to)
{
    static const struct {
        htp_external_data choice;
        bool is_beside[4];
    } cases[] = {{HTP_EXTERNAL_AUTO, {false, false, false, false}},
                 {HTP_EXTERNAL_NEVER, {false, false, false, false}},
                 {HTP_EXTERNAL_ALWAYS, {false, false, true, true}}};
    for (size_t i = 0; i < 3; i++) {
        htp_view view;
        htp_edit_list edits = {0};
        htp_writer_result result;
        const char *path = proto_path(arena, "out.onnx");
        open_mixed(&view, arena);
        const htp_rewrite_options options = {.recipe = make_recipe(&view, arena),
                                             .tensors = first_four,
                                             .tensor_count = 4,
                                             .place = HTP_DATA_CHOSEN,
                                             .external_data = cases[i].choice};
        htp_status status = htp_rewrite(&view, &edits, path, &options, &result);
        ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
        ck_assert_uint_eq(result.external_bytes, cases[i].is_beside[2] ? 2 * LARGE : 0);
        check_mixed(arena, path, cases[i].is_beside);
        htp_view_close(&view);
    }
}

UNIT_TEST(data_are_shared)
{
    static const bool is_beside[] = {false, false, true, true};
    htp_view view;
    htp_edit_list edits = {0};
    htp_writer_result result;
    uint64_t offsets[5];
    uint64_t bytes;
    open_mixed(&view, arena);
    htp_rewrite_options options = {.tensors = first_four, .tensor_count = 4};
    htp_status status =
        htp_rewrite_data(&view, proto_path(arena, "shared"), &options, offsets, &bytes);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    ck_assert_uint_eq(bytes, (uint64_t)2 * LARGE);
    ck_assert(offsets[0] == 0 && offsets[2] == LARGE && offsets[1] == UINT64_MAX &&
              offsets[3] == UINT64_MAX && offsets[4] == UINT64_MAX);
    const htp_shared_data shared = {"shared", offsets};
    options.recipe = make_recipe(&view, arena);
    options.place = HTP_DATA_SHARED;
    options.shared = &shared;
    status = htp_rewrite(&view, &edits, proto_path(arena, "out.onnx"), &options, &result);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    ck_assert_uint_eq(result.external_bytes, 0);
    check_mixed(arena, proto_path(arena, "out.onnx"), is_beside);
    htp_view_close(&view);
}

UNIT_TEST(changed_data_move_nowhere)
{
    htp_view view;
    htp_edit_list edits = {0};
    htp_writer_result result;
    open_mixed(&view, arena);
    const htp_rewrite_options options = {.recipe = make_recipe(&view, arena),
                                         .tensors = first_four,
                                         .tensor_count = 4,
                                         .place = HTP_DATA_CHOSEN,
                                         .external_data = HTP_EXTERNAL_NEVER};
    write_bytes(proto_path(arena, "d.bin"), "short", 5);
    htp_status status =
        htp_rewrite(&view, &edits, proto_path(arena, "out.onnx"), &options, &result);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    ck_assert_int_ne(access(proto_path(arena, "out.onnx"), F_OK), 0);
    htp_status_free(status);
    htp_view_close(&view);
}

UNIT_MAIN_WITH("rewrite", proto_folder_make, proto_folder_remove, without_edits_nothing_changes,
               fields_are_dropped, fields_are_replaced, an_edit_of_no_field_is_refused,
               one_data_file_is_copied, what_is_left_of_data_files_is_laid_out_anew,
               changed_sources_are_noticed, data_go_where_they_are_asked_to, data_are_shared,
               changed_data_move_nowhere)
