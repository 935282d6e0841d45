#include "query/partition/cut.h"
#include "query/replace/replace_parts.h"
#include "query/select/calls.h"

/* State of the search. */
struct finder {
    htp_arena *arena;
    htp_replacement *r;
    uint32_t *chosen; /* by module: the chosen ancestor or the module itself, or HTP_NONE */
    htp_map known;    /* by module and call: of the list */
    uint32_t call;    /* that is replaced; HTP_NONE: each */
    htp_region only;  /* the nodes of that call */
};

static const char *call_module(htp_arena *arena, const htp_replacement *r, uint32_t module)
{
    htp_slice address = htp_tree_address(&r->tree->modules[module]);
    return htp_arena_printf(arena, "%.*s", (int)address.length, address.at);
}

/* The nodes of a module, or of one of its calls. */
static htp_status find_region(htp_arena *arena, const htp_replacement *r, uint32_t module,
                              uint32_t call, htp_region *region)
{
    *region = htp_region_new(arena, r->view, r->tree);
    region->takes_first_tag = true;
    htp_region_set_module(region, module);
    return call == HTP_NONE
               ? HTP_OK
               : htp_calls_restrict(arena, region, module, call, call_module(arena, r, module));
}

htp_status htp_replace_refusal(htp_arena *arena, const htp_replacement *r, uint32_t module,
                               uint32_t call)
{
    htp_cut cut;
    htp_region region;
    HTP_TRY(find_region(arena, r, module, call, &region));
    return htp_cut_region(arena, &region, call_module(arena, r, module), &cut);
}

/* ---- modules ---- */

static htp_status refuse_nested(const struct finder *f, uint32_t module, uint32_t above)
{
    const htp_tree *tree = f->r->tree;
    htp_slice inner = htp_tree_address(&tree->modules[module]);
    htp_slice outer = htp_tree_address(&tree->modules[above]);
    return htp_status_make(
        HTP_CODE_USAGE, "%s: '%.*s' lies in '%.*s': both cannot be replaced; leave out one",
        f->r->view->path, (int)inner.length, inner.at, (int)outer.length, outer.at);
}

static htp_status choose(struct finder *f, const bool *is_chosen)
{
    const htp_tree *tree = f->r->tree;
    f->chosen = HTP_NEW_ARRAY(f->arena, uint32_t, tree->module_count + 1);
    if (is_chosen[0]) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: the root is the whole model, of which nothing would be left; "
                               "choose modules below it",
                               f->r->view->path);
    }
    f->chosen[0] = HTP_NONE;
    uint32_t last = HTP_NONE;
    size_t count = 0;
    for (uint32_t i = 1; i < tree->module_count; i++) {
        uint32_t parent = tree->modules[i].parent;
        uint32_t above = parent == HTP_NONE ? HTP_NONE : f->chosen[parent];
        f->chosen[i] = is_chosen[i] ? i : above;
        if (is_chosen[i] && above != HTP_NONE) {
            return refuse_nested(f, i, above);
        }
        last = is_chosen[i] ? i : last;
        count += is_chosen[i];
    }
    if (f->call == HTP_NONE || count == 0) {
        return HTP_OK;
    }
    if (count > 1) {
        return htp_status_make(HTP_CODE_USAGE, "%s: --call needs one module, and %zu are chosen",
                               f->r->view->path, count);
    }
    return find_region(f->arena, f->r, last, f->call, &f->only);
}

/* ---- nodes ---- */

/* The entry of a module's call, made on first use. */
static uint32_t find_entry(struct finder *f, uint32_t node, uint32_t module)
{
    const htp_view *view = f->r->view;
    const uint32_t key[] = {
        module, f->call != HTP_NONE ? f->call : htp_calls_of_node(f->r->tree, view, node, module)};
    uint32_t number = (uint32_t)f->r->list.count;
    if (!htp_map_add_bytes(f->arena, &f->known, key, sizeof(key), &number)) {
        return number;
    }
    const htp_replaced made = {
        .module = module, .call = key[1], .graph = view->nodes.items[node].graph, .first = node};
    HTP_PUSH(f->arena, &f->r->list, made);
    return number;
}

