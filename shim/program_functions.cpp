// The functions of a loaded program.
#include "program.h"

#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>

namespace htp
{

uint32_t Program::function(const Code &code)
{
    const void *key = code.function;
    key = key == nullptr ? code.graph.get() : key;
    const auto known = function_numbers_.find(key);
    if (known != function_numbers_.end()) {
        return known->second;
    }
    htp_program_function described = {};
    described.name = code.function == nullptr ? "" : code.function->name().c_str();
    described.schema = HTP_NONE;
    functions_.push_back(described);
    codes_.push_back(code);
    nodes_.emplace_back();
    return function_numbers_[key] = last_of(functions_);
}

// Numbers the values, nodes and blocks of a function in order.
class Program::Reader
{
  public:
    explicit Reader(Program &program) : program_(program) {}

    // An explicit work list, since blocks may be nested deeply.
    void read(const torch::jit::Graph &graph, htp_program_function &described)
    {
        number_of(*graph.block());
        for (size_t i = 0; i < pending_.size(); i++) {
            const htp_program_block block = describe(*pending_[i]);
            blocks_.push_back(block);
        }
        Keep &keep = program_.model_.keep;
        described.block_count = static_cast<uint32_t>(blocks_.size());
        described.blocks = keep.array(blocks_);
        described.node_count = static_cast<uint32_t>(nodes_.size());
        described.nodes = keep.array(nodes_);
        described.value_count = static_cast<uint32_t>(values_.size());
        described.values = keep.array(values_);
    }

    // By number.
    std::vector<const torch::jit::Node *> take_nodes()
    {
        return std::move(stand_for_);
    }

  private:
    using Values = at::ArrayRef<const torch::jit::Value *>;

    uint32_t number_of(const torch::jit::Block &block)
    {
        pending_.push_back(&block);
        return last_of(pending_);
    }

    const uint32_t *make(Values values, uint32_t producer)
    {
        some_.clear();
        for (const torch::jit::Value *value : values) {
            const char *const name = program_.model_.keep.string(value->debugName());
            values_.push_back({name, program_.type(value->type()), producer});
            numbers_.resize(std::max(numbers_.size(), value->unique() + 1), HTP_NONE);
            some_.push_back(numbers_[value->unique()] = last_of(values_));
        }
        return program_.model_.keep.array(some_);
    }

    const uint32_t *find(Values values)
    {
        some_.clear();
        for (const torch::jit::Value *value : values) {
            const uint32_t number = numbers_.at(value->unique());
            if (number == HTP_NONE) {
                throw std::out_of_range("a value is read before it is made");
            }
            some_.push_back(number);
        }
        return program_.model_.keep.array(some_);
    }

    // Outer values that a block reads are defined before it.
    htp_program_block describe(const torch::jit::Block &block)
    {
        htp_program_block described = {};
        described.input_count = static_cast<uint32_t>(block.inputs().size());
        described.inputs = make(block.inputs(), HTP_NONE);
        described.first_node = static_cast<uint32_t>(nodes_.size());
        for (const torch::jit::Node *node : block.nodes()) {
            const htp_program_node made = describe(*node);
            nodes_.push_back(made);
            stand_for_.push_back(node);
        }
        described.node_count = static_cast<uint32_t>(nodes_.size()) - described.first_node;
        described.output_count = static_cast<uint32_t>(block.outputs().size());
        described.outputs = find(block.outputs());
        return described;
    }

    htp_program_node describe(const torch::jit::Node &node)
    {
        htp_program_node described = {};
        described.kind = node.kind().toQualString();
        described.input_count = static_cast<uint32_t>(node.inputs().size());
        described.inputs = find(node.inputs());
        described.output_count = static_cast<uint32_t>(node.outputs().size());
        described.outputs = make(node.outputs(), static_cast<uint32_t>(nodes_.size()));
        some_.clear();
        for (const torch::jit::Block *block : node.blocks()) {
            some_.push_back(number_of(*block));
        }
        described.block_count = static_cast<uint32_t>(some_.size());
        described.blocks = program_.model_.keep.array(some_);
        described.schema = described.data = described.function = HTP_NONE;
        described.is_nondeterministic = node.isNondeterministic();
        describe_kind(node, described);
        return described;
    }

    void describe_kind(const torch::jit::Node &node, htp_program_node &described)
    {
        switch (node.kind()) {
        case torch::jit::prim::Constant:
            if (const auto value = torch::jit::toIValue(node.output())) {
                described.data = program_.data(*value);
            }
            return;
        case torch::jit::prim::GetAttr:
        case torch::jit::prim::SetAttr:
        case torch::jit::prim::CallMethod:
            described.name = node.s(c10::attr::name).c_str();
            return;
        case torch::jit::prim::CallFunction:
            if (const auto type = node.input(0)->type()->cast<c10::FunctionType>()) {
                described.function = program_.function({type->function(), nullptr});
            }
            return;
        case torch::jit::prim::fork:
            described.function = program_.function({nullptr, node.g(c10::attr::Subgraph)});
            return;
        case torch::jit::prim::TupleSlice:
            described.begin = node.i(c10::attr::beg);
            described.end = node.i(c10::attr::end);
            break;
        default:
            break;
        }
        if (const torch::jit::Operator *found = node.maybeOperator()) {
            described.schema = program_.schema(*found, &node);
        }
    }

    Program &program_;
    std::vector<const torch::jit::Block *> pending_; // by number
    std::vector<htp_program_block> blocks_;
    std::vector<htp_program_node> nodes_;
    std::vector<const torch::jit::Node *> stand_for_; // by node
    std::vector<htp_program_value> values_;
    std::vector<uint32_t> numbers_; // by the graph's own value numbers; HTP_NONE
    std::vector<uint32_t> some_;    // numbers of the list being built
};

void Program::load_function(uint32_t number)
{
    const Code code = codes_.at(number);
    std::shared_ptr<torch::jit::Graph> graph = code.graph;
    htp_program_function described = functions_[number];
    if (code.function != nullptr) {
        code.function->ensure_defined();
        auto *with_code = torch::jit::tryToGraphFunction(*code.function);
        graph = with_code == nullptr ? nullptr : with_code->graph();
        const c10::FunctionSchema &declared = code.function->getSchema();
        described.schema = schema(declared, {&declared, nullptr, nullptr, nullptr});
        if (!graph) {
            operators_.back().operation = [method = code.function](torch::jit::Stack &stack) {
                method->run(stack);
            };
        }
    }
    // Reading adds to the tables.
    Reader reader(*this);
    if (graph) {
        reader.read(*graph, described);
    }
    described.is_loaded = true;
    functions_[number] = described;
    nodes_[number] = reader.take_nodes();
    renew();
}

} // namespace htp
