#include "restore.h"

#include "libraries.h"
#include "map_tensors.h"
#include "model.h"
#include "operator_facts.h"

#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace htp
{

namespace
{

using torch::jit::Block;
using torch::jit::Node;
using Values = std::vector<c10::IValue>;

constexpr size_t kMaxDepth = 200;          // of calls
constexpr uint64_t kMaxSteps = 1000000;    // nodes that run
constexpr double kMaxElements = 268435456; // 2^28, that operators make

// The classes of libtorch whose objects hold packed weights, and nothing else.
bool is_packing(const std::string &class_name)
{
    static const std::string prefixes[] = {
        "__torch__.torch.classes.quantized.",
        "__torch__.torch.classes.rnn.",
    };
    return std::any_of(std::begin(prefixes), std::end(prefixes), [&](const std::string &prefix) {
        return class_name.compare(0, prefix.size(), prefix) == 0;
    });
}

// Whether a kernel may crash on what it is given: it trusts its operands, or divides the least
// number there is.
bool is_dangerous(const c10::FunctionSchema &schema, const Values &inputs)
{
    static const std::set<std::string> trusting = {
        "aten::embedding_bag",
        "aten::gru",
        "aten::lstm",
        "aten::rnn_relu",
        "aten::rnn_tanh",
        "aten::repeat_interleave",
        "aten::reflection_pad1d",
        "aten::reflection_pad2d",
        "aten::reflection_pad3d",
        "aten::replication_pad1d",
        "aten::replication_pad2d",
        "aten::replication_pad3d",
        "aten::max_unpool2d",
        "aten::max_unpool3d",
        "aten::channel_shuffle",
        "aten::native_channel_shuffle",
    };
    static const std::set<std::string> dividing = {
        "aten::div",     "aten::divide", "aten::floor_divide", "aten::remainder",
        "aten::fmod",    "aten::gcd",    "aten::lcm",          "aten::div_",
        "aten::divide_", "aten::fmod_",  "aten::remainder_",   "aten::floor_divide_",
        "aten::gcd_",    "aten::lcm_",
    };
    TORCH_CHECK(schema.name() != "aten::linalg_lu_solve" && schema.name() != "aten::lu_solve" &&
                    schema.name() != "aten::lu_unpack",
                "it is not run, because its kernel does not check its pivots");
    const auto has_least = [](const c10::IValue &value) {
        const bool is_tensor = value.isTensor() && value.toTensor().defined();
        const at::ScalarType type = is_tensor ? value.toTensor().scalar_type() : at::kFloat;
        return (type == at::kInt && value.toTensor().eq(INT32_MIN).any().item().toBool()) ||
               (type == at::kLong && value.toTensor().eq(INT64_MIN).any().item().toBool());
    };
    return trusting.count(schema.name()) != 0 ||
           (dividing.count(schema.name()) != 0 &&
            std::any_of(inputs.begin(), inputs.end(), has_least));
}

class Follower
{
  public:
    Follower(std::string class_name, const std::function<void(const at::Tensor &)> &note_change,
             const std::function<bool()> &go_on)
        : class_name_(std::move(class_name)), note_change_(note_change), go_on_(go_on)
    {
    }

    c10::IValue call(torch::jit::Function &function, Values arguments)
    {
        const auto &schema = function.getSchema();
        if (arguments.size() != schema.arguments().size()) {
            throw std::runtime_error(where() + " calls " + function.name() + "() with " +
                                     std::to_string(arguments.size()) + " arguments");
        }
        if (!function.isGraphFunction()) {
            return call_native(function, std::move(arguments));
        }
        if (++depth_ > kMaxDepth) {
            refuse("calls that are nested more than " + std::to_string(kMaxDepth) + " deep");
        }
        function.ensure_defined();
        const auto graph = torch::jit::toGraphFunction(function).graph();
        Frame frame;
        for (size_t i = 0; i < arguments.size(); i++) {
            frame[graph->inputs()[i]] = std::move(arguments[i]);
        }
        const Values outputs = run_block(*graph->block(), frame);
        depth_--;
        return outputs.empty() ? c10::IValue() : outputs[0];
    }

  private:
    using Frame = std::unordered_map<const torch::jit::Value *, c10::IValue>;
    using Handler = Values (Follower::*)(const Node &, Values &);

    std::string where() const
    {
        return "__setstate__ of " + class_name_;
    }

    [[noreturn]] void refuse(const std::string &what) const
    {
        throw Unsupported(where() + " needs " + what +
                          ", which does not run when a file is opened; save the module without "
                          "__getstate__ and __setstate__");
    }

    // Methods in C++, of objects in C++.
    c10::IValue call_native(torch::jit::Function &function, Values arguments)
    {
        const std::string owner = arguments.empty() || !arguments[0].isObject() ||
                                          !arguments[0].toObject()->type()->name()
                                      ? ""
                                      : arguments[0].toObject()->type()->name()->qualifiedName();
        if (!is_packing(owner) && !is_loaded_class(owner)) {
            refuse(plain_class_name(owner) + "." + function.name() + "()");
        }
        for (const c10::IValue &argument : arguments) {
            note_all_changes(argument);
        }
        return function(std::move(arguments));
    }

    void note_all_changes(const c10::IValue &value) const
    {
        map_tensors(value, [&](const at::Tensor &tensor) {
            if (tensor.defined() && tensor.has_storage()) {
                note_change_(tensor);
            }
            return tensor;
        });
    }

    Values read(at::ArrayRef<const torch::jit::Value *> values, const Frame &frame) const
    {
        Values found;
        for (const torch::jit::Value *value : values) {
            found.push_back(frame.at(value));
        }
        return found;
    }

    void step()
    {
        if (++steps_ > kMaxSteps) {
            refuse("more than " + std::to_string(kMaxSteps) + " steps");
        }
        if ((steps_ & 63) == 0 && !go_on_()) {
            throw std::runtime_error("interrupted");
        }
    }

    Values run_block(const Block &block, Frame &frame)
    {
        for (const Node *node : block.nodes()) {
            step();
            run_node(*node, frame);
        }
        return read(block.outputs(), frame);
    }

    void run_node(const Node &node, Frame &frame)
    {
        Values results;
        if (node.kind() == torch::jit::prim::If) {
            const bool is_taken = frame.at(node.input()).toBool();
            results = run_block(*node.blocks()[is_taken ? 0 : 1], frame);
        } else if (node.kind() == torch::jit::prim::Loop) {
            results = run_loop(node, frame);
        } else {
            Values inputs = read(node.inputs(), frame);
            const auto handler = handlers().find(node.kind().toQualString());
            results = handler != handlers().end() ? (this->*handler->second)(node, inputs)
                                                  : run_operator(node, std::move(inputs));
        }
        for (size_t i = 0; i < node.outputs().size(); i++) {
            frame[node.outputs()[i]] = results.at(i);
        }
    }

    Values run_loop(const Node &node, Frame &frame)
    {
        const Values inputs = read(node.inputs(), frame);
        const Block &body = *node.blocks()[0];
        const int64_t limit = inputs.at(0).toInt();
        bool goes_on = inputs.at(1).toBool();
        Values carried(inputs.begin() + 2, inputs.end());
        for (int64_t i = 0; i < limit && goes_on; i++) {
            frame[body.inputs()[0]] = i;
            for (size_t k = 0; k < carried.size(); k++) {
                frame[body.inputs()[k + 1]] = carried[k];
            }
            const Values outputs = run_block(body, frame);
            step(); // an empty body takes its time, too
            goes_on = outputs.at(0).toBool();
            carried.assign(outputs.begin() + 1, outputs.end());
        }
        return carried;
    }

    static const std::unordered_map<std::string, Handler> &handlers()
    {
        static const std::unordered_map<std::string, Handler> table = {
            {"prim::Constant", &Follower::do_constant},
            {"prim::GetAttr", &Follower::do_get_attribute},
            {"prim::SetAttr", &Follower::do_set_attribute},
            {"prim::CallMethod", &Follower::do_call_method},
            {"prim::CallFunction", &Follower::do_call_function},
            {"prim::CreateObject", &Follower::do_create_object},
            {"prim::RaiseException", &Follower::do_raise},
            {"prim::Uninitialized", &Follower::do_nothing},
            {"prim::Print", &Follower::do_nothing},
            {"aten::warn", &Follower::do_nothing},
            {"prim::unchecked_cast", &Follower::do_same},
            {"prim::unchecked_unwrap_optional", &Follower::do_same},
            {"prim::isinstance", &Follower::do_isinstance},
            {"prim::ListConstruct", &Follower::do_list},
            {"prim::TupleConstruct", &Follower::do_tuple},
            {"prim::DictConstruct", &Follower::do_dict},
            {"prim::ListUnpack", &Follower::do_unpack},
            {"prim::TupleUnpack", &Follower::do_unpack},
        };
        return table;
    }

    Values do_constant(const Node &node, Values &)
    {
        const auto value = torch::jit::toIValue(node.output());
        return {value ? *value : c10::IValue()}; // functions are found by their type
    }

    Values do_get_attribute(const Node &node, Values &inputs)
    {
        return {inputs[0].toObject()->getAttr(node.s(c10::attr::name))};
    }

    Values do_set_attribute(const Node &node, Values &inputs)
    {
        inputs[0].toObject()->setAttr(node.s(c10::attr::name), inputs[1]);
        return {};
    }

    Values do_call_method(const Node &node, Values &inputs)
    {
        torch::jit::Function &method =
            inputs[0].toObject()->type()->getMethod(node.s(c10::attr::name));
        return {call(method, std::move(inputs))};
    }

    Values do_call_function(const Node &node, Values &inputs)
    {
        const auto type = node.input(0)->type()->expect<c10::FunctionType>();
        inputs.erase(inputs.begin());
        return {call(*type->function(), std::move(inputs))};
    }

    Values do_create_object(const Node &node, Values &)
    {
        const auto type = node.output()->type()->expect<c10::ClassType>();
        return {c10::ivalue::Object::create(type, type->numAttributes())};
    }

    Values do_raise(const Node &, Values &inputs)
    {
        throw std::runtime_error(where() + " raised: " +
                                 (inputs[0].isString() ? inputs[0].toStringRef() : "an exception"));
    }

    Values do_nothing(const Node &node, Values &)
    {
        return Values(node.outputs().size());
    }

    Values do_same(const Node &, Values &inputs)
    {
        return {inputs[0]};
    }

    Values do_isinstance(const Node &node, Values &inputs)
    {
        const c10::TypePtr type = inputs[0].type();
        const auto &wanted = node.tys(c10::attr::types);
        return {std::any_of(wanted.begin(), wanted.end(), [&](const c10::TypePtr &candidate) {
            return type->isSubtypeOf(*candidate);
        })};
    }

    Values do_list(const Node &node, Values &inputs)
    {
        const auto element = node.output()->type()->expectRef<c10::ListType>().getElementType();
        c10::impl::GenericList list(element);
        for (const c10::IValue &input : inputs) {
            list.push_back(input);
        }
        return {std::move(list)};
    }

    Values do_tuple(const Node &, Values &inputs)
    {
        return {c10::ivalue::Tuple::create(inputs)};
    }

    Values do_dict(const Node &node, Values &inputs)
    {
        const auto &type = node.output()->type()->expectRef<c10::DictType>();
        c10::impl::GenericDict dict(type.getKeyType(), type.getValueType());
        for (size_t i = 0; i + 1 < inputs.size(); i += 2) {
            dict.insert_or_assign(inputs[i], inputs[i + 1]);
        }
        return {std::move(dict)};
    }

    Values do_unpack(const Node &, Values &inputs)
    {
        return inputs[0].isTuple() ? inputs[0].toTupleRef().elements().vec()
                                   : inputs[0].toListRef().vec();
    }

    Values run_operator(const Node &node, Values inputs)
    {
        const torch::jit::Operator *found = node.maybeOperator();
        const std::string kind = node.kind().toQualString();
        if (found == nullptr || !may_run(found->schema()) || is_unchecked(found->schema()) ||
            node.isNondeterministic() || is_dangerous(found->schema(), inputs)) {
            refuse(kind);
        }
        const c10::FunctionSchema &schema = found->schema();
        if (made_ += elements_asked_for(schema, inputs); made_ > kMaxElements) {
            refuse(kind + " for more than 2^28 elements");
        }
        for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); i++) {
            const auto *alias = schema.arguments()[i].alias_info();
            if (alias != nullptr && alias->isWrite()) {
                note_all_changes(inputs[i]);
            }
        }
        torch::jit::Stack stack(std::move(inputs));
        const at::NoGradGuard no_grad;
        found->getOperation (&node)(stack);
        if (is_uninitialised(schema.name())) {
            for (const c10::IValue &value : stack) {
                map_tensors(value, [](const at::Tensor &tensor) {
                    return tensor.zero_(); // what was in memory before is nobody's business
                });
            }
        }
        return {stack.begin(), stack.end()};
    }

    // An upper bound of what an operator makes: as many elements as its largest operand has, times
    // the numbers that are sizes or counts.
    static double elements_asked_for(const c10::FunctionSchema &schema, const Values &inputs)
    {
        static const std::set<std::string> counts = {
            "size",      "sizes", "shape",  "repeats", "dims",  "output_size",
            "pad",       "n",     "m",      "end",     "steps", "window_length",
            "row",       "col",   "length", "high",    "count", "num_classes",
            "minlength", "bins",  "width",  "N",       "k",     "lengths",
        };
        const auto count = [](int64_t number) {
            return std::max(1.0, std::abs(static_cast<double>(number)));
        };
        // Lists and strings are repeated by a number of any name.
        const bool repeats = schema.name() == "aten::mul";
        double largest = 1;
        double times = 1;
        for (size_t i = 0; i < inputs.size(); i++) {
            const c10::IValue &input = inputs[i];
            const bool is_count =
                i < schema.arguments().size() && counts.count(schema.arguments()[i].name()) != 0;
            if (input.isString()) {
                largest =
                    std::max(largest, count(static_cast<int64_t>(input.toStringRef().size())));
            } else if (input.isIntList() && is_count) {
                for (const int64_t size : input.toIntVector()) {
                    times *= count(size);
                }
            } else if (input.isInt() && (is_count || (repeats && !inputs[0].isTensor()))) {
                times *= count(input.toInt());
            } else if (input.isList() && !input.isTensorList()) {
                largest = std::max(largest, count(static_cast<int64_t>(input.toListRef().size())));
            }
            map_tensors(input, [&](const at::Tensor &tensor) {
                largest = std::max(largest, count(tensor.numel()));
                return tensor;
            });
        }
        return largest * times;
    }

    const std::string class_name_;
    const std::function<void(const at::Tensor &)> &note_change_;
    const std::function<bool()> &go_on_;
    size_t depth_ = 0;
    uint64_t steps_ = 0;
    double made_ = 0;
};

} // namespace

void restore_state(const c10::intrusive_ptr<c10::ivalue::Object> &object, const c10::IValue &state,
                   const std::function<void(const at::Tensor &)> &note_change,
                   const std::function<bool()> &go_on)
{
    const auto type = object->type();
    const std::string name = plain_class_name(*type);
    torch::jit::Function *method = type->findMethod("__setstate__");
    if (method == nullptr) {
        throw std::runtime_error("damaged archive: " + name +
                                 " has a __getstate__, but no __setstate__");
    }
    Follower(name, note_change, go_on).call(*method, {object, state});
    for (size_t slot = 0; slot < type->numAttributes(); slot++) {
        const auto kind = type->getAttribute(slot)->kind();
        if (object->getSlot(slot).isNone() && kind != c10::TypeKind::OptionalType &&
            kind != c10::TypeKind::NoneType) {
            throw std::runtime_error("__setstate__ of " + name + " leaves attribute \"" +
                                     type->getAttributeName(slot) + "\" without a value");
        }
    }
}

} // namespace htp
