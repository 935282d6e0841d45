// Operators whose outputs have sizes that the data decides.
//
// Such a size is made up, differently in every lane. From there on it is followed as the size of a
// dynamic axis is; what is not a sum or product of sizes gives a new one.
#include "execute.h"

#include "layouts.h"
#include "operator_facts.h"
#include "sizers.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <unordered_map>

namespace htp
{

namespace
{

bool is_mask(const Item &item)
{
    return item.is_tensor() &&
           (item.tensor(0).scalar_type() == at::kBool || item.tensor(0).scalar_type() == at::kByte);
}

// Whether what is in a tensor is known in every lane.
bool knows_contents(const Item &item)
{
    return item.is_tensor() && (item.is_settled() || (item.is_real && !item.is_data));
}

// The size of repeat_interleave()'s output, where it is given or the repeats are known.
std::optional<htp_shim_size> given_size(const c10::FunctionSchema &schema,
                                        const std::vector<Ref> &inputs, uint32_t lane_count)
{
    if (schema.name() != "aten::repeat_interleave") {
        return std::nullopt;
    }
    const bool has_self = inputs.size() > 2;
    const Item &repeats = *inputs[has_self ? 1 : 0];
    if (inputs.back()->is_none() && !knows_contents(repeats)) {
        return std::nullopt;
    }
    htp_shim_size size = {};
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        if (!inputs.back()->is_none()) {
            size.sizes[lane] = inputs.back()->lane[lane].toInt();
            continue;
        }
        size.sizes[lane] = repeats.tensor(lane).sum().item().toLong();
        if (has_self && repeats.tensor(lane).numel() == 1) {
            const at::Tensor &self = inputs[0]->tensor(lane);
            size.sizes[lane] *=
                is_none(inputs, 2) ? self.numel() : self.size(fixed_number(inputs, 2));
        }
    }
    return size;
}

// The tensor whose true elements an operator counts, where the size is their number.
Ref counted_mask(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs,
                 uint32_t lane_count)
{
    const std::string &name = schema.name();
    if (name == "aten::nonzero" || name == "aten::argwhere" || name == "aten::nonzero_numpy" ||
        name == "aten::where") {
        return inputs[0];
    }
    if (name != "aten::masked_select") {
        return nullptr;
    }
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        if (inputs[0]->tensor(lane).sizes() != inputs[1]->tensor(lane).sizes()) {
            return nullptr;
        }
    }
    return inputs[1];
}

} // namespace

// What an item is computed as: equal texts are equal values. Comparisons and the like are looked
// into, because programs write them down again where they mean the same.
std::string Executor::identity(const Item &item, int depth) const
{
    constexpr int kDeepest = 6;
    const std::string self = "%" + std::to_string(item.id);
    if ((item.is_number() || item.is_none()) && item.has_lanes && item.is_constant &&
        !item.is_data) {
        std::ostringstream text;
        text << item.lane[0].tagKind() << " " << item.lane[0];
        return text.str();
    }
    if (item.is_container()) {
        std::string text = "[";
        for (size_t i = 0; i < item.elements.size() && depth < kDeepest; i++) {
            text += identity(*item.elements[i], depth + 1) + ",";
        }
        return depth < kDeepest ? text + "]" : self;
    }
    if (!item.is_tensor() || item.producer == HTP_SHIM_NONE || depth == kDeepest) {
        return self;
    }
    const RecordedNode &node = recording_.nodes[item.producer];
    if (!has_fact(node.kind.substr(0, node.kind.find('.')), HTP_FACT_COMPARED)) {
        return self;
    }
    std::string text = node.kind + "(";
    for (const uint32_t input : node.inputs) {
        text += identity(*recording_.items[input], depth + 1) + ",";
    }
    return text + ")";
}

// A size that the data decides, by what it is: the same one whenever it is asked for.
htp_shim_size Executor::size_of(const std::string &what, const std::string &name)
{
    const auto known = sizes_.find(what);
    return known != sizes_.end() ? known->second : sizes_[what] = recording_.new_size(name);
}

// How many elements of @p mask are not zero: one size, however often it is asked for.
htp_shim_size Executor::count_of(const Ref &mask, const std::string &name)
{
    if (!knows_contents(*mask)) {
        return size_of("count of " + identity(*mask, 0), name);
    }
    htp_shim_size size = {};
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        size.sizes[lane] = mask->tensor(lane).ne(0).sum().item().toLong();
    }
    return size;
}

// What the elements of @p item add up to: of a mask, how many are set.
htp_shim_size Executor::total_of(const Ref &item, const std::string &name)
{
    return item->tensor(0).scalar_type() == at::kBool
               ? count_of(item, name)
               : size_of("total of " + identity(*item, 0), name);
}

