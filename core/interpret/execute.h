/*
 * Runs one operator in every lane: on tensors without contents, or for real where everything is
 * known.
 */
#ifndef HTP_INTERPRET_EXECUTE_H
#define HTP_INTERPRET_EXECUTE_H

#include "interpret/recording.h"

/** Runs the operator of the node at @p place, records it, and gives its outputs. HTP_BAD_INPUTS
 * where libtorch raises on these inputs; where it cannot tell the outputs' types, the node is
 * recorded with its failure and its outputs are unknown. */
htp_outcome htp_execute_node(htp_machine *m, const htp_items *inputs, const htp_place *place,
                             htp_items *outputs);

/** An operator that the program does not name, with one output. */
htp_outcome htp_execute(htp_machine *m, const char *name, const char *overload,
                        const htp_items *inputs, const htp_place *place, htp_item **output);

/** The same, with all outputs. */
htp_outcome htp_execute_all(htp_machine *m, const char *name, const char *overload,
                            const htp_items *inputs, const htp_place *place, htp_items *outputs);

/* ---- for the rooms that the executor is made of ---- */

/** An operator that is being run. */
typedef struct htp_call {
    uint32_t schema_number;
    htp_program_schema schema;    /* a copy: tables move */
    const char *base_name;        /* "add" of "aten::add" */
    const htp_program_node *node; /* that stands for it; NULL where no line of the program does */
    htp_items inputs;
    const htp_place *place;
    /* What the kernel was given, by lane and input: the memories of tensors, of lists' too. NULL
     * where it was given none. */
    struct htp_storages *storages[HTP_SHIM_MAX_LANES];
} htp_call;

typedef struct htp_storages {
    const uint64_t *all;
    size_t count;
} htp_storages; /* one for each input */

/** Outputs of an operator by lane: count of them in each. */
typedef struct htp_lanes {
    size_t count;
    htp_operand *lane[HTP_SHIM_MAX_LANES];
} htp_lanes;

/** How operands reach kernels. */
typedef enum htp_mode { HTP_MODE_VALUES, HTP_MODE_REAL, HTP_MODE_SIZES } htp_mode;

/** A call like @p call, on other inputs. */
htp_call htp_call_with(const htp_call *call, const htp_items *inputs);

/** Whether unique() sorts although it is told that it need not (unique_order.c). */
bool htp_unique_sorts(htp_machine *m);

/** How many outputs the operator gives, and the type of one (of the program). */
size_t htp_call_output_count(const htp_machine *m, const htp_call *call);
uint32_t htp_call_output_type(const htp_machine *m, const htp_call *call, size_t index);

/** Whether it gives other results each time it runs. */
bool htp_call_is_nondeterministic(const htp_call *call);

/** The operand at an index in one lane, made ready for a kernel (lanes.c). */
htp_outcome htp_call_operand(htp_machine *m, const htp_call *call, size_t index, size_t lane,
                             htp_mode mode, htp_operand *operand);

/** An item in a lane as an operand, lists put together. @param type  the list's type, or
 * HTP_SHIM_NONE */
htp_outcome htp_item_operand(htp_machine *m, const htp_item *item, size_t lane, uint32_t type,
                             htp_operand *operand);

/** Gives what stands for a tensor that is argument number @p index, or in a list that is. */
typedef htp_outcome htp_replace(htp_machine *m, size_t index, const htp_runner_tensor *tensor,
                                const htp_runner_tensor **made);

/** All operands of a call in a lane, with other tensors. @param replace  NULL: with their own */
htp_outcome htp_call_operands(htp_machine *m, const htp_call *call, size_t lane,
                              htp_replace *replace, htp_operand **operands);

/** A tensor like a real one, of which nothing but its sizes is known; others as they are. */
htp_replace htp_tensor_hide;

/** Notes the memories that operands lie in, as what the kernel was given in a lane. */
void htp_call_note_storages(htp_machine *m, htp_call *call, size_t lane,
                            const htp_operand *operands, size_t count);

/** Runs the kernel in all lanes. */
htp_outcome htp_call_run_lanes(htp_machine *m, htp_call *call, htp_mode mode, htp_lanes *results);

/** Room for @p count outputs in each lane. */
htp_lanes htp_lanes_make(htp_machine *m, size_t count);

/** The outputs for tensors full of ones, or zeroes (stand_ins.c).
 * @param mode  HTP_RUN_ONES, HTP_RUN_ZEROES
 * @param prepare  what stands for a tensor, before it is made real; NULL
 * @param refusal  how the kernel ended that does not take them: a division by zero, an index of one
 *                 that is out of range. HTP_GOES_ON of one that does */
htp_outcome htp_call_try_stand_ins(htp_machine *m, const htp_call *call, size_t lane,
                                   htp_run_mode mode, htp_replace *prepare, htp_operand **outputs,
                                   size_t *count, htp_outcome *refusal);

/** Where there is no kernel for tensors without contents: the real one, on stand-ins. */
htp_outcome htp_call_run_on_stand_ins(htp_machine *m, const htp_call *call, size_t lane,
                                      htp_operand **outputs, size_t *count);

