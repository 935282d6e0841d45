// Which modules were running where the nodes of a trace stand, as libtorch's inliner has it.
//
// This is an oracle for the scopes that the interpreter notes: it has nothing in common with them
// but the places in the archive's code at which calls and operators stand. The path of places from
// the method to an operator says which node of the inlined graph it is; the objects that the calls
// on that path are made on are found in the inlined graph alone.
#pragma once

#include "program.h"

#include <functional>
#include <vector>

namespace htp
{

class InlinedCalls
{
  public:
    // @p calls and @p nodes are those of a trace of the model's method. @p tick as that of an
    // Inliner. Throws Unsupported where the method cannot be inlined.
    InlinedCalls(Model &model, const Program &program, at::ArrayRef<htp_shim_stand> calls,
                 at::ArrayRef<htp_shim_stand> nodes, const std::function<bool(uint64_t)> &tick);

    const htp_shim_inlined &view() const
    {
        return view_;
    }

  private:
    std::vector<htp_shim_running> running_;
    std::vector<uint32_t> nodes_;
    htp_shim_inlined view_ = {};
};

} // namespace htp
