/*
 * Stacks: the contents of a list of data-dependent length as the rows of one tensor.
 */
#include "interpret/lists/lists.h"

#include "interpret/lanes/devices.h"

htp_outcome htp_stack_row(htp_machine *m, htp_item *element, const htp_place *place, htp_item **row)
{
    htp_item *tensor = element;
    if (htp_is_number(element)) {
        HTP_DO(htp_handler_run(m, "prim::NumToTensor", htp_is_bool(element) ? "bool" : "Scalar",
                               HTP_ITEMS(m, element), place, &tensor));
    } else if (!htp_is_tensor(element) && element->kind != HTP_ITEM_UNKNOWN) {
        return htp_machine_refuse(m, place,
                                  "a list whose length depends on the data holds something that "
                                  "is no tensor and no number");
    }
    htp_item *zero = htp_item_int(m, 0);
    return htp_handler_run(m, "aten::unsqueeze", "", HTP_ITEMS(m, tensor, zero), place, row);
}

static int32_t type_of_number(const htp_item *number)
{
    return htp_is_int(number)     ? HTP_SCALAR_LONG
           : htp_is_float(number) ? HTP_SCALAR_DOUBLE
                                  : HTP_SCALAR_BOOL;
}

/* An empty stack for tensors like @p element, or for numbers (NULL). */
static htp_outcome make_empty(htp_machine *m, const htp_runner_tensor *element, int32_t type,
                              const htp_runner_tensor **made)
{
    size_t rank = element ? element->rank : 0;
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, rank + 1);
    for (size_t i = 0; i < rank; i++) {
        dims[i + 1] = element->dims[i];
    }
    return htp_tensor_empty(m, type, dims, rank + 1, made);
}

htp_outcome htp_stack_rows_of_element(htp_machine *m, htp_item *element, htp_item **rows)
{
    *rows = NULL;
    if (!htp_is_tensor(element) && !htp_is_number(element)) {
        return HTP_GOES_ON;
    }
    htp_item *made = htp_item_make(m, HTP_ITEM_TENSOR);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *tensor =
            htp_is_tensor(element) ? htp_tensor_in(element, lane) : NULL;
        int32_t type = tensor ? tensor->type : type_of_number(element);
        made->lane[lane].kind = HTP_OPERAND_TENSOR;
        HTP_DO(make_empty(m, tensor, type, &made->lane[lane].as.tensor));
    }
    made->has_numbers = htp_is_number(element);
    htp_item_place(m, made, made->has_numbers ? HTP_DEVICE_CPU : htp_item_device(m, element));
    *rows = made;
    return HTP_GOES_ON;
}

htp_outcome htp_stack_rows_of(htp_machine *m, const htp_contents *list, htp_item **rows)
{
    size_t count = list->elements.count;
    *rows = list->stacked;
    return list->stacked || count == 0
               ? HTP_GOES_ON
               : htp_stack_rows_of_element(m, list->elements.items[count - 1], rows);
}

htp_outcome htp_stack_zeros(htp_machine *m, const htp_items *sizes, const htp_item *model,
                            const htp_place *place, htp_item **zeros)
{
    htp_item *none = htp_item_none(m);
    htp_item *list = htp_item_hold(m, HTP_ITEM_LIST, sizes);
    htp_item *dtype = htp_item_int(m, htp_tensor_in(model, 0)->type);
    HTP_DO(htp_handler_run(m, "aten::zeros", "", HTP_ITEMS(m, list, dtype, none, none, none), place,
                           zeros));
    (*zeros)->device = model->device;
    return HTP_GOES_ON;
}

/* Whether the rows of two stacks have equal sizes, as far as known. */
static htp_outcome compare_rows(htp_machine *m, const htp_item *a, const htp_item *b, bool *is_same)
{
    *is_same = true;
    if (a->kind == HTP_ITEM_UNKNOWN || b->kind == HTP_ITEM_UNKNOWN) {
        return HTP_GOES_ON;
    }
    HTP_DO(htp_handler_require_tensor(m, a));
    HTP_DO(htp_handler_require_tensor(m, b));
    const htp_runner_tensor *first = htp_tensor_in(a, 0);
    const htp_runner_tensor *second = htp_tensor_in(b, 0);
    *is_same = first->rank == second->rank && first->type == second->type;
    for (int64_t dim = 1; *is_same && dim < (int64_t)first->rank; dim++) {
        *is_same = htp_item_has_same_size(m, a, dim, b, dim);
    }
    return HTP_GOES_ON;
}

/* Whether rows fit the first ones. */
static htp_outcome fit(htp_machine *m, htp_item *rows, htp_item **first, bool *fits)
{
    *first = *first ? *first : rows;
    *fits = !rows || !rows->is_sequence;
    return rows && *fits ? compare_rows(m, *first, rows, fits) : HTP_GOES_ON;
}

