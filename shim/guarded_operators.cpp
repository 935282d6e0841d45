#include "guarded_operators.h"

#include "operand_checks.h"
#include "text_budget.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <memory>
#include <mutex>

namespace htp
{

namespace
{

using torch::jit::Operator;
using torch::jit::Stack;

thread_local bool is_reading = false;

// The operands on top of the stack; those of an operator with any number of them are counted there.
c10::ArrayRef<c10::IValue> operands_of(const c10::FunctionSchema &schema, const Stack &stack)
{
    size_t count = schema.arguments().size();
    size_t end = stack.size();
    if (schema.is_vararg()) {
        if (stack.empty() || !stack.back().isInt()) {
            return {};
        }
        end--;
        count = static_cast<size_t>(stack.back().toInt());
    }
    return count <= end ? c10::ArrayRef<c10::IValue>(stack).slice(end - count, count)
                        : c10::ArrayRef<c10::IValue>();
}

// The same operator, behind its guards. The one that it takes the place of stays alive with it.
Operator guarded(const std::shared_ptr<Operator> &plain)
{
    const c10::FunctionSchema &schema = plain->schema();
    const bool has_texts = concerns_texts(schema);
    torch::jit::Operation run(
        [plain, has_texts, operation = plain->getOperation()](Stack &stack) mutable {
            const auto operands = operands_of(plain->schema(), stack);
            if (is_reading) {
                check_operands(plain->schema(), operands);
            }
            if (has_texts) {
                charge_texts(plain->schema(), operands);
            }
            operation(stack);
        });
    if (schema.is_vararg()) {
        return Operator(c10::toString(schema), std::move(run), plain->aliasAnalysisKind());
    }
    return Operator(schema.name(), schema.overload_name(), schema.arguments(), schema.returns(),
                    std::move(run), plain->aliasAnalysisKind());
}

void guard_all()
{
    for (const std::shared_ptr<Operator> &plain : torch::jit::getAllOperators()) {
        // The others work on tensors, which nothing is computed of while code is read.
        if (!plain->isC10Op() && plain->hasOperation() &&
            (concerns_texts(plain->schema()) || has_operand_check(plain->schema()))) {
            torch::jit::deregisterOperator(plain->schema());
            torch::jit::registerOperator(guarded(plain));
        }
    }
}

} // namespace

void guard_operators()
{
    static std::once_flag once;
    std::call_once(once, guard_all);
}

CheckWhileReading::CheckWhileReading()
{
    is_reading = true;
}

CheckWhileReading::~CheckWhileReading()
{
    is_reading = false;
}

} // namespace htp
