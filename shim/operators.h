// What is known of a model without running anything.
#pragma once

#include "model.h"

namespace htp
{

// The operators that the method's code names, and that of what it calls, sorted by kind.
std::vector<htp_shim_operator> find_operators(Model &model);

// What the archive says of itself and of the method.
htp_shim_facts find_facts(Model &model);

} // namespace htp
