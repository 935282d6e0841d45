/*
 * Runs kernels in every lane.
 */
#include "interpret/lanes/execute.h"

#include <string.h>

/* ---- memories ---- */

static size_t count_tensors(const htp_operand *operand)
{
    size_t count = operand->kind == HTP_OPERAND_TENSOR;
    for (uint32_t i = 0; operand->kind == HTP_OPERAND_LIST && i < operand->count; i++) {
        count += count_tensors(&operand->as.elements[i]);
    }
    return count;
}

/* Lists the memories of an operand. @return the end of the list */
static uint64_t *list_storages(const htp_operand *operand, uint64_t *at)
{
    if (operand->kind == HTP_OPERAND_TENSOR) {
        *at++ = operand->as.tensor->storage;
    }
    for (uint32_t i = 0; operand->kind == HTP_OPERAND_LIST && i < operand->count; i++) {
        at = list_storages(&operand->as.elements[i], at);
    }
    return at;
}

void htp_call_note_storages(htp_machine *m, htp_call *call, size_t lane,
                            const htp_operand *operands, size_t count)
{
    htp_storages *noted = HTP_NEW_ARRAY(m->arena, htp_storages, call->inputs.count);
    for (size_t i = 0; i < count && i < call->inputs.count; i++) {
        const size_t tensors = count_tensors(&operands[i]);
        if (tensors > 0) {
            uint64_t *storages = HTP_NEW_ARRAY(m->arena, uint64_t, tensors);
            (void)list_storages(&operands[i], storages);
            noted[i] = (htp_storages){storages, tensors};
        }
    }
    call->storages[lane] = noted;
}

/* ---- kernels ---- */

htp_lanes htp_lanes_make(htp_machine *m, size_t count)
{
    htp_lanes lanes = {.count = count};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        lanes.lane[lane] = HTP_NEW_ARRAY(m->arena, htp_operand, count);
    }
    return lanes;
}

/* Keeps factories, which get no tensor, from making real tensors. */
static void keep_from_making_real(const htp_call *call, htp_operand *given)
{
    for (size_t i = 0; i < call->inputs.count && i < call->schema.argument_count; i++) {
        if (given[i].kind == HTP_OPERAND_NONE &&
            strcmp(call->schema.arguments[i].name, "device") == 0 &&
            !htp_item_has_tensors(call->inputs.items[0])) {
            given[i] = htp_operand_no_contents();
        }
    }
}

static htp_outcome run_on_sizes(htp_machine *m, const htp_call *call, size_t lane,
                                htp_operand *given, htp_operand **outputs, size_t *count)
{
    if (call->schema.needs_contents) {
        return htp_call_probe(m, call, lane, outputs, count);
    }
    if (htp_call_gives_operand(call, given)) {
        *outputs = htp_operands_copy(m, given, 1);
        *count = 1;
        return HTP_GOES_ON;
    }
    keep_from_making_real(call, given);
    HTP_DO(htp_call_check_positions(m, call, lane));
    htp_run_mode mode = call->is_elsewhere ? HTP_RUN_ELSEWHERE : HTP_RUN_SIZES;
    htp_outcome outcome =
        htp_schema_run(m, call->schema_number, mode, given, call->inputs.count, outputs, count);
    return outcome == HTP_NO_KERNEL ? htp_call_probe(m, call, lane, outputs, count) : outcome;
}

static htp_outcome run_lane(htp_machine *m, htp_call *call, htp_mode mode, size_t lane,
                            htp_operand **outputs, size_t *count)
{
    size_t given_count = call->inputs.count;
    htp_operand *given = HTP_NEW_ARRAY(m->arena, htp_operand, given_count);
    for (size_t i = 0; i < given_count; i++) {
        HTP_DO(htp_call_operand(m, call, i, lane, mode, &given[i]));
    }
    htp_call_note_storages(m, call, lane, given, given_count);
    return mode == HTP_MODE_SIZES ? run_on_sizes(m, call, lane, given, outputs, count)
                                  : htp_schema_run(m, call->schema_number, HTP_RUN_AS_IS, given,
                                                   given_count, outputs, count);
}

/* An operator under a condition may not run at all sizes. If it raises at the smallest ones, it has
 * no outputs there, and those of other lanes stand for them; two lanes show which dims are dynamic.
 */
htp_outcome htp_call_run_lanes(htp_machine *m, htp_call *call, htp_mode mode, htp_lanes *results)
{
    enum { TELLING = 2 };
    bool must_run = m->recording.block == 0 || call->schema.is_mutable;
    call->absent = 0;
    memset(call->storages, 0, sizeof(call->storages));
    *results = (htp_lanes){0};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        htp_operand *outputs = NULL;
        size_t count = 0;
        htp_outcome outcome = run_lane(m, call, mode, lane, &outputs, &count);
        if (outcome == HTP_FAILS && (must_run || lane < TELLING)) {
            return htp_machine_stop(m, HTP_FAILS, "%s",
                                    htp_message_worded(m, &call->inputs, lane, m->message));
        }
        if (outcome == HTP_FAILS) {
            outputs = htp_operands_copy(m, results->lane[0], results->count);
            count = results->count;
            call->storages[lane] = call->storages[0];
            call->absent |= 1U << lane;
        } else {
            HTP_DO(outcome);
        }
        if (lane != 0 && count != results->count) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "its output's type depends on a dynamic axis");
        }
        results->count = count;
        results->lane[lane] = outputs;
    }
    return HTP_GOES_ON;
}
