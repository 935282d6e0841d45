/* Runs calls for real, to compare with the sizes given for them. */
#include "oracle.h"

#include "interpret/operators/operand_checks.h"
#include "interpret/operators/operator_facts.h"

#include <stdio.h>
#include <string.h>

/* ---- what is not run for real ---- */

static const char *find_exclusion(const oracle_call *call)
{
    return htp_operator_is_unchecked(call->schema) ? "unchecked" : NULL;
}

static bool may_run(oracle *o, const oracle_call *call, const htp_operand *inputs)
{
    htp_error reason;
    htp_operand_budget budget = {0};
    const htp_guard guard = htp_guard_find(call->schema->name, false);
    const htp_operands operands = {.all = inputs,
                                   .count = call->count,
                                   .arguments = call->schema->arguments,
                                   .argument_count = call->schema->argument_count,
                                   .are_made_real = true,
                                   .runner = o->inner,
                                   .budget = &budget};
    return htp_guard_allows(&guard, &operands, &reason);
}

/* ---- runs ---- */

static void run(oracle *o, const oracle_call *call, htp_run_mode mode, const htp_operand *inputs,
                oracle_result *result)
{
    htp_error error = {{0}};
    *result = (oracle_result){0};
    result->code = o->inner->run(o->inner->self, call->number, mode, inputs, call->count,
                                 &result->outputs, &result->count, &error);
    memcpy(result->message, error.message, sizeof(result->message));
    oracle_list_tensors(o, inputs, call->count, &result->inputs);
}

/* Runs on ones, or on other contents if these fail: an index of one may be out of range, a division
 * by zero fails, a matrix of ones has no inverse. @return why it did not run */
static const char *run_for_real(oracle *o, const oracle_call *call, oracle_way way,
                                oracle_result *result)
{
    static const oracle_fill fills[] = {ORACLE_ONES, ORACLE_ZEROES, ORACLE_VARIED};
    bool is_trusting = htp_operator_trusts_contents(call->schema);
    size_t last = is_trusting ? 1 : 2;
    for (size_t i = is_trusting ? 1 : 0; i <= last; i++) {
        way.fill = fills[i];
        htp_operand *inputs = NULL;
        if (!oracle_make(o, call, &way, &inputs)) {
            return "operands cannot be made";
        }
        if (!may_run(o, call, inputs)) {
            return "may not run";
        }
        run(o, call, HTP_RUN_AS_IS, inputs, result);
        if (result->code != HTP_RUN_RAISED) {
            break;
        }
    }
    if (result->code == HTP_RUN_NO_KERNEL || strstr(result->message, "not implemented for")) {
        return "libtorch has no kernel for this type";
    }
    bool is_decided = result->code == HTP_RUN_OK || result->code == HTP_RUN_RAISED;
    return is_decided ? NULL : "it gives what cannot be described, or needs too much memory";
}

static void report(oracle *o, const oracle_call *call, const oracle_way *way,
                   const oracle_result *told, const oracle_result *real, const htp_operand *inputs)
{
    const char *layout = oracle_way_name(o, way);
    const char *detail = NULL;
    oracle_report_call(call->schema->kind);
    oracle_report("checked", call->schema->kind, layout, "");
    const char *what = oracle_compare(o, told, real, &detail);
    if (what) {
        const char *key = htp_arena_printf(&o->arena, "%s\t%s", layout, what);
        oracle_report("found", call->schema->kind, key,
                      htp_arena_printf(&o->arena, "%s: %s", oracle_words(o, call, inputs), detail));
    }
}

static void examine_as_given(oracle *o, const oracle_call *call, const oracle_result *told)
{
    const oracle_way way = {.layout = ORACLE_AS_GIVEN};
    oracle_result answered = *told;
    oracle_result real = {0};
    const char *why = run_for_real(o, call, way, &real);
    if (why) {
        oracle_report("skipped", call->schema->kind, why, oracle_words(o, call, call->inputs));
        return;
    }
    oracle_list_tensors(o, call->inputs, call->count, &answered.inputs);
    report(o, call, &way, &answered, &real, call->inputs);
}

static void examine_in_layout(oracle *o, const oracle_call *call, oracle_way way)
{
    htp_operand *inputs = NULL;
    if (!oracle_make(o, call, &way, &inputs) || !oracle_is_new(oracle_words(o, call, inputs))) {
        return;
    }
    oracle_result told = {0};
    oracle_result real = {0};
    if (!run_for_real(o, call, way, &real)) {
        run(o, call, HTP_RUN_SIZES, inputs, &told);
        report(o, call, &way, &told, &real, inputs);
    }
}

/* Lanes differ only in how large sizes are. */
static bool is_of_new_kind(oracle *o, const oracle_call *call)
{
    htp_text text = {.arena = &o->arena};
    htp_text_addf(&text, "kind of %s", call->schema->kind);
    oracle_write_operands(&text, call->inputs, call->count, true);
    return oracle_is_new(htp_text_string(&text));
}

static void examine_in_layouts(oracle *o, const oracle_call *call)
{
    for (int layout = ORACLE_AS_GIVEN + 1; layout < ORACLE_LAYOUT_COUNT; layout++) {
        for (int choice = 0; choice < ORACLE_CHOICE_COUNT; choice++) {
            const oracle_way way = {.layout = layout, .choice = choice};
            examine_in_layout(o, call, way);
        }
    }
}

void oracle_examine(oracle *o, const oracle_call *call, const oracle_result *told)
{
    if (!oracle_is_new(oracle_words(o, call, call->inputs))) {
        return;
    }
    const char *excluded = find_exclusion(call);
    if (excluded) {
        oracle_report("skipped", call->schema->kind, excluded, "");
        return;
    }
    uint64_t mark = o->inner->mark(o->inner->self);
    examine_as_given(o, call, told);
    if (is_of_new_kind(o, call)) {
        examine_in_layouts(o, call);
    }
    o->inner->release(o->inner->self, mark);
}

void oracle_note_probes(oracle *o, const oracle_call *call)
{
    oracle_tensors tensors = {0};
    oracle_list_tensors(o, call->inputs, call->count, &tensors);
    int64_t most = 0;
    for (size_t i = 0; i < tensors.count; i++) {
        most = tensors.items[i]->elements > most ? tensors.items[i]->elements : most;
    }
    oracle_report("reached", call->schema->kind,
                  htp_arena_printf(&o->arena, "%lld", (long long)most), "");
}
