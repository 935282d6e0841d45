// Tensors taken apart into lists whose length a dynamic dim or the data decides.
#include "control.h"

#include <algorithm>

namespace htp
{

// The dim that parts of @p tensor are taken along, where a dynamic dim or the data decides how many
// there are; -1 where their number is known.
int64_t Interpreter::find_open_dim(const Node &node, const Ref &tensor, const Ref &dim) const
{
    const auto &uses = node.outputs()[0]->uses();
    const bool is_unpacked = std::any_of(uses.begin(), uses.end(), [](const auto &use) {
        return use.user->kind() == torch::jit::prim::ListUnpack;
    });
    if (is_unpacked || !tensor->is_tensor() || !is_decided(dim)) {
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
    const bool has_size = is_decided(size) && size->lane[0].isInt() && size->lane[0].toInt() >= 1;
    const int64_t dim =
        has_size && inputs.size() > 2 ? find_open_dim(node, inputs[0], inputs[2]) : -1;
    if (dim < 0) {
        return executor_.run(node, inputs, place);
    }
    const Ref made = sequence_like(*inputs[0], false);
    widen(*made, *inputs[0], place);
    resize(*made, dim, "split");
    return {
        grown_list(record_sequence("aten::split.Tensor", {inputs[0], size, recording_.plain(dim)},
                                   {"self", "split_size", "dim"}, made, {inputs[0]}, place))};
}

} // namespace htp
