// Operands that make libtorch's kernels for meta tensors crash rather than throw.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

namespace htp
{

// Throws c10::Error for operands that the operator must not be run on.
void check_operands(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> operands);

// Whether check_operands() looks at this operator's operands at all.
bool has_operand_check(const c10::FunctionSchema &schema);

} // namespace htp
