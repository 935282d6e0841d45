/*
 * tolist(): the numbers of a tensor as a list.
 */
#include "interpret/lists/lists.h"

#include "interpret/lanes/execute.h"
#include "interpret/machine/costs.h"

/* How elements of a dtype are read. */
typedef struct reading {
    const char *name; /* the operator that returns a Python number */
    int32_t type;     /* the dtype of a tensor of such numbers */
    int64_t element;  /* prim::tolist's code for the number's type */
} reading;

/* How to read a dtype; NULL for others. As in libtorch: one width of ints, and no half-precision
 * floats. */
static const reading *reading_of(int32_t type)
{
    static const reading whole = {"aten::Int", HTP_SCALAR_LONG, 0};
    static const reading real = {"aten::Float", HTP_SCALAR_DOUBLE, 1};
    static const reading truth = {"aten::Bool", HTP_SCALAR_BOOL, 2};
    switch (type) {
    case HTP_SCALAR_LONG:
        return &whole;
    case HTP_SCALAR_BOOL:
        return &truth;
    case HTP_SCALAR_FLOAT:
    case HTP_SCALAR_DOUBLE:
        return &real;
    default:
        return NULL;
    }
}

/* Whether all lengths are known, except that of a 1-d tensor. */
static bool has_lengths(const htp_machine *m, const htp_item *tensor)
{
    uint32_t rank = htp_tensor_in(tensor, 0)->rank;
    bool is_known = true;
    for (uint32_t dim = 0; dim < rank; dim++) {
        is_known = is_known && htp_item_is_fixed(m, tensor, dim);
    }
    return is_known || rank == 1;
}

/* The elements of a dim of unknown size become the rows of a copy: later changes of the tensor do
 * not affect the list. */
static htp_outcome give_rows(htp_machine *m, htp_item *tensor, const reading *as,
                             const htp_place *place, htp_item **list)
{
    htp_items inputs = HTP_ITEMS(m, tensor, htp_item_int(m, as->type), htp_item_bool(m, false),
                                 htp_item_bool(m, true), htp_item_none(m));
    htp_item *rows;
    HTP_DO(htp_handler_run(m, "aten::to", "dtype", inputs, place, &rows));
    *list = htp_list_grown(m, rows, true);
    return HTP_GOES_ON;
}

/* Nested lists, as deep as the tensor has dims. */
static htp_outcome give_numbers(htp_machine *m, htp_item *tensor, const reading *as,
                                const htp_place *place, htp_item **given)
{
    HTP_DO(htp_handler_require_tensor(m, tensor));
    const htp_runner_tensor *shape = htp_tensor_in(tensor, 0);
    HTP_DO(htp_machine_tick(m));
    if (shape->rank == 0) {
        return htp_handler_run(m, as->name, "Tensor", HTP_ITEMS(m, tensor), place, given);
    }
    if (!htp_item_is_fixed(m, tensor, 0)) {
        return give_rows(m, tensor, as, place, given);
    }
    htp_items elements = {0};
    for (int64_t i = 0; i < shape->dims[0]; i++) {
        htp_item *zero = htp_item_int(m, 0);
        htp_item *at = htp_item_int(m, i);
        htp_item *part;
        HTP_DO(htp_handler_run(m, "aten::select", "int", HTP_ITEMS(m, tensor, zero, at), place,
                               &part));
        htp_item *element;
        HTP_DO(give_numbers(m, part, as, place, &element));
        htp_items_push(m, &elements, element);
    }
    *given = htp_item_hold(m, HTP_ITEM_LIST, &elements);
    return HTP_GOES_ON;
}

/* prim::tolist(tensor, dim, element): bad operands go to its kernel, which refuses them with its
 * own message. */
htp_outcome htp_do_to_list(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 3));
    htp_item *tensor = step->inputs.items[0];
    const htp_item *rank = step->inputs.items[1];
    const htp_item *element = step->inputs.items[2];
    const reading *as = htp_is_tensor(tensor) ? reading_of(htp_tensor_in(tensor, 0)->type) : NULL;
    bool fits = as && htp_is_decided(rank) && htp_is_int(rank) && htp_is_decided(element) &&
                htp_is_int(element) &&
                rank->lane[0].as.i == (int64_t)htp_tensor_in(tensor, 0)->rank &&
                element->lane[0].as.i == as->element && has_lengths(m, tensor);
    if (!fits) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    htp_item *given;
    HTP_DO(give_numbers(m, tensor, as, &step->place, &given));
    return htp_handler_give(m, outputs, given);
}
