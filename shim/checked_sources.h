// The code of an archive, checked before libtorch compiles any of it.
#pragma once

#include "tuple_costs.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/frontend/source_range.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace htp
{

class CheckedSources
{
  public:
    // Parses and checks all code of the archive. Throws std::exception for what would run, or keep
    // the compiler busy, while the file is opened.
    explicit CheckedSources(caffe2::serialize::PyTorchStreamReader &records);

    // Checks it again for constants of the archive, which it takes by number.
    void check_constants(const std::vector<c10::IValue> &constants);

    // The code of a module ("__torch__.model"); nullptr where the archive has none.
    std::shared_ptr<torch::jit::Source> find(const std::string &qualifier) const;

  private:
    TupleCosts tuples_;
    std::unordered_map<std::string, std::shared_ptr<torch::jit::Source>> sources_; // by lower case
};

} // namespace htp
