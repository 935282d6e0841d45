// The graph of a method with all calls inlined by libtorch's own inliner.
#pragma once

#include "model.h"

#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <memory>
#include <unordered_map>

namespace htp
{

// Inlines calls into copies of graphs, the innermost first: that is the order in which libtorch's
// inlineCallTo() makes whole call stacks. In contrast to Inline(), it runs no pass of the compiler,
// so nothing is computed, moved or taken out.
//
// In front of each call that is inlined a mark is left, a node of a kind of its own whose source
// range is the call's and whose call stack is that of the caller. Its one input is what the method
// was called on, which inlining traces back to the root module wherever it was handed through.
class Inliner
{
  public:
    using Graph = torch::jit::Graph;
    using Node = torch::jit::Node;

    // @p tick is called with the nodes that were made; false stops.
    explicit Inliner(std::function<bool(uint64_t)> tick) : tick_(std::move(tick)) {}

    // A graph of a function, to be changed by nobody but by inline_call(). Throws Unsupported for
    // functions that call themselves, and where all graphs together become too large.
    std::shared_ptr<Graph> inlined(torch::jit::Function &function);

    // Inlines a call of a function with a graph. @return the mark in front of what it became;
    // nullptr where it has none, and stays.
    Node *inline_call(Node *call, torch::jit::Function &callee);

    static bool is_mark(const Node &node);

    // Of a mark: whether forward() of a module was called, on its input.
    static bool is_of_forward(const Node &mark);

    // One level of calls or blocks more, until the end of the scope. Throws Unsupported where there
    // are too many.
    class Deeper
    {
      public:
        explicit Deeper(size_t &depth);
        ~Deeper();
        Deeper(const Deeper &) = delete;
        Deeper &operator=(const Deeper &) = delete;

      private:
        size_t &depth_;
    };

  private:
    void prepare(torch::jit::Block &block, std::vector<Node *> &calls);
    void open_fork(Node *fork);
    void count(const torch::jit::Block &block);
    uint64_t size_of(torch::jit::Function &function);
    uint64_t size_of(const torch::jit::Block &block);

    std::function<bool(uint64_t)> tick_;
    std::unordered_map<const torch::jit::Function *, std::shared_ptr<Graph>> graphs_;
    std::unordered_map<const torch::jit::Function *, uint64_t> sizes_; // 0: under way
    uint64_t nodes_ = 0;                                               // in all graphs
    size_t calls_ = 0;                                                 // under way
    size_t blocks_ = 0;
};

} // namespace htp
