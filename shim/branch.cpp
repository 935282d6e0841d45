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
    if (!check && !is_decided(inputs[0]) && inputs[0]->kind == Item::Kind::Plain) {
        return branch(node, inputs[0], frame);
    }
    const bool taken = check ? *check : decide(inputs[0], place);
    const torch::jit::Block &block = *node.blocks()[taken ? 0 : 1];
    run_block(block, frame);
    return block_outputs(block, frame, place);
}

// Runs a block whose nodes are kept apart. Whatever it changes is as before when it ends.
Interpreter::Block Interpreter::run_nested(const torch::jit::Block &block, Frame &frame,
                                           const Place &place, const std::function<void()> &begin)
{
    Block result;
    result.id = static_cast<uint32_t>(recording_.blocks.size());
    recording_.blocks.emplace_back();
    const uint32_t around = recording_.block;
    ListJournal journal = {recording_.items.size()};
    recording_.block = result.id;
    recording_.journals.push_back(&journal);
    executor_.begin_block(journal.first_item);
    std::exception_ptr failure;
    try {
        begin();
        run_block(block, frame);
        result.outputs = block_outputs(block, frame, place);
    } catch (const Raised &) {
        result.raised = std::current_exception();
    } catch (...) {
        failure = std::current_exception();
    }
    recording_.journals.pop_back();
    recording_.block = around;
    result.memories = executor_.end_block();
    for (auto &[list, elements] : journal.lists) {
        result.lists.emplace_back(list, list->elements);
        recording_.restore(list, std::move(elements));
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
    return result;
}

std::vector<Ref> Interpreter::branch(const Node &node, const Ref &condition, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Mark mark = recording_.mark();
    const auto nothing = [] {};
    const Block then = run_nested(*node.blocks()[0], frame, place, nothing);
    const Block otherwise = run_nested(*node.blocks()[1], frame, place, nothing);
    if (then.raised && otherwise.raised) {
        std::rethrow_exception(then.raised);
    }
    if (then.raised || otherwise.raised) {
        // A model that is exported does not raise: the other side is what it computes.
        recording_.discard(mark);
        const torch::jit::Block &taken = *node.blocks()[then.raised ? 1 : 0];
        run_block(taken, frame);
        return block_outputs(taken, frame, place);
    }
    Merge all;
    std::vector<Ref> results;
    std::function<void()> apply;
    try {
        for (size_t i = 0; i < then.outputs.size(); i++) {
            results.push_back(merge(all, then.outputs[i], otherwise.outputs[i]));
        }
        apply = merge_states(all, then, otherwise);
    } catch (const Unsupported &error) {
        throw Unsupported(error.what() + (", " + recording_.describe(place)));
    }
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
    if (a->tensor(0).dim() != b->tensor(0).dim() ||
        a->tensor(0).scalar_type() != b->tensor(0).scalar_type()) {
        throw Unsupported("the sides of a branch on the data give tensors of different ranks or "
                          "dtypes");
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
}

// The value that is @p a after the first side and @p b after the second one.
Ref Interpreter::merge(Merge &all, const Ref &a, const Ref &b)
{
    if (is_same(a, b)) {
        return a;
    }
    const bool is_list = (a->is_unset || a->is_container()) && (b->is_unset || b->is_container());
    if (is_list) {
        const Ref &shape = a->is_unset ? b : a;
        const bool fits = a->is_unset || b->is_unset ||
                          (a->kind == b->kind && a->elements.size() == b->elements.size());
        if (!fits || a->stacked || b->stacked) {
            throw Unsupported("the sides of a branch on the data give lists of different lengths");
        }
        std::vector<Ref> elements;
        for (size_t i = 0; i < shape->elements.size(); i++) {
            elements.push_back(
                merge(all, a->is_unset ? a : a->elements[i], b->is_unset ? b : b->elements[i]));
        }
        Ref merged = recording_.sequence(shape->kind, std::move(elements));
        merged->is_merged = true;
        return merged;
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
        throw Unsupported(kDiffer);
    }
    all.then_ids.push_back(a->is_unset ? HTP_SHIM_NONE : a->id);
    all.else_ids.push_back(b->is_unset ? HTP_SHIM_NONE : b->id);
    all.outputs.push_back(item);
    return item;
}

// Memory and lists that either side changed. @return what makes the merged ones current.
std::function<void()> Interpreter::merge_states(Merge &all, const Block &then,
                                                const Block &otherwise)
{
    Executor::Memories memories = then.memories;
    memories.insert(otherwise.memories.begin(), otherwise.memories.end());
    for (auto &[first, value] : memories) {
        const auto after = [&, key = first](const Block &block) {
            const auto found = block.memories.find(key);
            return found == block.memories.end() ? executor_.held(key) : found->second;
        };
        value = merge(all, after(then), after(otherwise));
    }
    std::vector<std::pair<Ref, std::vector<Ref>>> lists = then.lists;
    for (const auto &[list, elements] : otherwise.lists) {
        const bool is_new = std::none_of(lists.begin(), lists.end(),
                                         [&, l = list](const auto &one) { return one.first == l; });
        if (is_new) {
            lists.emplace_back(list, elements);
        }
    }
    for (auto &[list, elements] : lists) {
        const auto after = [&, l = list](const Block &block) {
            const auto found = std::find_if(block.lists.begin(), block.lists.end(),
                                            [&](const auto &one) { return one.first == l; });
            return found == block.lists.end() ? l->elements : found->second;
        };
        const std::vector<Ref> a = after(then);
        const std::vector<Ref> b = after(otherwise);
        if (a.size() != b.size()) {
            throw Unsupported("the sides of a branch on the data leave a list with different "
                              "lengths");
        }
        elements.clear();
        for (size_t i = 0; i < a.size(); i++) {
            elements.push_back(merge(all, a[i], b[i]));
        }
    }
    return [this, memories, lists] {
        for (const auto &[first, value] : memories) {
            executor_.hold(first, value);
        }
        for (const auto &[list, elements] : lists) {
            recording_.before_change(list);
            list->elements = elements;
        }
    };
}

} // namespace htp
