#include "operators.h"

#include "operands.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <deque>
#include <set>

namespace htp
{

namespace
{

using c10::DispatchKey;
using c10::KernelFunction;

thread_local bool elsewhere = false;

// An operand resized to other sizes.
at::Tensor resized(const at::Tensor &tensor, const htp_making &making)
{
    tensor.resize_({making.dims, making.rank});
    if (making.strides != nullptr) {
        tensor.unsafeGetTensorImpl()->set_sizes_and_strides({making.dims, making.rank},
                                                            {making.strides, making.rank});
    }
    return tensor;
}

c10::IValue make(const htp_meta_output &output, at::ArrayRef<c10::IValue> operands)
{
    c10::List<at::Tensor> list;
    switch (output.kind) {
    case HTP_META_NONE:
        return at::Tensor();
    case HTP_META_TENSOR:
        return make_tensor(output.making);
    case HTP_META_LIST:
        for (uint32_t i = 0; i < output.count; i++) {
            list.push_back(make_tensor(output.elements[i].making));
        }
        return list;
    case HTP_META_OPERAND:
        return operands.at(output.operand);
    case HTP_META_RESIZED:
        return resized(operands.at(output.operand).toTensor(), output.making);
    }
    throw std::runtime_error("there is no such output");
}

// Releases the lists in the outputs of a call.
class Released
{
  public:
    Released(const htp_meta_kernels &kernels, htp_meta_call &call) : kernels_(kernels), call_(call)
    {
    }
    ~Released()
    {
        kernels_.release(&call_);
    }
    Released(const Released &) = delete;
    Released &operator=(const Released &) = delete;

  private:
    const htp_meta_kernels &kernels_;
    htp_meta_call &call_;
};

struct CoreKernel : c10::OperatorKernel {
    CoreKernel(const htp_meta_kernels &all, uint32_t kernel) : kernels(all), number(kernel) {}

    void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet,
                    torch::jit::Stack *stack) const
    {
        Handouts described;
        std::vector<htp_operand> operands;
        const auto values = torch::jit::last(*stack, op.schema().arguments().size());
        for (const c10::IValue &value : values) {
            operands.push_back(describe(value, described));
        }
        htp_meta_call call; // outputs and message take several KB, so nothing is cleared
        call.operands = operands.data();
        call.operand_count = static_cast<uint32_t>(operands.size());
        call.is_elsewhere = Elsewhere::is_now();
        call.has_mkl = at::hasMKL();
        call.major = TORCH_VERSION_MAJOR;
        const Released released(kernels, call);
        TORCH_CHECK(kernels.run(number, &call), call.error.message);
        torch::jit::Stack results;
        std::transform(call.outputs, call.outputs + call.output_count, std::back_inserter(results),
                       [&](const htp_meta_output &output) { return make(output, values); });
        torch::jit::drop(*stack, operands.size());
        std::move(results.begin(), results.end(), std::back_inserter(*stack));
    }

    const htp_meta_kernels &kernels;
    uint32_t number;
};

void add(const htp_meta_operator &of, const KernelFunction &kernel)
{
    static std::deque<c10::RegistrationHandleRAII> registrations;
    static std::set<const htp_meta_operator *> added;
    auto &dispatcher = c10::Dispatcher::singleton();
    const auto found = dispatcher.findSchema({of.name, of.overload});
    if (!found) {
        return;
    }
    // A composite operator gets gradients from its parts, a single kernel does not.
    const bool is_composed = found->hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd);
    const bool has_one = is_composed || found->hasKernelForDispatchKey(DispatchKey::Meta);
    if ((has_one && !of.replaces) || !added.insert(&of).second) {
        return;
    }
    for (const DispatchKey key : {DispatchKey::Meta, DispatchKey::AutogradMeta}) {
        if (key == DispatchKey::Meta || is_composed) {
            registrations.push_back(
                dispatcher.registerImpl(found->operator_name(), key, kernel, {}, nullptr, "htp"));
        }
    }
}

} // namespace

Elsewhere::Elsewhere(bool is_elsewhere)
{
    elsewhere = is_elsewhere;
}

Elsewhere::~Elsewhere()
{
    elsewhere = false;
}

bool Elsewhere::is_now()
{
    return elsewhere;
}

void add_meta_kernels(const htp_meta_kernels &kernels)
{
    Silence silence; // of what is replaced
    const WarningGuard silent(&silence);
    for (uint32_t i = 0; i < kernels.count; i++) {
        add(kernels.operators[i],
            KernelFunction::makeFromBoxedFunctor(std::make_unique<CoreKernel>(kernels, i)));
    }
}

} // namespace htp
