#include "quality/subject.h"

#include "query/dataflow/flow.h"

#include <string.h>

/* ---- modules ---- */

/* Lists modules in depth-first order without recursion: children are linked through their siblings.
 */
static void order_modules(htp_subject *s)
{
    const htp_tree_module *modules = s->tree->modules;
    uint32_t count = s->module_count;
    uint32_t *child = HTP_NEW_ARRAY(s->arena, uint32_t, count + 1U);
    uint32_t *next = HTP_NEW_ARRAY(s->arena, uint32_t, count + 1U);
    uint32_t *order = HTP_NEW_ARRAY(s->arena, uint32_t, count + 1U);
    uint32_t *place = HTP_NEW_ARRAY(s->arena, uint32_t, count + 1U);
    uint32_t *end = HTP_NEW_ARRAY(s->arena, uint32_t, count + 1U);
    uint32_t used = 0;
    memset(child, 0xff, (count + 1U) * sizeof(*child));
    uint32_t roots = HTP_NONE;
    for (uint32_t m = count; m-- > 0;) {
        uint32_t *list = modules[m].parent == HTP_NONE ? &roots : &child[modules[m].parent];
        next[m] = *list;
        *list = m;
    }
    for (uint32_t at = roots; at != HTP_NONE;) {
        place[at] = used;
        order[used++] = at;
        uint32_t follows = child[at];
        while (follows == HTP_NONE && at != HTP_NONE) {
            end[at] = used;
            follows = next[at];
            at = modules[at].parent;
        }
        at = follows;
    }
    s->order = order;
    s->place = place;
    s->end = end;
}

static void find_eligible(htp_subject *s)
{
    const htp_tree_module *modules = s->tree->modules;
    uint32_t *eligible = HTP_NEW_ARRAY(s->arena, uint32_t, s->module_count + 1U);
    for (uint32_t m = 0; m < s->module_count; m++) { /* parents come first */
        bool is_own = modules[m].has_tag || modules[m].parent == HTP_NONE;
        eligible[m] = is_own ? m : eligible[modules[m].parent];
    }
    s->eligible = eligible;
}

/* The path of a tag that is made of attribute names, /encoder/layer.0. */
static htp_slice path_of_tag(htp_arena *arena, htp_slice tag)
{
    char *path = htp_arena_copy(arena, tag.at, tag.length);
    for (size_t i = 0; i < tag.length; i++) {
        if (path[i] == '/') {
            path[i] = '.';
        }
    }
    size_t slash = tag.length > 0;
    return (htp_slice){path + slash, tag.length - slash};
}

bool htp_subject_list_paths(htp_arena *arena, const htp_tree *tree, const htp_slice **paths)
{
    htp_slice *list = HTP_NEW_ARRAY(arena, htp_slice, tree->module_count + 1U);
    bool are_tags = tree->are_paths_in_tags && tree->source != HTP_TREE_NOWHERE;
    bool are_known = false;
    for (uint32_t m = 0; m < tree->module_count; m++) {
        const htp_tree_module *module = &tree->modules[m];
        list[m] = module->has_path ? module->path
                  : are_tags       ? path_of_tag(arena, module->tag)
                                   : htp_slice_of("");
        are_known = are_known || module->has_path || are_tags;
    }
    *paths = list;
    return are_known;
}

static void find_paths(htp_subject *s)
{
    s->has_paths = htp_subject_list_paths(s->arena, s->tree, &s->paths);
    for (uint32_t m = 0; m < s->module_count && s->has_paths; m++) {
        bool is_root = m == 0;
        htp_slice path = s->paths[m];
        if ((path.length > 0 || is_root) &&
            !htp_map_get_bytes(&s->by_path, path.at, path.length, NULL)) {
            htp_map_set_bytes(s->arena, &s->by_path, path.at, path.length, m);
        }
    }
}

bool htp_subject_find_path(const htp_subject *subject, htp_slice path, uint32_t *module)
{
    return htp_map_get_bytes(&subject->by_path, path.at, path.length, module);
}

/* ---- nodes ---- */

