#include "hints.h"

#include "hint_weights.h"

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
    std::string path;          // of the part of the argument: "0.key"
    int shift = 0;             // by how many dims it has more than that part
    int joined = 1;            // of how many like it the features were joined
    bool is_converted = false; // perhaps to another dtype
    bool is_weight = false;
    Sizes sizes; // of the weight, or of a list of them
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

// What the result needs to be says nothing of the input's dtype.
bool converts(const std::string &kind)
{
    static const std::set<std::string> kinds = {"aten::to", "aten::type_as", "aten::float",
                                                "aten::long", "aten::_to_copy"};
    return kinds.count(kind) != 0;
}

// The result is the first input in another shape: its uses speak of the argument, too.
bool changes_shape(const std::string &kind)
{
    static const std::set<std::string> kinds = {
        "aten::view",      "aten::reshape", "aten::unsqueeze",   "aten::squeeze",
        "aten::transpose", "aten::permute", "aten::slice",       "aten::select",
        "aten::expand",    "aten::flatten", "aten::pad",         "aten::constant_pad_nd",
        "aten::t",         "aten::narrow",  "aten::unflatten",   "aten::reflection_pad1d",
        "aten::unfold",    "aten::index",   "aten::index_select"};
    return kinds.count(kind) != 0;
}

// The result is an operand in another form where the other one is a number or a weight.
bool shifts_or_scales(const std::string &kind)
{
    static const std::set<std::string> kinds = {"aten::add", "aten::sub", "aten::mul", "aten::div",
                                                "aten::rsub"};
    return kinds.count(kind) != 0;
}

// The operands have the same sizes, or such as broadcast with each other.
bool takes_alike(const std::string &kind)
{
    static const std::set<std::string> kinds = {
        "aten::add",     "aten::sub",     "aten::mul",      "aten::div", "aten::where",
        "aten::maximum", "aten::minimum", "aten::mse_loss", "aten::cat", "aten::gt",
        "aten::lt",      "aten::ge",      "aten::le",       "aten::eq",  "aten::ne"};
    return kinds.count(kind) != 0;
}

class Finder
{
  public:
    explicit Finder(Model &model) : model_(model) {}

