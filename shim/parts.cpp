// Tensors taken apart into lists whose length a dynamic dim or the data decides.
#include "control.h"

#include <algorithm>

namespace htp
{

namespace
{

// Whether a list is taken apart into as many values as the program names.
bool is_unpacked(const torch::jit::Node &node)
{
    const auto &uses = node.outputs()[0]->uses();
    return std::any_of(uses.begin(), uses.end(), [](const auto &use) {
        return use.user->kind() == torch::jit::prim::ListUnpack;
    });
}

} // namespace

// The dim that parts of @p tensor are taken along, where a dynamic dim or the data decides how many
// there are; -1 where their number is known.
int64_t Interpreter::find_open_dim(const Node &node, const Ref &tensor, const Ref &dim) const
{
    if (is_unpacked(node) || !tensor->is_tensor() || !is_decided(dim)) {
        return -1;
    }
    const int64_t at = wrapped(dim->lane[0].toInt(), tensor->tensor(0).dim());
    return at < 0 || recording_.is_fixed(*tensor, at) ? -1 : at;
}

// unbind() along a dim whose size is not known
std::vector<Ref> Interpreter::do_unbind(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    if (inputs.size() < 2 || find_open_dim(node, inputs[0], inputs[1]) < 0) {
        return executor_.run(node, inputs, place);
    }
    return {grown_list(executor_.run_named("aten::movedim", "int",
                                           {inputs[0], inputs[1], recording_.plain(0)}, place))};
}

// split() into parts of one size: the last one may be smaller.
std::vector<Ref> Interpreter::do_split(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref &size = inputs[1];
    if (size->is_number() && (size->is_data || !size->has_lanes)) {
        return {parts_of_data_size(node, inputs, place)};
    }
    const bool has_size = is_decided(size) && size->lane[0].isInt() && size->lane[0].toInt() >= 1;
    const int64_t dim =
        has_size && inputs.size() > 2 ? find_open_dim(node, inputs[0], inputs[2]) : -1;
    if (dim < 0) {
        return executor_.run(node, inputs, place);
    }
    return {parts_of("aten::split.Tensor", "split_size", inputs, dim, place)};
}

// split() into parts whose size the data decides, and with it how many there are.
Ref Interpreter::parts_of_data_size(const Node &node, const std::vector<Ref> &inputs,
                                    const Place &place)
{
    const bool is_known = inputs.size() > 2 && inputs[0]->is_tensor() && is_decided(inputs[2]);
    const int64_t dim =
        is_known ? wrapped(inputs[2]->lane[0].toInt(), inputs[0]->tensor(0).dim()) : -1;
    if (dim < 0 || is_unpacked(node)) {
        throw Unsupported("into how many parts a tensor is split depends on the data, " +
                          recording_.describe(place));
    }
    return parts_of("aten::split.Tensor", "split_size", inputs, dim, place);
}

// chunk() into a number of parts, or fewer where there are few elements: only two are two whenever
// there is more than one element.
std::vector<Ref> Interpreter::do_chunk(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref &count = inputs[1];
    const int64_t chunks = is_decided(count) && count->lane[0].isInt() ? count->lane[0].toInt() : 0;
    const int64_t dim =
        chunks > 1 && inputs.size() > 2 ? find_open_dim(node, inputs[0], inputs[2]) : -1;
    bool is_two = chunks == 2;
    for (uint32_t lane = 0; lane < recording_.lane_count && dim >= 0; lane++) {
        is_two = is_two && inputs[0]->tensor(lane).size(dim) > 1;
    }
    if (dim < 0 || is_two) {
        return executor_.run(node, inputs, place);
    }
    return {parts_of("aten::chunk", "chunks", inputs, dim, place)};
}

// Parts of a tensor as a list, whose length the data decides.
Ref Interpreter::parts_of(const char *kind, const char *option, const std::vector<Ref> &inputs,
                          int64_t dim, const Place &place)
{
    const Ref made = sequence_like(*inputs[0], false);
    widen(*made, *inputs[0], place);
    resize(*made, dim, "split");
    return grown_list(record_sequence(kind, {inputs[0], inputs[1], recording_.plain(dim)},
                                      {"self", option, "dim"}, made, {inputs[0]}, place));
}

} // namespace htp
