/*
 * Contents of tensors, correspondence of nodes, and keys.
 */
#include "proto_fixture.h"
#include "query/compare/compare.h"
#include "query/tree/unique_ids.h"

static htp_view views[HTP_COMPARED];
static htp_tree trees[HTP_COMPARED];

static void open_pair(htp_arena *arena, const message *a, const message *b)
{
    const message *const models[] = {a, b};
    for (int m = 0; m < HTP_COMPARED; m++) {
        const char *path = proto_path(arena, m == 0 ? "a.onnx" : "b.onnx");
        write_bytes(path, models[m]->bytes, models[m]->length);
        htp_status status = htp_view_open(&views[m], arena, path, NULL);
        ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
        status = htp_tree_find(&views[m], &trees[m]);
        ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    }
}

static void close_pair(void)
{
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_tree_close(&trees[m]);
        htp_view_close(&views[m]);
    }
}

static htp_comparison compare_open(htp_arena *arena)
{
    const htp_view *const two_views[] = {&views[0], &views[1]};
    const htp_tree *const two_trees[] = {&trees[0], &trees[1]};
    htp_comparison comparison;
    htp_status status = htp_compare(arena, two_views, two_trees, &comparison);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    return comparison;
}

/* A graph of nodes written as "Op a b > c", with an input x and an output y. */
static message graph_of(htp_arena *arena, const char *const *nodes, size_t count)
{
    message graph = message_new(arena);
    for (size_t i = 0; i < count; i++) {
        char words[5][16] = {{0}};
        int got = sscanf(nodes[i], "%15s %15s %15s %15s %15s", words[0], words[1], words[2],
                         words[3], words[4]);
        bool has_two = got == 5;
        message node = node_of(arena, words[0], htp_arena_printf(arena, "n%zu", i), words[1],
                               has_two ? words[2] : "", words[got - 1]);
        put_message(&graph, 1, &node);
    }
    message x = info_of(arena, "x");
    message y = info_of(arena, "y");
    put_message(&graph, 11, &x);
    put_message(&graph, 12, &y);
    return graph;
}

/* Compares two graphs; @p expected lists the counterparts of A's nodes: "0 2 -". */
static void check(htp_arena *arena, const char *const *a, size_t a_count, const char *const *b,
                  size_t b_count, const char *expected)
{
    message graphs[] = {graph_of(arena, a, a_count), graph_of(arena, b, b_count)};
    message models[] = {model_of(arena, &graphs[0]), model_of(arena, &graphs[1])};
    open_pair(arena, &models[0], &models[1]);
    htp_comparison comparison = compare_open(arena);
    htp_text found = {.arena = arena};
    for (size_t n = 0; n < a_count; n++) {
        uint32_t other = comparison.correspondence.nodes[n];
        htp_text_add(&found, n ? " " : "");
        if (other == HTP_NONE) {
            htp_text_add(&found, "-");
        } else {
            htp_text_addf(&found, "%u", (unsigned)other);
            ck_assert_uint_eq(comparison.correspondence.back[other], n);
        }
    }
    ck_assert_str_eq(htp_text_string(&found), expected);
    close_pair();
}

#define CHECK(expected, a, b)                                                                      \
    check(arena, a, sizeof(a) / sizeof((a)[0]), b, sizeof(b) / sizeof((b)[0]), expected)

static const char *const chain[] = {"Neg x > a", "Relu a > b", "Tanh b > c", "Sin c > y"};

UNIT_TEST(equal_graphs)
{
    static const char *const renamed[] = {"Neg x > q", "Relu q > r", "Tanh r > s", "Sin s > y"};
    CHECK("0 1 2 3", chain, renamed);
}

UNIT_TEST(other_orders)
{
    static const char *const a[] = {"Neg x > a", "Relu x > b", "Sub a b > y"};
    static const char *const b[] = {"Relu x > b", "Neg x > a", "Sub a b > y"};
    static const char *const swapped[] = {"Neg x > a", "Relu x > b", "Sub b a > y"};
    CHECK("1 0 2", a, b);
    CHECK("0 1 -", a, swapped);
}

UNIT_TEST(one_node_differs)
{
    static const char *const other[] = {"Neg x > a", "Cos a > b", "Tanh b > c", "Sin c > y"};
    static const char *const missing[] = {"Neg x > a", "Tanh a > c", "Sin c > y"};
    static const char *const more[] = {"Neg x > a", "Relu a > b", "Tanh b > c", "Sin c > y",
                                       "Cos c > z"};
    CHECK("0 - - 3", chain, other);
    CHECK("0 - - 2", chain, missing);
    CHECK("0 1 2 3", chain, more);
}

UNIT_TEST(twins)
{
    static const char *const a[] = {"Neg x > a", "Neg x > b", "Relu a > c", "Tanh b > d",
                                    "Sub c d > y"};
    static const char *const b[] = {"Neg x > b", "Neg x > a", "Relu a > c", "Tanh b > d",
                                    "Sub c d > y"};
    static const char *const both[] = {"Neg x > a", "Neg x > b", "Add a b > y"};
    CHECK("1 0 2 3 4", a, b);
    CHECK("0 1 2", both, both);
}