/** Operators that libtorch runs step by step: the outputs on @p given from a few steps;
 * @p is_done is false where they are to run as they are (few_steps.c). */
htp_outcome htp_call_run_few_steps(htp_machine *m, const htp_call *call, const htp_operand *given,
                                   size_t count, htp_operand **outputs, size_t *output_count,
                                   bool *is_done);

/** Gives outputs of kernels without contents the layout that the real kernel gives (layouts.c). */
htp_outcome htp_call_lay_out(htp_machine *m, const htp_call *call, htp_lanes *results);

/** Dims from the one whose elements lie farthest apart to the one whose lie closest. */
void htp_tensor_order(const htp_runner_tensor *tensor, uint32_t *order);

/** A tensor without contents of @p tensor's sizes and type, whose dims lie in this order. */
htp_outcome htp_tensor_ordered(htp_machine *m, const htp_runner_tensor *tensor,
                               const uint32_t *order, const htp_runner_tensor **made);

/** @p tensor with another size of one dim, on the same memory: views stay views. */
htp_outcome htp_tensor_resized(htp_machine *m, const htp_runner_tensor *tensor, int64_t dim,
                               int64_t size, const htp_runner_tensor **made);

/** @p tensor, which is contiguous, with all sizes others, on the same memory. */
htp_outcome htp_tensor_reshaped(htp_machine *m, const htp_runner_tensor *tensor,
                                const int64_t *dims, size_t rank, const htp_runner_tensor **made);

/** Makes items of results, records the node, and notes what it looks at and changes (outputs.c).
 * @param decides  the data decides sizes of them */
htp_outcome htp_call_make_outputs(htp_machine *m, htp_call *call, htp_mode mode,
                                  const htp_lanes *results, bool decides, htp_items *outputs);

/** Outputs that are numbers read off contents that nobody knows. */
htp_outcome htp_call_make_unknown_numbers(htp_machine *m, htp_call *call, htp_items *outputs);

/** Records the node with unknown outputs, and why. */
htp_outcome htp_call_fail(htp_machine *m, htp_call *call, const char *reason, htp_items *outputs);

/** The same; where sizes were made up that other lanes may tell, these are to be tried. */
htp_outcome htp_call_fail_on_data(htp_machine *m, htp_call *call, const char *reason,
                                  htp_items *outputs);

/** Runs a call and records it (call.c). */
htp_outcome htp_call_run(htp_machine *m, htp_call *call, htp_items *outputs);

/** Why an operator is not run at all; NULL for others (call_modes.c). */
htp_outcome htp_call_find_refusal(htp_machine *m, const htp_call *call, const char **refusal);

/** Whether it gives a number read off contents that nobody knows, or computed from such numbers
 * alone. */
bool htp_call_gives_unknown_numbers(const htp_machine *m, const htp_call *call);

/** Runs the kernel in all lanes, in the mode that fits what is known of its operands. */
htp_outcome htp_call_run_in_mode(htp_machine *m, htp_call *call, htp_mode *mode,
                                 htp_lanes *results);

/** Runs an operator on operands and tells nobody: a kernel alone. HTP_FAILS where it raises. */
htp_outcome htp_kernel_run(htp_machine *m, const char *name, const char *overload,
                           htp_run_mode mode, const htp_operand *inputs, size_t count,
                           const htp_operand **outputs, uint32_t *output_count);

/** The same by the number of a schema. @param outputs  a copy, to be changed */
htp_outcome htp_schema_run(htp_machine *m, uint32_t schema, htp_run_mode mode,
                           const htp_operand *inputs, size_t count, htp_operand **outputs,
                           size_t *output_count);

/** Whether an operator may be run on these operands: @p reason receives a line where not
 * (guard.c). */
bool htp_schema_may_run(htp_machine *m, uint32_t schema, htp_run_mode mode,
                        const htp_operand *inputs, size_t count, htp_shim_error *reason);

/** Whether elements of a type (htp_scalar_type) are whole numbers. A bool is none. */
bool htp_type_is_whole(int32_t type);

/* ---- what is known of operators (operator_facts.c) ---- */

bool htp_operator_may_run(const htp_program_schema *schema);
bool htp_operator_is_size_operand(const htp_program_schema *schema, size_t argument);
bool htp_operator_is_uninitialised(const char *name);
bool htp_operator_makes_nested(const htp_program_schema *schema);
bool htp_operator_is_unchecked(const htp_program_schema *schema);
bool htp_operator_is_sized_alone(const htp_program_schema *schema);
bool htp_operator_trusts_contents(const htp_program_schema *schema);
bool htp_operator_takes_data_numbers(const char *name);
bool htp_operator_takes_constants_as_numbers(const htp_program_schema *schema);

/** @p text with sizes that other lanes have as "?" (wording.c). */
const char *htp_message_worded(htp_machine *m, const htp_items *inputs, size_t lane,
                               const char *text);

#endif
