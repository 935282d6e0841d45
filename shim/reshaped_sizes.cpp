// view(), reshape() and padding of tensors with sizes that the data decides: of a part of an axis
// that was padded on one side of a branch, say.
//
// Sizes that were made up need not be multiples of what they are divided by, although those of a
// run are: whether the elements are as many is left to the run, which fails where libtorch does. So
// is whether there are as many elements beside an edge as are to be mirrored there.
#include "execute.h"

#include "layouts.h"
#include "operator_facts.h"

#include <algorithm>
#include <sstream>

namespace htp
{

namespace
{

bool is_reshaping(const std::string &name)
{
    return name == "aten::view" || name == "aten::reshape" || name == "aten::_unsafe_view";
}

// The numbers of a list; nothing where they are no ints.
std::optional<std::vector<int64_t>> numbers_of(const Item &list, uint32_t lane)
{
    std::vector<int64_t> numbers;
    for (const Ref &element : list.elements) {
        if (element->kind != Item::Kind::Plain || !element->has_lanes ||
            !element->lane[lane].isInt()) {
            return std::nullopt;
        }
        numbers.push_back(element->lane[lane].toInt());
    }
    return numbers;
}

// The sizes that are asked for, -1 for the one that follows from the others; nothing where they are
// no list of ints, or could not be sizes.
std::optional<std::vector<int64_t>> sizes_asked(const Item &list, uint32_t lane)
{
    const auto sizes = numbers_of(list, lane);
    const bool are_sizes =
        sizes && std::all_of(sizes->begin(), sizes->end(), [](int64_t size) { return size >= -1; });
    return are_sizes && std::count(sizes->begin(), sizes->end(), -1) < 2 ? sizes : std::nullopt;
}

int64_t product_of(const std::vector<int64_t> &sizes)
{
    int64_t product = 1;
    for (const int64_t size : sizes) {
        product = size == -1 ? product : product * size;
    }
    return product;
}

// The sizes of a tensor with widths in front of and behind its last dims, the last one first;
// nothing where there are no such sizes.
std::optional<std::vector<int64_t>> padded_sizes(const at::Tensor &tensor,
                                                 const std::vector<int64_t> &widths)
{
    std::vector<int64_t> sizes = tensor.sizes().vec();
    if (widths.size() % 2 != 0 || widths.size() / 2 > sizes.size()) {
        return std::nullopt;
    }
    for (size_t i = 0; i < widths.size() / 2; i++) {
        int64_t &size = sizes[sizes.size() - 1 - i];
        if (__builtin_add_overflow(size, widths[2 * i], &size) ||
            __builtin_add_overflow(size, widths[2 * i + 1], &size) || size < 0) {
            return std::nullopt;
        }
    }
    return sizes;
}

} // namespace

// The output of a padding that mirrors more than there is beside an edge, by widths that were made
// up; nothing for other operators.
std::optional<Executor::Lanes> Executor::padded(Call &call) const
{
    if (!has_fact(call.schema.name(), HTP_FACT_PADS) || !call.inputs[0]->is_tensor() ||
        call.inputs[1]->kind != Item::Kind::List || call.inputs[1]->stacked) {
        return std::nullopt;
    }
    Lanes results;
    call.storages.clear();
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        torch::jit::Stack stack(call.inputs.size());
        stack[0] = operand(call, 0, lane, Mode::Meta);
        const at::Tensor &given = stack[0].toTensor();
        const auto widths = numbers_of(*call.inputs[1], lane);
        const auto sizes = widths ? padded_sizes(given, *widths) : std::nullopt;
        if (!sizes) {
            return std::nullopt;
        }
        note_storages(call, stack);
        results.push_back({at::empty(*sizes, given.options())});
    }
    return results;
}

// The outputs of an operator whose sizes do not fit those that were made up; nothing for other
// operators. What lies apart in memory is copied, or so it is told: note_view() knows better.
std::optional<Executor::Lanes> Executor::reshaped(Call &call)
{
    const std::string &name = call.schema.name();
    if (!is_reshaping(name) || call.inputs.size() < 2 || !call.inputs[0]->is_tensor() ||
        call.inputs[1]->kind != Item::Kind::List || call.inputs[1]->stacked) {
        return std::nullopt;
    }
    const Item &self = *call.inputs[0];
    std::vector<std::vector<int64_t>> asked;
    std::ostringstream rest;
    rest << "rest of";
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        const auto sizes = sizes_asked(*call.inputs[1], lane);
        const bool is_dense = self.tensor(lane).is_contiguous();
        if (!sizes || (!is_dense && (name != "aten::reshape" || !self.is_data))) {
            return std::nullopt;
        }
        asked.push_back(*sizes);
        rest << " " << self.tensor(lane).numel() << " by " << product_of(*sizes);
    }
    Lanes results;
    call.storages.clear();
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        for (int64_t &size : asked[lane]) {
            size = size == -1 ? size_of(rest.str(), base_name(call.schema)).sizes[lane] : size;
        }
        const c10::IValue given = operand(call, 0, lane, Mode::Meta);
        note_storages(call, {given, c10::IValue()});
        const bool is_view = given.toTensor().is_contiguous();
        results.push_back({is_view ? reshaped_on_memory(given.toTensor(), asked[lane])
                                   : at::empty(asked[lane], given.toTensor().options())});
    }
    return results;
}

} // namespace htp