// An int that is read off a tensor: the same one whenever it is read.
htp_shim_size Executor::number_in(const Item &item, const std::string &name)
{
    if (item.producer != HTP_SHIM_NONE) {
        const RecordedNode &node = recording_.nodes[item.producer];
        const bool is_total =
            node.kind == "aten::sum" && recording_.items[node.inputs.back()]->is_none();
        if (is_total) {
            return total_of(recording_.items[node.inputs[0]], name);
        }
    }
    return size_of("number in " + identity(item, 0), name);
}

// The size of repeat_interleave()'s output: the repeats' total where each element has its own.
std::optional<htp_shim_size> Executor::total_repeats(const Call &call)
{
    if (call.schema.name() != "aten::repeat_interleave") {
        return std::nullopt;
    }
    const bool has_self = call.inputs.size() > 2;
    const Ref &repeats = call.inputs[has_self ? 1 : 0];
    for (uint32_t lane = 0; lane < recording_.lane_count && has_self; lane++) {
        const at::Tensor &self = call.inputs[0]->tensor(lane);
        const int64_t count =
            is_none(call.inputs, 2) ? self.numel() : self.size(fixed_number(call.inputs, 2));
        if (repeats->tensor(lane).numel() != count) {
            return std::nullopt;
        }
    }
    return total_of(repeats, base_name(call.schema));
}

// The outputs of an operator whose sizes only the data can tell; nothing for other operators.
std::optional<Executor::Lanes> Executor::decide_sizes(Call &call)
{
    const auto known = [](const Item &item) {
        return item.is_tensor() ? knows_contents(item) : item.has_lanes && !item.is_data;
    };
    if (const auto results = packed(call)) {
        return results;
    }
    if (std::all_of(call.inputs.begin(), call.inputs.end(),
                    [&](const Ref &input) { return all_of(input, known); })) {
        return std::nullopt;
    }
    const Sizer sizer = find_sizer(call.schema, call.inputs);
    if (sizer == nullptr) {
        auto results = masked(call);
        results = results ? results : moved(call);
        return results ? results : joined(call);
    }
    auto given = given_size(call.schema, call.inputs, recording_.lane_count);
    given = given ? given : total_repeats(call);
    const Ref mask = counted_mask(call.schema, call.inputs, recording_.lane_count);
    const std::string name = base_name(call.schema);
    const htp_shim_size size = given  ? *given
                               : mask ? count_of(mask, name)
                                      : recording_.new_size(name);
    Lanes results;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        results.push_back(sizer({call.inputs, lane, size.sizes[lane]}));
    }
    return results;
}

// The operator on other inputs, and its outputs with @p size in place of dim @p dim.
Executor::Lanes Executor::lanes_with_size(Call &call, const std::vector<Ref> &inputs, int64_t dim,
                                          const htp_shim_size &size)
{
    Call other = {call.node, call.schema, call.operation, inputs, call.place};
    Lanes results = run_lanes(other, Mode::Meta);
    call.storages = other.storages;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        for (c10::IValue &output : results[lane]) {
            const at::Tensor &before = output.toTensor();
            const at::Tensor after = resized(before, dim, size.sizes[lane]);
            const auto &given = call.storages[lane];
            const void *const storage = storage_identity(before);
            const bool is_view = std::any_of(given.begin(), given.end(), [&](const auto &held) {
                return std::count(held.begin(), held.end(), storage) != 0;
            });
            output = is_view ? after : empty_ordered(after, memory_order(before));
        }
    }
    return results;
}

namespace
{

// Whether a dim counted from the end has one size in all lanes; 0 otherwise, and past the first.
int64_t fixed_size(const Recording &recording, const Item &item, int64_t from_end)
{
    const int64_t dim = item.tensor(0).dim() - from_end;
    return dim >= 0 && recording.is_fixed(item, dim) ? item.tensor(0).size(dim) : 0;
}

} // namespace

// @p tensor with these sizes, -1 for those that stay: it has them already, or 1 in their place.
Ref Executor::expanded(const Ref &tensor, const std::vector<int64_t> &sizes, const Place &place)
{
    const auto found = torch::jit::findOperatorFor(c10::OperatorName("aten::expand", ""));
    const std::vector<Ref> inputs = {tensor, recording_.constant(c10::IValue(sizes)),
                                     recording_.plain(false)};
    Lanes results;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        const at::Tensor &from = tensor->tensor(lane);
        std::vector<int64_t> made = sizes;
        for (size_t dim = 0; dim < made.size(); dim++) {
            made[dim] = made[dim] < 0 ? from.size(static_cast<int64_t>(dim)) : made[dim];
        }
        results.push_back({meta_tensor(made, from.scalar_type())});
    }
    Call call = {nullptr, found->schema(), found->getOperation(), inputs, place};
    return make_outputs(call, Mode::Meta, results, true).at(0);
}

