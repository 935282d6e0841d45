#include "onnx/inliner/inline.h"

#include "onnx/inliner/inline_plan.h"
#include "onnx/inliner/inline_texts.h"
#include "proto_fixture.h"

/* ---- texts ---- */

static htp_span span(const char *text)
{
    return htp_inline_span(text);
}

static const char *text_of(htp_arena *arena, htp_span text)
{
    return htp_arena_copy(arena, text.bytes ? (const char *)text.at : "", text.bytes);
}

enum { LIMIT = 1 << 20 };

UNIT_TEST(tags_are_joined)
{
    static const char *const rows[][3] = {
        {"/Net/A", "B/C", "/Net/A/B/C"}, {"/Net/A", ".", "/Net/A"}, {"/Net/A", "/Net/X", "/Net/X"}};
    for (size_t i = 0; i < 3; i++) {
        htp_text text = {.arena = arena};
        htp_inline_join_tag(&text, span(rows[i][0]), span(rows[i][1]));
        ck_assert_str_eq(htp_text_string(&text), rows[i][2]);
    }
    htp_text text = {.arena = arena};
    htp_inline_join_tags(&text, span("/N\"/A"), span("[\".\", \"B\\\"/C\", \"/X\"]"), LIMIT);
    ck_assert_str_eq(htp_text_string(&text), "[\"/N\\\"/A\", \"/N\\\"/A/B\\\"/C\", \"/X\"]");
    text.length = 0;
    htp_inline_join_tags(&text, span("/A"), span("no list \"cut"), LIMIT);
    ck_assert_str_eq(htp_text_string(&text), "no list \"cut");
}

UNIT_TEST(chains_are_joined)
{
    htp_inline_texts call = {0};
    htp_text text = {.arena = arena};
    htp_inline_split_chain(span(": Net/a.b: Block/forward: Block"), &call.chain, &call.chain_path);
    ck_assert_str_eq(text_of(arena, call.chain), ": Net/a.b: Block/");
    ck_assert_str_eq(text_of(arena, call.chain_path), "a.b");
    htp_inline_join_chain(&text, &call, span("c: Act/neg: aten.neg"), LIMIT);
    ck_assert_str_eq(htp_text_string(&text), ": Net/a.b: Block/a.b.c: Act/neg: aten.neg");
    ck_assert(htp_inline_is_whole_chain(span(": Net/neg: aten.neg")));
    ck_assert(!htp_inline_is_whole_chain(span("c: Act/neg: aten.neg")));
    htp_inline_split_chain(span("neg: aten.neg"), &call.chain, &call.chain_path);
    ck_assert_ptr_null(call.chain.at);
}

UNIT_TEST(lists_are_joined)
{
    htp_span begun, path;
    htp_text text = {.arena = arena};
    htp_inline_split_list(span("['', 'a.b', 'forward']"), &begun, &path);
    ck_assert_str_eq(text_of(arena, begun), "['', 'a.b', ");
    ck_assert_str_eq(text_of(arena, path), "'a.b'");
    htp_inline_join_list(&text, begun, path, span("['c', \"it's\", 'neg']"), LIMIT);
    ck_assert_str_eq(htp_text_string(&text), "['', 'a.b', 'a.b.c', \"a.b.it's\", 'neg']");
    text.length = 0;
    htp_inline_join_list(&text, begun, path, span("[]"), LIMIT);
    ck_assert_str_eq(htp_text_string(&text), "['', 'a.b', ]");
    htp_inline_split_list(span("no list"), &begun, &path);
    ck_assert_ptr_null(begun.at);
}

UNIT_TEST(lists_follow_from_chains)
{
    htp_text classes = {.arena = arena};
    htp_text scopes = {.arena = arena};
    htp_span last;
    htp_inline_lists_of_chain(&classes, &scopes, span(": q.Net/a%2Fb: q.It's/"));
    ck_assert_str_eq(htp_text_string(&classes), "['q.Net', \"q.It's\", ");
    ck_assert_str_eq(htp_text_string(&scopes), "['', 'a/b', ");
    htp_inline_last_of_list(span(htp_text_string(&scopes)), &last);
    ck_assert_str_eq(text_of(arena, last), "'a/b'");
}

static void set_calls(htp_arena *arena, htp_inline_texts *call, const char *above, const char *json)
{
    htp_inline_own own = {.is_relative = false};
    htp_inline_read_calls(arena, &own, span(above), span(json));
    call->calls = own.calls;
    call->lists.items = own.lists.items;
    call->lists.count = own.lists.count;
}

