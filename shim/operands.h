// Operands as libtorch's values, and values as operands.
#pragma once

#include "handouts.h"
#include "program.h"

namespace htp
{

class Operands
{
  public:
    // Both outlive this.
    Operands(const Program &program, Handouts &handouts) : program_(program), handouts_(handouts) {}

    // The value of an operand. @p declared  what its schema says of a list's elements, or nullptr.
    // Throws std::exception.
    c10::IValue value(const htp_operand &operand, const c10::TypePtr &declared) const;

    // The same where its elements alone say what they are.
    c10::IValue value(const htp_operand &operand) const;

    // Throws Unsupported for a tensor that cannot be described.
    htp_operand describe(const c10::IValue &value) const;

  private:
    const Program &program_;
    Handouts &handouts_;
};

} // namespace htp
