// view() and reshape() of tensors with sizes that the data decides: of a part of an axis that was
// padded on one side of a branch, say.
//
// Sizes that were made up need not be multiples of what they are divided by, although those of a
// run are: whether the elements are as many is left to the run, which fails where libtorch does.
#include "execute.h"

#include "layouts.h"
#include "operator_facts.h"

#include <sstream>

namespace htp
{

namespace
{

bool is_reshaping(const std::string &name)
{
    return name == "aten::view" || name == "aten::reshape" || name == "aten::_unsafe_view";
}

// The sizes that are asked for, -1 for the one that follows from the others; nothing where they are
// no list of ints, or could not be sizes.
std::optional<std::vector<int64_t>> sizes_asked(const Item &list, uint32_t lane)
{
    std::vector<int64_t> sizes;
    size_t open = 0;
    for (const Ref &element : list.elements) {
        const bool is_int =
            element->kind == Item::Kind::Plain && element->has_lanes && element->lane[lane].isInt();
        if (!is_int || element->lane[lane].toInt() < -1) {
            return std::nullopt;
        }
        sizes.push_back(element->lane[lane].toInt());
        open += sizes.back() == -1 ? 1 : 0;
    }
    return open < 2 ? std::optional<std::vector<int64_t>>(sizes) : std::nullopt;
}

int64_t product_of(const std::vector<int64_t> &sizes)
{
    int64_t product = 1;
    for (const int64_t size : sizes) {
        product = size == -1 ? product : product * size;
    }
    return product;
}

} // namespace

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