/* The outermost call has the initial counts; inner calls and the node continue them. */
UNIT_TEST(calls_are_counted_on)
{
    static const char chain[] = ": Net/a: A/a.b: B/a.b.c: C/a.b.c.once: D/neg: aten.neg";
    htp_inline_texts outer = {.path = span("'a'")};
    htp_inline_texts call = {.caller = &outer, .path = span("'a.b'")};
    htp_inline_own own = {.is_relative = true};
    htp_text text = {.arena = arena};
    htp_text path = {.arena = arena};
    set_calls(arena, &outer, "", "{\"a\": [1]}");
    htp_inline_read_first(arena, &outer, span("{\"b\": 3, \"b.c\": 10, \"other\": 7}"));
    set_calls(arena, &call, "'a'", "{\"b\": [1]}");
    htp_inline_read_first(arena, &call, span("{\"c\": 2}"));
    htp_inline_read_calls(arena, &own, span(""), span("{\"c\": [0, 1]}"));
    ck_assert(htp_inline_join_calls(&text, &path, &call, &own, span(chain), LIMIT));
    ck_assert_str_eq(htp_text_string(&text), "{\"a\": [1], \"a.b\": [4], \"a.b.c\": [12, 13]}");
    text.length = 0;
    ck_assert(htp_inline_add_calls(&text, &call, &own, span("a.b.c"), LIMIT));
    ck_assert_str_eq(htp_text_string(&text), "12, 13");
    ck_assert(!htp_inline_add_calls(&text, &call, &own, span("a.b.c.once"), LIMIT));
}

UNIT_TEST(tags_are_of_modules_in_chains)
{
    htp_inline_texts call = {
        .tag = span("/Net/A"), .chain = span(": Net/a: A/"), .chain_path = span("a")};
    static const char chain[] = "list: torch.nn.List/list.0: q.B/list.0.c: q.C/neg: aten.neg";
    htp_span path = htp_inline_tagged_path(&call, span("B.0/C"), span(chain));
    ck_assert_str_eq(text_of(arena, path), "list.0.c");
    path = htp_inline_tagged_path(&call, span("B.0"), span("list: torch.nn.List/list.0: q.B/x: y"));
    ck_assert_str_eq(text_of(arena, path), "list.0");
    path = htp_inline_tagged_path(&call, span("/Net/A/B"), span(": Net/a: A/a.b: q.B/x: y"));
    ck_assert_str_eq(text_of(arena, path), "b");
    ck_assert_ptr_null(htp_inline_tagged_path(&call, span("/Net/X"), span(chain)).at);
    ck_assert_ptr_null(htp_inline_tagged_path(&call, span("B.0/C/D/E/F"), span(chain)).at);
}

/* ---- models ---- */

/* A function of domain "d", from "a" to "b". */
static message function_of(htp_arena *arena, const char *name, const message *nodes, size_t count)
{
    message function = message_new(arena);
    put_text(&function, 1, name);
    put_text(&function, 4, "a");
    put_text(&function, 5, "b");
    for (size_t i = 0; i < count; i++) {
        put_message(&function, 7, &nodes[i]);
    }
    put_text(&function, 10, "d");
    return function;
}

static message call_of(htp_arena *arena, const char *called, const char *name, const char *input,
                       const char *output)
{
    message node = node_of(arena, called, name, input, "", output);
    put_text(&node, 7, "d");
    return node;
}

static message graph_of(htp_arena *arena, const message *nodes, size_t count)
{
    message graph = message_new(arena);
    message x = info_of(arena, "x");
    message y = info_of(arena, "y");
    for (size_t i = 0; i < count; i++) {
        put_message(&graph, 1, &nodes[i]);
    }
    put_message(&graph, 11, &x);
    put_message(&graph, 12, &y);
    return graph;
}

/* Opens and inlines. @param wrong  part of the message; NULL: it can be inlined */
static void inline_model(htp_arena *arena, const message *model, const char *wrong, htp_view *file,
                         htp_view *flat)
{
    const char *path = proto_path(arena, "m.onnx");
    write_bytes(path, model->bytes, model->length);
    htp_status status = htp_view_open(file, arena, path, NULL);
    ck_assert_msg(!status, "%s", htp_status_message(status));
    ck_assert_uint_eq(file->flaws.count, 0);
    status = htp_view_inline(flat, file);
    if (wrong) {
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
        ck_assert_msg(strstr(htp_status_message(status), wrong) != NULL, "%s",
                      htp_status_message(status));
        htp_status_free(status);
    } else {
        ck_assert_msg(!status, "%s", htp_status_message(status));
        ck_assert_uint_eq(flat->flaws.count, 0);
    }
}

