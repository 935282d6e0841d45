#include "lower/passes/fold_norms.h"

#include "lower/passes/channel_scale.h"
#include "lower/weight_layout/weight_layout.h"
#include "onnx/builder/prune.h"
#include "onnx/serialize/payload.h"

#include <math.h>
#include <string.h>

/* Inputs of BatchNormalization after the first. */
enum { SCALE = 1, BIAS, MEAN, VARIANCE, NORM_INPUTS };

enum { MAX_CHANNELS = 1 << 24 };

typedef struct pass {
    htp_builder *model;
    htp_arena *arena;
    const uint32_t *bodies; /* by scope, or NULL */
    htp_payload *payload;
} pass;

/* A norm, and the layer before it. */
typedef struct pair {
    htp_onnx_node *norm;
    const htp_onnx_node *layer;
    htp_tensor_id weight_id; /* the layer's */
    const htp_initializer *weight;
    bool is_turned; /* read through a Transpose */
    htp_channel_spread spread;
    double *scales;
    float *bias;
} pair;

/* ---- contents ---- */

static const htp_tensor *tensor_at(const pass *p, htp_tensor_id id)
{
    return &p->model->tensors.items[id];
}

static const htp_initializer *initializer_at(const pass *p, htp_tensor_id id)
{
    const htp_tensor *tensor = tensor_at(p, id);
    return tensor->source == HTP_TENSOR_FROM_INITIALIZER
               ? &p->model->initializers.items[tensor->index]
               : NULL;
}

static bool begin_reading(pass *p, const htp_initializer *initializer)
{
    uint64_t bytes = 0;
    htp_status status = htp_payload_check(p->model, initializer, &bytes);
    bool is_right = !status;
    htp_status_free(status);
    if (is_right) {
        htp_payload_begin(p->payload, p->model, initializer);
    }
    return is_right;
}

/* Reads one float32 per channel. @return NULL if the operand has another form */
static float *read_vector(pass *p, htp_tensor_id id, uint64_t channels)
{
    const htp_initializer *initializer = initializer_at(p, id);
    const htp_tensor *tensor = tensor_at(p, id);
    if (!initializer || tensor->dtype != HTP_DTYPE_FLOAT32 || tensor->rank != 1 ||
        (uint64_t)tensor->dims[0].size != channels) {
        return NULL;
    }
    float *values = HTP_NEW_ARRAY(p->arena, float, channels + 1);
    bool is_read =
        htp_payload_copy(p->payload, p->model, initializer, values, channels * sizeof(*values));
    return is_read ? values : NULL;
}

/* Whether all of w' is finite: the weight is read once, and not kept. */
static bool is_weight_finite(pass *p, const pair *pair)
{
    const htp_channel_scale scale = {pair->spread, pair->scales};
    const unsigned char *read = NULL;
    uint64_t first = 0;
    bool is_finite = begin_reading(p, pair->weight);
    for (uint64_t more = is_finite ? htp_payload_next(p->payload, &read) : 0; more > 0;
         more = htp_payload_next(p->payload, &read)) {
        uint64_t count = more / sizeof(float);
        is_finite = is_finite && more % sizeof(float) == 0 &&
                    htp_channel_scale_is_finite(&scale, first, read, count);
        first += count;
    }
    return is_finite;
}

/* ---- which norms ---- */

static int64_t int_or(const htp_onnx_node *node, const char *name, int64_t otherwise)
{
    const htp_attribute *attribute = htp_builder_attribute(node, name);
    return attribute ? attribute->i : otherwise;
}

static bool is_one(const htp_onnx_node *node, const char *name)
{
    const htp_attribute *attribute = htp_builder_attribute(node, name);
    return !attribute || attribute->f == 1.0F;
}

static bool is_operator(const htp_onnx_node *node, const char *op_type)
{
    return !*node->domain && strcmp(node->op_type, op_type) == 0;
}

/* Whether the stored weight has a channel per row, for transB of the Gemm. */
static bool is_second_turned(const pair *pair)
{
    return (int_or(pair->layer, "transB", 0) != 0) != pair->is_turned;
}

