// What the files say of the program that they were made of.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <unordered_map>

namespace htp
{

// The place in these files, or in the code of the archive where that is all that is known: without
// a source where nothing is. Damaged debug records only cost the place.
torch::jit::SourceRange source_of(const torch::jit::Node &node);

class Sources
{
  public:
    // The source of a node of a function that lives as long as this: a space and its line, or of
    // one that was traced the Python stack. "" when not known.
    const std::string &text_of(const torch::jit::Node &node);

  private:
    std::unordered_map<const torch::jit::Node *, std::string> texts_;
};

} // namespace htp
