#include "module_list.h"
#include "onnx/metadata/annotate.h"
#include "report/tree/tree.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <string.h>

enum { NET, ENCODER, LAYER0, LINEAR0, LAYER1, LINEAR1, EMBED, HEAD, GATES, GATE };

static const char *const layer1_aliases[] = {"last", "encoder.2"};

static const htp_instance modules[] = {
    [NET] = {"", "", "pkg.Net", NULL, HTP_NONE, 0, false},
    [ENCODER] = {"encoder", "encoder", "pkg.Encoder", NULL, NET, 0, false},
    [LAYER0] = {"0", "encoder.0", "pkg.Layer", NULL, ENCODER, 0, false},
    [LINEAR0] = {"linear", "encoder.0.linear", "torch.nn.modules.linear.Linear", NULL, LAYER0, 0,
                 false},
    [LAYER1] = {"1", "encoder.1", "pkg.Layer", layer1_aliases, ENCODER, 2, false},
    [LINEAR1] = {"linear", "encoder.1.linear", "torch.nn.modules.linear.Linear", NULL, LAYER1, 0,
                 false},
    [EMBED] = {"embed", "embed", "torch.nn.modules.sparse.Embedding", NULL, NET, 0, false},
    [HEAD] = {"it's", "it's", "torch.nn.modules.linear.Linear", NULL, NET, 0, false},
    [GATES] = {"gates", "gates", "torch.nn.modules.container.ModuleList", NULL, NET, 0, false},
    [GATE] = {"0", "gates.0", "pkg.Gate", NULL, GATES, 0, false},
};
enum { MODULES = sizeof(modules) / sizeof(modules[0]) };

static const uint32_t module_calls[MODULES] = {
    [NET] = 1, [ENCODER] = 2, [LAYER0] = 2, [LINEAR0] = 2, [EMBED] = 1, [HEAD] = 1, [GATE] = 1};

static const htp_trace_scope scopes[] = {
    {HTP_NONE, NET, 7, 0, NULL, 0}, {0, ENCODER, 0, 0, NULL, 0}, {1, LAYER0, 0, 0, NULL, 0},
    {2, LINEAR0, 0, 0, NULL, 0},    {1, LAYER0, 1, 0, NULL, 0},  {4, LINEAR0, 1, 0, NULL, 0},
    {0, EMBED, 0, 0, NULL, 0},      {0, HEAD, 0, 0, NULL, 0},    {1, ENCODER, 1, 0, NULL, 0},
};
enum { SCOPES = sizeof(scopes) / sizeof(scopes[0]) };

static const int64_t matrix[] = {4, 6};
static const int64_t row_major[] = {6, 1};
static const int64_t vector[] = {6};
static const int64_t dense[] = {1};

#define MATRIX                                                                                     \
    .dtype = HTP_DTYPE_FLOAT32, .rank = 2, .dims = matrix, .strides = row_major, .data = matrix
#define VECTOR                                                                                     \
    .dtype = HTP_DTYPE_FLOAT64, .rank = 1, .dims = vector, .strides = dense, .data = vector
#define PARAMETER .is_parameter = true, .requires_grad = true

static const htp_weight weights[] = {
    {"encoder.0.linear.weight", LINEAR0, PARAMETER, MATRIX, .storage = 1},
    {"encoder.0.linear.bias", LINEAR0, .is_parameter = true, VECTOR, .storage = 2},
    {"encoder.0.linear.again", LINEAR0, PARAMETER, MATRIX, .storage = 1},
    {"encoder.1.linear.weight", LINEAR1, PARAMETER, MATRIX, .storage = 3},
    {"embed.weight", EMBED, PARAMETER, MATRIX, .storage = 4},
    {"it's.weight", HEAD, PARAMETER, MATRIX, .storage = 4},
    {"it's.mask", HEAD, .is_buffer = true, VECTOR, .storage = 5},
    {"constant", HTP_NONE, VECTOR, .storage = 6},
};
enum { WEIGHTS = sizeof(weights) / sizeof(weights[0]) };

