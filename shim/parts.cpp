// Tensors taken apart into lists whose length a dynamic dim or the data decides.
#include "control.h"

#include <algorithm>

namespace htp
{

// Whether a list of the parts of @p tensor has a length that a dynamic dim or the data decides.
bool Interpreter::is_open(const Node &node, const Ref &tensor, const Ref &dim) const
{
    const auto &uses = node.outputs()[0]->uses();
    const bool is_unpacked = std::any_of(uses.begin(), uses.end(), [](const auto &use) {
        return use.user->kind() == torch::jit::prim::ListUnpack;
    });
    if (is_unpacked || !tensor->is_tensor() || tensor->tensor(0).dim() == 0 || !is_decided(dim)) {
        return false;
    }
    const int64_t rank = tensor->tensor(0).dim();
    const int64_t given = dim->lane[0].toInt();
    const int64_t at = given < 0 ? given + rank : given;
    bool differs = false;
    for (uint32_t lane = 1; at >= 0 && at < rank && lane < recording_.lane_count; lane++) {
        differs = differs || tensor->tensor(lane).size(at) != tensor->tensor(0).size(at);
    }
    return differs;
}

// unbind() along a dim whose size is not known
std::vector<Ref> Interpreter::do_unbind(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    if (inputs.size() < 2 || !is_open(node, inputs[0], inputs[1])) {
        return executor_.run(node, inputs, place);
    }
    const Ref list = recording_.sequence(Item::Kind::List, {});
    list->stacked = executor_.run_named("aten::movedim", "int",
                                        {inputs[0], inputs[1], recording_.plain(0)}, place);
    return {list};
}

// split() into parts of one size: the last one may be smaller.
std::vector<Ref> Interpreter::do_split(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref &size = inputs[1];
    if (!is_decided(size) || !size->lane[0].isInt() || size->lane[0].toInt() < 1 ||
        inputs.size() < 3 || !is_open(node, inputs[0], inputs[2])) {
        return executor_.run(node, inputs, place);
    }
    const int64_t rank = inputs[0]->tensor(0).dim();
    const int64_t given = inputs[2]->lane[0].toInt();
    const int64_t dim = given < 0 ? given + rank : given;
    const Ref made = sequence_like(*inputs[0], false);
    widen(*made, *inputs[0], place);
    resize(*made, dim, "split");
    const Ref list = recording_.sequence(Item::Kind::List, {});
    list->stacked = record_sequence("aten::split.Tensor", {inputs[0], size, recording_.plain(dim)},
                                    {"self", "split_size", "dim"}, made, {inputs[0]}, place);
    return {list};
}

} // namespace htp
