// How much memory a kernel may ask for: a file that says little can make an operator ask for a lot.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace htp
{

// Thrown by kernels that ask for more.
struct TooLarge : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// As long as one lives, nothing of more than @p bytes is allocated in this thread for a tensor on
// the CPU.
class AllocationLimit
{
  public:
    explicit AllocationLimit(size_t bytes);
    ~AllocationLimit();
    AllocationLimit(const AllocationLimit &) = delete;
    AllocationLimit &operator=(const AllocationLimit &) = delete;

  private:
    size_t before_;
};

} // namespace htp
