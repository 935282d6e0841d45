// Differences between libtorch versions, all in one place: 1.13 (Debian 12) to 2.13.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
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

// The engine of quantised kernels that PyTorch 2 has on x86: FBGEMM for products of matrices.
#if TORCH_VERSION_MAJOR >= 2
constexpr at::QEngine kX86Engine = at::QEngine::X86;
#else
constexpr at::QEngine kX86Engine = at::QEngine::FBGEMM;
#endif

// Takes libtorch's warnings, and says nothing.
class Silence final : public c10::WarningHandler
{
  public:
#if TORCH_VERSION_MAJOR >= 2
    void process(const c10::Warning &) override {}
#else
    void process(const c10::SourceLocation &, const std::string &, bool) override {}
#endif
};

#if TORCH_VERSION_MAJOR >= 2
using WarningGuard = c10::WarningUtils::WarningHandlerGuard;
#else
using WarningGuard = c10::Warning::WarningHandlerGuard;
#endif

// The first line of an error's message, without a C++ backtrace.
std::string first_line(const std::exception &error);

} // namespace htp
