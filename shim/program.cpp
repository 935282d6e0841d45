#include "program.h"

#include "operators.h"

#include <ATen/core/function.h>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace htp
{

namespace
{

// Longer type texts are cut: shared parts are written repeatedly.
constexpr size_t kMostTypeText = 4096;

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
    case c10::TypeKind::IntType:
        return HTP_TYPE_INT;
    case c10::TypeKind::FloatType:
        return HTP_TYPE_FLOAT;
    case c10::TypeKind::BoolType:
        return HTP_TYPE_BOOL;
    case c10::TypeKind::NumberType:
        return HTP_TYPE_NUMBER;
    case c10::TypeKind::StringType:
        return HTP_TYPE_STRING;
    case c10::TypeKind::NoneType:
        return HTP_TYPE_NONE;
    default:
        return HTP_TYPE_OTHER;
    }
}

} // namespace

torch::jit::Operation &ProgramOperator::prepare()
{
    if (found == nullptr && !operation) {
        throw std::runtime_error(schema->name() + " is no operator");
    }
    if (!operation) {
        operation = found->getOperation(node);
    }
    return *operation;
}

Program::Program(Model &model) : model_(model)
{
    view_.method = view_.owner = HTP_NONE;
    view_.method = view_.owner = HTP_NONE;
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

// ---- types and classes --------------------------------------------------------------------------

// All tensor types have one number.
uint32_t Program::type(const c10::TypePtr &type)
{
    if (type->kind() != c10::TypeKind::TensorType) {
        return other_type(type);
    }
    if (tensor_type_ == HTP_NONE) {
        tensor_type_ = other_type(c10::TensorType::get());
    }
    return tensor_type_;
}

uint32_t Program::other_type(const c10::TypePtr &own)
{
    const auto known = type_numbers_.find(own.get());
    if (known != type_numbers_.end()) {
        return known->second;
    }
    types_.emplace_back();
    kept_types_.push_back(own);
    const uint32_t number = last_of(types_);
    type_numbers_[own.get()] = number;
    htp_program_type described = {};
    described.kind = kind_of(*own);
    described.class_number = HTP_NONE;
    if (described.kind == HTP_TYPE_CLASS) {
        described.class_number = class_number(own->expect<c10::ClassType>());
    }
    std::vector<uint32_t> parts;
    for (const c10::TypePtr &part : own->containedTypes()) {
        parts.push_back(this->type(part));
    }
    if (const auto tuple = own->cast<c10::TupleType>()) {
        std::vector<const char *> fields;
        for (const std::string &field : field_names(*tuple)) {
            fields.push_back(model_.keep.string(field));
        }
        described.fields = model_.keep.array(fields);
    }
    described.part_count = static_cast<uint32_t>(parts.size());
    described.parts = model_.keep.array(parts);
    described.text = text(own, parts);
    described.is_free = own->hasFreeVariables();
    types_[number] = described;
    return number;
}

const char *Program::text(const c10::TypePtr &type, const std::vector<uint32_t> &parts)
{
    const auto *named = dynamic_cast<const c10::NamedType *>(type.get());
    size_t size = 0;
    for (size_t i = 0; i < parts.size() && (named == nullptr || !named->name()); i++) {
        const char *const part = types_[parts[i]].text; // NULL: a class in progress
        size += part == nullptr ? 0 : std::strlen(part);
    }
    return size > kMostTypeText ? "..." : model_.keep.string(type_text(type));
}

namespace
{

htp_slot_role role_of(const c10::ClassType &type, size_t slot)
{
    const c10::TypePtr &attribute = type.getAttribute(slot);
    if (attribute->is_module()) {
        return HTP_SLOT_MODULE;
    }
    if (type.is_module() && type.is_parameter(slot)) {
        return HTP_SLOT_PARAMETER;
    }
    return c10::TensorType::get()->isSubtypeOf(*attribute) ? HTP_SLOT_TENSOR : HTP_SLOT_OTHER;
}

} // namespace

uint32_t Program::class_number(const c10::ClassTypePtr &type)
{
    const auto known = class_numbers_.find(type.get());
    if (known != class_numbers_.end()) {
        return known->second;
    }
    std::vector<const char *> attributes, names;
    std::vector<htp_slot_role> roles;
    std::vector<uint32_t> methods;
    for (size_t slot = 0; slot < type->numAttributes(); slot++) {
        attributes.push_back(model_.keep.string(type->getAttributeName(slot)));
        roles.push_back(role_of(*type, slot));
    }
    for (torch::jit::Function *method : type->methods()) {
        names.push_back(method->name().c_str());
        methods.push_back(function({method, nullptr}));
    }
    htp_program_class described = {};
    described.name = model_.keep.string(type->name() ? type->name()->qualifiedName() : "");
    described.plain_name = model_.keep.string(plain_class_name(described.name));
    described.is_module = type->is_module();
    described.roles = model_.keep.array(roles);
    described.attribute_count = static_cast<uint32_t>(attributes.size());
    described.attributes = model_.keep.array(attributes);
    described.method_count = static_cast<uint32_t>(methods.size());
    described.method_names = model_.keep.array(names);
    described.methods = model_.keep.array(methods);
    classes_.push_back(described);
    kept_classes_.push_back(type);
    return class_numbers_[type.get()] = last_of(classes_);
}

// ---- schemas ------------------------------------------------------------------------------------

// A number, a string, or a list of them, in Python's syntax.
static std::string python_form(const c10::IValue &value)
{
    try {
        std::ostringstream text;
        value.repr(text, [](std::ostream &, const c10::IValue &) { return false; });
        return text.str();
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &) {
        return "...";
    }
}

// Names live as long as libtorch or the archive's code.
std::vector<htp_program_argument> Program::arguments(const std::vector<c10::Argument> &declared,
                                                     bool is_function)
{
    std::vector<htp_program_argument> all;
    all.reserve(declared.size());
    for (const c10::Argument &argument : declared) {
        const auto *alias = argument.alias_info();
        const bool has_default = is_function && argument.default_value().has_value();
        htp_program_argument described = {};
        described.name = argument.name().c_str();
        described.type = type(argument.type());
        described.is_alias = alias != nullptr;
        described.is_written = alias != nullptr && alias->isWrite();
        described.fixed_length = static_cast<uint32_t>(argument.N().value_or(0));
        described.default_data = HTP_NONE;
        if (has_default) {
            described.default_data = data(*argument.default_value());
            described.default_text = model_.keep.string(python_form(*argument.default_value()));
        }
        all.push_back(described);
    }
    return all;
}

htp_program_schema Program::describe(const c10::FunctionSchema &schema, bool is_function)
{
    const std::string &overload = schema.overload_name();
    htp_program_schema described = {};
    described.name = model_.keep.string(schema.name());
    described.overload = model_.keep.string(overload);
    described.kind =
        overload.empty() ? described.name : model_.keep.string(schema.name() + "." + overload);
    described.is_mutable = schema.is_mutable();
    described.has_any_returns = schema.is_varret();
    described.is_loaded = !is_function && is_loaded(schema);
    described.needs_contents = !is_function && needs_contents(schema);
    described.argument_count = static_cast<uint32_t>(schema.arguments().size());
    described.arguments = model_.keep.array(arguments(schema.arguments(), is_function));
    described.return_count = static_cast<uint32_t>(schema.returns().size());
    described.returns = model_.keep.array(arguments(schema.returns(), is_function));
    return described;
}

// @param stands_for  the kind of the schema
uint32_t Program::schema(const c10::FunctionSchema &schema, ProgramOperator stands_for)
{
    const auto known = schema_numbers_.find(&schema);
    const htp_program_schema described = known == schema_numbers_.end()
                                             ? describe(schema, stands_for.found == nullptr)
                                             : schemas_[known->second];
    schemas_.push_back(described);
    operators_.push_back(std::move(stands_for));
    schema_numbers_.emplace(&schema, last_of(schemas_));
    return last_of(schemas_);
}

// The schema of some operators depends on the node.
uint32_t Program::schema(const torch::jit::Operator &found, const torch::jit::Node *node,
                         std::shared_ptr<torch::jit::Operator> keeper)
{
    const c10::FunctionSchema &schema = found.schema();
    const bool is_of_node = !found.hasOperation();
    const auto known = schema_numbers_.find(&schema);
    if (known != schema_numbers_.end() && !is_of_node) {
        return known->second;
    }
    return this->schema(schema, {&schema, &found, is_of_node ? node : nullptr, std::move(keeper)});
}

uint32_t Program::find_operator(const std::string &name, const std::string &overload)
{
    const auto found = torch::jit::findOperatorFor({name, overload});
    if (!found || !found->hasOperation()) {
        return HTP_NONE;
    }
    const uint32_t number = schema(*found, nullptr, found);
    renew();
    return number;
}

} // namespace htp