#define NODE(operator, in_scope, file, line)                                                       \
    {                                                                                              \
        .kind = (operator), .scope = (in_scope), .source_file = (file), .source_line = (line)      \
    }

static const htp_trace_node nodes[] = {
    NODE("aten::embedding", 6, "net.py", 3), NODE("aten::linear", 3, "net.py", 12),
    NODE("aten::linear", 5, "net.py", 12),   NODE("aten::add.Tensor", 8, "", 0),
    NODE("aten::linear", 7, "net.py", 20),
};
enum { OPERATIONS = sizeof(nodes) / sizeof(nodes[0]) };

static const htp_trace trace = {.nodes = nodes,
                                .node_count = OPERATIONS,
                                .scopes = scopes,
                                .scope_count = SCOPES,
                                .module_calls = module_calls,
                                .weights = weights,
                                .weight_count = WEIGHTS};

/** A model under annotation. */
typedef struct subject {
    htp_arena *arena;
    htp_graph *graph;
    htp_builder *model;
    htp_hierarchy *hierarchy;
    htp_annotations *annotations;
} subject;

static htp_tensor_id add_node(subject *s, const char *op_type, htp_node_id operation,
                              htp_tensor_id a, htp_tensor_id b)
{
    htp_tensor_id inputs[2] = {a, b};
    htp_tensor_id output;
    uint32_t scope = operation == HTP_NONE ? 0 : nodes[operation].scope;
    s->model->origin = (htp_origin){scope, operation};
    htp_builder_add_node(s->model, op_type, inputs, 2, NULL, 0, &output, 1);
    return output;
}

/* Nodes: 0 Gather; 1 MatMul, 2 Add (encoder.0, first call); 3 MatMul (second call); 4 a constant
 * expression shared by both calls, the encoder and the root; 5 Add; 6 MatMul; 7 Identity. */
static void build_model(subject *s)
{
    static const int64_t one[] = {1};
    htp_tensor_id input = htp_builder_add_input(s->model, "x", HTP_DTYPE_FLOAT32, 0, NULL);
    htp_tensor_id shared = htp_builder_constant(s->model, HTP_DTYPE_INT64, 1, one, one);
    htp_tensor_id x = add_node(s, "Gather", 0, htp_builder_weight(s->model, 5), input);
    x = add_node(s, "MatMul", 1, x, htp_builder_weight(s->model, 0));
    x = add_node(s, "Add", 1, x, htp_builder_weight(s->model, 1));
    x = add_node(s, "MatMul", 2, x, htp_builder_weight(s->model, 2));
    htp_tensor_id folded = add_node(s, "Neg", 1, shared, HTP_NONE);
    htp_onnx_node *node = &s->model->nodes.items[4];
    HTP_PUSH(s->arena, &node->more_scopes, 5);
    HTP_PUSH(s->arena, &node->more_scopes, 1);
    HTP_PUSH(s->arena, &node->more_scopes, 3);
    HTP_PUSH(s->arena, &node->more_scopes, 0);
    x = add_node(s, "Add", 3, x, folded);
    x = add_node(s, "MatMul", 4, x, htp_builder_weight(s->model, 4));
    x = add_node(s, "Identity", HTP_NONE, x, htp_builder_weight(s->model, 7));
    htp_builder_add_output(s->model, x, "y");
}

static subject annotate(htp_arena *arena, unsigned places, const char *prefix,
                        bool include_torch_nn)
{
    subject s = {.arena = arena};
    s.graph = htp_graph_build(arena, &trace, 1, modules, MODULES, NULL, 0, NULL, 0);
    s.model = htp_builder_new(arena, s.graph, 18);
    build_model(&s);
    htp_hierarchy_options options = {include_torch_nn};
    s.hierarchy = htp_hierarchy_build(arena, modules, MODULES, &options);
    const uint32_t *owners = htp_hierarchy_tag_scopes(arena, s.hierarchy, scopes, SCOPES);
    htp_annotate_options annotate_options = {.places = places, .attribute_prefix = prefix};
    s.annotations = htp_annotate(arena, s.model, s.hierarchy, owners, &annotate_options);
    return s;
}

