/*
 * Rules for operators with bodies. Nodes of bodies come first, so their outputs have types.
 */
#include "onnx/shape_inference/infer_rule.h"

static htp_nested_graph *find_graph(const htp_infer *infer, const char *name)
{
    const htp_attribute *attribute = htp_infer_attribute(infer, name);
    return attribute && attribute->kind == HTP_ATTRIBUTE_GRAPH
               ? &infer->model->graphs.items[attribute->i - 1]
               : NULL;
}

static const htp_tensor *output_of(const htp_infer *infer, const htp_nested_graph *graph, size_t at)
{
    if (!graph || at >= graph->outputs.count) {
        return NULL;
    }
    const htp_tensor *tensor = &infer->model->tensors.items[graph->outputs.items[at]];
    return tensor->has_type ? tensor : NULL;
}

/* Gives output @p i the type of a tensor or sequence, without its dims. */
static void set_like(htp_infer *infer, uint32_t i, const htp_tensor *like, const htp_dim *dims)
{
    htp_infer_set(infer, i, like->dtype, like->rank, dims);
    if (like->is_sequence) {
        htp_builder_set_sequence(infer->model, infer->node->outputs[i]);
    }
}

/* ONNX If: the types of both branches; dims that differ are unknown. */
void htp_infer_if(htp_infer *infer)
{
    const htp_nested_graph *then_graph = find_graph(infer, "then_branch");
    const htp_nested_graph *else_graph = find_graph(infer, "else_branch");
    for (uint32_t i = 0; i < infer->node->output_count; i++) {
        const htp_tensor *a = output_of(infer, then_graph, i);
        const htp_tensor *b = output_of(infer, else_graph, i);
        if (!a || !b || a->dtype != b->dtype || a->rank != b->rank ||
            a->is_sequence != b->is_sequence) {
            continue;
        }
        htp_dim *dims = htp_infer_dims(infer, a->rank);
        for (uint32_t d = 0; d < a->rank; d++) {
            dims[d] =
                htp_infer_is_same(a->dims[d], b->dims[d]) ? a->dims[d] : htp_infer_unknown(infer);
        }
        set_like(infer, i, a, dims);
    }
}

/* ---- Loop ----
 *
 * A carried value keeps its initial dims unless an iteration changes them. So a body is typed by
 * guesses. If one proves wrong, the whole pass is repeated with the next guess: the initial dim,
 * then an unknown one. */

/** The assumed dims of a body's input. */
struct htp_guess {
    htp_dim dim;
    bool is_initial; /* the loop's initial value */
    bool is_given_up;
};

void htp_infer_guess(htp_infer *infer)
{
    htp_builder *model = infer->model;
    if (!infer->guesses) {
        infer->guesses = HTP_NEW_ARRAY(infer->arena, htp_guess *, model->tensors.count);
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        htp_tensor *tensor = &model->tensors.items[i];
        if (tensor->source != HTP_TENSOR_FROM_GRAPH) {
            continue;
        }
        htp_dim *dims = htp_infer_dims(infer, tensor->rank);
        htp_guess **guesses = &infer->guesses[i];
        bool is_first = !*guesses;
        *guesses = is_first ? HTP_NEW_ARRAY(infer->arena, htp_guess, tensor->rank) : *guesses;
        for (uint32_t d = 0; d < tensor->rank; d++) {
            htp_guess *guess = &(*guesses)[d];
            guess->dim = is_first ? tensor->dims[d] : guess->dim;
            bool is_told = !guess->is_given_up && !infer->guesses_nothing;
            bool varies = tensor->dims[d].symbol && !*tensor->dims[d].symbol;
            dims[d] = is_told || varies ? guess->dim : htp_infer_unknown(infer);
        }
        tensor->dims = dims;
    }
}

/* Checks the loop invariant: dim @p d equals the guess before and after each iteration. If not,
 * sets the next guess. @p ends is NULL for a value without a type. */
