// The sizes of packed sequences: how many steps there are together, and how many the longest has.
#include "execute.h"

namespace htp
{

namespace
{

at::Tensor meta(at::IntArrayRef sizes, at::ScalarType type)
{
    return at::empty(sizes, at::device(at::kMeta).dtype(type));
}

} // namespace

// _pack_padded_sequence(input, lengths, batch_first) and
// _pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length)
std::optional<Executor::Lanes> Executor::packed(const Call &call)
{
    const std::vector<Ref> &inputs = call.inputs;
    const bool packs = call.schema.name() == "aten::_pack_padded_sequence";
    if (!packs && call.schema.name() != "aten::_pad_packed_sequence") {
        return std::nullopt;
    }
    Lanes results;
    if (packs) {
        const htp_shim_size steps = recording_.new_size("steps");
        const htp_shim_size longest = recording_.new_size("longest");
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            const at::Tensor &input = inputs[0]->tensor(lane);
            TORCH_CHECK(input.dim() >= 2, "expected an input of 2 dims or more, got ",
                        input.sizes());
            std::vector<int64_t> sizes = input.sizes().vec();
            sizes.erase(sizes.begin());
            sizes.at(0) = steps.sizes[lane];
            results.push_back(
                {meta(sizes, input.scalar_type()), meta({longest.sizes[lane]}, at::kLong)});
        }
        return results;
    }
    if (!inputs[2]->is_constant || inputs[4]->kind != Item::Kind::Plain) {
        throw Unsupported("a number that it needs depends on the data");
    }
    // As many sequences as lengths were packed.
    const uint32_t producer = inputs[1]->producer;
    const bool is_known = producer != HTP_SHIM_NONE &&
                          recording_.nodes[producer].kind == "aten::_pack_padded_sequence";
    const htp_shim_size made_up = is_known ? htp_shim_size() : recording_.new_size("sequences");
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<int64_t> sizes = inputs[0]->tensor(lane).sizes().vec();
        const int64_t batch =
            is_known ? recording_.items[recording_.nodes[producer].inputs[1]]->tensor(lane).size(0)
                     : made_up.sizes[lane];
        const int64_t total = inputs[4]->lane[lane].toInt();
        const int64_t time = total > 0 ? total : inputs[1]->tensor(lane).size(0);
        const bool batch_first = inputs[2]->lane[0].toBool();
        sizes.at(0) = batch_first ? batch : time;
        sizes.insert(sizes.begin() + 1, batch_first ? time : batch);
        results.push_back(
            {meta(sizes, inputs[0]->tensor(lane).scalar_type()), meta({batch}, at::kLong)});
    }
    return results;
}

} // namespace htp
