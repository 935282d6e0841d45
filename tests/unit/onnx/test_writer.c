/*
 * Contents of a written model: structure, types, tags, weights inside and in a data file.
 */
#include "writer_fixture.h"

static onnx_fixture f;

static const int64_t big_dims[] = {16, 40};
static const int64_t big_strides[] = {40, 1};
static float big[640];
static const int64_t small_dims[] = {3};
static const int64_t small_strides[] = {1};
static const float small[] = {1, 2, 3};

/* x: float32[2, n] -> Big -> Small -> y, with attributes of every kind. */
static void build_model(void)
{
    static const htp_dim dims[] = {{.size = 2}, {.size = 3, .symbol = "n"}};
    static const int64_t ints[] = {-1, 0, INT64_MAX};
    static const float floats[] = {0, -1.5F};
    static const char *const strings[] = {"a", ""};
    static const htp_attribute attributes[] = {
        {.name = "i", .kind = HTP_ATTRIBUTE_INT, .i = 0},
        {.name = "f", .kind = HTP_ATTRIBUTE_FLOAT, .f = 0.25F},
        {.name = "s", .kind = HTP_ATTRIBUTE_STRING, .s = "text"},
        {.name = "ints", .kind = HTP_ATTRIBUTE_INTS, .ints = ints, .count = 3},
        {.name = "floats", .kind = HTP_ATTRIBUTE_FLOATS, .floats = floats, .count = 2},
        {.name = "strings", .kind = HTP_ATTRIBUTE_STRINGS, .strings = strings, .count = 2},
    };
    for (size_t i = 0; i < 640; i++) {
        big[i] = (float)i;
    }
    set_view(&f, 0, "encoder.weight", HTP_DTYPE_FLOAT32, 2, big_dims, big_strides, 0, big,
             sizeof(big));
    set_view(&f, 1, "encoder.bias", HTP_DTYPE_FLOAT32, 1, small_dims, small_strides, 0, small,
             sizeof(small));
    htp_tensor_id x = htp_builder_add_input(f.model, "x", HTP_DTYPE_FLOAT32, 2, dims);
    htp_tensor_id inputs[] = {x, HTP_NONE, htp_builder_weight(f.model, 0)};
    htp_tensor_id outputs[2];
    f.model->origin.scope = ENCODER;
    htp_builder_add_node(f.model, "Big", inputs, 3, attributes, 6, outputs, 2);
    htp_builder_set_type(f.model, outputs[0], HTP_DTYPE_BFLOAT16, 2, dims);
    htp_tensor_id y = fixture_node(&f, ROOT, "Small", outputs[0], htp_builder_weight(f.model, 1));
    static const int64_t one = 1;
    static const int64_t five = 5;
    htp_tensor_id constant = htp_builder_constant(f.model, HTP_DTYPE_INT64, 1, &one, &five);
    y = fixture_node(&f, ROOT, "Reshape", y, constant);
    htp_builder_set_type(f.model, y, HTP_DTYPE_BOOL, 0, NULL);
    htp_builder_add_output(f.model, y, "y");
}

/* Tags for every node and initializer of build_model(). */
static const htp_annotations *build_annotations(void)
{
    static const char *const tags[] = {"/Net/Encoder", "/Net"};
    static const htp_attribute attributes[] = {
        {.name = "__source_module", .kind = HTP_ATTRIBUTE_STRING, .s = "/Net/Encoder"},
        {.name = "__hierarchy_tags", .kind = HTP_ATTRIBUTE_STRINGS, .strings = tags, .count = 2},
        {.name = "__more", .kind = HTP_ATTRIBUTE_STRINGS, .strings = &tags[1], .count = 1},
    };
    static const htp_property properties[] = {{"source_module", "/Net"}, {"empty", ""}};
    static const htp_node_annotation nodes[] = {
        {attributes, 3, {properties, 2}, "source_module: /Net/Encoder"},
        {attributes, 1, {properties, 1}, NULL},
        {attributes, 1, {NULL, 0}, "source_module: /Net"},
    };
    static const htp_properties initializers[] = {{properties, 2}, {properties, 1}, {NULL, 0}};
    static const htp_annotations annotations = {
        .nodes = nodes, .initializers = initializers, .model = {properties, 1}};
    return &annotations;
}

