/*
 * The table of operators, and what their functions share.
 */
#include "query/cost/multiply_adds.h"

const htp_count_row htp_count_rows[] = {
#define MULTIPLY_ADDS(domain, op, function, a, b) {domain, op, function, a, b},
#include "query/cost/multiply_adds.def"
#undef MULTIPLY_ADDS
};

const size_t htp_count_row_count = sizeof(htp_count_rows) / sizeof(htp_count_rows[0]);

/* ---- operands ---- */

static const htp_tensor *find(const htp_counting *counting, htp_view_range range, uint32_t index)
{
    uint32_t value =
        index < range.count ? counting->view->operands.items[range.first + index] : HTP_NONE;
    const htp_tensor *tensor = value == HTP_NONE ? NULL : &counting->builder->tensors.items[value];
    return tensor && tensor->has_type && !tensor->is_sequence ? tensor : NULL;
}

const htp_tensor *htp_counting_input(const htp_counting *counting, uint32_t index)
{
    return find(counting, counting->node->inputs, index);
}

const htp_tensor *htp_counting_output(const htp_counting *counting, uint32_t index)
{
    return find(counting, counting->node->outputs, index);
}

htp_polynomial_id htp_counting_dim(const htp_counting *counting, const htp_tensor *tensor,
                                   uint32_t axis)
{
    const htp_algebra *algebra = &counting->symbols->algebra;
    if (!tensor || axis >= tensor->rank) {
        return HTP_NONE;
    }
    htp_polynomial_id id = htp_symbols_polynomial(counting->symbols, tensor->dims[axis]);
    return id == HTP_NONE || algebra->polynomials.items[id].has_unknown ? HTP_NONE : id;
}

htp_polynomial_id htp_counting_product(const htp_counting *counting, const htp_tensor *tensor,
                                       uint32_t first, uint32_t end)
{
    htp_polynomial_id product = htp_polynomial_number(&counting->symbols->algebra, 1);
    for (uint32_t i = first; i < end; i++) {
        product = htp_counting_times(counting, product, htp_counting_dim(counting, tensor, i));
    }
    return tensor ? product : HTP_NONE;
}

htp_polynomial_id htp_counting_elements(const htp_counting *counting, const htp_tensor *tensor)
{
    return htp_counting_product(counting, tensor, 0, tensor ? tensor->rank : 0);
}

htp_polynomial_id htp_counting_times(const htp_counting *counting, htp_polynomial_id a,
                                     htp_polynomial_id b)
{
    return htp_polynomial_multiply(&counting->symbols->algebra, a, b);
}

htp_polynomial_id htp_counting_plus(const htp_counting *counting, htp_polynomial_id a,
                                    htp_polynomial_id b)
{
    return htp_polynomial_add(&counting->symbols->algebra, a, b, 1);
}

int64_t htp_counting_int(const htp_counting *counting, const char *name, int64_t otherwise)
{
    const htp_view *view = counting->view;
    htp_view_name number = htp_view_find_name(view, name);
    const htp_view_attribute *attribute =
        number ? htp_view_find_attribute(view, counting->number, number) : NULL;
    return attribute && attribute->kind == HTP_VIEW_INT ? attribute->i : otherwise;
}

/* ---- operators ---- */

htp_polynomial_id htp_count_none(const htp_counting *counting)
{
    return htp_polynomial_number(&counting->symbols->algebra, 0);
}
