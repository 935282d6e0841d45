#include "onnx/inliner/inline_plan.h"

#include <inttypes.h>
#include <string.h>

/* Reference: onnx.proto. */
enum { FUNCTION_ATTRIBUTE = 6, FUNCTION_DEFAULT = 11, ATTRIBUTE_NAME = 1 };

const char *htp_inline_call_function(const htp_inline_plan *plan, uint32_t function)
{
    const htp_view *view = plan->view;
    const htp_view_function *called = &view->functions.items[function];
    return htp_view_call_operator(plan->arena, view, called->domain, called->name,
                                  called->overload);
}

htp_status htp_inline_too_much(const htp_inline_plan *plan)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: the functions call each other so often that their nodes would take "
                           "more than %" PRIu64 " bytes",
                           plan->view->path, plan->limit);
}

/* ---- the nodes of each function ---- */

static void list_nodes(htp_inline_plan *plan)
{
    const htp_view *view = plan->view;
    size_t count = view->functions.count;
    uint32_t *used = HTP_NEW_ARRAY(plan->arena, uint32_t, count + 1);
    plan->function_of = HTP_NEW_ARRAY(plan->arena, uint32_t, view->graphs.count + 1);
    plan->first = HTP_NEW_ARRAY(plan->arena, uint32_t, count + 1);
    for (size_t g = 0; g < view->graphs.count; g++) {
        const htp_view_graph *graph = &view->graphs.items[g];
        uint32_t function =
            graph->parent == HTP_NONE ? graph->function : plan->function_of[graph->parent];
        plan->function_of[g] = function;
        if (function != HTP_NONE) {
            plan->first[function + 1] += graph->nodes.count;
        }
    }
    for (size_t f = 0; f < count; f++) {
        plan->first[f + 1] += plan->first[f];
    }
    plan->nodes = HTP_NEW_ARRAY(plan->arena, uint32_t, (size_t)plan->first[count] + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t function = plan->function_of[view->nodes.items[n].graph];
        if (function != HTP_NONE) {
            plan->nodes[plan->first[function] + used[function]++] = n;
        }
    }
}

static htp_status check_call(const htp_inline_plan *plan, uint32_t node)
{
    const htp_view *view = plan->view;
    const htp_view_node *call = &view->nodes.items[node];
    uint32_t function = plan->call_of[node];
    const htp_view_graph *called = &view->graphs.items[view->functions.items[function].graph];
    bool is_input = call->inputs.count > called->inputs.count;
    if (!is_input && call->outputs.count <= called->outputs.count) {
        return HTP_OK;
    }
    return htp_status_make(
        HTP_CODE_BAD_INPUT, "%s: node '%s' has %" PRIu32 " %s, and its function '%s' has %" PRIu32,
        view->path, htp_view_call_node(view, node),
        is_input ? call->inputs.count : call->outputs.count, is_input ? "inputs" : "outputs",
        htp_inline_call_function(plan, function),
        is_input ? called->inputs.count : called->outputs.count);
}

static htp_status find_calls(htp_inline_plan *plan)
{
    const htp_view *view = plan->view;
    htp_map functions = {0};
    for (uint32_t f = 0; f < view->functions.count; f++) {
        const htp_view_function *function = &view->functions.items[f];
        const htp_view_name key[] = {htp_view_domain(view, function->domain), function->name,
                                     function->overload};
        if (htp_map_get_bytes(&functions, key, sizeof(key), NULL)) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "%s: function '%s' is defined twice",
                                   view->path, htp_inline_call_function(plan, f));
        }
        htp_map_set_bytes(plan->arena, &functions, htp_arena_copy(plan->arena, key, sizeof(key)),
                          sizeof(key), f);
    }
    plan->call_of = HTP_NEW_ARRAY(plan->arena, uint32_t, view->nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        const htp_view_name key[] = {htp_view_domain(view, node->domain), node->op_type,
                                     node->overload};
        plan->call_of[n] = HTP_NONE;
        if (htp_map_get_bytes(&functions, key, sizeof(key), &plan->call_of[n])) {
            HTP_TRY(check_call(plan, n));
        }
    }
    return HTP_OK;
}

/* ---- attributes of functions ---- */

static void add_parameter(htp_inline_plan *plan, uint32_t function, htp_span name, htp_span value)
{
    const char *text = htp_arena_copy(plan->arena, name.at, name.bytes);
    const uint32_t key[] = {function, htp_view_find_name(plan->view, text)};
    if (key[1] != 0) { /* an unused attribute does not matter */
        htp_map_set_bytes(plan->arena, &plan->parameter_numbers, key, sizeof(key),
                          (uint32_t)plan->parameters.count);
        HTP_PUSH(plan->arena, &plan->parameters, (htp_inline_parameter){function, value});
    }
}

