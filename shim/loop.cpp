// Loops: unrolled where it is known how often they run, recorded with their body where it is not.
#include "control.h"

#include <algorithm>
#include <set>

namespace htp
{

namespace
{

constexpr int kMaxAttempts = 32; // to find what a body changes
constexpr size_t kMaxPeels = 2;  // iterations that are apart from their loop
constexpr int64_t kNoLimit = INT64_MAX;

} // namespace

std::vector<Ref> Interpreter::do_loop(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref limit = inputs[0];
    const Ref condition = inputs[1];
    const std::vector<Ref> carried(inputs.begin() + 2, inputs.end());
    const bool is_counted = is_decided(limit);
    const int64_t count = is_counted ? limit->lane[0].toInt() : kNoLimit;
    if (is_counted && count > longest_unrolled_ && count != kNoLimit && is_decided(condition)) {
        const Mark mark = recording_.mark();
        try {
            return repeat(node, limit, condition, carried, 0, frame);
        } catch (const Unsupported &) {
            recording_.discard(mark);
        }
    }
    std::vector<Ref> state = {condition};
    state.insert(state.end(), carried.begin(), carried.end());
    return unroll(node, limit, 0, std::move(state), frame);
}

// Runs a loop from iteration @p i on, as long as it is known whether it goes on. @p state is
// whether it does, and what it carries.
std::vector<Ref> Interpreter::unroll(const Node &node, const Ref &limit, int64_t i,
                                     std::vector<Ref> state, Frame &frame)
{
    const torch::jit::Block &body = *node.blocks()[0];
    const bool is_counted = is_decided(limit);
    const int64_t count = is_counted ? limit->lane[0].toInt() : kNoLimit;
    const Place place = place_of(node, frame.scope);
    for (; i < count; i++) {
        if (!is_counted || !is_decided(state[0])) {
            return repeat(node, is_counted ? recording_.plain(count - i) : limit, state[0],
                          {state.begin() + 1, state.end()}, i, frame);
        }
        if (!state[0]->lane[0].toBool()) {
            break;
        }
        frame.values[body.inputs()[0]] = recording_.plain(i);
        for (size_t k = 1; k < state.size(); k++) {
            frame.values[body.inputs()[k]] = state[k];
        }
        try {
            state = run_block(body, frame, place);
        } catch (const Fork &fork) {
            const auto before = std::make_shared<const Frame>(frame);
            return resume(fork, [=, &node](const std::vector<Ref> &results) {
                return unroll(node, limit, i + 1, results, *std::make_shared<Frame>(*before));
            });
        }
    }
    return {state.begin() + 1, state.end()};
}

std::vector<Ref> Interpreter::repeat(const Node &node, const Ref &limit, const Ref &condition,
                                     std::vector<Ref> carried, int64_t done, Frame &frame)
{
    require_known(limit);
    require_known(condition);
    Loop loop = {carried, place_of(node, frame.scope), done, recording_.data_sizes.size(),
                 recording_.items.size()};
    const Mark mark = recording_.mark();
    std::string reason = "a loop changes the types of what it works on";
    for (int attempt = 0; attempt < kMaxAttempts; attempt++) {
        try {
            run_body(loop, node, frame);
            if (loop.run.is_stable) {
                return finish_loop(loop, limit, condition);
            }
        } catch (const Growth &growth) {
            recording_.discard(mark);
            const bool is_own = std::find(loop.lists.begin(), loop.lists.end(), growth.list) !=
                                loop.lists.end(); // the list of a loop around is not
            if (!growth.rows && !is_own && !growth.list->is_growing) {
                throw Unsupported("a list whose length depends on the data holds something that is "
                                  "no tensor and no number, " +
                                  recording_.describe(loop.place));
            }
            note_growth(loop, growth);
            continue;
        } catch (const Apart &apart) {
            recording_.discard(mark);
            if (peels_ < kMaxPeels) {
                return peel(node, limit, condition, std::move(carried), done, frame);
            }
            reason = apart.what();
            break;
        }
        recording_.discard(mark);
    }
    throw Unsupported(reason + ", " + recording_.describe(loop.place));
}

// The first iteration apart from the loop, which then carries what that gives: None becomes a
// tensor.
std::vector<Ref> Interpreter::peel(const Node &node, const Ref &limit, const Ref &condition,
                                   std::vector<Ref> carried, int64_t done, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const auto before = std::make_shared<const Frame>(frame);
    const Next rest = [=, &node](const std::vector<Ref> &state) {
        const Deeper deeper(peels_);
        const bool is_endless = limit->lane[0] == c10::IValue(kNoLimit);
        const Ref left = is_endless ? limit
                                    : executor_.run_named("aten::sub", "int",
                                                          {limit, recording_.plain(1)}, place);
        if (is_decided(state[0]) && !state[0]->lane[0].toBool()) {
            return std::vector<Ref>(state.begin() + 1, state.end());
        }
        return repeat(node, left, state[0], {state.begin() + 1, state.end()}, done + 1,
                      *std::make_shared<Frame>(*before));
    };
    const Side side = [=, &node](bool runs) {
        if (!runs) {
            return carried;
        }
        const torch::jit::Block &body = *node.blocks()[0];
        const auto own = std::make_shared<Frame>(*before);
        own->values[body.inputs()[0]] = recording_.plain(done);
        for (size_t k = 0; k < carried.size(); k++) {
            own->values[body.inputs()[k + 1]] = carried[k];
        }
        std::vector<Ref> state;
        try {
            state = run_block(body, *own, place);
        } catch (const Fork &fork) {
            return resume(fork, rest);
        }
        return rest(state);
    };
    if (is_decided(limit)) {
        return is_decided(condition)
                   ? side(condition->lane[0].toBool() && limit->lane[0].toInt() > 0)
                   : branch(condition, place, side);
    }
    Ref runs = executor_.run_named("aten::gt", "int", {limit, recording_.plain(0)}, place);
    if (!is_decided(condition)) {
        runs = executor_.run_named("aten::__and__", "bool", {runs, condition}, place);
    }
    return branch(runs, place, side);
}

// One run of the body on values of which only the types are known.
void Interpreter::run_body(Loop &loop, const Node &node, Frame &frame)
{
    loop.run = {};
    begin_held(loop);
    for (const Ref &list : loop.lists) {
        list->is_growing = true;
    }
    loops_.push_back(recording_.items.size());
    Block block;
    try {
        block = run_nested([&] {
            begin_body(loop, node, frame);
            std::vector<Ref> results = run_block(*node.blocks()[0], frame, loop.place);
            end_body(loop, results);
            return results;
        });
    } catch (const Fork &fork) {
        end_growth(loop);
        throw Unsupported(fork.reason + ", " + recording_.describe(fork.place));
    } catch (...) {
        end_growth(loop);
        throw;
    }
    end_growth(loop);
    if (block.raised) {
        std::rethrow_exception(block.raised);
    }
    loop.run.block = block.id;
    loop.run.go_on = block.outputs[0];
    compare_all(loop, block);
    if (loop.run.is_stable) {
        find_changes(loop, block);
    }
    if (loop.run.is_stable) {
        find_sharers(loop);
    }
}

void Interpreter::compare_tensors(Loop &loop, size_t leaf, const Item &input, const Item &result)
{
    if (input.is_sequence != result.is_sequence ||
        input.tensor(0).dim() != result.tensor(0).dim() ||
        input.tensor(0).scalar_type() != result.tensor(0).scalar_type()) {
        throw Apart("a loop on the data changes the rank or dtype of a tensor that it carries");
    }
    for (int64_t dim = 0; dim < input.tensor(0).dim(); dim++) {
        if (!recording_.has_same_size(input, dim, result, dim) &&
            loop.moving[leaf].insert(dim).second) {
            loop.run.is_stable = false;
        }
    }
}

// The sizes of tensors that there were before a loop, and those that the data had decided.
const std::set<Interpreter::Sizes> &Interpreter::sizes_before(Loop &loop) const
{
    std::set<Sizes> &all = loop.sizes;
    Sizes sizes = {};
    for (size_t i = 0; i < loop.first_size && all.empty(); i++) {
        std::copy_n(recording_.data_sizes[i].sizes, recording_.lane_count, sizes.begin());
        all.insert(sizes);
    }
    for (size_t i = 0; i < loop.first_item && !loop.has_sizes; i++) {
        const Item &item = *recording_.items[i];
        for (int64_t dim = 0; item.is_tensor() && dim < item.tensor(0).dim(); dim++) {
            for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
                sizes[lane] = item.tensor(lane).size(dim);
            }
            all.insert(sizes);
        }
    }
    loop.has_sizes = true;
    return all;
}

