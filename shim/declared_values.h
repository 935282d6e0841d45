// The values that declarations of an archive's code hold: defaults of arguments and of the fields
// of named tuples, constants of classes.
#pragma once

#include <torch/csrc/jit/frontend/tree.h>

namespace htp
{

// Whoever declares a value lets libtorch's interpreter compute it (ScriptTypeParser's
// evaluateDefaults()). PyTorch only ever writes literals there; throws Unsupported, naming what is
// declared and how, where one is anything that runs.
void check_declared_values(const torch::jit::TreeRef &declaration);

} // namespace htp
