// Limits of kernels: memory, since a small file can make an operator allocate a lot; and one
// thread.
#pragma once

#include <ATen/Parallel.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace htp
{

// Constants and sizes are small, and so is the memory that their kernels need.
constexpr size_t kRealBytes = size_t{64} << 20;

// Elements of a tensor that replaces one without contents.
constexpr int64_t kStandInElements = int64_t{1} << 26;

// Thrown in kernels that allocate more.
struct TooLarge : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// While one exists, no CPU tensor of more than @p bytes is allocated in this thread.
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

// While one exists, kernels use one thread. libtorch keeps the number by calling thread; the
// previous one is restored.
class OneThread
{
  public:
    OneThread() : before_(at::get_num_threads())
    {
        set(1);
    }
    ~OneThread()
    {
        set(before_);
    }
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;

  private:
    void set(int count) const
    {
        if (before_ != 1) {
            at::set_num_threads(count);
        }
    }

    int before_;
};

} // namespace htp
