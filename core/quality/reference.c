#include "quality/reference.h"

uint32_t htp_reference_find_ran(const htp_tree *tree, uint32_t node)
{
    const htp_tree_place *place = &tree->places[node];
    uint32_t tagged = place->tags.count > 0 ? tree->owners.items[place->tags.first] : HTP_NONE;
    uint32_t at = place->innermost;
    while (at != HTP_NONE && !tree->modules[at].has_tag) {
        at = tree->modules[at].parent;
    }
    return at == tagged ? place->innermost : tagged;
}
