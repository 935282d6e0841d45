// Operators whose output sizes the data decides: what they give when such a size is chosen.
#pragma once

#include "recording.h"

#include <ATen/core/function_schema.h>

#include <vector>

namespace htp
{

// What these operators are given: one lane's operands, and the size that the data decides.
struct Choice {
    const std::vector<Ref> &inputs;
    size_t lane;
    int64_t size;
};

// Gives the outputs in one lane.
using Sizer = std::vector<c10::IValue> (*)(const Choice &);

// nullptr for operators whose inputs' sizes tell those of the outputs.
Sizer find_sizer(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs);

// A tensor without contents.
at::Tensor meta_tensor(at::IntArrayRef sizes, at::ScalarType type);

// A number that must be known: a dim, or whether something is asked for. Throws Unsupported.
int64_t fixed_number(const std::vector<Ref> &inputs, size_t index);

// Whether an argument is None, or left out.
bool is_none(const std::vector<Ref> &inputs, size_t index);

} // namespace htp