static htp_outcome fit_list(htp_machine *m, const htp_item *list, htp_item **first, bool *fits)
{
    *fits = true;
    for (size_t i = 0; i < list->elements.count && *fits; i++) {
        htp_item *rows;
        HTP_DO(htp_stack_rows_of_element(m, list->elements.items[i], &rows));
        HTP_DO(fit(m, rows, first, fits));
    }
    return *fits ? fit(m, list->stacked, first, fits) : HTP_GOES_ON;
}

htp_outcome htp_stack_is_alike(htp_machine *m, const htp_items *lists, bool *is_alike)
{
    htp_item *first = NULL;
    *is_alike = true;
    for (size_t i = 0; i < lists->count && *is_alike; i++) {
        HTP_DO(fit_list(m, lists->items[i], &first, is_alike));
    }
    return HTP_GOES_ON;
}

/* The same for a single list. */
static htp_outcome find_alike(htp_machine *m, htp_item *list, bool *is_alike)
{
    htp_items lists = HTP_ITEMS(m, list);
    return htp_stack_is_alike(m, &lists, is_alike);
}

htp_outcome htp_stack_takes(htp_machine *m, htp_item *list, htp_item *element, bool *takes)
{
    htp_items elements = HTP_ITEMS(m, element);
    htp_item *other = htp_item_hold(m, HTP_ITEM_LIST, &elements);
    htp_items lists = HTP_ITEMS(m, list, other);
    return htp_stack_is_alike(m, &lists, takes);
}

htp_outcome htp_stack_join(htp_machine *m, const htp_items *stacks, const htp_place *place,
                           htp_item **joined)
{
    if (stacks->count == 1) {
        *joined = stacks->items[0];
        return HTP_GOES_ON;
    }
    htp_item *list = htp_item_hold(m, HTP_ITEM_LIST, stacks);
    htp_item *zero = htp_item_int(m, 0);
    HTP_DO(htp_handler_run(m, "aten::cat", "", HTP_ITEMS(m, list, zero), place, joined));
    htp_list_share_memory(m, *joined, stacks);
    return HTP_GOES_ON;
}

htp_outcome htp_stack_rows_in(htp_machine *m, htp_item *list, const htp_place *place,
                              htp_item **stack)
{
    HTP_DO(htp_list_require_unchanged(m, list, place));
    htp_items parts = {0};
    for (size_t i = 0; i < list->elements.count; i++) {
        htp_item *row;
        HTP_DO(htp_stack_row(m, list->elements.items[i], place, &row));
        htp_items_push(m, &parts, row);
    }
    if (list->stacked) {
        htp_items_push(m, &parts, list->stacked);
    }
    return htp_stack_join(m, &parts, place, stack);
}

htp_outcome htp_stack_require_rows(htp_machine *m, htp_item *list, const htp_place *place,
                                   htp_item **stack)
{
    bool is_alike;
    HTP_DO(find_alike(m, list, &is_alike));
    if (!is_alike) {
        return htp_machine_refuse(m, place,
                                  "a list whose length depends on the data holds tensors of "
                                  "different sizes, and is sliced or reversed");
    }
    return htp_stack_rows_in(m, list, place, stack);
}

htp_item *htp_list_grown(htp_machine *m, htp_item *stack, bool has_numbers)
{
    htp_items nothing = {0};
    htp_item *made = htp_item_hold(m, HTP_ITEM_LIST, &nothing);
    made->stacked = stack;
    made->has_numbers = has_numbers;
    return made;
}

htp_outcome htp_list_fill_grown(htp_machine *m, htp_item *list, htp_item *stack)
{
    htp_contents contents = {.stacked = stack};
    return htp_list_fill(m, list, &contents);
}

bool htp_stack_is_looked_up(const htp_item *container, const htp_item *index)
{
    return container->elements.count > 0 && htp_is_number(index) && !htp_is_decided(index);
}

htp_outcome htp_stack_slice(htp_machine *m, htp_item *stack, htp_item *begin, htp_item *end,
                            htp_item *step, const htp_place *place, htp_item **rows)
{
    htp_item *zero = htp_item_int(m, 0);
    return htp_handler_run(m, "aten::slice", "Tensor", HTP_ITEMS(m, stack, zero, begin, end, step),
                           place, rows);
}

htp_outcome htp_list_dim_to_join(htp_machine *m, const htp_item *dim, int64_t rank,
                                 const htp_place *place, int64_t *at)
{
    int64_t number;
    HTP_DO(htp_item_require_number(m, dim, place, &number));
    *at = htp_dim_wrap(number, rank);
    return *at >= 0 ? HTP_GOES_ON
                    : htp_machine_stop(m, HTP_BAD_INPUTS,
                                       "a dim that cat() or stack() joins is out of range, %s",
                                       htp_place_describe(m, place));
}
