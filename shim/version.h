// Differences between libtorch versions, all in one place: 1.13 (Debian 12) to 2.15.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/version.h>

#include <memory>
#include <string>

#if __has_include(<torch/csrc/jit/operator_upgraders/upgraders_entry.h>)
#include <torch/csrc/jit/operator_upgraders/upgraders_entry.h>
#else
namespace torch::jit
{
TORCH_API void populate_upgraders_graph_map(); // which no header of 1.13 and 2.4 declares
}
#endif

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

// Swallows libtorch's warnings.
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

// An allocator of tensor memory that wraps another one.
class ChainedAllocator : public at::Allocator
{
  public:
    explicit ChainedAllocator(at::Allocator *next) : next_(next) {}

#if TORCH_VERSION_MAJOR >= 2
    at::DataPtr allocate(size_t bytes) final
    {
        return allocate_bytes(bytes);
    }
    void copy_data(void *destination, const void *source, std::size_t count) const final
    {
        default_copy_data(destination, source, count);
    }
#else
    at::DataPtr allocate(size_t bytes) const final
    {
        return allocate_bytes(bytes);
    }
#endif

    // For users of raw memory.
    at::DeleterFnPtr raw_deleter() const final
    {
        return next_->raw_deleter();
    }

  protected:
    at::Allocator *next() const
    {
        return next_;
    }

  private:
    virtual at::DataPtr allocate_bytes(size_t bytes) const = 0;

    at::Allocator *next_;
};

// An error's message without a C++ backtrace, which takes libtorch long to find.
std::string message_of(const std::exception &error);

} // namespace htp
