#include "source/hints/hint_weights.h"

#include <string.h>

enum { MAX_LAYERS = 1 << 10, MAX_CONVOLVED = 3, LEAST_CUT = 5 };

static void set_dims(htp_hint *hint, uint32_t rank, const int64_t *dims)
{
    if (rank <= sizeof(hint->weight_dims) / sizeof(hint->weight_dims[0])) {
        hint->weight_rank = rank;
        for (uint32_t i = 0; i < rank; i++) {
            hint->weight_dims[i] = dims[i];
        }
    }
}

/* A convolution's weight may be computed. Then the number of strides gives its rank. */
static void count_strides(const htp_operands *o, htp_hint *hint)
{
    uint32_t stride = htp_operands_find(o, "stride");
    if (stride == HTP_NONE || htp_operands_find(o, "input") != o->node->inputs[0]) {
        return;
    }
    const htp_program_node *made = htp_operands_list(o, stride);
    const htp_program_data *known = htp_operands_constant(o, stride);
    uint32_t count = made                                    ? made->input_count
                     : known && known->kind == HTP_DATA_LIST ? known->element_count
                                                             : MAX_CONVOLVED + 1;
    hint->weight_rank = count <= MAX_CONVOLVED ? count + 2 : 0;
}

/* Rows reshaped to more dims than an image has, view(-1, 3, 2, 14, 14), have as many features as
 * the product of these dims. That is as reliable as a weight. */
static void multiply_rows(const htp_operands *o, htp_hint *hint)
{
    uint32_t size = htp_operands_find(o, "size");
    size = size == HTP_NONE ? htp_operands_find(o, "shape") : size;
    const htp_program_node *list = size == HTP_NONE ? NULL : htp_operands_list(o, size);
    if (!list || list->input_count < LEAST_CUT || o->node->input_count != 2 ||
        size != o->node->inputs[1]) {
        return;
    }
    int64_t product = 1;
    for (uint32_t i = 0; i < list->input_count; i++) {
        int64_t known = htp_operands_number(o, list->inputs[i], 0);
        bool is_known = i > 0 ? known > 0 && known < INT32_MAX : known == -1;
        if (!is_known || product > INT32_MAX) {
            return;
        }
        product *= i > 0 ? known : 1;
    }
    set_dims(hint, 1, &product);
}

/* A convolution's weight has the channels of one group; the hint has those of the input. */
static void scale_by_groups(const htp_operands *o, htp_hint *hint)
{
    int64_t groups = htp_operands_number(o, htp_operands_find(o, "groups"), 1);
    if (hint->weight_rank >= 2 &&
        __builtin_mul_overflow(hint->weight_dims[1], groups, &hint->weight_dims[1])) {
        hint->weight_rank = 0;
    }
}

/* The state of a recurrent layer has layers first and features last; a cell's has no layers. The
 * second weight has as many columns as there are features. */
static void size_state(const htp_operands *o, int64_t features, htp_hint *hint)
{
    uint32_t layers = htp_operands_find(o, "num_layers");
    bool has_layers = layers != HTP_NONE;
    int64_t count = htp_operands_number(o, layers, 1);
    count = count < 1 ? 1 : count > MAX_LAYERS ? MAX_LAYERS : count;
    bool is_both = htp_operands_number(o, htp_operands_find(o, "bidirectional"), 0) != 0;
    const int64_t dims[] = {is_both ? 2 * count : count, 0, features};
    set_dims(hint, has_layers ? 3 : 2, has_layers ? dims : dims + 1);
}

/* The rank of a plain tensor; 0 for others. */
static uint32_t rank_of(const htp_tensor_view *weight)
{
    return weight && weight->is_plain ? weight->rank : 0;
}

void htp_hint_find_weight(const htp_operands *o, const htp_hint_weights *weights, uint32_t at,
                          htp_hint *hint)
{
    hint->weight_rank = 0;
    if (htp_operands_find(o, "hx") == o->node->inputs[at]) {
        if (rank_of(weights->second) == 2) {
            size_state(o, weights->second->dims[1], hint);
        }
        return;
    }
    if (weights->first) {
        set_dims(hint, rank_of(weights->first), weights->first->dims);
    }
    if (hint->weight_rank == 0) {
        count_strides(o, hint);
        multiply_rows(o, hint);
    }
    scale_by_groups(o, hint);
}

void htp_hint_note_order(const htp_operands *o, htp_hint *hint)
{
    uint32_t batch_first = htp_operands_find(o, "batch_first");
    bool is_matrix = batch_first != HTP_NONE && hint->weight_rank == 2;
    if (is_matrix && htp_operands_number(o, batch_first, 1) == 0) {
        hint->weight_dims[2] = 1;
    }
}

bool htp_hint_joins_features(const htp_operands *o)
{
    int64_t dim = htp_operands_number(o, htp_operands_find(o, "dim"), 0);
    return dim == 1 || dim == -1;
}

int htp_hint_rank_change(const htp_operands *o)
{
    const char *kind = o->node->kind;
    if (strcmp(kind, "aten::unsqueeze") == 0 || strcmp(kind, "aten::unfold") == 0) {
        return 1;
    }
    if (strcmp(kind, "aten::select") == 0 ||
        (strcmp(kind, "aten::squeeze") == 0 && o->node->input_count == 2)) {
        return -1;
    }
    if (strcmp(kind, "aten::flatten") != 0) {
        return 0;
    }
    int64_t first = htp_operands_number(o, htp_operands_find(o, "start_dim"), 0);
    int64_t last = htp_operands_number(o, htp_operands_find(o, "end_dim"), -1);
    return first >= 0 && last > first && last < HTP_MAX_RANK ? (int)(first - last) : 0;
}