static void check_names(const htp_view *view, const char *const *names, size_t count)
{
    htp_view_range nodes = view->graphs.items[0].nodes;
    ck_assert_uint_eq(nodes.count, count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_str_eq(htp_view_text(view, view->nodes.items[nodes.first + i].name), names[i]);
    }
}

UNIT_TEST(names_are_those_of_calls)
{
    /* In the second call the base is taken, too, so numbers continue. */
    static const char *const names[] = {"before",   "/c/Neg_1", "/c/Neg", "/c/Neg_2",
                                        "/c/Neg_3", "/e/Neg_1", "/e/Neg", "/e"};
    htp_view file, flat;
    message inside[] = {node_of(arena, "Neg", "Neg_1", "a", "", "Neg_1_output_0"),
                        node_of(arena, "Neg", "Neg", "Neg_1_output_0", "", "b")};
    message function = function_of(arena, "F", inside, 2);
    message nodes[] = {node_of(arena, "Abs", "before", "x", "", "v"),
                       call_of(arena, "F", "/c", "v", "w"), call_of(arena, "F", "/c#1", "w", "u"),
                       call_of(arena, "F", "/e", "u", "t"),
                       node_of(arena, "Abs", "/e", "t", "", "y")};
    message graph = graph_of(arena, nodes, 5);
    message model = model_of(arena, &graph);
    put_message(&model, 25, &function);
    inline_model(arena, &model, NULL, &file, &flat);
    check_names(&flat, names, 8);
    ck_assert_uint_eq(flat.functions.count, 0);
    ck_assert_uint_ne(htp_view_find_name(&flat, "/c/Neg_2_output_0"), 0);
    ck_assert_uint_eq(htp_view_find_name(&flat, "Neg_1_output_0"), 0);
    htp_view_close(&flat);
    htp_view_close(&file);
}

UNIT_TEST(nodes_that_are_no_calls_stay_in_the_file)
{
    htp_view file, flat;
    message inside = node_of(arena, "Neg", "Neg", "a", "", "b");
    message function = function_of(arena, "F", &inside, 1);
    message nodes[] = {node_of(arena, "Abs", "one", "x", "", "v"),
                       call_of(arena, "F", "/c", "v", "w"),
                       node_of(arena, "Abs", "two", "w", "", "y")};
    message graph = graph_of(arena, nodes, 3);
    message model = model_of(arena, &graph);
    put_message(&model, 25, &function);
    inline_model(arena, &model, NULL, &file, &flat);
    ck_assert_ptr_eq(flat.nodes.items[0].whole.at, file.nodes.items[0].whole.at);
    ck_assert_ptr_eq(flat.nodes.items[2].whole.at, file.nodes.items[2].whole.at);
    const unsigned char *made = flat.nodes.items[1].whole.at;
    ck_assert(made < flat.bytes.at || made >= flat.bytes.at + flat.bytes.bytes);
    htp_view_close(&flat);
    htp_view_close(&file);
}

/* One value under two names of the model, and none at all. */
UNIT_TEST(results_are_handed_on)
{
    static const char *const names[] = {"/c/Neg", "/c/Identity", "/d/Identity"};
    htp_view file, flat;
    message inside = node_of(arena, "Neg", "Neg", "a", "", "b");
    message twice = function_of(arena, "F", &inside, 1);
    message none = function_of(arena, "G", NULL, 0);
    put_text(&twice, 5, "b");
    none.length = 0;
    put_text(&none, 1, "G");
    put_text(&none, 4, "a");
    put_text(&none, 5, "a");
    put_text(&none, 10, "d");
    message nodes[] = {call_of(arena, "F", "/c", "x", "v"), call_of(arena, "G", "/d", "w", "y")};
    put_text(&nodes[0], 2, "w");
    message graph = graph_of(arena, nodes, 2);
    message model = model_of(arena, &graph);
    put_message(&model, 25, &twice);
    put_message(&model, 25, &none);
    inline_model(arena, &model, NULL, &file, &flat);
    check_names(&flat, names, 3);
    htp_view_close(&flat);
    htp_view_close(&file);
}

/* ---- refusals ---- */

