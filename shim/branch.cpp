// Branches: taken where the condition is known, recorded with both sides where it is not.
#include "control.h"

#include <algorithm>

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
    if (check) {
        learn_size(*inputs[0], *check);
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
        for (Ref &output : result.outputs) {
            output = executor_.current(output, {});
        }
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
    merge_memories(all);
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

} // namespace htp
