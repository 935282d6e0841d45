#include "arguments.h"

#include <algorithm>
#include <functional>

namespace htp
{

namespace
{

constexpr int kMaxNesting = 32;

// An argument, or a part of one, that is made. The path is as it is given ("past.0"), the name as
// the exported model has it ("past_0").
struct Part {
    c10::TypePtr type;
    std::string path;
    std::string name;
    int depth;
};

class Maker
{
  public:
    explicit Maker(Recording &recording) : recording_(recording) {}

    Ref make(const Part &part, const htp_shim_input *input)
    {
        if (part.depth > kMaxNesting) {
            throw Unsupported(describe(part) + " is nested too deeply");
        }
        const auto optional = part.type->cast<c10::OptionalType>();
        if (input == nullptr || input->is_none) {
            if (!optional && part.type->kind() != c10::TypeKind::NoneType) {
                throw BadInputs(describe(part) + " is missing");
            }
            return recording_.constant(c10::IValue());
        }
        const Part inner = {optional ? optional->getElementType() : part.type, part.path, part.name,
                            part.depth};
        return input->is_nested   ? make_nested(inner, *input)
               : input->is_scalar ? make_number(inner, *input)
                                  : make_tensor(inner, *input);
    }

  private:
    std::string describe(const Part &part) const
    {
        return "argument \"" + part.path + "\" of " + recording_.model.method + "()";
    }

    [[noreturn]] void refuse(const Part &part, const char *given) const
    {
        throw BadInputs(describe(part) + " is a " + type_text(part.type) + ", not a " + given);
    }

    Ref make_tensor(const Part &part, const htp_shim_input &input)
    {
        if (part.type->kind() != c10::TypeKind::TensorType) {
            refuse(part, "tensor");
        }
        Ref item = recording_.make(Item::Kind::Tensor);
        item->name = part.name;
        const auto options = at::device(at::kMeta).dtype(scalar_type_of(input.dtype));
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            item->lane[lane] = at::empty(at::IntArrayRef(input.dims[lane], input.rank), options);
        }
        settle_empty(*item, recording_.lane_count);
        return item;
    }

    // A number that whoever runs the exported model gives: an int may become a size, and is made up
    // in every lane.
    Ref make_open(const Part &part, const htp_shim_input &input)
    {
        const auto kind = part.type->kind();
        const bool is_any = kind == c10::TypeKind::NumberType;
        const bool is_int = kind == c10::TypeKind::IntType ||
                            (is_any && input.dtype == dtype_of(at::ScalarType::Long));
        Ref item;
        if (is_int) {
            const htp_shim_size &size = recording_.new_size(part.name);
            item = recording_.plain(size.sizes[0], false);
            for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
                item->lane[lane] = size.sizes[lane];
            }
            item->is_data = true;
        } else if (kind == c10::TypeKind::BoolType) {
            item = recording_.plain(false, false);
            item->has_lanes = false;
        } else if (is_any || kind == c10::TypeKind::FloatType) {
            item = recording_.plain(0.0, false);
            item->has_lanes = false;
        } else {
            refuse(part, "number");
        }
        item->name = part.name;
        return item;
    }

    Ref make_number(const Part &part, const htp_shim_input &input)
    {
        if (input.is_open) {
            return make_open(part, input);
        }
        switch (part.type->kind()) {
        case c10::TypeKind::IntType:
            return recording_.plain(static_cast<int64_t>(input.scalar));
        case c10::TypeKind::BoolType:
            return recording_.plain(input.scalar != 0);
        case c10::TypeKind::FloatType:
        case c10::TypeKind::NumberType:
            return recording_.plain(input.scalar);
        default:
            refuse(part, "number");
        }
    }

    Ref make_nested(const Part &part, const htp_shim_input &input)
    {
        switch (part.type->kind()) {
        case c10::TypeKind::TupleType:
            return make_tuple(part, input, part.type->expectRef<c10::TupleType>());
        case c10::TypeKind::ListType:
            return make_list(part, input, part.type->expectRef<c10::ListType>().getElementType());
        case c10::TypeKind::DictType:
            return make_dict(part, input, part.type->expectRef<c10::DictType>());
        default:
            refuse(part, "tuple, list or dict");
        }
    }

    static Part part_of(const Part &whole, const c10::TypePtr &type, const std::string &name)
    {
        return {type, whole.path + "." + name, whole.name + "_" + name, whole.depth + 1};
    }

