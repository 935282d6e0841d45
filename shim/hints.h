// What the uses of forward()'s arguments say of them.
#pragma once

#include "model.h"

#include <vector>

namespace htp
{

// Follows the arguments through calls; runs nothing. Bounded.
std::vector<htp_shim_hint> find_hints(Model &model);

} // namespace htp
