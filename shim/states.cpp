// Attributes that a call of the method changes: what it finds in them, and what it leaves.
#include "interpreter.h"

#include <algorithm>
#include <tuple>

namespace htp
{

namespace
{

// Whether two values are the same one, or constants with the same contents.
bool is_equal(const Ref &a, const Ref &b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind) {
        return false;
    }
    if (a->is_container()) {
        return !a->stacked && !b->stacked &&
               std::equal(a->elements.begin(), a->elements.end(), b->elements.begin(),
                          b->elements.end(), is_equal);
    }
    if (a->is_tensor()) {
        return a->is_constant && b->is_constant && a->is_real && b->is_real &&
               a->tensor(0).scalar_type() == b->tensor(0).scalar_type() &&
               a->tensor(0).sizes() == b->tensor(0).sizes() && a->contents == b->contents;
    }
    if (a->kind == Item::Kind::Object) {
        return a->object == b->object;
    }
    return a->kind == Item::Kind::Plain && a->is_constant && b->is_constant &&
           a->lane[0].type()->kind() == b->lane[0].type()->kind() && a->lane[0] == b->lane[0];
}

template <typename Visit> void for_each_part(const Ref &item, Visit visit)
{
    visit(item);
    for (const Ref &element : item->elements) {
        for_each_part(element, visit);
    }
}

// Containers as they are now, which may change under way.
Ref snapshot_of(Recording &recording, const Ref &item)
{
    if (!item->is_container()) {
        return item;
    }
    std::vector<Ref> elements;
    for (const Ref &element : item->elements) {
        elements.push_back(snapshot_of(recording, element));
    }
    return recording.sequence(item->kind, std::move(elements));
}

std::string name_of(const std::string &holder, const c10::ivalue::Object &object, size_t slot)
{
    return holder + (holder.empty() ? "" : ".") + object.type()->getAttributeName(slot);
}

} // namespace

// The object's place in the archive; nullptr for one that the call made.
const Holder *Interpreter::holder_of(const c10::intrusive_ptr<c10::ivalue::Object> &object)
{
    const auto known = holders_.find(object.get());
    if (known != holders_.end()) {
        return &known->second;
    }
    const uint32_t module = recording_.model.module_of(object.get());
    if (module == HTP_SHIM_NONE) {
        return nullptr;
    }
    const Holder holder = {object, module, recording_.model.modules[module].path};
    return &holders_.emplace(object.get(), holder).first->second;
}

// Objects within an attribute of the archive, and whose memory its tensors are.
void Interpreter::note_holders(const Holder &holder, const std::string &name,
                               const c10::IValue &value)
{
    if (value.isObject()) {
        holders_.emplace(value.toObject().get(), Holder{value.toObject(), holder.module, name});
    } else if (value.isTensor() && value.toTensor().defined()) {
        storages_[storage_identity(value.toTensor())].insert(name);
    } else if (value.isList()) {
        for (size_t i = 0; i < value.toListRef().size(); i++) {
            note_holders(holder, name + "." + std::to_string(i), value.toListRef()[i]);
        }
    } else if (value.isTuple()) {
        const auto &elements = value.toTupleRef().elements();
        for (size_t i = 0; i < elements.size(); i++) {
            note_holders(holder, name + "." + std::to_string(i), elements[i]);
        }
    } else if (value.isGenericDict()) {
        size_t i = 0;
        for (const auto &entry : value.toGenericDict()) {
            note_holders(holder, name + "." + std::to_string(i++), entry.value());
        }
    }
}

// What an attribute is in the archive.
Ref Interpreter::loaded(const Attribute &attribute)
{
    const uint32_t weight = recording_.model.weight_of(attribute.first, attribute.second);
    return weight != HTP_SHIM_NONE
               ? recording_.weight(weight)
               : recording_.constant(attribute.first->getSlot(attribute.second));
}