/* The value of a property; NULL if it is missing. Fails if there are two. */
static const char *value_of(const htp_properties *properties, const char *key)
{
    const char *value = NULL;
    for (size_t i = 0; i < properties->count; i++) {
        if (strcmp(properties->items[i].key, key) == 0) {
            ck_assert_ptr_null(value);
            value = properties->items[i].value;
        }
    }
    return value;
}

#define METADATA(node, key) value_of(&s.annotations->nodes[node].metadata, key)

UNIT_TEST(every_node_has_its_tag)
{
    static const char *const tags[] = {"/Net",
                                       "/Net/Encoder/Layer.0",
                                       "/Net/Encoder/Layer.0",
                                       "/Net/Encoder/Layer.0",
                                       "/Net/Encoder/Layer.0",
                                       "/Net/Encoder",
                                       "/Net",
                                       "/Net"};
    subject s = annotate(arena, HTP_TAG_ATTRIBUTE | HTP_TAG_METADATA, "__", false);
    ck_assert_uint_eq(s.model->nodes.count, sizeof(tags) / sizeof(tags[0]));
    for (size_t i = 0; i < s.model->nodes.count; i++) {
        const htp_node_annotation *node = &s.annotations->nodes[i];
        ck_assert_uint_eq(node->attribute_count, i == 4 ? 2 : 1);
        ck_assert_str_eq(node->attributes[0].name, "__source_module");
        ck_assert_int_eq((int)node->attributes[0].kind, HTP_ATTRIBUTE_STRING);
        ck_assert_str_eq(node->attributes[0].s, tags[i]);
        ck_assert_str_eq(METADATA(i, "source_module"), tags[i]);
        ck_assert_ptr_null(node->doc_string);
    }
}

UNIT_TEST(shared_node_lists_all_its_tags)
{
    subject s =
        annotate(arena, HTP_TAG_ATTRIBUTE | HTP_TAG_METADATA | HTP_TAG_DOC_STRING, "", false);
    const htp_attribute *attribute = &s.annotations->nodes[4].attributes[1];
    ck_assert_str_eq(attribute->name, "hierarchy_tags");
    ck_assert_int_eq((int)attribute->kind, HTP_ATTRIBUTE_STRINGS);
    ck_assert_uint_eq(attribute->count, 3);
    ck_assert_str_eq(attribute->strings[0], "/Net/Encoder/Layer.0");
    ck_assert_str_eq(attribute->strings[1], "/Net/Encoder");
    ck_assert_str_eq(attribute->strings[2], "/Net");
    ck_assert_str_eq(METADATA(4, "hierarchy_tags"),
                     "[\"/Net/Encoder/Layer.0\", \"/Net/Encoder\", \"/Net\"]");
    ck_assert_ptr_null(METADATA(3, "hierarchy_tags"));
    ck_assert_str_eq(s.annotations->nodes[4].doc_string,
                     "source_module: /Net/Encoder/Layer.0\n"
                     "hierarchy_tags: [\"/Net/Encoder/Layer.0\", \"/Net/Encoder\", \"/Net\"]");
    ck_assert_str_eq(s.annotations->nodes[5].doc_string, "source_module: /Net/Encoder");
}

