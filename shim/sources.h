// What the files say of the program that they were made of.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace htp
{

// A line of one of these files.
struct SourcePlace {
    const char *file = ""; // "" when not known; lives as long as the Sources
    uint32_t line = 0;
};

class Sources
{
  public:
    // The place in these files, or in the code of the archive where that is all that is known.
    // Damaged debug records only cost the place.
    SourcePlace place_of(const torch::jit::Node &node);

    // The source of a node of a function that lives as long as this: a space and its line, or of
    // one that was traced the Python stack. "" when not known.
    const std::string &text_of(const torch::jit::Node &node);

  private:
    std::unordered_map<const torch::jit::Node *, std::string> texts_;
    std::unordered_set<std::string> files_;
};

} // namespace htp
