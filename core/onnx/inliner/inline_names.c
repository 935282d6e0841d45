/*
 * Names of nodes and values inside calls.
 */
#include "onnx/inliner/inline_parts.h"

#include "onnx/builder/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The length of a call's name without its number, or the whole length. */
static size_t without_number(const char *name)
{
    const char *number = strrchr(name, '#');
    bool is_number = number && number[1] && number[1 + strspn(number + 1, "0123456789")] == '\0';
    return is_number ? (size_t)(number - name) : strlen(name);
}

/* A name with a number marks a repeated call if another call in the same function, or in the model,
 * has the name without it. */
static void find_repeated(htp_inliner *i)
{
    const htp_view *view = i->view;
    htp_map known = {0};
    i->is_repeated = HTP_NEW_ARRAY(i->arena, bool, view->nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        uint32_t key[] = {i->plan.function_of[node->graph], node->name};
        if (i->plan.call_of[n] != HTP_NONE && node->name != 0) {
            htp_map_set_bytes(i->arena, &known, key, sizeof(key), n);
        }
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        const char *name = htp_view_text(view, node->name);
        size_t length = without_number(name);
        if (i->plan.call_of[n] != HTP_NONE && name[length] != '\0') {
            htp_view_name base = htp_view_find_name(view, htp_arena_copy(i->arena, name, length));
            uint32_t key[] = {i->plan.function_of[node->graph], base};
            i->is_repeated[n] = base != 0 && htp_map_get_bytes(&known, key, sizeof(key), NULL);
        }
    }
}

void htp_inline_names_begin(htp_inliner *i)
{
    const htp_view *view = i->view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        bool is_own = i->plan.function_of[node->graph] == HTP_NONE;
        if (is_own && node->name != 0 && !htp_inline_is_call(&i->plan, n)) {
            htp_map_set(i->arena, &i->node_names, htp_view_text(view, node->name), 1);
        }
    }
    for (uint32_t v = 0; v < view->values.count; v++) {
        if (htp_inline_is_fixed(i, v)) {
            const char *name = htp_view_text(view, view->values.items[v].name);
            htp_map_set(i->arena, &i->value_names, name, 1);
        }
    }
    find_repeated(i);
}

const char *htp_inline_value_name(const htp_inliner *i, uint32_t value)
{
    if (value == HTP_NONE) {
        return "";
    }
    return i->names[value] ? i->names[value]
                           : htp_view_text(i->view, i->view->values.items[value].name);
}

/* The length of a name without the suffix that htp_name_unique() appends to an op type. */
static size_t stem_of(const char *name, const char *op_type)
{
    size_t length = strlen(name);
    size_t end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') {
        end--;
    }
    size_t type = strlen(op_type);
    bool is_number = end < length && end > type && name[end - 1] == '_' &&
                     memcmp(name + end - 1 - type, op_type, type) == 0;
    return is_number ? end - 1 : length;
}

static const char *join(htp_inliner *i, const char *prefix, const char *name, size_t length)
{
    i->spent += strlen(prefix) + length;
    return htp_arena_printf(i->arena, "%s%s%.*s", prefix, *prefix ? "/" : "", (int)length, name);
}

const char *htp_inline_new_name(htp_inliner *i, htp_map *taken, const char *prefix,
                                const char *local)
{
    return htp_name_unique(i->arena, taken, join(i, prefix, local, strlen(local)));
}

const char *htp_inline_prefix(htp_inliner *i, const htp_inline_frame *caller, uint32_t node)
{
    const char *name = htp_view_text(i->view, i->view->nodes.items[node].name);
    size_t length = i->is_repeated[node] ? without_number(name) : strlen(name);
    return length == 0 ? (caller ? caller->prefix : "")
                       : join(i, caller ? caller->prefix : "", name, length);
}

/* ---- values ---- */

uint32_t htp_inline_top(const htp_inliner *i, uint32_t value)
{
    while (i->up[value] != HTP_NONE) {
        value = i->up[value];
    }
    return value;
}

void htp_inline_set_name(htp_inliner *i, uint32_t value, const char *name)
{
    for (; value != HTP_NONE && !htp_inline_is_fixed(i, value); value = i->up[value]) {
        i->names[value] = name;
        i->spent++;
    }
}

