#include "operand_checks.h"

#include <ATen/ATen.h>

#include <map>
#include <string>

namespace htp
{

namespace
{

// Operands by their schema names.
class Operands
{
  public:
    Operands(const c10::FunctionSchema &schema, const torch::jit::Stack &stack)
        : schema_(schema), stack_(stack)
    {
    }

    const c10::IValue &operator[](const char *name) const
    {
        static const c10::IValue none;
        const auto index = schema_.argumentIndexWithName(name);
        return index && static_cast<size_t>(*index) < stack_.size()
                   ? stack_[static_cast<size_t>(*index)]
                   : none;
    }

    bool flag(const char *name) const
    {
        return (*this)[name].isBool() && (*this)[name].toBool();
    }

  private:
    const c10::FunctionSchema &schema_;
    const torch::jit::Stack &stack_;
};

// A row of offsets is read as one, whatever its rank.
void check_bags(const Operands &operands)
{
    const c10::IValue &offsets = operands["offsets"];
    TORCH_CHECK(!offsets.isTensor() || offsets.toTensor().dim() == 1,
                "offsets has to be a 1D Tensor");
}

void check_state(const at::Tensor &state, int64_t layers)
{
    TORCH_CHECK(state.dim() >= 2 && state.size(0) == layers, "expected hidden states of ", layers,
                " layers first, got ", state.sizes());
}

// The states are taken apart into as many layers as there are, which is not checked.
void check_recurrent(const Operands &operands)
{
    const c10::IValue &state = operands["hx"];
    if (!operands["num_layers"].isInt()) {
        return;
    }
    const int64_t layers =
        operands["num_layers"].toInt() * (operands.flag("bidirectional") ? 2 : 1);
    if (state.isTensor()) {
        check_state(state.toTensor(), layers);
    } else if (state.isTensorList()) {
        for (const at::Tensor &tensor : state.toTensorVector()) {
            check_state(tensor, layers);
        }
    }
}

} // namespace

void check_operands(const c10::FunctionSchema &schema, const torch::jit::Stack &operands)
{
    static const std::map<std::string, void (*)(const Operands &)> checks = {
        {"aten::embedding_bag", check_bags}, {"aten::gru", check_recurrent},
        {"aten::lstm", check_recurrent},     {"aten::rnn_relu", check_recurrent},
        {"aten::rnn_tanh", check_recurrent},
    };
    const auto found = checks.find(schema.name());
    if (found != checks.end()) {
        found->second(Operands(schema, operands));
    }
}

} // namespace htp
