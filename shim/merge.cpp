// Values that are one on either side of a branch, put together behind it.
#include "control.h"

#include <algorithm>

namespace htp
{

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
            item->lane[lane] =
                at::empty(tensor.sizes(), tensor.options().device(at::kMeta).requires_grad(false));
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
        if (!recording_.has_same_size(*a, dim, *b, dim)) {
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
        const uint32_t first = Executor::memory_of(a);
        const auto found = all.memories.find(first);
        return found == all.memories.end() ? executor_.held(first) : found->second;
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
            const Contents &longer = is_first ? a : b;
            if (!longer.stacked && !longer.elements.empty()) {
                require_known(longer.elements.back());
            }
            throw Growth{list, rows_of(longer)};
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

// What memory holds that either side changed.
void Interpreter::merge_memories(Merge &all)
{
    all.memories = all.then.memories;
    all.memories.insert(all.otherwise.memories.begin(), all.otherwise.memories.end());
    for (auto &[first, value] : all.memories) {
        const auto after = [&, key = first](const Block &block) {
            const auto found = block.memories.find(key);
            return found == block.memories.end() ? executor_.held(key) : found->second;
        };
        const Ref first_side = after(all.then);
        const Ref second_side = after(all.otherwise);
        value = first_side == second_side ? first_side : merge_apart(all, first_side, second_side);
    }
}

// Lists and attributes that either side changed. @return what makes all that is merged current.
std::function<void()> Interpreter::merge_states(Merge &all)
{
    const auto lists = merge_lists(all);
    const Attributes attributes = merge_attributes(all);
    return [this, memories = all.memories, lists, attributes, frozen = all.frozen,
            shared = all.shared] {
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
