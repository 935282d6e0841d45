#include "model.h"

#include <algorithm>
#include <array>

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

// What forward() takes in place of an argument of this type.
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
        return HTP_SHIM_LIST;
    default:
        return HTP_SHIM_OPAQUE;
    }
}

} // namespace

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

std::string first_line(const std::exception &error)
{
    const auto *torch_error = dynamic_cast<const c10::Error *>(&error);
    std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
    const size_t begin = text.find_first_not_of(" \n\t");
    if (begin == std::string::npos) {
        return "no reason given";
    }
    const size_t end = text.find('\n', begin);
    return without_assertion(text.substr(begin, end == std::string::npos ? end : end - begin));
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

htp_dtype dtype_of(at::ScalarType type)
{
    const auto *found = std::find(kScalarTypes.begin(), kScalarTypes.end(), type);
    return static_cast<htp_dtype>(found - kScalarTypes.begin());
}

at::ScalarType scalar_type_of(htp_dtype dtype)
{
    if (dtype >= HTP_DTYPE_OTHER) {
        throw BadInputs("an input has a dtype that libtorch does not know");
    }
    return kScalarTypes[dtype];
}

Model::Model(const std::string &path, const Tick &tick) : archive(path, tick)
{
    add_modules();
    add_arguments();
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
            keep.string(class_name ? plain_class_name(class_name->qualifiedName()) : "Module");
        module.parent = visit.parent;
        module.is_frozen = visit.instance.type()->numAttributes() == 0;
        modules.push_back(module);
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
        modules[i].aliases = keep.array(std::move(aliases[i]));
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
    return weight;
}

void Model::add_arguments()
{
    const auto method = archive.module().find_method("forward");
    if (!method) {
        throw Unsupported("the root module has no forward()");
    }
    const auto &all = method->function().getSchema().arguments();
    for (size_t i = 1; i < all.size(); i++) {
        htp_shim_argument argument = {};
        argument.name = keep.string(all[i].name());
        argument.kind = kind_of(all[i].type());
        argument.type = keep.string(all[i].type()->repr_str());
        argument.has_default = all[i].default_value().has_value();
        argument.is_optional =
            argument.has_default || all[i].type()->kind() == c10::TypeKind::OptionalType;
        arguments.push_back(argument);
    }
}

} // namespace htp
