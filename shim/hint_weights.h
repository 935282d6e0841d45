// What a node's other operands say of an argument beside them: the sizes of weights, or numbers of
// the program that stand for them.
#pragma once

#include <htp/shim.h>

#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <vector>

namespace htp
{

// The sizes of the weights that a value holds.
using Sizes = std::vector<std::vector<int64_t>>;
using SizesFinder = std::function<Sizes(const torch::jit::Value *)>;

// The elements of a list that the program builds; of anything else the value itself.
std::vector<const torch::jit::Value *> elements_of(const torch::jit::Value *value);

// Fills the weight of a hint that speaks of operand number @p operand; without one its rank is 0.
void find_weight_beside(const torch::jit::Node &node, size_t operand, const SizesFinder &sizes_of,
                        htp_shim_hint &hint);

// Along which dim the node joins its operands is as a rule that of features: the second or last.
bool joins_features(const torch::jit::Node &node);

// How many dims more than its first operand the result of a node has that only changes its shape,
// unsqueeze() for one; 0 where that is not known.
int rank_change(const torch::jit::Node &node);

} // namespace htp
