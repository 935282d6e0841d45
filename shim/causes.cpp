#include "causes.h"

namespace htp
{

const Item *find_unknown(const Item &item)
{
    if (item.kind == Item::Kind::Unknown) {
        return item.producer == HTP_SHIM_NONE ? nullptr : &item;
    }
    const Item *found = nullptr;
    for (size_t i = 0; i < item.elements.size() && found == nullptr; i++) {
        found = find_unknown(*item.elements[i]);
    }
    return found;
}

const RecordedNode *find_cause(const Recording &recording, const Item *unknown)
{
    const RecordedNode *node = nullptr;
    while (unknown != nullptr) {
        node = &recording.nodes[unknown->producer];
        unknown = nullptr;
        for (size_t i = 0; i < node->inputs.size() && node->failure.empty() && !unknown; i++) {
            unknown = find_unknown(*recording.items[node->inputs[i]]);
        }
    }
    return node;
}

} // namespace htp
