#include "hint_weights.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <string>

namespace htp
{

namespace
{

using torch::jit::Node;
using torch::jit::Value;

constexpr int64_t kMaxLayers = 1 << 10;

void set_dims(htp_shim_hint &hint, size_t rank, const int64_t *dims)
{
    constexpr size_t kMaxRank = sizeof(hint.weight_dims) / sizeof(hint.weight_dims[0]);
    if (rank <= kMaxRank) {
        hint.weight_rank = static_cast<uint32_t>(rank);
        std::copy_n(dims, rank, hint.weight_dims);
    }
}

// A tensor that the code holds: the weights of a frozen module are constants.
at::Tensor constant(const Value *value)
{
    if (value->node()->kind() != torch::jit::prim::Constant) {
        return {};
    }
    const auto known = torch::jit::toIValue(value);
    return known && known->isTensor() ? known->toTensor() : at::Tensor();
}

const Value *operand(const Node &node, const char *name)
{
    const auto &arguments = node.getOperator().schema().arguments();
    for (size_t i = 0; i < arguments.size() && i < node.inputs().size(); i++) {
        if (arguments[i].name() == name) {
            return node.inputs()[i];
        }
    }
    return nullptr;
}

// A number of the program; @p otherwise where it is not known.
int64_t number(const Value *value, int64_t otherwise)
{
    const auto known = value ? torch::jit::toIValue(value) : c10::nullopt;
    return known && known->isInt()    ? known->toInt()
           : known && known->isBool() ? static_cast<int64_t>(known->toBool())
                                      : otherwise;
}

// A convolution's weight may be computed: its strides tell its rank.
void count_strides(const Node &node, htp_shim_hint &hint)
{
    constexpr size_t kMaxDims = 3;
    const Value *stride = operand(node, "stride");
    if (stride == nullptr || operand(node, "input") != node.input(0)) {
        return;
    }
    const auto value = torch::jit::toIValue(stride);
    const Node *made = stride->node();
    size_t count = made->kind() == torch::jit::prim::ListConstruct ? made->inputs().size()
                   : value && value->isIntList()                   ? value->toIntVector().size()
                                                                   : kMaxDims + 1;
    hint.weight_rank = count <= kMaxDims ? static_cast<uint32_t>(count) + 2 : 0;
}

// Rows that are cut into more dims than an image has, view(-1, 3, 2, 14, 14), have as many
// features as these have elements: a weight could not tell it better.
void multiply_rows(const Node &node, htp_shim_hint &hint)
{
    constexpr size_t kMinDims = 5;
    const Value *size = operand(node, "size");
    size = size ? size : operand(node, "shape");
    if (size == nullptr || node.inputs().size() != 2 || size != node.input(1) ||
        size->node()->kind() != torch::jit::prim::ListConstruct ||
        size->node()->inputs().size() < kMinDims) {
        return;
    }
    int64_t product = 1;
    bool is_open = false; // -1, first
    for (const Value *element : size->node()->inputs()) {
        const int64_t known = number(element, 0);
        const bool is_known = is_open ? known > 0 && known < INT32_MAX : known == -1;
        if (!is_known || product > INT32_MAX) {
            return;
        }
        product *= is_open ? known : 1;
        is_open = true;
    }
    set_dims(hint, 1, &product);
}

// A convolution's weight has the channels of one group: count those of the input.
void scale_by_groups(const Node &node, htp_shim_hint &hint)
{
    if (hint.weight_rank >= 2) {
        hint.weight_dims[1] *= number(operand(node, "groups"), 1);
    }
}

// What a recurrent layer carries from step to step has the layers first and the features last;
// without layers it is a cell's. The second weight has as many columns as there are features.
void size_state(const Node &node, int64_t features, htp_shim_hint &hint)
{
    const Value *layers = operand(node, "num_layers");
    const int64_t count = std::clamp<int64_t>(number(layers, 1), 1, kMaxLayers);
    const int64_t dims[] = {count * (1 + number(operand(node, "bidirectional"), 0)), 0, features};
    set_dims(hint, layers ? 3 : 2, layers ? dims : dims + 1);
}

} // namespace

std::vector<const Value *> elements_of(const Value *value)
{
    const Node *made = value->node();
    if (made->kind() != torch::jit::prim::ListConstruct) {
        return {value};
    }
    return {made->inputs().begin(), made->inputs().end()};
}

void find_weight_beside(const Node &node, size_t at, const SizesFinder &sizes_of,
                        htp_shim_hint &hint)
{
    Sizes weights;
    for (const Value *input : node.inputs()) {
        for (const Value *value : elements_of(input)) {
            const at::Tensor known = constant(value);
            const Sizes found =
                known.defined() && known.dim() >= 1 ? Sizes{known.sizes().vec()} : sizes_of(value);
            weights.insert(weights.end(), found.begin(), found.end());
        }
    }
    hint.weight_rank = 0;
    if (operand(node, "hx") == node.input(at)) {
        if (weights.size() > 1 && weights[1].size() == 2) {
            size_state(node, weights[1][1], hint);
        }
        return;
    }
    if (!weights.empty()) {
        set_dims(hint, weights[0].size(), weights[0].data());
    }
    if (hint.weight_rank == 0) {
        count_strides(node, hint);
        multiply_rows(node, hint);
    }
    scale_by_groups(node, hint);
}

bool joins_features(const Node &node)
{
    const int64_t dim = number(operand(node, "dim"), 0);
    return dim == 1 || dim == -1;
}

int rank_change(const Node &node)
{
    const std::string kind = node.kind().toQualString();
    if (kind == "aten::unsqueeze" || kind == "aten::unfold") {
        return 1;
    }
    if (kind == "aten::select" || (kind == "aten::squeeze" && node.inputs().size() == 2)) {
        return -1;
    }
    if (kind == "aten::flatten") {
        const int64_t first = number(operand(node, "start_dim"), 0);
        const int64_t last = number(operand(node, "end_dim"), -1);
        return first >= 0 && last > first && last < HTP_SHIM_MAX_RANK
                   ? static_cast<int>(first - last)
                   : 0;
    }
    return 0;
}

} // namespace htp
