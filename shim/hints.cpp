#include "hints.h"

#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <set>
#include <string>
#include <unordered_map>

namespace htp
{

namespace
{

constexpr size_t kMaxHints = 256;
constexpr size_t kMaxNodes = 100000;
constexpr size_t kMaxDepth = 200;

// What is known of a value: an argument of the root's forward(), an object, or a weight.
struct Known {
    uint32_t argument = HTP_SHIM_NONE;
    uint32_t weight = HTP_SHIM_NONE;
    c10::intrusive_ptr<c10::ivalue::Object> object;
};
using Scope = std::unordered_map<const torch::jit::Value *, Known>;

// The result is the argument in another form: its uses speak of the argument, too.
bool passes_on(const std::string &kind)
{
    static const std::set<std::string> kinds = {"aten::to",    "aten::type_as", "aten::contiguous",
                                                "aten::clone", "aten::detach",  "aten::dropout",
                                                "aten::float", "aten::alias",   "aten::_to_copy",
                                                "aten::view",  "aten::reshape"};
    return kinds.count(kind) != 0;
}

class Finder
{
  public:
    explicit Finder(Model &model) : model_(model) {}

    std::vector<htp_shim_hint> run()
    {
        torch::jit::Module &root = model_.archive.module();
        std::vector<Known> inputs(1 + model_.arguments.size());
        inputs[0].object = root._ivalue();
        for (uint32_t i = 0; i < model_.arguments.size(); i++) {
            inputs[i + 1].argument = i;
        }
        visit_function(root.get_method("forward").function(), inputs);
        return std::move(hints_);
    }

  private:
    std::vector<Known> visit_function(torch::jit::Function &function,
                                      const std::vector<Known> &inputs)
    {
        std::vector<Known> outputs;
        function.ensure_defined();
        const auto graph = torch::jit::toGraphFunction(function).graph();
        if (++depth_ <= kMaxDepth && graph->inputs().size() == inputs.size()) {
            Scope scope;
            for (size_t i = 0; i < inputs.size(); i++) {
                scope[graph->inputs()[i]] = inputs[i];
            }
            visit_block(*graph->block(), scope);
            for (const torch::jit::Value *output : graph->outputs()) {
                outputs.push_back(scope[output]);
            }
        }
        depth_--;
        return outputs;
    }

    void visit_block(const torch::jit::Block &block, Scope &scope)
    {
        for (const torch::jit::Node *node : block.nodes()) {
            if (++visited_ > kMaxNodes || hints_.size() >= kMaxHints) {
                return;
            }
            visit_node(*node, scope);
            for (const torch::jit::Block *inner : node->blocks()) {
                visit_block(*inner, scope);
            }
            if (node->kind() == torch::jit::prim::If) {
                merge_branches(*node, scope);
            }
        }
    }

    // What a branch hands on is what the first one does that is known.
    static void merge_branches(const torch::jit::Node &node, Scope &scope)
    {
        for (size_t i = 0; i < node.outputs().size(); i++) {
            for (const torch::jit::Block *branch : node.blocks()) {
                const Known known = scope[branch->outputs()[i]];
                Known &merged = scope[node.outputs()[i]];
                if (merged.argument == HTP_SHIM_NONE && merged.weight == HTP_SHIM_NONE) {
                    merged = known;
                }
            }
        }
    }

    void visit_node(const torch::jit::Node &node, Scope &scope)
    {
        const std::string kind = node.kind().toQualString();
        std::vector<Known> inputs;
        for (const torch::jit::Value *input : node.inputs()) {
            inputs.push_back(scope[input]);
        }
        if (kind == "prim::GetAttr") {
            scope[node.output()] = attribute(inputs[0], node.s(c10::attr::name));
        } else if (kind == "prim::CallMethod" && inputs[0].object) {
            const auto type = inputs[0].object->type();
            give(node, visit_function(type->getMethod(node.s(c10::attr::name)), inputs), scope);
        } else if (kind == "prim::CallFunction") {
            const auto type = node.input(0)->type()->expect<c10::FunctionType>();
            inputs.erase(inputs.begin());
            give(node, visit_function(*type->function(), inputs), scope);
        } else {
            note(node, kind, inputs);
            if (passes_on(kind) || kind == "prim::unchecked_cast") {
                scope[node.output()] = inputs[0];
            }
        }
    }