UNIT_TEST(full_tags_name_the_innermost_module)
{
    static const char *const tags[] = {"/Net/Embedding",
                                       "/Net/Encoder/Layer.0/Linear",
                                       "/Net/Encoder/Layer.0/Linear",
                                       "/Net/Encoder/Layer.0/Linear",
                                       "/Net/Encoder/Layer.0/Linear",
                                       "/Net/Encoder",
                                       "/Net/Linear",
                                       "/Net"};
    subject s = annotate(arena, HTP_TAG_METADATA, "__", false);
    for (size_t i = 0; i < s.model->nodes.count; i++) {
        ck_assert_str_eq(METADATA(i, "full_tag"), tags[i]);
        ck_assert_ptr_null(METADATA(i, "layer_ann"));
    }
}

UNIT_TEST(layers_are_named_for_the_runtime)
{
    subject s = annotate(arena, HTP_TAG_LAYER_ANN, "__", false);
    ck_assert_uint_eq(s.annotations->nodes[4].metadata.count, 1);
    ck_assert_str_eq(METADATA(4, "layer_ann"), "/Net/Encoder/Layer.0");
    ck_assert_uint_eq(s.annotations->nodes[4].attribute_count, 0);
    ck_assert_uint_eq(s.annotations->model.count, 0);
}

UNIT_TEST(call_numbers_of_modules_called_several_times)
{
    subject s = annotate(arena, HTP_TAG_METADATA, "__", false);
    ck_assert_ptr_null(METADATA(0, "call"));
    ck_assert_str_eq(METADATA(1, "call"), "0");
    ck_assert_str_eq(METADATA(3, "call"), "1");
    ck_assert_str_eq(METADATA(4, "call"), "0, 1");
    ck_assert_str_eq(METADATA(5, "call"), "1");
    ck_assert_ptr_null(METADATA(6, "call"));
}

UNIT_TEST(forms_of_the_exporter)
{
    subject s = annotate(arena, HTP_TAG_METADATA, "__", false);
    ck_assert_str_eq(METADATA(1, "namespace"),
                     ": pkg.Net/encoder: pkg.Encoder/encoder.0: pkg.Layer/"
                     "encoder.0.linear: torch.nn.modules.linear.Linear/"
                     "linear: aten.linear.default");
    ck_assert_str_eq(METADATA(2, "namespace"), METADATA(1, "namespace"));
    ck_assert_str_eq(METADATA(3, "pkg.torch.onnx.name_scopes"),
                     "['', 'encoder', 'encoder.0', 'encoder.0.linear', 'linear']");
    ck_assert_str_eq(METADATA(3, "pkg.torch.onnx.class_hierarchy"),
                     "['pkg.Net', 'pkg.Encoder', 'pkg.Layer', 'torch.nn.modules.linear.Linear', "
                     "'aten.linear.default']");
    ck_assert_str_eq(METADATA(5, "namespace"),
                     ": pkg.Net/encoder: pkg.Encoder/add: aten.add.Tensor");
    ck_assert_str_eq(METADATA(6, "pkg.torch.onnx.name_scopes"), "['', \"it's\", 'linear']");
    ck_assert_str_eq(METADATA(7, "namespace"), ": pkg.Net/Identity: Identity");
    ck_assert_str_eq(METADATA(1, "pkg.torch.onnx.stack_trace"),
                     "File \"net.py\", line 12, in forward");
    ck_assert_ptr_null(METADATA(5, "pkg.torch.onnx.stack_trace"));
    ck_assert_ptr_null(METADATA(7, "pkg.torch.onnx.stack_trace"));
}

/* Initializers in order of first use: the constant, embed and head (tied), linear's weight (twice
 * in its module), bias, the constant of the code. */