static void assert_equal_files(const char *a, const char *b)
{
    file_contents first = read_whole(&f, a);
    file_contents second = read_whole(&f, b);
    ck_assert_uint_eq(first.size, second.size);
    ck_assert_mem_eq(first.bytes, second.bytes, first.size);
}

static const Htp__Onnx__TypeProto__Tensor *tensor_type(const Htp__Onnx__ValueInfoProto *value)
{
    ck_assert_int_eq(value->type->value_case, HTP__ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE);
    ck_assert(value->type->tensor_type->has_elem_type);
    return value->type->tensor_type;
}

static void begin(htp_arena *arena)
{
    fixture_begin(&f, arena);
    scratch_make();
}

static void end(void)
{
    scratch_remove();
}

UNIT_TEST(the_model_itself)
{
    begin(arena);
    build_model();
    const char *path = scratch_path(&f, "m.onnx");
    htp_writer_result result = write_model(&f, NULL, path, HTP_EXTERNAL_AUTO);
    ck_assert_uint_eq(result.model_bytes, read_whole(&f, path).size);
    ck_assert_uint_eq(result.external_bytes, 0);
    Htp__Onnx__ModelProto *model = read_model(&f, path);
    ck_assert_int_eq(model->ir_version, 8);
    ck_assert_str_eq(model->producer_name, "htp-trace");
    ck_assert_str_eq(model->producer_version, HTP_VERSION);
    ck_assert_uint_eq(model->n_opset_import, 1);
    ck_assert_int_eq(model->opset_import[0]->version, 18);
    ck_assert_uint_eq(model->n_metadata_props, 0);
    ck_assert_str_eq(model->graph->name, "main_graph");
    end();
}

UNIT_TEST(types_of_values)
{
    begin(arena);
    build_model();
    const char *path = scratch_path(&f, "m.onnx");
    (void)write_model(&f, NULL, path, HTP_EXTERNAL_AUTO);
    const Htp__Onnx__GraphProto *graph = read_model(&f, path)->graph;
    ck_assert_uint_eq(graph->n_input, 1);
    ck_assert_str_eq(graph->input[0]->name, "x");
    const Htp__Onnx__TypeProto__Tensor *type = tensor_type(graph->input[0]);
    ck_assert_int_eq(type->elem_type, 1);
    ck_assert_uint_eq(type->shape->n_dim, 2);
    ck_assert_int_eq(type->shape->dim[0]->value_case,
                     HTP__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE);
    ck_assert_int_eq(type->shape->dim[0]->dim_value, 2);
    ck_assert_int_eq(type->shape->dim[1]->value_case,
                     HTP__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM);
    ck_assert_str_eq(type->shape->dim[1]->dim_param, "n");
    ck_assert_uint_eq(graph->n_output, 1);
    ck_assert_str_eq(graph->output[0]->name, "y");
    ck_assert_int_eq(tensor_type(graph->output[0])->elem_type, 9);
    ck_assert_ptr_nonnull(tensor_type(graph->output[0])->shape); /* a scalar has a shape, too */
    ck_assert_uint_eq(graph->n_value_info, 1); /* the others have no type, or are outputs */
    ck_assert_str_eq(graph->value_info[0]->name, "/encoder/Big_output_0");
    ck_assert_int_eq(tensor_type(graph->value_info[0])->elem_type, 16);
    end();
}

