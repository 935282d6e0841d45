// Kernels run on small stand-ins, where threads would mostly wait for each other.
#pragma once

#include <ATen/Parallel.h>

namespace htp
{

// As long as one lives, kernels use one thread. The number is one of the calling thread; a host's
// own comes back.
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
