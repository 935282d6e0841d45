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

constexpr size_t kMaxHints = 1024;
constexpr size_t kMaxNodes = 100000;
constexpr size_t kMaxDepth = 200;

// What is known of a value: an argument of the root's method, an object, or a weight.
struct Known {
    uint32_t argument = HTP_SHIM_NONE;
    std::string path; // of the part of the argument: "0.key"
    uint32_t weight = HTP_SHIM_NONE;
    c10::intrusive_ptr<c10::ivalue::Object> object;
};
using Scope = std::unordered_map<const torch::jit::Value *, Known>;

// The result is the first input, of the same sizes.
bool keeps_sizes(const std::string &kind)
{
    static const std::set<std::string> kinds = {
        "aten::to",    "aten::type_as", "aten::contiguous", "aten::clone",
        "aten::float", "aten::detach",  "aten::dropout",    "aten::alias",
        "aten::long",  "aten::clamp",   "aten::_to_copy",   "prim::unchecked_cast"};
    return kinds.count(kind) != 0;
}

// The result is the first input in another shape: its uses speak of the argument, too.
bool changes_shape(const std::string &kind)
{
    static const std::set<std::string> kinds = {
        "aten::view",      "aten::reshape", "aten::unsqueeze", "aten::squeeze",
        "aten::transpose", "aten::permute", "aten::slice",     "aten::select",
        "aten::expand",    "aten::flatten", "aten::pad",       "aten::constant_pad_nd",
        "aten::t",         "aten::narrow",  "aten::unflatten", "aten::reflection_pad1d",
        "aten::unfold"};
    return kinds.count(kind) != 0;
}

// The result is an operand in another form where the other one is a number or a weight.
bool shifts_or_scales(const std::string &kind)
{
    static const std::set<std::string> kinds = {"aten::add", "aten::sub", "aten::mul", "aten::div",
                                                "aten::rsub"};
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
        visit_function(model_.function(), inputs);
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
            pass_on(node, kind, inputs, scope);
        }
    }

    void pass_on(const torch::jit::Node &node, const std::string &kind,
                 const std::vector<Known> &inputs, Scope &scope)
    {
        if (inputs.size() > 0 && inputs[0].argument != HTP_SHIM_NONE &&
            take_apart(node, kind, inputs[0], scope)) {
            return;
        }
        const bool is_weight = inputs.size() > 0 && inputs[0].weight != HTP_SHIM_NONE;
        if (keeps_sizes(kind) || (changes_shape(kind) && !is_weight)) {
            scope[node.output()] = inputs[0];
        } else if (shifts_or_scales(kind)) {
            const bool is_second = inputs[0].argument == HTP_SHIM_NONE;
            if (is_plain(node.input(is_second ? 0 : 1), inputs[is_second ? 0 : 1])) {
                scope[node.output()] = inputs[is_second ? 1 : 0];
            }
        } else if (kind == "prim::ListConstruct" || kind == "prim::TupleConstruct") {
            for (const Known &input : inputs) {
                Known &list = scope[node.output()];
                if (list.argument == HTP_SHIM_NONE) {
                    list.argument = input.argument;
                    list.path = input.path;
                }
            }
        }
    }

    // Parts of a tuple, list or dict.
    bool take_apart(const torch::jit::Node &node, const std::string &kind, const Known &whole,
                    Scope &scope)
    {
        const auto tuple = node.input(0)->type()->cast<c10::TupleType>();
        const std::vector<std::string> fields =
            tuple ? field_names(*tuple) : std::vector<std::string>();
        const auto name = [&](size_t i) { return tuple ? fields.at(i) : std::to_string(i); };
        if (kind == "prim::TupleUnpack" || kind == "prim::ListUnpack") {
            for (size_t i = 0; i < node.outputs().size(); i++) {
                scope[node.outputs()[i]] = part(whole, name(i));
            }
            return true;
        }
        if (kind != "aten::__getitem__" && kind != "prim::TupleIndex") {
            return false;
        }
        const auto key = torch::jit::toIValue(node.input(1));
        if (key && key->isString()) {
            scope[node.output()] = part(whole, key->toStringRef());
        } else if (key && key->isInt() && key->toInt() >= 0) {
            scope[node.output()] = part(whole, name(static_cast<size_t>(key->toInt())));
        }
        return true;
    }

    Known part(const Known &whole, const std::string &name)
    {
        Known known;
        known.argument = whole.argument;
        known.path = whole.path.empty() ? name : whole.path + "." + name;
        add_part(known);
        return known;
    }

    // Which part the next hint speaks of.
    void add_part(const Known &known)
    {
        htp_shim_hint hint = {};
        hint.argument = known.argument;
        hint.kind = "part";
        hint.position = model_.keep.string(known.path);
        hints_.push_back(hint);
    }

    // A number, a constant or a weight.
    static bool is_plain(const torch::jit::Value *value, const Known &known)
    {
        return known.weight != HTP_SHIM_NONE || torch::jit::toIValue(value) ||
               !value->type()->isSubtypeOf(*c10::TensorType::get());
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
        if (hint.weight_rank == 0) {
            count_strides(node, arguments, hint);
            multiply_rows(node, arguments, hint);
        }
        scale_by_groups(node, arguments, hint);
        for (size_t i = 0; i < inputs.size() && i < arguments.size(); i++) {
            if (inputs[i].argument != HTP_SHIM_NONE) {
                if (!inputs[i].path.empty()) {
                    add_part(inputs[i]);
                }
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

    // A convolution's weight may be computed: its strides tell its rank.
    static void count_strides(const torch::jit::Node &node,
                              const std::vector<c10::Argument> &arguments, htp_shim_hint &hint)
    {
        constexpr size_t kMaxDims = 3;
        for (size_t i = 0; i < arguments.size() && i < node.inputs().size(); i++) {
            if (arguments[i].name() != "stride" || arguments[0].name() != "input") {
                continue;
            }
            const auto value = torch::jit::toIValue(node.inputs()[i]);
            const torch::jit::Node *made = node.inputs()[i]->node();
            size_t count = made->kind() == torch::jit::prim::ListConstruct ? made->inputs().size()
                           : value && value->isIntList() ? value->toIntVector().size()
                                                         : kMaxDims + 1;
            hint.weight_rank = count <= kMaxDims ? static_cast<uint32_t>(count) + 2 : 0;
        }
    }

    // Rows that are cut into more dims than an image has, view(-1, 3, 2, 14, 14), have as many
    // features as these have elements: a weight could not tell it better.
    static void multiply_rows(const torch::jit::Node &node,
                              const std::vector<c10::Argument> &arguments, htp_shim_hint &hint)
    {
        constexpr size_t kMinDims = 5;
        const bool is_view = arguments.size() == 2 &&
                             (arguments[1].name() == "size" || arguments[1].name() == "shape");
        if (!is_view || node.input(1)->node()->kind() != torch::jit::prim::ListConstruct ||
            node.input(1)->node()->inputs().size() < kMinDims) {
            return;
        }
        int64_t product = 1;
        bool is_open = false; // -1, first
        for (const torch::jit::Value *size : node.input(1)->node()->inputs()) {
            const auto number = torch::jit::toIValue(size);
            const int64_t known = number && number->isInt() ? number->toInt() : 0;
            const bool is_known = is_open ? known > 0 && known < INT32_MAX : known == -1;
            if (!is_known || product > INT32_MAX) {
                return;
            }
            product *= is_open ? known : 1;
            is_open = true;
        }
        hint.weight_rank = 1;
        hint.weight_dims[0] = product;
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
