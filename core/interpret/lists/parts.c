/*
 * Tensors split into lists whose length depends on a dynamic dim or on data.
 */
#include "interpret/lists/lists.h"

#include "interpret/lanes/execute.h"
#include "interpret/sizes/open_items.h"

#include <inttypes.h>

/* Whether the program unpacks a list into a fixed number of values. */
static bool is_unpacked(const htp_step *step)
{
    return step->node->output_count > 0 && step->frame->code->is_unpacked[step->node->outputs[0]];
}

/* The dim in a known number, or -1. */
static htp_outcome find_dim(htp_machine *m, const htp_item *tensor, const htp_item *number,
                            int64_t *dim)
{
    if (!htp_is_int(number)) {
        return htp_machine_stop(m, HTP_FAILS, "a dim is no int");
    }
    *dim = htp_dim_wrap(number->lane[0].as.i, htp_tensor_in(tensor, 0)->rank);
    return HTP_GOES_ON;
}

/* The dim along which a tensor is split, if the number of parts depends on a dynamic dim or on
 * data; -1 if it is known. */
static htp_outcome find_open_dim(htp_machine *m, const htp_step *step, size_t input, int64_t *dim)
{
    *dim = -1;
    if (step->inputs.count <= input) {
        return HTP_GOES_ON;
    }
    const htp_item *tensor = step->inputs.items[0];
    const htp_item *number = step->inputs.items[input];
    if (is_unpacked(step) || !htp_is_tensor(tensor) || !htp_is_decided(number)) {
        return HTP_GOES_ON;
    }
    int64_t at;
    HTP_DO(find_dim(m, tensor, number, &at));
    *dim = at < 0 || htp_item_is_fixed(m, tensor, at) ? -1 : at;
    return HTP_GOES_ON;
}

/* The number of parts of a dim of this size. @p number  operand 1, if it is an int */
typedef int64_t part_counter(int64_t whole, int64_t number);

static int64_t count_elements(int64_t whole, int64_t number)
{
    (void)number;
    return whole;
}

static int64_t count_parts(int64_t whole, int64_t number)
{
    return number > 0 && whole > 0 ? (whole - 1) / number + 1 : 1;
}

static int64_t count_chunks(int64_t whole, int64_t number)
{
    return number > 0 && whole > 0 ? count_parts(whole, (whole - 1) / number + 1) : number;
}

/*
 * Whether the program names the parts of a tensor, and sizes determine their number.
 * @param input  the operand with the dim
 */
static bool names_parts(const htp_step *step, size_t input)
{
    const htp_items *inputs = &step->inputs;
    if (!is_unpacked(step) || inputs->count <= input || !htp_is_tensor(inputs->items[0])) {
        return false;
    }
    const htp_item *number = inputs->items[1];
    return !htp_is_data(inputs->items[0]) && htp_is_decided(inputs->items[input]) &&
           htp_is_int(number) && !htp_is_data(number) && htp_has_lanes(number);
}

/* If the program names the parts, requires their number at all sizes: any other one raises. */
static htp_outcome require_one_count(htp_machine *m, const htp_step *step, size_t input,
                                     part_counter *count)
{
    const htp_items *inputs = &step->inputs;
    int64_t dim = -1;
    if (names_parts(step, input)) {
        HTP_DO(find_dim(m, inputs->items[0], inputs->items[input], &dim));
    }
    int64_t first = 0;
    for (uint32_t lane = 0; dim >= 0 && lane < m->lane_count; lane++) {
        int64_t whole = htp_tensor_in(inputs->items[0], lane)->dims[dim];
        int64_t found = count(whole, inputs->items[1]->lane[lane].as.i);
        first = lane == 0 ? found : first;
        if (found != first) {
            return htp_machine_stop(
                m, HTP_BAD_INPUTS,
                "%s raised %s: the program takes %" PRId64 " parts of dim %" PRId64
                ", of which other sizes give more or fewer",
                step->node->kind, htp_place_describe(m, &step->place), first, dim);
        }
    }
    return HTP_GOES_ON;
}

/* unbind() along a dim of unknown size */
htp_outcome htp_do_unbind(htp_machine *m, htp_step *step, htp_items *outputs)
{
    int64_t dim;
    HTP_DO(require_one_count(m, step, 1, count_elements));
    HTP_DO(find_open_dim(m, step, 1, &dim));
    if (dim < 0) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    htp_item *const *inputs = step->inputs.items;
    htp_item *zero = htp_item_int(m, 0);
    htp_item *rows;
    HTP_DO(htp_handler_run(m, "aten::movedim", "int", HTP_ITEMS(m, inputs[0], inputs[1], zero),
                           &step->place, &rows));
    return htp_handler_give(m, outputs, htp_list_grown(m, rows, false));
}

