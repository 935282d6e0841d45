/*
 * Differences with what came in.
 */
#include "verify/work.h"

#include "onnx/proto/tensor_type.h"

/* Bytes of an element whose type is not known. */
enum { USUAL_ELEMENT = 4 };

/* Tensors that are fetched together: values of both models, side by side. */
struct slice {
    htp_numbers values[HTP_COMPARED];
};

/* A list is taken to hold what its node reads: its tensors, and those of another list. */
static uint64_t estimate_list(const htp_verify_work *work, uint32_t value,
                              const uint64_t *estimates)
{
    const htp_view *view = work->sides[HTP_COMPARED_A].view;
    const htp_view_value *made = &view->values.items[value];
    uint64_t bytes = 0;
    if (made->maker != HTP_VIEW_BY_NODE) {
        return 0;
    }
    htp_view_range read = view->nodes.items[made->node].inputs;
    for (uint32_t i = 0; i < read.count; i++) {
        uint32_t operand = view->operands.items[read.first + i];
        uint64_t more = operand == HTP_NONE ? 0 : estimates[operand];
        bytes = __builtin_add_overflow(bytes, more, &bytes) ? UINT64_MAX : bytes;
    }
    return bytes;
}

/* What a value takes in one run, by the dims that are inferred; 0: not known.
 * @param estimates  by value: those of values before it */
