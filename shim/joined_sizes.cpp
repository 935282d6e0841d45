// cat() of tensors with sizes that the data decides, and operands of such sizes that meet.
//
// Where cat() runs, the sizes beside the joined dim are equal: one that is known tells the others.
// Sizes that meet are equal, too, or one of them is 1: which, is left to the run.
#include "execute.h"

#include "operator_facts.h"

#include <algorithm>
#include <sstream>

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

// The outputs of an operator whose operands have sizes that do not meet, because the data decides
// one of them; nothing for other operators.
std::optional<Executor::Lanes> Executor::met(Call &call)
{
    int64_t rank = 0;
    if (!has_fact(call.schema.name(), HTP_FACT_BROADCASTS) || call.schema.is_mutable()) {
        return std::nullopt;
    }
    for (const Ref &input : call.inputs) {
        rank = input->is_tensor() ? std::max(rank, input->tensor(0).dim()) : rank;
    }
    std::vector<Ref> made = call.inputs;
    for (int64_t from_end = 1; from_end <= rank; from_end++) {
        meet(made, from_end);
    }
    if (made == call.inputs) {
        return std::nullopt;
    }
    Call other = {call.node, call.schema, call.operation, made, call.place};
    return run_lanes(other, Mode::Meta);
}

// Gives operands the size at which they meet, where the data decides one of those along a dim.
void Executor::meet(std::vector<Ref> &inputs, int64_t from_end)
{
    std::vector<size_t> wide;
    std::ostringstream text;
    bool differs = false;
    bool is_data = false;
    text << "meeting of";
    for (size_t i = 0; i < inputs.size(); i++) {
        const int64_t dim = inputs[i]->is_tensor() ? inputs[i]->tensor(0).dim() - from_end : -1;
        if (dim < 0 ||
            (recording_.is_fixed(*inputs[i], dim) && inputs[i]->tensor(0).size(dim) == 1)) {
            continue;
        }
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            text << " " << inputs[i]->tensor(lane).size(dim);
        }
        const int64_t first = wide.empty() ? dim : inputs[wide[0]]->tensor(0).dim() - from_end;
        differs = differs || (!wide.empty() &&
                              !recording_.has_same_size(*inputs[i], dim, *inputs[wide[0]], first));
        is_data = is_data || inputs[i]->is_data;
        wide.push_back(i);
    }
    if (!differs || !is_data) {
        return;
    }
    const htp_shim_size size = size_of(text.str(), "size");
    for (const size_t i : wide) {
        inputs[i] = with_size(*inputs[i], inputs[i]->tensor(0).dim() - from_end, size);
    }
}

// A tensor without contents like @p tensor, with a dim of the size that it has in @p model.
Ref Executor::with_size(const Item &tensor, int64_t dim, const Item &model)
{
    htp_shim_size size = {};
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        size.sizes[lane] = model.tensor(lane).size(dim);
    }
    return with_size(tensor, dim, size);
}

Ref Executor::with_size(const Item &tensor, int64_t dim, const htp_shim_size &size)
{
    Ref made = recording_.make(Item::Kind::Tensor);
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<int64_t> sizes = tensor.tensor(lane).sizes().vec();
        sizes[static_cast<size_t>(dim)] = size.sizes[lane];
        made->lane[lane] =
            at::empty(sizes, tensor.tensor(lane).options().device(at::kMeta).requires_grad(false));
    }
    made->is_data = tensor.is_data;
    return made;
}

} // namespace htp
