// What operators on texts may take: a few words of code could ask for a text of gigabytes, or for a
// search that takes hours.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <string>

namespace htp
{

// Whether an operator takes or makes texts.
bool concerns_texts(const c10::FunctionSchema &schema);

// While one is there, operators on texts are counted in its thread. A host's own code is not
// bounded.
class TextBudget
{
  public:
    TextBudget();
    ~TextBudget();
    TextBudget(const TextBudget &) = delete;
    TextBudget &operator=(const TextBudget &) = delete;
};

// Counts what an operator is about to do with texts. Throws std::runtime_error where one text would
// be longer, or all of them together took more, than any model needs.
void charge_texts(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> operands);

// Why a text of this many characters may not be made; "" where it may.
std::string reason_against_text(size_t characters);

} // namespace htp
