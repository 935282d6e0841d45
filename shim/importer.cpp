#include "importer.h"

#include "model.h"

#include <caffe2/serialize/versions.h>
#include <torch/csrc/jit/serialization/import_source.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace htp
{

namespace
{

// The bytes of a record.
class Record
{
  public:
    Record(const Records &records, const std::string &name)
    {
        const auto given = records.given.find(name);
        if (given != records.given.end()) {
            bytes_ = given->second.data();
            size_ = given->second.size();
        } else {
            std::tie(data_, size_) = records.reader.getRecord(name);
            bytes_ = static_cast<const char *>(data_.get());
        }
    }
    const char *bytes() const
    {
        return bytes_;
    }
    size_t size() const
    {
        return size_;
    }

  private:
    at::DataPtr data_;
    const char *bytes_ = nullptr;
    size_t size_ = 0;
};

} // namespace

c10::IValue read_pickle(const Records &records, const std::string &name,
                        torch::jit::TypeResolver find_type, torch::jit::ObjLoader make_object,
                        const std::function<at::DataPtr(const std::string &key)> &read_storage)
{
    const Record record(records, name + ".pkl");
    size_t position = 0;
    const auto read = [&](char *buffer, size_t count) {
        count = std::min(count, record.size() - position);
        memcpy(buffer, record.bytes() + position, count);
        position += count;
        return count;
    };
    torch::jit::Unpickler unpickler(read, std::move(find_type), std::move(make_object),
                                    read_storage, at::Device(at::kCPU));
    unpickler.set_version(records.reader.version());
    return unpickler.parse_ivalue();
}

namespace
{

// The source of a qualified name ("__torch__.model" is in code/__torch__/model.py), or nullptr. It
// has no debug records, since the core reads them.
std::shared_ptr<torch::jit::Source> find_source(const ArchiveAccess &access,
                                                const std::string &qualifier)
{
    std::string path = qualifier;
    std::replace(path.begin(), path.end(), '.', '/');
    path = "code/" + path + ".py";
    const auto code = access.records.given.find(path);
    if (code == access.records.given.end()) {
        return nullptr;
    }
    access.note_read();
    return std::make_shared<torch::jit::Source>(std::string(code->second), path, 1);
}

// Whether a value may have a declared type. Compiled code trusts only the types of objects, whose
// attributes it reads by index; libtorch checks everything else on use.
bool is_trusted(const c10::IValue &value, const c10::TypePtr &type)
{
    using c10::TypeKind;
    if (auto optional = type->cast<c10::OptionalType>()) {
        return value.isNone() || is_trusted(value, optional->getElementType());
    }
    if (type->kind() == TypeKind::ClassType || type->kind() == TypeKind::InterfaceType) {
        return value.isNone() || (value.isObject() && value.type()->isSubtypeOf(*type));
    }
    const auto contained = type->containedTypes();
    const auto is_each = [&](const auto &values, const c10::TypePtr &element) {
        return std::all_of(values.begin(), values.end(),
                           [&](const c10::IValue &each) { return is_trusted(each, element); });
    };
    if (type->kind() == TypeKind::ListType && value.isList()) {
        // Lists of numbers and tensors hold no objects.
        return !contained[0]->containedTypes().empty() ||
                       contained[0]->kind() == TypeKind::ClassType ||
                       contained[0]->kind() == TypeKind::InterfaceType
                   ? is_each(value.toListRef(), contained[0])
                   : true;
    }
    if (type->kind() == TypeKind::TupleType && value.isTuple()) {
        const auto &elements = value.toTupleRef().elements();
        bool is_trusted_all = elements.size() == contained.size();
        for (size_t i = 0; i < elements.size() && is_trusted_all; i++) {
            is_trusted_all = is_trusted(elements[i], contained[i]);
        }
        return is_trusted_all;
    }
    if (type->kind() == TypeKind::DictType && value.isGenericDict()) {
        for (const auto &entry : value.toGenericDict()) {
            if (!is_trusted(entry.value(), contained[1])) {
                return false;
            }
        }
    }
    return true;
}

bool is_value(const htp_archive_made &made, const c10::IValue &value)
{
    switch (made.kind) {
    case HTP_ARCHIVE_MADE_OF_INT:
        return value.isInt() && value.toInt() == made.number;
    case HTP_ARCHIVE_MADE_OF_FLOAT:
        return value.isDouble() && value.toDouble() == made.real;
    case HTP_ARCHIVE_MADE_OF_TEXT:
        return value.isString() && value.toStringRef() == std::string(made.text, made.text_bytes);
    default:
        return false;
    }
}

class Importer
{
  public:
    explicit Importer(const ArchiveAccess &access)
        : access_(access), unit_(std::make_shared<torch::jit::CompilationUnit>()),
          sources_(
              unit_, &constants_,
              [&access](const std::string &qualifier) { return find_source(access, qualifier); },
              access.records.reader.version())
    {
        for (uint32_t i = 0; i < access.contents.made_count; i++) {
            made_.emplace(access.contents.made[i].qualified_class, &access.contents.made[i]);
        }
    }

    torch::jit::Module run()
    {
        // Compiling replacements for operators of older files takes a while.
        if (access_.records.reader.version() < caffe2::serialize::kProducedFileFormatVersion) {
            torch::jit::populate_upgraders_graph_map();
        }
        const c10::IValue constants = read("constants");
        check_tensors(constants);
        for (const c10::IValue &constant : constants.toTupleRef().elements()) {
            constants_.push_back(constant);
        }
        const c10::IValue root = read("data");
        if (!root.isObject() || !root.type()->is_module()) {
            throw std::runtime_error("damaged archive: data.pkl holds no module");
        }
        check_tensors(root);
        return torch::jit::Module(root.toObject());
    }

  private:
    c10::IValue read(const std::string &name)
    {
        return read_pickle(
            access_.records, name, [&](const c10::QualifiedName &type) { return find_type(type); },
            [this](const c10::StrongTypePtr &type, const c10::IValue &state) {
                return make_object(type, state);
            },
            [&](const std::string &key) { return access_.read_storage(name + "/" + key); });
    }

    c10::StrongTypePtr find_type(const c10::QualifiedName &name)
    {
        c10::StrongTypePtr type(unit_, sources_.loadType(name));
        if (const auto members = type.type_->cast<c10::EnumType>()) {
            check_members(name.qualifiedName(), *members);
        }
        return type;
    }

    // libtorch does not check that an enum has the member.
    void check_members(const std::string &name, const c10::EnumType &type) const
    {
        const auto &[begin, end] = made_.equal_range(name);
        for (auto made = begin; made != end; made++) {
            const auto &members = type.enumNamesValues();
            const bool is_member =
                std::any_of(members.begin(), members.end(), [&](const auto &member) {
                    return is_value(*made->second, member.second);
                });
            if (!is_member) {
                throw std::runtime_error("damaged archive: " + std::string(made->second->pickle) +
                                         ": " + name + " has no member of a value that is there");
            }
        }
    }

    c10::intrusive_ptr<c10::ivalue::Object> make_object(const c10::StrongTypePtr &type,
                                                        const c10::IValue &state)
    {
        const auto cls = type.type_->expect<c10::ClassType>();
        const auto object = c10::ivalue::Object::create(type, cls->numAttributes());
        if (cls->findMethod("__getstate__") != nullptr) {
            check_tensors(state);
            access_.restore(object, state);
            check_is_whole(*object, *cls);
        } else {
            const auto attributes = state.toGenericDict();
            for (size_t slot = 0; slot < cls->numAttributes(); slot++) {
                object->setSlot(slot, attributes.at(cls->getAttributeName(slot)));
            }
        }
        for (size_t slot = 0; slot < cls->numAttributes(); slot++) {
            if (!is_trusted(object->getSlot(slot), cls->getAttribute(slot))) {
                throw std::runtime_error(
                    "damaged archive: attribute \"" + cls->getAttributeName(slot) + "\" of " +
                    plain_class_name(*cls) + " is no " + cls->getAttribute(slot)->repr_str());
            }
        }
        return object;
    }

    static void check_is_whole(const c10::ivalue::Object &object, const c10::ClassType &type)
    {
        for (size_t slot = 0; slot < type.numAttributes(); slot++) {
            const auto kind = type.getAttribute(slot)->kind();
            if (object.getSlot(slot).isNone() && kind != c10::TypeKind::OptionalType &&
                kind != c10::TypeKind::NoneType) {
                throw std::runtime_error("__setstate__ of " + plain_class_name(type) +
                                         " leaves attribute \"" + type.getAttributeName(slot) +
                                         "\" without a value");
            }
        }
    }

    // Checks all tensors of a value, at any depth.
    void check_tensors(const c10::IValue &root)
    {
        std::vector<c10::IValue> pending = {root};
        while (!pending.empty()) {
            const c10::IValue value = std::move(pending.back());
            pending.pop_back();
            if (value.isTensor()) {
                check_tensor(value.toTensor());
            } else if (value.isPtrType() && !value.isString() &&
                       checked_.insert(value.internalToPointer()).second) {
                list_parts(value, pending);
            }
        }
    }

    static void list_parts(const c10::IValue &value, std::vector<c10::IValue> &parts)
    {
        const auto add = [&](const auto &values) {
            parts.insert(parts.end(), values.begin(), values.end());
        };
        if (value.isTensorList()) {
            for (const at::Tensor &tensor : value.toTensorVector()) {
                parts.emplace_back(tensor);
            }
        } else if (value.isList()) {
            add(value.toListRef());
        } else if (value.isTuple()) {
            add(value.toTupleRef().elements());
        } else if (value.isObject()) {
            add(value.toObjectRef().slots());
        } else if (value.isGenericDict()) {
            for (const auto &entry : value.toGenericDict()) {
                parts.push_back(entry.key());
                parts.push_back(entry.value());
            }
        }
    }

    void check_tensor(const at::Tensor &tensor) const
    {
        if (!tensor.defined()) {
            return;
        }
        if (tensor.layout() == at::kStrided && tensor.device().is_cpu() && tensor.has_storage()) {
            access_.check_storage(tensor);
        }
    }

    const ArchiveAccess &access_;
    std::shared_ptr<torch::jit::CompilationUnit> unit_;
    std::vector<c10::IValue> constants_;
    torch::jit::SourceImporter sources_;
    std::unordered_multimap<std::string, const htp_archive_made *> made_; // by class
    std::unordered_set<const void *> checked_;
};

} // namespace

torch::jit::Module import_module(const ArchiveAccess &access)
{
    return Importer(access).run();
}

} // namespace htp
