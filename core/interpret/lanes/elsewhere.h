/*
 * Tensors that lie in memory as it depends on how libtorch was built, or on which one of several a
 * value is that only the data tells: what programs do with them is asked once more, about a
 * libtorch that was built otherwise, or about the other value.
 *
 * What an operator gives there is kept where it lies otherwise, or in the memory of another
 * operand: a view here, a copy there. Kernels tell that as they tell sizes, so that views, kernels
 * that keep the order of their operands, and copies into another order need no tables.
 *
 * Of the builds that there are, one stands for all others.
 */
#ifndef HTP_INTERPRET_LANES_ELSEWHERE_H
#define HTP_INTERPRET_LANES_ELSEWHERE_H

#include "interpret/lanes/call.h"

/** What a call gives elsewhere. */
typedef struct htp_call_elsewhere {
    const char *reason; /* NULL: the same, and nobody was asked */
    bool is_told;       /* results are there; otherwise it raises, or nobody knows */
    bool raises;
    htp_lanes results;
} htp_call_elsewhere;

/** Asks where some operand lies otherwise, or the operator's row of builds.def says so. */
htp_outcome htp_elsewhere_ask(htp_machine *m, htp_call *call, htp_call_elsewhere *elsewhere);

/** Why results of a call that are no tensors cannot be told: they are others elsewhere. NULL. */
const char *htp_elsewhere_refusal(htp_machine *m, const htp_call *call, const htp_lanes *results,
                                  const htp_call_elsewhere *elsewhere);

/** Notes how tensors that a call gave lie elsewhere. */
htp_outcome htp_elsewhere_note(htp_machine *m, const htp_call *call,
                               const htp_call_elsewhere *elsewhere, const htp_items *outputs);

/** What stands for several values and may be any of them (control/, loops/) lies in one way here
 * and in another one elsewhere, too: as far as the values lie in two ways, these; otherwise in one
 * that is none of theirs. */

/** An empty tensor that lies as @p model does, from the beginning of its memory and without gaps.
 */
htp_outcome htp_tensor_laid(htp_machine *m, const htp_runner_tensor *model,
                            const htp_runner_tensor **made);

/** Notes of a tensor that stands for several, @p model among them, how that one lies. The model may
 * be what the tensor was before it had other sizes. @param reason  what decides which one it is */
htp_outcome htp_elsewhere_stand_for(htp_machine *m, htp_item *tensor, const htp_item *model,
                                    const char *reason);

/** Whether that is noted of it already. */
htp_outcome htp_elsewhere_stands_for(htp_machine *m, const htp_item *tensor, const htp_item *model,
                                     bool *stands);

/** Notes of a tensor that nobody knows how it lies. */
htp_outcome htp_elsewhere_lie_anyhow(htp_machine *m, htp_item *tensor, const char *reason);

/** Why elements of a tensor have other places in its memory elsewhere; NULL where they do not. */
const char *htp_elsewhere_moved(const htp_machine *m, const htp_item *tensor);

/** In how many lanes a tensor that a call gave lies in the memory of its input @p input; with a
 * libtorch that was built otherwise where @p is_elsewhere. */
uint32_t htp_call_count_shared(const htp_machine *m, const htp_call *call, const htp_item *tensor,
                               size_t input, bool is_elsewhere);

#endif
