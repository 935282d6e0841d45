#include "lower/evaluate/evaluate.h"

#include "base/map.h"
#include "base/text.h"
#include "lower/evaluate/blocks.h"
#include "lower/evaluate/kernel.h"
#include "onnx/serialize/payload.h"

#include <stdlib.h>

/* The budget of computed elements for one model, which grows with its weights; matrix products
 * count their multiplications. */
#define FREE_WORK (UINT64_C(1) << 27)
#define WORK_OF_A_BYTE 64
#define MAX_WORK (UINT64_C(1) << 32)

enum { MAX_OUTPUTS = 64 };

struct htp_evaluator {
    htp_builder *model;
    htp_arena *arena;
    size_t tensor_count;
    htp_known **known; /* by tensor; NULL: not yet read, or unknown */
    htp_payload *payload;
    uint64_t work_left;
};

static uint64_t find_work(const htp_builder *model)
{
    const htp_trace *trace = model->graph->trace;
    htp_map storages = {0};
    uint64_t work = FREE_WORK;
    for (uint32_t i = 0; i < trace->weight_count && work < MAX_WORK; i++) {
        const htp_weight *weight = &trace->weights[i];
        uint32_t known = i;
        if (!htp_map_get_bytes(&storages, &weight->storage, sizeof(weight->storage), &known)) {
            htp_map_set_bytes(model->arena, &storages, &weight->storage, sizeof(weight->storage),
                              i);
            uint64_t bytes = weight->storage_bytes;
            work += bytes < MAX_WORK / WORK_OF_A_BYTE ? bytes * WORK_OF_A_BYTE : MAX_WORK;
        }
    }
    return work < MAX_WORK ? work : MAX_WORK;
}

htp_evaluator *htp_evaluator_new(htp_builder *model)
{
    htp_evaluator *e = HTP_NEW(model->arena, htp_evaluator);
    *e = (htp_evaluator){.model = model,
                         .arena = model->arena,
                         .tensor_count = model->tensors.count,
                         .known = HTP_NEW_ARRAY(model->arena, htp_known *, model->tensors.count),
                         .payload = HTP_NEW(model->arena, htp_payload),
                         .work_left = find_work(model)};
    return e;
}

/* ---- operands ---- */

/* Reads an initializer; contiguous data is used in place. */
static bool read_initializer(htp_evaluator *e, const htp_initializer *initializer, htp_known *known)
{
    if (initializer->data) {
        known->data = initializer->data;
        known->bytes = initializer->bytes;
        return known->bytes <= HTP_EVALUATE_MAX_BYTES;
    }
    htp_status status = htp_payload_check(e->model, initializer, &known->bytes);
    bool is_sound = !status && known->bytes <= HTP_EVALUATE_MAX_BYTES;
    htp_status_free(status);
    uint64_t offset;
    if (!is_sound) {
        return false;
    }
    htp_payload_begin(e->payload, e->model, initializer);
    if (htp_payload_lies_in_file(e->payload, &offset)) {
        const unsigned char *bytes;
        bool is_whole = htp_payload_next(e->payload, &bytes) == known->bytes;
        known->data = bytes;
        return is_whole;
    }
    void *copy = htp_arena_alloc(e->arena, (size_t)known->bytes + 1);
    known->data = copy;
    known->is_made = true;
    return htp_payload_copy(e->payload, e->model, initializer, copy, known->bytes);
}

/* The known tensor of an initializer; NULL if it cannot be read. */
static htp_known *find_initializer(htp_evaluator *e, htp_tensor_id id)
{
    const htp_tensor *tensor = &e->model->tensors.items[id];
    if (tensor->source != HTP_TENSOR_FROM_INITIALIZER || tensor->rank > HTP_MAX_RANK) {
        return NULL;
    }
    htp_known *known = HTP_NEW(e->arena, htp_known);
    int64_t *dims = HTP_NEW_ARRAY(e->arena, int64_t, (size_t)tensor->rank + 1);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        dims[i] = tensor->dims[i].size;
    }
    *known = (htp_known){.dtype = tensor->dtype, .rank = tensor->rank, .dims = dims};
    return read_initializer(e, &e->model->initializers.items[tensor->index], known) ? known : NULL;
}

