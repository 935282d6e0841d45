// A trace, as the C ABI hands it over.
#pragma once

#include "model.h"

#include <functional>
#include <memory>

namespace htp
{

class Trace
{
  public:
    virtual ~Trace() = default;
    virtual const htp_shim_trace &view() const = 0;
};

// Runs forward() abstractly. @p tick is called with the number of nodes so far; false stops.
std::unique_ptr<Trace> trace_forward(Model &model, const std::vector<htp_shim_input> &inputs,
                                     uint32_t lane_count, std::function<bool(uint64_t)> tick);

} // namespace htp
