/*
 * Why values are unknown.
 */
#include "interpret/recording/recording.h"

const htp_item *htp_item_find_unknown(const htp_item *item)
{
    if (item->kind == HTP_ITEM_UNKNOWN) {
        return item->producer == HTP_SHIM_NONE ? NULL : item;
    }
    const htp_item *found = NULL;
    for (size_t i = 0; i < item->elements.count && !found; i++) {
        found = htp_item_find_unknown(item->elements.items[i]);
    }
    return found;
}

const htp_recorded_node *htp_recording_find_cause(const htp_machine *m, const htp_item *unknown)
{
    const htp_recorded_node *node = NULL;
    while (unknown) {
        node = &m->recording.nodes.items[unknown->producer];
        unknown = NULL;
        for (uint32_t i = 0; i < node->input_count && !node->failure && !unknown; i++) {
            unknown = htp_item_find_unknown(m->recording.items.items[node->inputs[i]]);
        }
    }
    return node;
}
