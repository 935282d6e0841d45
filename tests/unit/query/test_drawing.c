/*
 * Drawings: frames, boxes and arrows; nodes that contain graphs; streams.
 */
#include "base/stream.h"
#include "proto_fixture.h"
#include "query/dataflow/graph_owner.h"
#include "query/drawing/drawing.h"
#include "report/drawing/drawing.h"

static htp_view view;
static htp_tree tree;
static htp_drawing_graph drawing;

static void draw(htp_arena *arena, const message *graph, const char *module, int depth)
{
    message model = model_of(arena, graph);
    const htp_drawing_choice choice = {.module = module, .depth = depth};
    open_model(&view, arena, &model);
    htp_status status = htp_tree_find(&view, &tree);
    ck_assert(status == HTP_OK);
    status = htp_drawing_make(arena, &view, &tree, &choice, &drawing);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
}

static void finish(void)
{
    htp_tree_close(&tree);
    htp_view_close(&view);
}

/* A node that ran in the module of this tag. */
static void put_node(message *graph, const char *name, const char *tag, const char *a,
                     const char *b, const char *made)
{
    message node = node_of(graph->arena, "Add", name, a, b, made);
    put_entry(&node, 9, "source_module", tag);
    put_message(graph, 1, &node);
}

static void put_ends(message *graph)
{
    message x = info_of(graph->arena, "x");
    message y = info_of(graph->arena, "y");
    put_message(graph, 11, &x);
    put_message(graph, 12, &y);
}

/* x -> a (Net) -> b (Net/L) -> c (Net) -> y; and a -> c, and c2 (Net) beside c. */
static message make_residual(htp_arena *arena)
{
    message graph = message_new(arena);
    put_node(&graph, "a", "/Net", "x", "x", "a");
    put_node(&graph, "b", "/Net/L", "a", "", "b");
    put_node(&graph, "c", "/Net", "a", "b", "c");
    put_node(&graph, "d", "/Net", "c", "", "y");
    put_ends(&graph);
    return graph;
}

static size_t count_boxes(htp_drawing_box_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < drawing.boxes.count; i++) {
        count += drawing.boxes.items[i].kind == kind;
    }
    return count;
}

UNIT_TEST(all_nodes)
{
    message graph = make_residual(arena);
    draw(arena, &graph, NULL, -1);
    ck_assert_uint_eq(drawing.frames.count, 2);
    ck_assert_uint_eq(drawing.frames.items[0].nodes, 4);
    ck_assert_uint_eq(drawing.frames.items[1].nodes, 1);
    ck_assert_uint_eq(drawing.frames.items[1].parent, 0);
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_NODE), 4);
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_INPUT), 1);
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_OUTPUT), 1);
    ck_assert_uint_eq(drawing.arrows.count, 6); /* x is read twice, but has one arrow */
    finish();
}

UNIT_TEST(nodes_are_put_together_without_circles)
{
    message graph = make_residual(arena);
    draw(arena, &graph, NULL, 1);
    ck_assert_uint_eq(drawing.frames.count, 1);
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_NODES), 2); /* a; c and d */
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_MODULE), 1);
    ck_assert_uint_eq(drawing.boxes.items[0].nodes, 1);
    ck_assert_uint_eq(drawing.boxes.items[2].nodes, 2);
    ck_assert_uint_eq(drawing.boxes.items[2].counts.count, 1);
    ck_assert_uint_eq(drawing.boxes.items[2].counts.items[0].count, 2);
    finish();
    draw(arena, &graph, NULL, 0);
    ck_assert_uint_eq(drawing.frames.count, 0);
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_MODULE), 1);
    ck_assert_uint_eq(drawing.boxes.items[0].nodes, 4);
    ck_assert_uint_eq(drawing.arrows.count, 2);
    finish();
}

UNIT_TEST(parts_have_inputs_and_outputs)
{
    message graph = make_residual(arena);
    draw(arena, &graph, "L", -1);
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_NODE), 1);
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_INPUT), 1);
    ck_assert_uint_eq(count_boxes(HTP_DRAWING_OUTPUT), 1);
    ck_assert_uint_eq(drawing.frames.count, 1);
    ck_assert_uint_eq(drawing.frames.items[0].parent, HTP_NONE);
    finish();
}

