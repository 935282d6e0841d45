// Objects, tuples and lists: values that no operator of ONNX has to make.
#include "interpreter.h"

#include <algorithm>
#include <set>

namespace htp
{

std::vector<Ref> Interpreter::do_create_object(const Node &node, std::vector<Ref> &, Frame &)
{
    const auto type = node.output()->type()->expect<c10::ClassType>();
    Ref item = recording_.make(Item::Kind::Object);
    item->object = c10::ivalue::Object::create(type, type->numAttributes());
    made_.insert(item->object.get());
    return {item};
}

std::vector<Ref> Interpreter::do_same(const Node &, std::vector<Ref> &inputs, Frame &)
{
    return {inputs[0]};
}

std::vector<Ref> Interpreter::do_nothing(const Node &, std::vector<Ref> &, Frame &)
{
    return {};
}

// with torch.no_grad(): and the like change what is remembered for gradients, and nothing else.
// What other blocks enter may change numbers, as autocast does.
std::vector<Ref> Interpreter::do_enter(const Node &node, std::vector<Ref> &, Frame &frame)
{
    static const std::string gradients = "__torch__.torch.autograd.grad_mode.";
    const auto type = node.inputs()[0]->type()->cast<c10::ClassType>();
    const std::string name = type && type->name() ? type->name()->qualifiedName() : "";
    if (name.compare(0, gradients.size(), gradients) != 0) {
        throw Unsupported("a with block of " + (name.empty() ? "an unknown class" : name) + ", " +
                          recording_.describe(place_of(node, frame.scope)));
    }
    return {recording_.plain(c10::IValue())};
}

std::vector<Ref> Interpreter::do_unset(const Node &, std::vector<Ref> &, Frame &)
{
    Ref item = recording_.plain(c10::IValue());
    item->is_unset = true;
    return {item};
}

std::vector<Ref> Interpreter::do_unwrap(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    if (inputs[0]->is_none()) {
        throw BadInputs("None where a value is needed, " +
                        recording_.describe(place_of(node, frame.scope)));
    }
    return {inputs[0]};
}

std::vector<Ref> Interpreter::do_is(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    if (inputs[0]->kind == Item::Kind::Unknown || inputs[1]->kind == Item::Kind::Unknown) {
        throw Unsupported("a branch depends on the data, " +
                          recording_.describe(place_of(node, frame.scope)));
    }
    const bool both_none = inputs[0]->is_none() && inputs[1]->is_none();
    return {recording_.plain(both_none || inputs[0] == inputs[1])};
}

std::vector<Ref> Interpreter::do_is_not(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref same = do_is(node, inputs, frame)[0];
    return {recording_.plain(!same->lane[0].toBool())};
}

std::vector<Ref> Interpreter::do_isinstance(const Node &node, std::vector<Ref> &inputs, Frame &)
{
    if (inputs[0]->kind == Item::Kind::Unknown) {
        throw Unsupported("a branch depends on the data");
    }
    const c10::TypePtr type = Recording::value(inputs[0], 0).type();
    const auto &wanted = node.tys(c10::attr::types);
    return {recording_.plain(std::any_of(wanted.begin(), wanted.end(), [&](const auto &candidate) {
        return type->isSubtypeOf(*candidate);
    }))};
}

// Meta tensors stand for tensors on the CPU.
std::vector<Ref> Interpreter::do_device(const Node &, std::vector<Ref> &, Frame &)
{
    return {recording_.plain(at::Device(at::kCPU))};
}

std::vector<Ref> Interpreter::do_list_construct(const Node &, std::vector<Ref> &inputs, Frame &)
{
    return {recording_.sequence(Item::Kind::List, inputs)};
}

std::vector<Ref> Interpreter::do_tuple_construct(const Node &, std::vector<Ref> &inputs, Frame &)
{
    return {recording_.sequence(Item::Kind::Tuple, inputs)};
}

std::vector<Ref> Interpreter::do_unpack(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    if (inputs[0]->kind == Item::Kind::Unknown) {
        return std::vector<Ref>(node.outputs().size(), inputs[0]);
    }
    if (inputs[0]->elements.size() != node.outputs().size()) {
        const Place place = place_of(node, frame.scope);
        const std::string reason = "a sequence of " + std::to_string(inputs[0]->elements.size()) +
                                   " is unpacked into " + std::to_string(node.outputs().size()) +
                                   " ";
        RecordedNode unpack = {
            node.kind().toQualString(), {inputs[0]->id}, {""}, {}, place, reason};
        for (size_t i = 0; i < node.outputs().size(); i++) {
            unpack.outputs.push_back(recording_.make(Item::Kind::Unknown)->id);
        }
        recording_.nodes.push_back(std::move(unpack));
        throw BadInputs(reason + recording_.describe(place));
    }
    return inputs[0]->elements;
}

std::vector<Ref> Interpreter::do_tuple_slice(const Node &node, std::vector<Ref> &inputs, Frame &)
{
    const auto begin = static_cast<size_t>(node.i(c10::attr::beg));
    const auto end = static_cast<size_t>(node.i(c10::attr::end));
    const std::vector<Ref> &all = inputs[0]->elements;
    if (begin > end || end > all.size()) {
        throw BadInputs("a slice of a tuple is out of range");
    }
    return {
        recording_.sequence(Item::Kind::Tuple, {all.begin() + static_cast<std::ptrdiff_t>(begin),
                                                all.begin() + static_cast<std::ptrdiff_t>(end)})};
}

const std::vector<Ref> &Interpreter::known_elements(const Ref &list)
{
    if (!list->is_container()) {
        throw Unsupported("the length of a list depends on the data");
    }
    return list->elements;
}

// An index of a list, from the end where it is negative.
size_t Interpreter::position(const Ref &list, const Ref &index, const Place &place) const
{
    const auto size = static_cast<int64_t>(list->elements.size());
    int64_t at = number(index, place);
    at = at < 0 ? at + size : at;
    if (at < 0 || at >= size) {
        throw BadInputs("an index is out of the range of its list, " + recording_.describe(place));
    }
    return static_cast<size_t>(at);
}

std::vector<Ref> Interpreter::do_get_item(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref &self = inputs[0];
    const Place place = place_of(node, frame.scope);
    if (self->kind == Item::Kind::Unknown) {
        return {self};
    }
    if (self->kind == Item::Kind::Dict) {
        return {value_of_key(self, inputs[1], place)};
    }
    if (self->kind != Item::Kind::List && self->kind != Item::Kind::Tuple) {
        return executor_.run(node, inputs, place);
    }
    if (self->kind == Item::Kind::List && !self->is_growing && is_looked_up(self, inputs[1])) {
        return {look_up(self, inputs[1], place)};
    }
    return {self->elements[position(self, inputs[1], place)]};
}

std::vector<Ref> Interpreter::do_set_item(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref &self = inputs[0];
    recording_.before_change(self);
    if (self->kind != Item::Kind::Dict) {
        self->elements[position(self, inputs[1], place_of(node, frame.scope))] = inputs[2];
        return {self};
    }
    set_key(self, inputs[1], inputs[2]);
    return {};
}

std::vector<Ref> Interpreter::do_len(const Node &, std::vector<Ref> &inputs, Frame &)
{
    const size_t size = inputs[0]->elements.size();
    return {recording_.plain(
        static_cast<int64_t>(inputs[0]->kind == Item::Kind::Dict ? size / 2 : size))};
}

std::vector<Ref> Interpreter::do_append(const Node &, std::vector<Ref> &inputs, Frame &)
{
    recording_.before_change(inputs[0]);
    inputs[0]->elements.push_back(inputs[1]);
    return {inputs[0]};
}

std::vector<Ref> Interpreter::do_extend(const Node &, std::vector<Ref> &inputs, Frame &)
{
    recording_.before_change(inputs[0]);
    const std::vector<Ref> more = known_elements(inputs[1]);
    inputs[0]->elements.insert(inputs[0]->elements.end(), more.begin(), more.end());
    return {inputs[0]};
}

std::vector<Ref> Interpreter::do_pop(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref &self = inputs[0];
    if (self->kind == Item::Kind::Dict) {
        const size_t found = find_key(self, inputs[1]);
        if (found == self->elements.size() && inputs.size() < 3) {
            throw BadInputs("a key is not in its dict, " +
                            recording_.describe(place_of(node, frame.scope)));
        }
        if (found == self->elements.size()) {
            return {inputs[2]};
        }
        recording_.before_change(self);
        const Ref value = self->elements[found];
        const auto begin = self->elements.begin() + static_cast<std::ptrdiff_t>(found) - 1;
        self->elements.erase(begin, begin + 2);
        return {value};
    }
    const size_t at = position(self, inputs[1], place_of(node, frame.scope));
    recording_.before_change(self);
    const Ref taken = self->elements[at];
    self->elements.erase(self->elements.begin() + static_cast<std::ptrdiff_t>(at));
    return {taken};
}

std::vector<Ref> Interpreter::do_insert(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const auto size = static_cast<int64_t>(inputs[0]->elements.size());
    const int64_t at = number(inputs[1], place_of(node, frame.scope));
    recording_.before_change(inputs[0]);
    inputs[0]->elements.insert(inputs[0]->elements.begin() +
                                   std::clamp<int64_t>(at < 0 ? at + size : at, 0, size),
                               inputs[2]);
    return {};
}

std::vector<Ref> Interpreter::do_clear(const Node &, std::vector<Ref> &inputs, Frame &)
{
    recording_.before_change(inputs[0]);
    inputs[0]->elements.clear();
    return {};
}

std::vector<Ref> Interpreter::do_reverse(const Node &, std::vector<Ref> &inputs, Frame &)
{
    recording_.before_change(inputs[0]);
    std::reverse(inputs[0]->elements.begin(), inputs[0]->elements.end());
    return {};
}

std::vector<Ref> Interpreter::do_concatenate(const Node &, std::vector<Ref> &inputs, Frame &)
{
    std::vector<Ref> all = inputs[0]->elements;
    const std::vector<Ref> &more = known_elements(inputs[1]);
    all.insert(all.end(), more.begin(), more.end());
    return {recording_.sequence(Item::Kind::List, std::move(all))};
}

std::vector<Ref> Interpreter::do_slice(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const std::vector<Ref> &all = inputs[0]->elements;
    const auto size = static_cast<int64_t>(all.size());
    const int64_t step = number(inputs[3], place);
    if (step == 0) {
        throw BadInputs("a slice of a list has a step of 0, " + recording_.describe(place));
    }
    // Backwards, a bound is one less: -1 is in front of all.
    const int64_t least = step > 0 ? 0 : -1;
    const auto bound = [&](const Ref &item, int64_t otherwise) {
        const int64_t at = item->is_none() ? otherwise : number(item, place);
        return item->is_none() ? at
                               : std::clamp<int64_t>(at < 0 ? at + size : at, least, size + least);
    };
    std::vector<Ref> taken;
    const int64_t begin = bound(inputs[1], step > 0 ? 0 : size - 1);
    const int64_t end = bound(inputs[2], step > 0 ? size : -1);
    for (int64_t i = begin; step > 0 ? i < end : i > end;) {
        taken.push_back(all[static_cast<size_t>(i)]);
        const bool is_last = step > 0 ? step >= end - i : step <= end - i;
        i = is_last ? end : i + step;
    }
    return {recording_.sequence(Item::Kind::List, std::move(taken))};
}

std::vector<Ref> Interpreter::do_copy_list(const Node &, std::vector<Ref> &inputs, Frame &)
{
    return {recording_.sequence(inputs[0]->kind, inputs[0]->elements)};
}

} // namespace htp
