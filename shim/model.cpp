#include "model.h"

#include <algorithm>
#include <cstring>

namespace htp
{

static bool starts_with(const std::string &text, const std::string &prefix)
{
    return text.compare(0, prefix.size(), prefix) == 0;
}

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

std::string message_of(const std::exception &error)
{
    const auto *torch_error = dynamic_cast<const c10::Error *>(&error);
    return torch_error ? torch_error->what_without_backtrace() : error.what();
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

} // namespace htp