/* The frame of the function that has a value. */
static const htp_inline_frame *frame_of(const htp_inliner *i, const htp_inline_frame *frame,
                                        uint32_t value)
{
    uint32_t function = i->plan.function_of[i->view->values.items[value].graph];
    while (frame && frame->function != function) {
        frame = frame->caller;
    }
    return frame;
}

/* Whether a name equals @p base + @p end; without a base, whether it ends with @p end. */
static bool consists_of(const char *name, const char *base, const char *end)
{
    size_t length = strlen(name);
    size_t tail = strlen(end);
    bool ends = length >= tail && strcmp(name + length - tail, end) == 0;
    return ends &&
           (!base || (strlen(base) == length - tail && memcmp(name, base, length - tail) == 0));
}

const char *htp_inline_body_name(htp_inliner *i, uint32_t graph, const char *node)
{
    const htp_view *view = i->view;
    const htp_view_graph *body = &view->graphs.items[graph];
    const char *own = htp_view_text(view, view->nodes.items[body->node].name);
    const char *attribute = htp_view_text(view, view->attributes.items[body->attribute].name);
    const char *end = htp_arena_printf(i->arena, "/%s", attribute);
    const char *name = htp_view_text(view, body->name);
    i->spent += strlen(end);
    return *node && consists_of(name, own, end) ? join(i, node, attribute, strlen(attribute))
                                                : name;
}

void htp_inline_name_input(htp_inliner *i, uint32_t value, const char *node, uint32_t index)
{
    char number[24];
    const htp_view *view = i->view;
    const htp_view_graph *graph = &view->graphs.items[view->values.items[value].graph];
    const char *own = htp_view_text(view, view->nodes.items[graph->node].name);
    const char *name = htp_view_text(view, view->values.items[value].name);
    (void)snprintf(number, sizeof(number), "_input_%" PRIu32, index);
    if (*node && consists_of(name, own, number)) {
        name = htp_arena_printf(i->arena, "%s%s", node, number);
    } else if (htp_map_get(&i->value_names, name, NULL)) {
        name = htp_arena_copy(i->arena, name, stem_of(name, ""));
    }
    i->names[value] = htp_name_unique(i->arena, &i->value_names, name);
    i->spent += strlen(name);
}

/* Names result @p index of a node, @p value. @param name  of the node */
static void name_result(htp_inliner *i, const htp_inline_frame *frame, uint32_t node,
                        const char *name, uint32_t value, uint32_t index)
{
    char number[24];
    uint32_t top = htp_inline_top(i, value);
    const char *local = htp_view_text(i->view, i->view->values.items[top].name);
    if (htp_inline_is_fixed(i, top)) {
        htp_inline_set_name(i, value, local);
        return;
    }
    const char *own = htp_view_text(i->view, i->view->nodes.items[node].name);
    (void)snprintf(number, sizeof(number), "_output_%" PRIu32, index);
    bool follows =
        *name && (i->is_returned[top] || consists_of(local, top == value ? own : NULL, number));
    const htp_inline_frame *named_in = frame_of(i, frame, top);
    const char *given =
        follows ? htp_name_unique(i->arena, &i->value_names,
                                  htp_arena_printf(i->arena, "%s%s", name, number))
                : htp_inline_new_name(i, &i->value_names, named_in ? named_in->prefix : "", local);
    i->spent += strlen(given);
    htp_inline_set_name(i, value, given);
}

const char *htp_inline_name_node(htp_inliner *i, const htp_inline_frame *frame, uint32_t node)
{
    const htp_view *view = i->view;
    const htp_view_node *named = &view->nodes.items[node];
    const char *local = htp_view_text(view, named->name);
    const char *name = "";
    if (*local) {
        name = join(i, frame->prefix, local, strlen(local));
        if (htp_map_get(&i->node_names, name, NULL)) {
            size_t stem = stem_of(local, htp_view_text(view, named->op_type));
            name = htp_name_unique(i->arena, &i->node_names, join(i, frame->prefix, local, stem));
        } else {
            htp_map_set(i->arena, &i->node_names, name, 1);
        }
    }
    for (uint32_t k = 0; k < named->outputs.count; k++) {
        uint32_t value = view->operands.items[named->outputs.first + k];
        if (value != HTP_NONE) {
            name_result(i, frame, node, name, value, k);
        }
    }
    return name;
}
