// What libtorch says of operands, in words that hold at all sizes.
#pragma once

#include "recording.h"

#include <string>
#include <vector>

namespace htp
{

// @p text, libtorch's on the operands of one lane: sizes that nobody gave, those of the other lanes
// and those that were made up, become question marks. Numbers of the program and dims stay.
std::string worded(const Recording &recording, const std::vector<Ref> &inputs, size_t lane,
                   const std::string &text);

} // namespace htp
