// A trace, as the C ABI hands it over.
#pragma once

#include "model.h"
#include "states.h"

#include <functional>
#include <memory>

namespace htp
{

class Recording;

class Trace
{
  public:
    virtual ~Trace() = default;
    virtual const htp_shim_trace &view() const = 0;
    virtual const Recording &recording() const = 0; // that it was made of
    virtual const std::vector<RecordedState> &states() const = 0;
};

// What ran before forward() refused its inputs; the last node is the one that raised, if one did.
struct Refused : BadInputs {
    Refused(const BadInputs &refusal, std::unique_ptr<Trace> before)
        : BadInputs(refusal), trace(std::move(before))
    {
    }
    std::shared_ptr<Trace> trace;
};

// Runs forward() abstractly. @p tick is called with the number of nodes so far; false stops. Throws
// Refused where forward() does not take the inputs.
std::unique_ptr<Trace> trace_forward(Model &model, const std::vector<htp_shim_input> &inputs,
                                     uint32_t lane_count, const CarriedStates &carried,
                                     const std::function<bool(uint64_t)> &tick);

} // namespace htp
