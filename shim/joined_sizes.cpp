// cat() of tensors with sizes that the data decides.
//
// Where it runs, the sizes beside the joined dim are equal: one that is known tells the others.
#include "execute.h"

#include <algorithm>

namespace htp
{

namespace
{

// Whether a dim has one size in all lanes, or follows from the inputs' sizes.
bool is_known(const Item &item, int64_t dim, uint32_t lane_count)
{
    bool is_fixed = !item.is_data;
    bool is_same = true;
    for (uint32_t lane = 1; lane < lane_count; lane++) {
        is_same = is_same && item.tensor(lane).size(dim) == item.tensor(0).size(dim);
    }
    return is_fixed || is_same;
}

} // namespace

std::optional<Executor::Lanes> Executor::joined(Call &call)
{
    if (call.schema.name() != "aten::cat" || call.inputs[0]->kind != Item::Kind::List ||
        call.inputs[1]->kind != Item::Kind::Plain || !call.inputs[1]->is_constant) {
        return std::nullopt;
    }
    const std::vector<Ref> &parts = call.inputs[0]->elements;
    if (parts.empty() || !parts[0]->is_tensor()) {
        return std::nullopt;
    }
    const int64_t rank = parts[0]->tensor(0).dim();
    const bool has_one_rank = std::all_of(parts.begin(), parts.end(), [&](const Ref &part) {
        return part->is_tensor() && part->tensor(0).dim() == rank;
    });
    if (!has_one_rank || !has_data(call.inputs)) {
        return std::nullopt;
    }
    int64_t joined_dim = call.inputs[1]->lane[0].toInt();
    joined_dim += joined_dim < 0 ? rank : 0;
    std::vector<Ref> made = parts;
    bool differs = false;
    for (int64_t dim = 0; dim < rank; dim++) {
        const auto known = std::find_if(parts.begin(), parts.end(), [&](const Ref &part) {
            return is_known(*part, dim, recording_.lane_count);
        });
        const Item &model = known == parts.end() ? *parts[0] : **known;
        for (Ref &part : made) {
            bool is_same = dim == joined_dim;
            for (uint32_t lane = 0; lane < recording_.lane_count && dim != joined_dim; lane++) {
                is_same = part->tensor(lane).size(dim) == model.tensor(lane).size(dim) &&
                          (lane == 0 || is_same);
            }
            if (!is_same && !is_known(*part, dim, recording_.lane_count)) {
                part = with_size(*part, dim, model);
                differs = true;
            }
        }
    }
    if (!differs) {
        return std::nullopt;
    }
    const std::vector<Ref> inputs = {recording_.sequence(Item::Kind::List, std::move(made)),
                                     call.inputs[1]};
    Call other = {call.node, call.schema, call.operation, inputs, call.place};
    return run_lanes(other, Mode::Meta);
}

// A tensor without contents like @p tensor, with a dim of the size that it has in @p model.
Ref Executor::with_size(const Item &tensor, int64_t dim, const Item &model)
{
    Ref made = recording_.make(Item::Kind::Tensor);
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<int64_t> sizes = tensor.tensor(lane).sizes().vec();
        sizes[static_cast<size_t>(dim)] = model.tensor(lane).size(dim);
        made->lane[lane] =
            at::empty(sizes, tensor.tensor(lane).options().device(at::kMeta).requires_grad(false));
    }
    made->is_data = tensor.is_data;
    return made;
}

} // namespace htp
