// Differences between libtorch versions, all in one place: 1.13 (Debian 12) to 2.13.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/version.h>

#include <memory>
#include <string>

namespace htp
{

// The storage that a tensor views, as an identity.
inline const void *storage_identity(const at::Tensor &tensor)
{
    return tensor.storage().unsafeGetStorageImpl();
}

// First byte of a storage.
inline const char *storage_data(const at::Tensor &tensor)
{
#if TORCH_VERSION_MAJOR >= 2
    return static_cast<const char *>(tensor.storage().data());
#else
    return static_cast<const char *>(tensor.storage().unsafe_data<char>());
#endif
}

// The first line of an error's message, without a C++ backtrace.
std::string first_line(const std::exception &error);

} // namespace htp
