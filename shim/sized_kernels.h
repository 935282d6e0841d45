// Meta kernels of operators that are never run, because their own kernels take positions in memory
// from contents that they do not check: see htp_operator_is_sized_alone().
#pragma once

namespace htp
{

// Registers those that this libtorch lacks. Must be called once.
void register_sized_kernels();

} // namespace htp
