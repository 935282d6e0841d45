// Operators of a third-party library, as users write them.
#include "attacks.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <torch/library.h>

#include <cmath>

namespace
{

using MaybeTensor = c10::optional<at::Tensor>;

// Reads contents, which meta tensors do not have; there is no kernel for those.
at::Tensor gelu(const at::Tensor &x)
{
    const at::Tensor in = x.contiguous();
    at::Tensor out = at::empty_like(in);
    const float *from = in.data_ptr<float>();
    float *to = out.data_ptr<float>();
    for (int64_t i = 0; i < in.numel(); i++) {
        to[i] = from[i] * 0.5F * (1 + std::erf(from[i] * 0.70710678F));
    }
    return out;
}

at::Tensor bias_gelu(const at::Tensor &x, const MaybeTensor &bias)
{
    return at::gelu(bias ? x.add(*bias) : x, "tanh");
}

at::Tensor quick_gelu(const at::Tensor &x, double alpha)
{
    return x.mul(x.mul(alpha).sigmoid());
}

// Has kernels for both; that of the CPU must not run.
at::Tensor doubled(const at::Tensor &)
{
    TORCH_CHECK(false, "there are no contents to compute with");
}

at::Tensor doubled_meta(const at::Tensor &x)
{
    return at::empty_like(x);
}

at::Tensor joined(const std::vector<at::Tensor> &parts, int64_t axis)
{
    return at::cat(parts, axis);
}

at::Tensor list_first(const std::vector<at::Tensor> &parts, const at::Tensor &x)
{
    return parts[0].add(x);
}

at::Tensor permuted(const at::Tensor &x, std::vector<int64_t> perm)
{
    return x.permute(perm).contiguous();
}

std::tuple<at::Tensor, at::Tensor> halves(const at::Tensor &x, int64_t axis, int64_t num_outputs)
{
    const std::vector<at::Tensor> parts = x.chunk(num_outputs, axis);
    return {parts[0].clone(), parts[1].clone()};
}

at::Tensor positive(const at::Tensor &x)
{
    return x.masked_select(x.gt(0));
}

at::Tensor repeated(const at::Tensor &x, int64_t count)
{
    return x.repeat({count, 1});
}

at::Tensor described(const at::Tensor &x, bool is_on, c10::optional<int64_t> level,
                     std::string mode, std::vector<double> factors, std::vector<int64_t> steps)
{
    return x.clone();
}

at::Tensor &negated_(at::Tensor &x)
{
    return x.neg_();
}

int64_t counted(const at::Tensor &x)
{
    return x.numel();
}

// Runs on contents, so with its own code, while a model is exported.
at::Tensor attempted(const at::Tensor &x, std::string what)
{
    attacks::attempt(what);
    return x.clone();
}

} // namespace

TORCH_LIBRARY(house, m)
{
    m.def("gelu(Tensor x) -> Tensor", &gelu);
    m.def("bias_gelu(Tensor x, Tensor? bias=None) -> Tensor", &bias_gelu);
    m.def("quick_gelu(Tensor x, float alpha) -> Tensor", &quick_gelu);
    m.def("doubled(Tensor x) -> Tensor");
    m.def("joined(Tensor[] parts, int axis) -> Tensor", &joined);
    m.def("list_first(Tensor[] parts, Tensor x) -> Tensor", &list_first);
    m.def("permuted(Tensor x, int[] perm) -> Tensor", &permuted);
    m.def("halves(Tensor x, int axis, int num_outputs) -> (Tensor, Tensor)", &halves);
    m.def("positive(Tensor x) -> Tensor", &positive);
    m.def("repeated.count(Tensor x, int count) -> Tensor", &repeated);
    m.def("described(Tensor x, bool is_on, int? level, str mode, float[] factors, int[] steps) -> "
          "Tensor",
          &described);
    m.def("negated_(Tensor(a!) x) -> Tensor(a!)", &negated_);
    m.def("counted(Tensor x) -> int", &counted);
    m.def("attempted(Tensor x, str what) -> Tensor", &attempted);
}

TORCH_LIBRARY_IMPL(house, CPU, m)
{
    m.impl("doubled", &doubled);
}

TORCH_LIBRARY_IMPL(house, Meta, m)
{
    m.impl("doubled", &doubled_meta);
}
