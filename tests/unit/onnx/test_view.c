/*
 * Views of files, and refused files.
 */
#include "proto_fixture.h"

static const float weights[] = {1, 2, 3};

/* x, w -> Add -> h; h -> If -> y, with bodies that read h and w from around them. */
static message build_graph(htp_arena *arena)
{
    message graph = message_new(arena);
    message add = node_of(arena, "Add", "/enc/Add", "x", "w", "h");
    put_entry(&add, 9, "source_module", "/Net/Enc");
    put_entry(&add, 9, "source_module", "/Net/Encoder");
    put_message(&graph, 1, &add);
    message branch = node_of(arena, "If", "", "h", "", "y");
    for (int side = 0; side < 2; side++) {
        message body = message_new(arena);
        message attribute = message_new(arena);
        message node = node_of(arena, "Mul", side ? "/no/Mul" : "/yes/Mul", "h", "w", "b");
        message output = info_of(arena, "b");
        put_message(&body, 1, &node);
        put_message(&body, 12, &output);
        put_text(&attribute, 1, side ? "else_branch" : "then_branch");
        put_message(&attribute, 6, &body);
        put_number(&attribute, 20, HTP_VIEW_GRAPH);
        put_message(&branch, 5, &attribute);
    }
    put_message(&graph, 1, &branch);
    put_text(&graph, 2, "main");
    message tensor = tensor_of(arena, "w", weights, 3);
    put_message(&graph, 5, &tensor);
    message x = info_of(arena, "x");
    message y = info_of(arena, "y");
    put_message(&graph, 11, &x);
    put_message(&graph, 12, &y);
    return graph;
}

static message build_model(htp_arena *arena)
{
    message graph = build_graph(arena);
    return model_of(arena, &graph);
}

UNIT_TEST(the_structure)
{
    htp_view view;
    message model = build_model(arena);
    open_model(&view, arena, &model);
    ck_assert_int_eq(view.ir_version, 10);
    ck_assert_str_eq(htp_view_text(&view, view.producer_name), "maker");
    ck_assert_uint_eq(view.imports.count, 1);
    ck_assert_int_eq(view.imports.items[0].version, 18);
    ck_assert_uint_eq(view.graphs.count, 3);
    ck_assert_str_eq(htp_view_text(&view, view.graphs.items[0].name), "main");
    ck_assert_uint_eq(view.nodes.count, 4);
    ck_assert_uint_eq(view.flaws.count, 0);
    ck_assert_ptr_null(htp_view_check(&view));
    const htp_view_node *add = &view.nodes.items[0];
    ck_assert_str_eq(htp_view_text(&view, add->op_type), "Add");
    const htp_view_property *tag =
        htp_view_find_property(&view, add->properties, htp_view_find_name(&view, "source_module"));
    ck_assert_uint_eq(tag->value.bytes, strlen("/Net/Encoder")); /* the last one counts */
    ck_assert_ptr_null(
        htp_view_find_property(&view, add->properties, htp_view_find_name(&view, "nowhere")));
    const htp_view_tensor *tensor = &view.tensors.items[0];
    ck_assert_uint_eq(tensor->bytes, 12);
    ck_assert_mem_eq(tensor->data.at, weights, 12);
    ck_assert(tensor->data.at > view.bytes.at);
    htp_view_close(&view);
}

UNIT_TEST(bodies_read_what_is_around_them)
{
    htp_view view;
    message model = build_model(arena);
    open_model(&view, arena, &model);
    const htp_view_attribute *branch =
        htp_view_find_attribute(&view, 1, htp_view_find_name(&view, "else_branch"));
    ck_assert_uint_eq(branch->graphs.count, 1);
    const htp_view_graph *body = &view.graphs.items[branch->graphs.first];
    ck_assert_uint_eq(body->parent, 0);
    ck_assert_uint_eq(body->node, 1);
    ck_assert_uint_eq(body->depth, 1);
    uint32_t mul = body->nodes.first;
    ck_assert_str_eq(htp_view_call_node(&view, mul), "/no/Mul");
    ck_assert_uint_eq(input_of(&view, mul, 0), value_of(&view, 0, "h"));
    ck_assert_uint_eq(input_of(&view, mul, 1), value_of(&view, 0, "w"));
    ck_assert_uint_eq(view.values.items[input_of(&view, mul, 0)].node, 0);
    ck_assert_str_eq(htp_view_call_node(&view, 1), "If that makes y");
    htp_view_close(&view);
}