// Whether a size may differ between iterations: it follows from numbers that the data decides or
// that the loop carries, and is no size of outside, nor a product, multiple or offset of these.
bool Interpreter::is_fleeting(Loop &loop, const Item &tensor, int64_t dim) const
{
    const uint32_t lanes = recording_.lane_count;
    Sizes sizes = {};
    for (uint32_t lane = 0; lane < lanes; lane++) {
        sizes[lane] = tensor.tensor(lane).size(dim);
    }
    const auto is_constant = [&](const Sizes &all) {
        return std::all_of(all.begin(), all.begin() + lanes,
                           [&](int64_t size) { return size == all[0]; });
    };
    if (is_constant(sizes) || !tensor.is_data) {
        return false;
    }
    const std::set<Sizes> &known = sizes_before(loop);
    return std::none_of(known.begin(), known.end(), [&](const Sizes &base) {
        Sizes quotient = {};
        Sizes offset = {};
        bool divides = true;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            offset[lane] = sizes[lane] - base[lane];
            divides = divides && base[lane] > 0 && sizes[lane] % base[lane] == 0;
            quotient[lane] = divides ? sizes[lane] / base[lane] : 0;
        }
        return is_constant(offset) ||
               (divides && (is_constant(quotient) || known.count(quotient) != 0));
    });
}