UNIT_TEST(modules_of_torch_nn_have_no_frame)
{
    message graph = message_new(arena);
    put_node(&graph, "a", "relative", "x", "", "y");
    put_ends(&graph);
    draw(arena, &graph, NULL, -1);
    ck_assert_uint_eq(drawing.frames.count, 0);
    ck_assert_uint_eq(drawing.boxes.items[0].module, HTP_NONE);
    finish();
}

/* ---- hosts ---- */

static message function_of(htp_arena *arena, const char *name, const char *called)
{
    message function = message_new(arena);
    message node = node_of(arena, called, "", "a", "", "b");
    put_text(&node, 7, "d");
    put_text(&function, 1, name);
    put_text(&function, 4, "a");
    put_text(&function, 5, "b");
    put_message(&function, 7, &node);
    put_text(&function, 10, "d");
    return function;
}

UNIT_TEST(functions_lie_beside_their_only_call)
{
    static const char *const rows[][2] = {
        {"Once", "Other"}, {"A", "B"}, {"B", "A"}, {"Self", "Self"}, {"Uncalled", "Other"}};
    message graph = message_new(arena);
    message node = node_of(arena, "Once", "n", "x", "", "y");
    put_text(&node, 7, "d");
    put_message(&graph, 1, &node);
    put_ends(&graph);
    message model = model_of(arena, &graph);
    for (size_t i = 0; i < 5; i++) {
        message function = function_of(arena, rows[i][0], rows[i][1]);
        put_message(&model, 25, &function);
    }
    open_model(&view, arena, &model);
    bool *is_host = HTP_NEW_ARRAY(arena, bool, view.nodes.count);
    uint32_t *hosts = htp_graph_owner_find(arena, &view, is_host);
    uint32_t *order = htp_graph_owner_order(arena, &view, hosts);
    ck_assert_uint_eq(hosts[0], HTP_NONE);
    ck_assert_uint_eq(hosts[1], 0);
    for (size_t g = 2; g < view.graphs.count; g++) {
        ck_assert_uint_eq(hosts[g], HTP_NONE);
    }
    ck_assert(is_host[0] && !is_host[1]);
    bool seen[6] = {false};
    for (size_t i = 0; i < view.graphs.count; i++) {
        ck_assert(!seen[order[i]]);
        seen[order[i]] = true;
        ck_assert(hosts[order[i]] == HTP_NONE || seen[0]);
    }
    htp_view_close(&view);
}

/* ---- text ---- */

struct sink {
    size_t bytes, calls, limit;
    char last;
};

static bool take(void *user, const void *bytes, size_t count)
{
    struct sink *sink = user;
    sink->calls++;
    sink->bytes += count;
    sink->last = ((const char *)bytes)[count - 1];
    return sink->bytes <= sink->limit;
}

UNIT_TEST(streams_pass_on)
{
    struct sink sink = {.limit = SIZE_MAX};
    htp_stream stream = htp_stream_new(arena, take, &sink);
    for (int i = 0; i < 100000; i++) {
        htp_text_add(&stream.text, "0123456789");
        ck_assert(htp_stream_pass(&stream));
    }
    ck_assert_uint_lt(stream.text.capacity, 1 << 18);
    ck_assert(htp_stream_end(&stream));
    ck_assert_uint_eq(sink.bytes, 1000000);
    ck_assert_uint_gt(sink.calls, 2);
    sink.limit = 1000000; /* from now on writes fail */
    htp_text_add(&stream.text, "x");
    ck_assert(!htp_stream_end(&stream));
    size_t calls = sink.calls;
    htp_text_add(&stream.text, "y");
    ck_assert(!htp_stream_end(&stream) && !htp_stream_pass(&stream));
    ck_assert_uint_eq(sink.calls, calls);
}

UNIT_TEST(xml_is_valid)
{
    static const char *const rows[][2] = {
        {"a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"},
        {"\x01\n\x7f", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc3\xa9\xf0\x9f\x99\x82\\", "\xc3\xa9\xf0\x9f\x99\x82\\"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        htp_text text = {.arena = arena};
        htp_drawing_add_xml(&text, rows[i][0]);
        ck_assert_str_eq(htp_text_string(&text), rows[i][1]);
    }
}

UNIT_MAIN_WITH("drawing", proto_folder_make, proto_folder_remove, all_nodes,
               nodes_are_put_together_without_circles, parts_have_inputs_and_outputs,
               modules_of_torch_nn_have_no_frame, functions_lie_beside_their_only_call,
               streams_pass_on, xml_is_valid)
