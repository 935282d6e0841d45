// Sizes that a check of the program tells: what raises for others has this one where it goes on.
#include "interpreter.h"

#include "layouts.h"

#include <algorithm>

namespace htp
{

// The dim that a number is the size of, as aten::size gives it; -1 for other numbers.
int64_t Interpreter::dim_of_size(const Item &number) const
{
    if (number.producer == HTP_SHIM_NONE) {
        return -1;
    }
    const RecordedNode &node = recording_.nodes[number.producer];
    if (node.kind == "aten::size.int") {
        const Item &dim = *recording_.items[node.inputs[1]];
        const int64_t rank = recording_.items[node.inputs[0]]->tensor(0).dim();
        return dim.is_constant ? (dim.lane[0].toInt() + rank) % rank : -1;
    }
    const auto &sizes = recording_.items[node.outputs[0]]->elements;
    const auto found = std::find_if(sizes.begin(), sizes.end(),
                                    [&](const Ref &size) { return size.get() == &number; });
    return node.kind == "aten::size" && found != sizes.end() ? found - sizes.begin() : -1;
}

// A check on the data passes on @p side of it: a tensor of this block, of which it compares a size
// with a number, has that size from here on.
void Interpreter::learn_size(const Item &condition, bool side)
{
    if (condition.producer == HTP_SHIM_NONE || condition.has_lanes) {
        return;
    }
    const RecordedNode &node = recording_.nodes[condition.producer];
    if (node.kind != (side ? "aten::eq.int" : "aten::ne.int")) {
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        const Item &size = *recording_.items[node.inputs[i]];
        const Item &number = *recording_.items[node.inputs[1 - i]];
        const int64_t dim = dim_of_size(size);
        if (dim < 0 || !number.is_constant || number.is_data) {
            continue;
        }
        Item &tensor = *recording_.items[recording_.nodes[size.producer].inputs[0]];
        const bool is_made_here = tensor.is_tensor() && tensor.is_data &&
                                  tensor.producer != HTP_SHIM_NONE &&
                                  recording_.nodes[tensor.producer].block == recording_.block;
        for (uint32_t lane = 0; is_made_here && lane < recording_.lane_count; lane++) {
            tensor.lane[lane] = resized(tensor.tensor(lane), dim, number.lane[lane].toInt());
        }
    }
}

} // namespace htp
