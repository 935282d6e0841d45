// The code in an archive.
#pragma once

#include "version.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/frontend/source_range.h>

#include <memory>
#include <string>

namespace htp
{

// The code of a qualified name ("__torch__.model" lies in code/__torch__/model.py); nullptr where
// the archive has none. Where it came from is the core's to know.
std::shared_ptr<torch::jit::Source> find_source(caffe2::serialize::PyTorchStreamReader &records,
                                                const std::string &qualifier);

} // namespace htp
