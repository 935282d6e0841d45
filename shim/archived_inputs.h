// Inputs that lie in a model's archive.
#pragma once

#include "model.h"

#include <vector>

namespace htp
{

// What the method was traced with, as PyTorch 2 keeps it: without contents. One for each argument,
// fewer where the last are left out; empty when the archive does not say.
std::vector<htp_shim_input> find_archived_inputs(Model &model);

} // namespace htp