static uint64_t product(const htp_dim *dims, uint32_t begin, uint32_t end)
{
    uint64_t count = 1;
    for (uint32_t i = begin; i < end; i++) {
        count *= (uint64_t)dims[i].size;
    }
    return count;
}

/* Conv: [channels, ...]. */
static htp_channel_spread spread_of_conv(const pair *pair, const htp_tensor *weight)
{
    (void)pair;
    uint64_t channels = (uint64_t)weight->dims[0].size;
    uint64_t inner = product(weight->dims, 1, weight->rank);
    return (htp_channel_spread){inner, channels, inner * channels, channels};
}

/* ConvTranspose: [inputs, channels of a group, ...], group after group. */
static htp_channel_spread spread_of_transposed(const pair *pair, const htp_tensor *weight)
{
    uint64_t groups = (uint64_t)int_or(pair->layer, "group", 1);
    uint64_t group = (uint64_t)weight->dims[1].size;
    uint64_t elements = product(weight->dims, 0, weight->rank);
    return (htp_channel_spread){product(weight->dims, 2, weight->rank), group, elements / groups,
                                group * groups};
}

/* Gemm: [channels, inputs] where it is transposed, else [inputs, channels]. */
static htp_channel_spread spread_of_gemm(const pair *pair, const htp_tensor *weight)
{
    if (!is_one(pair->layer, "alpha") || !is_one(pair->layer, "beta")) {
        return (htp_channel_spread){0};
    }
    if (is_second_turned(pair)) {
        return spread_of_conv(pair, weight);
    }
    uint64_t channels = (uint64_t)weight->dims[1].size;
    return (htp_channel_spread){1, channels, channels, channels};
}

static const struct {
    const char *op_type;
    uint32_t least_rank; /* the weight's */
    htp_channel_spread (*spread)(const pair *pair, const htp_tensor *weight);
} layers[] = {
    {"Conv", 3, spread_of_conv},
    {"ConvTranspose", 3, spread_of_transposed},
    {"Gemm", 2, spread_of_gemm},
};

static bool find_spread(const pass *p, pair *pair)
{
    const htp_tensor *weight = tensor_at(p, pair->weight_id);
    for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++) {
        if (is_operator(pair->layer, layers[i].op_type) && weight->rank >= layers[i].least_rank) {
            pair->spread = layers[i].spread(pair, weight);
        }
    }
    return pair->spread.inner > 0 && pair->spread.channels > 0 &&
           pair->spread.channels <= MAX_CHANNELS;
}

/* Finds the stored float32 weight, which a Gemm may read through a Transpose. */
static bool find_weight(const pass *p, pair *pair)
{
    htp_tensor_id id = pair->layer->inputs[1];
    const htp_tensor *tensor = tensor_at(p, id);
    if (tensor->source == HTP_TENSOR_FROM_NODE && is_operator(pair->layer, "Gemm")) {
        const htp_onnx_node *maker = &p->model->nodes.items[tensor->index];
        pair->is_turned = is_operator(maker, "Transpose") && tensor_at(p, id)->uses == 1;
        id = pair->is_turned ? maker->inputs[0] : id;
    }
    pair->weight_id = id;
    pair->weight = initializer_at(p, id);
    return pair->weight && pair->weight->weight != HTP_NONE && tensor_at(p, id)->uses == 1 &&
           tensor_at(p, id)->dtype == HTP_DTYPE_FLOAT32;
}

/* Finds the layer, whose result only the norm may read. */
static bool find_layer(const pass *p, pair *pair)
{
    const htp_onnx_node *norm = pair->norm;
    if (!is_operator(norm, "BatchNormalization") || norm->output_count != 1) {
        return false;
    }
    const htp_tensor *x = tensor_at(p, norm->inputs[0]);
    if (x->source != HTP_TENSOR_FROM_NODE || x->is_output || x->uses != 1) {
        return false;
    }
    pair->layer = &p->model->nodes.items[x->index];
    return pair->layer->graph == norm->graph && pair->layer->input_count >= 2 &&
           (!p->bodies || p->bodies[pair->layer->origin.scope] == p->bodies[norm->origin.scope]);
}

