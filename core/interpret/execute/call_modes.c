/*
 * Decides whether an operator runs, and on what: operands, or their sizes alone.
 */
#include "interpret/lanes/call_facts.h"
#include "interpret/lanes/elsewhere.h"
#include "interpret/lanes/execute.h"

#include <string.h>

/* ---- operators that are not run ---- */

/* unique() with sorted=False that indeed does not sort. */
static bool has_no_order(htp_machine *m, const htp_call *call)
{
    const char *name = call->schema.name;
    if ((strcmp(name, "aten::_unique") != 0 && strcmp(name, "aten::_unique2") != 0) ||
        call->inputs.count < 2) {
        return false;
    }
    const htp_item *sorted = call->inputs.items[1];
    bool sorts = htp_is_constant(sorted) && htp_is_bool(sorted) && sorted->lane[0].as.b;
    return !sorts && !htp_unique_sorts(m);
}

/* Marks the dim that an item gives. */
static htp_outcome mark_dim(htp_machine *m, const htp_item *item, uint32_t rank, bool *is_meant)
{
    if (!htp_is_int(item)) {
        return htp_machine_stop(m, HTP_FAILS, "expected a dim, which is an int");
    }
    int64_t dim = item->lane[0].as.i;
    int64_t most = rank > 0 ? rank : 1;
    int64_t at = htp_dim_wrap(dim, most);
    if (at < 0) {
        return htp_machine_stop(m, HTP_FAILS,
                                "Dimension out of range (expected to be in range of [%lld, %lld], "
                                "but got %lld)",
                                (long long)-most, (long long)most - 1, (long long)dim);
    }
    is_meant[at] = true;
    return HTP_GOES_ON;
}

/* Marks the dims that squeeze() names. */
static htp_outcome mark_dims(htp_machine *m, const htp_items *inputs, uint32_t rank, bool *is_meant)
{
    if (inputs->count == 1) {
        memset(is_meant, true, rank);
        return HTP_GOES_ON;
    }
    const htp_item *dims = inputs->items[1];
    if (!htp_is_container(dims)) {
        HTP_DO(mark_dim(m, dims, rank, is_meant));
    }
    for (size_t i = 0; i < dims->elements.count; i++) {
        HTP_DO(mark_dim(m, dims->elements.items[i], rank, is_meant));
    }
    return HTP_GOES_ON;
}

/* squeeze() of a data-dependent dim, which is removed if it is 1. */
static htp_outcome squeezes_data(htp_machine *m, const htp_call *call, bool *squeezes)
{
    const char *name = call->schema.name;
    bool is_squeeze = strcmp(name, "aten::squeeze") == 0 || strcmp(name, "aten::squeeze_") == 0;
    *squeezes = false;
    if (!is_squeeze || call->inputs.count == 0 || !htp_is_tensor(call->inputs.items[0]) ||
        !htp_is_data(call->inputs.items[0])) {
        return HTP_GOES_ON;
    }
    const htp_item *tensor = call->inputs.items[0];
    uint32_t rank = htp_tensor_in(tensor, 0)->rank;
    bool *is_meant = HTP_NEW_ARRAY(m->arena, bool, (size_t)rank + 1);
    HTP_DO(mark_dims(m, &call->inputs, rank, is_meant));
    for (uint32_t dim = 0; dim < rank; dim++) {
        *squeezes = *squeezes || (is_meant[dim] && !htp_item_is_fixed(m, tensor, dim));
    }
    return HTP_GOES_ON;
}

/* Whether positions in memory matter, and those of an operand differ in another build of libtorch.
 */
static bool takes_moved_places(const htp_machine *m, const htp_call *call, const char **reason)
{
    bool takes = htp_call_has_fact(call, HTP_FACT_TAKES_PLACES) && call->inputs.count > 0 &&
                 htp_is_tensor(call->inputs.items[0]);
    *reason = takes ? htp_elsewhere_moved(m, call->inputs.items[0]) : NULL;
    return *reason;
}

