/*
 * Operators with data-dependent output sizes: their outputs for a chosen size.
 */
#include "interpret/sizes/sizes.h"

#include <inttypes.h>
#include <string.h>

/* ---- operands ---- */

const htp_recorded_node *htp_sizes_producer(const htp_machine *m, const htp_item *item)
{
    return item->producer < m->recording.nodes.count ? &m->recording.nodes.items[item->producer]
                                                     : NULL;
}

htp_outcome htp_sizes_require(htp_machine *m, const htp_items *inputs, size_t count)
{
    return inputs->count < count ? htp_machine_stop(m, HTP_FAILS, "an operand is missing")
                                 : HTP_GOES_ON;
}

htp_outcome htp_sizes_int_in(htp_machine *m, const htp_item *item, size_t lane, int64_t *number)
{
    const htp_operand *held = &item->lane[htp_has_lanes(item) ? lane : 0];
    if (held->kind != HTP_OPERAND_INT) {
        return htp_machine_stop(m, HTP_FAILS, "expected int");
    }
    *number = held->as.i;
    return HTP_GOES_ON;
}

htp_outcome htp_sizes_tensor_in(htp_machine *m, const htp_item *item, size_t lane,
                                const htp_runner_tensor **tensor)
{
    if (!htp_is_tensor(item)) {
        return htp_machine_stop(m, HTP_FAILS, "expected Tensor");
    }
    *tensor = htp_tensor_in(item, lane);
    return HTP_GOES_ON;
}

static htp_outcome refuse_dim(htp_machine *m, int64_t dim, int64_t rank)
{
    if (rank == 0) {
        return htp_machine_stop(
            m, HTP_FAILS, "Dimension specified as %" PRId64 " but tensor has no dimensions", dim);
    }
    return htp_machine_stop(m, HTP_FAILS,
                            "Dimension out of range (expected to be in range of [%" PRId64
                            ", %" PRId64 "], but got %" PRId64 ")",
                            -rank, rank - 1, dim);
}

htp_outcome htp_sizes_dim_in(htp_machine *m, const htp_item *item, size_t lane, int64_t dim,
                             int64_t *size)
{
    const htp_runner_tensor *tensor = NULL;
    HTP_DO(htp_sizes_tensor_in(m, item, lane, &tensor));
    int64_t at = htp_dim_wrap(dim, tensor->rank);
    if (at < 0) {
        return refuse_dim(m, dim, tensor->rank);
    }
    *size = tensor->dims[at];
    return HTP_GOES_ON;
}

htp_outcome htp_sizes_fixed_number(htp_machine *m, const htp_items *inputs, size_t index,
                                   int64_t *number)
{
    HTP_DO(htp_sizes_require(m, inputs, index + 1));
    const htp_item *item = inputs->items[index];
    if (!htp_is_decided(item) || htp_is_none(item)) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a number that it needs depends on the data");
    }
    if (htp_is_bool(item)) {
        *number = item->lane[0].as.b;
        return HTP_GOES_ON;
    }
    return htp_sizes_int_in(m, item, 0, number);
}

bool htp_sizes_is_none(const htp_items *inputs, size_t index)
{
    return index >= inputs->count || htp_is_none(inputs->items[index]);
}

bool htp_sizes_is_data_number(const htp_items *inputs, size_t index)
{
    return index < inputs->count && inputs->items[index]->kind == HTP_ITEM_PLAIN &&
           (htp_is_data(inputs->items[index]) || !htp_has_lanes(inputs->items[index]));
}

htp_outcome htp_sizes_find_dim(htp_machine *m, const htp_items *inputs, size_t index, int64_t *dim)
{
    const htp_runner_tensor *first = NULL;
    HTP_DO(htp_sizes_tensor_in(m, inputs->items[0], 0, &first));
    HTP_DO(htp_sizes_fixed_number(m, inputs, index, dim));
    *dim += *dim < 0 ? first->rank : 0;
    return HTP_GOES_ON;
}

/* ---- helpers of sizers ---- */

static htp_outcome tensor_of(htp_machine *m, const htp_choice *choice, size_t index,
                             const htp_runner_tensor **tensor)
{
    if (index >= choice->inputs->count || !htp_is_tensor(choice->inputs->items[index])) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a tensor is missing");
    }
    *tensor = htp_tensor_in(choice->inputs->items[index], choice->lane);
    return HTP_GOES_ON;
}

static htp_outcome find_flag(htp_machine *m, const htp_choice *choice, size_t index, bool *flag)
{
    int64_t number;
    HTP_DO(htp_sizes_fixed_number(m, choice->inputs, index, &number));
    *flag = number != 0;
    return HTP_GOES_ON;
}

