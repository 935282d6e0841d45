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
    Operands(Program &program, Handouts &handouts) : program_(program), handouts_(handouts) {}

    // The value of an operand. @p declared  what its schema says of a list's elements, or nullptr.
    // Throws std::exception.
    c10::IValue value(const htp_operand &operand, const c10::TypePtr &declared) const;

    // The same where its elements alone say what they are.
    c10::IValue value(const htp_operand &operand) const;

    // A value as HTP_RUN_WHOLE hands it out.
    htp_operand hand_out(const c10::IValue &value) const;

  private:
    Program &program_;
    Handouts &handouts_;
};

// A value as an operand, which stays as long as the handouts. Throws Unsupported for a tensor that
// cannot be described, and for lists and tuples that are nested too deeply, or share too much.
htp_operand describe(const c10::IValue &value, Handouts &handouts);

} // namespace htp
