// Branches: taken where the condition is known, recorded with both sides where it is not.
#include "control.h"

#include <algorithm>
#include <set>

namespace htp
{

bool Interpreter::is_decided(const Ref &condition) const
{
    return condition->kind == Item::Kind::Plain && condition->has_lanes && condition->is_constant &&
           !condition->is_data;
}

std::vector<Ref> Interpreter::do_if(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const std::optional<bool> check = find_check(node, inputs[0]);
    const auto kept = frame.shared_from_this();
    const Side side = [this, &node, kept, place](bool taken) {
        return run_block(*node.blocks()[taken ? 0 : 1], *kept, place);
    };
    if (!check && !is_decided(inputs[0]) && inputs[0]->kind == Item::Kind::Plain) {
        return branch(inputs[0], place, side);
    }
    return side(check ? *check : decide(inputs[0], place));
}

// Runs what becomes a block of its own. Whatever it changes is as before when it ends.
Interpreter::Block Interpreter::run_nested(const std::function<std::vector<Ref>()> &body)
{
    Block result;
    result.id = static_cast<uint32_t>(recording_.blocks.size());
    recording_.blocks.emplace_back();
    const uint32_t around = recording_.block;
    ListJournal journal = {recording_.items.size()};
    recording_.block = result.id;
    recording_.journals.push_back(&journal);
    attribute_journals_.emplace_back();
    executor_.begin_block(journal.first_item);
    std::exception_ptr failure;
    try {
        result.outputs = body();
        read_anew(journal);
    } catch (const Raised &) {
        result.raised = std::current_exception();
    } catch (...) {
        failure = std::current_exception();
    }
    recording_.journals.pop_back();
    recording_.block = around;
    result.memories = executor_.end_block();
    for (auto &[list, before] : journal.lists) {
        result.lists.emplace_back(list, contents_of(*list));
        recording_.restore(list, std::move(before));
    }
    result.attributes = restore_attributes();
    if (failure) {
        std::rethrow_exception(failure);
    }
    return result;
}

// What lists and attributes hold when a block ends is what their tensors are then.
void Interpreter::read_anew(const ListJournal &journal)
{
    for (size_t i = 0; i < journal.lists.size(); i++) {
        const Ref list = journal.lists[i].first;
        executor_.current(list, {});
    }
    for (const auto &[attribute, before] : attribute_journals_.back()) {
        Ref &value = attributes_.at(attribute);
        value = executor_.current(value, {});
    }
}

// Gives the attributes of objects the values that they had before the innermost block.
// @return those that it left
Interpreter::Attributes Interpreter::restore_attributes()
{
    const Attributes before = std::move(attribute_journals_.back());
    attribute_journals_.pop_back();
    Attributes after;
    for (const auto &[attribute, value] : before) {
        if (value) {
            after[attribute] = attributes_.at(attribute);
            attributes_[attribute] = value;
        } else {
            attributes_.erase(attribute); // of an object that the block made
        }
    }
    return after;
}

// Whether a condition that sizes alone decide is @p side in some lane.
bool Interpreter::is_taken(const Ref &condition, bool side) const
{
    bool is_taken = false;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        is_taken =
            is_taken || (condition->has_lanes && !condition->is_data &&
                         condition->lane[lane].isBool() && condition->lane[lane].toBool() == side);
    }
    return is_taken;
}

// @p first_local the first item of a call that ends with the branch: what it made is gone then
std::vector<Ref> Interpreter::branch(const Ref &condition, const Place &place, const Side &side,
                                     size_t first_local)
{
    const Mark mark = recording_.mark();
    std::string reason;
    try {
        const Block then = run_nested([&] { return side(true); });
        const Block otherwise = run_nested([&] { return side(false); });
        if (then.raised && otherwise.raised) {
            std::rethrow_exception(then.raised);
        }
        if (!then.raised && !otherwise.raised) {
            return join(condition, place, then, otherwise, first_local);
        }
        // A model that is exported does not raise: the other side is what it computes, unless sizes
        // that an axis may have raise.
        if (is_taken(condition, then.raised != nullptr)) {
            std::rethrow_exception(then.raised ? then.raised : otherwise.raised);
        }
        reason = then.raised ? "false" : "true";
    } catch (const Apart &apart) {
        recording_.discard(mark);
        throw Fork{condition, place, side, apart.what()};
    } catch (const Fork &fork) {
        recording_.discard(mark);
        throw Fork{condition, place, side, fork.reason};
    }
    recording_.discard(mark);
    return side(reason == "true");
}

