/*
 * Tensors whose layout depends on how libtorch was built, or on which of several values the data
 * selects. Operators on them run once more, with the layout of another build, or of the other
 * value.
 *
 * The second result is kept if its layout differs, or if its memory is shared differently: a view
 * here, a copy there. Meta kernels give layouts as they give sizes, so views, kernels that keep the
 * order of their operands, and copies into another order need no tables.
 *
 * One other build represents all others.
 */
#ifndef HTP_INTERPRET_LANES_ELSEWHERE_H
#define HTP_INTERPRET_LANES_ELSEWHERE_H

#include "interpret/lanes/call.h"

/** The results of a call elsewhere. */
typedef struct htp_call_elsewhere {
    const char *reason; /* NULL: the same, and the call did not run again */
    bool is_told;       /* results are known; otherwise the call raises, or they are unknown */
    bool raises;
    htp_lanes results;
} htp_call_elsewhere;

/** Runs the call again if an operand has another layout elsewhere, or the operator has a row in
 * builds.def. */
htp_outcome htp_elsewhere_ask(htp_machine *m, htp_call *call, htp_call_elsewhere *elsewhere);

/** Why results other than tensors are refused, because they differ elsewhere; or NULL. */
const char *htp_elsewhere_refusal(htp_machine *m, const htp_call *call, const htp_lanes *results,
                                  const htp_call_elsewhere *elsewhere);

/** Records the layouts of a call's results elsewhere. */
htp_outcome htp_elsewhere_note(htp_machine *m, const htp_call *call,
                               const htp_call_elsewhere *elsewhere, const htp_items *outputs);

/** An item that stands for several values (control/, loops/) has two layouts, too: those of the
 * values if they have two, else one that no value has. */

/** An empty tensor with the layout of @p model, from the beginning of its memory and without gaps.
 */
htp_outcome htp_tensor_laid(htp_machine *m, const htp_runner_tensor *model,
                            const htp_runner_tensor **made);

/** Records the layout of @p model, one of the values that a tensor stands for. The model may be
 * the tensor before its sizes changed. @param reason  what decides which value it is */
htp_outcome htp_elsewhere_stand_for(htp_machine *m, htp_item *tensor, const htp_item *model,
                                    const char *reason);

/** Whether that layout is already recorded. */
htp_outcome htp_elsewhere_stands_for(htp_machine *m, const htp_item *tensor, const htp_item *model,
                                     bool *stands);

/** Records that the layout of a tensor is unknown. */
htp_outcome htp_elsewhere_lie_anyhow(htp_machine *m, htp_item *tensor, const char *reason);

/** Why elements of a tensor have other positions in its memory elsewhere; NULL if they do not. */
const char *htp_elsewhere_moved(const htp_machine *m, const htp_item *tensor);

/** The number of lanes in which a result of a call shares the memory of input @p input; with
 * another build of libtorch if @p is_elsewhere. */
uint32_t htp_call_count_shared(const htp_machine *m, const htp_call *call, const htp_item *tensor,
                               size_t input, bool is_elsewhere);

#endif
