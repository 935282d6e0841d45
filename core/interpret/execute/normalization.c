/*
 * Normalisation by batch statistics, in training mode: operators that also update running
 * statistics in place, which their schemas do not declare.
 */
#include "interpret/steps/handlers.h"

#include "interpret/memory/memory.h"

#include <string.h>

/* Arguments common to aten::batch_norm and aten::instance_norm. */
enum { INPUT, WEIGHT, BIAS, MEAN, VARIANCE, USES_BATCH, MOMENTUM, ARGUMENT_COUNT };

static htp_outcome find_moves(htp_machine *m, const htp_items *inputs, bool *moves)
{
    *moves = false;
    if (inputs->count <= ARGUMENT_COUNT) {
        return HTP_GOES_ON;
    }
    const htp_item *uses_batch = inputs->items[USES_BATCH];
    bool is_told = htp_is_tensor(inputs->items[INPUT]) && htp_is_tensor(inputs->items[MEAN]) &&
                   htp_is_tensor(inputs->items[VARIANCE]) && htp_is_number(uses_batch) &&
                   htp_is_decided(uses_batch);
    if (is_told && !htp_is_bool(uses_batch)) {
        return htp_machine_stop(m, HTP_FAILS, "whether a batch's statistics count is no bool");
    }
    *moves = is_told && uses_batch->lane[0].as.b;
    return HTP_GOES_ON;
}

/* running = (1 - momentum) * running + momentum * of_batch, see libtorch's Normalization.cpp. */
static htp_outcome move_statistic(htp_machine *m, htp_item *running, htp_item *of_batch,
                                  htp_item *momentum, const htp_place *place)
{
    htp_item *one = htp_item_float(m, 1.0);
    htp_item *rest;
    HTP_DO(htp_handler_run(m, "aten::sub", "float", HTP_ITEMS(m, one, momentum), place, &rest));
    htp_item *now;
    HTP_DO(htp_memory_current(m, running, place, &now));
    htp_item *kept;
    HTP_DO(htp_handler_run(m, "aten::mul", "Scalar", HTP_ITEMS(m, now, rest), place, &kept));
    htp_item *moved;
    HTP_DO(
        htp_handler_run(m, "aten::mul", "Scalar", HTP_ITEMS(m, of_batch, momentum), place, &moved));
    htp_item *alpha = htp_item_int(m, 1);
    htp_item *sum;
    HTP_DO(
        htp_handler_run(m, "aten::add", "Tensor", HTP_ITEMS(m, kept, moved, alpha), place, &sum));
    htp_item *no = htp_item_bool(m, false);
    htp_item *copied;
    return htp_handler_run(m, "aten::copy_", "", HTP_ITEMS(m, running, sum, no), place, &copied);
}

/* Arguments common to the operators of an update. */
typedef struct move {
    const htp_place *place;
    htp_item *no;
    htp_item *none;
} move;

/* The input's dims from @p first on, except the channels. */
static htp_items dims_of(htp_machine *m, const htp_item *input, uint32_t first)
{
    htp_items dims = {0};
    for (uint32_t dim = first; dim < htp_tensor_in(input, 0)->rank; dim++) {
        if (dim != 1) {
            htp_items_push(m, &dims, htp_item_int(m, dim));
        }
    }
    return dims;
}

static htp_outcome find_mean(htp_machine *m, const move *all, htp_item *input,
                             const htp_items *dims, htp_item **mean)
{
    htp_item *over = htp_item_hold(m, HTP_ITEM_LIST, dims);
    return htp_handler_run(m, "aten::mean", "dim", HTP_ITEMS(m, input, over, all->no, all->none),
                           all->place, mean);
}

static htp_outcome find_variance(htp_machine *m, const move *all, htp_item *input,
                                 const htp_items *dims, htp_item **variance)
{
    htp_item *over = htp_item_hold(m, HTP_ITEM_LIST, dims);
    htp_item *is_unbiased = htp_item_bool(m, true);
    return htp_handler_run(m, "aten::var", "dim", HTP_ITEMS(m, input, over, is_unbiased, all->no),
                           all->place, variance);
}

/* A statistic with dim 0 left is reduced by its mean. */
static htp_outcome reduce(htp_machine *m, const move *all, htp_item **statistic)
{
    HTP_DO(htp_handler_require_tensor(m, *statistic));
    if (htp_tensor_in(*statistic, 0)->rank <= 1) {
        return HTP_GOES_ON;
    }
    htp_item *zero = htp_item_int(m, 0);
    htp_items dims = HTP_ITEMS(m, zero);
    return find_mean(m, all, *statistic, &dims, statistic);
}