UNIT_TEST(initializers_have_owners_and_users)
{
    static const struct {
        const char *tags;
        const char *paths;
    } expected[] = {
        {"[\"/Net/Encoder/Layer.0\"]", NULL},
        {"[\"/Net\"]", "['embed', \"it's\"]"},
        {"[\"/Net/Encoder/Layer.0\"]", "['encoder.0.linear']"},
        {"[\"/Net/Encoder/Layer.0\"]", "['encoder.0.linear']"},
        {"[\"/Net\"]", NULL},
    };
    subject s = annotate(arena, HTP_TAG_METADATA, "__", false);
    ck_assert_uint_eq(s.model->initializers.count, 5);
    for (size_t i = 0; i < 5; i++) {
        const htp_properties *properties = &s.annotations->initializers[i];
        const char *paths = value_of(properties, "name_scopes");
        if (i > 0) {
            ck_assert_str_eq(value_of(properties, "hierarchy_tags"), expected[i].tags);
        }
        ck_assert_int_eq(paths != NULL, expected[i].paths != NULL);
        if (paths) {
            ck_assert_str_eq(paths, expected[i].paths);
        }
    }
    ck_assert_str_eq(value_of(&s.annotations->initializers[0], "hierarchy_tags"),
                     "[\"/Net\", \"/Net/Encoder\", \"/Net/Encoder/Layer.0\"]");
}

UNIT_TEST(tags_of_torch_nn_when_included)
{
    subject s = annotate(arena, HTP_TAG_ATTRIBUTE | HTP_TAG_METADATA, "__", true);
    ck_assert_str_eq(METADATA(1, "source_module"), "/Net/Encoder/Layer.0/Linear");
    ck_assert_str_eq(value_of(&s.annotations->initializers[1], "hierarchy_tags"),
                     "[\"/Net/Embedding\", \"/Net/Linear\"]");
    ck_assert_uint_eq(s.annotations->nodes_own[LINEAR0], 4);
}

UNIT_TEST(node_counts)
{
    static const uint32_t own[MODULES] = {
        [NET] = 1, [ENCODER] = 1, [LINEAR0] = 4, [EMBED] = 1, [HEAD] = 1};
    static const uint32_t tagged[MODULES] = {[NET] = 3, [ENCODER] = 1, [LAYER0] = 4};
    static const uint32_t total[MODULES] = {
        [NET] = 8, [ENCODER] = 5, [LAYER0] = 4, [LINEAR0] = 4, [EMBED] = 1, [HEAD] = 1};
    subject s = annotate(arena, 0, "__", false);
    for (size_t i = 0; i < MODULES; i++) {
        ck_assert_uint_eq(s.annotations->nodes_own[i], own[i]);
        ck_assert_uint_eq(s.annotations->nodes_tagged[i], tagged[i]);
        ck_assert_uint_eq(s.annotations->nodes_total[i], total[i]);
    }
    ck_assert_uint_eq(s.annotations->nodes_left_to_root, 2);
    s = annotate(arena, 0, "__", true);
    ck_assert_uint_eq(s.annotations->nodes_left_to_root, 0);
}

UNIT_TEST(places_are_chosen)
{
    subject s = annotate(arena, 0, "__", false);
    for (size_t i = 0; i < s.model->nodes.count; i++) {
        const htp_node_annotation *node = &s.annotations->nodes[i];
        ck_assert_uint_eq(node->attribute_count + node->metadata.count, 0);
        ck_assert_ptr_null(node->doc_string);
    }
    ck_assert_uint_eq(s.annotations->initializers[0].count, 0);
    ck_assert_uint_eq(s.annotations->model.count, 0);
    s = annotate(arena, HTP_TAG_DOC_STRING, "__", false);
    ck_assert_uint_eq(s.annotations->nodes[1].attribute_count, 0);
    ck_assert_uint_eq(s.annotations->nodes[1].metadata.count, 0);
    ck_assert_ptr_nonnull(s.annotations->nodes[1].doc_string);
    ck_assert_uint_eq(s.annotations->model.count, 0);
}