// Where a size that the data decides meets a fixed one, libtorch takes the operand if it has the
// fixed size, or 1: so does Expand, and the result has the fixed size. Nothing where none meet.
std::optional<std::vector<Ref>> Executor::fitted(const Call &call)
{
    if (!has_fact(call.schema.name(), HTP_FACT_BROADCASTS)) {
        return std::nullopt;
    }
    std::vector<Ref> inputs = call.inputs;
    for (Ref &input : inputs) {
        if (!input->is_tensor() || !input->is_data) {
            continue;
        }
        const int64_t rank = input->tensor(0).dim();
        std::vector<int64_t> sizes(static_cast<size_t>(rank), -1);
        bool is_fitted = false;
        for (const Ref &other : call.inputs) {
            for (int64_t k = 1; k <= rank && other->is_tensor(); k++) {
                const int64_t size = fixed_size(recording_, *other, k);
                if (size > 1 && fixed_size(recording_, *input, k) == 0) {
                    sizes[static_cast<size_t>(rank - k)] = size;
                    is_fitted = true;
                }
            }
        }
        input = is_fitted ? expanded(input, sizes, call.place) : input;
    }
    return inputs == call.inputs ? std::nullopt : std::optional<std::vector<Ref>>(inputs);
}

// Outputs that look like the first operand, and are it where the operator works in place.
Executor::Lanes Executor::like_first(const Call &call) const
{
    const bool is_in_place = is_written(call.schema.arguments().at(0));
    Lanes results;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        const at::Tensor first = operand(call, 0, lane, Mode::Meta).toTensor();
        results.push_back({is_in_place ? first : at::empty_like(first)});
    }
    return results;
}

// x[mask], and x[mask] = values: a mask stands for as many index tensors as it has dims.
std::optional<Executor::Lanes> Executor::masked(Call &call)
{
    const std::string &name = call.schema.name();
    const bool puts = name == "aten::index_put" || name == "aten::index_put_";
    if ((!puts && name != "aten::index") || call.inputs[1]->kind != Item::Kind::List) {
        return std::nullopt;
    }
    const std::vector<Ref> &given = call.inputs[1]->elements;
    if (std::none_of(given.begin(), given.end(), [](const Ref &one) { return is_mask(*one); })) {
        return std::nullopt;
    }
    if (puts) {
        return like_first(call);
    }
    const Ref &first =
        *std::find_if(given.begin(), given.end(), [](const Ref &one) { return is_mask(*one); });
    const htp_shim_size size = count_of(first, base_name(call.schema));
    std::vector<Ref> indices;
    for (const Ref &one : given) {
        const int64_t columns = is_mask(*one) ? one->tensor(0).dim() : 0;
        for (int64_t i = 0; i < columns; i++) {
            const Ref column = recording_.make(Item::Kind::Tensor);
            for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
                column->lane[lane] = meta_tensor({size.sizes[lane]}, at::kLong);
            }
            indices.push_back(column);
        }
        if (!is_mask(*one)) {
            indices.push_back(one);
        }
    }
    std::vector<Ref> inputs = call.inputs;
    inputs[1] = recording_.sequence(Item::Kind::List, std::move(indices));
    Call other = {call.node, call.schema, call.operation, inputs, call.place};
    return run_lanes(other, Mode::Meta);
}

