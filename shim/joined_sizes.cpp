// cat() of tensors with sizes that the data decides.
//
// Where it runs, the sizes beside the joined dim are equal: one that is known tells the others.
#include "execute.h"

#include <algorithm>

namespace htp
{

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
    // A size that is fixed, or follows from the inputs' sizes.
    const auto is_known = [&](const Ref &part, int64_t dim) {
        return !part->is_data || recording_.is_fixed(*part, dim);
    };
    std::vector<Ref> made = parts;
    bool differs = false;
    for (int64_t dim = 0; dim < rank; dim++) {
        const auto known = std::find_if(parts.begin(), parts.end(),
                                        [&](const Ref &part) { return is_known(part, dim); });
        const Item &model = known == parts.end() ? *parts[0] : **known;
        for (Ref &part : made) {
            const bool is_free =
                dim == joined_dim || recording_.has_same_size(*part, dim, model, dim);
            if (!is_free && !is_known(part, dim)) {
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
