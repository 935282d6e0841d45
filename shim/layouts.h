// In which order the dims of tensors lie in memory.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace htp
{

// The dims from the one whose elements lie farthest apart to the one whose lie closest.
std::vector<size_t> memory_order(const at::Tensor &tensor);

// An empty tensor of the given one's sizes and type, whose dims lie in this order, densely.
at::Tensor empty_ordered(const at::Tensor &tensor, const std::vector<size_t> &order);

// @p tensor with another size of one dim, on the same memory: views stay views.
at::Tensor resized(const at::Tensor &tensor, int64_t dim, int64_t size);

// @p tensor, which is contiguous, with all sizes others, on the same memory. They may be of another
// number of elements.
at::Tensor reshaped_on_memory(const at::Tensor &tensor, const std::vector<int64_t> &sizes);

} // namespace htp
