// Inputs that lie in a model's archive.
#pragma once

#include "model.h"

#include <vector>

namespace htp
{

// Those bundled with the model, or else those that it was traced with, which PyTorch 2 keeps
// without their contents. One for each argument of forward(), fewer where the last are left out;
// empty when the archive holds none.
std::vector<htp_shim_input> find_archived_inputs(Model &model);

} // namespace htp
