// Tensors that are changed in place, and who else sees it.
#include "execute.h"

#include "operator_facts.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace htp
{

namespace
{

constexpr size_t kMaxViews = 10000;

template <typename Visit> void for_each_tensor(const Ref &item, Visit visit)
{
    if (item->is_tensor()) {
        visit(item);
    }
    for (const Ref &element : item->elements) {
        for_each_tensor(element, visit);
    }
}

// The inputs that an operator changes in place.
std::vector<Ref> changed_inputs(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs)
{
    std::vector<Ref> changed;
    for (size_t i = 0; i < schema.arguments().size() && i < inputs.size(); i++) {
        if (is_written(schema.arguments()[i])) {
            changed.push_back(inputs[i]);
        }
    }
    return changed;
}

// The first value of the memory that a tensor looks at.
const Item *first_value(const Ref &tensor)
{
    const Item *item = tensor.get();
    while (item->view) {
        item = item->view->parent.get();
    }
    return item->origin ? item->origin.get() : item;
}

} // namespace

bool is_written(const c10::Argument &argument)
{
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

namespace
{

// Whether a slice up to a number shows all of its parent, at the sizes that are tried.
bool cuts_nothing(const View &view, const Item &seen, uint32_t lane_count)
{
    if (view.name.name != "aten::slice" || view.inputs.size() < 4 ||
        !view.inputs[3]->lane[0].isInt()) {
        return false;
    }
    const int64_t end = view.inputs[3]->lane[0].toInt();
    bool cuts_nothing = end > 0 && end != std::numeric_limits<int64_t>::max();
    for (uint32_t lane = 0; lane < lane_count && cuts_nothing; lane++) {
        cuts_nothing = view.inputs[3]->lane[lane].toInt() == end &&
                       seen.tensor(lane).sizes() == view.parent->tensor(lane).sizes();
    }
    return cuts_nothing;
}

} // namespace

// Whether an operator gives a tensor itself, of which there may be a part only at other sizes,
// which would be copied. What is being written back is its parent's parent for a while: depths end
// that.
bool Executor::is_whole_by_chance(const Call &call, const Ref &input) const
{
    if (recording_.lane_count == 1 || !has_fact(call.schema.name(), HTP_FACT_VIEW_OR_COPY)) {
        return false;
    }
    bool is_by_chance = false;
    const Item *item = input.get();
    for (size_t left = item->view ? item->view->depth : 0; left > 0 && item->view; left--) {
        is_by_chance = is_by_chance || cuts_nothing(*item->view, *item, recording_.lane_count);
        item = item->view->parent.get();
    }
    return is_by_chance;
}

// An operator may give its input's memory for some sizes and a copy for others (contiguous(),
// reshape()), or that of a tensor in a list: what then changes the one may change the other.
void Executor::note_view(const Call &call, const Ref &tensor, size_t output, size_t element)
{
    for (size_t i = 0; i < call.inputs.size(); i++) {
        uint32_t shared = 0;
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            const auto &given = call.storages[lane][i];
            const void *storage = storage_identity(tensor->tensor(lane));
            shared += std::count(given.begin(), given.end(), storage) != 0 ? 1 : 0;
        }
        const Ref &input = call.inputs[i];
        const bool is_view = input->is_tensor() && shared == recording_.lane_count;
        if (is_view && !is_whole_by_chance(call, input)) {
            const size_t depth = input->view ? input->view->depth + 1 : 1;
            if (depth > kMaxViews) {
                throw Unsupported("views of views are nested too deeply");
            }
            tensor->view = std::make_shared<View>(
                View{input, call.schema.operator_name(), call.inputs, depth, i, output, element});
            return;
        }
        if (shared != 0 ||
            (i == 0 && has_fact(call.schema.name(), HTP_FACT_VIEW_OR_COPY) && input->is_data)) {
            for_each_tensor(input, [&](const Ref &held) { note_sharing(tensor, memory_of(held)); });
        }
    }
}

void Executor::note_views(const Call &call, const std::vector<Ref> &outputs)
{
    const auto &arguments = call.schema.arguments();
    if (call.storages.size() != recording_.lane_count ||
        std::any_of(arguments.begin(), arguments.end(), is_written)) {
        return;
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        if (outputs[i]->is_tensor()) {
            note_view(call, outputs[i], i, std::string::npos);
        }
        for (size_t k = 0; k < outputs[i]->elements.size(); k++) {
            if (outputs[i]->elements[k]->is_tensor()) {
                note_view(call, outputs[i]->elements[k], i, k);
            }
        }
    }
}

// What a call leaves behind for the next would be lost, but for what attributes hold.
void Executor::refuse_lasting_changes(const c10::FunctionSchema &schema,
                                      const std::vector<Ref> &inputs, const Place &place)
{
    for (const Ref &input : changed_inputs(schema, inputs)) {
        if (!input->elements.empty()) {
            throw Unsupported(node_kind(schema) + " changes tensors of a list in place, " +
                              recording_.describe(place));
        }
        if (!input->is_tensor()) {
            continue;
        }
        if (recording_.is_state(storage_identity(input->tensor(0)))) {
            throw Unsupported(node_kind(schema) +
                              " changes a constant of the code, or a tensor that several "
                              "attributes hold, which the next call would read, " +
                              recording_.describe(place));
        }
        if (first_value(input)->is_late) {
            throw NeedsEarlier();
        }
    }
}

// A tensor that was changed in place: its memory has a new value from now on.
void Executor::note_changes(const Call &call, const std::vector<Ref> &outputs)
{
    for (const Ref &input : changed_inputs(call.schema, call.inputs)) {
        if (!input->is_tensor()) {
            continue;
        }
        const auto is_output = [&](const Ref &output) { return has_same_geometry(output, input); };
        const auto output = std::find_if(outputs.begin(), outputs.end(), is_output);
        if (output == outputs.end()) {
            throw Unsupported("it changes the sizes or strides of a tensor in place");
        }
        recording_.epoch++;
        write_back(input, *output, call.place);
        lose_sharers(input, call);
    }
}

uint32_t Executor::memory_of(const Ref &tensor)
{
    return first_value(tensor)->birth;
}

void Executor::note_sharing(const Ref &tensor, uint32_t first)
{
    const uint32_t own = memory_of(tensor);
    if (own != first) {
        shares_[own].push_back(first);
        shares_[first].push_back(own);
    }
}

Executor::Groups Executor::group(const std::vector<uint32_t> &memories) const
{
    Groups groups;
    std::unordered_map<uint32_t, size_t> known;
    for (const uint32_t first : memories) {
        const size_t next = groups.members.size();
        if (known.emplace(first, next).second) {
            std::vector<uint32_t> &members = groups.members.emplace_back(1, first);
            for (size_t i = 0; i < members.size(); i++) {
                const auto shared = shares_.find(members[i]);
                for (size_t k = 0; shared != shares_.end() && k < shared->second.size(); k++) {
                    if (known.emplace(shared->second[k], next).second) {
                        members.push_back(shared->second[k]);
                    }
                }
            }
        }
        groups.of.push_back(known.at(first));
    }
    return groups;
}

// A memory was changed: so were all that may be the same one, in some runs of the model.
void Executor::lose_sharers(const Ref &changed, const Call &call)
{
    const uint32_t own = memory_of(changed);
    const std::vector<uint32_t> members = group({own}).members[0];
    for (const uint32_t other : members) {
        const Ref &item = recording_.items.at(other);
        if (other == own) {
            continue;
        }
        if (item->is_tensor() && recording_.is_state(storage_identity(item->tensor(0)))) {
            throw Unsupported("it may change a constant of the code, or a tensor that several "
                              "attributes hold, which the next call would read");
        }
        if (item->is_late) {
            throw NeedsEarlier();
        }
        lose(other, node_kind(call.schema), call.place);
    }
}

// From @p kind on nobody knows what a memory holds.
void Executor::lose(uint32_t first, const std::string &kind, const Place &place)
{
    const Ref unknown = recording_.make(Item::Kind::Unknown);
    unknown->producer = static_cast<uint32_t>(recording_.nodes.size());
    RecordedNode node = {
        kind,
        {},
        {},
        {unknown->id},
        place,
        "what it changes is read under another name, which shares its memory on "
        "one side of a branch, in some iterations of a loop, or for some sizes, only"};
    node.block = recording_.block;
    recording_.nodes.push_back(std::move(node));
    change(recording_.items.at(first).get(), {++recording_.epoch, unknown});
}

// Nobody knows what is in a tensor after a change that could not be told.
void Executor::note_failed_changes(const Call &call, uint32_t node)
{
    for (const Ref &input : changed_inputs(call.schema, call.inputs)) {
        if (input->is_tensor()) {
            const Ref unknown = recording_.make(Item::Kind::Unknown);
            unknown->producer = node;
            change(first_value(input), {++recording_.epoch, unknown});
        } else if (input->kind == Item::Kind::Unknown) {
            lose_behind(input, call);
        }
    }
}

// What nobody could tell may be a view of what it was made of.
void Executor::lose_behind(const Ref &unknown, const Call &call)
{
    std::unordered_set<uint32_t> seen = {unknown->id};
    std::vector<uint32_t> ids = {unknown->id};
    while (!ids.empty()) {
        const Ref item = recording_.items.at(ids.back());
        ids.pop_back();
        if (unknown_views_.count(item->producer) != 0) {
            for (const uint32_t id : recording_.nodes[item->producer].inputs) {
                if (seen.insert(id).second) {
                    ids.push_back(id);
                }
            }
        }
        for_each_tensor(item, [&](const Ref &held_then) {
            const uint32_t first = memory_of(held_then);
            if (held(first)->kind != Item::Kind::Unknown) {
                lose(first, node_kind(call.schema), call.place);
            }
        });
    }
}

// Gives the memory that @p written looks at its new value, of which @p value is the part that
// @p written looks at.
void Executor::write_back(const Ref &written, Ref value, const Place &place)
{
    const Item *const first = first_value(written);
    Ref item = written;
    while (item->view && value->kind != Item::Kind::Unknown) {
        const View &view = *item->view;
        if (!is_whole(item)) {
            const Ref parent = put_back(view, item, value, place);
            auto renewed = std::make_shared<View>(view);
            renewed->parent = parent;
            renewed->inputs[view.input] = parent;
            value->view = renewed;
            value->epoch = recording_.epoch;
            value = parent;
        }
        item = view.parent;
    }
    value->view = nullptr;
    value->origin = item->origin ? item->origin : item;
    value->epoch = recording_.epoch;
    change(first, {recording_.epoch, value});
}

void Executor::change(const Item *first, const Change &change)
{
    if (!journals_.empty()) {
        const auto found = changes_.find(first);
        journals_.back().before.emplace_back(
            first, found == changes_.end() ? std::nullopt : std::optional<Change>(found->second));
    }
    changes_[first] = change;
}

void Executor::refresh(const Item *item, const Ref &seen)
{
    if (!journals_.empty()) {
        journals_.back().refreshed.push_back(item);
    }
    refreshed_[item] = seen;
}

void Executor::begin_block(size_t first_item)
{
    journals_.push_back({first_item});
}

Executor::Memories Executor::end_block()
{
    const Journal journal = std::move(journals_.back());
    journals_.pop_back();
    Memories memories;
    for (const auto &[first, before] : journal.before) {
        if (first->birth < journal.first_item) {
            memories[first->birth] = changes_.at(first).latest;
        }
    }
    for (size_t i = journal.before.size(); i-- > 0;) {
        const auto &[first, before] = journal.before[i];
        if (before) {
            changes_[first] = *before;
        } else {
            changes_.erase(first);
        }
    }
    for (const Item *item : journal.refreshed) {
        refreshed_.erase(item);
    }
    return memories;
}

Ref Executor::held(uint32_t first) const
{
    const Ref &item = recording_.items.at(first);
    const auto found = changes_.find(item.get());
    return found == changes_.end() ? item : found->second.latest;
}

void Executor::hold(uint32_t first, const Ref &value)
{
    const Ref &item = recording_.items.at(first);
    value->view = nullptr;
    value->origin = item;
    value->epoch = ++recording_.epoch;
    change(item.get(), {value->epoch, value});
}

bool Executor::is_same_memory(const Ref &a, const Ref &b)
{
    return a->is_tensor() && b->is_tensor() && !a->view && !b->view &&
           first_value(a) == first_value(b);
}

Ref Executor::current(const Ref &item, const Place &place)
{
    if (changes_.empty()) {
        return item;
    }
    if (item->is_container()) {
        for (size_t i = 0; i < item->elements.size(); i++) {
            const Ref element = current(item->elements[i], place);
            if (element != item->elements[i]) {
                recording_.before_change(item);
                item->elements[i] = element;
            }
        }
        const Ref stacked = item->stacked ? current(item->stacked, place) : nullptr;
        if (stacked != item->stacked) {
            recording_.before_change(item);
            item->stacked = stacked;
        }
        return item;
    }
    if (!item->is_tensor()) {
        return item;
    }
    const auto found = changes_.find(first_value(item));
    if (found == changes_.end() || found->second.epoch <= item->epoch) {
        return item;
    }
    const Change newest = found->second;
    if (!item->view || newest.latest->kind == Item::Kind::Unknown) {
        return newest.latest;
    }
    const Ref known = refreshed_[item.get()];
    if (known && known->epoch >= newest.epoch) {
        return known;
    }
    const Ref parent = current(item->view->parent, place);
    const Ref seen = is_whole(item) ? parent : look_again(*item->view, parent, place);
    refresh(item.get(), seen);
    return seen;
}

} // namespace htp