UNIT_TEST(functions_are_graphs_of_their_own)
{
    htp_view view;
    message model = build_model(arena);
    message function = message_new(arena);
    message node = node_of(arena, "Neg", "n", "a", "", "b");
    put_text(&function, 1, "F");
    put_text(&function, 4, "a");
    put_text(&function, 5, "b");
    put_message(&function, 7, &node);
    put_text(&function, 10, "my.domain");
    put_message(&model, 25, &function);
    open_model(&view, arena, &model);
    ck_assert_uint_eq(view.functions.count, 1);
    const htp_view_function *read = &view.functions.items[0];
    ck_assert_str_eq(htp_view_text(&view, read->name), "F");
    ck_assert_str_eq(htp_view_text(&view, read->domain), "my.domain");
    const htp_view_graph *graph = &view.graphs.items[read->graph];
    ck_assert_uint_eq(graph->parent, HTP_NONE);
    ck_assert_uint_eq(graph->nodes.count, 1);
    ck_assert_uint_eq(input_of(&view, graph->nodes.first, 0), value_of(&view, read->graph, "a"));
    ck_assert_uint_eq(view.flaws.count, 0);
    htp_view_close(&view);
}

UNIT_TEST(inputs_may_have_initializers)
{
    htp_view view;
    message graph = build_graph(arena);
    message w = info_of(arena, "w");
    put_message(&graph, 11, &w);
    message model = model_of(arena, &graph);
    open_model(&view, arena, &model);
    const htp_view_value *value = &view.values.items[value_of(&view, 0, "w")];
    ck_assert_int_eq(value->maker, HTP_VIEW_BY_INPUT);
    ck_assert_uint_eq(value->initializer, 0);
    ck_assert_uint_eq(view.flaws.count, 0);
    htp_view_close(&view);
}

/* ---- flaws ---- */

static void assert_flaw(htp_arena *arena, const message *graph, htp_view_flaw_kind kind,
                        const char *part)
{
    htp_view view;
    message model = model_of(arena, graph);
    open_model(&view, arena, &model);
    ck_assert_uint_ge(view.flaws.count, 1);
    ck_assert_int_eq(view.flaws.items[0].kind, kind);
    htp_status status = htp_view_check(&view);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    ck_assert_msg(strstr(htp_status_message(status), part) != NULL, "%s",
                  htp_status_message(status));
    htp_status_free(status);
    htp_view_close(&view);
}

UNIT_TEST(names_that_are_taken_twice)
{
    message graph = build_graph(arena);
    message again = node_of(arena, "Neg", "again", "x", "", "h");
    put_message(&graph, 1, &again);
    assert_flaw(arena, &graph, HTP_VIEW_NAME_TWICE, "node 'again' makes 'h'");
    graph = build_graph(arena);
    message tensor = tensor_of(arena, "w", weights, 3);
    put_message(&graph, 5, &tensor);
    assert_flaw(arena, &graph, HTP_VIEW_NAME_TWICE, "makes 'w'");
}

UNIT_TEST(values_that_nobody_makes)
{
    message graph = build_graph(arena);
    message lost = node_of(arena, "Neg", "lost", "nowhere", "", "z");
    put_message(&graph, 1, &lost);
    assert_flaw(arena, &graph, HTP_VIEW_NOT_MADE, "node 'lost' reads 'nowhere'");
}

UNIT_TEST(cycles)
{
    message graph = build_graph(arena);
    message a = node_of(arena, "Neg", "a", "q", "", "p");
    message b = node_of(arena, "Neg", "b", "p", "", "q");
    put_message(&graph, 1, &a);
    put_message(&graph, 1, &b);
    assert_flaw(arena, &graph, HTP_VIEW_MADE_LATER, "'q' before node 'b' makes it");
    graph = build_graph(arena);
    message own = node_of(arena, "Neg", "own", "o", "", "o");
    put_message(&graph, 1, &own);
    assert_flaw(arena, &graph, HTP_VIEW_MADE_LATER, "'o' before node 'own' makes it");
}

/* ---- refusals ---- */

static message with_node(htp_arena *arena, const message *node)
{
    message graph = message_new(arena);
    put_message(&graph, 1, node);
    return model_of(arena, &graph);
}

UNIT_TEST(names_must_be_utf8)
{
    message node = node_of(arena, "Neg", "\xff", "x", "", "y");
    message model = with_node(arena, &node);
    open_fails(arena, &model, "not UTF-8");
    node = node_of(arena, "Neg", "n", "x", "", "y");
    put_bytes(&node, 3, "a\0b", 3);
    model = with_node(arena, &node);
    open_fails(arena, &model, "NUL");
}