UNIT_TEST(parameters_count_a_tied_one_once)
{
    subject s = annotate(arena, 0, "__", false);
    const htp_parameter_count *counts = s.annotations->parameters->modules;
    ck_assert_uint_eq(counts[LINEAR0].own, 30);
    ck_assert_uint_eq(counts[LINEAR0].trainable, 24);
    ck_assert_uint_eq(counts[LINEAR0].bytes, 24 * 4 + 6 * 8);
    ck_assert_uint_eq(counts[ENCODER].own, 0);
    ck_assert_uint_eq(counts[ENCODER].total, 54);
    ck_assert_uint_eq(counts[EMBED].total, 24);
    ck_assert_uint_eq(counts[HEAD].total, 24);
    ck_assert_uint_eq(counts[NET].total, 78);
    ck_assert_uint_eq(counts[NET].trainable, 72);
}

static const cJSON *item(const cJSON *object, const char *key)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(found != NULL, "no %s", key);
    return found;
}

static const char *printed(htp_arena *arena, const cJSON *object, const char *key)
{
    char *text = cJSON_PrintUnformatted(item(object, key));
    const char *copy = htp_arena_strdup(arena, text);
    free(text);
    return copy;
}

UNIT_TEST(module_tree_in_the_model)
{
    static const struct {
        int module;
        const char *key;
        const char *value;
    } expected[] = {
        {HEAD, "path", "\"it's\""},
        {HEAD, "tag", "\"/Net\""},
        {HEAD, "full_tag", "\"/Net/Linear\""},
        {HEAD, "class", "\"Linear\""},
        {HEAD, "qualified_class", "\"torch.nn.modules.linear.Linear\""},
        {HEAD, "is_torch_nn", "true"},
        {HEAD, "is_leaf", "true"},
        {HEAD, "level", "1"},
        {HEAD, "parameters",
         "{\"own\":24,\"total\":24,\"trainable\":24,\"bytes\":96,"
         "\"shapes\":{\"weight\":[4,6]}}"},
        {HEAD, "buffers", "[\"mask\"]"},
        {HEAD, "nodes", "{\"own\":1,\"tagged\":0,\"total\":1}"},
        {ENCODER, "children", "[\"encoder.0\",\"encoder.1\"]"},
        {ENCODER, "is_leaf", "false"},
        {ENCODER, "is_torch_nn", "false"},
        {LAYER1, "aliases", "[\"last\",\"encoder.2\"]"},
        {LAYER1, "calls", "0"},
    };
    subject s = annotate(arena, HTP_TAG_METADATA, "__", false);
    ck_assert_str_eq(value_of(&s.annotations->model, "htp.tag_rules"), HTP_TAG_RULES_VERSION);
    cJSON *tree = cJSON_Parse(value_of(&s.annotations->model, "htp.module_tree"));
    ck_assert_ptr_nonnull(tree);
    ck_assert_str_eq(item(tree, "rules")->valuestring, HTP_TAG_RULES_VERSION);
    const cJSON *records = item(tree, "modules");
    ck_assert_int_eq(cJSON_GetArraySize(records), MODULES);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const cJSON *record = cJSON_GetArrayItem(records, expected[i].module);
        ck_assert_str_eq(printed(arena, record, expected[i].key), expected[i].value);
    }
    cJSON_Delete(tree);
}

UNIT_TEST(tree_for_people)
{
    subject s = annotate(arena, 0, "__", false);
    ck_assert_str_eq(htp_report_tree(arena, s.hierarchy, s.annotations, s.graph),
                     "module        nodes  own  parameters\n"
                     "/Net              8    3          78\n"
                     "  /Encoder        5    1          54  called 2 times\n"
                     "    /Layer.0      4    4          30  called 2 times\n"
                     "    /Layer.1      0    0          24  not called\n"
                     "  /Gate.0         0    0           0\n");
}

UNIT_MAIN("annotate", every_node_has_its_tag, shared_node_lists_all_its_tags,
          full_tags_name_the_innermost_module, layers_are_named_for_the_runtime,
          call_numbers_of_modules_called_several_times, forms_of_the_exporter,
          initializers_have_owners_and_users, tags_of_torch_nn_when_included, node_counts,
          places_are_chosen, parameters_count_a_tied_one_once, module_tree_in_the_model,
          tree_for_people)
