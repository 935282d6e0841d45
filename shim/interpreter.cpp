#include "control.h"

#include "causes.h"

#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>

namespace htp
{

namespace
{

constexpr size_t kMaxDepth = 1000;

// Only a running forward() makes a module part of the chain. The tracer names the second call of
// one module forward1, and so on.
bool is_forward(const std::string &method)
{
    static const std::string forward = "forward";
    return method.compare(0, forward.size(), forward) == 0 &&
           method.find_first_not_of("0123456789", forward.size()) == std::string::npos;
}

} // namespace

std::vector<Ref> Interpreter::run(const std::string &method, std::vector<Ref> arguments,
                                  const CarriedStates &carried)
{
    recording_.calls.assign(recording_.model.modules.size(), 0);
    const uint32_t scope = enter(recording_.model.owner_number(), HTP_SHIM_NONE, 0);
    const torch::jit::Module &owner = recording_.model.owner();
    arguments.insert(arguments.begin(), recording_.constant(owner._ivalue()));
    for (const Ref &argument : arguments) {
        note_argument(argument);
    }
    recording_.note_passed(owner.get_method(method).function().getSchema(), arguments);
    try {
        Place place;
        place.scope = scope;
        begin_states(carried, place);
        std::vector<Ref> outputs = finish(
            place, [&] { return call(owner.get_method(method).function(), arguments, {scope}); });
        for (Ref &output : outputs) {
            output = as_output(executor_.current(output, place), place);
        }
        return outputs;
    } catch (const Fork &fork) {
        throw Unsupported(fork.reason + ", " + recording_.describe(fork.place));
    }
}

// What the method returns. Where the sides of a branch end with lists of different lengths, these
// are sequences.
std::vector<Ref> Interpreter::finish(const Place &place,
                                     const std::function<std::vector<Ref>()> &run)
{
    try {
        return run();
    } catch (const Fork &fork) {
        if (forks_ == kMaxForks) {
            throw;
        }
        const Deeper deeper(forks_);
        const Side side = [&](bool taken) {
            std::vector<Ref> outputs = finish(place, [&] { return fork.side(taken); });
            for (Ref &output : outputs) {
                output = as_output(executor_.current(output, place), place, true);
            }
            return outputs;
        };
        return branch(fork.condition, fork.place, side, recording_.items.size());
    }
}

void Interpreter::note_argument(const Ref &argument)
{
    arguments_.push_back(argument);
    for (const Ref &element : argument->elements) {
        note_argument(element);
    }
}

// @param site  the number of the call that is made
uint32_t Interpreter::enter(uint32_t module, uint32_t caller, uint32_t site)
{
    recording_.scopes.push_back({caller, module, recording_.calls[module]++, site, nullptr, 0});
    return static_cast<uint32_t>(recording_.scopes.size() - 1);
}

// Notes the call that a node makes. @return its number
uint32_t Interpreter::note_call(const Node &node, const Scope &scope)
{
    recording_.calls_made.push_back(place_of(node, scope));
    return static_cast<uint32_t>(recording_.calls_made.size());
}

// @param scope  that the function runs in
std::vector<Ref> Interpreter::call(torch::jit::Function &function, std::vector<Ref> arguments,
                                   Scope scope)
{
    const Deeper deeper(depth_);
    if (depth_ > kMaxDepth) {
        throw Unsupported("calls are nested more than " + std::to_string(kMaxDepth) + " deep");
    }
    function.ensure_defined();
    const std::shared_ptr<torch::jit::Graph> graph = torch::jit::toGraphFunction(function).graph();
    if (graph->inputs().size() != arguments.size()) {
        throw BadInputs(function.name() + "() takes " + std::to_string(graph->inputs().size()) +
                        " arguments, not " + std::to_string(arguments.size()));
    }
    const auto frame = std::make_shared<Frame>();
    scope.function = &function.name();
    frame->scope = scope;
    for (size_t i = 0; i < arguments.size(); i++) {
        frame->values[graph->inputs()[i]] = arguments[i];
    }
    Place place;
    place.scope = scope.id;
    const size_t first = recording_.items.size();
    try {
        return run_block(*graph->block(), *frame, place);
    } catch (const Fork &fork) {
        return resume(
            fork, [](const std::vector<Ref> &outputs) { return outputs; }, first);
    }
}

// @return the block's outputs
std::vector<Ref> Interpreter::run_block(const torch::jit::Block &block, Frame &frame,
                                        const Place &place)
{
    return run_from(*block.nodes().begin(), block, frame, place);
}

// Runs the nodes of a block from @p node on.
std::vector<Ref> Interpreter::run_from(const Node *node, const torch::jit::Block &block,
                                       Frame &frame, const Place &place)
{
    for (; node != block.return_node(); node = node->next()) {
        try {
            run_node(*node, frame);
        } catch (const Fork &fork) {
            const auto before = std::make_shared<const Frame>(frame);
            return resume(fork, [=, &block](const std::vector<Ref> &outputs) {
                const auto own = std::make_shared<Frame>(*before);
                set_outputs(*node, outputs, *own);
                return run_from(node->next(), block, *own, place);
            });
        }
    }
    return read(block.outputs(), frame, place);
}

std::vector<Ref> Interpreter::read(at::ArrayRef<const torch::jit::Value *> values, Frame &frame,
                                   const Place &place)
{
    std::vector<Ref> items;
    for (const torch::jit::Value *value : values) {
        items.push_back(executor_.current(frame.values.at(value), place));
    }
    return items;
}

namespace
{

std::pair<std::string, uint32_t> file_and_line_of(const torch::jit::Node &node)
{
    try {
        const auto position = source_of(node).file_line_col();
        if (position) {
            return {std::get<0>(*position), static_cast<uint32_t>(std::get<1>(*position))};
        }
    } catch (const std::exception &) {
        return {};
    }
    return {};
}

} // namespace

Place Interpreter::place_of(const Node &node, const Scope &scope)
{
    auto known = sources_.find(&node);
    if (known == sources_.end()) {
        known = sources_.emplace(&node, file_and_line_of(node)).first;
    }
    return {scope.id, known->second.first, known->second.second, &node, scope.function, scope.call};
}

namespace
{

bool holds_dict(const Ref &item)
{
    return item->kind == Item::Kind::Dict ||
           (item->is_container() &&
            std::any_of(item->elements.begin(), item->elements.end(), holds_dict));
}

} // namespace

void Interpreter::run_node(const Node &node, Frame &frame)
{
    if ((++steps_ & 63) == 0 && !tick_(recording_.nodes.size())) {
        throw std::runtime_error("interrupted");
    }
    const Place place = place_of(node, frame.scope);
    const std::string kind = node.kind().toQualString();
    std::vector<Ref> inputs = read(node.inputs(), frame, place);
    const bool is_grown = check_lists(kind, inputs, place);
    auto handler = is_grown ? list_handlers(inputs).find(kind) : handlers().find(kind);
    bool is_handled = is_grown || handler != handlers().end();
    if (!is_handled && !inputs.empty() && inputs[0]->is_container()) {
        handler = container_handlers().find(kind);
        is_handled = handler != container_handlers().end();
    }
    if (!is_handled && std::any_of(inputs.begin(), inputs.end(), holds_dict)) {
        throw Unsupported(kind + " on a dict, " + recording_.describe(place));
    }
    if (const std::optional<bool> known = compare_carried(kind, inputs)) {
        set_outputs(node, {recording_.plain(*known)}, frame);
        return;
    }
    const std::vector<Ref> outputs = is_handled ? (this->*handler->second)(node, inputs, frame)
                                                : executor_.run(node, inputs, place);
    pass_on_carried(kind, inputs, outputs);
    set_outputs(node, outputs, frame);
}

void Interpreter::set_outputs(const Node &node, const std::vector<Ref> &outputs, Frame &frame)
{
    for (size_t i = 0; i < node.outputs().size() && i < outputs.size(); i++) {
        frame.values[node.outputs()[i]] = outputs[i];
    }
}

const std::unordered_map<std::string, Interpreter::Handler> &Interpreter::handlers()
{
    static const std::unordered_map<std::string, Handler> table = {
#define HTP_FOLLOWED(kind, handler) {kind, &Interpreter::do_##handler},
#define HTP_FOLLOWED_IN_LISTS(kind, handler)
#include <htp/followed.def>
#undef HTP_FOLLOWED_IN_LISTS
#undef HTP_FOLLOWED
    };
    return table;
}

// Operators that stand for something else when their first argument is a list or dict.
const std::unordered_map<std::string, Interpreter::Handler> &Interpreter::container_handlers()
{
    static const std::unordered_map<std::string, Handler> table = {
#define HTP_FOLLOWED(kind, handler)
#define HTP_FOLLOWED_IN_LISTS(kind, handler) {kind, &Interpreter::do_##handler},
#include <htp/followed.def>
#undef HTP_FOLLOWED_IN_LISTS
#undef HTP_FOLLOWED
    };
    return table;
}

// A constant of the code is one value, however often it is read.
std::vector<Ref> Interpreter::do_constant(const Node &node, std::vector<Ref> &, Frame &)
{
    Ref &known = constants_[&node];
    if (!known) {
        const torch::jit::Value *output = node.output();
        const auto value = torch::jit::toIValue(output);
        // Functions have no value: calls find them by the node's type.
        known = value ? recording_.constant(*value) : recording_.plain(c10::IValue());
        known->name = output->debugName();
        known->is_literal = true;
    }
    return {known};
}

namespace
{

// Whether a plain value is the same whatever the input's contents and dynamic axes are.
void require_constant(const Ref &item, const char *what, const std::string &where)
{
    if (item->kind != Item::Kind::Plain || !item->has_lanes || item->is_data) {
        throw Unsupported(std::string(what) + " depends on the data, " + where);
    }
    if (!item->is_constant) {
        throw Unsupported(std::string(what) + " depends on a dynamic axis, " + where +
                          "; give that axis a fixed size");
    }
}

bool raises(const torch::jit::Block &block)
{
    const auto nodes = block.nodes();
    return std::any_of(nodes.begin(), nodes.end(), [](const torch::jit::Node *node) {
        return node->kind() == torch::jit::prim::RaiseException;
    });
}

} // namespace

// Where what decides is unknown, the operator is to blame that failed, not the branch.
void Interpreter::require_known(const Ref &item) const
{
    const RecordedNode *node = find_cause(recording_, find_unknown(*item));
    if (node != nullptr && !node->failure.empty()) {
        throw Unsupported(node->kind + ", which decides what runs: " + node->failure + ", " +
                          recording_.describe(node->place));
    }
}

bool Interpreter::decide(const Ref &condition, const Place &place) const
{
    require_known(condition);
    require_constant(condition, "a branch or loop", recording_.describe(place));
    return condition->lane[0].toBool();
}

int64_t Interpreter::number(const Ref &item, const Place &place) const
{
    require_known(item);
    require_constant(item, "a count or index", recording_.describe(place));
    return item->lane[0].toInt();
}

// The side to take of a branch that is a check, whose other side raises: of a size that passes in
// every lane, or of the data, of which nobody knows whether it passes.
std::optional<bool> Interpreter::find_check(const Node &node, const Ref &condition) const
{
    if (condition->kind != Item::Kind::Plain || !condition->lane[0].isBool()) {
        return std::nullopt;
    }
    const bool first_raises = raises(*node.blocks()[0]);
    if (first_raises == raises(*node.blocks()[1])) {
        return std::nullopt;
    }
    const bool passes = !first_raises;
    for (uint32_t lane = 0; condition->has_lanes && lane < recording_.lane_count; lane++) {
        if (condition->lane[lane].toBool() != passes) {
            return std::nullopt;
        }
    }
    return passes;
}

std::vector<Ref> Interpreter::do_call_method(const Node &node, std::vector<Ref> &inputs,
                                             Frame &frame)
{
    const std::string &name = node.s(c10::attr::name);
    const Ref &self = inputs[0];
    if (self->kind != Item::Kind::Object) {
        throw Unsupported("a method is called on something that is no object, " +
                          recording_.describe(place_of(node, frame.scope)));
    }
    const bool enters = self->module != HTP_SHIM_NONE && is_forward(name);
    const uint32_t made = note_call(node, frame.scope);
    torch::jit::Function &method = self->object->type()->getMethod(name);
    if (!enters) {
        return call(method, std::move(inputs), {frame.scope.id, made});
    }
    const uint32_t scope = enter(self->module, frame.scope.id, made);
    method.ensure_defined();
    recording_.note_passed(method.getSchema(), inputs);
    return call(method, std::move(inputs), {scope, made});
}

std::vector<Ref> Interpreter::do_call_function(const Node &node, std::vector<Ref> &inputs,
                                               Frame &frame)
{
    const auto type = node.input(0)->type()->expect<c10::FunctionType>();
    inputs.erase(inputs.begin());
    return call(*type->function(), std::move(inputs),
                {frame.scope.id, note_call(node, frame.scope)});
}

// A fork runs at once: its result is what wait() gives.
std::vector<Ref> Interpreter::do_fork(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const std::shared_ptr<torch::jit::Graph> graph = node.g(c10::attr::Subgraph);
    for (size_t i = 0; i < inputs.size(); i++) {
        frame.values[graph->inputs()[i]] = inputs[i];
    }
    const Next finish = [this](const std::vector<Ref> &results) {
        return results.size() == 1
                   ? results
                   : std::vector<Ref>{recording_.sequence(Item::Kind::Tuple, results)};
    };
    std::vector<Ref> results;
    try {
        results = run_block(*graph->block(), frame, place_of(node, frame.scope));
    } catch (const Fork &fork) {
        return resume(fork, finish);
    }
    return finish(results);
}

std::vector<Ref> Interpreter::do_raise(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const c10::IValue &message = inputs[0]->lane[0];
    throw Raised(recording_.model.method + "() raised on these inputs " +
                 recording_.describe(place_of(node, frame.scope)) + ": " +
                 (message.isString() ? message.toStringRef() : "an exception"));
}

} // namespace htp