UNIT_TEST(nodes)
{
    begin(arena);
    build_model();
    const char *path = scratch_path(&f, "m.onnx");
    (void)write_model(&f, NULL, path, HTP_EXTERNAL_AUTO);
    Htp__Onnx__ModelProto *model = read_model(&f, path);
    ck_assert_uint_eq(model->graph->n_node, 3);
    const Htp__Onnx__NodeProto *node = model->graph->node[0];
    ck_assert_str_eq(node->op_type, "Big");
    ck_assert_str_eq(node->name, "/encoder/Big");
    ck_assert_uint_eq(node->n_input, 3);
    ck_assert_str_eq(node->input[0], "x");
    ck_assert_str_eq(node->input[1], "");
    ck_assert_str_eq(node->input[2], "encoder.weight");
    ck_assert_uint_eq(node->n_output, 2);
    ck_assert_str_eq(node->output[1], "/encoder/Big_output_1");
    ck_assert_uint_eq(node->n_metadata_props, 0);
    end();
}

UNIT_TEST(attributes)
{
    begin(arena);
    build_model();
    const char *path = scratch_path(&f, "m.onnx");
    (void)write_model(&f, NULL, path, HTP_EXTERNAL_AUTO);
    const Htp__Onnx__NodeProto *node = read_model(&f, path)->graph->node[0];
    ck_assert_uint_eq(node->n_attribute, 6);
    static const int types[] = {2, 1, 3, 7, 6, 8}; /* AttributeType, ONNX IR */
    for (size_t i = 0; i < 6; i++) {
        ck_assert(node->attribute[i]->has_type);
        ck_assert_int_eq(node->attribute[i]->type, types[i]);
    }
    ck_assert(node->attribute[0]->has_i && node->attribute[0]->i == 0);
    ck_assert(node->attribute[1]->has_f && node->attribute[1]->f == 0.25F);
    ck_assert_mem_eq(node->attribute[2]->s.data, "text", 4);
    ck_assert_uint_eq(node->attribute[3]->n_ints, 3);
    ck_assert_int_eq(node->attribute[3]->ints[0], -1);
    ck_assert(node->attribute[3]->ints[2] == INT64_MAX);
    ck_assert_uint_eq(node->attribute[4]->n_floats, 2);
    ck_assert(node->attribute[4]->floats[1] == -1.5F);
    ck_assert_uint_eq(node->attribute[5]->n_strings, 2);
    ck_assert_uint_eq(node->attribute[5]->strings[1].len, 0);
    end();
}

UNIT_TEST(initializers_inside_the_model)
{
    begin(arena);
    build_model();
    const char *path = scratch_path(&f, "m.onnx");
    (void)write_model(&f, NULL, path, HTP_EXTERNAL_AUTO);
    Htp__Onnx__ModelProto *model = read_model(&f, path);
    ck_assert_uint_eq(model->graph->n_initializer, 3);
    const Htp__Onnx__TensorProto *weight = model->graph->initializer[0];
    ck_assert_str_eq(weight->name, "encoder.weight");
    ck_assert_uint_eq(weight->n_dims, 2);
    ck_assert_int_eq(weight->dims[1], 40);
    ck_assert_int_eq(weight->data_type, 1);
    ck_assert(weight->has_raw_data && !weight->has_data_location);
    ck_assert_uint_eq(weight->raw_data.len, sizeof(big));
    ck_assert_mem_eq(weight->raw_data.data, big, sizeof(big));
    const Htp__Onnx__TensorProto *constant = model->graph->initializer[2];
    ck_assert_int_eq(constant->data_type, 7);
    ck_assert_mem_eq(constant->raw_data.data, "\5\0\0\0\0\0\0\0", 8);
    end();
}

