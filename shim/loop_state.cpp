// What a loop that is recorded carries from one iteration to the next.
#include "control.h"

#include <algorithm>

namespace htp
{

// Something else is carried from now on: what was found out by leaf counts no more.
void Interpreter::restart(Loop &loop)
{
    loop.moving.clear();
    loop.unset.clear();
    loop.aliases.clear();
    loop.twins.clear();
    loop.run.is_stable = false;
}

// A list of outside whose length the body changes is carried as a stack.
void Interpreter::note_growth(Loop &loop, const Growth &growth)
{
    restart(loop);
    Ref rows = growth.rows;
    const auto scanned = std::find(loop.lists.begin(), loop.lists.end(), growth.list);
    if (scanned != loop.lists.end()) {
        const auto at = scanned - loop.lists.begin();
        rows = rows ? rows : loop.rows[static_cast<size_t>(at)];
        loop.lists.erase(scanned);
        loop.rows.erase(loop.rows.begin() + at);
    } else if (!rows) {
        throw growth; // a loop around appends to it
    }
    for (Held &held : loop.held) {
        if (held.list == growth.list) {
            held.kind = Held::Kind::Stack;
            held.rows = rows;
            return;
        }
    }
    loop.held.push_back({Held::Kind::Stack, growth.list, rows, {}});
}

// What is carried into the loop beside the program's own values.
void Interpreter::begin_held(Loop &loop)
{
    std::vector<Ref> known = arguments_;
    known.insert(known.end(), loop.initial.begin(), loop.initial.end());
    for (Held &held : loop.held) {
        if (held.list) {
            executor_.current(held.list, loop.place);
        }
        switch (held.kind) {
        case Held::Kind::Elements:
            held.initial = recording_.sequence(Item::Kind::Tuple, held.list->elements);
            break;
        case Held::Kind::Stack:
            held.initial = begin_stack(held.list, held.rows, known, loop.place);
            break;
        case Held::Kind::Attribute:
            held.initial = executor_.current(attributes_.at(held.attribute), loop.place);
        }
    }
    for (auto &[k, rows] : loop.grown) {
        const Ref stack = begin_stack(loop.initial[k], rows, known, loop.place);
        loop.grown_initial[k] = grown_list(stack, rows->has_numbers);
    }
}

// Makes a value that is carried what the list, dict or attribute holds.
void Interpreter::put(const Held &held, const Ref &value)
{
    switch (held.kind) {
    case Held::Kind::Elements:
        recording_.fill(held.list, {value->elements});
        break;
    case Held::Kind::Stack:
        recording_.fill(held.list, {{}, value});
        held.list->has_numbers = held.list->has_numbers || held.rows->has_numbers;
        break;
    case Held::Kind::Attribute:
        set_attribute(held.attribute, value);
    }
}

void Interpreter::begin_body(Loop &loop, const Node &node, Frame &frame)
{
    const torch::jit::Block &body = *node.blocks()[0];
    loop.run.iteration = like(*recording_.plain(0));
    frame.values[body.inputs()[0]] =
        loop.done == 0
            ? loop.run.iteration
            : executor_.run_named("aten::add", "int",
                                  {loop.run.iteration, recording_.plain(loop.done)}, loop.place);
    for (size_t k = 0; k < loop.initial.size(); k++) {
        const Ref &initial = loop.initial[k];
        const auto grown = loop.grown_initial.find(k);
        const bool is_list = initial->kind == Item::Kind::List || initial->kind == Item::Kind::Dict;
        const bool is_kept = loop.same.count(k) != 0 || (is_list && loop.moved.count(k) == 0);
        loop.run.carried.push_back(grown != loop.grown_initial.end() ? carry(loop, grown->second)
                                   : is_kept                         ? initial
                                                                     : carry(loop, initial));
        frame.values[body.inputs()[k + 1]] = loop.run.carried.back();
    }
    for (const Held &held : loop.held) {
        loop.run.held.push_back(carry(loop, held.initial));
        put(held, loop.run.held.back());
    }
    for (size_t i = 0; i < loop.lists.size(); i++) {
        note_sharers(loop, kAdditions + i, like(*loop.rows[i]), loop.run.begun);
    }
    for (const uint32_t first : loop.lost) {
        executor_.lose(first, "prim::Loop", loop.place);
    }
    for (const uint32_t first : loop.memories) {
        loop.run.memory_inputs.push_back(like(*executor_.held(first)));
        executor_.hold(first, loop.run.memory_inputs.back());
    }
}

// What the body leaves, made within it. @p results its outputs
void Interpreter::end_body(Loop &loop, std::vector<Ref> &results)
{
    check_earlier(loop);
    const auto end_stack = [&](const Ref &list, Ref &rows, const std::vector<Ref> &known) {
        const bool was_sequence = rows->is_sequence;
        const Ref stack = begin_stack(list, rows, known, loop.place);
        if (rows->is_sequence && !was_sequence) {
            restart(loop);
        }
        return stack;
    };
    for (auto &[k, rows] : loop.grown) {
        if (results[k + 1]->kind == Item::Kind::List) {
            const bool has_numbers = rows->has_numbers;
            results[k + 1] = grown_list(end_stack(results[k + 1], rows, {}), has_numbers);
        }
    }
    for (size_t k = 0; k < loop.initial.size(); k++) {
        const bool is_list =
            loop.initial[k]->kind == Item::Kind::List || loop.initial[k]->kind == Item::Kind::Dict;
        if (!is_list || loop.moved.count(k) != 0) {
            results[k + 1] = snapshot(results[k + 1]);
        }
    }
    for (Held &held : loop.held) {
        switch (held.kind) {
        case Held::Kind::Elements:
            loop.run.held_results.push_back(recording_.sequence(
                Item::Kind::Tuple, executor_.current(held.list, loop.place)->elements));
            break;
        case Held::Kind::Stack:
            loop.run.held_results.push_back(
                end_stack(executor_.current(held.list, loop.place), held.rows,
                          {loop.run.held[loop.run.held_results.size()]}));
            break;
        case Held::Kind::Attribute:
            loop.run.held_results.push_back(
                executor_.current(attributes_.at(held.attribute), loop.place));
        }
    }
}

// What lists and dicts hold at present: what a body does to older ones is taken back when it ends.
Ref Interpreter::snapshot(const Ref &value)
{
    if (!value->is_container()) {
        return value;
    }
    std::vector<Ref> elements;
    for (const Ref &element : value->elements) {
        elements.push_back(snapshot(element));
    }
    Ref made = recording_.sequence(value->kind, std::move(elements));
    made->stacked = value->stacked;
    made->has_numbers = value->has_numbers;
    return made;
}

// A value to stand for what is carried into an iteration.
Ref Interpreter::carry(Loop &loop, const Ref &initial)
{
    if (initial->is_container()) {
        std::vector<Ref> elements;
        for (const Ref &element : initial->elements) {
            elements.push_back(carry(loop, element));
        }
        Ref made = recording_.sequence(initial->kind, std::move(elements));
        made->stacked = initial->stacked ? carry(loop, initial->stacked) : nullptr;
        made->has_numbers = initial->has_numbers;
        made->is_merged = true;
        return made;
    }
    if (!initial->is_tensor() && !initial->is_number() && !initial->is_unset) {
        return initial;
    }
    const size_t leaf = loop.run.leaves.size();
    loop.moving.resize(std::max(loop.moving.size(), leaf + 1));
    loop.unset.resize(std::max(loop.unset.size(), leaf + 1));
    loop.run.leaves.push_back(initial);
    if (initial->is_unset && !loop.unset[leaf]) {
        loop.run.inputs.push_back(initial);
        return initial;
    }
    const Ref made = like(initial->is_unset ? *loop.unset[leaf] : *initial);
    for (const int64_t dim : loop.moving[leaf]) {
        resize(*made, dim, "Loop");
    }
    loop.run.inputs.push_back(made);
    note_sharers(loop, leaf, made, loop.run.begun);
    return made;
}

// Whether what the body gives can be carried; notes what must change before it can.
void Interpreter::compare_all(Loop &loop, const Block &block)
{
    for (size_t k = 0; k < loop.run.carried.size(); k++) {
        const Ref &input = loop.run.carried[k];
        const Ref &result = block.outputs[k + 1];
        if (loop.initial[k]->is_unset && result->is_container() && !result->stacked) {
            loop.initial[k] = unset_like(*result);
            loop.moved.insert(k);
            restart(loop);
            continue;
        }
        const bool is_list = (input->kind == Item::Kind::List || input->kind == Item::Kind::Dict) &&
                             loop.initial[k] == input;
        if (is_list && result != input && result->kind == input->kind) {
            note_moved(loop, k, *result);
        } else if (loop.same.count(k) != 0 && !Executor::is_same_memory(input, result)) {
            loop.same.erase(k);
            loop.replaced.insert(k);
            restart(loop);
        } else if (!is_list && loop.same.count(k) == 0) {
            const bool can_stay = input->is_tensor() && result != input &&
                                  loop.initial[k]->is_tensor() && !loop.initial[k]->view &&
                                  loop.replaced.count(k) == 0;
            if (can_stay && Executor::is_same_memory(input, result)) {
                loop.same.insert(k);
                restart(loop);
            }
        }
    }
    for (size_t k = 0; k < loop.run.carried.size() && loop.run.is_stable; k++) {
        if (loop.initial[k] != loop.run.carried[k] || loop.initial[k]->is_unset ||
            !loop.initial[k]->is_container()) {
            if (loop.same.count(k) == 0) {
                compare(loop, loop.run.carried[k], block.outputs[k + 1]);
            }
        }
    }
    for (size_t i = 0; i < loop.run.held.size() && loop.run.is_stable; i++) {
        compare(loop, loop.run.held[i], loop.run.held_results[i]);
    }
}

// A container of which no element is ever read.
Ref Interpreter::unset_like(const Item &container)
{
    std::vector<Ref> elements;
    for (const Ref &element : container.elements) {
        if (element->is_container()) {
            elements.push_back(unset_like(*element));
        } else {
            elements.push_back(recording_.plain(c10::IValue()));
            elements.back()->is_unset = true;
        }
    }
    return recording_.sequence(container.kind, std::move(elements));
}

// A list or dict that the body replaces by another one.
void Interpreter::note_moved(Loop &loop, size_t k, const Item &result)
{
    const Item &initial = *loop.initial[k];
    loop.moved.insert(k);
    restart(loop);
    if (initial.kind == Item::Kind::List &&
        (initial.elements.size() != result.elements.size() || initial.stacked || result.stacked)) {
        Ref rows = rows_of(contents_of(initial));
        rows = rows ? rows : rows_of(contents_of(result));
        if (!rows) {
            throw Apart("a loop on the data changes the length of a list that it carries");
        }
        rows->has_numbers = rows->has_numbers || initial.has_numbers || result.has_numbers;
        loop.grown[k] = rows;
    }
}

// Whether what the body gives can be carried as @p input; notes what must change before it can.
void Interpreter::compare(Loop &loop, const Ref &input, const Ref &result)
{
    const auto refuse = [&](const char *what) {
        throw Apart(std::string("a loop on the data ") + what);
    };
    if (input->is_container() && result->is_unset) {
        for (const Ref &element : input->elements) {
            compare(loop, element, result);
        }
        return;
    }
    if (input->is_container()) {
        if (result->kind != input->kind || result->elements.size() != input->elements.size() ||
            !result->stacked != !input->stacked) {
            refuse("changes the length of a list or tuple that it carries");
        }
        for (size_t i = 0; i < input->elements.size(); i++) {
            compare(loop, input->elements[i], result->elements[i]);
        }
        if (input->stacked) {
            compare(loop, input->stacked, result->stacked);
        }
        return;
    }
    const size_t leaf = loop.run.results.size();
    const bool is_leaf = leaf < loop.run.inputs.size() && loop.run.inputs[leaf] == input;
    if (!is_leaf) {
        const bool is_equal =
            result == input ||
            (result->kind == Item::Kind::Plain && input->kind == Item::Kind::Plain &&
             result->lane[0].type() == input->lane[0].type() && result->lane[0] == input->lane[0]);
        if (!is_equal && !(result->kind == Item::Kind::Object && result->object == input->object)) {
            refuse("turns a value that is no tensor and no number into another one");
        }
        return;
    }
    loop.run.results.push_back(result);
    if (input->is_unset) {
        if (!result->is_unset) {
            loop.unset[leaf] = result;
            loop.run.is_stable = false;
        }
        return;
    }
    if (result->is_unset || result->kind == Item::Kind::Unknown) {
        return;
    }
    if (input->kind != result->kind ||
        (!input->is_tensor() && input->lane[0].type()->kind() != result->lane[0].type()->kind())) {
        refuse("changes the type of a value that it carries");
    }
    if (input->is_tensor()) {
        compare_tensors(loop, leaf, *input, *result);
    }
}

// Memory, lists and attributes of outside that the body changes.
void Interpreter::find_changes(Loop &loop, const Block &block)
{
    for (const auto &[first, value] : block.memories) {
        const auto known = std::find(loop.memories.begin(), loop.memories.end(), first);
        if (first >= loop.first_item) {
            continue; // of a run of the body that was discarded
        }
        if (value->kind == Item::Kind::Unknown || loop.lost.count(first) != 0) {
            loop.run.is_stable = loop.run.is_stable && !loop.lost.insert(first).second;
            if (known != loop.memories.end()) {
                loop.memories.erase(known);
                loop.run.is_stable = false;
                return;
            }
            continue;
        }
        if (std::count(loop.memories.begin(), loop.memories.end(), first) == 0) {
            loop.memories.push_back(first);
            loop.run.is_stable = false;
        }
    }
    for (size_t i = 0; i < loop.run.memory_inputs.size(); i++) {
        const auto found = block.memories.find(loop.memories[i]);
        loop.run.memory_results.push_back(found == block.memories.end() ? loop.run.memory_inputs[i]
                                                                        : found->second);
    }
    for (const auto &[attribute, value] : block.attributes) {
        const auto is_known = [&, key = attribute](const Held &held) {
            return held.kind == Held::Kind::Attribute && held.attribute == key;
        };
        if (value != attributes_.at(attribute) &&
            std::none_of(loop.held.begin(), loop.held.end(), is_known)) {
            loop.held.push_back({Held::Kind::Attribute, nullptr, nullptr, attribute});
            loop.run.is_stable = false;
        }
    }
    loop.run.additions.resize(loop.lists.size());
    for (const auto &[list, after] : block.lists) {
        const auto is_known = [&, l = list](const Held &held) { return held.list == l; };
        if (std::none_of(loop.held.begin(), loop.held.end(), is_known)) {
            find_list_change(loop, list, after);
        }
    }
    for (size_t i = 0; i < loop.lists.size() && loop.run.is_stable; i++) {
        if (!loop.run.additions[i]) {
            throw Growth{loop.lists[i], loop.rows[i]};
        }
    }
}

// A list of outside that the body changes: by a tensor for each iteration, by what its elements
// are, or otherwise.
void Interpreter::find_list_change(Loop &loop, const Ref &list, const Contents &after)
{
    const std::vector<Ref> &elements = after.elements;
    if (!after.stacked && !list->stacked && elements.size() == list->elements.size()) {
        const auto is_one = [](const Ref &a, const Ref &b) {
            return a == b || Executor::is_same_memory(a, b);
        };
        if (!std::equal(elements.begin(), elements.end(), list->elements.begin(), is_one)) {
            loop.held.push_back({Held::Kind::Elements, list, nullptr, {}});
            loop.run.is_stable = false;
        }
        return;
    }
    const auto known = std::find(loop.lists.begin(), loop.lists.end(), list);
    const bool is_longer =
        list->kind == Item::Kind::List && !after.stacked && !list->stacked &&
        elements.size() == list->elements.size() + 1 &&
        std::equal(list->elements.begin(), list->elements.end(), elements.begin());
    const Ref rows_after = rows_of(after);
    const Ref rows = rows_after ? rows_after : rows_of(contents_of(*list));
    if (list->kind != Item::Kind::List || !rows) {
        for (const Ref &element : elements) {
            require_known(element);
        }
        throw Unsupported("a loop on the data changes the length of a dict, or of a list of other "
                          "than tensors and numbers, " +
                          recording_.describe(loop.place));
    }
    rows->has_numbers = rows->has_numbers || list->has_numbers;
    if (!is_longer) {
        throw Growth{list, rows};
    }
    require_told(*elements.back(), loop.place);
    const bool is_tensor = elements.back()->is_tensor();
    for (int64_t dim = 0; is_tensor && dim < elements.back()->tensor(0).dim(); dim++) {
        if (is_fleeting(loop, *elements.back(), dim)) {
            throw Growth{list, sequence_like(*elements.back(), false)};
        }
    }
    if (known == loop.lists.end()) {
        loop.lists.push_back(list);
        loop.rows.push_back(rows);
        loop.run.is_stable = false;
    } else {
        loop.run.additions[static_cast<size_t>(known - loop.lists.begin())] = elements.back();
    }
}

// The value of something carried when the loop has ended.
Ref Interpreter::result_of(Loop &loop, size_t &leaf, const Ref &input, std::vector<Ref> &outputs)
{
    if (input->is_container() && !is_kept(loop, input)) {
        std::vector<Ref> elements;
        for (const Ref &element : input->elements) {
            elements.push_back(result_of(loop, leaf, element, outputs));
        }
        Ref made = recording_.sequence(input->kind, std::move(elements));
        made->stacked = input->stacked ? result_of(loop, leaf, input->stacked, outputs) : nullptr;
        made->has_numbers = input->has_numbers;
        made->is_merged = true;
        return made;
    }
    if (leaf >= loop.run.inputs.size() || loop.run.inputs[leaf] != input) {
        return input;
    }
    const size_t index = leaf++;
    if (is_dropped(loop, index)) {
        return loop.run.results[index];
    }
    if (loop.run.results[index]->kind == Item::Kind::Unknown) {
        outputs.push_back(recording_.make(Item::Kind::Unknown));
        return loop.run.results[index];
    }
    const Ref made = like(*input);
    for (const int64_t dim : loop.moving[index]) {
        resize(*made, dim, "Loop");
    }
    outputs.push_back(made);
    note_sharers(loop, index, made, loop.run.ended);
    return made;
}

// Whether a list or dict is carried as itself.
bool Interpreter::is_kept(const Loop &loop, const Ref &input)
{
    return std::find(loop.initial.begin(), loop.initial.end(), input) != loop.initial.end();
}

} // namespace htp