htp_outcome htp_call_find_refusal(htp_machine *m, const htp_call *call, const char **refusal)
{
    const char *moved = NULL;
    *refusal = NULL;
    if (htp_operator_makes_nested(&call->schema)) {
        *refusal = "it makes a nested tensor, which ONNX has no type for; make the encoder with "
                   "enable_nested_tensor=False, which computes the same where no mask is";
    } else if (!htp_operator_may_run(&call->schema)) {
        *refusal = "it does more than to compute, and is not run for a file";
    } else if (htp_operator_is_unchecked(&call->schema) &&
               !htp_operator_is_sized_alone(&call->schema)) {
        *refusal = "it is not run, because its kernel does not check its operands";
    } else if (has_no_order(m, call)) {
        *refusal = "without sorted=True the order of its output is not defined";
    } else if (takes_moved_places(m, call, &moved)) {
        *refusal = htp_arena_printf(m->arena,
                                    "it takes elements by their places in memory, which depend on "
                                    "%s; copy it first, with "
                                    ".clone(memory_format=torch.contiguous_format)",
                                    moved);
    } else {
        bool squeezes = false;
        HTP_DO(squeezes_data(m, call, &squeezes));
        *refusal = squeezes ? "the data decides whether its output has that dim" : NULL;
    }
    return HTP_GOES_ON;
}

/* ---- unknown numbers ---- */

static bool knows_value(const htp_item *item)
{
    return htp_has_lanes(item) && !htp_is_data(item);
}

static bool is_known(const htp_item *item)
{
    return !htp_is_tensor(item) || (htp_is_real(item) && !htp_is_data(item));
}

/* The same for operators that are exact on sizes, where made-up ones suffice. */
static bool knows_value_exactly(const htp_item *item)
{
    return htp_has_lanes(item);
}

static bool is_known_exactly(const htp_item *item)
{
    return !htp_is_tensor(item) || htp_is_real(item);
}

static htp_type_kind kind_of(const htp_machine *m, uint32_t type)
{
    return type == HTP_NONE ? HTP_TYPE_OTHER : m->program->types[type].kind;
}

static bool gives_numbers(const htp_machine *m, const htp_call *call)
{
    size_t count = htp_call_output_count(m, call);
    for (size_t i = 0; i < count; i++) {
        htp_type_kind kind = kind_of(m, htp_call_output_type(m, call, i));
        if (kind != HTP_TYPE_INT && kind != HTP_TYPE_FLOAT && kind != HTP_TYPE_BOOL &&
            kind != HTP_TYPE_NUMBER) {
            return false;
        }
    }
    return true;
}

bool htp_call_gives_unknown_numbers(const htp_machine *m, const htp_call *call)
{
    bool is_exact = htp_call_has_fact(call, HTP_FACT_EXACT_ON_SIZES);
    bool reads = htp_call_has_fact(call, HTP_FACT_READS_CONTENTS);
    htp_item_test value_test = is_exact ? knows_value_exactly : knows_value;
    htp_item_test tensor_test = is_exact ? is_known_exactly : is_known;
    bool any_tensor = false;
    bool any_unknown = false;
    for (size_t i = 0; i < call->inputs.count; i++) {
        const htp_item *input = call->inputs.items[i];
        bool has_tensors = htp_item_has_tensors(input);
        any_tensor = any_tensor || has_tensors;
        any_unknown = any_unknown || (!has_tensors && !htp_item_all(input, value_test)) ||
                      (reads && !htp_item_all(input, tensor_test));
    }
    return any_unknown && (!any_tensor || reads) && gives_numbers(m, call);
}

/* ---- modes ---- */

static bool is_fixed(const htp_item *item)
{
    return htp_is_tensor(item) || knows_value(item);
}