    static void give(const torch::jit::Node &node, const std::vector<Known> &outputs, Scope &scope)
    {
        for (size_t i = 0; i < outputs.size() && i < node.outputs().size(); i++) {
            scope[node.outputs()[i]] = outputs[i];
        }
    }

    Known attribute(const Known &self, const std::string &name)
    {
        Known known;
        if (!self.object) {
            return known;
        }
        const auto slot = self.object->type()->findAttributeSlot(name);
        if (!slot) {
            return known;
        }
        known.weight = model_.weight_of(self.object.get(), *slot);
        const c10::IValue &value = self.object->getSlot(*slot);
        if (value.isObject()) {
            known.object = value.toObject();
        }
        return known;
    }

    void note(const torch::jit::Node &node, const std::string &kind,
              const std::vector<Known> &inputs)
    {
        const torch::jit::Operator *found = node.maybeOperator();
        if (found == nullptr) {
            return;
        }
        const auto &arguments = found->schema().arguments();
        htp_shim_hint hint = {};
        for (const Known &input : inputs) {
            if (input.weight != HTP_SHIM_NONE && hint.weight_rank == 0) {
                add_weight(hint, model_.weights[input.weight]);
            }
        }
        if (hint.weight_rank == 0) {
            add_constant(node, hint);
        }
        scale_by_groups(node, arguments, hint);
        for (size_t i = 0; i < inputs.size() && i < arguments.size(); i++) {
            if (inputs[i].argument != HTP_SHIM_NONE) {
                hint.argument = inputs[i].argument;
                hint.kind = model_.keep.string(kind);
                hint.position = model_.keep.string(arguments[i].name());
                hints_.push_back(hint);
            }
        }
    }

    static void add_weight(htp_shim_hint &hint, const htp_shim_weight &weight)
    {
        constexpr uint32_t kMaxRank = sizeof(hint.weight_dims) / sizeof(hint.weight_dims[0]);
        if (weight.rank <= kMaxRank) {
            hint.weight_rank = weight.rank;
            std::copy_n(weight.dims, weight.rank, hint.weight_dims);
        }
    }

    // The weights of a frozen module are constants of its code.
    static void add_constant(const torch::jit::Node &node, htp_shim_hint &hint)
    {
        for (const torch::jit::Value *input : node.inputs()) {
            if (input->node()->kind() != torch::jit::prim::Constant) {
                continue;
            }
            const auto value = torch::jit::toIValue(input);
            if (value && value->isTensor() && value->toTensor().defined()) {
                const at::Tensor tensor = value->toTensor();
                if (tensor.dim() >= 1 && tensor.dim() <= 8) {
                    hint.weight_rank = static_cast<uint32_t>(tensor.dim());
                    std::copy_n(tensor.sizes().begin(), tensor.dim(), hint.weight_dims);
                    return;
                }
            }
        }
    }

    // A convolution's weight has the channels of one group: count those of the input.
    static void scale_by_groups(const torch::jit::Node &node,
                                const std::vector<c10::Argument> &arguments, htp_shim_hint &hint)
    {
        for (size_t i = 0; i < arguments.size() && i < node.inputs().size(); i++) {
            const auto value = torch::jit::toIValue(node.inputs()[i]);
            if (arguments[i].name() == "groups" && hint.weight_rank >= 2 && value &&
                value->isInt()) {
                hint.weight_dims[1] *= value->toInt();
            }
        }
    }

    Model &model_;
    std::vector<htp_shim_hint> hints_;
    size_t visited_ = 0;
    size_t depth_ = 0;
};

} // namespace

std::vector<htp_shim_hint> find_hints(Model &model)
{
    return Finder(model).run();
}

} // namespace htp