static void assert_node_tagged(const Htp__Onnx__NodeProto *node)
{
    ck_assert_uint_eq(node->n_attribute, 9);
    ck_assert_str_eq(node->attribute[0]->name, "i"); /* own ones first */
    ck_assert_str_eq(node->attribute[6]->name, "__source_module");
    ck_assert_str_eq(node->attribute[7]->name, "__hierarchy_tags");
    ck_assert_mem_eq(node->attribute[7]->strings[0].data, "/Net/Encoder", 12);
    ck_assert_mem_eq(node->attribute[7]->strings[1].data, "/Net", 4);
    ck_assert_uint_eq(node->attribute[8]->strings[0].len, 4);
    ck_assert_str_eq(node->doc_string, "source_module: /Net/Encoder");
    ck_assert_uint_eq(node->n_metadata_props, 2);
    ck_assert_str_eq(node->metadata_props[0]->key, "source_module");
    ck_assert_str_eq(node->metadata_props[0]->value, "/Net");
    ck_assert_str_eq(node->metadata_props[1]->value, "");
}

static void assert_tagged(const Htp__Onnx__ModelProto *model)
{
    assert_node_tagged(model->graph->node[0]);
    ck_assert_uint_eq(model->graph->initializer[0]->n_metadata_props, 2);
    ck_assert_uint_eq(model->graph->initializer[2]->n_metadata_props, 0);
    ck_assert_uint_eq(model->n_metadata_props, 1);
}

/* Removes the entries and nothing else, as a tool would. */
static void strip(Htp__Onnx__ModelProto *model)
{
    static const size_t own_attributes[] = {6, 0, 0};
    model->n_metadata_props = 0;
    ck_assert_uint_eq(model->graph->n_node, 3);
    for (size_t i = 0; i < 3; i++) {
        Htp__Onnx__NodeProto *node = model->graph->node[i];
        node->n_attribute = own_attributes[i];
        node->n_metadata_props = 0;
        node->doc_string = NULL;
    }
    for (size_t i = 0; i < model->graph->n_initializer; i++) {
        model->graph->initializer[i]->n_metadata_props = 0;
    }
}

static void compare_stripped(htp_external_data external)
{
    const char *path = scratch_path(&f, "m.onnx");
    (void)write_model(&f, build_annotations(), path, external);
    Htp__Onnx__ModelProto *model = read_model(&f, path);
    assert_tagged(model);
    (void)write_model(&f, NULL, path, external);
    file_contents untagged = read_whole(&f, path);
    strip(model);
    ck_assert_uint_eq(htp__onnx__model_proto__get_packed_size(model), untagged.size);
    uint8_t *packed = htp_arena_alloc(f.arena, untagged.size);
    (void)htp__onnx__model_proto__pack(model, packed);
    ck_assert_mem_eq(packed, untagged.bytes, untagged.size);
}

UNIT_TEST(a_stripped_tagged_model_is_the_untagged_one)
{
    begin(arena);
    build_model();
    compare_stripped(HTP_EXTERNAL_AUTO);
    compare_stripped(HTP_EXTERNAL_ALWAYS);
    end();
}

UNIT_TEST(two_writes_are_equal)
{
    const char *paths[2];
    begin(arena);
    build_model();
    paths[0] = scratch_path(&f, "a.onnx");
    (void)write_model(&f, build_annotations(), paths[0], HTP_EXTERNAL_AUTO);
    paths[1] = scratch_path(&f, "b.onnx");
    (void)write_model(&f, build_annotations(), paths[1], HTP_EXTERNAL_AUTO);
    assert_equal_files(paths[0], paths[1]);
    end();
}

static const char *entry_of(const Htp__Onnx__TensorProto *tensor, const char *key)
{
    for (size_t i = 0; i < tensor->n_external_data; i++) {
        if (strcmp(tensor->external_data[i]->key, key) == 0) {
            return tensor->external_data[i]->value;
        }
    }
    ck_abort_msg("no entry %s", key);
}

