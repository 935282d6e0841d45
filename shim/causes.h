// Why values are unknown.
#pragma once

#include "recording.h"

namespace htp
{

// The item that is unknown because a node failed: this one, or an element of it; or nullptr.
const Item *find_unknown(const Item &item);

// The node that failed first of those that @p unknown follows from; the last one that is known
// where none of them tells why; nullptr where there is none.
const RecordedNode *find_cause(const Recording &recording, const Item *unknown);

} // namespace htp