static const char *const split_names[] = {"self", "split_size", "dim"};
static const char *const chunk_names[] = {"self", "chunks", "dim"};

/* Parts of a tensor as a list of data-dependent length. */
static htp_outcome give_parts(htp_machine *m, htp_step *step, const char *kind,
                              const char *const *names, int64_t dim, htp_items *outputs)
{
    htp_item *tensor = step->inputs.items[0];
    const htp_place *place = &step->place;
    htp_item *made;
    HTP_DO(htp_sequence_like(m, tensor, false, &made));
    HTP_DO(htp_sequence_widen(m, made, tensor, place));
    HTP_DO(htp_item_resize(m, made, dim, "split"));
    htp_item *along = htp_item_int(m, dim);
    htp_items inputs = HTP_ITEMS(m, tensor, step->inputs.items[1], along);
    htp_items parts = HTP_ITEMS(m, tensor);
    htp_sequence_record(m, kind, &inputs, names, made, &parts, place);
    return htp_handler_give(m, outputs, htp_list_grown(m, made, false));
}

/* split() into parts of data-dependent size: their number is data-dependent, too. */
static htp_outcome split_by_data(htp_machine *m, htp_step *step, htp_items *outputs)
{
    int64_t dim = -1;
    bool is_known = step->inputs.count > 2 && htp_is_tensor(step->inputs.items[0]) &&
                    htp_is_decided(step->inputs.items[2]);
    if (is_known) {
        HTP_DO(find_dim(m, step->inputs.items[0], step->inputs.items[2], &dim));
    }
    if (dim < 0 || is_unpacked(step)) {
        return htp_machine_refuse(m, &step->place,
                                  "into how many parts a tensor is split depends on the data");
    }
    return give_parts(m, step, "aten::split.Tensor", split_names, dim, outputs);
}

/* Whether sizes decide the number of parts. */
static bool is_count_open(const htp_machine *m, const htp_step *step, int64_t dim)
{
    const htp_item *const *inputs = (const htp_item *const *)step->inputs.items;
    int64_t first = 0;
    bool is_open = false;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        int64_t whole = htp_tensor_in(inputs[0], lane)->dims[dim];
        int64_t count = count_parts(whole, inputs[1]->lane[lane].as.i);
        first = lane == 0 ? count : first;
        is_open = is_open || count != first;
    }
    return is_open;
}

/* split() into parts whose size depends on dynamic dims. */
static htp_outcome split_by_sizes(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_item *tensor = step->inputs.items[0];
    bool is_known =
        step->inputs.count > 2 && htp_is_tensor(tensor) && htp_is_decided(step->inputs.items[2]);
    int64_t dim = -1;
    if (is_known && !is_unpacked(step)) {
        HTP_DO(find_dim(m, tensor, step->inputs.items[2], &dim));
    }
    return dim < 0 || !is_count_open(m, step, dim)
               ? htp_execute_node(m, &step->inputs, &step->place, outputs)
               : give_parts(m, step, "aten::split.Tensor", split_names, dim, outputs);
}

/* split() into equal parts; the last one may be smaller. */
htp_outcome htp_do_split(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    HTP_DO(require_one_count(m, step, 2, count_parts));
    const htp_item *size = step->inputs.items[1];
    if (htp_is_number(size) && (htp_is_data(size) || !htp_has_lanes(size))) {
        return split_by_data(m, step, outputs);
    }
    if (htp_is_int(size) && !htp_is_decided(size)) {
        return split_by_sizes(m, step, outputs);
    }
    int64_t dim = -1;
    if (htp_is_decided(size) && htp_is_int(size) && size->lane[0].as.i >= 1) {
        HTP_DO(find_open_dim(m, step, 2, &dim));
    }
    return dim < 0 ? htp_execute_node(m, &step->inputs, &step->place, outputs)
                   : give_parts(m, step, "aten::split.Tensor", split_names, dim, outputs);
}

/* chunk() into a number of parts, or fewer for few elements. Only a request for two parts always
 * gives two, given more than one element. */
htp_outcome htp_do_chunk(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    HTP_DO(require_one_count(m, step, 2, count_chunks));
    const htp_item *count = step->inputs.items[1];
    int64_t chunks = htp_is_decided(count) && htp_is_int(count) ? count->lane[0].as.i : 0;
    int64_t dim = -1;
    if (chunks > 1) {
        HTP_DO(find_open_dim(m, step, 2, &dim));
    }
    bool is_two = chunks == 2;
    for (uint32_t lane = 0; lane < m->lane_count && dim >= 0; lane++) {
        is_two = is_two && htp_tensor_in(step->inputs.items[0], lane)->dims[dim] > 1;
    }
    return dim < 0 || is_two ? htp_execute_node(m, &step->inputs, &step->place, outputs)
                             : give_parts(m, step, "aten::chunk", chunk_names, dim, outputs);
}