// Goes on with @p next after a branch whose sides cannot meet: on each of them.
std::vector<Ref> Interpreter::resume(const Fork &fork, const Next &next, size_t first_local)
{
    if (forks_ == kMaxForks) {
        throw TooManyForks(fork.reason + ", " + recording_.describe(fork.place));
    }
    const Deeper deeper(forks_);
    const Side side = [this, fork, next, first_local](bool taken) {
        std::vector<Ref> outputs;
        try {
            outputs = fork.side(taken);
        } catch (const Fork &inner) {
            return resume(inner, next, first_local);
        }
        return next(outputs);
    };
    return branch(fork.condition, fork.place, side, first_local);
}

// What a value that is older than a block is when that ends.
Ref Interpreter::value_after(const Block &block, const Ref &value)
{
    if (!value->is_tensor()) {
        return value;
    }
    const auto found = block.memories.find(Executor::memory_of(value));
    if (found == block.memories.end()) {
        return executor_.current(value, {});
    }
    if (value->view) {
        throw Unsupported("a list holds a view of a tensor that is changed on one side of a "
                          "branch, or in a loop");
    }
    return found->second;
}

// What a list or dict held at the end of a block.
Contents Interpreter::contents_after(const Block &block, const Ref &list)
{
    const auto found = std::find_if(block.lists.begin(), block.lists.end(),
                                    [&](const auto &one) { return one.first == list; });
    if (found != block.lists.end()) {
        return found->second;
    }
    Contents contents = contents_of(*list);
    for (Ref &element : contents.elements) {
        element = value_after(block, element);
    }
    contents.stacked = contents.stacked ? value_after(block, contents.stacked) : nullptr;
    return contents;
}

// Notes what can be reached from a value at the end of a block.
void Interpreter::reach(Merge &all, const Block &block, const Ref &item)
{
    if (!all.reached.insert(item.get()).second) {
        return;
    }
    all.has_objects =
        all.has_objects || (item->kind == Item::Kind::Object && item->module == HTP_SHIM_NONE);
    if (item->is_container()) {
        for (const Ref &element : contents_after(block, item).elements) {
            reach(all, block, element);
        }
    }
}

void Interpreter::reach_all(Merge &all, const Block &block)
{
    for (const Ref &output : block.outputs) {
        reach(all, block, output);
    }
    for (const auto &[attribute, value] : block.attributes) {
        reach(all, block, value);
    }
    for (const auto &[list, contents] : block.lists) {
        if (list->birth < all.first_local) {
            reach(all, block, list);
        }
    }
}

// Records a branch whose sides have been run.
std::vector<Ref> Interpreter::join(const Ref &condition, const Place &place, const Block &then,
                                   const Block &otherwise, size_t first_local)
{
    Merge all = {then, otherwise, first_local};
    if (first_local != kAllLive) {
        reach_all(all, then);
        reach_all(all, otherwise);
    }
    std::vector<Ref> results;
    for (size_t i = 0; i < then.outputs.size(); i++) {
        results.push_back(merge(all, then.outputs[i], otherwise.outputs[i]));
    }
    const std::function<void()> apply = merge_states(all);
    recording_.blocks[then.id].outputs = all.then_ids;
    recording_.blocks[otherwise.id].outputs = all.else_ids;
    record_control("prim::If", {condition}, {"condition"}, all.outputs, {then.id, otherwise.id},
                   place);
    apply();
    return results;
}

uint32_t Interpreter::record_control(const char *kind, const std::vector<Ref> &inputs,
                                     const std::vector<std::string> &names,
                                     const std::vector<Ref> &outputs, std::vector<uint32_t> blocks,
                                     const Place &place)
{
    RecordedNode node;
    node.kind = kind;
    node.place = place;
    node.input_names = names;
    node.block = recording_.block;
    node.blocks = std::move(blocks);
    const auto index = static_cast<uint32_t>(recording_.nodes.size());
    for (const Ref &input : inputs) {
        input->is_used = true;
        node.inputs.push_back(input->id);
    }
    for (const Ref &output : outputs) {
        output->producer = index;
        node.outputs.push_back(output->id);
    }
    recording_.nodes.push_back(std::move(node));
    return index;
}

namespace
{

// The same value of the program, or equal constants.
bool is_same(const Ref &a, const Ref &b)
{
    if (a == b) {
        return true;
    }
    if (a->kind == Item::Kind::Object && b->kind == Item::Kind::Object) {
        return a->object == b->object;
    }
    if (a->kind != Item::Kind::Plain || b->kind != Item::Kind::Plain || !a->has_lanes ||
        !b->has_lanes || a->is_data || b->is_data) {
        return false;
    }
    const bool is_fixed = a->is_number() ? a->is_constant && b->is_constant : true;
    return is_fixed && a->lane[0].type()->kind() == b->lane[0].type()->kind() &&
           a->lane[0] == b->lane[0];
}

const char *const kDiffer = "the sides of a branch on the data give values of different kinds";
const char *const kLengths = "the sides of a branch on the data give lists of different lengths";

} // namespace

