// What is known of operators beyond their schemas.
#pragma once

#include <ATen/core/function_schema.h>

#include <exception>
#include <string>

namespace htp
{

// Whether a thrown error speaks of missing kernels rather than of the inputs.
bool means_no_meta_kernel(const std::exception &error);

// Whether an operator may run while a file is being looked at: it makes its outputs from its
// operands, and does nothing else. Those of libraries that were opened may.
bool may_run(const c10::FunctionSchema &schema);

// Whether this libtorch's unique operators sort although they were told that they need not: only
// then is there an order to follow.
bool unique_always_sorts();

// Operators whose results' contents are not defined.
bool is_uninitialised(const std::string &name);

// Operators whose kernels take positions in memory from the contents of their operands and do not
// look whether they are there, or are not made for programs: a file that lies would have other
// memory read or written. Nothing of it is run.
bool is_unchecked(const c10::FunctionSchema &schema);

} // namespace htp