/* Nodes of a body belong to the node around it. Constants and shared nodes belong to nobody. */
static htp_status place_node(struct finder *f, uint32_t node)
{
    htp_replacement *r = f->r;
    const htp_view *view = r->view;
    uint32_t graph = view->nodes.items[node].graph;
    uint32_t owner = view->graphs.items[graph].node;
    uint32_t innermost = r->tree->places[node].innermost;
    uint32_t module = innermost == HTP_NONE ? HTP_NONE : f->chosen[innermost];
    r->replaced_by[node] = owner == HTP_NONE ? HTP_NONE : r->replaced_by[owner];
    if (r->replaced_by[node] != HTP_NONE || module == HTP_NONE || r->tree->is_shared[node] ||
        htp_flow_is_constant(view, node) || (f->only.has_node && !f->only.has_node[node])) {
        return HTP_OK;
    }
    uint32_t number = find_entry(f, node, module);
    htp_replaced *replaced = &r->list.items[number];
    if (replaced->graph != graph || view->graphs.items[graph].function != HTP_NONE) {
        HTP_TRY(htp_replace_refusal(f->arena, r, module, replaced->call));
        htp_slice address = htp_tree_address(&r->tree->modules[module]);
        return htp_status_make(HTP_CODE_USAGE, "%s: '%.*s' lies in %s and in %s", view->path,
                               (int)address.length, address.at,
                               htp_cut_graph_text(f->arena, view, replaced->graph),
                               htp_cut_graph_text(f->arena, view, graph));
    }
    replaced->last = node;
    r->replaced_by[node] = number;
    return HTP_OK;
}

/* A chosen module without nodes is folded into others, or all of its nodes are shared. */
static htp_status check_nodes(const struct finder *f)
{
    const htp_replacement *r = f->r;
    bool *has_nodes = HTP_NEW_ARRAY(f->arena, bool, r->tree->module_count + 1);
    for (size_t i = 0; i < r->list.count; i++) {
        has_nodes[r->list.items[i].module] = true;
    }
    for (uint32_t m = 0; m < r->tree->module_count; m++) {
        if (f->chosen[m] != m || has_nodes[m]) {
            continue;
        }
        HTP_TRY(htp_replace_refusal(f->arena, r, m, HTP_NONE));
        htp_slice address = htp_tree_address(&r->tree->modules[m]);
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: '%.*s' has no nodes of its own: other modules share all that "
                               "it computes; an export with --share module keeps it apart",
                               r->view->path, (int)address.length, address.at);
    }
    return HTP_OK;
}

/* ---- borders ---- */

/* Finds the parts, which lie in any graphs. */
static void find_parts(htp_arena *arena, htp_replacement *r)
{
    htp_division *division = HTP_NEW(arena, htp_division);
    *division = htp_division_make_all(arena, r->view, r->tree->is_shared, (uint32_t)r->list.count,
                                      r->replaced_by);
    htp_part_maker *maker = htp_part_maker_new(arena, division, r->tree, r->types);
    for (size_t i = 0; i < r->list.count; i++) {
        htp_part_find(maker, arena, (uint32_t)i, NULL, &r->list.items[i].part);
    }
}

htp_status htp_replace_find(htp_arena *arena, htp_view *view, const htp_view *file,
                            const htp_tree *tree, const bool *is_chosen, uint32_t call,
                            htp_replacement *r)
{
    struct finder f = {.arena = arena, .r = r, .call = call};
    *r = (htp_replacement){
        .view = view,
        .file = file,
        .tree = tree,
        .types = htp_view_types_new(arena, view),
        .imports_of_view = htp_replace_list_imports(arena, view),
        .imports_of_file = htp_replace_list_imports(arena, file),
        .replaced_by = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1),
        .is_unread_node = HTP_NEW_ARRAY(arena, bool, view->nodes.count + 1),
        .is_unread_weight = HTP_NEW_ARRAY(arena, bool, view->values.count + 1),
        .orders = HTP_NEW_ARRAY(arena, htp_numbers, view->graphs.count + 1),
        .call_of = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1),
        .verbatim = HTP_NEW_ARRAY(arena, htp_span, view->nodes.count + 1),
    };
    HTP_TRY(choose(&f, is_chosen));
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        r->call_of[n] = HTP_NONE;
        HTP_TRY(place_node(&f, n));
    }
    HTP_TRY(check_nodes(&f));
    find_parts(arena, r);
    return htp_replace_keep_calls(arena, r);
}
