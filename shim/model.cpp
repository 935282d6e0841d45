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

void *Keep::Chunks::take(size_t bytes)
{
    constexpr size_t kUnit = sizeof(std::max_align_t), kChunk = 16384;
    if (bytes > left) {
        const size_t units = (std::max(bytes, kChunk) + kUnit - 1) / kUnit;
        std::unique_ptr<std::max_align_t[]> chunk(new std::max_align_t[units]);
        all.push_back(std::move(chunk));
        next = reinterpret_cast<char *>(all.back().get());
        left = units * kUnit;
    }
    void *const taken = next;
    next += bytes;
    left -= bytes;
    return taken;
}

const char *Keep::string(const std::string &text)
{
    return static_cast<const char *>(
        std::memcpy(strings_.take(text.size() + 1), text.c_str(), text.size() + 1));
}

// Empty arrays are NULL.
const void *Keep::copy(const void *data, size_t bytes)
{
    constexpr size_t kUnit = sizeof(std::max_align_t);
    const size_t rounded = (bytes + kUnit - 1) / kUnit * kUnit;
    return bytes == 0 ? nullptr : std::memcpy(arrays_.take(rounded), data, bytes);
}

} // namespace htp
