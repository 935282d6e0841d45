// How much memory a kernel may ask for: a file that says little can make an operator ask for a lot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace htp
{

// What follows from sizes and constants alone is small, and so is what a kernel needs for it.
constexpr size_t kRealBytes = size_t{64} << 20;

// Elements of a tensor that stands in for one without contents.
constexpr int64_t kStandInElements = int64_t{1} << 26;

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
