/*
 * Data-dependent sizes: made up in every lane, and tracked from there on.
 */
#ifndef HTP_INTERPRET_SIZES_SIZES_H
#define HTP_INTERPRET_SIZES_SIZES_H

#include "interpret/lanes/execute.h"
#include "interpret/sizes/coinciding.h"
#include "interpret/sizes/sizers.h"

/** The outputs of an operator with data-dependent output sizes; @p is_done is false for other
 * operators (decide.c). */
htp_outcome htp_sizes_decide(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done);

/** A data-dependent size, by identity: equal queries return the same one. @p what lives in the
 * arena. */
htp_outcome htp_sizes_of(htp_machine *m, const char *what, const char *name, htp_trace_size *size);

/** An int that is read from a tensor: the same one at each reading. */
htp_outcome htp_sizes_number_in(htp_machine *m, const htp_item *item, const char *name,
                                htp_trace_size *size);

/** Whether the contents of a tensor are known in every lane. */
bool htp_sizes_know_contents(const htp_item *item);

/** HTP_FAILS: unknown contents are read. */
htp_outcome htp_sizes_refuse_reading(htp_machine *m);

/** The sum of an item's elements; the number of set elements of a mask. */
htp_outcome htp_sizes_total_of(htp_machine *m, const htp_item *item, const char *name,
                               htp_trace_size *size);
htp_outcome htp_sizes_count_of(htp_machine *m, const htp_item *mask, const char *name,
                               htp_trace_size *size);

/** The operator on other inputs, and its outputs with @p size in place of a dim. */
htp_outcome htp_sizes_run_with(htp_machine *m, htp_call *call, const htp_items *inputs, int64_t dim,
                               const htp_trace_size *size, htp_lanes *results);

/** A dim counted from the end; negative if there is none. */
static inline int64_t htp_sizes_dim_from_end(const htp_item *input, int64_t from_end)
{
    return htp_is_tensor(input) ? (int64_t)htp_tensor_in(input, 0)->rank - from_end : -1;
}

/** Outputs with the geometry of the first operand; that operand itself if the operator works in
 * place. */
htp_outcome htp_sizes_like_first(htp_machine *m, const htp_call *call, htp_lanes *results);

/** A tensor without contents like @p tensor, with a dim of another size. */
htp_outcome htp_sizes_with(htp_machine *m, const htp_item *tensor, int64_t dim,
                           const htp_trace_size *size, htp_item **made);

/* ---- operators with data-dependent output sizes, each with is_done as above ---- */

htp_outcome htp_sizes_packed(htp_machine *m, const htp_call *call, htp_lanes *results,
                             bool *is_done); /* packed.c */
htp_outcome htp_sizes_masked(htp_machine *m, htp_call *call, htp_lanes *results,
                             bool *is_done); /* moved.c */
htp_outcome htp_sizes_moved(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done);
htp_outcome htp_sizes_sliced(htp_machine *m, htp_call *call, htp_lanes *results,
                             bool *is_done); /* slices.c */
htp_outcome htp_sizes_joined(htp_machine *m, htp_call *call, htp_lanes *results,
                             bool *is_done); /* joined.c */

/* ---- after an operator raised on sizes that were made up ---- */

/** Replaces inputs by ones that fit; @p is_done is false if that does not apply (fitted.c). */
htp_outcome htp_sizes_fitted(htp_machine *m, const htp_call *call, htp_items *inputs,
                             bool *is_done);
htp_outcome htp_sizes_reshaped(htp_machine *m, htp_call *call, htp_lanes *results,
                               bool *is_done); /* reshaped.c */
htp_outcome htp_sizes_padded(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done);
htp_outcome htp_sizes_met(htp_machine *m, htp_call *call, htp_lanes *results,
                          bool *is_done); /* joined.c */

/** The outputs of an operator that writes to its first operand, when sizes do not fit because one
 * is data-dependent (written.c). */
htp_outcome htp_sizes_written(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done);

#endif