// What an attribute holds, which the call may change from now on.
Ref Interpreter::load(const Holder &holder, size_t slot)
{
    const Attribute attribute = {holder.object.get(), slot};
    const Ref item = loaded(attribute);
    note_holders(holder, name_of(holder.path, *holder.object, slot), holder.object->getSlot(slot));
    const bool is_late = !attribute_journals_.empty();
    for_each_part(item, [&](const Ref &part) {
        part->is_late = part->is_late || is_late;
        recording_.let_change(*part);
    });
    if (is_late) {
        late_.emplace(attribute, holder);
    }
    before_[attribute] = snapshot_of(recording_, item);
    attributes_[attribute] = item;
    return item;
}

std::vector<Ref> Interpreter::do_get_attr(const Node &node, std::vector<Ref> &inputs, Frame &)
{
    const Ref &self = inputs[0];
    if (self->kind != Item::Kind::Object) {
        throw Unsupported("an attribute is read from something that is no object");
    }
    const size_t slot = self->object->type()->getAttributeSlot(node.s(c10::attr::name));
    const auto known = attributes_.find({self->object.get(), slot});
    if (known != attributes_.end()) {
        return {known->second};
    }
    const Holder *holder = holder_of(self->object);
    if (holder == nullptr) {
        return {attributes_[{self->object.get(), slot}] =
                    recording_.constant(self->object->getSlot(slot))};
    }
    return {load(*holder, slot)};
}

std::vector<Ref> Interpreter::do_set_attr(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref &self = inputs[0];
    const size_t slot = self->object->type()->getAttributeSlot(node.s(c10::attr::name));
    const Attribute attribute = {self->object.get(), slot};
    const Holder *holder = attributes_.count(attribute) == 0 ? holder_of(self->object) : nullptr;
    if (holder != nullptr) {
        load(*holder, slot); // which another side of a branch keeps
    } else if (attributes_.count(attribute) == 0 && made_.count(attribute.first) == 0) {
        throw Unsupported("an object that no attribute of a module holds is changed, " +
                          recording_.describe(place_of(node, frame.scope)));
    }
    set_attribute(attribute, inputs[1]);
    return {};
}

void Interpreter::set_attribute(const Attribute &attribute, const Ref &value)
{
    const auto known = attributes_.find(attribute);
    if (!attribute_journals_.empty()) {
        attribute_journals_.back().emplace(attribute,
                                           known == attributes_.end() ? nullptr : known->second);
    }
    attributes_[attribute] = value;
}

void Interpreter::load_early(const Holders &attributes)
{
    for (const auto &[attribute, holder] : attributes) {
        if (attributes_.count(attribute) == 0) {
            holders_.emplace(attribute.first, holder);
            load(holder, attribute.second);
        }
    }
}

// ---- what a later call finds ----

void Interpreter::begin_states(const CarriedStates &carried, const Place &place)
{
    for (const auto &[name, state] : carried) {
        const Attribute attribute = {state.holder.object.get(), state.slot};
        holders_.emplace(attribute.first, state.holder);
        note_holders(state.holder, name, state.holder.object->getSlot(state.slot));
        size_t next = 0;
        const Ref item = carried_part(state.left, name, state.parts, next, place);
        if (next != state.parts.size()) {
            throw std::runtime_error("a state has other parts than were said");
        }
        before_[attribute] = snapshot_of(recording_, item);
        attributes_[attribute] = item;
    }
}

Ref Interpreter::carried_part(const StateImage &left, const std::string &name,
                              const std::vector<htp_shim_carry> &parts, size_t &next,
                              const Place &place)
{
    if (left.kind == Item::Kind::List || left.kind == Item::Kind::Tuple ||
        left.kind == Item::Kind::Dict) {
        std::vector<Ref> elements;
        for (size_t i = 0; i < left.parts.size(); i++) {
            const bool is_key = left.kind == Item::Kind::Dict && i % 2 == 0;
            elements.push_back(is_key ? recording_.plain(left.parts[i].lane[0])
                                      : carried_part(left.parts[i], name + "." + std::to_string(i),
                                                     parts, next, place));
        }
        return recording_.sequence(left.kind, std::move(elements));
    }
    if (next == parts.size()) {
        throw std::runtime_error("a state has more parts than were said");
    }
    const htp_shim_carry &carry = parts[next++];
    if (left.kind == Item::Kind::Tensor) {
        return carried_tensor(left, name, carry);
    }
    return carry.is_input ? open_number(left, name) : carried_number(left, name, place);
}

