/*
 * The geometry of tensor views in their memory.
 */
#include "interpret/memory/memory.h"

bool htp_item_view_has_same_geometry(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    if (!htp_is_tensor(a) || !htp_is_tensor(b)) {
        return false;
    }
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        if (!htp_tensor_has_same_layout(htp_tensor_in(a, lane), htp_tensor_in(b, lane))) {
            return false;
        }
    }
    return true;
}

bool htp_item_view_is_whole(const htp_machine *m, const htp_item *seen)
{
    const htp_item *parent = seen->view->parent;
    if (!htp_item_view_has_same_geometry(m, seen, parent)) {
        return false;
    }
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        if (htp_tensor_in(seen, lane)->offset != htp_tensor_in(parent, lane)->offset) {
            return false;
        }
    }
    return true;
}
