#include "verify/uncompared.h"

#include "query/dataflow/source_line.h"
#include "verify/work.h"

static const struct {
    const char *text;
    bool counts;
} reasons[HTP_UNCOMPARED_REASONS] = {
    [HTP_UNCOMPARED_MISSING] = {"the other model has no counterpart", true},
    [HTP_UNCOMPARED_TYPE] = {"its counterpart has another type or other dims", true},
    [HTP_UNCOMPARED_KIND] = {"text, a map, an optional value, or elements that are not read here",
                             true},
    [HTP_UNCOMPARED_STEP] = {"a step of an operator that PyTorch runs as a whole", true},
    [HTP_UNCOMPARED_NOT_RUN] = {"its operator did not run", true},
    [HTP_UNCOMPARED_UNUSED] = {"no tensor of the model has its name", true},
    [HTP_UNCOMPARED_INNER] = {"within a module, and B is optimised", false},
    [HTP_UNCOMPARED_BODY] = {"in a body, and compared where it leaves that", false},
    [HTP_UNCOMPARED_KNOWN] = {"computed at export", false},
    [HTP_UNCOMPARED_FOLDED] = {"folded into other operators at export", false},
    [HTP_UNCOMPARED_UNREAD] = {"an output that nothing reads", false},
};

const char *htp_uncompared_text(htp_uncompared_reason reason)
{
    return reasons[reason].text;
}

bool htp_uncompared_counts(htp_uncompared_reason reason)
{
    return reasons[reason].counts;
}

bool htp_verify_has_output(const htp_verify_work *work, const htp_compared_value *output)
{
    uint32_t value = output->values[HTP_COMPARED_A];
    uint32_t other = output->values[HTP_COMPARED_B];
    if (value == HTP_NONE || other == HTP_NONE || work->counterparts.of_a[value] != other) {
        return false;
    }
    bool is_input =
        work->sides[HTP_COMPARED_A].view->values.items[value].maker == HTP_VIEW_BY_INPUT;
    return is_input || htp_verify_has(work, value);
}

/* A tensor of a file: what a node makes, or an initializer or an input that is returned. */
static void add_made(htp_verify_work *work, htp_uncompared_list *list, int model, uint32_t value,
                     htp_uncompared_reason reason)
{
    const htp_side *side = &work->sides[model];
    const htp_view *view = side->view;
    uint32_t node = view->values.items[value].node;
    if (view->values.items[value].maker != HTP_VIEW_BY_NODE) {
        const htp_uncompared bare = {.model = model,
                                     .name = htp_view_text(view, view->values.items[value].name),
                                     .module = HTP_NONE,
                                     .reason = reason};
        HTP_PUSH(work->arena, list, bare);
        return;
    }
    const htp_source_line line = htp_source_line_find(view, side->tree, node);
    const htp_uncompared left = {
        .model = model,
        .name = htp_view_text(view, view->values.items[value].name),
        .kind = htp_view_text(view, view->nodes.items[node].op_type),
        .module = side->tree->places[node].innermost,
        .source = line.file.length > 0
                      ? htp_arena_printf(work->arena, "%.*s:%.*s", (int)line.file.length,
                                         line.file.at, (int)line.line.length, line.line.at)
                      : NULL,
        .reason = reason,
    };
    HTP_PUSH(work->arena, list, left);
}

/* Whether nothing computes a value: it is an input, an initializer or a constant. */
static bool is_constant(const htp_view *view, uint32_t value)
{
    const htp_view_value *made = &view->values.items[value];
    return made->maker != HTP_VIEW_BY_NODE || htp_flow_is_constant(view, made->node);
}