static void give(htp_chosen *outputs, const htp_runner_tensor *tensor)
{
    outputs->all[outputs->count] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
    outputs->count++;
}

static htp_outcome give_empty(htp_machine *m, int32_t type, const int64_t *dims, size_t rank,
                              htp_chosen *outputs)
{
    const htp_runner_tensor *made = NULL;
    HTP_DO(htp_tensor_empty(m, type, dims, rank, &made));
    give(outputs, made);
    return HTP_GOES_ON;
}

static htp_outcome give_row(htp_machine *m, int32_t type, int64_t size, htp_chosen *outputs)
{
    return give_empty(m, type, &size, 1, outputs);
}

/* A tensor of the given sizes whose first dim moves elsewhere; its layout stays. */
static htp_outcome give_moved(htp_machine *m, const htp_making *first, size_t to,
                              htp_chosen *outputs)
{
    const htp_runner_tensor *found = NULL;
    HTP_DO(htp_tensor_make(m, first, &found));
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, found->rank);
    int64_t *strides = HTP_NEW_ARRAY(m->arena, int64_t, found->rank);
    for (size_t i = 0; i < found->rank; i++) {
        size_t from = i == to ? 0 : i < to ? i + 1 : i;
        dims[i] = found->dims[from];
        strides[i] = found->strides[from];
    }
    htp_making making = {.way = HTP_MAKE_EMPTY,
                         .type = found->type,
                         .rank = found->rank,
                         .dims = dims,
                         .strides = strides};
    const htp_runner_tensor *moved = NULL;
    HTP_DO(htp_tensor_make(m, &making, &moved));
    give(outputs, moved);
    return HTP_GOES_ON;
}

/* The inverse positions, if requested, have self's shape. */
static htp_outcome give_inverse(htp_machine *m, const htp_runner_tensor *self, bool is_asked,
                                htp_chosen *outputs)
{
    return is_asked ? give_empty(m, HTP_SCALAR_LONG, self->dims, self->rank, outputs)
                    : give_row(m, HTP_SCALAR_LONG, 0, outputs);
}

static htp_outcome give_counts(htp_machine *m, const htp_choice *choice, bool is_asked,
                               htp_chosen *outputs)
{
    return give_row(m, HTP_SCALAR_LONG, is_asked ? choice->size : 0, outputs);
}

/* The sizes of a tensor, with room for one more. */
static int64_t *copy_dims(htp_machine *m, const htp_runner_tensor *tensor, int64_t last)
{
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, (size_t)tensor->rank + 1);
    for (size_t i = 0; i < tensor->rank; i++) {
        dims[i] = tensor->dims[i];
    }
    dims[tensor->rank] = last;
    return dims;
}

/* ---- sizers ---- */

/* Positions along one dim are contiguous. */
static htp_outcome nonzero(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    const htp_runner_tensor *self = NULL;
    HTP_DO(tensor_of(m, choice, 0, &self));
    const int64_t dims[] = {self->rank, choice->size};
    htp_making making = {.way = HTP_MAKE_EMPTY, .type = HTP_SCALAR_LONG, .rank = 2, .dims = dims};
    return give_moved(m, &making, 1, outputs);
}

static htp_outcome nonzero_numpy(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    const htp_runner_tensor *self = NULL;
    HTP_DO(tensor_of(m, choice, 0, &self));
    uint32_t count = self->rank > 0 ? self->rank : 1;
    htp_operand *columns = HTP_NEW_ARRAY(m->arena, htp_operand, count);
    for (uint32_t i = 0; i < count; i++) {
        const htp_runner_tensor *column = NULL;
        HTP_DO(htp_tensor_empty(m, HTP_SCALAR_LONG, &choice->size, 1, &column));
        columns[i] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = column};
    }
    outputs->all[0] = (htp_operand){
        .kind = HTP_OPERAND_LIST, .count = count, .type = HTP_NONE, .as.elements = columns};
    outputs->count = 1;
    return HTP_GOES_ON;
}

static htp_outcome masked_select(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    const htp_runner_tensor *self = NULL;
    HTP_DO(tensor_of(m, choice, 0, &self));
    return give_row(m, self->type, choice->size, outputs);
}

