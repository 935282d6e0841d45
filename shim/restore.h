// Follows the __setstate__ methods of an archive: code of a stranger, which runs as soon as the
// file is opened.
//
// Nodes are followed one by one. Operators run for real, but only those that may (may_run() in
// operator_facts.h), on a budget of steps and elements; what is random is refused.
#pragma once

#include "version.h"

#include <functional>

namespace htp
{

// Gives @p object its attributes by its __setstate__(state). @p note_change is told of tensors that
// are written to; @p go_on is asked now and then. Throws Unsupported for what is not followed,
// another std::exception where the method raises or leaves attributes without a value.
void restore_state(const c10::intrusive_ptr<c10::ivalue::Object> &object, const c10::IValue &state,
                   const std::function<void(const at::Tensor &)> &note_change,
                   const std::function<bool()> &go_on);

} // namespace htp