/* Updates both by the mean and the unbiased variance over the dims from @p first on. */
static htp_outcome move_statistics(htp_machine *m, const htp_items *inputs, uint32_t first,
                                   const htp_place *place)
{
    int32_t type = htp_tensor_in(inputs->items[MEAN], 0)->type;
    htp_item *dtype = htp_item_int(m, type);
    move all = {.place = place};
    all.no = htp_item_bool(m, false);
    all.none = htp_item_none(m);
    htp_item *input = inputs->items[INPUT];
    if (htp_tensor_in(input, 0)->type != type) {
        HTP_DO(htp_handler_run(m, "aten::to", "dtype",
                               HTP_ITEMS(m, input, dtype, all.no, all.no, all.none), place,
                               &input));
        HTP_DO(htp_handler_require_tensor(m, input));
    }
    htp_items dims = dims_of(m, input, first);
    htp_item *mean;
    htp_item *variance;
    HTP_DO(find_mean(m, &all, input, &dims, &mean));
    HTP_DO(find_variance(m, &all, input, &dims, &variance));
    HTP_DO(reduce(m, &all, &mean));
    HTP_DO(reduce(m, &all, &variance));
    htp_item *momentum = inputs->items[MOMENTUM];
    HTP_DO(move_statistic(m, inputs->items[MEAN], mean, momentum, place));
    return move_statistic(m, inputs->items[VARIANCE], variance, momentum, place);
}

/* The last output of aten::_batch_norm_with_update: memory for kernels of other devices. */
static htp_outcome make_reserve(htp_machine *m, const htp_place *place, htp_item **reserve)
{
    htp_item *none = htp_item_none(m);
    htp_item *zero = htp_item_int(m, 0);
    htp_items no_elements = HTP_ITEMS(m, zero);
    htp_item *sizes = htp_item_hold(m, HTP_ITEM_LIST, &no_elements);
    htp_item *dtype = htp_item_int(m, HTP_SCALAR_BYTE);
    return htp_handler_run(m, "aten::zeros", "", HTP_ITEMS(m, sizes, dtype, none, none, none),
                           place, reserve);
}

/* Operands of aten::_batch_norm_with_update in the form of aten::native_batch_norm. */
static htp_items operands_of_native(htp_machine *m, const htp_items *inputs)
{
    htp_items operands = {0};
    for (size_t i = 0; i < inputs->count; i++) {
        if (i == USES_BATCH) {
            htp_items_push(m, &operands, htp_item_bool(m, true));
        }
        htp_items_push(m, &operands, inputs->items[i]);
    }
    return operands;
}

/* The operands without running statistics. */
static htp_items operands_alone(htp_machine *m, const htp_items *operands)
{
    htp_items alone = htp_items_copy(m, operands);
    alone.items[MEAN] = htp_item_none(m);
    alone.items[VARIANCE] = htp_item_none(m);
    alone.items[MOMENTUM] = htp_item_float(m, 0.0);
    return alone;
}

/* Operators that also return batch statistics are aten::native_batch_norm. One variant always
 * updates the running ones and returns empty memory for other devices; another declares its updates
 * in the schema, and has no meta kernel. */
htp_outcome htp_do_normalization(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_place *place = &step->place;
    const char *kind = step->node->kind;
    bool is_update = strcmp(kind, "aten::_batch_norm_with_update") == 0;
    bool is_native = is_update || strcmp(kind, "aten::_native_batch_norm_legit") == 0;
    bool gives_statistics = is_native || strcmp(kind, "aten::native_batch_norm") == 0;
    size_t expected = is_update ? ARGUMENT_COUNT : ARGUMENT_COUNT + 1;
    if (gives_statistics && step->inputs.count != expected) {
        /* The program passes the memory of its outputs. */
        return htp_execute_node(m, &step->inputs, place, outputs);
    }
    htp_items all = is_update ? operands_of_native(m, &step->inputs) : step->inputs;
    bool moves;
    HTP_DO(find_moves(m, &all, &moves));
    htp_items alone = moves ? operands_alone(m, &all) : all;
    HTP_DO(is_native ? htp_execute_all(m, "aten::native_batch_norm", "", &alone, place, outputs)
                     : htp_execute_node(m, &alone, place, outputs));
    if (moves) {
        m->recording.moves_statistics = true;
        HTP_DO(move_statistics(m, &all, strcmp(kind, "aten::instance_norm") == 0 ? 2 : 0, place));
    }
    if (is_update) {
        htp_item *reserve;
        HTP_DO(make_reserve(m, place, &reserve));
        htp_items_push(m, outputs, reserve);
    }
    return HTP_GOES_ON;
}
