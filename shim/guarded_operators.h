// Operators of libtorch that it runs by itself while it reads code: what follows from constants is
// computed there and then.
#pragma once

#include <htp/shim.h>

namespace htp
{

// While one is there, operators on numbers and texts that run in this thread are first shown to the
// host, and throw where it does not let them. A host's own code is not bounded.
class GuardedReading
{
  public:
    // Puts guards in front of libtorch's operators, in the whole process; once.
    explicit GuardedReading(const htp_shim_host &host);
    ~GuardedReading();
    GuardedReading(const GuardedReading &) = delete;
    GuardedReading &operator=(const GuardedReading &) = delete;
};

} // namespace htp
