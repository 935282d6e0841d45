// Meta kernels of torchvision's operators, whose own are written in Python.
#pragma once

namespace htp
{

// Registers those of the operators that are known by now and have none. May be called repeatedly.
void register_vision_kernels();

} // namespace htp