void Interpreter::end_growth(const Loop &loop)
{
    loops_.pop_back();
    for (const Ref &list : loop.lists) {
        list->is_growing = false;
    }
}

namespace
{

std::vector<uint32_t> ids_of(std::initializer_list<std::vector<Ref>> lists)
{
    std::vector<uint32_t> ids;
    for (const std::vector<Ref> &list : lists) {
        for (const Ref &item : list) {
            ids.push_back(item->is_unset ? HTP_SHIM_NONE : item->id);
        }
    }
    return ids;
}

} // namespace

// Stands in for a leaf without a value where the loop begins.
Ref Interpreter::make_nothing(const Item &model, const Place &place)
{
    if (!model.is_tensor()) {
        return recording_.plain(model.lane[0]);
    }
    if (model.is_sequence) {
        const Ref none = recording_.sequence(Item::Kind::List, {});
        return sequence_of(none, place, sequence_like(model, false));
    }
    std::vector<Ref> sizes;
    for (int64_t dim = 0; dim < model.tensor(0).dim(); dim++) {
        const bool is_fixed = recording_.lane_count > 1 && recording_.is_fixed(model, dim);
        sizes.push_back(recording_.plain(is_fixed ? model.tensor(0).size(dim) : int64_t{1}));
    }
    return zeros(std::move(sizes), model.tensor(0).scalar_type(), place);
}

// Whether a leaf is no input of the loop after all: it has no value, or one that nobody can tell
// when an iteration ends and the next one does not read.
bool Interpreter::is_dropped(const Loop &loop, size_t leaf)
{
    const Loop::Run &run = loop.run;
    const Ref &input = run.inputs[leaf];
    if (input->is_unset || run.results[leaf]->kind != Item::Kind::Unknown) {
        return input->is_unset;
    }
    const auto gives = [&](const std::vector<Ref> &results) {
        return std::find(results.begin(), results.end(), input) != results.end();
    };
    return !input->is_used && !gives(run.results) && !gives(run.memory_results) &&
           !gives(run.additions);
}

// How often the loop runs, where nothing but its limit ends it; otherwise a size of its own.
htp_shim_size Interpreter::iterations(const Loop &loop, const Ref &limit, const Ref &condition)
{
    const bool only_limit = is_decided(condition) && condition->lane[0].toBool() &&
                            is_decided(loop.run.go_on) && loop.run.go_on->lane[0].toBool();
    if (!only_limit || limit->is_none()) {
        return recording_.new_size("Loop");
    }
    htp_shim_size size = {};
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        size.sizes[lane] = std::max<int64_t>(limit->lane[lane].toInt(), 0);
    }
    return size;
}

