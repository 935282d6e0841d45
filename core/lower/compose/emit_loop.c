/*
 * Loops within a lowering that end on a condition.
 *
 * Reference: ONNX Loop.
 */
#include "lower/compose/emit_loop.h"

#include "lower/emit/ort_dtypes.h"

htp_emitted_loop htp_emit_loop_begin(const htp_formula *f, htp_tensor_id starts,
                                     const htp_tensor_id *first, size_t count)
{
    htp_lowering *l = f->l;
    htp_emitted_loop t = {
        .f = f, .count = count, .starts = starts, .around = l->model->current_graph};
    uint32_t rank = htp_output_rank(l, 0);
    const htp_dim *dims = htp_output_dims(l, 0);
    t.body = htp_builder_add_graph(l->model);
    t.number = htp_builder_add_graph_input(l->model, t.body, "turn", HTP_DTYPE_INT64, 0, NULL);
    (void)htp_builder_add_graph_input(l->model, t.body, "condition", HTP_DTYPE_BOOL, 0, NULL);
    for (size_t i = 0; i < count; i++) {
        t.first[i] = first[i];
        t.carried[i] =
            htp_builder_add_graph_input(l->model, t.body, "carried", f->dtype, rank, dims);
    }
    l->model->current_graph = t.body;
    return t;
}

void htp_emit_loop_end(const htp_emitted_loop *t, htp_tensor_id goes_on, const htp_tensor_id *next,
                       htp_tensor_id *last)
{
    htp_lowering *l = t->f->l;
    htp_builder_set_type(l->model, goes_on, HTP_DTYPE_BOOL, 0, NULL);
    htp_builder_add_graph_output(l->model, goes_on);
    for (size_t i = 0; i < t->count; i++) {
        htp_builder_set_type(l->model, next[i], t->f->dtype, htp_output_rank(l, 0),
                             htp_output_dims(l, 0));
        htp_builder_add_graph_output(l->model, next[i]);
    }
    l->model->current_graph = t->around;
    htp_tensor_id inputs[HTP_EMIT_LOOP_MAX + 2] = {HTP_NONE, t->starts};
    for (size_t i = 0; i < t->count; i++) {
        inputs[i + 2] = t->first[i];
    }
    htp_attribute body = htp_attribute_graph("body", t->body);
    htp_emit_many(l, "Loop", (htp_emit_inputs){inputs, t->count + 2},
                  (htp_emit_attributes){&body, 1}, last, t->count);
}

htp_tensor_id htp_emit_any(htp_lowering *l, htp_tensor_id condition)
{
    htp_tensor_id ones = htp_emit_cast(l, condition, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    ones = htp_emit_reduce(l, "ReduceSum", ones, NULL, 0, false);
    return htp_typed_predicate_scalar(l, "Greater", HTP_DTYPE_INT64, ones, 0);
}
