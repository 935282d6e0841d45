#include "lower/passes/asked_inputs.h"

#include "onnx/builder/prune.h"

#include <string.h>

typedef struct pass {
    htp_builder *model;
    htp_map places; /* joined names of consecutive dims -> input * HTP_MAX_RANK + first dim */
} pass;

/* The sizes that a Shape returns: dims from start up to end. */
typedef struct question {
    htp_tensor_id tensor;
    uint32_t start;
    uint32_t end;
} question;

static bool has_dims(const htp_tensor *tensor)
{
    return tensor->has_type && !tensor->is_sequence && tensor->rank <= HTP_MAX_RANK;
}

/* The joined names of dims; NULL if one is a number, or unknown. */
static const char *join_names(const pass *p, const htp_tensor *tensor, uint32_t start, uint32_t end)
{
    const char *joined = "";
    for (uint32_t i = start; i < end; i++) {
        const char *symbol = tensor->dims[i].symbol;
        if (!symbol || !*symbol) {
            return NULL;
        }
        joined = htp_arena_join(p->model->arena, joined, "\n", symbol);
    }
    return joined;
}

/* Records all runs of names in the inputs' dims. The first input with a run counts. */
static void note_inputs(pass *p)
{
    for (uint32_t n = 0; n < p->model->inputs.count; n++) {
        const htp_tensor *input = &p->model->tensors.items[p->model->inputs.items[n]];
        for (uint32_t start = 0; has_dims(input) && start < input->rank; start++) {
            for (uint32_t end = start + 1; end <= input->rank; end++) {
                const char *names = join_names(p, input, start, end);
                uint32_t known;
                if (!names) {
                    break;
                }
                if (!htp_map_get(&p->places, names, &known)) {
                    htp_map_set(p->model->arena, &p->places, names, n * HTP_MAX_RANK + start);
                }
            }
        }
    }
}

/* Reads which sizes a Shape in the root returns. @return false for other nodes */
static bool read_question(const htp_builder *model, const htp_onnx_node *node, question *asked)
{
    if (strcmp(node->op_type, "Shape") != 0 || *node->domain || node->graph != 0 ||
        node->origin.scope != 0 || node->more_scopes.count > 0) {
        return false;
    }
    const htp_attribute *start = htp_builder_attribute(node, "start");
    const htp_attribute *end = htp_builder_attribute(node, "end");
    const htp_tensor *tensor = &model->tensors.items[node->inputs[0]];
    int64_t first = start ? start->i : 0;
    int64_t last = end ? end->i : tensor->rank;
    if (!has_dims(tensor) || first < 0 || first >= last || last > (int64_t)tensor->rank ||
        model->tensors.items[node->outputs[0]].is_output) {
        return false;
    }
    *asked = (question){node->inputs[0], (uint32_t)first, (uint32_t)last};
    return true;
}

/* Makes the Shape read an input that has these sizes, if there is one. */
static void turn(pass *p, htp_onnx_node *node, const question *asked)
{
    const htp_tensor *tensor = &p->model->tensors.items[asked->tensor];
    const char *names = join_names(p, tensor, asked->start, asked->end);
    uint32_t place;
    if (tensor->source != HTP_TENSOR_FROM_NODE || !names ||
        !htp_map_get(&p->places, names, &place)) {
        return;
    }
    uint32_t start = place % HTP_MAX_RANK;
    htp_tensor_id *inputs = HTP_NEW_ARRAY(p->model->arena, htp_tensor_id, 1);
    htp_attribute *attributes = HTP_NEW_ARRAY(p->model->arena, htp_attribute, 2);
    inputs[0] = p->model->inputs.items[place / HTP_MAX_RANK];
    attributes[0] = htp_attribute_int("start", start);
    attributes[1] = htp_attribute_int("end", start + asked->end - asked->start);
    node->inputs = inputs;
    node->attributes = attributes;
    node->attribute_count = 2;
}

void htp_lower_ask_inputs(htp_builder *model)
{
    const bool *live = htp_builder_count_uses(model);
    pass p = {.model = model};
    note_inputs(&p);
    for (size_t n = 0; n < model->nodes.count; n++) {
        htp_onnx_node *node = &model->nodes.items[n];
        question asked;
        if (live[n] && read_question(model, node, &asked)) {
            turn(&p, node, &asked);
        }
    }
}
