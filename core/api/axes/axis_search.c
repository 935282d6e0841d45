#include "api/axes/axis_search.h"

#include <string.h>

/* In a family of this size, two axes with one outcome decide for all. */
enum { LARGE_FAMILY = 4 };

htp_axis_search *htp_axis_search_new(htp_session *session, const htp_axes *axes)
{
    htp_axis_search *search = HTP_NEW(&session->arena, htp_axis_search);
    *search = (htp_axis_search){.session = session, .axes = *axes};
    search->findings = HTP_NEW_ARRAY(&session->arena, htp_axis_finding, (size_t)axes->count + 1);
    return search;
}

bool htp_axis_search_is_final(htp_status status)
{
    htp_code code = htp_status_code(status);
    return status && code != HTP_CODE_USAGE && code != HTP_CODE_UNSUPPORTED;
}

/* Begins with known facts about the axes. @return false if these refuse all choices of sizes */
static bool recall(const htp_axis_search *search, const htp_axes *axes, const uint32_t *dims,
                   htp_shape_conflict *conflict)
{
    htp_inputs *inputs = &search->session->inputs;
    if (!htp_axis_bounds_recall(&search->bounds, axes, dims, inputs) || conflict->tries_one) {
        return true;
    }
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        const char *message = inputs->bounds[i].message;
        conflict->message = message ? message : conflict->message;
    }
    inputs->tells_order = !search->one_order;
    inputs->keeps_bounds = true;
    htp_shape_conflict_bound(&search->session->arena, conflict, inputs);
    return conflict->condition_count == 0 &&
           htp_inputs_choose_lanes(&search->session->arena, inputs, 0);
}

static htp_status trace_axes(htp_axis_search *search, const htp_axes *axes, const uint32_t *dims,
                             htp_shape_conflict *conflict)
{
    htp_session *session = search->session;
    if (!recall(search, axes, dims, conflict)) {
        return htp_status_make(HTP_CODE_USAGE, "%s: %s", session->model_path, conflict->message);
    }
    const htp_inputs *inputs = &session->inputs;
    htp_bound *before = htp_arena_grow(&session->arena, inputs->bounds, inputs->axis_count,
                                       (size_t)inputs->axis_count + 1, sizeof(*before));
    htp_held_status held;
    htp_status_hold(&held, &session->arena, htp_session_trace_inputs(session, conflict));
    htp_axis_bounds_keep(&search->bounds, axes, dims, inputs, before);
    return htp_status_let_go(&held, &session->arena);
}

htp_status htp_axis_search_trace(htp_axis_search *search, const htp_axes *axes, bool tries_one,
                                 htp_shape_conflict *conflict)
{
    const uint32_t *dims = NULL;
    htp_session *session = search->session;
    *conflict = (htp_shape_conflict){
        .tries_one = tries_one, .one_order = search->one_order, .message = "no sizes fit"};
    search->trials++;
    if (!htp_axes_apply(axes, &session->inputs, &dims)) {
        return htp_status_make(HTP_CODE_USAGE, "%s: no sizes fit", session->model_path);
    }
    const htp_axis_refusal *same = htp_axis_refusals_find(&search->refusals, axes, conflict);
    if (same) {
        *conflict = same->conflict;
        return htp_status_make(same->code, "%s", same->message);
    }
    htp_held_status held;
    htp_status_hold(&held, &session->arena, trace_axes(search, axes, dims, conflict));
    for (uint32_t i = 0; i < conflict->condition_count; i++) {
        htp_equation *equation = &conflict->conditions[i].equation;
        for (uint32_t k = 0; k < equation->count; k++) {
            equation->terms[k].axis = dims[equation->terms[k].axis];
        }
    }
    conflict->is_export = htp_status_code(held.status) == HTP_CODE_UNSUPPORTED;
    conflict->tries_one = tries_one;
    conflict->one_order = search->one_order;
    if (held.status && !htp_axis_search_is_final(held.status)) {
        htp_axis_refusals_keep(&search->refusals, axes, conflict, held.status);
    }
    return htp_status_let_go(&held, &session->arena);
}

/* ---- conditions ---- */

void htp_axis_search_fix(htp_axis_search *search, uint32_t axis, const char *reason,
                         const htp_shape_conflict *conflict)
{
    htp_axis_finding *finding = &search->findings[axis];
    search->axes.is_fixed[axis] = true;
    finding->conflict = reason;
    finding->is_operators = conflict->is_fixed;
    finding->is_refused = conflict->is_export;
}

/* Whether two axes of a large family had this outcome. */
static bool is_common(htp_axis_search *search, uint32_t dim, uint32_t target)
{
    htp_axis_finding *finding = &search->findings[search->axes.dims[dim].family];
    finding->alike = finding->alike == 0 || finding->target == target ? finding->alike + 1 : 1;
    finding->target = target;
    return finding->alike == 2 && htp_axes_count_alike(&search->axes, dim) >= LARGE_FAMILY;
}

static bool is_of_family(const htp_axis_search *search, uint32_t dim, uint32_t of)
{
    return htp_axes_moves(&search->axes, dim) &&
           search->axes.dims[dim].family == search->axes.dims[of].family;
}

