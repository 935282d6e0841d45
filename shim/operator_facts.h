// What is known of operators beyond their schemas.
#pragma once

#include <ATen/core/function_schema.h>
#include <htp/facts.h>

#include <exception>
#include <string>

namespace htp
{

// Whether an operator, by its name without overload, has one of these facts of htp/facts.def.
bool has_fact(const std::string &name, unsigned facts);

// The operator's name without its namespace: "nonzero".
std::string base_name(const c10::FunctionSchema &schema);

// Whether a thrown error speaks of missing kernels rather than of the inputs.
bool means_no_meta_kernel(const std::exception &error);

// Whether an operator may run while a file is being looked at: it makes its outputs from its
// operands, and does nothing else. Those of libraries that were opened may.
bool may_run(const c10::FunctionSchema &schema);

// Whether this libtorch's unique operators sort although they were told that they need not: only
// then is there an order to follow.
bool unique_always_sorts();

// Whether the contents of an argument tell sizes.
bool is_size_operand(const c10::FunctionSchema &schema, size_t argument);

// Operators whose results' contents are not defined.
bool is_uninitialised(const std::string &name);

// Whether it makes tensors whose rows have sizes of their own, or asks whether it could.
bool makes_nested(const c10::FunctionSchema &schema);

// Operators whose kernels take positions in memory from the contents of their operands and do not
// look whether they are there, or are not made for programs: a file that lies would have other
// memory read or written. Nothing of it is run.
bool is_unchecked(const c10::FunctionSchema &schema);

// Unchecked operators that have meta kernels all the same, or change an operand in place: these
// tell their sizes, so that they can be followed without being run.
bool is_sized_alone(const c10::FunctionSchema &schema);

// Operators with such kernels whose sizes are needed: they are given tensors of zeroes alone.
bool trusts_contents(const c10::FunctionSchema &schema);

// Operators that a number that only the data can tell may be given to: as a size of the output, or
// as something on which its size does not depend.
bool takes_data_numbers(const std::string &name);

// Operators whose second operand libtorch's executor makes a number where it is a constant tensor
// without dims (torch/csrc/jit/passes/canonicalize_ops.cpp).
bool takes_constants_as_numbers(const c10::FunctionSchema &schema);

} // namespace htp
