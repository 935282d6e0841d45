#include "operators.h"

#include "operands.h"

#include <ATen/TensorIterator.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <deque>

namespace htp
{

namespace
{

using c10::DispatchKey;
using c10::KernelFunction;

c10::IValue make(const htp_meta_output &output)
{
    htp_making making = output.making;
    if (output.kind != HTP_META_LIST) {
        return output.kind == HTP_META_NONE ? at::Tensor() : make_tensor(making);
    }
    c10::List<at::Tensor> list;
    making.rank = 1;
    for (; making.dims < output.making.dims + output.making.rank; making.dims++) {
        list.push_back(make_tensor(making));
    }
    return list;
}

struct CoreKernel : c10::OperatorKernel {
    CoreKernel(htp_meta_run with, uint32_t kernel) : run(with), number(kernel) {}

    void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet,
                    torch::jit::Stack *stack) const
    {
        Handouts described;
        std::vector<htp_operand> operands;
        for (const c10::IValue &value : torch::jit::last(*stack, op.schema().arguments().size())) {
            operands.push_back(describe(value, described));
        }
        htp_meta_call call = {};
        call.operands = operands.data();
        call.operand_count = static_cast<uint32_t>(operands.size());
        TORCH_CHECK(run(number, &call), call.error.message);
        torch::jit::drop(*stack, operands.size());
        std::transform(call.outputs, call.outputs + call.output_count, std::back_inserter(*stack),
                       make);
    }

    htp_meta_run run;
    uint32_t number;
};

// @p out takes the sizes, or is undefined. What types become, and how the result lies in memory, is
// told by more than operands are described with.
at::Tensor &where_out(const at::Tensor &condition, const at::Tensor &self, const at::Tensor &other,
                      at::Tensor &out)
{
    const at::ScalarType type = at::result_type(self, other);
    auto config = at::TensorIteratorConfig();
    config.check_all_same_dtype(false).declare_static_dtype(type).add_owned_output(out);
    config.add_owned_input(condition)
        .add_owned_input(self.to(type))
        .add_owned_input(other.to(type));
    return out = config.build().output();
}

at::Tensor where(const at::Tensor &condition, const at::Tensor &self, const at::Tensor &other)
{
    at::Tensor out;
    return where_out(condition, self, other, out);
}

void add(const htp_meta_operator &of, const KernelFunction &kernel)
{
    static std::deque<c10::RegistrationHandleRAII> registrations;
    auto &dispatcher = c10::Dispatcher::singleton();
    const auto found = dispatcher.findSchema({of.name, of.overload});
    if (!found || found->hasKernelForDispatchKey(DispatchKey::Meta)) {
        return;
    }
    // What is composed of others has gradients by these, and none where it is one kernel.
    const bool is_composed = found->hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd);
    for (const DispatchKey key : {DispatchKey::Meta, DispatchKey::AutogradMeta}) {
        if (key == DispatchKey::Meta || is_composed) {
            registrations.push_back(
                dispatcher.registerImpl(found->operator_name(), key, kernel, {}, nullptr, "htp"));
        }
    }
}

} // namespace

void add_meta_kernels(const htp_meta_kernels &kernels)
{
    add({"aten::where", "self"}, KernelFunction::makeFromUnboxedRuntimeFunction(&where));
    add({"aten::where", "self_out"}, KernelFunction::makeFromUnboxedRuntimeFunction(&where_out));
    for (uint32_t i = 0; i < kernels.count; i++) {
        add(kernels.operators[i],
            KernelFunction::makeFromBoxedFunctor(std::make_unique<CoreKernel>(kernels.run, i)));
    }
}

} // namespace htp
