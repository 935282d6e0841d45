/*
 * The state of a verification. Private to core/verify.
 */
#ifndef HTP_VERIFY_WORK_H
#define HTP_VERIFY_WORK_H

#include "verify/counterparts.h"
#include "verify/inputs.h"
#include "verify/modules.h"
#include "verify/side.h"

typedef struct htp_verify_work {
    htp_arena *arena;
    const htp_verify_request *request;
    htp_comparison comparison;
    htp_counterparts counterparts;
    htp_side sides[HTP_COMPARED];
    htp_input_kinds kinds;
    uint32_t runs;
    const int64_t *sizes[HTP_VERIFY_RUNS];                   /* by axis */
    const htp_array **arrays[HTP_COMPARED][HTP_VERIFY_RUNS]; /* by value: what comes in */
    const htp_array **left[HTP_VERIFY_RUNS];                 /* by state: what B returned */
    htp_difference_of *carried; /* by value of A; known where both were fetched and compared */
    const bool *is_border; /* by value of A: whether a module with a tag returns it, or the model;
                              NULL: all tensors are compared */
    bool *misfits;     /* by value of A: in a run, the other one had other dims or another type */
    bool *is_unread;   /* by value of A: in a run, both had what is not read here */
    uint64_t *bytes;   /* by value of A: in all runs together */
    int32_t *types;    /* by value of B that was compared: as htp_part_maker_open() takes them */
    bool *has_lengths; /* by value of A: it is among `lengths` */
    htp_verify_lengths_list lengths; /* see htp_verification */
    htp_module_borders borders;      /* of A */
    htp_verify_module *modules;      /* by module of A */
    htp_verify_node *nodes;          /* by node of A */
} htp_verify_work;

/** Whether a value of A was compared in all runs. */
static inline bool htp_verify_has(const htp_verify_work *work, uint32_t value)
{
    return work->carried[value].is_known && !work->misfits[value];
}

/** The tolerance of a value of A. */
static inline double htp_verify_tolerance(const htp_verify_work *work, uint32_t value)
{
    const htp_verify_reference *reference = work->request->reference;
    bool is_told = reference && !work->request->is_chosen && reference->tolerances[value] > 0;
    return is_told ? reference->tolerances[value] : work->request->tolerance;
}

/** Compares a value of A with its counterpart. Integers and bools are equal or not, unless a
 * tolerance is asked for, or the reference's own runs differ there. */
static inline htp_difference_of htp_verify_measure(const htp_verify_work *work, uint32_t value,
                                                   const htp_array *a, const htp_array *b)
{
    const htp_verify_reference *reference = work->request->reference;
    bool is_exact = !work->request->is_chosen && !htp_measure_is_float(htp_array_type(a)) &&
                    !(reference && reference->differs[value]);
    return htp_measure(a, b, is_exact ? 0 : htp_verify_tolerance(work, value));
}

/** Reports how far the work is. @return HTP_CODE_INTERRUPTED where the caller stops it */
HTP_MUST_USE htp_status htp_verify_tick(const htp_verify_work *work, const char *label,
                                        uint64_t done, uint64_t total);

/** Chooses sizes that both models run at, and makes their inputs. */
HTP_MUST_USE htp_status htp_verify_choose(htp_verify_work *work);

/** The values of B whose counterparts in A are what calls return as states, and that B has: they
 * are fetched with a call. */
htp_numbers htp_verify_states_wanted(const htp_verify_work *work);

/** Keeps what B returned as states in a run. @param fetched  the wanted ones come first */
void htp_verify_states_keep(htp_verify_work *work, const htp_fetched *fetched, uint32_t run);

/** Sets the states that B takes in a run to what it returned in the run before: errors add up, as
 * in use. The first run begins with A's. */
void htp_verify_states_hand_on(htp_verify_work *work, uint32_t run);

/** Whether an output of A was compared: in all runs, or it is the same input as that of B. */
bool htp_verify_has_output(const htp_verify_work *work, const htp_compared_value *output);

/** Compares all tensors that have a counterpart. */
HTP_MUST_USE htp_status htp_verify_carried(htp_verify_work *work);

/** Compares modules alone. */
HTP_MUST_USE htp_status htp_verify_own(htp_verify_work *work);

/** Lists the tensors that are not compared, once all others are. Linear in both models. */
void htp_verify_uncompared(htp_verify_work *work, htp_uncompared_list *list);

/** Writes what modules return to the folder of the request.
 * @param index  receives JSON that lists modules and files */
HTP_MUST_USE htp_status htp_verify_save(htp_verify_work *work, const char **index);

#endif
