/*
 * A call of an operator: its operands in every lane, and its outputs.
 */
#ifndef HTP_INTERPRET_LANES_CALL_H
#define HTP_INTERPRET_LANES_CALL_H

#include "interpret/recording/recording.h"

/** A call of an operator. */
typedef struct htp_call {
    uint32_t schema_number;
    htp_program_schema schema;    /* a copy: tables move */
    const char *base_name;        /* "add" of "aten::add" */
    unsigned facts;               /* of facts.def */
    const htp_program_node *node; /* its node in the program; NULL if it comes from no line of it */
    htp_items inputs;
    const htp_place *place;
    uint32_t absent; /* bit L: it raised in lane L, where outputs of lane 0 stand for its own */
    /* Memories passed to the kernel, by lane and input, including those in lists. */
    struct htp_storages *storages[HTP_MAX_LANES];
    /* The same with another build of libtorch; NULL if the call was not run for one (elsewhere.h).
     */
    struct htp_storages *storages_elsewhere[HTP_MAX_LANES];
    bool is_elsewhere; /* this run is for the other build */
} htp_call;

typedef struct htp_storages {
    const uint64_t *all;
    size_t count;
} htp_storages; /* one per input */

/** Outputs of an operator by lane, `count` in each. */
typedef struct htp_lanes {
    size_t count;
    htp_operand *lane[HTP_MAX_LANES];
} htp_lanes;

/** How operands reach kernels. */
typedef enum htp_mode { HTP_MODE_VALUES, HTP_MODE_REAL, HTP_MODE_SIZES } htp_mode;

/** The same call on other inputs. */
htp_call htp_call_with(const htp_call *call, const htp_items *inputs);

/** The number of the operator's outputs, and the type of one (in the program). */
size_t htp_call_output_count(const htp_machine *m, const htp_call *call);
uint32_t htp_call_output_type(const htp_machine *m, const htp_call *call, size_t index);

/** Whether its results differ each time it runs. */
bool htp_call_is_nondeterministic(const htp_call *call);

/** The operand at an index in one lane, prepared for a kernel (operands.c). */
htp_outcome htp_call_operand(htp_machine *m, const htp_call *call, size_t index, size_t lane,
                             htp_mode mode, htp_operand *operand);

/** An item in a lane as an operand, with lists assembled. @param type  of the list, or HTP_NONE */
htp_outcome htp_item_operand(htp_machine *m, const htp_item *item, size_t lane, uint32_t type,
                             htp_operand *operand);

/** Replaces a tensor: argument @p index, or an element of a list there. */
typedef htp_outcome htp_replace(htp_machine *m, size_t index, const htp_runner_tensor *tensor,
                                const htp_runner_tensor **made);

/** All operands of a call in a lane, with tensors replaced. @param replace  NULL: keep them */
htp_outcome htp_call_operands(htp_machine *m, const htp_call *call, size_t lane,
                              htp_replace *replace, htp_operand **operands);

/** Replaces a real tensor by a meta tensor; others stay. */
htp_replace htp_tensor_hide;

/** Records the memories of operands, as passed to the kernel in a lane. */
void htp_call_note_storages(htp_machine *m, htp_call *call, size_t lane,
                            const htp_operand *operands, size_t count);

/**
 * Turns results into items, records the node, its views and its changes (execute/outputs.c).
 * @param decides  its sizes are data-dependent
 */
htp_outcome htp_call_make_outputs(htp_machine *m, htp_call *call, htp_mode mode,
                                  const htp_lanes *results, bool decides, htp_items *outputs);

/** Makes outputs that are numbers read from unknown contents. */
htp_outcome htp_call_make_unknown_numbers(htp_machine *m, htp_call *call, htp_items *outputs);

/** Records the node with unknown outputs, and why. */
htp_outcome htp_call_fail(htp_machine *m, htp_call *call, const char *reason, htp_items *outputs);

/** The same; if made-up sizes may be found with other lanes, requests these instead. */
htp_outcome htp_call_fail_on_data(htp_machine *m, htp_call *call, const char *reason,
                                  htp_items *outputs);

/** Runs a call and records it (execute/call.c). */
htp_outcome htp_call_run(htp_machine *m, htp_call *call, htp_items *outputs);

/** Why an operator is not run at all, or NULL (execute/call_modes.c). */
htp_outcome htp_call_find_refusal(htp_machine *m, const htp_call *call, const char **refusal);

/** Whether it returns a number read from unknown contents, or computed from such numbers alone. */
bool htp_call_gives_unknown_numbers(const htp_machine *m, const htp_call *call);

#endif
