/*
 * view(), reshape() and padding of tensors with data-dependent sizes, such as a part of an axis
 * that was padded on one side of a branch.
 *
 * Made-up sizes need not be multiples of their divisor, although sizes of a run are. So the run
 * checks that element counts match, and fails where libtorch does. It also checks that there are
 * enough elements to mirror.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"
#include "interpret/lanes/call_facts.h"

#include <inttypes.h>
#include <string.h>

/* The numbers of a list in a lane; NULL if they are no ints. */
static int64_t *numbers_of(htp_machine *m, const htp_item *list, size_t lane)
{
    const htp_items *elements = &list->elements;
    int64_t *numbers = HTP_NEW_ARRAY(m->arena, int64_t, elements->count + 1);
    for (size_t i = 0; i < elements->count; i++) {
        const htp_item *element = elements->items[i];
        const htp_operand *number = &element->lane[lane];
        if (element->kind != HTP_ITEM_PLAIN || !htp_has_lanes(element) ||
            number->kind != HTP_OPERAND_INT) {
            return NULL;
        }
        numbers[i] = number->as.i;
    }
    return numbers;
}

/* Whether operands are a tensor and a list of numbers for it. */
static bool has_numbers(const htp_items *inputs)
{
    return inputs->count > 1 && htp_is_tensor(inputs->items[0]) &&
           inputs->items[1]->kind == HTP_ITEM_LIST && !inputs->items[1]->stacked;
}

/* The first operand, prepared for the kernel; the only tensor. */
static htp_outcome give_first(htp_machine *m, htp_call *call, size_t lane,
                              const htp_runner_tensor **given)
{
    htp_operand *operands = HTP_NEW_ARRAY(m->arena, htp_operand, call->inputs.count);
    HTP_DO(htp_call_operand(m, call, 0, lane, HTP_MODE_SIZES, &operands[0]));
    if (operands[0].kind != HTP_OPERAND_TENSOR) {
        return htp_machine_stop(m, HTP_FAILS, "expected Tensor");
    }
    htp_call_note_storages(m, call, lane, operands, call->inputs.count);
    *given = operands[0].as.tensor;
    return HTP_GOES_ON;
}

/* ---- padding ---- */

/* The padded sizes of a tensor, with widths listed from the last dim on; NULL if they are invalid.
 */
static const int64_t *padded_sizes(htp_machine *m, const htp_runner_tensor *tensor,
                                   const int64_t *widths, size_t width_count)
{
    if (width_count % 2 != 0 || width_count / 2 > tensor->rank) {
        return NULL;
    }
    int64_t *sizes = HTP_NEW_ARRAY(m->arena, int64_t, (size_t)tensor->rank + 1);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        sizes[i] = tensor->dims[i];
    }
    for (size_t i = 0; i < width_count / 2; i++) {
        int64_t *size = &sizes[tensor->rank - 1 - i];
        if (__builtin_add_overflow(*size, widths[2 * i], size) ||
            __builtin_add_overflow(*size, widths[2 * i + 1], size) || *size < 0) {
            return NULL;
        }
    }
    return sizes;
}

static htp_outcome pad_lane(htp_machine *m, htp_call *call, size_t lane, htp_operand *padded,
                            bool *is_done)
{
    const htp_item *list = call->inputs.items[1];
    const int64_t *widths = numbers_of(m, list, lane);
    const htp_runner_tensor *self = htp_tensor_in(call->inputs.items[0], lane);
    const int64_t *sizes = widths ? padded_sizes(m, self, widths, list->elements.count) : NULL;
    *is_done = sizes != NULL;
    if (!sizes) {
        return HTP_GOES_ON;
    }
    const htp_runner_tensor *given = NULL;
    HTP_DO(give_first(m, call, lane, &given));
    const htp_runner_tensor *made = NULL;
    HTP_DO(htp_tensor_empty(m, given->type, sizes, given->rank, &made));
    *padded = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = made};
    return HTP_GOES_ON;
}

/* The output of a padding that mirrors more elements than there are, by made-up widths. */
htp_outcome htp_sizes_padded(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    *is_done = false;
    if (!htp_call_has_fact(call, HTP_FACT_PADS) || !has_numbers(&call->inputs)) {
        return HTP_GOES_ON;
    }
    memset(call->storages, 0, sizeof(call->storages));
    *results = htp_lanes_make(m, 1);
    *is_done = true;
    for (uint32_t lane = 0; lane < m->lane_count && *is_done; lane++) {
        HTP_DO(pad_lane(m, call, lane, &results->lane[lane][0], is_done));
    }
    return HTP_GOES_ON;
}