    std::vector<htp_shim_hint> run()
    {
        std::vector<Known> inputs(1 + model_.arguments.size());
        inputs[0].object = model_.owner()._ivalue();
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

    // What a branch hands on is what the first one does that is known; arguments come first.
    static void merge_branches(const torch::jit::Node &node, Scope &scope)
    {
        for (size_t i = 0; i < node.outputs().size(); i++) {
            for (const torch::jit::Block *branch : node.blocks()) {
                const Known known = scope[branch->outputs()[i]];
                Known &merged = scope[node.outputs()[i]];
                const bool is_better = known.argument != HTP_SHIM_NONE || merged.sizes.empty();
                if (merged.argument == HTP_SHIM_NONE && is_better) {
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
            note(node, kind, inputs, scope);
            note_beside(node, kind, scope);
            pass_on(node, kind, inputs, scope);
        }
    }

    void pass_on(const torch::jit::Node &node, const std::string &kind,
                 const std::vector<Known> &inputs, Scope &scope)
    {
        if (!inputs.empty() && inputs[0].argument != HTP_SHIM_NONE &&
            take_apart(node, kind, inputs[0], scope)) {
            return;
        }
        const bool is_weight = !inputs.empty() && inputs[0].is_weight;
        if (keeps_sizes(kind) || (changes_shape(kind) && !is_weight)) {
            Known known = inputs[0];
            known.shift += known.argument == HTP_SHIM_NONE ? 0 : rank_change(node);
            known.is_converted = known.is_converted || converts(kind);
            scope[node.output()] = known;
            if (kind == "aten::select" && known.argument != HTP_SHIM_NONE) {
                note_pick(node, inputs[0]);
            }
        } else if (shifts_or_scales(kind)) {
            const bool is_second = inputs[0].argument == HTP_SHIM_NONE;
            const Known &other = inputs[is_second ? 0 : 1];
            if (is_plain(node.input(is_second ? 0 : 1), other) || other.argument != HTP_SHIM_NONE) {
                scope[node.output()] = inputs[is_second ? 1 : 0];
            }
        } else if (kind == "aten::cat" && inputs[0].argument != HTP_SHIM_NONE) {
            pass_on_joined(node, inputs[0], scope);
        } else if (kind == "prim::ListConstruct" || kind == "prim::TupleConstruct") {
            for (const Known &input : inputs) {
                Known &list = scope[node.output()];
                if (list.argument == HTP_SHIM_NONE) {
                    list.argument = input.argument;
                    list.path = input.path;
                    list.shift = input.shift;
                }
            }
        }
    }

    // What is joined of arguments alone speaks of the first one.
    static void pass_on_joined(const torch::jit::Node &node, const Known &list, Scope &scope)
    {
        const torch::jit::Node *made = node.input(0)->node();
        bool are_all = made->kind() == torch::jit::prim::ListConstruct;
        for (size_t i = 0; are_all && i < made->inputs().size(); i++) {
            are_all = scope[made->input(i)].argument != HTP_SHIM_NONE;
        }
        if (are_all) {
            Known known = list;
            known.joined = joins_features(node) ? static_cast<int>(made->inputs().size()) : 1;
            scope[node.output()] = known;
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

    // Which part the next hint speaks of, and with how many dims more than it has.
    void add_part(const Known &known)
    {
        htp_shim_hint hint = {};
        hint.weight_dims[0] = known.shift;
        hint.weight_dims[1] = known.joined;
        hint.weight_dims[2] = known.is_converted ? 1 : 0;
        hint.argument = known.argument;
        hint.kind = "part";
        hint.position = model_.keep.string(known.path);
        hints_.push_back(hint);
    }

    // A number, a constant or a weight.
    static bool is_plain(const torch::jit::Value *value, const Known &known)
    {
        return known.is_weight || torch::jit::toIValue(value) ||
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
        const c10::IValue &value = self.object->getSlot(*slot);
        const uint32_t weight = model_.weight_of(self.object.get(), *slot);
        known.is_weight = weight != HTP_SHIM_NONE;
        if (known.is_weight) {
            const htp_shim_weight &found = model_.weights[weight];
            known.sizes.emplace_back(found.dims, found.dims + found.rank);
        } else if (value.isTensorList()) {
            for (const at::Tensor &tensor : value.toTensorVector()) {
                known.sizes.push_back(tensor.sizes().vec());
            }
        }
        if (value.isObject()) {
            known.object = value.toObject();
        }
        return known;
    }

    void note(const torch::jit::Node &node, const std::string &kind,
              const std::vector<Known> &inputs, const Scope &scope)
    {
        const torch::jit::Operator *found = node.maybeOperator();
        if (found == nullptr) {
            return;
        }
        const auto &arguments = found->schema().arguments();
        const auto sizes_of = [&](const torch::jit::Value *value) {
            const auto known = scope.find(value);
            return known == scope.end() ? Sizes() : known->second.sizes;
        };
        for (size_t i = 0; i < inputs.size() && i < arguments.size(); i++) {
            for (const torch::jit::Value *value : elements_of(node.input(i))) {
                const auto known = scope.find(value);
                if (known != scope.end() && known->second.argument != HTP_SHIM_NONE) {
                    htp_shim_hint hint = {};
                    find_weight_beside(node, i, sizes_of, hint);
                    add_hint(known->second, kind, arguments[i].name(), hint);
                }
            }
        }
    }

    void add_hint(const Known &known, const std::string &kind, const std::string &position,
                  htp_shim_hint hint)
    {
        if (!known.path.empty() || known.shift != 0 || known.joined != 1 || known.is_converted) {
            add_part(known);
        }
        hint.argument = known.argument;
        hint.kind = model_.keep.string(kind);
        hint.position = model_.keep.string(position);
        hints_.push_back(hint);
    }

    // An element that is picked by its number: select(self, dim, index).
    void note_pick(const torch::jit::Node &node, const Known &known)
    {
        const auto dim = torch::jit::toIValue(node.input(1));
        const auto index = torch::jit::toIValue(node.input(2));
        if (dim && index && dim->isInt() && index->isInt()) {
            htp_shim_hint hint = {};
            hint.weight_rank = 2;
            hint.weight_dims[0] = dim->toInt();
            hint.weight_dims[1] = index->toInt();
            add_hint(known, "pick", "", hint);
        }
    }

    // Arguments that one operator takes element by element, or joins, look alike.
    void note_beside(const torch::jit::Node &node, const std::string &kind, Scope &scope)
    {
        if (!takes_alike(kind) || node.inputs().empty()) {
            return;
        }
        const torch::jit::Node *made = node.input(0)->node();
        const bool is_list = made->kind() == torch::jit::prim::ListConstruct;
        const Known *first = nullptr;
        for (const torch::jit::Value *input : is_list ? made->inputs() : node.inputs()) {
            const Known &known = scope[input];
            if (known.argument == HTP_SHIM_NONE) {
                continue;
            }
            if (first != nullptr &&
                (known.argument != first->argument || known.path != first->path)) {
                htp_shim_hint hint = {};
                hint.weight_rank = 2;
                hint.weight_dims[0] = first->argument;
                hint.weight_dims[1] = first->shift;
                add_hint(known, "beside", first->path, hint);
            }
            first = first ? first : &known;
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
