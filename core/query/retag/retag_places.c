/*
 * Modules of nodes, and how a node takes its place from another one.
 */
#include "query/retag/retag_parts.h"

uint32_t htp_retag_module(const htp_retagger *r, uint32_t node)
{
    htp_view_range tags = r->tree->places[node].tags;
    return tags.count > 0 ? r->tree->owners.items[tags.first] : HTP_NONE;
}

uint32_t htp_retag_around(const htp_retagger *r, uint32_t a, uint32_t b)
{
    const htp_tree_module *modules = r->tree->modules;
    while (a != b) {
        uint32_t *deeper = r->levels[a] >= r->levels[b] ? &a : &b;
        *deeper = modules[*deeper].parent == HTP_NONE ? 0 : modules[*deeper].parent;
    }
    while (!modules[a].has_tag && modules[a].parent != HTP_NONE) {
        a = modules[a].parent;
    }
    return a;
}

bool htp_retag_place_like(htp_retagger *r, uint32_t n, uint32_t node, htp_retag_evidence evidence)
{
    htp_retagging *out = r->out;
    htp_view_range tags = r->tree->places[node].tags;
    if (tags.count == 0) {
        return false;
    }
    htp_view_range more = {(uint32_t)out->more.count, tags.count - 1};
    for (uint32_t i = 1; i < tags.count; i++) {
        HTP_PUSH(r->arena, &out->more, r->tree->owners.items[tags.first + i]);
    }
    out->places[n] = (htp_retag_place){node, r->tree->owners.items[tags.first], more, evidence};
    return true;
}