/* _unique(self, sorted, return_inverse), _unique2(..., return_counts) */
static htp_outcome unique(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    const htp_runner_tensor *self = NULL;
    HTP_DO(tensor_of(m, choice, 0, &self));
    bool is_asked = false;
    HTP_DO(find_flag(m, choice, 2, &is_asked));
    HTP_DO(give_row(m, self->type, choice->size, outputs));
    HTP_DO(give_inverse(m, self, is_asked, outputs));
    if (choice->inputs->count <= 3) {
        return HTP_GOES_ON;
    }
    HTP_DO(find_flag(m, choice, 3, &is_asked));
    return give_counts(m, choice, is_asked, outputs);
}

static htp_outcome unique_along(htp_machine *m, const htp_choice *choice, int64_t dim, bool inverse,
                                bool counts, htp_chosen *outputs)
{
    const htp_runner_tensor *self = NULL;
    HTP_DO(tensor_of(m, choice, 0, &self));
    int64_t axis = htp_dim_wrap(dim, self->rank);
    if (axis < 0) {
        return refuse_dim(m, dim, self->rank);
    }
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, self->rank);
    dims[0] = choice->size;
    for (size_t from = 0, to = 1; from < self->rank; from++) {
        if (from != (size_t)axis) {
            dims[to++] = self->dims[from];
        }
    }
    htp_making making = {
        .way = HTP_MAKE_EMPTY, .type = self->type, .rank = self->rank, .dims = dims};
    HTP_DO(give_moved(m, &making, (size_t)axis, outputs));
    HTP_DO(give_row(m, HTP_SCALAR_LONG, inverse ? self->dims[axis] : 0, outputs));
    return give_counts(m, choice, counts, outputs);
}

/* unique_dim(self, dim, sorted, return_inverse, return_counts) */
static htp_outcome unique_dim(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    int64_t dim;
    bool inverse = false;
    bool counts = false;
    HTP_DO(htp_sizes_fixed_number(m, choice->inputs, 1, &dim));
    HTP_DO(find_flag(m, choice, 3, &inverse));
    HTP_DO(find_flag(m, choice, 4, &counts));
    return unique_along(m, choice, dim, inverse, counts, outputs);
}

/* unique_consecutive(self, return_inverse, return_counts, dim) */
static htp_outcome unique_consecutive(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    bool inverse = false;
    bool counts = false;
    HTP_DO(find_flag(m, choice, 1, &inverse));
    HTP_DO(find_flag(m, choice, 2, &counts));
    if (!htp_sizes_is_none(choice->inputs, 3)) {
        int64_t dim;
        HTP_DO(htp_sizes_fixed_number(m, choice->inputs, 3, &dim));
        return unique_along(m, choice, dim, inverse, counts, outputs);
    }
    const htp_runner_tensor *self = NULL;
    HTP_DO(tensor_of(m, choice, 0, &self));
    HTP_DO(give_row(m, self->type, choice->size, outputs));
    HTP_DO(give_inverse(m, self, inverse, outputs));
    return give_counts(m, choice, counts, outputs);
}

/* bincount(self, weights, minlength) */
static htp_outcome bincount(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    int32_t type = HTP_SCALAR_LONG;
    if (!htp_sizes_is_none(choice->inputs, 1)) {
        const htp_runner_tensor *weights = NULL;
        HTP_DO(tensor_of(m, choice, 1, &weights));
        type = weights->type == HTP_SCALAR_FLOAT ? HTP_SCALAR_FLOAT : HTP_SCALAR_DOUBLE;
    }
    return give_row(m, type, choice->size, outputs);
}

/* one_hot(self, num_classes), if the largest index gives the number of classes */
static htp_outcome one_hot(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    const htp_runner_tensor *self = NULL;
    HTP_DO(tensor_of(m, choice, 0, &self));
    const int64_t *dims = copy_dims(m, self, choice->size);
    return give_empty(m, HTP_SCALAR_LONG, dims, (size_t)self->rank + 1, outputs);
}

/* nms(boxes, scores, threshold): the kept boxes */
static htp_outcome kept(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    return give_row(m, HTP_SCALAR_LONG, choice->size, outputs);
}

/* repeat_interleave(repeats), repeat_interleave(self, repeats, dim) without output_size */
static htp_outcome repeat_interleave(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    const htp_runner_tensor *self = NULL;
    HTP_DO(tensor_of(m, choice, 0, &self));
    if (choice->inputs->count < 3 || htp_sizes_is_none(choice->inputs, 2)) {
        return give_row(m, self->type, choice->size, outputs);
    }
    int64_t dim;
    HTP_DO(htp_sizes_fixed_number(m, choice->inputs, 2, &dim));
    int64_t axis = htp_dim_wrap(dim, self->rank);
    if (axis < 0) {
        return refuse_dim(m, dim, self->rank);
    }
    int64_t *dims = copy_dims(m, self, 0);
    dims[axis] = choice->size;
    return give_empty(m, self->type, dims, self->rank, outputs);
}