static bool compute_scales(pass *p, pair *pair)
{
    const htp_tensor_id *inputs = pair->norm->inputs;
    const float *vectors[NORM_INPUTS] = {NULL};
    uint64_t channels = pair->spread.channels;
    htp_tensor_id own = pair->layer->input_count > 2 ? pair->layer->inputs[2] : HTP_NONE;
    const float *bias = own == HTP_NONE ? NULL : read_vector(p, own, channels);
    if (own != HTP_NONE && !bias) {
        return false;
    }
    for (int i = SCALE; i < NORM_INPUTS; i++) {
        vectors[i] = read_vector(p, inputs[i], channels);
        if (!vectors[i]) {
            return false;
        }
    }
    const htp_attribute *epsilon = htp_builder_attribute(pair->norm, "epsilon");
    pair->scales = HTP_NEW_ARRAY(p->arena, double, channels);
    pair->bias = HTP_NEW_ARRAY(p->arena, float, channels);
    bool is_finite = epsilon != NULL;
    for (uint64_t c = 0; is_finite && c < channels; c++) {
        double scale = vectors[SCALE][c] / sqrt((double)vectors[VARIANCE][c] + epsilon->f);
        double centred = (bias ? (double)bias[c] : 0) - vectors[MEAN][c];
        pair->scales[c] = scale;
        pair->bias[c] = (float)(centred * scale + vectors[BIAS][c]);
        is_finite = isfinite(scale) && isfinite(pair->bias[c]);
    }
    return is_finite;
}

/* ---- folding ---- */

typedef HTP_VECTOR(uint32_t) weight_list;

static void add_weight(pass *p, weight_list *weights, uint32_t weight)
{
    for (size_t i = 0; i < weights->count; i++) {
        if (weights->items[i] == weight) {
            return;
        }
    }
    HTP_PUSH(p->arena, weights, weight);
}

/* Adds the weights of which an operand is made; a constant has none. */
static void add_weights(pass *p, weight_list *weights, htp_tensor_id id)
{
    const htp_initializer *initializer = id == HTP_NONE ? NULL : initializer_at(p, id);
    if (initializer && initializer->weight != HTP_NONE) {
        add_weight(p, weights, initializer->weight);
    } else if (initializer && initializer->derivation) {
        for (uint32_t i = 0; i < initializer->derivation->weight_count; i++) {
            add_weight(p, weights, initializer->derivation->weights[i]);
        }
    }
}

static const char *name_of(const pass *p, const pair *pair, const char *what)
{
    const char *path = htp_graph_scope_path(p->model->graph, pair->norm->origin.scope);
    return htp_arena_printf(p->arena, "%s%s%s.%s", path, *path ? "." : "", pair->norm->op_type,
                            what);
}

static htp_tensor_id add_weight_of(pass *p, const pair *pair)
{
    weight_list weights = {0};
    const htp_tensor *tensor = tensor_at(p, pair->weight_id);
    int64_t dims[HTP_MAX_RANK] = {0};
    for (uint32_t i = 0; i < tensor->rank; i++) {
        dims[i] = tensor->dims[i].size;
    }
    htp_laid whole;
    if (!htp_laid_begin(p->model, pair->weight, &whole)) {
        return HTP_NONE;
    }
    htp_derivation *derivation = HTP_NEW(p->arena, htp_derivation);
    htp_channel_scale *with = HTP_NEW(p->arena, htp_channel_scale);
    *with = (htp_channel_scale){pair->spread, pair->scales};
    add_weights(p, &weights, pair->weight_id);
    add_weights(p, &weights, pair->norm->inputs[SCALE]);
    add_weights(p, &weights, pair->norm->inputs[VARIANCE]);
    *derivation = (htp_derivation){.boxes = whole.boxes,
                                   .box_count = whole.box_count,
                                   .dtype = whole.dtype,
                                   .convert = htp_channel_scale_elements,
                                   .with = with,
                                   .weights = weights.items,
                                   .weight_count = (uint32_t)weights.count};
    return htp_builder_derived(p->model, name_of(p, pair, "weight"), HTP_DTYPE_FLOAT32,
                               tensor->rank, dims, derivation, NULL);
}