// An item of the same type, of which nothing more is known.
Ref Interpreter::like(const Item &model)
{
    if (model.is_tensor()) {
        Ref item = recording_.make(Item::Kind::Tensor);
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            const at::Tensor &tensor = model.tensor(lane);
            item->lane[lane] = keep_number(
                at::empty(tensor.sizes(), tensor.options().device(at::kMeta).requires_grad(false)),
                tensor);
        }
        item->is_data = model.is_data && !model.is_real;
        item->is_sequence = model.is_sequence;
        item->varying = model.varying;
        return item;
    }
    Ref item = recording_.plain(model.lane[0], false);
    if (model.lane[0].isInt()) {
        executor_.make_up(*item, "number");
    }
    item->has_lanes = item->is_data;
    return item;
}

// Whether a dim of two tensors has one size in every lane.
bool Interpreter::has_same_size(const Item &a, const Item &b, int64_t dim) const
{
    bool is_same = true;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        is_same = is_same && a.tensor(lane).size(dim) == b.tensor(lane).size(dim);
    }
    return is_same;
}

Ref Interpreter::merge_tensors(const Ref &a, const Ref &b)
{
    if (a->is_sequence != b->is_sequence) {
        throw Apart(kLengths);
    }
    if (a->tensor(0).dim() != b->tensor(0).dim() ||
        a->tensor(0).scalar_type() != b->tensor(0).scalar_type()) {
        throw Apart("the sides of a branch on the data give tensors of different ranks or dtypes");
    }
    Ref item = like(*a);
    item->is_data = item->is_data || (b->is_data && !b->is_real);
    for (int64_t dim = 0; dim < a->tensor(0).dim(); dim++) {
        if (!has_same_size(*a, *b, dim)) {
            resize(*item, dim, "If");
        }
    }
    return item;
}

// Gives a dim of a tensor a size that the data decides.
void Interpreter::resize(Item &item, int64_t dim, const char *name)
{
    const htp_shim_size size = recording_.new_size(name);
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<int64_t> sizes = item.tensor(lane).sizes().vec();
        sizes.at(static_cast<size_t>(dim)) = size.sizes[lane];
        item.lane[lane] = at::empty(sizes, item.tensor(lane).options());
    }
    item.is_data = true;
    if (item.is_sequence) {
        item.varying.insert(dim);
    }
}

// A list, tuple or dict on at least one side, where the other may have no value.
Ref Interpreter::merge_containers(Merge &all, const Ref &a, const Ref &b)
{
    const Contents first = contents_after(all.then, a);
    const Contents second = contents_after(all.otherwise, b);
    const Contents &shape = a->is_unset ? second : first;
    const bool is_alone = a->is_unset || b->is_unset;
    if (!is_alone && (a->kind != b->kind || first.elements.size() != second.elements.size() ||
                      !first.stacked != !second.stacked)) {
        throw Apart(kLengths);
    }
    std::vector<Ref> elements;
    for (size_t i = 0; i < shape.elements.size(); i++) {
        elements.push_back(
            merge(all, a->is_unset ? a : first.elements[i], b->is_unset ? b : second.elements[i]));
    }
    Ref merged = recording_.sequence(a->is_unset ? b->kind : a->kind, std::move(elements));
    merged->is_merged = true;
    merged->has_numbers = a->has_numbers || b->has_numbers;
    if (shape.stacked) {
        merged->stacked =
            merge(all, a->is_unset ? a : first.stacked, b->is_unset ? b : second.stacked);
    }
    all.frozen.insert(all.frozen.end(), {a, b});
    return merged;
}

// The value that is @p a after the first side and @p b after the second one.
Ref Interpreter::merge(Merge &all, const Ref &a, const Ref &b)
{
    if (is_same(a, b)) {
        return a;
    }
    if (Executor::is_same_memory(a, b)) {
        return recording_.items.at(Executor::memory_of(a)); // whose value is merged, too
    }
    return merge_apart(all, a, b);
}