static void place_nodes(htp_subject *s)
{
    uint32_t *module_of = HTP_NEW_ARRAY(s->arena, uint32_t, s->node_count + 1U);
    uint32_t *at = HTP_NEW_ARRAY(s->arena, uint32_t, s->module_count + 2U);
    uint32_t *nodes = HTP_NEW_ARRAY(s->arena, uint32_t, s->node_count + 1U);
    for (uint32_t n = 0; n < s->node_count; n++) {
        htp_view_range tags = s->tree->places[n].tags;
        module_of[n] = tags.count > 0 ? s->tree->owners.items[tags.first] : HTP_NONE;
        if (module_of[n] != HTP_NONE) {
            at[s->place[module_of[n]] + 2U]++;
        }
    }
    for (uint32_t i = 1; i < s->module_count + 2U; i++) {
        at[i] += at[i - 1];
    }
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (module_of[n] != HTP_NONE) {
            nodes[at[s->place[module_of[n]] + 1U]++] = n;
        }
    }
    s->module_of = module_of;
    s->nodes = nodes;
    s->nodes_at = at;
}

bool htp_subject_is_tagged_above(const htp_subject *subject, uint32_t node, uint32_t module)
{
    htp_view_range tags = subject->tree->places[node].tags;
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++) {
        if (htp_subject_is_above(subject, subject->tree->owners.items[i], module)) {
            return true;
        }
    }
    return false;
}

/* ---- edges ---- */

/* An edge before sorting. */
struct found {
    uint32_t source, reader, slot;
};

struct finding {
    const htp_subject *subject;
    HTP_VECTOR(struct found) edges;
    uint32_t node, slot; /* of the current reader */
};

static void note_edge(void *user, uint32_t node, uint32_t value)
{
    struct finding *finding = user;
    const htp_view *view = finding->subject->view;
    const htp_view_value *read = &view->values.items[value];
    finding->slot = node == finding->node ? finding->slot + 1 : 0;
    finding->node = node;
    if (read->maker != HTP_VIEW_BY_NODE || finding->subject->is_constant[read->node]) {
        return;
    }
    uint32_t reader = node;
    while (reader != HTP_NONE && view->nodes.items[reader].graph != read->graph) {
        reader = view->graphs.items[view->nodes.items[reader].graph].node;
    }
    if (reader != HTP_NONE && reader != read->node) {
        uint32_t slot = reader == node ? finding->slot : HTP_NONE;
        HTP_PUSH(finding->subject->arena, &finding->edges,
                 (struct found){read->node, reader, slot});
    }
}

/* Sorts edges by the node at one end; stable. */
static htp_edges sort_edges(const htp_subject *s, const struct finding *finding, bool by_reader)
{
    uint32_t *first = HTP_NEW_ARRAY(s->arena, uint32_t, s->node_count + 2U);
    htp_edge *items = HTP_NEW_ARRAY(s->arena, htp_edge, finding->edges.count + 1);
    for (size_t i = 0; i < finding->edges.count; i++) {
        const struct found *edge = &finding->edges.items[i];
        first[(by_reader ? edge->reader : edge->source) + 2U]++;
    }
    for (uint32_t n = 1; n < s->node_count + 2U; n++) {
        first[n] += first[n - 1];
    }
    for (size_t i = 0; i < finding->edges.count; i++) {
        const struct found *edge = &finding->edges.items[i];
        uint32_t at = first[(by_reader ? edge->reader : edge->source) + 1U]++;
        items[at] = (htp_edge){by_reader ? edge->source : edge->reader, edge->slot};
    }
    return (htp_edges){first, items};
}

static void find_edges(htp_subject *s)
{
    struct finding finding = {.subject = s, .node = HTP_NONE};
    bool *is_constant = HTP_NEW_ARRAY(s->arena, bool, s->node_count + 1U);
    for (uint32_t n = 0; n < s->node_count; n++) {
        is_constant[n] = htp_flow_is_constant(s->view, n);
    }
    s->is_constant = is_constant;
    for (uint32_t n = 0; n < s->node_count; n++) {
        htp_flow_each_read(s->view, n, note_edge, &finding);
    }
    s->sources = sort_edges(s, &finding, true);
    s->readers = sort_edges(s, &finding, false);
}

void htp_subject_make(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                      htp_subject *subject)
{
    *subject = (htp_subject){
        .arena = arena,
        .view = view,
        .tree = tree,
        .node_count = (uint32_t)view->nodes.count,
        .module_count = tree->module_count,
    };
    order_modules(subject);
    find_eligible(subject);
    find_paths(subject);
    place_nodes(subject);
    find_edges(subject);
}
