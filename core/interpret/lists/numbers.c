/*
 * Lists of numbers. If some depend on inputs, an operation on the list becomes operations on pairs:
 * so sizes stay sizes, and a comparison of shapes compares sizes.
 */
#include "interpret/lists/lists.h"

#include "interpret/lanes/execute.h"

/* Longer lists are left to operators on the whole list. */
enum { MAX_NUMBERS = 4096 };

/* The overload name of operators for such a number; NULL: it is none. */
static const char *overload_of(const htp_item *number)
{
    const char *of_real = htp_is_float(number) ? "float" : htp_is_bool(number) ? "bool" : NULL;
    return htp_is_int(number) ? "int" : of_real;
}

static bool has_one_type(const htp_item *list)
{
    const htp_items *all = &list->elements;
    bool is_one = list->kind == HTP_ITEM_LIST && !list->stacked && all->count > 0 &&
                  all->count <= MAX_NUMBERS;
    const char *first = is_one ? overload_of(all->items[0]) : NULL;
    for (size_t i = 0; i < all->count && first; i++) {
        first = overload_of(all->items[i]) == first ? first : NULL;
    }
    return first != NULL;
}

static bool is_all_decided(const htp_item *list)
{
    bool is_decided = list->kind == HTP_ITEM_LIST && !list->stacked;
    for (size_t i = 0; i < list->elements.count && is_decided; i++) {
        is_decided = htp_is_decided(list->elements.items[i]);
    }
    return is_decided;
}

/* ---- of one list ---- */

/* Whether a list has numbers that libtorch does not know. */
static bool is_of_inputs(const htp_step *step)
{
    const htp_item *list = step->inputs.items[0];
    return step->inputs.count == 1 && has_one_type(list) && !is_all_decided(list);
}

/* sum(): for floats it starts at 0, not -0. */
htp_outcome htp_do_sum_list(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_items *all = &step->inputs.items[0]->elements;
    if (!is_of_inputs(step) || htp_is_bool(all->items[0])) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    const bool is_float = htp_is_float(all->items[0]);
    htp_item *sum = is_float ? htp_item_float(m, 0.0) : all->items[0];
    for (size_t i = is_float ? 0 : 1; i < all->count; i++) {
        htp_items both = HTP_ITEMS(m, sum, all->items[i]);
        HTP_DO(htp_execute(m, "aten::add", overload_of(all->items[i]), &both, &step->place, &sum));
    }
    return htp_handler_give(m, outputs, sum);
}

static htp_outcome flag_of(htp_machine *m, htp_item *number, const htp_place *place,
                           htp_item **flag)
{
    *flag = number;
    htp_items one = HTP_ITEMS(m, number);
    return htp_is_bool(number)
               ? HTP_GOES_ON
               : htp_execute(m, "aten::Bool", overload_of(number), &one, place, flag);
}

/* All or any of some flags. Known flags need no operands. @param any  rather than all */
static htp_outcome join_flags(htp_machine *m, const htp_items *flags, bool any,
                              const htp_place *place, htp_item **joined)
{
    *joined = NULL;
    for (size_t i = 0; i < flags->count; i++) {
        htp_item *flag = flags->items[i];
        if (htp_is_decided(flag)) {
            if (flag->lane[0].as.b == any) {
                *joined = flag;
                return HTP_GOES_ON;
            }
        } else if (*joined) {
            htp_items both = HTP_ITEMS(m, *joined, flag);
            HTP_DO(htp_execute(m, any ? "aten::__or__" : "aten::__and__", "bool", &both, place,
                               joined));
        } else {
            *joined = flag;
        }
    }
    *joined = *joined ? *joined : htp_item_bool(m, !any);
    return HTP_GOES_ON;
}

static htp_outcome join_list(htp_machine *m, htp_step *step, bool any, htp_items *outputs)
{
    if (!is_of_inputs(step)) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    const htp_items *all = &step->inputs.items[0]->elements;
    htp_items flags = {0};
    for (size_t i = 0; i < all->count; i++) {
        htp_item *flag;
        HTP_DO(flag_of(m, all->items[i], &step->place, &flag));
        htp_items_push(m, &flags, flag);
    }
    htp_item *joined;
    HTP_DO(join_flags(m, &flags, any, &step->place, &joined));
    return htp_handler_give(m, outputs, joined);
}

htp_outcome htp_do_all(htp_machine *m, htp_step *step, htp_items *outputs)
{
    return join_list(m, step, false, outputs);
}

htp_outcome htp_do_any(htp_machine *m, htp_step *step, htp_items *outputs)
{
    return join_list(m, step, true, outputs);
}

/* ---- of a list and a number ---- */

/* Whether a number is searched in a list of its type and libtorch cannot compute the result. */
static bool is_open_search(const htp_step *step)
{
    const htp_items *given = &step->inputs;
    return given->count == 2 && has_one_type(given->items[0]) &&
           overload_of(given->items[0]->elements.items[0]) == overload_of(given->items[1]) &&
           !(is_all_decided(given->items[0]) && htp_is_decided(given->items[1]));
}

/* Which elements equal the number: flags. */
static htp_outcome find_all(htp_machine *m, const htp_step *step, htp_items *flags)
{
    const htp_items *all = &step->inputs.items[0]->elements;
    htp_item *number = step->inputs.items[1];
    for (size_t i = 0; i < all->count; i++) {
        htp_items both = HTP_ITEMS(m, all->items[i], number);
        htp_item *flag;
        HTP_DO(htp_execute(m, "aten::eq", overload_of(number), &both, &step->place, &flag));
        htp_items_push(m, flags, flag);
    }
    return HTP_GOES_ON;
}