static void read_parameters(htp_inline_plan *plan, uint32_t function)
{
    const htp_view *view = plan->view;
    uint32_t graph = view->functions.items[function].graph;
    htp_wire wire = htp_wire_begin(htp_wire_content(view->graphs.items[graph].whole));
    htp_wire_field field, inner;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, FUNCTION_ATTRIBUTE)) {
            add_parameter(plan, function, field.content, (htp_span){NULL, 0});
        } else if (htp_wire_is_bytes(&field, FUNCTION_DEFAULT)) {
            htp_wire attribute = htp_wire_begin(field.content);
            htp_span name = {NULL, 0};
            while (htp_wire_next(&attribute, &inner)) {
                name = htp_wire_is_bytes(&inner, ATTRIBUTE_NAME) ? inner.content : name;
            }
            if (name.bytes > 0) {
                add_parameter(plan, function, name, field.whole);
            }
        }
    }
}

bool htp_inline_find_parameter(const htp_inline_plan *plan, uint32_t function, htp_view_name name,
                               htp_span *value)
{
    const uint32_t key[] = {function, name};
    uint32_t index;
    if (!htp_map_get_bytes(&plan->parameter_numbers, key, sizeof(key), &index)) {
        return false;
    }
    *value = plan->parameters.items[index].value;
    return true;
}

static htp_status check_references(const htp_inline_plan *plan, uint32_t node, uint32_t function)
{
    const htp_view *view = plan->view;
    htp_view_range attributes = view->nodes.items[node].attributes;
    for (uint32_t i = 0; i < attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[attributes.first + i];
        htp_span value;
        if (attribute->reference != 0 &&
            !htp_inline_find_parameter(plan, function, attribute->reference, &value)) {
            return htp_status_make(
                HTP_CODE_BAD_INPUT,
                "%s: node '%s' of function '%s' takes its attribute '%s', which it does not have",
                view->path, htp_view_call_node(view, node),
                htp_inline_call_function(plan, function),
                htp_view_text(view, attribute->reference));
        }
    }
    return HTP_OK;
}

static htp_status find_parameters(htp_inline_plan *plan)
{
    for (uint32_t f = 0; f < plan->view->functions.count; f++) {
        read_parameters(plan, f);
        for (uint32_t i = plan->first[f]; i < plan->first[f + 1]; i++) {
            HTP_TRY(check_references(plan, plan->nodes[i], f));
        }
    }
    return HTP_OK;
}

/* ---- functions that call functions ---- */

enum { UNSEEN = 0, OPEN, DONE };

/* A function in the depth-first walk over calls. */
struct following {
    uint32_t function;
    uint32_t next; /* of plan->nodes */
};

/* The next callee of @p at, or HTP_NONE. */
static uint32_t next_called(const htp_inline_plan *plan, struct following *at)
{
    while (at->next < plan->first[at->function + 1]) {
        uint32_t called = plan->call_of[plan->nodes[at->next++]];
        if (called != HTP_NONE) {
            return called;
        }
    }
    return HTP_NONE;
}

/* Sorts the functions reachable from one. @param stack  has room for all functions */
static htp_status sort_from(htp_inline_plan *plan, uint32_t function, unsigned char *state,
                            struct following *stack, uint32_t *sorted)
{
    uint32_t depth = 1;
    state[function] = OPEN;
    stack[0] = (struct following){function, plan->first[function]};
    while (depth > 0) {
        struct following *at = &stack[depth - 1];
        uint32_t called = next_called(plan, at);
        if (called == HTP_NONE) {
            state[at->function] = DONE;
            plan->order[(*sorted)++] = at->function;
            depth--;
        } else if (state[called] == OPEN) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "%s: function '%s' calls itself, in '%s'",
                                   plan->view->path, htp_inline_call_function(plan, called),
                                   htp_inline_call_function(plan, at->function));
        } else if (state[called] == UNSEEN) {
            state[called] = OPEN;
            stack[depth++] = (struct following){called, plan->first[called]};
        }
    }
    return HTP_OK;
}

static htp_status sort_functions(htp_inline_plan *plan)
{
    size_t count = plan->view->functions.count;
    unsigned char *state = HTP_NEW_ARRAY(plan->arena, unsigned char, count + 1);
    struct following *stack = HTP_NEW_ARRAY(plan->arena, struct following, count + 1);
    uint32_t sorted = 0;
    plan->order = HTP_NEW_ARRAY(plan->arena, uint32_t, count + 1);
    for (uint32_t f = 0; f < count; f++) {
        if (state[f] == UNSEEN) {
            HTP_TRY(sort_from(plan, f, state, stack, &sorted));
        }
    }
    return HTP_OK;
}

