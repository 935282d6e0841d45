#include "program.h"

#include "execute.h"

#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace htp
{

namespace
{

template <typename T> uint32_t last_of(const std::vector<T> &table)
{
    return static_cast<uint32_t>(table.size() - 1);
}

htp_type_kind kind_of(const c10::Type &type)
{
    switch (type.kind()) {
    case c10::TypeKind::TensorType:
        return HTP_TYPE_TENSOR;
    case c10::TypeKind::ListType:
        return HTP_TYPE_LIST;
    case c10::TypeKind::TupleType:
        return HTP_TYPE_TUPLE;
    case c10::TypeKind::DictType:
        return HTP_TYPE_DICT;
    case c10::TypeKind::OptionalType:
        return HTP_TYPE_OPTIONAL;
    case c10::TypeKind::ClassType:
        return HTP_TYPE_CLASS;
    default:
        return HTP_TYPE_OTHER;
    }
}

} // namespace

Program::Program(Model &model) : model_(model)
{
    view_.method = function({&model.function(), nullptr});
    view_.owner = object(model.owner()._ivalue());
    renew();
}

void Program::renew()
{
    view_.types = types_.data();
    view_.schemas = schemas_.data();
    view_.data = data_.data();
    view_.classes = classes_.data();
    view_.objects = objects_.data();
    view_.functions = functions_.data();
}

// ---- types, schemas and classes -----------------------------------------------------------------

// All types of tensors are one.
uint32_t Program::type(const c10::TypePtr &type)
{
    const bool is_tensor = type->kind() == c10::TypeKind::TensorType;
    const c10::Type *key = is_tensor ? c10::TensorType::get().get() : type.get();
    const auto known = type_numbers_.find(key);
    if (known != type_numbers_.end()) {
        return known->second;
    }
    types_.emplace_back();
    kept_types_.push_back(type);
    const uint32_t number = last_of(types_);
    type_numbers_[key] = number;
    htp_program_type described = {};
    described.kind = kind_of(*type);
    if (described.kind == HTP_TYPE_CLASS) {
        described.class_number = class_number(type->expect<c10::ClassType>());
    }
    std::vector<uint32_t> parts;
    for (const c10::TypePtr &part : type->containedTypes()) {
        parts.push_back(this->type(part));
    }
    if (const auto tuple = type->cast<c10::TupleType>()) {
        std::vector<const char *> fields;
        for (const std::string &field : field_names(*tuple)) {
            fields.push_back(model_.keep.string(field));
        }
        described.fields = model_.keep.array(fields);
    }
    described.part_count = static_cast<uint32_t>(parts.size());
    described.parts = model_.keep.array(parts);
    types_[number] = described;
    return number;
}

std::vector<htp_program_argument> Program::arguments(const std::vector<c10::Argument> &declared)
{
    std::vector<htp_program_argument> all;
    all.reserve(declared.size());
    for (const c10::Argument &argument : declared) {
        all.push_back({argument.name().c_str(), type(argument.type())});
    }
    return all;
}

// The schema of an operator, which lives as long as libtorch.
uint32_t Program::schema(const c10::FunctionSchema &schema)
{
    const auto known = schema_numbers_.find(&schema);
    if (known != schema_numbers_.end()) {
        return known->second;
    }
    htp_program_schema described = {};
    described.kind = model_.keep.string(node_kind(schema));
    described.argument_count = static_cast<uint32_t>(schema.arguments().size());
    described.arguments = model_.keep.array(arguments(schema.arguments()));
    described.return_count = static_cast<uint32_t>(schema.returns().size());
    described.returns = model_.keep.array(arguments(schema.returns()));
    schemas_.push_back(described);
    return schema_numbers_[&schema] = last_of(schemas_);
}

uint32_t Program::class_number(const c10::ClassTypePtr &type)
{
    const auto known = class_numbers_.find(type.get());
    if (known != class_numbers_.end()) {
        return known->second;
    }
    std::vector<const char *> attributes, names;
    std::vector<uint32_t> methods;
    for (size_t slot = 0; slot < type->numAttributes(); slot++) {
        attributes.push_back(model_.keep.string(type->getAttributeName(slot)));
    }
    for (torch::jit::Function *method : type->methods()) {
        names.push_back(method->name().c_str());
        methods.push_back(function({method, nullptr}));
    }
    htp_program_class described = {};
    described.attribute_count = static_cast<uint32_t>(attributes.size());
    described.attributes = model_.keep.array(attributes);
    described.method_count = static_cast<uint32_t>(methods.size());
    described.method_names = model_.keep.array(names);
    described.methods = model_.keep.array(methods);
    classes_.push_back(described);
    kept_types_.push_back(type);
    return class_numbers_[type.get()] = last_of(classes_);
}

// ---- objects and data ---------------------------------------------------------------------------

uint32_t Program::object(const c10::intrusive_ptr<c10::ivalue::Object> &object)
{
    const auto known = object_numbers_.find(object.get());
    if (known != object_numbers_.end()) {
        return known->second;
    }
    objects_.push_back({class_number(object->type())});
    kept_objects_.push_back(object);
    slots_.emplace_back();
    return object_numbers_[object.get()] = last_of(objects_);
}

uint32_t Program::load_slot(uint32_t object, uint32_t slot)
{
    const auto known = slots_.at(object).find(slot);
    if (known != slots_[object].end()) {
        return known->second;
    }
    const auto holder = kept_objects_[object];
    const uint32_t number = data(holder->getSlot(slot), model_.weight_of(holder.get(), slot));
    slots_[object][slot] = number;
    renew();
    return number;
}

// @param weight  of a tensor that an attribute of a module holds
uint32_t Program::data(const c10::IValue &value, uint32_t weight)
{
    htp_program_data described = {};
    described.weight = weight;
    if (weight != HTP_PROGRAM_NONE) {
        described.kind = HTP_DATA_TENSOR;
        described.rank = model_.weights[weight].rank;
        described.dims = model_.weights[weight].dims;
    } else if (value.isTensor() && value.toTensor().defined()) {
        described.kind = HTP_DATA_TENSOR;
        described.rank = static_cast<uint32_t>(value.toTensor().dim());
        described.dims = model_.keep.array(value.toTensor().sizes().vec());
    } else if (value.isInt() || value.isBool()) {
        described.kind = value.isInt() ? HTP_DATA_INT : HTP_DATA_BOOL;
        described.number = value.isInt() ? value.toInt() : static_cast<int64_t>(value.toBool());
    } else if (value.isString()) {
        described.kind = HTP_DATA_STRING;
        described.string = model_.keep.string(value.toStringRef());
    } else if (value.isObject()) {
        described.kind = HTP_DATA_OBJECT;
        described.object = object(value.toObject());
    } else if (value.isTensorList() || value.isIntList()) {
        described.kind = HTP_DATA_LIST;
        std::vector<uint32_t> elements;
        for (const c10::IValue &element : value.toListRef()) {
            elements.push_back(data(element));
        }
        described.element_count = static_cast<uint32_t>(elements.size());
        described.elements = model_.keep.array(elements);
    }
    data_.push_back(described);
    return last_of(data_);
}

// ---- functions ----------------------------------------------------------------------------------

uint32_t Program::function(const Code &code)
{
    const void *key = code.function;
    key = key == nullptr ? code.graph.get() : key;
    const auto known = function_numbers_.find(key);
    if (known != function_numbers_.end()) {
        return known->second;
    }
    functions_.emplace_back();
    codes_.push_back(code);
    return function_numbers_[key] = last_of(functions_);
}

// Numbers the values, nodes and blocks of one function in the order in which they stand there.
class Program::Reader
{
  public:
    explicit Reader(Program &program) : program_(program) {}

    // A list of what is left, as blocks may be nested deeply.
    htp_program_function read(const torch::jit::Graph &graph)
    {
        number_of(*graph.block());
        for (size_t i = 0; i < pending_.size(); i++) {
            const htp_program_block block = describe(*pending_[i]);
            blocks_.push_back(block);
        }
        Keep &keep = program_.model_.keep;
        htp_program_function described = {};
        described.block_count = static_cast<uint32_t>(blocks_.size());
        described.blocks = keep.array(blocks_);
        described.node_count = static_cast<uint32_t>(nodes_.size());
        described.nodes = keep.array(nodes_);
        described.value_count = static_cast<uint32_t>(values_.size());
        described.values = keep.array(values_);
        return described;
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
        std::vector<uint32_t> numbers;
        for (const torch::jit::Value *value : values) {
            values_.push_back({program_.type(value->type()), producer});
            numbers.push_back(numbers_[value] = last_of(values_));
        }
        return program_.model_.keep.array(numbers);
    }

    const uint32_t *find(Values values)
    {
        std::vector<uint32_t> numbers;
        for (const torch::jit::Value *value : values) {
            numbers.push_back(numbers_.at(value));
        }
        return program_.model_.keep.array(numbers);
    }

    // What a block within reads of the one around stands before it there.
    htp_program_block describe(const torch::jit::Block &block)
    {
        htp_program_block described = {};
        described.input_count = static_cast<uint32_t>(block.inputs().size());
        described.inputs = make(block.inputs(), HTP_PROGRAM_NONE);
        described.first_node = static_cast<uint32_t>(nodes_.size());
        for (const torch::jit::Node *node : block.nodes()) {
            const htp_program_node made = describe(*node);
            nodes_.push_back(made);
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
        std::vector<uint32_t> blocks;
        for (const torch::jit::Block *block : node.blocks()) {
            blocks.push_back(number_of(*block));
        }
        described.block_count = static_cast<uint32_t>(blocks.size());
        described.blocks = program_.model_.keep.array(blocks);
        described.schema = described.data = described.function = HTP_PROGRAM_NONE;
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
        default:
            if (const torch::jit::Operator *found = node.maybeOperator()) {
                described.schema = program_.schema(found->schema());
            }
        }
    }

    Program &program_;
    std::vector<const torch::jit::Block *> pending_; // by number
    std::vector<htp_program_block> blocks_;
    std::vector<htp_program_node> nodes_;
    std::vector<htp_program_value> values_;
    std::unordered_map<const torch::jit::Value *, uint32_t> numbers_;
};

void Program::load_function(uint32_t number)
{
    const Code code = codes_.at(number);
    std::shared_ptr<torch::jit::Graph> graph = code.graph;
    if (code.function != nullptr) {
        code.function->ensure_defined();
        auto *with_code = torch::jit::tryToGraphFunction(*code.function);
        graph = with_code == nullptr ? nullptr : with_code->graph();
    }
    // Reading adds to the table.
    htp_program_function described = graph ? Reader(*this).read(*graph) : htp_program_function();
    described.is_loaded = true;
    functions_[number] = described;
    renew();
}

} // namespace htp