static void fix_alike(htp_axis_search *search, uint32_t axis, const char *reason,
                      const htp_shape_conflict *conflict)
{
    htp_axis_search_fix(search, axis, reason, conflict);
    if (is_common(search, axis, HTP_NONE)) {
        for (uint32_t i = 0; i < search->axes.count; i++) {
            if (is_of_family(search, i, axis)) {
                htp_axis_search_fix(search, i, reason, conflict);
            }
        }
    }
}

/* A joined axis leaves its family. */
static void join_alike(htp_axis_search *search, uint32_t axis, uint32_t dim)
{
    if (!is_common(search, dim, search->axes.axis_of[axis])) {
        return;
    }
    bool *is_single = HTP_NEW_ARRAY(&search->session->arena, bool, search->axes.count);
    for (uint32_t i = 0; i < search->axes.count; i++) {
        uint32_t first = search->axes.axis_of[i];
        is_single[first] = first == i && is_of_family(search, i, dim);
    }
    for (uint32_t i = 0; i < search->axes.count; i++) {
        if (is_single[i]) {
            (void)htp_axes_join(&search->axes, axis, i);
        }
    }
}

static bool join(htp_axis_search *search, uint32_t a, uint32_t b)
{
    if (!htp_axes_join(&search->axes, a, b)) {
        return false;
    }
    join_alike(search, a, b);
    join_alike(search, a, a);
    return true;
}

static bool follow(htp_axis_search *search, const htp_equation *equation)
{
    uint32_t term = htp_equation_solve(equation);
    if (term == HTP_NONE) {
        return false;
    }
    htp_size_formula *formula = HTP_NEW(&search->session->arena, htp_size_formula);
    *formula = htp_equation_solution(equation, term);
    return htp_axes_set_formula(&search->axes, equation->terms[term].axis, formula);
}

static bool apply_condition(htp_axis_search *search, const htp_condition *condition,
                            const htp_shape_conflict *conflict)
{
    const htp_equation *equation = &condition->equation;
    bool is_open = equation->count > 0;
    for (uint32_t i = 0; i < equation->count; i++) {
        is_open = is_open && htp_axes_moves(&search->axes, equation->terms[i].axis);
    }
    if (!is_open) {
        return false;
    }
    for (uint32_t i = 0; htp_equation_is_fixed(equation) && i < equation->count; i++) {
        fix_alike(search, equation->terms[i].axis, condition->message, conflict);
    }
    if (htp_equation_is_fixed(equation)) {
        return true;
    }
    return htp_equation_is_join(equation)
               ? join(search, equation->terms[0].axis, equation->terms[1].axis)
               : follow(search, equation);
}

bool htp_axis_search_apply(htp_axis_search *search, const htp_shape_conflict *conflict)
{
    bool has_changed = false;
    for (uint32_t i = 0; i < conflict->condition_count; i++) {
        has_changed = apply_condition(search, &conflict->conditions[i], conflict) || has_changed;
    }
    return has_changed;
}

/* ---- notes ---- */

/* Whether the export with this axis was refused. */
static bool is_refused(const htp_axis_search *search, uint32_t axis)
{
    return search->axes.axis_of[axis] == axis && search->axes.is_fixed[axis] &&
           search->findings[axis].conflict && search->findings[axis].is_refused;
}

void htp_axis_search_note(const htp_axis_search *search)
{
    const htp_axes *axes = &search->axes;
    const char *const *names = htp_axes_find_names(axes);
    for (uint32_t i = 0; i < axes->count; i++) {
        const htp_axis_finding *finding = &search->findings[i];
        if (axes->axis_of[i] == i && axes->is_fixed[i] && finding->conflict &&
            !finding->is_refused) {
            htp_session_detail(search->session, "%s is fixed to %lld: %s", names[i],
                               (long long)htp_axes_size(axes, i), finding->conflict);
        }
    }
}

/* Whether an earlier axis is fixed for the same reason. */
static bool is_reported(const htp_axis_search *search, uint32_t axis)
{
    bool is_reported = false;
    for (uint32_t i = 0; i < axis && !is_reported; i++) {
        is_reported = is_refused(search, i) &&
                      strcmp(search->findings[i].conflict, search->findings[axis].conflict) == 0;
    }
    return is_reported;
}

void htp_axis_search_note_refused(const htp_axis_search *search)
{
    const htp_axes *axes = &search->axes;
    const char *const *names = htp_axes_find_names(axes);
    htp_text text = {.arena = &search->session->arena};
    for (uint32_t i = 0; i < axes->count; i++) {
        if (!is_refused(search, i) || is_reported(search, i)) {
            continue;
        }
        const char *reason = search->findings[i].conflict;
        const char *before = text.length > 0 ? "; " : "";
        for (uint32_t k = i; k < axes->count; k++) {
            if (is_refused(search, k) && strcmp(search->findings[k].conflict, reason) == 0) {
                htp_text_addf(&text, "%s%s is fixed to %lld", before, names[k],
                              (long long)htp_axes_size(axes, k));
                before = ", ";
            }
        }
        htp_text_addf(&text, ": %s", reason);
    }
    if (text.length > 0) {
        htp_session_note(search->session, "%s", htp_text_string(&text));
    }
}
