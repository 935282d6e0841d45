// Kernels of the core's for tensors without contents, as libtorch's: htp/meta.h.
#pragma once

#include <htp/meta.h>

namespace htp
{

// Registers those that this libtorch lacks of the operators that are known by now. May be called
// repeatedly; what runs stays.
void add_meta_kernels(const htp_meta_kernels &kernels);

} // namespace htp
