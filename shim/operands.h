// Converts operands to libtorch's values and back. Tensors made for them, and everything returned,
// live until a mark is released.
#pragma once

#include "program.h"
#include "version.h"

#include <htp/runner.h>

#include <ATen/ATen.h>
#include <ATen/core/ivalue.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace htp
{

// A tensor without contents of the same geometry.
at::Tensor meta_like(const at::Tensor &tensor);

// A real tensor with the layout of the given one, filled with @p fill if that has no contents.
// Throws TooLarge.
at::Tensor probe(const at::Tensor &tensor, int fill);

// Makes a tensor. Throws std::exception.
at::Tensor make_tensor(const htp_making &making);

// The same value with every tensor replaced.
template <typename Replace> c10::IValue map_tensors(const c10::IValue &value, Replace replace)
{
    if (value.isTensor()) {
        return value.toTensor().defined() ? c10::IValue(replace(value.toTensor())) : value;
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor &tensor : value.toTensorVector()) {
            list.push_back(replace(tensor));
        }
        return list;
    }
    if (value.isList()) {
        c10::impl::GenericList list(value.toList().elementType());
        for (const c10::IValue &element : value.toListRef()) {
            list.push_back(map_tensors(element, replace));
        }
        return list;
    }
    return value;
}

// Throws Unsupported for a tensor that does not lie in plain memory.
void require_plain(const at::Tensor &tensor);

// A tensor with its geometry at the time of description: in-place kernels change libtorch's.
struct Held : htp_runner_tensor {
    // Throws Unsupported for one that is not plain.
    explicit Held(at::Tensor given);
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;

    at::Tensor tensor;
    std::vector<int64_t> geometry; // dims, then strides
};

// The tensor of a description.
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

    // Frees the memory of a tensor that was added, unless others share it.
    void drop(const htp_runner_tensor &tensor);

    // A mark can be released repeatedly, until an earlier one is.
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

class Operands
{
  public:
    // Both must outlive this object.
    Operands(Program &program, Handouts &handouts) : program_(program), handouts_(handouts) {}

    // The value of an operand. @p declared  the element type of a list in its schema, or nullptr.
    // Throws std::exception.
    c10::IValue value(const htp_operand &operand, const c10::TypePtr &declared) const;

    // The value of an operand whose elements determine its type.
    c10::IValue value(const htp_operand &operand) const;

    // A value as HTP_RUN_WHOLE returns it.
    htp_operand hand_out(const c10::IValue &value) const;

  private:
    Program &program_;
    Handouts &handouts_;
};

// A value as an operand that lives as long as the handouts. Throws Unsupported for a tensor that
// cannot be described, and for lists and tuples that are nested too deeply, or share too much.
htp_operand describe(const c10::IValue &value, Handouts &handouts);

} // namespace htp