/* pad_sequence(sequences, batch_first, ...): as long as the longest of them */
static htp_outcome pad_sequence(htp_machine *m, const htp_choice *choice, htp_chosen *outputs)
{
    bool is_batch_first = false;
    HTP_DO(find_flag(m, choice, 1, &is_batch_first));
    const htp_items *parts = &choice->inputs->items[0]->elements;
    const htp_runner_tensor *first = NULL;
    HTP_DO(htp_sizes_tensor_in(m, parts->items[0], choice->lane, &first));
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, (size_t)first->rank + 1);
    dims[is_batch_first ? 0 : 1] = (int64_t)parts->count;
    dims[is_batch_first ? 1 : 0] = choice->size;
    for (size_t i = 1; i < first->rank; i++) {
        dims[i + 1] = first->dims[i];
    }
    return give_empty(m, first->type, dims, (size_t)first->rank + 1, outputs);
}

static const struct {
    const char *name;
    htp_sizer *sizer;
} sizers[] = {
    {"aten::nonzero", nonzero},
    {"aten::argwhere", nonzero},
    {"aten::nonzero_numpy", nonzero_numpy},
    {"aten::where", nonzero_numpy},
    {"aten::masked_select", masked_select},
    {"aten::_unique", unique},
    {"aten::_unique2", unique},
    {"aten::unique_dim", unique_dim},
    {"aten::unique_consecutive", unique_consecutive},
    {"aten::bincount", bincount},
    {"aten::one_hot", one_hot},
    {"torchvision::nms", kept},
    {"aten::repeat_interleave", repeat_interleave},
    {"aten::pad_sequence", pad_sequence},
};

/* Whether the number of classes is known, or derived from sizes. */
static htp_outcome are_classes_told(htp_machine *m, const htp_items *inputs, bool *are_told)
{
    HTP_DO(htp_sizes_require(m, inputs, 2));
    const htp_item *count = inputs->items[1];
    bool is_sized = htp_is_int(count) && !htp_is_data(count) && htp_has_lanes(count);
    for (uint32_t lane = 0; is_sized && lane < m->lane_count; lane++) {
        is_sized = count->lane[lane].as.i != -1;
    }
    *are_told = is_sized;
    if (!is_sized) {
        int64_t classes;
        HTP_DO(htp_sizes_fixed_number(m, inputs, 1, &classes));
        *are_told = classes != -1;
    }
    return HTP_GOES_ON;
}

/* Whether no length of these sequences is data-dependent. */
static bool are_lengths_told(const htp_machine *m, const htp_items *inputs)
{
    const htp_item *list = inputs->count > 1 ? inputs->items[0] : NULL;
    bool are_told = true;
    for (size_t i = 0; list && list->kind == HTP_ITEM_LIST && i < list->elements.count; i++) {
        const htp_item *part = list->elements.items[i];
        are_told = are_told && (!htp_is_tensor(part) || htp_tensor_in(part, 0)->rank == 0 ||
                                !htp_is_data(part) || htp_item_is_fixed(m, part, 0));
    }
    return are_told;
}

/* Whether the output sizes of an operator in the table depend on input sizes alone in this case. */
static htp_outcome is_told(htp_machine *m, const htp_call *call, bool *is_so)
{
    const char *name = call->schema.name;
    *is_so = (strcmp(name, "aten::where") == 0 && call->inputs.count > 1) ||
             (strcmp(name, "aten::repeat_interleave") == 0 &&
              strcmp(call->schema.overload, "self_int") == 0);
    if (strcmp(name, "aten::pad_sequence") == 0) {
        *is_so = are_lengths_told(m, &call->inputs);
    }
    if (strcmp(name, "aten::one_hot") == 0) {
        HTP_DO(are_classes_told(m, &call->inputs, is_so));
    }
    return HTP_GOES_ON;
}

htp_outcome htp_sizer_find(htp_machine *m, const htp_call *call, htp_sizer **sizer)
{
    *sizer = NULL;
    for (size_t i = 0; i < sizeof(sizers) / sizeof(sizers[0]); i++) {
        if (strcmp(sizers[i].name, call->schema.name) == 0) {
            bool is_other = false;
            HTP_DO(is_told(m, call, &is_other));
            *sizer = is_other ? NULL : sizers[i].sizer;
        }
    }
    return HTP_GOES_ON;
}
