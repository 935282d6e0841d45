// Who else holds the memory of what a loop carries, and of what a list holds.
#include "control.h"

#include "causes.h"

namespace htp
{

// A list holds tensors, not copies of them: what changes the one in place changes the other.
void Interpreter::share_memory(const Ref &stack, const std::vector<Ref> &parts)
{
    for (const Ref &part : parts) {
        if (stack->is_tensor() && part->is_tensor()) {
            executor_.note_sharing(stack, Executor::memory_of(part));
        }
    }
}

// What a list of unknown length holds, as a stack or as one element.
void Interpreter::require_told(const Item &held, const Place &place) const
{
    if (held.kind != Item::Kind::Unknown) {
        return;
    }
    const RecordedNode *maker = find_cause(recording_, find_unknown(held));
    if (maker != nullptr && !maker->inputs.empty() && !maker->failure.empty()) {
        throw Unsupported(maker->kind + ": " + maker->failure + ", " +
                          recording_.describe(maker->place));
    }
    throw Unsupported("a tensor is changed in place that a list holds whose length depends on "
                      "the data, " +
                      recording_.describe(place));
}

// A list whose tensors may have been changed in place, nobody knows which, cannot be read.
void Interpreter::require_unchanged(const Ref &list, const Place &place) const
{
    if (list->stacked) {
        require_told(*list->stacked, place);
    }
}

// What a slot may be: a leaf what it is when the loop begins, and any slot memory of outside that
// an iteration gives, or that of another slot.
void Interpreter::note_sharers(Loop &loop, size_t slot, const Ref &made,
                               std::map<size_t, Ref> &others)
{
    if (!made->is_tensor()) {
        return;
    }
    if (slot < kAdditions && loop.run.leaves[slot]->is_tensor()) {
        executor_.note_sharing(made, Executor::memory_of(loop.run.leaves[slot]));
    }
    for (const uint32_t first : loop.aliases[slot]) {
        executor_.note_sharing(made, first);
    }
    others[slot] = made;
    for (const size_t twin : loop.twins[slot]) {
        const auto other = others.find(twin);
        if (other != others.end()) {
            executor_.note_sharing(made, Executor::memory_of(other->second));
        }
    }
}

// Notes which slots may be one memory, or memory of outside, when an iteration ends.
void Interpreter::find_sharers(Loop &loop)
{
    std::vector<uint32_t> memories;
    std::vector<size_t> slots;
    const auto add = [&](const std::vector<Ref> &results, size_t first_slot) {
        for (size_t i = 0; i < results.size(); i++) {
            if (results[i] && results[i]->is_tensor()) {
                memories.push_back(Executor::memory_of(results[i]));
                slots.push_back(first_slot + i);
            }
        }
    };
    add(loop.run.results, 0);
    add(loop.run.additions, kAdditions);
    const Executor::Groups groups = executor_.group(memories);
    std::map<size_t, size_t> last; // slot, by group
    for (size_t i = 0; i < slots.size(); i++) {
        const auto found = last.find(groups.of[i]);
        bool is_new = false;
        if (found != last.end()) {
            is_new = loop.twins[found->second].insert(slots[i]).second;
            loop.twins[slots[i]].insert(found->second);
        } else {
            for (const uint32_t first : groups.members[groups.of[i]]) {
                is_new = (first < loop.first_item && loop.aliases[slots[i]].insert(first).second) ||
                         is_new;
            }
        }
        last[groups.of[i]] = slots[i];
        loop.run.is_stable = loop.run.is_stable && !is_new;
    }
}

// What earlier iterations appended to lists must be as it was when they ended.
void Interpreter::check_earlier(Loop &loop)
{
    for (size_t i = 0; i < loop.lists.size(); i++) {
        const Ref &earlier = loop.run.begun.at(kAdditions + i);
        require_told(*executor_.held(Executor::memory_of(earlier)), loop.place);
        executor_.current(loop.lists[i], loop.place);
    }
}

} // namespace htp
