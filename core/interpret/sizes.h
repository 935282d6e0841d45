/*
 * Sizes that the data decides: made up in every lane, and followed from there on.
 */
#ifndef HTP_INTERPRET_SIZES_H
#define HTP_INTERPRET_SIZES_H

#include "interpret/execute.h"

/** The outputs of an operator whose sizes only the data can tell; @p is_done is false for other
 * operators (data_sizes.c). */
htp_outcome htp_sizes_decide(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done);

/** A size that the data decides, by what it is: the same one whenever it is asked for. @p what
 * lives in the arena. */
htp_outcome htp_sizes_of(htp_machine *m, const char *what, const char *name, htp_trace_size *size);

/** An int that is read off a tensor: the same one whenever it is read. */
htp_outcome htp_sizes_number_in(htp_machine *m, const htp_item *item, const char *name,
                                htp_trace_size *size);

/** What the elements of an item add up to, and how many of a mask are set. */
htp_outcome htp_sizes_total_of(htp_machine *m, const htp_item *item, const char *name,
                               htp_trace_size *size);
htp_outcome htp_sizes_count_of(htp_machine *m, const htp_item *mask, const char *name,
                               htp_trace_size *size);

/** The operator on other inputs, and its outputs with @p size in place of a dim. */
htp_outcome htp_sizes_run_with(htp_machine *m, htp_call *call, const htp_items *inputs, int64_t dim,
                               const htp_trace_size *size, htp_lanes *results);

/** Outputs that look like the first operand, and are it where the operator works in place. */
htp_outcome htp_sizes_like_first(htp_machine *m, const htp_call *call, htp_lanes *results);

/** A tensor without contents like @p tensor, with a dim of another size. */
htp_outcome htp_sizes_with(htp_machine *m, const htp_item *tensor, int64_t dim,
                           const htp_trace_size *size, htp_item **made);

/* ---- the operators that decide sizes, each with is_done as above ---- */

htp_outcome htp_sizes_packed(htp_machine *m, const htp_call *call, htp_lanes *results,
                             bool *is_done); /* packed_sizes.c */
htp_outcome htp_sizes_masked(htp_machine *m, htp_call *call, htp_lanes *results,
                             bool *is_done); /* moved_sizes.c */
htp_outcome htp_sizes_moved(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done);
htp_outcome htp_sizes_joined(htp_machine *m, htp_call *call, htp_lanes *results,
                             bool *is_done); /* joined_sizes.c */

/** A sizer gives the outputs in one lane when the size is chosen (sizers.c). */
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

/** NULL in @p sizer for operators whose inputs' sizes tell those of the outputs. */
htp_outcome htp_sizer_find(htp_machine *m, const htp_call *call, htp_sizer **sizer);

/* ---- what operands tell (sizers.c) ---- */

/** The node that gives an item; NULL. */
const htp_recorded_node *htp_sizes_producer(const htp_machine *m, const htp_item *item);

/** HTP_FAILS where an operator has fewer operands. */
htp_outcome htp_sizes_require(htp_machine *m, const htp_items *inputs, size_t count);

/** An int in a lane, which may be all that is known of it; HTP_FAILS of others. */
htp_outcome htp_sizes_int_in(htp_machine *m, const htp_item *item, size_t lane, int64_t *number);

/** A tensor in a lane, and the size of a dim there, which may count from the end; HTP_FAILS where
 * there is none. */
htp_outcome htp_sizes_tensor_in(htp_machine *m, const htp_item *item, size_t lane,
                                const htp_runner_tensor **tensor);
htp_outcome htp_sizes_dim_in(htp_machine *m, const htp_item *item, size_t lane, int64_t dim,
                             int64_t *size);

/** A number that must be known: a dim, or whether something is asked for. HTP_UNSUPPORTED */
htp_outcome htp_sizes_fixed_number(htp_machine *m, const htp_items *inputs, size_t index,
                                   int64_t *number);

/** Whether an argument is None, or left out. */
bool htp_sizes_is_none(const htp_items *inputs, size_t index);

/* ---- after an operator raised on sizes that were made up ---- */

/** Other inputs that fit; @p is_done is false where there are none (joined_sizes.c). */
htp_outcome htp_sizes_fitted(htp_machine *m, const htp_call *call, htp_items *inputs,
                             bool *is_done);
htp_outcome htp_sizes_reshaped(htp_machine *m, htp_call *call, htp_lanes *results,
                               bool *is_done); /* reshaped_sizes.c */
htp_outcome htp_sizes_padded(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done);
htp_outcome htp_sizes_met(htp_machine *m, htp_call *call, htp_lanes *results,
                          bool *is_done); /* joined_sizes.c */

/* ---- numbers and sizes alike at all sizes that were tried (flat_sizes.c) ---- */

/** Whether outputs may be numbers that stay the same where sizes differ. */
bool htp_flat_is_stepped(htp_machine *m, const htp_call *call, const htp_lanes *results);

/** Whether the only output is such a number. */
bool htp_flat_is_one(htp_machine *m, const htp_call *call, const htp_lanes *results);
htp_outcome htp_flat_make(htp_machine *m, htp_call *call, const htp_lanes *results,
                          htp_items *outputs);

/** The outputs with a size that the data decides where a dim is flat. */
htp_outcome htp_flat_resize(htp_machine *m, htp_call *call, const htp_lanes *results,
                            htp_lanes *resized, bool *is_done);

/** What a number is computed as: equal texts are equal numbers. */
const char *htp_flat_formula(htp_machine *m, const htp_call *call);

/* ---- what programs say of sizes ---- */

/** A check on the data passes on @p side of it: what it compares has that size from here on
 * (checked_sizes.c). */
htp_outcome htp_sizes_learn(htp_machine *m, const htp_item *condition, bool side);

/** What an operator says that compares a size which an earlier call had (carried_sizes.c).
 * @return whether it says so */
bool htp_sizes_compare_carried(const htp_machine *m, const char *kind, const htp_items *inputs,
                               bool *answer);

/** The sizes of a tensor that an earlier call left are that call's, too. */
void htp_sizes_pass_on_carried(const char *kind, const htp_items *inputs, const htp_items *outputs);

#endif