const htp_known *htp_evaluator_find(htp_evaluator *e, htp_tensor_id id)
{
    if (id >= e->tensor_count) {
        return NULL;
    }
    if (!e->known[id]) {
        e->known[id] = find_initializer(e, id);
    }
    return e->known[id];
}

void htp_evaluator_forget(htp_evaluator *e, htp_tensor_id id)
{
    const htp_known *known = id < e->tensor_count ? e->known[id] : NULL;
    if (known && known->is_made) {
        htp_arena_release(e->arena, known->data, (size_t)known->bytes + 1);
    }
    if (known) {
        e->known[id] = NULL;
    }
}

/* ---- nodes ---- */

static const struct kernel_row {
    const char *op;
    htp_kernel_fn run;
} kernels[] = {
#define HTP_KERNEL(op, run) {op, run},
#include "lower/evaluate/kernels.def"
#undef HTP_KERNEL
};

/* The kernel of a node's operator, or NULL. */
static htp_kernel_fn find_kernel(const htp_onnx_node *node)
{
    if (*node->domain) {
        return NULL;
    }
    const struct kernel_row *row =
        bsearch(node->op_type, kernels, sizeof(kernels) / sizeof(kernels[0]), sizeof(kernels[0]),
                htp_row_compare);
    if (row) {
        return row->run;
    }
    return htp_elementwise_find(node->op_type) ? htp_kernel_elementwise : NULL;
}

bool htp_evaluator_has(const htp_onnx_node *node)
{
    return find_kernel(node) != NULL;
}

static bool find_inputs(htp_evaluator *e, htp_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->input_count; i++) {
        htp_tensor_id id = kernel->node->inputs[i];
        kernel->inputs[i] = id == HTP_NONE ? NULL : htp_evaluator_find(e, id);
        if (id != HTP_NONE && !kernel->inputs[i]) {
            return false;
        }
    }
    return true;
}

/* Stores the outputs of a kernel. */
static void keep(htp_evaluator *e, const htp_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->node->output_count; i++) {
        htp_known *known = HTP_NEW(e->arena, htp_known);
        *known = kernel->outputs[i];
        e->known[kernel->node->outputs[i]] = known;
    }
}

static void release(htp_evaluator *e, const htp_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->node->output_count; i++) {
        const htp_known *made = &kernel->outputs[i];
        if (made->data) {
            htp_arena_release(e->arena, made->data, (size_t)made->bytes + 1);
        }
    }
}

bool htp_evaluate(htp_evaluator *e, const htp_onnx_node *node, uint64_t most,
                  htp_evaluator_limit *limit)
{
    htp_known outputs[MAX_OUTPUTS] = {{.rank = 0}};
    *limit = (htp_evaluator_limit){0};
    const htp_kernel_fn run = find_kernel(node);
    if (!run || node->output_count > MAX_OUTPUTS) {
        return false;
    }
    htp_kernel kernel = {
        .arena = e->arena,
        .node = node,
        .inputs = HTP_NEW_ARRAY(e->arena, const htp_known *, (size_t)node->input_count + 1),
        .input_count = node->input_count,
        .outputs = outputs,
        .most = most < HTP_EVALUATE_MAX_BYTES ? most : HTP_EVALUATE_MAX_BYTES,
        .work_left = e->work_left};
    bool is_computed = find_inputs(e, &kernel) && run(&kernel);
    e->work_left = kernel.work_left;
    *limit = kernel.limit;
    for (uint32_t i = 0; is_computed && i < node->output_count; i++) {
        is_computed = outputs[i].data != NULL;
    }
    if (is_computed) {
        keep(e, &kernel);
    } else {
        release(e, &kernel);
    }
    return is_computed;
}
