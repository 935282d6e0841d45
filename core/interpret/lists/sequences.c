/*
 * Lists of data-dependent length with tensors of different sizes: ONNX sequences, recorded with the
 * list operators.
 */
#include "interpret/lanes/devices.h"
#include "interpret/lists/lists.h"
#include "interpret/sizes/open_items.h"

static htp_outcome refuse_unfit(htp_machine *m, const htp_place *place)
{
    return htp_machine_refuse(m, place,
                              "a list whose length depends on the data holds tensors of "
                              "different ranks or dtypes, or elements that ONNX sequences cannot "
                              "hold");
}

/* Turns the lanes of a stack into those of a row. */
static htp_outcome drop_first_dim(htp_machine *m, const htp_item *stack, htp_item *made)
{
    HTP_DO(htp_handler_require_tensor(m, stack));
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *rows = htp_tensor_in(stack, lane);
        if (rows->rank == 0) {
            return htp_machine_stop(m, HTP_FAILS, "a stack has no dims");
        }
        HTP_DO(htp_tensor_empty(m, rows->type, rows->dims + 1, rows->rank - 1,
                                &made->lane[lane].as.tensor));
    }
    return HTP_GOES_ON;
}

htp_outcome htp_sequence_like(htp_machine *m, const htp_item *tensor, bool is_stack,
                              htp_item **made)
{
    htp_item *sequence;
    HTP_DO(htp_item_like(m, tensor, &sequence));
    if (is_stack) {
        HTP_DO(drop_first_dim(m, tensor, sequence));
    }
    sequence->is_sequence = true;
    *made = sequence;
    return HTP_GOES_ON;
}

static bool is_complex(const htp_runner_tensor *tensor)
{
    return tensor->type == HTP_SCALAR_COMPLEX_HALF || tensor->type == HTP_SCALAR_COMPLEX_FLOAT ||
           tensor->type == HTP_SCALAR_COMPLEX_DOUBLE;
}

static bool is_fit(const htp_item *sequence, const htp_item *element)
{
    if (!htp_is_tensor(sequence) || !htp_is_tensor(element) || element->levels) {
        return false;
    }
    const htp_runner_tensor *others = htp_tensor_in(sequence, 0);
    const htp_runner_tensor *tensor = htp_tensor_in(element, 0);
    return tensor->rank == others->rank && tensor->type == others->type && !is_complex(tensor);
}

htp_outcome htp_sequence_widen(htp_machine *m, htp_item *sequence, const htp_item *element,
                               const htp_place *place)
{
    if (!is_fit(sequence, element)) {
        return refuse_unfit(m, place);
    }
    htp_item_join_device(m, sequence, element);
    for (int64_t dim = 0; dim < (int64_t)htp_tensor_in(element, 0)->rank; dim++) {
        if (!htp_item_has_same_size(m, sequence, dim, element, dim)) {
            HTP_DO(htp_item_resize(m, sequence, dim, "element"));
        }
    }
    return HTP_GOES_ON;
}

void htp_sequence_record(htp_machine *m, const char *kind, const htp_items *inputs,
                         const char *const *names, htp_item *made, const htp_items *parts,
                         const htp_place *place)
{
    htp_items outputs = HTP_ITEMS(m, made);
    htp_recording_add_control(m, kind, inputs, names, &outputs, NULL, 0, place);
    htp_list_share_memory(m, made, parts);
}

htp_outcome htp_sequence_put(htp_machine *m, const char *kind, htp_item *sequence, htp_item *index,
                             htp_item *element, const htp_place *place, htp_item **changed)
{
    static const char *const names[] = {"l", "idx", "el"};
    HTP_DO(htp_sequence_like(m, sequence, false, changed));
    HTP_DO(htp_sequence_widen(m, *changed, element, place));
    htp_items inputs = HTP_ITEMS(m, sequence, index, element);
    htp_items parts = HTP_ITEMS(m, sequence, element);
    htp_sequence_record(m, kind, &inputs, names, *changed, &parts, place);
    return HTP_GOES_ON;
}

/* Splits a stack into a sequence of its rows. */
static htp_outcome take_apart(htp_machine *m, htp_item *rows, const htp_place *place,
                              htp_item **sequence)
{
    static const char *const names[] = {"self", "dim"};
    HTP_DO(htp_sequence_like(m, rows, true, sequence));
    htp_item *zero = htp_item_int(m, 0);
    htp_items inputs = HTP_ITEMS(m, rows, zero);
    htp_items parts = HTP_ITEMS(m, rows);
    htp_sequence_record(m, "aten::unbind.int", &inputs, names, *sequence, &parts, place);
    return HTP_GOES_ON;
}

