// The parts of libtorch that every file of the shim needs, compiled once (see the Makefile).
#ifndef HTP_PRECOMPILED_H
#define HTP_PRECOMPILED_H

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#endif
