// What branches and loops that are recorded as nodes work with.
#pragma once

#include "interpreter.h"

namespace htp
{

// A block as it was recorded. What it changed outside of itself is taken back, and noted here.
struct Interpreter::Block {
    uint32_t id = 0;
    std::vector<Ref> outputs;
    Executor::Memories memories;                         // what they held at the end
    std::vector<std::pair<Ref, std::vector<Ref>>> lists; // and the elements of older lists
    std::exception_ptr raised;                           // the program's own exception
};

// The outputs of a branch that is being put together.
struct Interpreter::Merge {
    std::vector<uint32_t> then_ids;
    std::vector<uint32_t> else_ids;
    std::vector<Ref> outputs;
};

} // namespace htp