UNIT_TEST(initializers_beside_the_model)
{
    begin(arena);
    build_model();
    static const int64_t odd_dims[] = {257, 2};
    static const int64_t odd_strides[] = {1, 257}; /* turned */
    static uint16_t odd[514];
    for (size_t i = 0; i < 514; i++) {
        odd[i] = (uint16_t)(i * 7);
    }
    set_view(&f, 2, "first", HTP_DTYPE_FLOAT16, 2, odd_dims, odd_strides, 0, odd, sizeof(odd));
    set_view(&f, 3, "second", HTP_DTYPE_FLOAT32, 2, big_dims, big_strides, 0, big, sizeof(big));
    static const int64_t sizes[] = {1023, 1024};
    set_view(&f, 4, "inside", HTP_DTYPE_UINT8, 1, &sizes[0], small_strides, 0, big, sizeof(big));
    set_view(&f, 5, "beside", HTP_DTYPE_UINT8, 1, &sizes[1], small_strides, 0, big, sizeof(big));
    for (uint32_t i = 2; i < 6; i++) {
        use_weight(&f, i);
    }
    const char *path = scratch_path(&f, "m.onnx");
    htp_writer_result result = write_model(&f, NULL, path, HTP_EXTERNAL_NEVER);
    ck_assert_uint_eq(result.external_bytes, 0);
    result = write_model(&f, NULL, path, HTP_EXTERNAL_ALWAYS);
    file_contents data = read_whole(&f, scratch_path(&f, "m.onnx.data"));
    ck_assert_uint_eq(data.size, result.external_bytes);
    ck_assert_uint_eq(data.size, 2560 + 1028 + 60 + 2560 + 1024);
    static const char *const offsets[] = {"0", NULL, NULL, "2560", "3648", NULL, "6208"};
    static const char *const lengths[] = {"2560", NULL, NULL, "1028", "2560", NULL, "1024"};
    Htp__Onnx__ModelProto *model = read_model(&f, path);
    for (size_t i = 0; i < 7; i++) {
        const Htp__Onnx__TensorProto *tensor = model->graph->initializer[i];
        ck_assert_int_eq(tensor->has_raw_data, offsets[i] == NULL);
        if (offsets[i]) {
            ck_assert_int_eq(tensor->data_location, 1);
            ck_assert_str_eq(entry_of(tensor, "location"), "m.onnx.data");
            ck_assert_str_eq(entry_of(tensor, "offset"), offsets[i]);
            ck_assert_str_eq(entry_of(tensor, "length"), lengths[i]);
        }
    }
    ck_assert_mem_eq(data.bytes, big, 2560);
    ck_assert_mem_eq(data.bytes + 3648, big, 2560);
    for (size_t i = 0; i < 514; i++) {
        ck_assert_mem_eq(data.bytes + 2560 + 2 * i, &odd[i % 2 * 257 + i / 2], 2);
    }
    end();
}

UNIT_TEST(what_onnx_cannot_say_is_refused)
{
    begin(arena);
    const char *path = scratch_path(&f, "m.onnx");
    set_view(&f, 0, "packed", HTP_DTYPE_OTHER, 1, small_dims, small_strides, 0, big, sizeof(big));
    use_weight(&f, 0);
    write_fails(&f, path, HTP_EXTERNAL_AUTO, HTP_CODE_UNSUPPORTED, "'packed'");
    fixture_build(&f);
    (void)htp_builder_add_input(f.model, "z", HTP_DTYPE_COMPLEX32, 0, NULL);
    write_fails(&f, path, HTP_EXTERNAL_AUTO, HTP_CODE_UNSUPPORTED, "input 'z'");
    fixture_build(&f);
    htp_tensor_id x = htp_builder_add_input(f.model, "x", HTP_DTYPE_FLOAT32, 0, NULL);
    htp_builder_add_output(f.model, fixture_node(&f, ROOT, "Add", x, x), "y");
    write_fails(&f, path, HTP_EXTERNAL_AUTO, HTP_CODE_INTERNAL, "output 'y' has no type");
    ck_assert_uint_eq(scratch_clear(), 0);
    end();
}

UNIT_MAIN("writer", the_model_itself, types_of_values, nodes, attributes,
          initializers_inside_the_model, a_stripped_tagged_model_is_the_untagged_one,
          two_writes_are_equal, initializers_beside_the_model, what_onnx_cannot_say_is_refused)