std::vector<Ref> Interpreter::finish_loop(Loop &loop, const Ref &limit, const Ref &condition)
{
    std::vector<Ref> inputs = {limit, condition};
    std::vector<Ref> leaf_inputs;
    std::vector<Ref> leaf_results;
    if (limit->has_lanes && !limit->is_data && limit->lane[0] == c10::IValue(kNoLimit)) {
        inputs[0] = recording_.plain(c10::IValue());
    }
    for (size_t i = 0; i < loop.run.inputs.size(); i++) {
        if (!is_dropped(loop, i)) {
            inputs.push_back(loop.run.leaves[i]->is_unset
                                 ? make_nothing(*loop.run.inputs[i], loop.place)
                                 : loop.run.leaves[i]);
            leaf_inputs.push_back(loop.run.inputs[i]);
            leaf_results.push_back(loop.run.results[i]->is_unset ? loop.run.inputs[i]
                                                                 : loop.run.results[i]);
        }
    }
    std::vector<Ref> outputs;
    std::vector<Ref> carried;
    std::vector<Ref> held;
    size_t leaf = 0;
    for (const Ref &input : loop.run.carried) {
        carried.push_back(result_of(loop, leaf, input, outputs));
    }
    for (const Ref &input : loop.run.held) {
        held.push_back(result_of(loop, leaf, input, outputs));
    }
    std::vector<Ref> memories;
    for (size_t i = 0; i < loop.memories.size(); i++) {
        inputs.push_back(executor_.held(loop.memories[i]));
        memories.push_back(like(*loop.run.memory_inputs[i]));
        outputs.push_back(memories.back());
    }
    const htp_shim_size count =
        loop.lists.empty() ? htp_shim_size{} : iterations(loop, inputs[0], condition);
    std::vector<Ref> stacks;
    for (const Ref &addition : loop.run.additions) {
        stacks.push_back(stack_of(addition, count));
        note_sharers(loop, kAdditions + stacks.size() - 1, stacks.back(), loop.run.ended);
        outputs.push_back(stacks.back());
    }
    recording_.blocks[loop.run.block].inputs =
        ids_of({{loop.run.iteration}, leaf_inputs, loop.run.memory_inputs});
    recording_.blocks[loop.run.block].outputs =
        ids_of({{loop.run.go_on}, leaf_results, loop.run.memory_results, loop.run.additions});
    std::vector<std::string> names(inputs.size(), "carried");
    names[0] = "max_trip_count";
    names[1] = "condition";
    record_control("prim::Loop", inputs, names, outputs, {loop.run.block}, loop.place);
    for (size_t i = 0; i < memories.size(); i++) {
        executor_.hold(loop.memories[i], memories[i]);
    }
    for (const uint32_t first : loop.lost) {
        executor_.lose(first, "prim::Loop", loop.place);
    }
    for (size_t i = 0; i < stacks.size(); i++) {
        recording_.fill(loop.lists[i], {loop.lists[i]->elements, stacks[i]});
        loop.lists[i]->has_numbers = loop.rows[i]->has_numbers;
    }
    for (size_t i = 0; i < held.size(); i++) {
        put(loop.held[i], held[i]);
    }
    for (const size_t k : loop.same) {
        carried[k] = executor_.current(loop.initial[k], loop.place);
    }
    return carried;
}

// As many of @p element as the loop runs, in a first dim.
Ref Interpreter::stack_of(const Ref &element, const htp_shim_size &count)
{
    const Ref rows = rows_of({{element}});
    Ref item = recording_.make(Item::Kind::Tensor);
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<int64_t> sizes = rows->tensor(lane).sizes().vec();
        sizes[0] = count.sizes[lane];
        item->lane[lane] = at::empty(sizes, rows->tensor(lane).options());
        item->is_data = item->is_data || sizes[0] != item->tensor(0).size(0);
    }
    return item;
}

} // namespace htp
