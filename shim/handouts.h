// What a runner hands out: tensors, and what else operands point at. All of it stays until a mark
// is gone back to.
#pragma once

#include "version.h"

#include <htp/runner.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace htp
{

// Throws Unsupported for a tensor that does not lie in plain memory.
void require_plain(const at::Tensor &tensor);

// A tensor with what it was when it was described: kernels that work in place change libtorch's.
struct Held : htp_runner_tensor {
    // Throws Unsupported for one that is not plain.
    explicit Held(at::Tensor tensor);
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;

    at::Tensor tensor;
    std::vector<int64_t> geometry; // dims, then strides
};

// The tensor behind its description.
inline const at::Tensor &tensor_of(const htp_runner_tensor *described)
{
    return static_cast<const Held *>(described)->tensor;
}

class Handouts
{
  public:
    const htp_runner_tensor *add(const at::Tensor &tensor)
    {
        return &tensors_.emplace_back(tensor);
    }
    const htp_operand *add(std::vector<htp_operand> operands)
    {
        return arrays_.emplace_back(std::move(operands)).data();
    }
    const std::string &add(std::string text)
    {
        return texts_.emplace_back(std::move(text));
    }
    const c10::IValue *add(c10::IValue value)
    {
        return &values_.emplace_back(std::move(value));
    }

    // A mark can be gone back to again and again, until an earlier one is.
    uint64_t mark();
    void release(uint64_t mark);

  private:
    using Sizes = std::array<size_t, 4>; // tensors, arrays, texts, values

    std::deque<Held> tensors_;
    std::deque<std::vector<htp_operand>> arrays_;
    std::deque<std::string> texts_;
    std::deque<c10::IValue> values_;
    std::vector<Sizes> marks_;
};

} // namespace htp