/* A sequence of known elements, followed by the rows of a stack. */
static htp_outcome take_all_apart(htp_machine *m, htp_item *list, const htp_place *place,
                                  htp_item **sequence)
{
    htp_items lists = HTP_ITEMS(m, list);
    bool is_alike;
    HTP_DO(htp_stack_is_alike(m, &lists, &is_alike));
    if (is_alike) {
        htp_item *rows;
        HTP_DO(htp_stack_rows_in(m, list, place, &rows));
        return take_apart(m, rows, place, sequence);
    }
    HTP_DO(take_apart(m, list->stacked, place, sequence));
    for (size_t i = 0; i < list->elements.count; i++) {
        htp_item *at = htp_item_int(m, (int64_t)i);
        HTP_DO(htp_sequence_put(m, "aten::insert.t", *sequence, at, list->elements.items[i], place,
                                sequence));
    }
    return HTP_GOES_ON;
}

/* A sequence of known elements. @param model  an example of an element; NULL */
static htp_outcome put_together(htp_machine *m, const htp_items *elements, const htp_item *model,
                                const htp_place *place, htp_item **sequence)
{
    if (!model || !htp_is_tensor(model)) {
        return refuse_unfit(m, place);
    }
    htp_item *made;
    HTP_DO(htp_sequence_like(m, model, false, &made));
    const char **names = HTP_NEW_ARRAY(m->arena, const char *, elements->count);
    for (size_t i = 0; i < elements->count; i++) {
        HTP_DO(htp_sequence_widen(m, made, elements->items[i], place));
        names[i] = "element";
    }
    htp_sequence_record(m, "prim::ListConstruct", elements, names, made, elements, place);
    *sequence = made;
    return HTP_GOES_ON;
}

htp_outcome htp_sequence_of(htp_machine *m, htp_item *list, const htp_place *place, htp_item *like,
                            htp_item **sequence)
{
    HTP_DO(htp_list_require_unchanged(m, list, place));
    const htp_items *elements = &list->elements;
    bool is_sequence = list->stacked && list->stacked->is_sequence;
    if (is_sequence && elements->count > 0) {
        return htp_machine_refuse(m, place,
                                  "a list whose length depends on the data begins with tensors of "
                                  "different sizes");
    }
    if (is_sequence) {
        *sequence = list->stacked;
        return HTP_GOES_ON;
    }
    if (list->stacked) {
        return take_all_apart(m, list, place, sequence);
    }
    const htp_item *model = elements->count > 0 ? elements->items[0] : like;
    return put_together(m, elements, model, place, sequence);
}

htp_outcome htp_sequence_extend(htp_machine *m, htp_item *sequence, htp_item *more,
                                const htp_place *place, htp_item **extended)
{
    static const char *const names[] = {"self", "el"};
    if (more->stacked) {
        return htp_machine_refuse(m, place,
                                  "a list of tensors of different sizes is extended by one whose "
                                  "length depends on the data");
    }
    for (size_t i = 0; i < more->elements.count; i++) {
        htp_item *element = more->elements.items[i];
        htp_item *made;
        HTP_DO(htp_sequence_like(m, sequence, false, &made));
        HTP_DO(htp_sequence_widen(m, made, element, place));
        htp_items both = HTP_ITEMS(m, sequence, element);
        htp_sequence_record(m, "aten::append.t", &both, names, made, &both, place);
        sequence = made;
    }
    *extended = sequence;
    return HTP_GOES_ON;
}

htp_outcome htp_sequence_element(htp_machine *m, const htp_item *sequence, htp_item **element)
{
    htp_item *made;
    HTP_DO(htp_item_like(m, sequence, &made));
    made->is_sequence = false;
    made->varying = 0;
    for (int64_t dim = 0; dim < 64; dim++) {
        if (sequence->varying >> dim & 1) {
            HTP_DO(htp_item_resize(m, made, dim, "element"));
        }
    }
    *element = made;
    return HTP_GOES_ON;
}

htp_outcome htp_sequence_item(htp_machine *m, htp_item *sequence, htp_item *index,
                              const htp_place *place, htp_item **element)
{
    static const char *const names[] = {"self", "idx"};
    HTP_DO(htp_sequence_element(m, sequence, element));
    htp_items inputs = HTP_ITEMS(m, sequence, index);
    htp_items parts = HTP_ITEMS(m, sequence);
    htp_sequence_record(m, "aten::__getitem__.t", &inputs, names, *element, &parts, place);
    return HTP_GOES_ON;
}