UNIT_TEST(commutative_operators)
{
    static const char *const a[] = {"Neg x > a", "Relu x > b", "Add a b > y"};
    static const char *const b[] = {"Neg x > a", "Relu x > b", "Add b a > y"};
    static const char *const same[] = {"Neg x > a", "Relu x > b", "Add a a > y"};
    CHECK("0 1 2", a, b);
    CHECK("0 1 -", a, same);
}

/* ---- contents ---- */

/* A model whose node adds a tensor to its input. */
static message adding(htp_arena *arena, const message *tensor)
{
    static const char *const nodes[] = {"Add x w > y"};
    message graph = graph_of(arena, nodes, 1);
    put_message(&graph, 5, tensor);
    return model_of(arena, &graph);
}

static message typed_tensor(htp_arena *arena, const float *data, size_t count, bool is_packed)
{
    message tensor = message_new(arena);
    put_number(&tensor, 1, count);
    put_number(&tensor, 2, 1);
    put_text(&tensor, 8, "w");
    for (size_t i = 0; i < count && !is_packed; i++) {
        put_raw_varint(&tensor, 4 << 3 | 5);
        htp_text_add_bytes(&tensor, (const char *)&data[i], sizeof(data[i]));
    }
    if (is_packed) {
        put_bytes(&tensor, 4, data, count * sizeof(*data));
    }
    return tensor;
}

UNIT_TEST(equal_numbers_are_equal)
{
    static const float data[] = {1, 2, 3};
    static const float others[] = {1, 2, 4};
    message raw = tensor_of(arena, "w", data, 3);
    message packed = typed_tensor(arena, data, 3, true);
    message single = typed_tensor(arena, data, 3, false);
    message other = tensor_of(arena, "w", others, 3);
    message shorter = tensor_of(arena, "w", data, 2);
    const message *const tensors[] = {&raw, &packed, &single, &other, &shorter};
    for (size_t i = 0; i < sizeof(tensors) / sizeof(tensors[0]); i++) {
        message a = adding(arena, &raw);
        message b = adding(arena, tensors[i]);
        open_pair(arena, &a, &b);
        htp_comparison comparison = compare_open(arena);
        ck_assert_uint_eq(comparison.correspondence.count, i < 3 ? 1 : 0);
        ck_assert_int_eq(comparison.is_different, i >= 3);
        /* One with other dims has no counterpart. */
        ck_assert_uint_eq(comparison.correspondence.counterparts[0], i < 4 ? 0 : HTP_NONE);
        close_pair();
    }
}

UNIT_TEST(digests_depend_on_the_seed)
{
    htp_digest one = htp_digest_of(1, "abc", 3);
    ck_assert(htp_digest_equals(one, htp_digest_of(1, "abc", 3)));
    ck_assert(!htp_digest_equals(one, htp_digest_of(2, "abc", 3)));
    ck_assert(!htp_digest_equals(one, htp_digest_of(1, "abd", 3)));
    ck_assert(htp_digest_seed() != htp_digest_seed());
    htp_digest two = htp_digest_of(1, "", 0);
    ck_assert(!htp_digest_equals(htp_digest_mix(1, 0, one, two), htp_digest_mix(1, 0, two, one)));
}

/* ---- keys ---- */

UNIT_TEST(keys_are_unique)
{
    static const float data[] = {1};
    static const char *const names[] = {"", "k", "k", "w"};
    message graph = message_new(arena);
    for (size_t i = 0; i < 4; i++) {
        message node = node_of(arena, i < 3 ? "Neg" : "Add", names[i],
                               i == 0 ? "x" : htp_arena_printf(arena, "v%zu", i - 1),
                               i < 3 ? "" : "w", htp_arena_printf(arena, "v%zu", i));
        put_message(&graph, 1, &node);
    }
    message x = info_of(arena, "x");
    message weight = tensor_of(arena, "w", data, 1);
    put_message(&graph, 11, &x);
    put_message(&graph, 5, &weight);
    message model = model_of(arena, &graph);
    htp_unique_ids keys;
    open_model(&views[0], arena, &model);
    htp_unique_ids_make(arena, &views[0], NULL, &keys);
    ck_assert_str_eq(keys.nodes[0], "#0");
    ck_assert_str_eq(keys.nodes[1], "k");
    ck_assert_str_eq(keys.nodes[2], "k#2");
    ck_assert_str_eq(keys.nodes[3], "w");
    ck_assert_str_eq(keys.initializers[0], "w#0");
    htp_view_close(&views[0]);
}

UNIT_MAIN_WITH("correspond", proto_folder_make, proto_folder_remove, equal_graphs, other_orders,
               one_node_differs, twins, commutative_operators, equal_numbers_are_equal,
               digests_depend_on_the_seed, keys_are_unique)
