// Dicts: their keys are known, but for one that is looked up.
#include "control.h"

#include <ATen/ATen.h>

namespace htp
{

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

// What is found for a key; for one that only a run knows, by its position among the known ones. One
// that is none of them is behind the last value, where a run finds nothing, either.
Ref Interpreter::value_of_key(const Ref &dict, const Ref &key, const Place &place)
{
    const Ref values = values_of(dict);
    if (!is_looked_up(values, key)) {
        const size_t found = find_key(dict, key);
        if (found == dict->elements.size()) {
            throw BadInputs("a key is not in its dict, " + recording_.describe(place));
        }
        return dict->elements[found];
    }
    const auto count = static_cast<int64_t>(values->elements.size());
    std::vector<int64_t> steps;
    for (int64_t i = 0; i < count; i++) {
        steps.push_back(i - count);
    }
    const Ref is_found = matches(dict, key, place);
    const Ref from_end = executor_.run_named(
        "aten::mul", "Tensor", {is_found, recording_.constant(at::tensor(steps))}, place);
    const Ref sum =
        executor_.run_named("aten::sum", "", {from_end, recording_.plain(c10::IValue())}, place);
    const Ref number = executor_.run_named("aten::Int", "Tensor", {sum}, place);
    return look_up(
        values, executor_.run_named("aten::add", "int", {number, recording_.plain(count)}, place),
        place);
}

// Of a dict with numbers as keys: which one is @p key, as a tensor.
Ref Interpreter::matches(const Ref &dict, const Ref &key, const Place &place)
{
    std::vector<Ref> keys;
    for (size_t i = 0; i + 1 < dict->elements.size(); i += 2) {
        keys.push_back(dict->elements[i]);
    }
    const bool is_int = keys[0]->lane[0].isInt();
    const auto count = static_cast<int64_t>(keys.size());
    at::Tensor all = at::empty({count}, is_int ? at::kLong : at::kDouble);
    for (int64_t i = 0; i < count; i++) {
        all[i] = keys[static_cast<size_t>(i)]->lane[0].toScalar();
    }
    return executor_.run_named("aten::eq", "Scalar", {recording_.constant(all), key}, place);
}

Ref Interpreter::values_of(const Ref &dict)
{
    std::vector<Ref> values;
    for (size_t i = 1; i < dict->elements.size(); i += 2) {
        values.push_back(dict->elements[i]);
    }
    return recording_.sequence(Item::Kind::List, std::move(values));
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

std::vector<Ref> Interpreter::do_items(const Node &, std::vector<Ref> &inputs, Frame &)
{
    const std::vector<Ref> &all = inputs[0]->elements;
    std::vector<Ref> pairs;
    for (size_t i = 0; i + 1 < all.size(); i += 2) {
        pairs.push_back(recording_.sequence(Item::Kind::Tuple, {all[i], all[i + 1]}));
    }
    return {recording_.sequence(Item::Kind::List, std::move(pairs))};
}

// dict() of nothing, of a list of pairs, where the last one of a key counts, or of a dict.
std::vector<Ref> Interpreter::do_make_dict(const Node &, std::vector<Ref> &inputs, Frame &)
{
    Ref made = recording_.sequence(Item::Kind::Dict, {});
    if (inputs.empty()) {
        return {made};
    }
    if (inputs[0]->kind == Item::Kind::Dict) {
        made->elements = inputs[0]->elements;
        return {made};
    }
    for (const Ref &pair : known_elements(inputs[0])) {
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

std::vector<Ref> Interpreter::do_contains(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref &self = inputs[0];
    const Place place = place_of(node, frame.scope);
    if (self->kind != Item::Kind::Dict) {
        return executor_.run(node, inputs, place);
    }
    if (is_looked_up(self, inputs[1])) {
        const Ref any =
            executor_.run_named("aten::any", "", {matches(self, inputs[1], place)}, place);
        return {executor_.run_named("aten::Bool", "Tensor", {any}, place)};
    }
    return {recording_.plain(find_key(self, inputs[1]) != self->elements.size())};
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
    return {values_of(inputs[0])};
}

} // namespace htp
