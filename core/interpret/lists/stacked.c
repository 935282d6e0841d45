/*
 * Lists of data-dependent length: stacks, or sequences if the sizes of their tensors differ.
 */
#include "interpret/lists/lists.h"

/* The dim of @p other with the size of a dim of @p tensor in every lane; or -1. */
static int64_t find_same_size(const htp_machine *m, const htp_item *other, const htp_item *tensor,
                              int64_t dim)
{
    if (!htp_is_tensor(other)) {
        return -1;
    }
    for (int64_t at = 0; at < (int64_t)htp_tensor_in(other, 0)->rank; at++) {
        if (htp_item_has_same_size(m, other, at, tensor, dim)) {
            return at;
        }
    }
    return -1;
}

/* A size: a number, or the size of a tensor that equals it for all inputs; NULL if there is none.
 */
static htp_outcome size_like(htp_machine *m, const htp_item *tensor, int64_t dim,
                             const htp_items *known, const htp_place *place, htp_item **size)
{
    *size = NULL;
    if (m->lane_count > 1 && htp_item_is_fixed(m, tensor, dim)) {
        *size = htp_item_int(m, htp_tensor_in(tensor, 0)->dims[dim]);
        return HTP_GOES_ON;
    }
    for (size_t i = 0; i < known->count; i++) {
        htp_item *other = known->items[i];
        int64_t at = find_same_size(m, other, tensor, dim);
        if (at >= 0) {
            htp_item *number = htp_item_int(m, at);
            return htp_handler_run(m, "aten::size", "int", HTP_ITEMS(m, other, number), place,
                                   size);
        }
    }
    return HTP_GOES_ON;
}

/* The sizes of a stack without rows; @p is_known is false if one of them is unknown. */
static htp_outcome find_sizes(htp_machine *m, const htp_item *rows, const htp_items *known,
                              const htp_place *place, htp_items *sizes, bool *is_known)
{
    *is_known = true;
    HTP_DO(htp_handler_require_tensor(m, rows));
    for (int64_t dim = 1; dim < (int64_t)htp_tensor_in(rows, 0)->rank && *is_known; dim++) {
        htp_item *size;
        HTP_DO(size_like(m, rows, dim, known, place, &size));
        *is_known = size != NULL;
        htp_items_push(m, sizes, size);
    }
    return HTP_GOES_ON;
}

htp_outcome htp_stack_begin(htp_machine *m, htp_item *list, htp_item **rows, const htp_items *known,
                            const htp_place *place, htp_item **stack)
{
    if ((*rows)->is_sequence) {
        return htp_sequence_of(m, list, place, *rows, stack);
    }
    if (list->elements.count > 0 || list->stacked) {
        HTP_DO(htp_stack_up(m, list, place, stack));
        *rows = (*stack)->is_sequence ? *stack : *rows;
        return HTP_GOES_ON;
    }
    htp_items sizes = {0};
    htp_items_push(m, &sizes, htp_item_int(m, 0));
    bool is_known;
    HTP_DO(find_sizes(m, *rows, known, place, &sizes, &is_known));
    if (!is_known) {
        HTP_DO(htp_sequence_like(m, *rows, true, rows));
        return htp_sequence_of(m, list, place, *rows, stack);
    }
    return htp_stack_zeros(m, &sizes, *rows, place, stack);
}

htp_outcome htp_stack_up(htp_machine *m, htp_item *list, const htp_place *place, htp_item **stack)
{
    htp_items lists = HTP_ITEMS(m, list);
    bool is_alike;
    HTP_DO(htp_stack_is_alike(m, &lists, &is_alike));
    return is_alike ? htp_stack_rows_in(m, list, place, stack)
                    : htp_sequence_of(m, list, place, NULL, stack);
}

htp_outcome htp_stack_element(htp_machine *m, const htp_item *list, htp_item *stack,
                              htp_item *index, const htp_place *place, htp_item **element)
{
    if (stack->is_sequence) {
        return htp_sequence_item(m, stack, index, place, element);
    }
    htp_item *zero = htp_item_int(m, 0);
    htp_item *row;
    HTP_DO(
        htp_handler_run(m, "aten::select", "int", HTP_ITEMS(m, stack, zero, index), place, &row));
    *element = row;
    if (!list->has_numbers || !htp_is_tensor(row)) {
        return HTP_GOES_ON;
    }
    int32_t type = htp_tensor_in(row, 0)->type;
    const char *reader = type == HTP_SCALAR_BOOL   ? "aten::Bool"
                         : type == HTP_SCALAR_LONG ? "aten::Int"
                                                   : "aten::Float";
    return htp_handler_run(m, reader, "Tensor", HTP_ITEMS(m, row), place, element);
}

htp_outcome htp_stack_look_up(htp_machine *m, htp_item *list, htp_item *index,
                              const htp_place *place, htp_item **element)
{
    if (list->elements.count == 0) {
        return htp_machine_stop(m, HTP_FAILS, "an element of an empty list is looked up");
    }
    htp_item *stack;
    HTP_DO(htp_stack_up(m, list, place, &stack));
    htp_item *grown = htp_list_grown(m, stack, htp_is_number(list->elements.items[0]));
    return htp_stack_element(m, grown, stack, index, place, element);
}

/* The same for two lists of different forms: a sequence. */
static htp_outcome add_tensors(htp_machine *m, htp_item *list, htp_item *more,
                               const htp_place *place, htp_item **sequence)
{
    if (!list->stacked && list->elements.count == 0) {
        return htp_sequence_of(m, more, place, NULL, sequence);
    }
    htp_item *begun;
    HTP_DO(htp_sequence_of(m, list, place, NULL, &begun));
    return htp_sequence_extend(m, begun, more, place, sequence);
}

htp_outcome htp_stack_add_rows(htp_machine *m, htp_item *list, htp_item *more,
                               const htp_place *place, htp_item **rows)
{
    htp_items lists = HTP_ITEMS(m, list, more);
    bool is_alike;
    HTP_DO(htp_stack_is_alike(m, &lists, &is_alike));
    if (!is_alike) {
        return add_tensors(m, list, more, place, rows);
    }
    htp_items parts = {0};
    for (size_t i = 0; i < lists.count; i++) {
        htp_item *part = lists.items[i];
        if (part->stacked || part->elements.count > 0) {
            htp_item *stack;
            HTP_DO(htp_stack_rows_in(m, part, place, &stack));
            htp_items_push(m, &parts, stack);
        }
    }
    return htp_stack_join(m, &parts, place, rows);
}