/* ---- unused functions ---- */

/* Walks the order from its end, where callers precede callees. Callees of kept operators are kept.
 */
static void find_reached(htp_inline_plan *plan)
{
    const htp_view *view = plan->view;
    size_t count = view->functions.count;
    plan->is_reached = HTP_NEW_ARRAY(plan->arena, bool, count + 1);
    plan->is_left_out = HTP_NEW_ARRAY(plan->arena, bool, count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t caller = plan->function_of[view->nodes.items[n].graph];
        if (plan->call_of[n] != HTP_NONE && caller == HTP_NONE) {
            plan->is_reached[plan->call_of[n]] = true;
        }
    }
    for (size_t i = count; i-- > 0;) {
        uint32_t caller = plan->order[i];
        for (uint32_t k = plan->first[caller]; k < plan->first[caller + 1]; k++) {
            uint32_t called = plan->call_of[plan->nodes[k]];
            if (called != HTP_NONE) {
                plan->is_reached[called] |= plan->is_reached[caller];
                plan->is_kept[called] |= plan->is_kept[caller];
            }
        }
        plan->is_left_out[caller] = !plan->is_reached[caller] || !plan->is_kept[caller];
    }
}

static void find_bodies_with_calls(htp_inline_plan *plan)
{
    const htp_view *view = plan->view;
    plan->has_calls = HTP_NEW_ARRAY(plan->arena, bool, view->nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t around = view->graphs.items[view->nodes.items[n].graph].node;
        while (htp_inline_is_call(plan, n) && around != HTP_NONE && !plan->has_calls[around]) {
            plan->has_calls[around] = true;
            around = view->graphs.items[view->nodes.items[around].graph].node;
        }
    }
}

/* ---- the size of the result ---- */

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The bytes of a node and, if it is a call, of its function. */
static uint64_t measure(const htp_inline_plan *plan, const uint64_t *bytes, uint32_t node)
{
    const htp_view_node *measured = &plan->view->nodes.items[node];
    bool is_own = plan->view->graphs.items[measured->graph].node == HTP_NONE;
    uint64_t called = htp_inline_is_call(plan, node) ? bytes[plan->call_of[node]] : 0;
    return add_up(called, HTP_INLINE_COST + (is_own ? measured->whole.bytes : 0));
}

static htp_status check_size(htp_inline_plan *plan)
{
    const htp_view *view = plan->view;
    size_t count = view->functions.count;
    uint64_t *bytes = HTP_NEW_ARRAY(plan->arena, uint64_t, count + 1);
    uint32_t *depth = HTP_NEW_ARRAY(plan->arena, uint32_t, count + 1);
    uint64_t structure = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t f = plan->order[i];
        for (uint32_t k = plan->first[f]; k < plan->first[f + 1]; k++) {
            uint32_t called = plan->call_of[plan->nodes[k]];
            bytes[f] = add_up(bytes[f], measure(plan, bytes, plan->nodes[k]));
            if (called != HTP_NONE && depth[called] + 1 > depth[f]) {
                depth[f] = depth[called] + 1;
            }
        }
        if (depth[f] >= HTP_INLINE_DEEPEST) {
            return htp_status_make(
                HTP_CODE_BAD_INPUT, "%s: function '%s': more than %d functions call each other",
                view->path, htp_inline_call_function(plan, f), HTP_INLINE_DEEPEST);
        }
        structure += view->graphs.items[view->functions.items[f].graph].whole.bytes;
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t graph = view->nodes.items[n].graph;
        if (plan->function_of[graph] == HTP_NONE && htp_inline_is_call(plan, n)) {
            total = add_up(total, bytes[plan->call_of[n]]);
        }
        structure += graph == 0 ? view->nodes.items[n].whole.bytes : 0;
    }
    plan->limit = HTP_INLINE_FREE + structure * HTP_INLINE_FACTOR;
    plan->limit = plan->limit > HTP_INLINE_MAX ? HTP_INLINE_MAX : plan->limit;
    return total > plan->limit ? htp_inline_too_much(plan) : HTP_OK;
}

htp_status htp_inline_plan_make(htp_arena *arena, const htp_view *view, htp_inline_plan *plan)
{
    *plan = (htp_inline_plan){.arena = arena, .view = view};
    list_nodes(plan);
    HTP_TRY(find_calls(plan));
    HTP_TRY(find_parameters(plan));
    HTP_TRY(sort_functions(plan));
    htp_inline_find_kept(plan);
    find_reached(plan);
    find_bodies_with_calls(plan);
    htp_inline_find_imports(plan);
    return check_size(plan);
}
