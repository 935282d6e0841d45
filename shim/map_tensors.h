#pragma once

#include <ATen/ATen.h>
#include <ATen/core/ivalue.h>

namespace htp
{

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

} // namespace htp