Ref Interpreter::carried_tensor(const StateImage &left, const std::string &name,
                                const htp_shim_carry &carry)
{
    Ref item = recording_.make(Item::Kind::Tensor);
    item->name = name;
    std::array<std::vector<int64_t>, HTP_SHIM_MAX_LANES> sizes = left.sizes;
    for (size_t dim = 0; dim < sizes[0].size() && dim < HTP_SHIM_MAX_RANK; dim++) {
        const uint32_t number = carry.open_dims[dim];
        if (number == 0) {
            continue;
        }
        if (open_sizes_.count(number) == 0) {
            open_sizes_.emplace(number, recording_.new_size(name));
        }
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            sizes[lane][dim] = open_sizes_.at(number).sizes[lane];
        }
        item->is_data = true;
    }
    const auto options = at::device(at::kMeta).dtype(left.dtype);
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        item->lane[lane] = at::empty(sizes[lane], options);
    }
    item->is_carried = !item->is_data;
    settle_empty(*item, recording_.lane_count);
    if (left.is_shared) {
        recording_.note_state(*item); // nobody may change it in place
    }
    return item;
}

// A number that each call is given.
Ref Interpreter::open_number(const StateImage &left, const std::string &name)
{
    Ref item = recording_.plain(left.lane[0], false);
    item->name = name;
    if (left.lane[0].isInt()) {
        executor_.make_up(*item, name);
    } else if (left.lane[0].isDouble() || left.lane[0].isBool()) {
        item->has_lanes = false;
    } else {
        throw Unsupported("the attribute \"" + name +
                          "\", which the next call reads, is sometimes None or a string");
    }
    return item;
}

// A number or string that is known; one that follows sizes is read from an input that has them.
Ref Interpreter::carried_number(const StateImage &left, const std::string &name, const Place &place)
{
    if (left.is_constant) {
        return recording_.plain(left.lane[0]);
    }
    for (const Ref &argument : arguments_) {
        for (int64_t dim = 0; argument->is_tensor() && dim < argument->tensor(0).dim(); dim++) {
            bool is_equal = left.is_known && left.lane[0].isInt();
            for (uint32_t lane = 0; lane < recording_.lane_count && is_equal; lane++) {
                is_equal = left.lane[lane].toInt() == argument->tensor(lane).size(dim);
            }
            if (is_equal) {
                const Ref size = executor_.run_named("aten::size", "int",
                                                     {argument, recording_.plain(dim)}, place);
                size->is_carried = true;
                return size;
            }
        }
    }
    throw Unsupported("the attribute \"" + name +
                      "\", which the next call reads, follows from the sizes of dynamic axes; give "
                      "these fixed sizes");
}

// ---- what it leaves ----

namespace
{

StateImage image_of(const Item &item, const std::string &name, uint32_t lane_count)
{
    StateImage image;
    image.kind = item.kind;
    image.is_constant = item.is_constant;
    image.is_known = item.has_lanes && !item.is_data;
    if (item.kind == Item::Kind::Object || item.stacked || item.is_sequence || item.quantization) {
        throw Unsupported("the attribute \"" + name + "\", which the next call reads, " +
                          (item.kind == Item::Kind::Object ? "is given another object"
                           : item.quantization             ? "is quantised"
                                               : "is a list whose length the data decides"));
    }
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        if (item.is_tensor()) {
            image.dtype = item.tensor(0).scalar_type();
            image.sizes[lane] = item.tensor(lane).sizes().vec();
        } else {
            image.lane[lane] = item.lane[lane];
        }
    }
    for (const Ref &element : item.elements) {
        image.parts.push_back(image_of(*element, name, lane_count));
    }
    return image;
}

