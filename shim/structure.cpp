// Objects, tuples, lists and dicts: values that no operator of ONNX has to make.
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

static void require_known_key(const Ref &key)
{
    if (key->kind != Item::Kind::Plain || !key->is_constant) {
        throw Unsupported("a key of a dict depends on the inputs");
    }
}

std::vector<Ref> Interpreter::do_dict_construct(const Node &, std::vector<Ref> &inputs, Frame &)
{
    for (size_t i = 0; i < inputs.size(); i += 2) {
        require_known_key(inputs[i]);
    }
    return {recording_.sequence(Item::Kind::Dict, inputs)};
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

static const std::vector<Ref> &known_elements(const Ref &list)
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

// The place of a key's value; the number of elements when there is no such key.
size_t Interpreter::find_key(const Ref &dict, const Ref &key) const
{
    require_known_key(key);
    const std::vector<Ref> &all = dict->elements;
    for (size_t i = 0; i + 1 < all.size(); i += 2) {
        if (all[i]->lane[0] == key->lane[0]) {
            return i + 1;
        }
    }
    return all.size();
}

std::vector<Ref> Interpreter::do_get_item(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref &self = inputs[0];
    const Place place = place_of(node, frame.scope);
    if (self->kind == Item::Kind::Unknown) {
        return {self};
    }
    if (self->kind == Item::Kind::Dict) {
        const size_t found = find_key(self, inputs[1]);
        if (found == self->elements.size()) {
            throw BadInputs("a key is not in its dict, " + recording_.describe(place));
        }
        return {self->elements[found]};
    }
    if (self->kind != Item::Kind::List && self->kind != Item::Kind::Tuple) {
        return executor_.run(node, inputs, place);
    }
    const bool is_open = self->kind == Item::Kind::List && !self->elements.empty() &&
                         !self->is_growing && !is_decided(inputs[1]) &&
                         inputs[1]->kind == Item::Kind::Plain;
    if (is_open) {
        const Ref grown = grown_list(stack_up(self, place), self->elements[0]->is_number());
        return {element_at(grown, grown->stacked, inputs[1], place)};
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

void Interpreter::set_key(const Ref &dict, const Ref &key, const Ref &value) const
{
    require_known_key(key);
    const size_t found = find_key(dict, key);
    if (found == dict->elements.size()) {
        dict->elements.push_back(key);
        dict->elements.push_back(value);
    } else {
        dict->elements[found] = value;
    }
}

// update() of a dict by another one
std::vector<Ref> Interpreter::do_update(const Node &, std::vector<Ref> &inputs, Frame &)
{
    recording_.before_change(inputs[0]);
    const std::vector<Ref> more = known_elements(inputs[1]);
    for (size_t i = 0; i + 1 < more.size(); i += 2) {
        set_key(inputs[0], more[i], more[i + 1]);
    }
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

std::vector<Ref> Interpreter::do_items(const Node &, std::vector<Ref> &inputs, Frame &)
{
    const std::vector<Ref> &all = inputs[0]->elements;
    std::vector<Ref> pairs;
    for (size_t i = 0; i + 1 < all.size(); i += 2) {
        pairs.push_back(recording_.sequence(Item::Kind::Tuple, {all[i], all[i + 1]}));
    }
    return {recording_.sequence(Item::Kind::List, std::move(pairs))};
}

// dict() of a list of pairs, where the last one of a key counts, or of a dict.
std::vector<Ref> Interpreter::do_make_dict(const Node &, std::vector<Ref> &inputs, Frame &)
{
    if (inputs[0]->kind == Item::Kind::Dict) {
        return {recording_.sequence(Item::Kind::Dict, inputs[0]->elements)};
    }
    Ref made = recording_.sequence(Item::Kind::Dict, {});
    for (const Ref &pair : inputs[0]->elements) {
        const std::vector<Ref> &both = known_elements(pair);
        set_key(made, both.at(0), both.at(1));
    }
    return {made};
}

// get(dict, key) and get(dict, key, otherwise)
std::vector<Ref> Interpreter::do_get(const Node &, std::vector<Ref> &inputs, Frame &)
{
    const size_t found = find_key(inputs[0], inputs[1]);
    if (found < inputs[0]->elements.size()) {
        return {inputs[0]->elements[found]};
    }
    return {inputs.size() > 2 ? inputs[2] : recording_.plain(c10::IValue())};
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

std::vector<Ref> Interpreter::do_contains(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref &self = inputs[0];
    if (self->kind == Item::Kind::Dict) {
        return {recording_.plain(find_key(self, inputs[1]) != self->elements.size())};
    }
    return executor_.run(node, inputs, place_of(node, frame.scope));
}

std::vector<Ref> Interpreter::do_keys(const Node &, std::vector<Ref> &inputs, Frame &)
{
    std::vector<Ref> keys;
    for (size_t i = 0; i + 1 < inputs[0]->elements.size(); i += 2) {
        keys.push_back(inputs[0]->elements[i]);
    }
    return {recording_.sequence(Item::Kind::List, std::move(keys))};
}

std::vector<Ref> Interpreter::do_dict_values(const Node &, std::vector<Ref> &inputs, Frame &)
{
    std::vector<Ref> values;
    for (size_t i = 1; i < inputs[0]->elements.size(); i += 2) {
        values.push_back(inputs[0]->elements[i]);
    }
    return {recording_.sequence(Item::Kind::List, std::move(values))};
}

} // namespace htp