namespace
{

bool is_data_number(const std::vector<Ref> &inputs, size_t index)
{
    return index < inputs.size() && inputs[index]->kind == Item::Kind::Plain &&
           (inputs[index]->is_data || !inputs[index]->has_lanes);
}

// Whether a slice's bound is None, or the constant that a traced program has in its place.
bool is_bound(const std::vector<Ref> &inputs, size_t index, int64_t otherwise)
{
    if (is_none(inputs, index)) {
        return true;
    }
    const Item &item = *inputs[index];
    return item.kind == Item::Kind::Plain && item.is_constant && item.lane[0].isInt() &&
           item.lane[0].toInt() == otherwise;
}

// What the size of a slice with constant bounds follows from, where that of its dim is made up: as
// many are left by x[1:] as by x[:-1].
std::string slice_of(const std::vector<Ref> &inputs, int64_t whole)
{
    constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
    const int64_t begin = is_none(inputs, 2) ? 0 : inputs[2]->lane[0].toInt();
    const int64_t end = is_none(inputs, 3) ? kEnd : inputs[3]->lane[0].toInt();
    std::ostringstream text;
    text << "slice of " << whole << " by " << fixed_number(inputs, 4) << " ";
    if (begin >= 0 && (end < 0 || end == kEnd)) {
        text << "less " << begin - (end < 0 ? end : 0);
    } else {
        text << begin << " to " << end;
    }
    return text.str();
}

// Whether a slice has no element in any lane, although it begins behind its end in some: at other
// sizes it may have elements. What always begins where it ends is empty for good.
bool is_empty_by_chance(const std::vector<Ref> &inputs, int64_t dim, uint32_t lane_count)
{
    const bool is_stepped =
        std::any_of(inputs.begin(), inputs.end(), [](const Ref &one) { return one->is_stepped; });
    bool is_cut = false;
    bool differs = false;
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        const int64_t whole = inputs[0]->tensor(lane).size(dim);
        const auto bound = [&](size_t index, int64_t otherwise) {
            const bool is_given = !is_none(inputs, index) && inputs[index]->lane[lane].isInt();
            const int64_t given = is_given ? inputs[index]->lane[lane].toInt() : otherwise;
            differs = differs || (is_given && inputs[index]->lane[0] != inputs[index]->lane[lane]);
            return given < 0 ? given + whole : given;
        };
        const int64_t begin = std::max<int64_t>(bound(2, 0), 0);
        const int64_t end = std::min(bound(3, whole), whole);
        differs = differs || whole != inputs[0]->tensor(0).size(dim);
        is_cut = is_cut || end < begin || is_stepped;
        if (begin < end) {
            return false;
        }
    }
    return is_cut && differs;
}

} // namespace

// Slices whose bounds, or whose dim's size, the data decides; and positions that it decides.
std::optional<Executor::Lanes> Executor::moved(Call &call)
{
    const std::string &name = call.schema.name();
    const std::vector<Ref> &inputs = call.inputs;
    const auto with = [&](std::initializer_list<size_t> positions, const Ref &value) {
        std::vector<Ref> changed = inputs;
        for (const size_t position : positions) {
            changed[position] = value;
        }
        return changed;
    };
    const bool any_bound = is_data_number(inputs, 2) || is_data_number(inputs, 3);
    if (name == "aten::slice" && inputs[0]->is_tensor()) {
        int64_t dim = fixed_number(inputs, 1);
        dim += dim < 0 ? inputs[0]->tensor(0).dim() : 0;
        if (!any_bound && !inputs[0]->is_data) {
            return is_empty_by_chance(inputs, dim, recording_.lane_count)
                       ? std::optional<Lanes>(
                             lanes_with_size(call, with({2, 3}, recording_.plain(c10::IValue())),
                                             dim, recording_.new_size("slice")))
                       : std::nullopt;
        }
        const auto size_in = [&](uint32_t lane) { return inputs[0]->tensor(lane).size(dim); };
        const bool is_fixed = size_in(0) == size_in(1 % recording_.lane_count);
        const bool is_all =
            is_bound(inputs, 2, 0) && is_bound(inputs, 3, std::numeric_limits<int64_t>::max());
        if (!any_bound && (is_fixed || is_all)) {
            return std::nullopt;
        }
        const htp_shim_size size = any_bound || inputs.size() < 5
                                       ? recording_.new_size("slice")
                                       : size_of(slice_of(inputs, size_in(0)), "slice");
        return lanes_with_size(call, with({2, 3}, recording_.plain(c10::IValue())), dim, size);
    }
    if (name == "aten::topk" && is_data_number(inputs, 1) && inputs[0]->tensor(0).dim() > 0) {
        int64_t dim = fixed_number(inputs, 2);
        dim += dim < 0 ? inputs[0]->tensor(0).dim() : 0;
        htp_shim_size size = {};
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            size.sizes[lane] = inputs[1]->lane[lane].toInt();
        }
        return lanes_with_size(call, with({1}, recording_.plain(0)), dim, size);
    }
    if ((name == "aten::slice_scatter" || name == "aten::select_scatter") &&
        has_data(call.inputs)) {
        return like_first(call);
    }
    if ((name == "aten::select" || name == "aten::narrow") && is_data_number(inputs, 2)) {
        std::vector<Ref> changed = with({2}, recording_.plain(0));
        Call other = {call.node, call.schema, call.operation, changed, call.place};
        Lanes results = run_lanes(other, Mode::Meta);
        call.storages = other.storages;
        return results;
    }
    return std::nullopt;
}

} // namespace htp
