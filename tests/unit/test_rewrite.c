/*
 * Models that are read and written again: what no edit names keeps its bytes.
 */
#include "onnx/rewrite.h"
#include "proto_fixture.h"

static const float weights[] = {1, 2, 3};

static void assert_equal(const message *a, const message *b)
{
    ck_assert_uint_eq(a->length, b->length);
    ck_assert_mem_eq(a->bytes, b->bytes, a->length);
}

/* x, w -> Add -> y, with metadata and a field that nobody knows in the node. @p parts: which of
 * the node's two properties and of the two initializers there are. */
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

UNIT_MAIN_WITH("rewrite", proto_folder_make, proto_folder_remove, without_edits_nothing_changes,
               fields_are_dropped, fields_are_replaced, an_edit_of_no_field_is_refused,
               one_data_file_is_copied, what_is_left_of_data_files_is_laid_out_anew,
               changed_sources_are_noticed)
