#include "kernel_limits.h"

#include "version.h"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace htp
{

namespace
{

thread_local size_t most_bytes = SIZE_MAX;

class LimitedAllocator final : public ChainedAllocator
{
  public:
    using ChainedAllocator::ChainedAllocator;

  private:
    at::DataPtr allocate_bytes(size_t bytes) const override
    {
        if (bytes > most_bytes) {
            throw TooLarge("it asks for " + std::to_string(bytes) + " bytes");
        }
        return next()->allocate(bytes);
    }
};

} // namespace

AllocationLimit::AllocationLimit(size_t bytes) : before_(most_bytes)
{
    static std::once_flag once;
    std::call_once(once, [] {
        static LimitedAllocator allocator(c10::GetCPUAllocator());
        c10::SetCPUAllocator(&allocator, UINT8_MAX);
    });
    most_bytes = std::min(most_bytes, bytes);
}

AllocationLimit::~AllocationLimit()
{
    most_bytes = before_;
}

} // namespace htp