bool is_archived_in(const StateImage &image)
{
    return image.is_archived || std::any_of(image.parts.begin(), image.parts.end(), is_archived_in);
}

template <typename Visit> void for_each_tensor(const Ref &item, StateImage &image, Visit visit)
{
    if (item->is_tensor()) {
        visit(item, image);
    }
    for (size_t i = 0; i < item->elements.size(); i++) {
        for_each_tensor(item->elements[i], image.parts[i], visit);
    }
}

} // namespace

// Notes which of the tensors that attributes hold at the end are one memory.
void Interpreter::note_shared(std::vector<RecordedState> &states)
{
    std::vector<uint32_t> memories;
    for (const auto &[attribute, value] : attributes_) {
        if (holders_.count(attribute.first) == 0) {
            continue;
        }
        for_each_part(value, [&](const Ref &part) {
            if (part->is_tensor()) {
                memories.push_back(Executor::memory_of(part));
            }
        });
    }
    const Executor::Groups groups = executor_.group(memories);
    std::map<uint32_t, size_t> holders; // by memory: attributes that have it, or one of its group
    for (size_t i = 0; i < memories.size(); i++) {
        for (const uint32_t member : groups.members[groups.of[i]]) {
            holders[member]++;
        }
    }
    for (RecordedState &state : states) {
        for_each_tensor(state.after, state.left, [&](const Ref &part, StateImage &image) {
            image.is_shared = holders[Executor::memory_of(part)] > 1;
        });
    }
}

// Refuses a change in place of what the archive holds under two names.
void Interpreter::note_archived(RecordedState &state, const CarriedState *carried) const
{
    std::set<uint32_t> before;
    for_each_part(state.before, [&](const Ref &part) {
        if (part->is_tensor()) {
            before.insert(Executor::memory_of(part));
        }
    });
    bool is_archived = false;
    for_each_tensor(state.after, state.left, [&](const Ref &part, StateImage &image) {
        const bool is_same = before.count(Executor::memory_of(part)) != 0;
        image.is_archived = is_same && (carried == nullptr || is_archived_in(carried->left));
        is_archived = is_archived || image.is_archived;
    });
    const auto is_named = [&](const std::set<std::string> &names) {
        return names.size() > 1 && std::any_of(names.begin(), names.end(), [&](const auto &name) {
                   return name == state.name ||
                          name.compare(0, state.name.size() + 1, state.name + ".") == 0;
               });
    };
    for (const auto &[storage, names] : storages_) {
        if (is_archived && is_named(names)) {
            throw Unsupported(recording_.model.method + "() changes the attribute \"" + state.name +
                              "\" in place, and another attribute shares its memory");
        }
    }
}

std::vector<RecordedState> Interpreter::states(const CarriedStates &carried)
{
    const Place place; // the root's
    std::vector<RecordedState> states;
    for (auto &[attribute, value] : attributes_) {
        const auto holder = holders_.find(attribute.first);
        if (holder == holders_.end()) {
            continue;
        }
        value = executor_.current(value, place);
        const Ref &before = before_.at(attribute);
        const std::string name = name_of(holder->second.path, *attribute.first, attribute.second);
        const auto known = carried.find(name);
        if (known == carried.end() && is_equal(before, value)) {
            continue;
        }
        states.push_back({name, holder->second, attribute.second,
                          known == carried.end() ? before : loaded(attribute), before,
                          snapshot_of(recording_, value),
                          image_of(*value, name, recording_.lane_count)});
    }
    for (RecordedState &state : states) {
        const auto known = carried.find(state.name);
        note_archived(state, known == carried.end() ? nullptr : &known->second);
    }
    if (!states.empty()) {
        note_shared(states);
    }
    std::sort(states.begin(), states.end(), [](const RecordedState &a, const RecordedState &b) {
        return std::tie(a.holder.module, a.slot, a.name) <
               std::tie(b.holder.module, b.slot, b.name);
    });
    return states;
}

} // namespace htp
