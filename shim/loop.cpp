// Loops: unrolled where it is known how often they run, recorded with their body where it is not.
#include "control.h"

#include <algorithm>
#include <set>

namespace htp
{

namespace
{

constexpr int64_t kLongLoop = 256; // iterations from which on a loop stays one where it can
constexpr int kMaxAttempts = 32;   // to find what a body changes
constexpr int64_t kNoLimit = INT64_MAX;

} // namespace

// A loop that is being recorded: its body is run until what it carries keeps its type.
struct Interpreter::Loop {
    // One run of the body: leaves are tensors and numbers within what is carried.
    struct Run {
        bool is_stable = true;
        std::vector<Ref> leaves = {};
        std::vector<Ref> inputs = {};
        std::vector<Ref> results = {};
        std::vector<Ref> carried = {};
        std::vector<Ref> memory_inputs = {};
        std::vector<Ref> memory_results = {};
        std::vector<Ref> additions = {};
        Ref iteration = nullptr;
        Ref go_on = nullptr;
        uint32_t block = 0;
    };

    std::vector<Ref> initial; // what is carried, as the program has it
    Place place;
    int64_t done;                               // iterations that were unrolled
    size_t first_size;                          // sizes that the data decides before the loop
    std::vector<std::set<int64_t>> moving = {}; // by leaf: dims whose sizes change
    std::vector<Ref> unset = {};                // by leaf: what one without a value becomes
    std::vector<uint32_t> memories = {};        // that the body changes, by first value
    std::vector<Ref> lists = {};                // that it appends to
    Run run = {};                               // the last one
};

std::vector<Ref> Interpreter::do_loop(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const torch::jit::Block &body = *node.blocks()[0];
    const Ref limit = inputs[0];
    Ref condition = inputs[1];
    std::vector<Ref> carried(inputs.begin() + 2, inputs.end());
    const bool is_counted = is_decided(limit);
    const int64_t count = is_counted ? limit->lane[0].toInt() : kNoLimit;
    if (is_counted && count > kLongLoop && count != kNoLimit && is_decided(condition)) {
        const Mark mark = recording_.mark();
        try {
            return repeat(node, limit, condition, carried, 0, frame);
        } catch (const Unsupported &) {
            recording_.discard(mark);
        }
    }
    const Place place = place_of(node, frame.scope);
    for (int64_t i = 0; i < count; i++) {
        if (!is_counted || !is_decided(condition)) {
            return repeat(node, is_counted ? recording_.plain(count - i) : limit, condition,
                          carried, i, frame);
        }
        if (!condition->lane[0].toBool()) {
            break;
        }
        frame.values[body.inputs()[0]] = recording_.plain(i);
        for (size_t k = 0; k < carried.size(); k++) {
            frame.values[body.inputs()[k + 1]] = carried[k];
        }
        run_block(body, frame);
        std::vector<Ref> results = block_outputs(body, frame, place);
        condition = results[0];
        carried.assign(results.begin() + 1, results.end());
    }
    return carried;
}

std::vector<Ref> Interpreter::repeat(const Node &node, const Ref &limit, const Ref &condition,
                                     std::vector<Ref> carried, int64_t done, Frame &frame)
{
    Loop loop = {std::move(carried), place_of(node, frame.scope), done,
                 recording_.data_sizes.size()};
    const Mark mark = recording_.mark();
    for (int attempt = 0; attempt < kMaxAttempts; attempt++) {
        run_body(loop, node, frame);
        if (loop.run.is_stable) {
            return finish_loop(loop, limit, condition);
        }
        recording_.discard(mark);
    }
    throw Unsupported("a loop changes the types of what it works on, " +
                      recording_.describe(loop.place));
}

// One run of the body on values of which only the types are known.
void Interpreter::run_body(Loop &loop, const Node &node, Frame &frame)
{
    const torch::jit::Block &body = *node.blocks()[0];
    loop.run = {};
    for (const Ref &list : loop.lists) {
        list->is_growing = true;
    }
    const auto begin = [&] {
        loop.run.iteration = like(*recording_.plain(0));
        frame.values[body.inputs()[0]] =
            loop.done == 0 ? loop.run.iteration
                           : executor_.run_named("aten::add", "int",
                                                 {loop.run.iteration, recording_.plain(loop.done)},
                                                 loop.place);
        for (size_t k = 0; k < loop.initial.size(); k++) {
            loop.run.carried.push_back(carry(loop, loop.initial[k]));
            frame.values[body.inputs()[k + 1]] = loop.run.carried.back();
        }
        for (const uint32_t first : loop.memories) {
            loop.run.memory_inputs.push_back(like(*executor_.held(first)));
            executor_.hold(first, loop.run.memory_inputs.back());
        }
    };
    Block block;
    try {
        block = run_nested(body, frame, loop.place, begin);
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
    for (size_t k = 0; k < loop.run.carried.size(); k++) {
        compare(loop, loop.run.carried[k], block.outputs[k + 1]);
    }
    find_changes(loop, block);
}

void Interpreter::end_growth(const Loop &loop)
{
    for (const Ref &list : loop.lists) {
        list->is_growing = false;
    }
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
    return made;
}

// Whether what the body gives can be carried as @p input; notes what must change before it can.
void Interpreter::compare(Loop &loop, const Ref &input, const Ref &result)
{
    const auto refuse = [&](const char *what) {
        throw Unsupported(std::string("a loop on the data ") + what + ", " +
                          recording_.describe(loop.place));
    };
    if (input->is_container()) {
        if (result->kind != input->kind || result->elements.size() != input->elements.size()) {
            refuse("changes the length of a list or tuple that it carries");
        }
        for (size_t i = 0; i < input->elements.size(); i++) {
            compare(loop, input->elements[i], result->elements[i]);
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

void Interpreter::compare_tensors(Loop &loop, size_t leaf, const Item &input, const Item &result)
{
    if (input.tensor(0).dim() != result.tensor(0).dim() ||
        input.tensor(0).scalar_type() != result.tensor(0).scalar_type()) {
        throw Unsupported("a loop on the data changes the rank or dtype of a tensor that it "
                          "carries, " +
                          recording_.describe(loop.place));
    }
    for (int64_t dim = 0; dim < input.tensor(0).dim(); dim++) {
        if (!has_same_size(input, result, dim) && loop.moving[leaf].insert(dim).second) {
            loop.run.is_stable = false;
        }
    }
}

// Whether a size follows from one that the loop itself makes up: it may differ between iterations.
bool Interpreter::is_fleeting(const Loop &loop, const Item &tensor, int64_t dim) const
{
    for (size_t i = loop.first_size; i < recording_.data_sizes.size(); i++) {
        bool divides = true;
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            divides = divides &&
                      tensor.tensor(lane).size(dim) % recording_.data_sizes[i].sizes[lane] == 0;
        }
        if (divides && tensor.tensor(0).size(dim) != 0) {
            return true;
        }
    }
    return false;
}

// Memory and lists of outside that the body changes.
void Interpreter::find_changes(Loop &loop, const Block &block)
{
    for (const auto &[first, value] : block.memories) {
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
    const auto refuse = [&](const char *what) {
        throw Unsupported(std::string("a loop on the data ") + what + ", " +
                          recording_.describe(loop.place));
    };
    for (const auto &[list, elements] : block.lists) {
        const size_t before = list->elements.size();
        if (list->kind != Item::Kind::List || elements.size() != before + 1 ||
            !std::equal(list->elements.begin(), list->elements.end(), elements.begin())) {
            refuse("changes a list otherwise than by appending one element");
        }
        if (!elements.back()->is_tensor()) {
            refuse("appends something that is no tensor to a list");
        }
        for (int64_t dim = 0; dim < elements.back()->tensor(0).dim(); dim++) {
            if (is_fleeting(loop, *elements.back(), dim)) {
                refuse("appends tensors of different sizes to a list");
            }
        }
        const auto known = std::find(loop.lists.begin(), loop.lists.end(), list);
        if (known == loop.lists.end()) {
            loop.lists.push_back(list);
            loop.run.is_stable = false;
        } else {
            loop.run.additions.resize(loop.lists.size());
            loop.run.additions[static_cast<size_t>(known - loop.lists.begin())] = elements.back();
        }
    }
    if (loop.run.is_stable && block.lists.size() != loop.lists.size()) {
        refuse("appends to a list in some iterations only");
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
    std::vector<Ref> sizes;
    for (int64_t dim = 0; dim < model.tensor(0).dim(); dim++) {
        const int64_t size = model.tensor(0).size(dim);
        const bool is_fixed = recording_.lane_count > 1 && model.tensor(1).size(dim) == size;
        sizes.push_back(recording_.plain(is_fixed ? size : int64_t{1}));
    }
    const Ref none = recording_.plain(c10::IValue());
    const Ref dtype = recording_.plain(static_cast<int64_t>(model.tensor(0).scalar_type()));
    return executor_.run_named(
        "aten::zeros", "",
        {recording_.sequence(Item::Kind::List, std::move(sizes)), dtype, none, none, none}, place);
}

// The value of something carried when the loop has ended.
Ref Interpreter::result_of(Loop &loop, size_t &leaf, const Ref &input, std::vector<Ref> &outputs)
{
    if (input->is_container()) {
        std::vector<Ref> elements;
        for (const Ref &element : input->elements) {
            elements.push_back(result_of(loop, leaf, element, outputs));
        }
        Ref made = recording_.sequence(input->kind, std::move(elements));
        made->is_merged = true;
        return made;
    }
    if (leaf >= loop.run.inputs.size() || loop.run.inputs[leaf] != input) {
        return input;
    }
    const size_t index = leaf++;
    if (input->is_unset || loop.run.results[index]->kind == Item::Kind::Unknown) {
        return loop.run.results[index];
    }
    const Ref made = like(*input);
    for (const int64_t dim : loop.moving[index]) {
        resize(*made, dim, "Loop");
    }
    outputs.push_back(made);
    return made;
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
        if (!loop.run.inputs[i]->is_unset && loop.run.results[i]->kind != Item::Kind::Unknown) {
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
    size_t leaf = 0;
    for (const Ref &input : loop.run.carried) {
        carried.push_back(result_of(loop, leaf, input, outputs));
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
        stacks.push_back(stack_of(*addition, count));
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
    for (size_t i = 0; i < stacks.size(); i++) {
        if (!recording_.journals.empty() &&
            loop.lists[i]->birth < recording_.journals.back()->first_item) {
            throw Unsupported("a loop on the data within another block appends to a list, " +
                              recording_.describe(loop.place));
        }
        recording_.before_change(loop.lists[i]);
        loop.lists[i]->stacked = stacks[i];
    }
    return carried;
}

// As many of @p element as the loop runs, in a first dim.
Ref Interpreter::stack_of(const Item &element, const htp_shim_size &count)
{
    Ref item = recording_.make(Item::Kind::Tensor);
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<int64_t> sizes = element.tensor(lane).sizes().vec();
        sizes.insert(sizes.begin(), count.sizes[lane]);
        item->lane[lane] =
            at::empty(sizes, element.tensor(lane).options().device(at::kMeta).requires_grad(false));
        item->is_data = item->is_data || sizes[0] != item->tensor(0).size(0);
    }
    return item;
}

} // namespace htp
