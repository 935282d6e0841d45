#include "execute.h"

#include "map_tensors.h"

namespace htp
{

// Where libtorch has no meta kernel: the real one, on tensors of zeroes and then of ones, shows
// the outputs' sizes. Sizes that differ between the two depend on the data.
std::vector<c10::IValue> Executor::run_on_stand_ins(Call &call, size_t lane)
{
    constexpr int64_t kMaxElements = int64_t{1} << 26;
    const auto run_on = [&](int fill) {
        torch::jit::Stack stack;
        for (size_t i = 0; i < call.inputs.size(); i++) {
            const auto &arguments = call.schema.arguments();
            const c10::TypePtr type = i < arguments.size() ? arguments[i].type() : nullptr;
            stack.push_back(map_tensors(
                Recording::value(call.inputs[i], lane, type), [&](const at::Tensor &tensor) {
                    if (!tensor.is_meta()) {
                        return tensor.clone();
                    }
                    if (tensor.numel() > kMaxElements) {
                        throw Unsupported("this libtorch cannot tell its output's size");
                    }
                    return at::full(tensor.sizes(), fill, tensor.options().device(at::kCPU));
                }));
        }
        call.operation(stack);
        std::vector<c10::IValue> outputs;
        for (const c10::IValue &value : stack) {
            outputs.push_back(map_tensors(value, meta_like));
        }
        return outputs;
    };
    for (const c10::Argument &argument : call.schema.arguments()) {
        if (argument.alias_info() != nullptr) {
            throw Unsupported("this libtorch cannot tell its output's size");
        }
    }
    std::vector<c10::IValue> zeroes = run_on(0);
    std::vector<c10::IValue> ones;
    try {
        ones = run_on(1);
    } catch (const c10::Error &) {
        return zeroes; // an index of one may be out of range
    }
    for (size_t i = 0; i < zeroes.size(); i++) {
        if (zeroes[i].isTensor() && zeroes[i].toTensor().defined() &&
            zeroes[i].toTensor().sizes() != ones[i].toTensor().sizes()) {
            throw Unsupported("its output's size depends on the data");
        }
    }
    return zeroes;
}

} // namespace htp