static uint64_t estimate(htp_verify_work *work, uint32_t value, const uint64_t *estimates)
{
    const htp_value_type type =
        htp_view_types_find(work->sides[HTP_COMPARED_A].types, work->arena, value);
    uint64_t most = 0;
    if (type.is_known && *type.container) {
        return estimate_list(work, value, estimates);
    }
    for (uint32_t r = 0; type.is_known && type.has_dims && r < work->runs; r++) {
        uint64_t bytes = htp_tensor_type_bits(type.data_type) / 8;
        work->kinds.axes.sizes = work->sizes[r];
        for (size_t d = 0; d < type.rank; d++) {
            int64_t size = type.dims[d].symbol
                               ? htp_made_axes_size(&work->kinds.axes, type.dims[d].symbol)
                               : type.dims[d].size;
            bytes = size < 0 || __builtin_mul_overflow(bytes, (uint64_t)size, &bytes) ? 0 : bytes;
        }
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Whether an array holds numbers, so that dims or types are why it cannot be compared. */
static bool has_numbers(const htp_array *array)
{
    return array->tensors || htp_measure_has(array->data_type);
}

/* Whether there is something that is not read here: text, unlike None. */
static bool is_unread(const htp_array *array)
{
    return !has_numbers(array) && array->count > 0;
}

/* An empty list does not tell the type of its tensors. */
static void note_type(int32_t *type, const htp_array *array)
{
    if (array->tensors) {
        *type |= HTP_PART_LIST | htp_array_type(array);
    } else {
        *type = array->data_type;
    }
}

/* Whether two that cannot be compared differ: a reference may not have computed its own. */
static bool is_misfit(const htp_verify_work *work, const htp_array *a, const htp_array *b)
{
    bool is_computed = work->request->reference != NULL;
    return is_computed ? has_numbers(a) && has_numbers(b) : has_numbers(a) || has_numbers(b);
}

/* Notes the first run in which lists have different lengths. */
static void note_lengths(htp_verify_work *work, uint32_t value, uint32_t run, const htp_array *a,
                         const htp_array *b)
{
    const htp_verify_lengths found = {value, run, {a->count, b->count}};
    if (a->tensors && a->count != b->count && !work->has_lengths[value]) {
        work->has_lengths[value] = true;
        HTP_PUSH(work->arena, &work->lengths, found);
    }
}

static void measure(htp_verify_work *work, const struct slice *slice, uint32_t run,
                    htp_fetched *const fetched[HTP_COMPARED])
{
    for (size_t i = 0; i < slice->values[0].count; i++) {
        const htp_array *a = htp_fetched_array(fetched[HTP_COMPARED_A], i);
        const htp_array *b = htp_fetched_array(fetched[HTP_COMPARED_B], i);
        uint32_t value = slice->values[HTP_COMPARED_A].items[i];
        if (htp_measure_can(a, b)) {
            work->carried[value] =
                htp_measure_worse(work->carried[value], htp_verify_measure(work, value, a, b));
            work->bytes[value] += htp_array_bytes(a);
            note_type(&work->types[slice->values[HTP_COMPARED_B].items[i]], b);
            note_lengths(work, value, run, a, b);
        } else {
            work->misfits[value] = work->misfits[value] || is_misfit(work, a, b);
            work->is_unread[value] = work->is_unread[value] || (is_unread(a) && is_unread(b));
        }
    }
}

static htp_status run(htp_verify_work *work, const struct slice *slice,
                      htp_side_session sessions[HTP_COMPARED], uint32_t r)
{
    htp_fetched *fetched[HTP_COMPARED] = {NULL, NULL};
    htp_status status = HTP_OK;
    for (int m = 0; m < HTP_COMPARED && !status; m++) {
        status = htp_side_run(&work->sides[m], work->arena, &sessions[m], work->arrays[m][r],
                              &slice->values[m], &fetched[m]);
    }
    if (!status) {
        measure(work, slice, r, fetched);
    }
    htp_fetched_free(fetched[HTP_COMPARED_A]);
    htp_fetched_free(fetched[HTP_COMPARED_B]);
    return status;
}

/* @param behind  the last value of A that is in the slice, and one more: how far the work is */
static htp_status compare(htp_verify_work *work, struct slice *slice, uint32_t behind)
{
    htp_side_session sessions[HTP_COMPARED] = {{.session = NULL}};
    htp_status status = HTP_OK;
    for (int m = 0; m < HTP_COMPARED && !status; m++) {
        status = htp_side_open(
            &work->sides[m], work->arena, NULL, &slice->values[m],
            HTP_NEW_ARRAY(work->arena, int32_t, work->sides[m].view->values.count + 1),
            &sessions[m]);
    }
    for (uint32_t r = 0; r < work->runs && !status; r++) {
        status = run(work, slice, sessions, r);
    }
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_side_close(&sessions[m]);
        slice->values[m].count = 0;
    }
    return status ? status
                  : htp_verify_tick(work, "tensors", behind,
                                    work->sides[HTP_COMPARED_A].view->values.count);
}

/* Finds is_border. */
static const bool *find_borders(const htp_verify_work *work)
{
    const htp_module_borders *borders = &work->borders;
    if (work->request->level == 0) {
        return NULL;
    }
    bool *is_output = HTP_NEW_ARRAY(work->arena, bool, borders->view->values.count + 1);
    htp_view_range returned = borders->view->graphs.items[0].outputs;
    for (uint32_t i = 0; i < returned.count; i++) {
        uint32_t value = borders->view->operands.items[returned.first + i];
        if (value != HTP_NONE) {
            is_output[value] = true;
        }
    }
    for (uint32_t m = 0; m < borders->tree->module_count; m++) {
        for (size_t i = 0; borders->tree->modules[m].has_tag && i < borders->outputs[m].count;
             i++) {
            is_output[borders->outputs[m].items[i]] = true;
        }
    }
    return is_output;
}

/* A list of texts is like any other where it is empty. Where it is not, nothing is known of it. */
static void forget_unread(htp_verify_work *work)
{
    for (uint32_t v = 0; v < work->sides[HTP_COMPARED_A].view->values.count; v++) {
        if (work->is_unread[v]) {
            work->carried[v] = (htp_difference_of){.is_known = false};
        }
    }
}

htp_status htp_verify_carried(htp_verify_work *work)
{
    const htp_view *view = work->sides[HTP_COMPARED_A].view;
    struct slice slice = {.values = {{0}, {0}}};
    work->is_border = find_borders(work);
    uint64_t limit = work->request->memory / HTP_COMPARED;
    uint64_t bytes = 0;
    uint64_t largest = USUAL_ELEMENT; /* so far: taken for what is not known */
    uint64_t *estimates = HTP_NEW_ARRAY(work->arena, uint64_t, view->values.count + 1);
    for (uint32_t v = 0; v < view->values.count; v++) {
        uint32_t other = work->counterparts.of_a[v];
        estimates[v] = estimate(work, v, estimates);
        if (other == HTP_NONE || !htp_counterparts_can_fetch(view, v) ||
            (work->is_border && !work->is_border[v])) {
            continue;
        }
        uint64_t more = estimates[v];
        largest = more > largest ? more : largest;
        more = more > 0 ? more : largest;
        if (slice.values[0].count > 0 && (bytes > limit || more > limit - bytes)) {
            HTP_TRY(compare(work, &slice, v));
            bytes = 0;
        }
        HTP_PUSH(work->arena, &slice.values[HTP_COMPARED_A], v);
        HTP_PUSH(work->arena, &slice.values[HTP_COMPARED_B], other);
        bytes = __builtin_add_overflow(bytes, more, &bytes) ? UINT64_MAX : bytes;
    }
    htp_status status =
        slice.values[0].count > 0 ? compare(work, &slice, (uint32_t)view->values.count) : HTP_OK;
    forget_unread(work);
    return status;
}
