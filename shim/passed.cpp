// What the calls of modules are given, by the names of their arguments.
#include "recording.h"

#include <algorithm>
#include <optional>

namespace htp
{

namespace
{

constexpr size_t kMaxNesting = 8;
constexpr size_t kMaxName = 256; // bytes

// A list may go to every layer there is. Any call may have so many parts, and all together so many
// more.
constexpr size_t kParts = 64;
constexpr size_t kMoreParts = size_t{64} * 1024;

// A dict's key as part of a name.
std::optional<std::string> text_of(const Item &key)
{
    if (key.kind != Item::Kind::Plain || !key.is_constant) {
        return std::nullopt;
    }
    if (key.lane[0].isInt()) {
        return std::to_string(key.lane[0].toInt());
    }
    if (!key.lane[0].isString() || key.lane[0].toStringRef().size() > kMaxName) {
        return std::nullopt;
    }
    const std::string &text = key.lane[0].toStringRef();
    return text.find('\0') == std::string::npos ? std::optional<std::string>(text) : std::nullopt;
}

c10::TypePtr without_optional(const c10::TypePtr &type)
{
    return type && type->kind() == c10::TypeKind::OptionalType
               ? type->expectRef<c10::OptionalType>().getElementType()
               : type;
}

// What the parts of a tuple, list or dict are declared as.
class PartTypes
{
  public:
    PartTypes(const c10::TypePtr &declared, const Item &whole) : type_(without_optional(declared))
    {
        const bool is_tuple =
            type_ && type_->kind() == c10::TypeKind::TupleType && whole.kind == Item::Kind::Tuple;
        const bool is_list =
            type_ && type_->kind() == c10::TypeKind::ListType && whole.kind == Item::Kind::List;
        const bool is_dict =
            type_ && type_->kind() == c10::TypeKind::DictType && whole.kind == Item::Kind::Dict;
        if (is_tuple && type_->containedTypes().size() == whole.elements.size()) {
            tuple_ = &type_->expectRef<c10::TupleType>();
        } else if (is_list || is_dict) {
            each_ = type_->containedTypes().back();
        }
    }

    c10::TypePtr operator[](size_t index) const
    {
        return tuple_ != nullptr ? tuple_->elements()[index] : each_;
    }

    // Parts of a NamedTuple have names.
    std::string name(size_t index) const
    {
        return tuple_ != nullptr && tuple_->schema() ? tuple_->schema()->arguments()[index].name()
                                                     : std::to_string(index);
    }

  private:
    const c10::TypePtr type_;
    const c10::TupleType *tuple_ = nullptr;
    c10::TypePtr each_;
};

} // namespace

// Where one call's arguments stand.
struct Recording::Passing {
    size_t few; // parts that are left to it
    size_t more;
    size_t depth = 0;

    bool look()
    {
        if (few == 0 && more == 0) {
            return false;
        }
        (few != 0 ? few : more)--;
        return true;
    }
};

void Recording::note_passed(const c10::FunctionSchema &schema, const std::vector<Ref> &arguments)
{
    Passing passing = {kParts, kMoreParts - looks_};
    const size_t first = passed.size();
    const size_t count = std::min(schema.arguments().size(), arguments.size());
    for (size_t i = 1; i < count; i++) {
        const c10::Argument &argument = schema.arguments()[i];
        pass(passing, argument.name(), arguments[i], argument.type());
    }
    looks_ = kMoreParts - passing.more;
    scopes.back().passed_count = static_cast<uint32_t>(passed.size() - first);
}

void Recording::pass(Passing &passing, const std::string &name, const Ref &item,
                     const c10::TypePtr &type)
{
    if (item->is_unset || name.size() > kMaxName) {
        return;
    }
    if (item->is_container() && passing.depth < kMaxNesting) {
        passing.depth++;
        pass_parts(passing, name, *item, type);
        passing.depth--;
    } else if (item->is_tensor() || item->is_number()) {
        passed.push_back({passed_names_.insert(name).first->c_str(), item->id});
    }
}

void Recording::pass_parts(Passing &passing, const std::string &name, const Item &whole,
                           const c10::TypePtr &type)
{
    const PartTypes types(type, whole);
    const bool is_dict = whole.kind == Item::Kind::Dict;
    const size_t step = is_dict ? 2 : 1;
    for (size_t i = 0; i + step <= whole.elements.size() && passing.look(); i += step) {
        const std::optional<std::string> part =
            is_dict ? text_of(*whole.elements[i]) : types.name(i);
        if (part) {
            pass(passing, name + "_" + *part, whole.elements[i + step - 1], types[i / step]);
        }
    }
    if (whole.elements.empty() && whole.stacked) {
        pass(passing, name, whole.stacked, nullptr); // the list's elements, in one tensor
    }
}

} // namespace htp
