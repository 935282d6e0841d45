/*
 * Sizers: the outputs of an operator for a chosen data-dependent size, and readers of operands.
 */
#ifndef HTP_INTERPRET_SIZES_SIZERS_H
#define HTP_INTERPRET_SIZES_SIZERS_H

#include "interpret/lanes/execute.h"

/** Arguments of a sizer, which makes the outputs in one lane for a chosen size (sizers.c). */
typedef struct htp_choice {
    const htp_items *inputs;
    size_t lane;
    int64_t size;
} htp_choice;
enum { HTP_SIZER_OUTPUTS = 3 };
typedef struct htp_chosen {
    htp_operand all[HTP_SIZER_OUTPUTS];
    size_t count;
} htp_chosen;
typedef htp_outcome htp_sizer(htp_machine *m, const htp_choice *choice, htp_chosen *outputs);

/** The sizer of an operator; NULL if output sizes follow from input sizes. */
htp_outcome htp_sizer_find(htp_machine *m, const htp_call *call, htp_sizer **sizer);

/* ---- operands (sizers.c) ---- */

/** The node that makes an item, or NULL. */
const htp_recorded_node *htp_sizes_producer(const htp_machine *m, const htp_item *item);

/** HTP_FAILS if an operator has fewer operands. */
htp_outcome htp_sizes_require(htp_machine *m, const htp_items *inputs, size_t count);

/** An int in a lane; HTP_FAILS if it is unknown. */
htp_outcome htp_sizes_int_in(htp_machine *m, const htp_item *item, size_t lane, int64_t *number);

/** A tensor in a lane and the size of a dim, which may be negative; HTP_FAILS if there is none. */
htp_outcome htp_sizes_tensor_in(htp_machine *m, const htp_item *item, size_t lane,
                                const htp_runner_tensor **tensor);
htp_outcome htp_sizes_dim_in(htp_machine *m, const htp_item *item, size_t lane, int64_t dim,
                             int64_t *size);

/** A number that must be known: a dim, or a flag. HTP_UNSUPPORTED */
htp_outcome htp_sizes_fixed_number(htp_machine *m, const htp_items *inputs, size_t index,
                                   int64_t *number);

/** Whether an argument is None or missing. */
bool htp_sizes_is_none(const htp_items *inputs, size_t index);

/** Whether it is a data-dependent number. */
bool htp_sizes_is_data_number(const htp_items *inputs, size_t index);

/** A dim of the first operand, counted from the end if negative. */
htp_outcome htp_sizes_find_dim(htp_machine *m, const htp_items *inputs, size_t index, int64_t *dim);

#endif
