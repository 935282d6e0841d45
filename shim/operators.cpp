#include "operators.h"

#include "interpreter.h"

#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace htp
{

namespace
{

// Whether a value of this type is a tensor, or holds some.
bool holds_tensors(const c10::TypePtr &type, int depth = 0)
{
    constexpr int kMaxDepth = 8;
    if (type->kind() == c10::TypeKind::TensorType) {
        return true;
    }
    const auto contained = type->containedTypes();
    return depth < kMaxDepth &&
           std::any_of(contained.begin(), contained.end(),
                       [&](const c10::TypePtr &inner) { return holds_tensors(inner, depth + 1); });
}

bool holds_tensors(const std::vector<c10::Argument> &arguments)
{
    return std::any_of(arguments.begin(), arguments.end(), [](const c10::Argument &argument) {
        return holds_tensors(argument.type());
    });
}

// Follows calls by the types of the code, each function once.
class Walker
{
  public:
    explicit Walker(Model &model) : model_(model) {}

    std::vector<htp_shim_operator> run()
    {
        add(&model_.function());
        while (!pending_.empty()) {
            torch::jit::Function *function = pending_.back();
            pending_.pop_back();
            function->ensure_defined();
            if (auto *with_code = torch::jit::tryToGraphFunction(*function)) {
                add(*with_code->graph()->block());
                walk();
            }
        }
        std::vector<htp_shim_operator> operators;
        for (const auto &entry : found_) {
            operators.push_back(entry.second);
        }
        return operators;
    }

  private:
    void add(torch::jit::Function *function)
    {
        if (seen_.insert(function).second) {
            pending_.push_back(function);
        }
    }

    void add(const torch::jit::Block &block)
    {
        blocks_.push_back(&block);
    }

    // A list of what is left, as blocks may be nested deeply.
    void walk()
    {
        while (!blocks_.empty()) {
            const torch::jit::Block *block = blocks_.back();
            blocks_.pop_back();
            for (const torch::jit::Node *node : block->nodes()) {
                visit(*node);
                for (const torch::jit::Block *inner : node->blocks()) {
                    add(*inner);
                }
            }
        }
    }

    void visit(const torch::jit::Node &node)
    {
        switch (node.kind()) {
        case torch::jit::prim::CallMethod:
            if (const auto type = node.input(0)->type()->cast<c10::ClassType>()) {
                if (torch::jit::Function *method = type->findMethod(node.s(c10::attr::name))) {
                    add(method);
                }
            }
            return;
        case torch::jit::prim::CallFunction:
            if (const auto type = node.input(0)->type()->cast<c10::FunctionType>()) {
                add(type->function());
            }
            return;
        case torch::jit::prim::fork: {
            // The node owns the graph: the pointer outlives this copy.
            const std::shared_ptr<torch::jit::Graph> graph = node.g(c10::attr::Subgraph);
            add(*graph->block());
            return;
        }
        default:
            count(node);
        }
    }

    void count(const torch::jit::Node &node)
    {
        const torch::jit::Operator *known = node.maybeOperator();
        if (known == nullptr || node.kind().is_prim()) {
            return;
        }
        const c10::FunctionSchema &schema = known->schema();
        const std::string kind = node_kind(schema);
        htp_shim_operator &entry = found_[kind];
        if (entry.places++ > 0) {
            return;
        }
        entry.kind = model_.keep.string(kind);
        entry.has_tensors = holds_tensors(schema.arguments()) || holds_tensors(schema.returns());
        entry.is_evaluated = Interpreter::evaluates(node);
    }

    Model &model_;
    std::map<std::string, htp_shim_operator> found_;
    std::unordered_set<const torch::jit::Function *> seen_;
    std::vector<torch::jit::Function *> pending_;
    std::vector<const torch::jit::Block *> blocks_;
};

} // namespace

std::vector<htp_shim_operator> find_operators(Model &model)
{
    return Walker(model).run();
}

htp_shim_facts find_facts(Model &model)
{
    htp_shim_facts facts = {};
    std::vector<const char *> methods;
    for (const std::string &name : model.methods()) {
        methods.push_back(model.keep.string(name));
    }
    facts.format_version = model.archive.format_version();
    facts.has_serialization_id = model.archive.has_record(".data/serialization_id");
    facts.method_count = static_cast<uint32_t>(methods.size());
    facts.methods = model.keep.array(std::move(methods));
    const auto &returns = model.function().getSchema().returns();
    facts.returns = model.keep.string(returns.empty() ? "None" : type_text(returns[0].type()));
    return facts;
}

} // namespace htp