/* Why a tensor of A with a counterpart is not compared. */
static htp_uncompared_reason find_reason(const htp_verify_work *work, uint32_t of_a)
{
    const htp_verify_reference *reference = work->request->reference;
    uint32_t made_last = work->runs - 1;
    if (work->is_border && !work->is_border[of_a]) {
        return HTP_UNCOMPARED_INNER;
    }
    if (work->misfits[of_a]) {
        return HTP_UNCOMPARED_TYPE;
    }
    if (!reference || work->arrays[HTP_COMPARED_A][made_last][of_a]) {
        return HTP_UNCOMPARED_KIND;
    }
    return reference->is_result[of_a]                            ? HTP_UNCOMPARED_NOT_RUN
           : is_constant(work->sides[HTP_COMPARED_A].view, of_a) ? HTP_UNCOMPARED_KNOWN
                                                                 : HTP_UNCOMPARED_STEP;
}

static void add_model(htp_verify_work *work, htp_uncompared_list *list, int model)
{
    const htp_view *view = work->sides[model].view;
    const uint32_t *others =
        model == HTP_COMPARED_A ? work->counterparts.of_a : work->counterparts.of_b;
    for (uint32_t v = 0; v < view->values.count; v++) {
        const htp_view_value *made = &view->values.items[v];
        uint32_t of_a = model == HTP_COMPARED_A ? v : others[v];
        if (is_constant(view, v) || (others[v] != HTP_NONE && htp_verify_has(work, of_a))) {
            continue;
        }
        htp_uncompared_reason reason = made->graph != 0        ? HTP_UNCOMPARED_BODY
                                       : others[v] == HTP_NONE ? HTP_UNCOMPARED_MISSING
                                                               : find_reason(work, of_a);
        if (reason != HTP_UNCOMPARED_INNER || model == HTP_COMPARED_A) { /* once is enough */
            add_made(work, list, model, v, reason);
        }
    }
}

/* Constants that are returned. */
static void add_returned(htp_verify_work *work, htp_uncompared_list *list, int model)
{
    const htp_view *view = work->sides[model].view;
    for (size_t i = 0; i < work->comparison.values.count; i++) {
        const htp_compared_value *returned = &work->comparison.values.items[i];
        uint32_t value = returned->values[model];
        if (!returned->is_output || value == HTP_NONE || !is_constant(view, value) ||
            htp_verify_has_output(work, returned)) {
            continue;
        }
        uint32_t of_a = returned->values[HTP_COMPARED_A];
        bool is_pair = of_a != HTP_NONE && returned->values[HTP_COMPARED_B] != HTP_NONE &&
                       work->counterparts.of_a[of_a] == returned->values[HTP_COMPARED_B];
        add_made(work, list, model, value,
                 is_pair ? find_reason(work, of_a) : HTP_UNCOMPARED_MISSING);
    }
}

/* Arrays of a file of values that no tensor of the model has the name of. */
static void add_unused(htp_verify_work *work, htp_uncompared_list *list)
{
    const htp_side *a = &work->sides[HTP_COMPARED_A];
    bool *is_used = HTP_NEW_ARRAY(work->arena, bool, a->given->count + 1);
    for (uint32_t v = 0; v < a->view->values.count; v++) {
        for (size_t i = 0; i < a->given_of[v].numbers.count; i++) {
            is_used[a->given_of[v].numbers.items[i]] = true;
        }
    }
    for (size_t i = 0; i < a->given->count; i++) {
        const htp_uncompared left = {.model = HTP_COMPARED_B,
                                     .name = a->given->names[i],
                                     .module = HTP_NONE,
                                     .reason = HTP_UNCOMPARED_UNUSED};
        if (!is_used[i]) {
            HTP_PUSH(work->arena, list, left);
        }
    }
}

void htp_verify_uncompared(htp_verify_work *work, htp_uncompared_list *list)
{
    const htp_verify_reference *reference = work->request->reference;
    add_model(work, list, HTP_COMPARED_A);
    add_returned(work, list, HTP_COMPARED_A);
    for (size_t i = 0; reference && i < reference->absent.count; i++) {
        HTP_PUSH(work->arena, list, reference->absent.items[i]);
    }
    if (work->request->values) {
        add_unused(work, list);
    } else {
        add_model(work, list, HTP_COMPARED_B);
        add_returned(work, list, HTP_COMPARED_B);
    }
}