static htp_tensor_id add_bias_of(pass *p, const pair *pair)
{
    weight_list weights = {0};
    if (pair->layer->input_count > 2) {
        add_weights(p, &weights, pair->layer->inputs[2]);
    }
    for (int i = SCALE; i < NORM_INPUTS; i++) {
        add_weights(p, &weights, pair->norm->inputs[i]);
    }
    const int64_t dims[] = {(int64_t)pair->spread.channels};
    if (weights.count == 0) {
        return htp_builder_constant(p->model, HTP_DTYPE_FLOAT32, 1, dims, pair->bias);
    }
    htp_derivation *derivation = HTP_NEW(p->arena, htp_derivation);
    *derivation = (htp_derivation){.dtype = HTP_DTYPE_FLOAT32,
                                   .weights = weights.items,
                                   .weight_count = (uint32_t)weights.count};
    return htp_builder_derived(p->model, name_of(p, pair, "bias"), HTP_DTYPE_FLOAT32, 1, dims,
                               derivation, pair->bias);
}

/* Copies the layer's attributes, with transB for the stored weight. */
static void set_attributes(pass *p, htp_onnx_node *folded, const pair *pair)
{
    htp_attribute *attributes =
        HTP_NEW_ARRAY(p->arena, htp_attribute, (size_t)folded->attribute_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < folded->attribute_count; i++) {
        if (strcmp(folded->attributes[i].name, "transB") != 0) {
            attributes[count++] = folded->attributes[i];
        }
    }
    if (is_second_turned(pair)) {
        attributes[count++] = htp_attribute_int("transB", 1);
    }
    folded->attributes = attributes;
    folded->attribute_count = count;
}

static void add_scopes(pass *p, htp_onnx_node *node, const htp_onnx_node *of)
{
    HTP_PUSH(p->arena, &node->more_scopes, of->origin.scope);
    for (size_t i = 0; i < of->more_scopes.count; i++) {
        HTP_PUSH(p->arena, &node->more_scopes, of->more_scopes.items[i]);
    }
}

/* Puts the folded layer in the norm's place, so that it gets the norm's readers. */
static void fold(pass *p, pair *pair)
{
    htp_tensor_id weight = add_weight_of(p, pair);
    if (weight == HTP_NONE) {
        return;
    }
    htp_tensor_id *inputs = HTP_NEW_ARRAY(p->arena, htp_tensor_id, 3);
    htp_onnx_node folded = *pair->layer;
    inputs[0] = pair->layer->inputs[0];
    inputs[1] = weight;
    inputs[2] = add_bias_of(p, pair);
    folded.inputs = inputs;
    folded.input_count = 3;
    folded.outputs = pair->norm->outputs;
    set_attributes(p, &folded, pair);
    memset(&folded.more_scopes, 0, sizeof(folded.more_scopes));
    for (size_t i = 0; i < pair->layer->more_scopes.count; i++) {
        HTP_PUSH(p->arena, &folded.more_scopes, pair->layer->more_scopes.items[i]);
    }
    add_scopes(p, &folded, pair->norm);
    *pair->norm = folded;
}

void htp_norms_fold(htp_builder *model, const uint32_t *bodies)
{
    pass p = {.model = model, .arena = model->arena, .bodies = bodies};
    p.payload = HTP_NEW(p.arena, htp_payload);
    (void)htp_builder_count_uses(model);
    for (size_t n = 0; n < model->nodes.count; n++) {
        pair pair = {.norm = &model->nodes.items[n]};
        if (find_layer(&p, &pair) && find_weight(&p, &pair) && find_spread(&p, &pair) &&
            compute_scales(&p, &pair) && is_weight_finite(&p, &pair)) {
            fold(&p, &pair);
        }
    }
}
