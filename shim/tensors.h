// Tensors that are made for who follows a program: with contents, or with sizes alone.
#pragma once

#include <ATen/ATen.h>
#include <htp/runner.h>

namespace htp
{

// A tensor without contents of the same geometry.
at::Tensor meta_like(const at::Tensor &tensor);

// A real tensor that lies in memory as the given one does, full of @p fill where that has no
// contents. Throws TooLarge.
at::Tensor stand_in(const at::Tensor &tensor, int fill);

// The tensor that is asked for. Throws std::exception.
at::Tensor make_tensor(const htp_making &making);

} // namespace htp