static bool check_guess(htp_infer *infer, htp_guess *guess, htp_dim guessed, const htp_dim *begins,
                        const htp_dim *ends)
{
    bool is_right =
        begins && ends && htp_infer_is_same(*begins, guessed) && htp_infer_is_same(*ends, guessed);
    if (is_right || guess->is_given_up || infer->guesses_nothing) {
        return is_right;
    }
    bool has_next = !guess->is_initial && begins && !htp_infer_is_same(*begins, guessed);
    guess->is_initial = true;
    guess->is_given_up = !has_next;
    guess->dim = has_next ? *begins : guess->dim;
    infer->is_wrong = true;
    return false;
}

static const htp_dim *dims_of(const htp_tensor *tensor, uint32_t rank)
{
    return tensor && tensor->has_type && tensor->rank == rank ? tensor->dims : NULL;
}

/* Sets the type of carried output @p i. */
static void set_carried(htp_infer *infer, const htp_nested_graph *body, uint32_t i)
{
    const htp_tensor *first = htp_infer_input(infer, i + 2);
    const htp_tensor *inner = output_of(infer, body, (size_t)i + 1);
    const htp_tensor *carried = &infer->model->tensors.items[body->inputs.items[i + 2]];
    if (!carried->has_type) {
        return;
    }
    const htp_dim *begins = dims_of(first, carried->rank);
    const htp_dim *ends = dims_of(inner, carried->rank);
    htp_guess *guesses = infer->guesses[body->inputs.items[i + 2]];
    htp_dim *dims = htp_infer_dims(infer, carried->rank);
    for (uint32_t d = 0; d < carried->rank; d++) {
        bool is_kept = check_guess(infer, &guesses[d], carried->dims[d], begins ? &begins[d] : NULL,
                                   ends ? &ends[d] : NULL);
        dims[d] = is_kept ? carried->dims[d] : htp_infer_unknown(infer);
    }
    set_like(infer, i, carried, dims);
}

static bool is_true(htp_element element)
{
    int64_t number;
    return htp_infer_number(element, &number) && number == 1;
}

/* The trip count, unless the condition may end the loop. */
static htp_dim trip_count(htp_infer *infer, const htp_nested_graph *body)
{
    bool begins = !htp_infer_has_input(infer, 1) || is_true(htp_infer_element(infer, 1, 0));
    htp_element most = htp_infer_element(infer, 0, 0);
    if (!begins || !most.is_known ||
        !is_true(htp_infer_content(infer, body->outputs.items[0], 0))) {
        return htp_infer_unknown(infer);
    }
    htp_polynomial_id count = htp_infer_of(infer, most.value);
    return htp_infer_polynomial(infer, htp_polynomial_positive(&infer->symbols->algebra, count));
}

/* ONNX Loop: carried values, then the stacked scan outputs. */
void htp_infer_loop(htp_infer *infer)
{
    htp_nested_graph *body = find_graph(infer, "body");
    uint32_t carried = infer->node->input_count > 2 ? infer->node->input_count - 2 : 0;
    if (!body || body->inputs.count != (size_t)carried + 2 ||
        body->outputs.count != (size_t)infer->node->output_count + 1) {
        return;
    }
    body->has_trips = true;
    body->trips = trip_count(infer, body);
    for (uint32_t i = 0; i < infer->node->output_count; i++) {
        const htp_tensor *inner = output_of(infer, body, (size_t)i + 1);
        if (i < carried) {
            set_carried(infer, body, i);
            continue;
        }
        if (!inner || inner->is_sequence) {
            continue;
        }
        htp_dim *dims = htp_infer_dims(infer, inner->rank + 1);
        dims[0] = body->trips;
        for (uint32_t d = 0; d < inner->rank; d++) {
            bool is_kept = !htp_symbols_has_unknown(infer->symbols, inner->dims[d]);
            dims[d + 1] = is_kept ? inner->dims[d] : htp_infer_unknown(infer);
        }
        htp_infer_set(infer, i, inner->dtype, inner->rank + 1, dims);
    }
}
