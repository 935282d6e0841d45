#include "inliner.h"

#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>

namespace htp
{

namespace
{

constexpr size_t kMaxDepth = 1000;
constexpr uint64_t kMaxNodes = uint64_t{2} << 20; // some 600 bytes each

c10::Symbol mark_kind()
{
    static const c10::Symbol kind = c10::Symbol::fromQualString("htp::call");
    return kind;
}

c10::Symbol forward_attribute()
{
    static const c10::Symbol name = c10::Symbol::attr("is_forward");
    return name;
}

// A module's forward(), also of later calls of it that were traced: forward1 and so on.
bool calls_forward(const torch::jit::Node &call)
{
    static const std::string forward = "forward";
    if (call.kind() != torch::jit::prim::CallMethod) {
        return false;
    }
    const auto type = call.input(0)->type()->cast<c10::ClassType>();
    const std::string &name = call.s(c10::attr::name);
    const bool is_named = name.substr(0, forward.size()) == forward &&
                          name.find_first_not_of("0123456789", forward.size()) == std::string::npos;
    // What an interface calls is a module.
    return is_named && (type == nullptr || type->is_module());
}

torch::jit::Function *function_of(const torch::jit::Node &call)
{
    if (call.kind() == torch::jit::prim::CallFunction) {
        return call.input(0)->type()->expectRef<c10::FunctionType>().function();
    }
    const auto type = call.input(0)->type()->cast<c10::ClassType>();
    return type ? type->findMethod(call.s(c10::attr::name)) : nullptr;
}

// libtorch's inliner notes no call stack at a node without outputs, nor at those in its blocks:
// such a branch or loop gives None.
void give_output(torch::jit::Node *node)
{
    torch::jit::Graph &graph = *node->owningGraph();
    torch::jit::Value *none = graph.createNone()->insertBefore(node)->output();
    if (node->kind() == torch::jit::prim::Loop) {
        node->addInput(none);
        none = node->blocks()[0]->addInput()->copyMetadata(none);
    }
    for (torch::jit::Block *block : node->blocks()) {
        block->registerOutput(none);
    }
    // Value::setType() is inline, and does not link with sanitizers: libtorch keeps a typeinfo that
    // it asks for to itself.
    node->addOutput()->copyMetadata(none);
}

void require_size(uint64_t nodes)
{
    if (nodes > kMaxNodes) {
        throw Unsupported("with all calls inlined, the program has more than " +
                          std::to_string(kMaxNodes) + " operations");
    }
}

} // namespace

bool Inliner::is_mark(const Node &node)
{
    return node.kind() == mark_kind();
}

bool Inliner::is_of_forward(const Node &mark)
{
    return mark.i(forward_attribute()) != 0;
}

Inliner::Deeper::Deeper(size_t &depth) : depth_(depth)
{
    if (depth_ > kMaxDepth) {
        throw Unsupported("with all calls inlined, the program is nested more than " +
                          std::to_string(kMaxDepth) + " deep");
    }
    depth_++;
}

Inliner::Deeper::~Deeper()
{
    depth_--;
}

void Inliner::count(const torch::jit::Block &block)
{
    const Deeper deeper(blocks_);
    for (const Node *node : block.nodes()) {
        nodes_++;
        if ((nodes_ & 1023) == 0 && !tick_(nodes_)) {
            throw std::runtime_error("interrupted");
        }
        require_size(nodes_);
        for (const torch::jit::Block *inner : node->blocks()) {
            count(*inner);
        }
    }
}

// The nodes of a function with all calls inlined, told before anything is made.
uint64_t Inliner::size_of(torch::jit::Function &function)
{
    const auto [known, is_new] = sizes_.emplace(&function, 0);
    if (!is_new) {
        if (known->second == 0) {
            throw Unsupported(function.name() + "() calls itself");
        }
        return known->second;
    }
    const Deeper deeper(calls_);
    function.ensure_defined();
    torch::jit::GraphFunction *const with_code = torch::jit::tryToGraphFunction(function);
    const uint64_t size = 1 + (with_code ? size_of(*with_code->graph()->block()) : 0);
    require_size(size);
    sizes_[&function] = size;
    return size;
}

uint64_t Inliner::size_of(const torch::jit::Block &block)
{
    const Deeper deeper(blocks_);
    uint64_t size = 0;
    for (const Node *node : block.nodes()) {
        const bool is_call = node->kind() == torch::jit::prim::CallMethod ||
                             node->kind() == torch::jit::prim::CallFunction;
        torch::jit::Function *const callee = is_call ? function_of(*node) : nullptr;
        size += 1 + (callee ? size_of(*callee) : 0);
        if (node->kind() == torch::jit::prim::fork) {
            size += size_of(*node->g(c10::attr::Subgraph)->block());
        }
        for (const torch::jit::Block *inner : node->blocks()) {
            size += size_of(*inner);
        }
        require_size(size);
    }
    return size;
}

// A fork becomes what it runs.
void Inliner::open_fork(Node *fork)
{
    const std::shared_ptr<Graph> graph = fork->g(c10::attr::Subgraph);
    Graph &around = *fork->owningGraph();
    const torch::jit::WithInsertPoint here(fork);
    std::vector<torch::jit::Value *> outputs =
        torch::jit::insertGraph(around, *graph, fork->inputs());
    if (outputs.size() != 1) {
        outputs = {around.insertNode(around.createTuple(outputs))->output()};
    }
    fork->output()->replaceAllUsesWith(outputs[0]);
    fork->destroy();
}

void Inliner::prepare(torch::jit::Block &block, std::vector<Node *> &calls)
{
    for (Node *node = *block.nodes().begin(); node != block.return_node();) {
        Node *before = node->prev();
        Node *after = node->next();
        if (node->kind() == torch::jit::prim::fork) {
            open_fork(node);
            node = before->next();
            continue;
        }
        if (node->kind() == torch::jit::prim::CallMethod ||
            node->kind() == torch::jit::prim::CallFunction) {
            calls.push_back(node);
        }
        if (!node->blocks().empty() && node->outputs().empty()) {
            give_output(node);
        }
        for (torch::jit::Block *inner : node->blocks()) {
            prepare(*inner, calls);
        }
        node = after;
    }
}

std::shared_ptr<torch::jit::Graph> Inliner::inlined(torch::jit::Function &function)
{
    const auto known = graphs_.find(&function);
    if (known != graphs_.end()) {
        return known->second;
    }
    (void)size_of(function);
    const Deeper deeper(calls_);
    const std::shared_ptr<Graph> graph = torch::jit::toGraphFunction(function).graph()->copy();
    count(*graph->block());
    std::vector<Node *> calls;
    prepare(*graph->block(), calls);
    for (Node *call : calls) {
        if (torch::jit::Function *callee = function_of(*call)) {
            inline_call(call, *callee);
        }
    }
    graphs_[&function] = graph;
    return graph;
}

torch::jit::Node *Inliner::inline_call(Node *call, torch::jit::Function &callee)
{
    torch::jit::GraphFunction *const with_code = torch::jit::tryToGraphFunction(callee);
    if (with_code == nullptr) {
        return nullptr;
    }
    const std::shared_ptr<Graph> body = inlined(callee);
    count(*body->block());
    const bool is_method = call->kind() == torch::jit::prim::CallMethod;
    Node *mark = call->owningGraph()->create(mark_kind(), 1);
    mark->i_(forward_attribute(), calls_forward(*call) ? 1 : 0);
    mark->insertBefore(call)->copyMetadata(call);
    if (is_method) {
        mark->addInput(call->input(0));
    } else {
        call->removeInput(0); // the function itself
    }
    torch::jit::inlineCallTo(call, with_code, body.get());
    return mark;
}

} // namespace htp
