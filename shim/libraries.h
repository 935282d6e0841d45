// Libraries that register operators of their own, as torch.ops.load_library() opens them.
#pragma once

#include <ATen/core/function_schema.h>

#include <string>

namespace htp
{

// Opens a library, for as long as the process lives. What it exports serves the libraries that are
// opened after it. Throws std::exception.
void load_library(const std::string &path);

// Whether the operator is one of a library that was opened.
bool is_loaded(const c10::FunctionSchema &schema);

// Whether there is any such operator.
bool has_loaded();

// Whether the operator is one of a library that was opened, and has no kernel for meta tensors: its
// code would look for their contents.
bool needs_contents(const c10::FunctionSchema &schema);

} // namespace htp
