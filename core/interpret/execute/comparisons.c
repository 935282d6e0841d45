/*
 * Comparisons of whole tensors: aten::equal and aten::allclose return one bool, and are decomposed.
 */
#include "interpret/steps/handlers.h"

#include "interpret/memory/memory.h"
#include "interpret/operators/operator_facts.h"

/* A bool: whether all elements of a tensor are true. */
static htp_outcome give_all(htp_machine *m, htp_item *tensor, const htp_place *place,
                            htp_items *outputs)
{
    htp_item *all;
    HTP_DO(htp_handler_run(m, "aten::all", "", HTP_ITEMS(m, tensor), place, &all));
    htp_item *flag;
    HTP_DO(htp_handler_run(m, "aten::Bool", "Tensor", HTP_ITEMS(m, all), place, &flag));
    return htp_handler_give(m, outputs, flag);
}

/* Whether sizes are equal for all inputs, or differ for all. */
typedef struct likeness {
    bool is_same;
    bool differs;
} likeness;

static likeness compare_sizes(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    uint32_t rank = htp_tensor_in(a, 0)->rank;
    if (rank != htp_tensor_in(b, 0)->rank) {
        return (likeness){.differs = true};
    }
    likeness found = {.is_same = true};
    for (uint32_t dim = 0; dim < rank; dim++) {
        bool is_same = htp_item_has_same_size(m, a, dim, b, dim);
        found.is_same = found.is_same && is_same;
        found.differs = found.differs ||
                        (!is_same && htp_item_is_fixed(m, a, dim) && htp_item_is_fixed(m, b, dim));
    }
    return found;
}

/* Quantised tensors have a scale besides elements, and cannot be mixed with others. */
static bool are_comparable(const htp_item *a, const htp_item *b)
{
    if (!htp_is_tensor(a) || !htp_is_tensor(b)) {
        return false;
    }
    int32_t type = htp_tensor_in(a, 0)->type;
    bool is_plain = type < HTP_SCALAR_QINT8 || type == HTP_SCALAR_BFLOAT16;
    return is_plain && type == htp_tensor_in(b, 0)->type;
}

/* Whether elements decide. For two tensors of one memory libtorch may skip the comparison, although
 * NaN does not equal itself. */
static bool is_told_by_elements(const htp_item *a, const htp_item *b)
{
    int32_t type = htp_tensor_in(a, 0)->type;
    return htp_type_is_whole(type) || type == HTP_SCALAR_BOOL ||
           htp_memory_of(a) != htp_memory_of(b);
}

/* aten::equal(self, other): tensors of different sizes are not equal. */
htp_outcome htp_do_equal(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *self = step->inputs.items[0];
    htp_item *other = step->inputs.items[1];
    likeness found = {0};
    if (are_comparable(self, other)) {
        found = compare_sizes(m, self, other);
    }
    if (found.differs) {
        return htp_handler_give(m, outputs, htp_item_bool(m, false));
    }
    if (!found.is_same || !is_told_by_elements(self, other)) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    htp_item *equal;
    HTP_DO(
        htp_handler_run(m, "aten::eq", "Tensor", HTP_ITEMS(m, self, other), &step->place, &equal));
    return give_all(m, equal, &step->place, outputs);
}

/* aten::allclose(self, other, rtol, atol, equal_nan) */
htp_outcome htp_do_all_close(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *close;
    HTP_DO(htp_handler_run(m, "aten::isclose", "", step->inputs, &step->place, &close));
    return give_all(m, close, &step->place, outputs);
}
