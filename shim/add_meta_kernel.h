// How meta kernels of our own become libtorch's.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <deque>
#include <string>

namespace htp
{

// Registers a meta kernel of an operator of libtorch's own that has none.
template <typename Kernel>
void add_meta_kernel(const char *name, const char *overload, Kernel kernel)
{
    static std::deque<torch::Library> registrations;
    const auto found = c10::Dispatcher::singleton().findSchema({name, overload});
    if (!found || found->hasKernelForDispatchKey(c10::DispatchKey::Meta)) {
        return;
    }
    const std::string key = std::string(name) + (*overload ? "." : "") + overload;
    // What is composed of others has gradients by these, and none where it is one kernel.
    const bool is_composed =
        found->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
    for (const auto dispatch : {c10::DispatchKey::Meta, c10::DispatchKey::AutogradMeta}) {
        if (dispatch == c10::DispatchKey::Meta || is_composed) {
            registrations.emplace_back(torch::Library::IMPL, "aten", dispatch, __FILE__,
                                       static_cast<uint32_t>(__LINE__));
            registrations.back().impl(key.c_str(), kernel);
        }
    }
}

} // namespace htp
