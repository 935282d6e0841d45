// What is known of operators beyond their schemas.
#pragma once

#include <ATen/core/function_schema.h>

#include <exception>
#include <string>

namespace htp
{

// The operator's name without its namespace: "nonzero".
std::string base_name(const c10::FunctionSchema &schema);

// Whether a thrown error speaks of missing kernels rather than of the inputs.
bool means_no_meta_kernel(const std::exception &error);

// Operators that reach outside the program.
bool must_not_run(const std::string &name);

// Whether this libtorch's unique operators sort although they were told that they need not: only
// then is there an order to follow.
bool unique_always_sorts();

// Whether the contents of an argument tell sizes.
bool is_size_operand(const c10::FunctionSchema &schema, size_t argument);

// Operators whose results' contents are not defined.
bool is_uninitialised(const std::string &name);

// Operators that turn a tensor's contents into a number.
bool reads_contents(const std::string &name);

// Operators that give sums and products of sizes exactly, or hand them on: on sizes that were made
// up they give what the true ones would.
bool is_exact_on_sizes(const std::string &name);

// Operators that a number that only the data can tell may be given to: as a size of the output, or
// as something on which its size does not depend.
bool takes_data_numbers(const std::string &name);

// Whether an operator broadcasts its operands against each other.
bool broadcasts(const std::string &name);

} // namespace htp
