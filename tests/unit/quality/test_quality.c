/*
 * Layers, and metrics of small graphs.
 */
#include "proto_fixture.h"
#include "quality/quality.h"
#include "quality/threshold.h"

static htp_view view;
static htp_tree tree;
static htp_subject subject;

/* Measures a graph of nodes written as "Op a b > c TAG", with an input x. */
static htp_quality measure(htp_arena *arena, const char *const *nodes, size_t count)
{
    message graph = message_new(arena);
    for (size_t i = 0; i < count; i++) {
        char words[6][64] = {{0}};
        int got = sscanf(nodes[i], "%63s %63s %63s %63s %63s %63s", words[0], words[1], words[2],
                         words[3], words[4], words[5]);
        bool has_two = got == 6;
        message node = node_of(arena, words[0], htp_arena_printf(arena, "n%zu", i), words[1],
                               has_two ? words[2] : "", words[got - 2]);
        if (strcmp(words[got - 1], "-") != 0) {
            put_entry(&node, 9, "source_module", words[got - 1]);
        }
        put_message(&graph, 1, &node);
    }
    message x = info_of(arena, "x");
    put_message(&graph, 11, &x);
    message model = model_of(arena, &graph);
    const char *path = proto_path(arena, "model.onnx");
    write_bytes(path, model.bytes, model.length);
    htp_quality quality;
    htp_status status = htp_view_open(&view, arena, path, NULL);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    status = htp_tree_find(&view, &tree);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    htp_subject_make(arena, &view, &tree, &subject);
    htp_quality_measure(arena, &subject, NULL, &quality);
    return quality;
}

#define MEASURE(nodes) measure(arena, nodes, sizeof(nodes) / sizeof((nodes)[0]))

static void finish(void)
{
    htp_tree_close(&tree);
    htp_view_close(&view);
}

static void check_measure(const htp_quality *quality, htp_metric metric, uint64_t count,
                          uint64_t of)
{
    const htp_measure *measure = &quality->measures.of[metric];
    ck_assert_msg(measure->count == count && measure->of == of, "%s: %u of %u",
                  htp_metric_name(metric), (unsigned)measure->count, (unsigned)measure->of);
    ck_assert(measure->of > 0 || measure->reason);
}

static const char *const layers[] = {
    "Neg x > a /N",        "Relu a > b /N/L.0",   "Tanh b > c /N/L.0/A", "Add c a > d /N/L.0",
    "Relu d > e /N/L.1",   "Tanh e > f /N/L.1/A", "Add f d > g /N/L.1",  "Relu g > h /N/L.2",
    "Tanh h > i /N/L.2/A", "Add i g > j /N/L.2",  "Exp j > k /N/Other",
};

UNIT_TEST(layers_without_fault)
{
    htp_quality quality = MEASURE(layers);
    ck_assert_uint_eq(quality.layers.count, 1);
    const htp_quality_layer *layer = &quality.layers.items[0];
    ck_assert_uint_eq(layer->count, 3);
    ck_assert_uint_eq(layer->parent, subject.module_of[0]);
    ck_assert_uint_eq(layer->members[2], subject.module_of[7]);
    check_measure(&quality, HTP_METRIC_COVERAGE, 11, 11);
    check_measure(&quality, HTP_METRIC_CONTAMINATION_STRUCTURE, 0, 9);
    check_measure(&quality, HTP_METRIC_SEPARATION, 3, 3);
    check_measure(&quality, HTP_METRIC_COHESION, 8, 8);
    check_measure(&quality, HTP_METRIC_TENSORS, 12, 12);
    check_measure(&quality, HTP_METRIC_WEIGHTS, 0, 0);
    check_measure(&quality, HTP_METRIC_CONTAMINATION_CALLS, 0, 0);
    ck_assert_uint_eq(quality.depth_count, 4 - 1);
    finish();
}

UNIT_TEST(moved_node)
{
    const char *moved[sizeof(layers) / sizeof(layers[0])];
    memcpy(moved, layers, sizeof(layers));
    moved[5] = "Tanh e > f /N/L.2/A";
    htp_quality quality = MEASURE(moved);
    check_measure(&quality, HTP_METRIC_CONTAMINATION_STRUCTURE, 1, 9);
    ck_assert(quality.problems[5] >> HTP_METRIC_CONTAMINATION_STRUCTURE & 1);
    check_measure(&quality, HTP_METRIC_SEPARATION, 1, 3);
    ck_assert(!quality.modules[subject.module_of[4]].is_convex);
    finish();
}

UNIT_TEST(untagged_node)
{
    const char *dropped[sizeof(layers) / sizeof(layers[0])];
    memcpy(dropped, layers, sizeof(layers));
    dropped[5] = "Tanh e > f -";
    htp_quality quality = MEASURE(dropped);
    check_measure(&quality, HTP_METRIC_COVERAGE, 10, 11);
    check_measure(&quality, HTP_METRIC_CONTAMINATION_STRUCTURE, 0, 8);
    check_measure(&quality, HTP_METRIC_TENSORS, 10, 12);
    check_measure(&quality, HTP_METRIC_SEPARATION, 2, 3);
    finish();
}

UNIT_TEST(nothing_is_known)
{
    static const char *const bare[] = {"Neg x > a -", "Relu a > b -"};
    htp_quality quality = MEASURE(bare);
    check_measure(&quality, HTP_METRIC_COVERAGE, 0, 2);
    for (int i = HTP_METRIC_COVERAGE + 1; i < HTP_METRICS; i++) {
        check_measure(&quality, (htp_metric)i, 0, 0);
    }
    finish();
}

UNIT_TEST(thresholds)
{
    static const char *const wrong[] = {"",
                                        "coverage",
                                        "coverage=",
                                        "speed=1",
                                        "coverage=1x",
                                        "coverage=-1",
                                        "coverage=100.1",
                                        "coverage=nan",
                                        "=5"};
    htp_quality quality = MEASURE(layers);
    htp_threshold threshold;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        htp_status status = htp_threshold_read(wrong[i], &threshold);
        ck_assert_msg(status != HTP_OK, "%s", wrong[i]);
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_USAGE);
        htp_status_free(status);
    }
    ck_assert_ptr_eq(htp_threshold_read("coverage=100", &threshold), HTP_OK);
    ck_assert_ptr_eq(htp_threshold_judge(arena, &threshold, &quality), NULL);
    ck_assert_ptr_eq(htp_threshold_read("contamination=0", &threshold), HTP_OK);
    ck_assert_ptr_eq(htp_threshold_judge(arena, &threshold, &quality), NULL);
    ck_assert_ptr_eq(htp_threshold_read("weights=0", &threshold), HTP_OK);
    ck_assert_ptr_ne(htp_threshold_judge(arena, &threshold, &quality), NULL);
    finish();
}

UNIT_MAIN_WITH("quality", proto_folder_make, proto_folder_remove, layers_without_fault, moved_node,
               untagged_node, nothing_is_known, thresholds)
