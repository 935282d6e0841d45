// Operands as libtorch's values, and values as operands.
#pragma once

#include "handouts.h"
#include "program.h"

namespace htp
{

// What lives in @p handouts. Throws Unsupported for a tensor that cannot be described.
htp_operand describe(const c10::IValue &value, Handouts &handouts);

class Operands
{
  public:
    // Which outlives this.
    explicit Operands(const Program &program) : program_(program) {}

    // The value of an operand. @p declared  what its schema says of a list's elements, or nullptr.
    // Throws std::exception.
    c10::IValue value(const htp_operand &operand, const c10::TypePtr &declared) const;

    // The same where its elements alone say what they are.
    c10::IValue value(const htp_operand &operand) const;

  private:
    const Program &program_;
};

} // namespace htp
