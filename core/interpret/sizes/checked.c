/*
 * Sizes learned from checks in the program: if all other values raise, the value is known
 * afterwards.
 */
#include "interpret/sizes/sizes.h"

#include <string.h>

static htp_item *input_of(const htp_machine *m, const htp_recorded_node *node, uint32_t index)
{
    return m->recording.items.items[node->inputs[index]];
}

/* The dim argument of aten::size.int; -1 if it is no constant. */
static htp_outcome find_dim_asked(htp_machine *m, const htp_recorded_node *node, int64_t *dim)
{
    const htp_item *asked = input_of(m, node, 1);
    const htp_runner_tensor *tensor = NULL;
    HTP_DO(htp_sizes_tensor_in(m, input_of(m, node, 0), 0, &tensor));
    if (htp_is_constant(asked)) {
        HTP_DO(htp_sizes_int_in(m, asked, 0, dim));
        *dim = htp_dim_wrap(*dim, tensor->rank);
    }
    return HTP_GOES_ON;
}

/* The dim whose size a number is, as by aten::size; -1 for other numbers. */
static htp_outcome find_dim(htp_machine *m, const htp_item *number, int64_t *dim)
{
    const htp_recorded_node *node = htp_sizes_producer(m, number);
    *dim = -1;
    if (node && strcmp(node->kind, "aten::size.int") == 0 && node->input_count > 1) {
        return find_dim_asked(m, node, dim);
    }
    if (!node || strcmp(node->kind, "aten::size") != 0 || node->input_count == 0 ||
        node->output_count == 0) {
        return HTP_GOES_ON;
    }
    const htp_items *sizes = &m->recording.items.items[node->outputs[0]]->elements;
    for (size_t i = 0; i < sizes->count && *dim < 0; i++) {
        *dim = sizes->items[i] == number ? (int64_t)i : -1;
    }
    return HTP_GOES_ON;
}

/* A tensor of the current block with data-dependent sizes. */
static bool is_made_here(const htp_machine *m, const htp_item *tensor)
{
    const htp_recorded_node *node = htp_sizes_producer(m, tensor);
    return htp_is_tensor(tensor) && htp_is_data(tensor) && node &&
           node->block == m->recording.block;
}

/* Records that @p size equals @p number from here on. */
static htp_outcome learn(htp_machine *m, const htp_item *size, const htp_item *number)
{
    int64_t dim;
    HTP_DO(find_dim(m, size, &dim));
    if (dim < 0 || !htp_is_constant(number)) {
        return HTP_GOES_ON;
    }
    htp_item *tensor = input_of(m, htp_sizes_producer(m, size), 0);
    if (!is_made_here(m, tensor)) {
        return HTP_GOES_ON;
    }
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        int64_t learnt;
        const htp_runner_tensor *resized = NULL;
        HTP_DO(htp_sizes_int_in(m, number, lane, &learnt));
        HTP_DO(htp_tensor_resized(m, htp_tensor_in(tensor, lane), dim, learnt, &resized));
        tensor->lane[lane].as.tensor = resized;
    }
    return HTP_GOES_ON;
}

htp_outcome htp_sizes_learn(htp_machine *m, const htp_item *condition, bool side)
{
    const htp_recorded_node *node = htp_sizes_producer(m, condition);
    if (!node || htp_has_lanes(condition) || node->input_count < 2 ||
        strcmp(node->kind, side ? "aten::eq.int" : "aten::ne.int") != 0) {
        return HTP_GOES_ON;
    }
    const htp_item *first = input_of(m, node, 0);
    const htp_item *second = input_of(m, node, 1);
    HTP_DO(learn(m, first, second));
    return learn(m, second, first);
}
