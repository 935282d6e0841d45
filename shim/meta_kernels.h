// Meta kernels (sizes and dtypes, no arithmetic) of operators for which libtorch has none in C++.
#pragma once

namespace htp
{

// Registers those that this libtorch lacks; once in a process.
void register_meta_kernels();

} // namespace htp
