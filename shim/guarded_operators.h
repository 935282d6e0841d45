// Operators of libtorch that it runs by itself while it reads code: what follows from constants is
// computed there and then.
#pragma once

namespace htp
{

// Puts guards in front of libtorch's operators on numbers and texts, in the whole process; once.
void guard_operators();

// While one is there, this thread's operators are checked as the executor's are before it runs
// them.
class CheckWhileReading
{
  public:
    CheckWhileReading();
    ~CheckWhileReading();
    CheckWhileReading(const CheckWhileReading &) = delete;
    CheckWhileReading &operator=(const CheckWhileReading &) = delete;
};

} // namespace htp
