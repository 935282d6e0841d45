// Operators that libtorch runs step by step along a dim, on meta tensors, too: the sizes of their
// outputs follow from a few steps.
#include "execute.h"

#include "layouts.h"
#include "operand_checks.h"
#include "operator_facts.h"

namespace htp
{

namespace
{

constexpr int64_t kFewSteps = 4;

bool goes_step_by_step(const c10::FunctionSchema &schema)
{
    return has_fact(schema.name(), HTP_FACT_STEP_BY_STEP) && schema.overload_name() == "input";
}

} // namespace

// The outputs of an operator on meta tensors; nothing where it is to run as it is: because there
// are few steps, it takes none, or libtorch refuses them, and tells so with the sizes given.
std::optional<std::vector<c10::IValue>> Executor::run_few_steps(const Call &call,
                                                                const torch::jit::Stack &given)
{
    if (!goes_step_by_step(call.schema) || !given.back().isBool() ||
        given[0].toTensor().dim() < 2) {
        return std::nullopt;
    }
    const int64_t dim = given.back().toBool() ? 1 : 0;
    const int64_t steps = given[0].toTensor().size(dim);
    if (steps <= kFewSteps) {
        return std::nullopt;
    }
    torch::jit::Stack stack = given;
    stack[0] = given[0].toTensor().narrow(dim, 0, kFewSteps);
    try {
        check_operands(call.schema, stack);
        torch::jit::Operation operation = call.operation;
        operation(stack);
    } catch (const c10::Error &) {
        return std::nullopt;
    }
    const at::Tensor few = stack[0].toTensor();
    stack[0] = empty_ordered(resized(few, dim, steps), memory_order(few));
    return std::vector<c10::IValue>(stack.begin(), stack.end());
}

} // namespace htp
