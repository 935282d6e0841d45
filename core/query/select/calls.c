#include "query/select/calls.h"
#include "base/json/json_parse.h"

#include "query/dataflow/flow.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- by metadata ---- */

/* The first call of a path in {"path": [0, 1]}. */
static uint32_t read_call(htp_arena *arena, htp_span json, htp_slice path)
{
    uint32_t call = HTP_NONE;
    cJSON *object = htp_json_parse(arena, (const char *)json.at, json.bytes);
    for (const cJSON *item = object ? object->child : NULL; item; item = item->next) {
        const cJSON *first = cJSON_IsArray(item) ? item->child : NULL;
        bool is_number = first && cJSON_IsNumber(first) && first->valuedouble >= 0 &&
                         first->valuedouble < (double)HTP_NONE;
        if (is_number && item->string && htp_slice_equals(htp_slice_of(item->string), path)) {
            call = (uint32_t)first->valuedouble;
        }
    }
    cJSON_Delete(object);
    return call;
}

uint32_t htp_calls_of_node(const htp_tree *tree, const htp_view *view, uint32_t node,
                           uint32_t module)
{
    const htp_view_property *property = htp_view_find_property(
        view, view->nodes.items[node].properties, htp_view_find_name(view, "calls"));
    htp_slice path = tree->modules[module].path;
    return property && path.length > 0 ? read_call(view->arena, property->value, path) : HTP_NONE;
}

/* By node: its call, by metadata. @return the number of calls; 0 if a node has none */
static uint32_t read_calls(const htp_region *region, uint32_t module, uint32_t *call_of)
{
    const htp_view *view = region->view;
    uint32_t count = 0;
    bool is_complete = region->node_count > 0;
    for (uint32_t n = 0; n < view->nodes.count && is_complete; n++) {
        if (region->has_node[n]) {
            call_of[n] = htp_calls_of_node(region->tree, view, n, module);
            is_complete = call_of[n] != HTP_NONE;
            count = is_complete && call_of[n] >= count ? call_of[n] + 1 : count;
        }
    }
    return is_complete ? count : 0;
}

/* ---- by data flow ---- */

/* A union-find over nodes; the root is the first node. */
struct connecting {
    const htp_region *region;
    uint32_t *root;      /* by node */
    uint64_t *operators; /* by root: a hash of its operators, in order */
    uint64_t *weights;   /* by root: a hash of the weights read, in order */
};

static uint32_t find_root(const struct connecting *c, uint32_t node)
{
    while (c->root[node] != node) {
        c->root[node] = c->root[c->root[node]];
        node = c->root[node];
    }
    return node;
}

static void connect(struct connecting *c, uint32_t a, uint32_t b)
{
    a = find_root(c, a);
    b = find_root(c, b);
    if (a < b) {
        c->root[b] = a;
    } else {
        c->root[a] = b;
    }
}

static void connect_read(void *user, uint32_t node, uint32_t value)
{
    struct connecting *c = user;
    const htp_view *view = c->region->view;
    const htp_view_value *read = &view->values.items[value];
    if (read->maker == HTP_VIEW_BY_NODE && c->region->has_node[read->node] &&
        !htp_flow_is_carried(view, c->region->tree->is_shared, read->node)) {
        connect(c, read->node, node);
    }
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

static void add_weight(void *user, uint32_t node, uint32_t value)
{
    struct connecting *c = user;
    uint32_t tensor = c->region->view->values.items[value].initializer;
    if (tensor != HTP_NONE) {
        uint64_t *hash = &c->weights[find_root(c, node)];
        *hash = mix(*hash, (uint64_t)tensor + 1);
    }
}

static void find_connected(htp_arena *arena, struct connecting *c)
{
    const htp_view *view = c->region->view;
    size_t count = view->nodes.count + 1;
    c->root = HTP_NEW_ARRAY(arena, uint32_t, count);
    c->operators = HTP_NEW_ARRAY(arena, uint64_t, count);
    c->weights = HTP_NEW_ARRAY(arena, uint64_t, count);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t owner = view->graphs.items[view->nodes.items[n].graph].node;
        c->root[n] = n;
        if (c->region->has_node[n] && owner != HTP_NONE && c->region->has_node[owner]) {
            connect(c, owner, n);
        }
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (c->region->has_node[n]) {
            htp_flow_each_read(view, n, connect_read, c);
        }
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (c->region->has_node[n] && !htp_flow_is_carried(view, c->region->tree->is_shared, n)) {
            uint64_t *hash = &c->operators[find_root(c, n)];
            *hash = mix(*hash, view->nodes.items[n].op_type);
            htp_flow_each_read(view, n, add_weight, c);
        }
    }
}

/* By node: its call, numbered by first nodes. @return the number of calls; 0 if the groups of
 * connected nodes are not calls */
static uint32_t guess_calls(htp_arena *arena, const htp_region *region, uint32_t *call_of)
{
    const htp_view *view = region->view;
    struct connecting c = {.region = region};
    uint32_t count = 0;
    uint32_t first = HTP_NONE;
    find_connected(arena, &c);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (!region->has_node[n] || htp_flow_is_carried(view, region->tree->is_shared, n)) {
            call_of[n] = HTP_NONE; /* it belongs to its reader */
            continue;
        }
        uint32_t root = find_root(&c, n); /* the first one, except for a node of a body */
        first = first == HTP_NONE ? root : first;
        if (c.weights[root] == 0 || c.weights[root] != c.weights[first] ||
            c.operators[root] != c.operators[first]) {
            return 0;
        }
        call_of[n] = root == n ? count++ : call_of[root];
    }
    return count;
}

/* ---- the whole ---- */

htp_status htp_calls_check_module(const char *path, const char *name, size_t module_count)
{
    return module_count == 1
               ? HTP_OK
               : htp_status_make(HTP_CODE_USAGE,
                                 "%s: --call needs one module, and '%s' names several", path, name);
}

htp_status htp_calls_restrict(htp_arena *arena, htp_region *region, uint32_t module, uint32_t call,
                              const char *name)
{
    const htp_view *view = region->view;
    uint32_t known = region->tree->modules[module].calls;
    uint32_t *call_of = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1);
    if (region->node_count == 0) {
        return HTP_OK;
    }
    uint32_t count = known == 1 ? 1 : read_calls(region, module, call_of);
    bool are_distinct = count > 0;
    if (!are_distinct) {
        count = guess_calls(arena, region, call_of);
        are_distinct = count > 0 && (known == HTP_TREE_CALLS_UNKNOWN || known == count);
    }
    if (!are_distinct) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: the calls of '%s' cannot be told apart: the file has no "
                               "calls; leave out --call to take all of them",
                               view->path, name);
    }
    bool is_known = known != HTP_TREE_CALLS_UNKNOWN && known > count; /* some calls have no nodes */
    count = is_known ? known : count;
    if (call >= count) {
        return htp_status_make(HTP_CODE_USAGE, "%s: '%s' has no call %" PRIu32 ", only %s%" PRIu32,
                               view->path, name, call, count == 1 ? "call " : "calls 0 to ",
                               count - 1);
    }
    for (uint32_t n = 0; n < view->nodes.count && known != 1; n++) {
        if (region->has_node[n] && call_of[n] != call) {
            region->has_node[n] = false;
            region->node_count--;
        }
    }
    return HTP_OK;
}