UNIT_TEST(a_node_has_an_operator)
{
    message node = message_new(arena);
    put_text(&node, 1, "x");
    message model = with_node(arena, &node);
    open_fails(arena, &model, "no operator");
}

/* A model whose If has bodies in bodies. */
static message nested(htp_arena *arena, int depth)
{
    message graph = message_new(arena);
    for (int i = 0; i < depth; i++) {
        message attribute = message_new(arena);
        message node = node_of(arena, "If", "", "", "", "y");
        put_text(&attribute, 1, "then_branch");
        put_message(&attribute, 6, &graph);
        put_number(&attribute, 20, HTP_VIEW_GRAPH);
        put_message(&node, 5, &attribute);
        graph = message_new(arena);
        put_message(&graph, 1, &node);
    }
    return model_of(arena, &graph);
}

UNIT_TEST(bodies_in_bodies)
{
    htp_view view;
    message model = nested(arena, HTP_VIEW_DEEPEST);
    open_model(&view, arena, &model);
    ck_assert_uint_eq(view.graphs.count, HTP_VIEW_DEEPEST + 1);
    htp_view_close(&view);
    model = nested(arena, 1000);
    open_fails(arena, &model, "bodies in each other");
}

static message with_tensor(htp_arena *arena, const message *tensor)
{
    message graph = build_graph(arena);
    put_message(&graph, 5, tensor);
    return model_of(arena, &graph);
}

UNIT_TEST(dims_and_data_must_agree)
{
    message tensor = tensor_of(arena, "t", weights, 3);
    put_number(&tensor, 1, 2);
    message model = with_tensor(arena, &tensor);
    open_fails(arena, &model, "tensor 't' has more or fewer data");
    tensor = tensor_of(arena, "t", weights, 3);
    put_number(&tensor, 1, (uint64_t)-1);
    model = with_tensor(arena, &tensor);
    open_fails(arena, &model, "negative dim");
    tensor = tensor_of(arena, "t", weights, 3);
    put_number(&tensor, 1, INT64_MAX);
    model = with_tensor(arena, &tensor);
    open_fails(arena, &model, "no memory");
}

UNIT_TEST(packed_dims_and_typed_data)
{
    htp_view view;
    message tensor = message_new(arena);
    const unsigned char dims[] = {2, 3};
    const float data[6] = {0};
    put_bytes(&tensor, 1, dims, 2);
    put_number(&tensor, 2, 1);
    put_bytes(&tensor, 4, data, sizeof(data));
    put_text(&tensor, 8, "typed");
    message model = with_tensor(arena, &tensor);
    open_model(&view, arena, &model);
    const htp_view_tensor *read = &view.tensors.items[1];
    ck_assert_uint_eq(read->dims.count, 2);
    ck_assert_int_eq(view.dims.items[read->dims.first + 1], 3);
    ck_assert_uint_eq(read->bytes, 24);
    ck_assert_uint_eq(read->data_field, 4);
    htp_view_close(&view);
}

UNIT_TEST(sparse_initializers)
{
    htp_view view;
    message graph = build_graph(arena);
    message sparse = message_new(arena);
    message values = tensor_of(arena, "s", weights, 3);
    message indices = message_new(arena);
    const int64_t places[] = {0, 4, 5};
    put_number(&indices, 1, 3);
    put_number(&indices, 2, 7);
    put_bytes(&indices, 9, places, sizeof(places));
    put_message(&sparse, 1, &values);
    put_message(&sparse, 2, &indices);
    put_number(&sparse, 3, 9);
    put_message(&graph, 15, &sparse);
    message reader = node_of(arena, "Neg", "r", "s", "", "z");
    put_message(&graph, 1, &reader);
    message model = model_of(arena, &graph);
    open_model(&view, arena, &model);
    ck_assert_uint_eq(view.flaws.count, 0);
    ck_assert_uint_eq(view.graphs.items[0].initializers.count, 3);
    ck_assert_uint_eq(view.values.items[value_of(&view, 0, "s")].initializer, 1);
    htp_view_close(&view);
}

/* ---- external data ---- */

static message external(htp_arena *arena, const char *location, const char *offset,
                        const char *length)
{
    message tensor = message_new(arena);
    put_number(&tensor, 1, 3);
    put_number(&tensor, 2, 1);
    put_text(&tensor, 8, "t");
    put_entry(&tensor, 13, "location", location);
    put_entry(&tensor, 13, "offset", offset);
    put_entry(&tensor, 13, "length", length);
    put_number(&tensor, 14, 1);
    return with_tensor(arena, &tensor);
}