htp_outcome htp_list_contains(htp_machine *m, htp_step *step, htp_items *outputs)
{
    if (!is_open_search(step)) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    htp_items flags = {0};
    HTP_DO(find_all(m, step, &flags));
    htp_item *is_there;
    HTP_DO(join_flags(m, &flags, true, &step->place, &is_there));
    return htp_handler_give(m, outputs, is_there);
}

/* count(list, element) */
htp_outcome htp_do_count(htp_machine *m, htp_step *step, htp_items *outputs)
{
    if (!is_open_search(step)) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    htp_items flags = {0};
    HTP_DO(find_all(m, step, &flags));
    htp_item *count = htp_item_int(m, 0);
    for (size_t i = 0; i < flags.count; i++) {
        htp_items flag = HTP_ITEMS(m, flags.items[i]);
        htp_item *one;
        HTP_DO(htp_execute(m, "aten::Int", "bool", &flag, &step->place, &one));
        htp_items both = HTP_ITEMS(m, count, one);
        HTP_DO(htp_execute(m, "aten::add", "int", &both, &step->place, &count));
    }
    return htp_handler_give(m, outputs, count);
}

/* ---- of two lists ---- */

static htp_outcome compare(htp_machine *m, const htp_items *a, const htp_items *b,
                           const htp_place *place, htp_item **is_equal)
{
    htp_items flags = {0};
    if (a->count != b->count) {
        *is_equal = htp_item_bool(m, false);
        return HTP_GOES_ON;
    }
    for (size_t i = 0; i < a->count; i++) {
        htp_items both = HTP_ITEMS(m, a->items[i], b->items[i]);
        htp_item *flag;
        HTP_DO(htp_execute(m, "aten::eq", overload_of(a->items[i]), &both, place, &flag));
        htp_items_push(m, &flags, flag);
    }
    return join_flags(m, &flags, false, place, is_equal);
}

/* Whether these are two lists of numbers of one type, some of which libtorch does not know. */
static bool are_of_inputs(const htp_items *lists)
{
    if (lists->count != 2 || !has_one_type(lists->items[0]) || !has_one_type(lists->items[1])) {
        return false;
    }
    const htp_item *a = lists->items[0];
    const htp_item *b = lists->items[1];
    return overload_of(a->elements.items[0]) == overload_of(b->elements.items[0]) &&
           !(is_all_decided(a) && is_all_decided(b));
}

htp_outcome htp_do_equal_lists(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_items *lists = &step->inputs;
    if (!are_of_inputs(lists)) {
        return htp_execute_node(m, lists, &step->place, outputs);
    }
    htp_item *is_equal;
    HTP_DO(compare(m, &lists->items[0]->elements, &lists->items[1]->elements, &step->place,
                   &is_equal));
    return htp_handler_give(m, outputs, is_equal);
}

htp_outcome htp_do_different_lists(htp_machine *m, htp_step *step, htp_items *outputs)
{
    if (!are_of_inputs(&step->inputs)) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    htp_items equal = {0};
    HTP_DO(htp_do_equal_lists(m, step, &equal));
    htp_item *is_different;
    HTP_DO(htp_execute(m, "aten::__not__", "", &equal, &step->place, &is_different));
    return htp_handler_give(m, outputs, is_different);
}

/* ---- changes; numbers and texts must be known ---- */

static htp_outcome require_decided(htp_machine *m, const htp_step *step)
{
    return is_all_decided(step->inputs.items[0])
               ? HTP_GOES_ON
               : htp_machine_refuse(m, &step->place,
                                    "%s on a list whose elements depend on the inputs",
                                    step->node->kind);
}

/* remove(list, element): removes the first equal one. */
htp_outcome htp_do_remove(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    HTP_DO(htp_handler_require(m, step, 2));
    HTP_DO(require_decided(m, step));
    htp_item *self = step->inputs.items[0];
    const htp_item *element = step->inputs.items[1];
    if (!htp_is_decided(element)) {
        return htp_machine_refuse(m, &step->place,
                                  "aten::remove of an element that depends on the inputs");
    }
    htp_items kept = {0};
    bool is_removed = false;
    for (size_t i = 0; i < self->elements.count; i++) {
        htp_item *held = self->elements.items[i];
        if (!is_removed && htp_operand_is_equal(m->runner, &held->lane[0], &element->lane[0])) {
            is_removed = true;
        } else {
            htp_items_push(m, &kept, held);
        }
    }
    if (!is_removed) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "an element to remove is not in its list, %s",
                                htp_place_describe(m, &step->place));
    }
    HTP_DO(htp_list_begin_change(m, self));
    self->elements = kept;
    return HTP_GOES_ON;
}

/* sort(list, reverse) */
htp_outcome htp_do_sort(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    HTP_DO(require_decided(m, step));
    htp_item *self = step->inputs.items[0];
    bool is_falling;
    HTP_DO(htp_item_require_flag(m, step->inputs.items[1], &step->place, &is_falling));
    if (self->elements.count == 0) {
        return HTP_GOES_ON;
    }
    const char *of_number = overload_of(self->elements.items[0]);
    htp_items given = HTP_ITEMS(m, self);
    htp_item *sorted;
    HTP_DO(htp_execute(m, "aten::sorted", of_number ? of_number : "str", &given, &step->place,
                       &sorted));
    const htp_items *known;
    HTP_DO(htp_list_known(m, sorted, &known));
    htp_items rising = htp_items_copy(m, known);
    HTP_DO(htp_list_begin_change(m, self));
    self->elements = rising;
    return is_falling ? htp_do_reverse(m, step, outputs) : HTP_GOES_ON;
}