// The same of two values that are not one.
Ref Interpreter::merge_apart(Merge &all, const Ref &a, const Ref &b)
{
    const bool is_list = (a->is_unset || a->is_container()) && (b->is_unset || b->is_container());
    if (is_list) {
        return merge_containers(all, a, b);
    }
    if (a->kind == Item::Kind::Unknown || b->kind == Item::Kind::Unknown) {
        return a->kind == Item::Kind::Unknown ? a : b;
    }
    Ref item;
    if (a->is_unset || b->is_unset) {
        const Item &other = a->is_unset ? *b : *a;
        if (!other.is_tensor() && !other.is_number()) {
            return a->is_unset ? b : a;
        }
        item = like(other);
    } else if (a->is_tensor() && b->is_tensor()) {
        item = merge_tensors(a, b);
    } else if (a->is_number() && b->is_number() &&
               a->lane[0].type()->kind() == b->lane[0].type()->kind()) {
        item = like(*a);
    } else {
        throw Apart(kDiffer);
    }
    for (const Ref &side : {a, b}) {
        if (item->is_tensor() && side->is_tensor()) {
            all.shared.emplace_back(item, side);
        }
    }
    all.then_ids.push_back(a->is_unset ? HTP_SHIM_NONE : a->id);
    all.else_ids.push_back(b->is_unset ? HTP_SHIM_NONE : b->id);
    all.outputs.push_back(item);
    return item;
}

// Attributes of objects that either side changed.
Interpreter::Attributes Interpreter::merge_attributes(Merge &all)
{
    Attributes attributes = all.then.attributes;
    attributes.insert(all.otherwise.attributes.begin(), all.otherwise.attributes.end());
    for (auto &[attribute, value] : attributes) {
        const auto after = [&, key = attribute](const Block &block) {
            const auto found = block.attributes.find(key);
            return found == block.attributes.end() ? value_after(block, attributes_.at(key))
                                                   : found->second;
        };
        value = merge(all, after(all.then), after(all.otherwise));
    }
    return attributes;
}

// Lists and dicts that either side changed.
std::vector<std::pair<Ref, Contents>> Interpreter::merge_lists(Merge &all)
{
    std::vector<std::pair<Ref, Contents>> changed = all.then.lists;
    for (const auto &one : all.otherwise.lists) {
        const bool is_new = std::none_of(changed.begin(), changed.end(), [&](const auto &other) {
            return other.first == one.first;
        });
        if (is_new) {
            changed.push_back(one);
        }
    }
    std::vector<std::pair<Ref, Contents>> lists;
    for (const auto &[list, contents] : changed) {
        const bool is_gone = list->birth >= all.first_local && !all.has_objects &&
                             all.reached.count(list.get()) == 0;
        if (!is_gone) {
            lists.emplace_back(list, merge_contents(all, list, contents_after(all.then, list),
                                                    contents_after(all.otherwise, list)));
        }
    }
    return lists;
}

Contents Interpreter::merge_contents(Merge &all, const Ref &list, const Contents &a,
                                     const Contents &b)
{
    const bool is_sequence = a.stacked && b.stacked && a.stacked->is_sequence;
    if (a.elements.size() != b.elements.size() || !a.stacked != !b.stacked ||
        (a.stacked && a.stacked->is_sequence != b.stacked->is_sequence)) {
        if (list->kind == Item::Kind::List && !loops_.empty() && list->birth < loops_.back()) {
            const bool is_first = a.elements.size() > b.elements.size() || is_sequence;
            throw Growth{list, rows_of(is_first ? a : b)};
        }
        throw Apart(kLengths);
    }
    Contents merged;
    for (size_t i = 0; i < a.elements.size(); i++) {
        merged.elements.push_back(merge(all, a.elements[i], b.elements[i]));
    }
    merged.stacked = a.stacked ? merge(all, a.stacked, b.stacked) : nullptr;
    return merged;
}

// What either side changed: memory, lists, attributes. @return what makes the merged ones current.
std::function<void()> Interpreter::merge_states(Merge &all)
{
    Executor::Memories memories = all.then.memories;
    memories.insert(all.otherwise.memories.begin(), all.otherwise.memories.end());
    for (auto &[first, value] : memories) {
        const auto after = [&, key = first](const Block &block) {
            const auto found = block.memories.find(key);
            return found == block.memories.end() ? executor_.held(key) : found->second;
        };
        const Ref first_side = after(all.then);
        const Ref second_side = after(all.otherwise);
        value = first_side == second_side ? first_side : merge_apart(all, first_side, second_side);
    }
    const auto lists = merge_lists(all);
    const Attributes attributes = merge_attributes(all);
    return [this, memories, lists, attributes, frozen = all.frozen, shared = all.shared] {
        for (const auto &[first, value] : memories) {
            executor_.hold(first, value);
        }
        for (const auto &[tensor, side] : shared) {
            executor_.note_sharing(tensor, Executor::memory_of(side));
        }
        for (const auto &[list, contents] : lists) {
            recording_.fill(list, contents);
        }
        for (const auto &[attribute, value] : attributes) {
            set_attribute(attribute, value);
        }
        for (const Ref &list : frozen) {
            list->is_merged = list->is_merged || list->kind != Item::Kind::Tuple;
        }
    };
}

} // namespace htp
