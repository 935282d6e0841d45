// What is known of operators beyond their schemas.
#pragma once

#include <exception>
#include <string>

namespace htp
{

// Whether a thrown error speaks of missing kernels rather than of the inputs.
bool means_no_meta_kernel(const std::exception &error);

// Operators that reach outside the program, or whose results' sizes follow from contents in ways
// that trying them on stand-ins does not show.
bool must_not_run(const std::string &name);

// Operators whose results' contents are not defined.
bool is_uninitialised(const std::string &name);

// Operators that turn a tensor's contents into a number.
bool reads_contents(const std::string &name);

} // namespace htp