/* ---- view() and reshape() ---- */

/* The requested sizes. */
typedef struct asked_sizes {
    int64_t *lane[HTP_MAX_LANES]; /* -1 for the inferred one */
    uint32_t lane_count;
    size_t rank;
    const char *rest; /* the inferred one */
} asked_sizes;

/* Whether numbers are valid sizes, at most one of which is inferred. */
static bool are_sizes(const int64_t *sizes, size_t rank)
{
    size_t rests = 0;
    for (size_t i = 0; i < rank; i++) {
        if (sizes[i] < -1) {
            return false;
        }
        rests += sizes[i] == -1;
    }
    return rests < 2;
}

/* The product of sizes, without the inferred one. */
static int64_t product_of(const int64_t *sizes, size_t rank)
{
    uint64_t product = 1;
    for (size_t i = 0; i < rank; i++) {
        product *= sizes[i] == -1 ? 1 : (uint64_t)sizes[i];
    }
    return (int64_t)product;
}

/* @return false if no valid list of ints is requested, or if the tensor has gaps and needs no copy
 */
static bool find_asked(htp_machine *m, const htp_call *call, asked_sizes *asked)
{
    const htp_item *self = call->inputs.items[0];
    const htp_item *list = call->inputs.items[1];
    bool may_copy = strcmp(call->schema.name, "aten::reshape") == 0 && htp_is_data(self);
    htp_text rest = {.arena = m->arena};
    htp_text_add(&rest, "rest of");
    asked->rank = list->elements.count;
    asked->lane_count = m->lane_count;
    for (uint32_t lane = 0; lane < asked->lane_count; lane++) {
        int64_t *sizes = numbers_of(m, list, lane);
        const htp_runner_tensor *tensor = htp_tensor_in(self, lane);
        if (!sizes || !are_sizes(sizes, asked->rank) || (!tensor->is_contiguous && !may_copy)) {
            return false;
        }
        asked->lane[lane] = sizes;
        htp_text_addf(&rest, " %" PRId64 " by %" PRId64, tensor->elements,
                      product_of(sizes, asked->rank));
    }
    asked->rest = htp_text_string(&rest);
    return true;
}

static htp_outcome fill_rest(htp_machine *m, const htp_call *call, const asked_sizes *asked,
                             size_t lane)
{
    int64_t *sizes = asked->lane[lane];
    for (size_t i = 0; i < asked->rank; i++) {
        if (sizes[i] == -1) {
            htp_trace_size size;
            HTP_DO(htp_sizes_of(m, asked->rest, call->base_name, &size));
            sizes[i] = size.sizes[lane];
        }
    }
    return HTP_GOES_ON;
}

static htp_outcome reshape_lane(htp_machine *m, htp_call *call, const asked_sizes *asked,
                                size_t lane, htp_operand *reshaped)
{
    const htp_runner_tensor *given = NULL;
    const htp_runner_tensor *made = NULL;
    const int64_t *sizes = asked->lane[lane];
    HTP_DO(fill_rest(m, call, asked, lane));
    HTP_DO(give_first(m, call, lane, &given));
    HTP_DO(given->is_contiguous ? htp_tensor_reshaped(m, given, sizes, asked->rank, &made)
                                : htp_tensor_empty(m, given->type, sizes, asked->rank, &made));
    *reshaped = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = made};
    return HTP_GOES_ON;
}

/* The outputs of an operator whose requested sizes do not fit the made-up ones. Tensors with gaps
 * count as copied; the code that records views corrects that. */
htp_outcome htp_sizes_reshaped(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    static const char *const reshaping[] = {"aten::view", "aten::reshape", "aten::_unsafe_view"};
    asked_sizes asked = {.rank = 0};
    *is_done = htp_text_is_one_of(call->schema.name, reshaping,
                                  sizeof(reshaping) / sizeof(reshaping[0])) &&
               has_numbers(&call->inputs) && find_asked(m, call, &asked);
    if (!*is_done) {
        return HTP_GOES_ON;
    }
    memset(call->storages, 0, sizeof(call->storages));
    *results = htp_lanes_make(m, 1);
    for (uint32_t lane = 0; lane < asked.lane_count; lane++) {
        HTP_DO(reshape_lane(m, call, &asked, lane, &results->lane[lane][0]));
    }
    return HTP_GOES_ON;
}
