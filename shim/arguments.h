// The arguments that a trace begins with.
#pragma once

#include "recording.h"

namespace htp
{

// What the method is called with: tensors without contents, numbers, and tuples, lists and dicts of
// them as the types of its arguments ask for. Throws BadInputs where @p inputs do not fit.
std::vector<Ref> make_arguments(Recording &recording, const std::vector<htp_shim_input> &inputs);

// The same items in containers of their own, which the program cannot change.
Ref as_given(Recording &recording, const Ref &item);

} // namespace htp