UNIT_TEST(functions_do_not_call_themselves)
{
    static const char *const rings[][3] = {{"F0"}, {"F1", "F0"}, {"F1", "F2", "F0"}};
    for (size_t count = 1; count <= 3; count++) {
        htp_view file, flat;
        message node = node_of(arena, "Neg", "n", "x", "", "y");
        message graph = graph_of(arena, &node, 1);
        message model = model_of(arena, &graph);
        for (size_t i = 0; i < count; i++) {
            message call = call_of(arena, rings[count - 1][i], "c", "a", "b");
            message function = function_of(arena, htp_arena_printf(arena, "F%zu", i), &call, 1);
            put_message(&model, 25, &function);
        }
        inline_model(arena, &model, "'d::F0' calls itself", &file, &flat);
        htp_view_close(&flat);
        htp_view_close(&file);
    }
}

/* Each calls the previous one this often. */
static message tower(htp_arena *arena, size_t height, size_t calls)
{
    message node = call_of(arena, htp_arena_printf(arena, "F%zu", height - 1), "c", "x", "y");
    message graph = graph_of(arena, &node, 1);
    message model = model_of(arena, &graph);
    message leaf = node_of(arena, "Neg", "Neg", "a", "", "b");
    message function = function_of(arena, "F0", &leaf, 1);
    put_message(&model, 25, &function);
    for (size_t i = 1; i < height; i++) {
        message *nodes = HTP_NEW_ARRAY(arena, message, calls);
        const char *called = htp_arena_printf(arena, "F%zu", i - 1);
        for (size_t k = 0; k < calls; k++) {
            const char *from = k == 0 ? "a" : htp_arena_printf(arena, "v%zu", k - 1);
            const char *to = k + 1 == calls ? "b" : htp_arena_printf(arena, "v%zu", k);
            nodes[k] = call_of(arena, called, htp_arena_printf(arena, "c%zu", k), from, to);
        }
        function = function_of(arena, htp_arena_printf(arena, "F%zu", i), nodes, calls);
        put_message(&model, 25, &function);
    }
    return model;
}

UNIT_TEST(growth_has_an_end)
{
    htp_view file, flat;
    message model = tower(arena, 60, 2);
    inline_model(arena, &model, "nodes would take more than", &file, &flat);
    htp_view_close(&file);
    model = tower(arena, 12, 2);
    inline_model(arena, &model, NULL, &file, &flat);
    ck_assert_uint_eq(flat.nodes.count, 1 << 11);
    htp_view_close(&flat);
    htp_view_close(&file);
}

UNIT_TEST(depth_has_an_end)
{
    htp_view file, flat;
    message model = tower(arena, HTP_INLINE_DEEPEST + 1, 1);
    inline_model(arena, &model, "functions call each other", &file, &flat);
    htp_view_close(&file);
    model = tower(arena, HTP_INLINE_DEEPEST, 1);
    inline_model(arena, &model, NULL, &file, &flat);
    ck_assert_uint_eq(flat.nodes.count, 1);
    htp_view_close(&flat);
    htp_view_close(&file);
}

UNIT_TEST(bits_flipped)
{
    message model = tower(arena, 3, 2);
    const char *path = proto_path(arena, "f.onnx");
    for (size_t bit = 0; bit < model.length * 8; bit++) {
        htp_view file;
        htp_view flat = {.arena = NULL};
        model.bytes[bit / 8] = (char)((unsigned char)model.bytes[bit / 8] ^ 1U << bit % 8);
        write_bytes(path, model.bytes, model.length);
        htp_status status = htp_view_open(&file, arena, path, NULL);
        if (!status && file.flaws.count == 0) {
            status = htp_view_inline(&flat, &file);
        }
        UNIT_CHECK(!status || htp_status_code(status) == HTP_CODE_BAD_INPUT);
        htp_status_free(status);
        htp_view_close(&flat);
        htp_view_close(&file);
        model.bytes[bit / 8] = (char)((unsigned char)model.bytes[bit / 8] ^ 1U << bit % 8);
    }
}

UNIT_MAIN_WITH("inline", proto_folder_make, proto_folder_remove, tags_are_joined, chains_are_joined,
               lists_are_joined, lists_follow_from_chains, calls_are_counted_on,
               tags_are_of_modules_in_chains, names_are_those_of_calls,
               nodes_that_are_no_calls_stay_in_the_file, results_are_handed_on,
               functions_do_not_call_themselves, growth_has_an_end, depth_has_an_end, bits_flipped)
