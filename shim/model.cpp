#include "model.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

namespace htp
{

namespace
{

constexpr std::array<at::ScalarType, HTP_DTYPE_OTHER> kScalarTypes = {
    at::ScalarType::Byte,         at::ScalarType::Char,          at::ScalarType::Short,
    at::ScalarType::Int,          at::ScalarType::Long,          at::ScalarType::Half,
    at::ScalarType::Float,        at::ScalarType::Double,        at::ScalarType::ComplexHalf,
    at::ScalarType::ComplexFloat, at::ScalarType::ComplexDouble, at::ScalarType::Bool,
    at::ScalarType::BFloat16,
};

bool starts_with(const std::string &text, const std::string &prefix)
{
    return text.compare(0, prefix.size(), prefix) == 0;
}

// What a method takes in place of an argument of this type.
htp_shim_kind kind_of(const c10::TypePtr &type)
{
    using c10::TypeKind;
    if (auto optional = type->cast<c10::OptionalType>()) {
        return kind_of(optional->getElementType());
    }
    switch (type->kind()) {
    case TypeKind::TensorType:
        return HTP_SHIM_TENSOR;
    case TypeKind::IntType:
        return HTP_SHIM_INT;
    case TypeKind::FloatType:
    case TypeKind::NumberType:
        return HTP_SHIM_FLOAT;
    case TypeKind::BoolType:
        return HTP_SHIM_BOOL;
    case TypeKind::StringType:
        return HTP_SHIM_STRING;
    case TypeKind::ListType:
    case TypeKind::TupleType:
    case TypeKind::DictType:
        return HTP_SHIM_LIST;
    default:
        return HTP_SHIM_OPAQUE;
    }
}

// A class without a package is one of the program that wrote the file.
std::string python_class_name(const std::string &qualified)
{
    const std::string plain = plain_class_name(qualified);
    return plain.find('.') == std::string::npos ? "__main__." + plain : plain;
}

// A default value: a number, a string, or a list of them.
std::string python_form(const c10::IValue &value)
{
    try {
        std::ostringstream text;
        value.repr(text, [](std::ostream &, const c10::IValue &) { return false; });
        return text.str();
    } catch (const std::exception &) {
        return "...";
    }
}

} // namespace

std::string type_text(const c10::TypePtr &type)
{
    return type->annotation_str([](const c10::Type &part) -> c10::TypePrinter::result_type {
        const auto *named = dynamic_cast<const c10::NamedType *>(&part);
        if (named == nullptr || !named->name()) {
            return {};
        }
        return plain_class_name(named->name()->qualifiedName());
    });
}

std::vector<std::string> field_names(const c10::TupleType &type)
{
    std::vector<std::string> names;
    const auto &schema = type.schema();
    for (size_t i = 0; i < type.elements().size(); i++) {
        names.push_back(schema ? schema->arguments()[i].name() : std::to_string(i));
    }
    return names;
}

// libtorch's assertions name a line of its own sources, which helps nobody here.
static std::string without_assertion(const std::string &line)
{
    const size_t assertion = line.find(" INTERNAL ASSERT FAILED at ");
    if (assertion == std::string::npos) {
        return line;
    }
    static const std::string report = "please report a bug to PyTorch.";
    const size_t end = line.find(report);
    const size_t message =
        end == std::string::npos ? end : line.find_first_not_of(' ', end + report.size());
    return message == std::string::npos
               ? "libtorch does not expect this (" + line.substr(0, assertion) + ")"
               : line.substr(message);
}

// `File "NAME", line NUMBER` at the beginning of what follows a line of libtorch's, as "NAME, line
// NUMBER"; "" where there is none.
static std::string place_in(const std::string &rest)
{
    static const std::string file = "File \"", line = "\", line ";
    const size_t begin = rest.find_first_not_of(" \t\n");
    if (begin == std::string::npos || rest.compare(begin, file.size(), file) != 0) {
        return "";
    }
    const size_t name = begin + file.size(), name_end = rest.find_first_of("\"\n", name);
    if (name_end == std::string::npos || rest.compare(name_end, line.size(), line) != 0) {
        return "";
    }
    const size_t number = name_end + line.size();
    const size_t number_end = std::min(rest.find_first_not_of("0123456789", number), rest.size());
    return number == number_end ? ""
                                : rest.substr(name, name_end - name) + ", line " +
                                      rest.substr(number, number_end - number);
}

// What libtorch says of code ends with a colon, and the next line with the place.
static std::string with_place(const std::string &line, const std::string &rest)
{
    if (line.empty() || line.back() != ':') {
        return line;
    }
    const std::string place = place_in(rest);
    return line.substr(0, line.size() - 1) + (place.empty() ? "" : ", in " + place);
}

std::string message_of(const std::exception &error)
{
    const auto *torch_error = dynamic_cast<const c10::Error *>(&error);
    return torch_error ? torch_error->what_without_backtrace() : error.what();
}

std::string first_line(const std::exception &error)
{
    const std::string text = message_of(error);
    const size_t begin = text.find_first_not_of(" \n\t");
    if (begin == std::string::npos) {
        return "no reason given";
    }
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = without_assertion(text.substr(begin, end - begin));
    return with_place(line, text.substr(std::min(end + 1, text.size())));
}

std::string plain_class_name(const std::string &qualified)
{
    static const std::string root = "__torch__.";
    static const std::string mangle = "___torch_mangle_";
    std::string plain;
    size_t position = starts_with(qualified, root) ? root.size() : 0;
    while (position < qualified.size()) {
        size_t end = qualified.find('.', position);
        end = end == std::string::npos ? qualified.size() : end;
        const std::string part = qualified.substr(position, end - position);
        const bool mangled =
            starts_with(part, mangle) && part.size() > mangle.size() &&
            part.find_first_not_of("0123456789", mangle.size()) == std::string::npos;
        if (!mangled) {
            plain += (plain.empty() ? "" : ".") + part;
        }
        position = end + 1;
    }
    return plain;
}

std::string plain_class_name(const c10::ClassType &type)
{
    return type.name() ? plain_class_name(type.name()->qualifiedName()) : type.repr_str();
}

htp_dtype dtype_of(at::ScalarType type)
{
    const auto *found = std::find(kScalarTypes.begin(), kScalarTypes.end(), type);
    return static_cast<htp_dtype>(found - kScalarTypes.begin());
}

// Small arrays share chunks.
const void *Keep::copy(const void *data, size_t bytes)
{
    constexpr size_t kUnit = sizeof(std::max_align_t), kChunk = 1024;
    const size_t units = (bytes + kUnit - 1) / kUnit;
    if (units == 0) {
        return nullptr;
    }
    if (units > left_) {
        left_ = std::max(units, kChunk);
        chunks_.emplace_back(new std::max_align_t[left_]);
        size_ = left_;
    }
    std::max_align_t *place = chunks_.back().get() + (size_ - left_);
    left_ -= units;
    std::memcpy(place, data, bytes);
    return place;
}

Model::Model(const std::string &path, const htp_shim_contents &contents, const htp_shim_host &host)
    : archive(path, contents, host)
{
    add_modules();
}

uint32_t Model::module_of(const c10::ivalue::Object *object) const
{
    const auto found = by_object_.find(object);
    return found == by_object_.end() ? HTP_SHIM_NONE : found->second;
}

uint32_t Model::weight_of(const c10::ivalue::Object *object, size_t slot) const
{
    const auto found = slots_.find(object);
    if (found == slots_.end()) {
        return HTP_SHIM_NONE;
    }
    const auto weight = found->second.find(slot);
    return weight == found->second.end() ? HTP_SHIM_NONE : weight->second;
}

// Lists module instances depth first, in order of definition. An instance that is met again has
// a further path there.
void Model::add_modules()
{
    struct Visit {
        torch::jit::Module instance;
        std::string name;
        std::string path;
        uint32_t parent;
    };
    std::vector<std::vector<const char *>> aliases;
    std::vector<Visit> pending = {{archive.module(), "", "", HTP_SHIM_NONE}};
    while (!pending.empty()) {
        const Visit visit = std::move(pending.back());
        pending.pop_back();
        const c10::ivalue::Object *object = visit.instance._ivalue().get();
        const auto known = by_object_.find(object);
        if (known != by_object_.end()) {
            aliases[known->second].push_back(keep.string(visit.path));
            continue;
        }
        const auto index = static_cast<uint32_t>(modules.size());
        by_object_[object] = index;
        htp_shim_module module = {};
        module.name = keep.string(visit.name);
        module.path = keep.string(visit.path);
        const auto class_name = visit.instance.type()->name();
        module.qualified_class =
            keep.string(class_name ? python_class_name(class_name->qualifiedName()) : "Module");
        module.parent = visit.parent;
        module.is_frozen = visit.instance.type()->numAttributes() == 0;
        modules.push_back(module);
        instances_.push_back(visit.instance);
        aliases.emplace_back();
        add_weights(index, visit.instance);
        const size_t first = pending.size();
        for (const auto &child : visit.instance.named_children()) {
            const std::string dot = visit.path.empty() ? "" : ".";
            pending.push_back({child.value, child.name, visit.path + dot + child.name, index});
        }
        std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
    }
    for (size_t i = 0; i < modules.size(); i++) {
        modules[i].alias_count = aliases[i].size();
        modules[i].aliases = keep.array(aliases[i]);
    }
}

void Model::add_weights(uint32_t module, const torch::jit::Module &instance)
{
    const auto type = instance.type();
    const auto object = instance._ivalue();
    for (size_t slot = 0; slot < type->numAttributes(); slot++) {
        const c10::IValue &value = object->getSlot(slot);
        if (!value.isTensor() || !value.toTensor().defined()) {
            continue;
        }
        const std::string path = modules[module].path;
        const std::string name = (path.empty() ? "" : path + ".") + type->getAttributeName(slot);
        htp_shim_weight weight = describe(value.toTensor(), name);
        weight.module = module;
        weight.is_parameter = type->is_parameter(slot);
        weight.is_buffer = !weight.is_parameter;
        slots_[object.get()][slot] = static_cast<uint32_t>(weights.size());
        weights.push_back(weight);
        weight_tensors.push_back(value.toTensor());
    }
}

htp_shim_weight Model::describe(const at::Tensor &tensor, const std::string &name)
{
    htp_shim_weight weight = {};
    weight.name = keep.string(name);
    weight.module = HTP_SHIM_NONE;
    weight.requires_grad = tensor.requires_grad();
    const bool is_lazy = tensor.is_conj() || tensor.is_neg(); // its bytes are not its numbers
    const bool is_plain = tensor.layout() == at::kStrided && !tensor.is_quantized() && !is_lazy;
    weight.dtype = is_plain ? dtype_of(tensor.scalar_type()) : HTP_DTYPE_OTHER;
    if (!is_plain || tensor.dim() > HTP_SHIM_MAX_RANK) {
        weight.dtype = HTP_DTYPE_OTHER;
        return weight;
    }
    weight.rank = static_cast<uint32_t>(tensor.dim());
    weight.dims = keep.array(tensor.sizes().vec());
    weight.strides = keep.array(tensor.strides().vec());
    weight.storage_offset = tensor.storage_offset();
    weight.storage = storages_.emplace(storage_identity(tensor), storages_.size()).first->second;
    const Bytes bytes = archive.storage_bytes(tensor);
    weight.data = bytes.data;
    weight.storage_bytes = bytes.size;
    weight.is_mapped = bytes.is_mapped;
    weight.file_offset = bytes.offset;
    return weight;
}

std::vector<std::string> Model::methods() const
{
    std::vector<std::string> names;
    for (const torch::jit::Function *function : owner().type()->methods()) {
        names.push_back(function->name());
    }
    return names;
}

htp_shim_facts Model::facts()
{
    htp_shim_facts facts = {};
    std::vector<const char *> names;
    for (const std::string &name : methods()) {
        names.push_back(keep.string(name));
    }
    facts.format_version = archive.format_version();
    facts.has_serialization_id = archive.has_record(".data/serialization_id");
    facts.method_count = static_cast<uint32_t>(names.size());
    facts.methods = keep.array(names);
    const auto &returns = function().getSchema().returns();
    facts.returns = keep.string(returns.empty() ? "None" : type_text(returns[0].type()));
    return facts;
}

// The module that has a path, or is met there again.
uint32_t Model::find_module(const std::string &path) const
{
    const auto found = std::find_if(modules.begin(), modules.end(), [&](const auto &module) {
        const char *const *end = module.aliases + module.alias_count;
        return path == module.path ||
               std::any_of(module.aliases, end, [&](const char *alias) { return path == alias; });
    });
    if (found == modules.end()) {
        throw BadInputs("there is no module \"" + path + "\"");
    }
    return static_cast<uint32_t>(found - modules.begin());
}

void Model::choose_method(const std::string &module, const std::string &name)
{
    owner_ = module.empty() ? 0 : find_module(module);
    const auto found = owner().find_method(name);
    if (!found) {
        std::string others;
        for (const std::string &other : methods()) {
            others += (others.empty() ? "" : ", ") + other;
        }
        const std::string who = owner_ == 0 ? "the root module" : "module " + module;
        const std::string reason = who + " has no " + name + "()";
        if (name == "forward" && others.empty()) {
            throw Unsupported(reason);
        }
        throw BadInputs(reason + "; its methods are: " + (others.empty() ? "none" : others));
    }
    method = name;
    arguments.clear();
    const auto &all = found->function().getSchema().arguments();
    size_t items = 0;
    for (size_t i = 1; i < all.size(); i++) {
        htp_shim_argument argument = describe(all[i].name(), all[i].type(), 0, items);
        argument.has_default = all[i].default_value().has_value();
        argument.is_optional = argument.is_optional || argument.has_default;
        if (argument.has_default) {
            argument.default_value = keep.string(python_form(*all[i].default_value()));
        }
        arguments.push_back(argument);
    }
}

// The parts of nested types, as far down as anybody would spell them.
constexpr int kMaxTypeDepth = 8;
constexpr size_t kMaxTypeItems = 4096;

htp_shim_argument Model::describe(const std::string &name, const c10::TypePtr &type, int depth,
                                  size_t &items)
{
    htp_shim_argument argument = {};
    const auto optional = type->cast<c10::OptionalType>();
    const c10::TypePtr &inner = optional ? optional->getElementType() : type;
    argument.name = keep.string(name);
    argument.kind = kind_of(inner);
    argument.type = keep.string(type_text(type));
    argument.is_optional = optional != nullptr;
    if (argument.kind == HTP_SHIM_LIST) {
        add_items(argument, inner, depth, items);
    }
    return argument;
}

void Model::add_items(htp_shim_argument &argument, const c10::TypePtr &type, int depth,
                      size_t &items)
{
    std::vector<htp_shim_argument> parts;
    const auto contained = type->containedTypes();
    items += contained.size();
    if (depth >= kMaxTypeDepth || items > kMaxTypeItems) {
        argument.kind = HTP_SHIM_OPAQUE;
        return;
    }
    argument.is_dict = type->kind() == c10::TypeKind::DictType;
    argument.is_open = argument.is_dict || type->kind() == c10::TypeKind::ListType;
    if (argument.is_open) {
        parts.push_back(describe("", contained.back(), depth + 1, items));
    } else {
        const auto names = field_names(type->expectRef<c10::TupleType>());
        for (size_t i = 0; i < contained.size(); i++) {
            parts.push_back(describe(names[i], contained[i], depth + 1, items));
        }
    }
    argument.item_count = static_cast<uint32_t>(parts.size());
    argument.items = keep.array(parts);
}

} // namespace htp