UNIT_TEST(external_data_lie_beside_the_model)
{
    htp_view view;
    write_bytes(proto_path(arena, "data"), "0123456789abcdef", 16);
    message model = external(arena, "data", "4", "12");
    open_model(&view, arena, &model);
    ck_assert_uint_eq(view.data_files.count, 1);
    ck_assert_uint_eq(view.tensors.items[1].offset, 4);
    htp_view_close(&view);
    model = external(arena, "data", "5", "12");
    open_fails(arena, &model, "cut short");
    model = external(arena, "data", "0", "8");
    open_fails(arena, &model, "another length");
    model = external(arena, "data", "18446744073709551615", "12");
    open_fails(arena, &model, "cut short");
    model = external(arena, "data", "-1", "12");
    open_fails(arena, &model, "no number");
    model = external(arena, "none", "0", "12");
    open_fails(arena, &model, "missing");
}

UNIT_TEST(external_data_outside_of_the_folder)
{
    static const char *const places[] = {"/etc/passwd", "../data", "sub/../../data", "..", ""};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        message model = external(arena, places[i], "0", "12");
        open_fails(arena, &model, "");
    }
    ck_assert_int_eq(symlink("/etc/passwd", proto_path(arena, "link")), 0);
    message model = external(arena, "link", "0", "12");
    open_fails(arena, &model, "link out of the model's folder");
    ck_assert_int_eq(mkdir(proto_path(arena, "folder"), 0700), 0);
    model = external(arena, "folder", "0", "12");
    open_fails(arena, &model, "no file");
}

/* ---- damage ---- */

/* Opens arbitrary bytes, which may succeed or fail. */
static void open_damaged(htp_arena *arena, const char *path, const char *bytes, size_t count)
{
    htp_view view;
    write_bytes(path, bytes, count);
    htp_status status = htp_view_open(&view, arena, path, NULL);
    if (status) {
        UNIT_CHECK(htp_status_code(status) == HTP_CODE_BAD_INPUT);
        UNIT_CHECK(strchr(htp_status_message(status), '\n') == NULL);
    } else {
        htp_status_free(htp_view_check(&view));
    }
    htp_status_free(status);
    htp_view_close(&view);
}

UNIT_TEST(truncated_anywhere)
{
    message model = build_model(arena);
    const char *path = proto_path(arena, "t.onnx");
    for (size_t length = 0; length < model.length; length++) {
        open_damaged(arena, path, model.bytes, length);
    }
}

UNIT_TEST(bits_flipped)
{
    message model = build_model(arena);
    const char *path = proto_path(arena, "f.onnx");
    for (size_t bit = 0; bit < model.length * 8; bit++) {
        model.bytes[bit / 8] = (char)((unsigned char)model.bytes[bit / 8] ^ 1U << bit % 8);
        open_damaged(arena, path, model.bytes, model.length);
        model.bytes[bit / 8] = (char)((unsigned char)model.bytes[bit / 8] ^ 1U << bit % 8);
    }
}

UNIT_TEST(what_is_no_onnx)
{
    message text = message_new(arena);
    open_fails(arena, &text, "empty");
    htp_text_add(&text, "hello, world, this is no model");
    open_fails(arena, &text, "not an ONNX model");
    text.length = 0;
    put_number(&text, 1, 10);
    open_fails(arena, &text, "no graph");
    ck_assert(!htp_view_is_onnx((const unsigned char *)"PK\3\4", 4));
    ck_assert(!htp_view_is_onnx((const unsigned char *)"", 0));
    ck_assert(!htp_view_is_onnx((const unsigned char *)"\x80\x02}q", 4)); /* a pickle */
    ck_assert(htp_view_is_onnx((const unsigned char *)"\x08\x0a", 2));
    ck_assert(htp_view_is_onnx((const unsigned char *)"\x3a\x0a", 2));
}

UNIT_MAIN_WITH("view", proto_folder_make, proto_folder_remove, the_structure,
               bodies_read_what_is_around_them, functions_are_graphs_of_their_own,
               inputs_may_have_initializers, names_that_are_taken_twice, values_that_nobody_makes,
               cycles, names_must_be_utf8, a_node_has_an_operator, bodies_in_bodies,
               dims_and_data_must_agree, packed_dims_and_typed_data, sparse_initializers,
               external_data_lie_beside_the_model, external_data_outside_of_the_folder,
               truncated_anywhere, bits_flipped, what_is_no_onnx)