    // The item of that name; nullptr when there is none.
    static const htp_shim_input *find(const htp_shim_input &input, const std::string &name)
    {
        const htp_shim_input *end = input.items + input.count;
        const htp_shim_input *found =
            std::find_if(input.items, end, [&](const htp_shim_input &item) {
                return item.name != nullptr && name == item.name;
            });
        return found == end ? nullptr : found;
    }

    // Every item must have been asked for by one of the names.
    void check_names(const Part &part, const htp_shim_input &input,
                     const std::function<bool(const std::string &)> &is_name) const
    {
        for (uint32_t i = 0; i < input.count; i++) {
            const std::string name = input.items[i].name ? input.items[i].name : "";
            if (!is_name(name)) {
                throw BadInputs(describe(part) + " is a " + type_text(part.type) +
                                ", which has no \"" + name + "\"");
            }
        }
    }

    // The parts of a NamedTuple go by number, too.
    Ref make_tuple(const Part &part, const htp_shim_input &input, const c10::TupleType &type)
    {
        const std::vector<std::string> names = field_names(type);
        std::vector<Ref> elements;
        check_names(part, input, [&](const std::string &name) {
            for (size_t i = 0; i < names.size(); i++) {
                if (name == names[i] || name == std::to_string(i)) {
                    return true;
                }
            }
            return false;
        });
        for (size_t i = 0; i < names.size(); i++) {
            const htp_shim_input *item = find(input, names[i]);
            item = item ? item : find(input, std::to_string(i));
            elements.push_back(make(part_of(part, type.elements()[i], names[i]), item));
        }
        return recording_.sequence(Item::Kind::Tuple, std::move(elements));
    }

    Ref make_list(const Part &part, const htp_shim_input &input, const c10::TypePtr &type)
    {
        std::vector<Ref> elements;
        for (uint32_t i = 0; i < input.count; i++) {
            const std::string name = std::to_string(i);
            elements.push_back(make(part_of(part, type, name), find(input, name)));
        }
        return recording_.sequence(Item::Kind::List, std::move(elements));
    }

    // In the order in which the items are given.
    Ref make_dict(const Part &part, const htp_shim_input &input, const c10::DictType &type)
    {
        std::vector<Ref> elements;
        for (uint32_t i = 0; i < input.count; i++) {
            const std::string name = input.items[i].name ? input.items[i].name : "";
            elements.push_back(recording_.plain(key(part, type.getKeyType(), name)));
            elements.push_back(make(part_of(part, type.getValueType(), name), &input.items[i]));
        }
        return recording_.sequence(Item::Kind::Dict, std::move(elements));
    }

    c10::IValue key(const Part &part, const c10::TypePtr &type, const std::string &name) const
    {
        if (type->kind() == c10::TypeKind::StringType) {
            return name;
        }
        if (type->kind() != c10::TypeKind::IntType) {
            throw Unsupported(describe(part) + " is a dict with keys of type " + type_text(type) +
                              "; str and int can be given");
        }
        try {
            size_t end = 0;
            const int64_t number = std::stoll(name, &end);
            if (end == name.size() && std::to_string(number) == name) {
                return number;
            }
        } catch (const std::logic_error &) { // no number, or too large
        }
        throw BadInputs(describe(part) + " has keys of type int; \"" + name + "\" is none");
    }

    Recording &recording_;
};

} // namespace

std::vector<Ref> make_arguments(Recording &recording, const std::vector<htp_shim_input> &inputs)
{
    Model &model = recording.model;
    Maker maker(recording);
    const auto &schema = model.function().getSchema().arguments();
    std::vector<Ref> items;
    for (size_t i = 0; i + 1 < schema.size(); i++) {
        const c10::Argument &argument = schema[i + 1];
        const htp_shim_input *input = i < inputs.size() ? &inputs[i] : nullptr;
        const bool is_given = input != nullptr && !input->is_none;
        if (!is_given && argument.default_value()) {
            items.push_back(recording.constant(*argument.default_value()));
        } else {
            items.push_back(
                maker.make({argument.type(), argument.name(), argument.name(), 0}, input));
        }
    }
    return items;
}

Ref as_given(Recording &recording, const Ref &item)
{
    if (!item->is_container()) {
        return item;
    }
    std::vector<Ref> elements;
    for (const Ref &element : item->elements) {
        elements.push_back(as_given(recording, element));
    }
    return recording.sequence(item->kind, std::move(elements));
}

} // namespace htp