static bool makes_tensors(const htp_machine *m, const htp_program_schema *schema)
{
    for (uint32_t i = 0; i < schema->return_count; i++) {
        htp_type_kind kind = kind_of(m, schema->returns[i].type);
        if (kind == HTP_TYPE_TENSOR || kind == HTP_TYPE_LIST) {
            return true;
        }
    }
    return false;
}

static bool fits_real(const htp_operand *operand)
{
    if (operand->kind == HTP_OPERAND_TENSOR) {
        return operand->as.tensor->elements <= HTP_REAL_ELEMENTS;
    }
    bool fits = true;
    for (uint32_t i = 0; operand->kind == HTP_OPERAND_LIST && i < operand->count && fits; i++) {
        fits = fits_real(&operand->as.elements[i]);
    }
    return fits;
}

static bool all_fit_real(const htp_machine *m, const htp_lanes *results)
{
    bool fit = true;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        for (size_t i = 0; i < results->count && fit; i++) {
            fit = fits_real(&results->lane[lane][i]);
        }
    }
    return fit;
}

/* Whether an outcome is an error, rather than one that a caller handles. */
static bool is_error(htp_outcome outcome)
{
    return outcome >= HTP_RAISES && outcome <= HTP_TOO_LARGE;
}

/* Meta kernels give the sizes, for real tensors as well, so nothing large is computed. Operators
 * with only a real kernel get small real tensors. */
static htp_outcome run_for_real(htp_machine *m, htp_call *call, bool any_tensor, htp_mode *mode,
                                htp_lanes *results)
{
    htp_outcome outcome = htp_call_run_lanes(m, call, HTP_MODE_SIZES, results);
    bool has_results = outcome == HTP_GOES_ON;
    if (!has_results && (!is_error(outcome) || (!any_tensor && outcome != HTP_NO_KERNEL))) {
        return outcome;
    }
    *mode = HTP_MODE_SIZES;
    if (has_results && !all_fit_real(m, results)) {
        return HTP_GOES_ON;
    }
    htp_lanes real = {0};
    outcome = htp_call_run_lanes(m, call, HTP_MODE_REAL, &real);
    if (outcome == HTP_TOO_LARGE) {
        return has_results
                   ? HTP_GOES_ON
                   : htp_machine_stop(m, HTP_UNSUPPORTED,
                                      "its output, or its working memory, is too large to be "
                                      "computed at export");
    }
    HTP_DO(outcome);
    *mode = HTP_MODE_REAL;
    *results = real;
    return HTP_GOES_ON;
}

htp_outcome htp_call_run_in_mode(htp_machine *m, htp_call *call, htp_mode *mode, htp_lanes *results)
{
    const char *name = call->schema.name;
    bool is_exact = htp_call_has_fact(call, HTP_FACT_EXACT_ON_SIZES);
    bool takes_any = is_exact || htp_operator_takes_data_numbers(name);
    bool any_tensor = false;
    bool all_real = true;
    for (size_t i = 0; i < call->inputs.count; i++) {
        const htp_item *input = call->inputs.items[i];
        if (!takes_any && !htp_item_all(input, is_fixed)) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "a number that it needs depends on the data");
        }
        any_tensor = any_tensor || htp_item_has_tensors(input);
        all_real = all_real && htp_item_all(input, is_exact ? is_known_exactly : is_known);
    }
    if (!makes_tensors(m, &call->schema)) {
        bool reads = htp_call_has_fact(call, HTP_FACT_READS_CONTENTS);
        *mode = !any_tensor ? HTP_MODE_VALUES : all_real && reads ? HTP_MODE_REAL : HTP_MODE_SIZES;
        return htp_call_run_lanes(m, call, *mode, results);
    }
    if (!all_real || htp_call_is_nondeterministic(call) || htp_operator_is_uninitialised(name) ||
        htp_operator_trusts_contents(&call->schema)) {
        *mode = HTP_MODE_SIZES;
        return htp_call_run_lanes(m, call, *mode, results);
    }
    return run_for_real(m, call, any_tensor, mode, results);
}
