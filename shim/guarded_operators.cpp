#include "operators.h"

#include "operands.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <mutex>

namespace htp
{

namespace
{

using torch::jit::Operator;
using torch::jit::Stack;

thread_local const htp_shim_host *reader = nullptr;

// An operator with a variable number of operands is checked on the whole stack.
void ask(const c10::FunctionSchema &schema, const Stack &stack)
{
    const size_t count = schema.is_vararg() ? stack.size() : schema.arguments().size();
    Handouts handouts;
    std::vector<htp_operand> operands;
    for (size_t i = stack.size() - std::min(count, stack.size()); i < stack.size(); i++) {
        operands.push_back(describe(stack[i], handouts));
    }
    const std::string text = c10::toString(schema);
    const htp_constant_operation operation = {schema.name().c_str(), text.c_str(), operands.data(),
                                              static_cast<uint32_t>(operands.size())};
    htp_error reason;
    if (!reader->may_run(reader->user, &operation, &reason)) {
        throw std::runtime_error(reason.message);
    }
}

// The operator with a guard before it, which keeps the original alive.
Operator guarded(const std::shared_ptr<Operator> &plain)
{
    const c10::FunctionSchema &schema = plain->schema();
    torch::jit::Operation run([plain, operation = plain->getOperation()](Stack &stack) mutable {
        if (reader != nullptr) {
            ask(plain->schema(), stack);
        }
        operation(stack);
    });
    if (schema.is_vararg()) {
        return Operator(c10::toString(schema), std::move(run), plain->aliasAnalysisKind());
    }
    return Operator(schema.name(), schema.overload_name(), schema.arguments(), schema.returns(),
                    std::move(run), plain->aliasAnalysisKind());
}

bool is_plain(const c10::Argument &argument)
{
    const c10::TypeKind kind = argument.type()->kind();
    return kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType ||
           kind == c10::TypeKind::BoolType || kind == c10::TypeKind::NumberType ||
           kind == c10::TypeKind::StringType;
}

// Most operators of the dispatcher take tensors, which are never computed while code is read.
bool may_run_while_reading(const Operator &plain)
{
    const c10::FunctionSchema &schema = plain.schema();
    const auto all_plain = [](const std::vector<c10::Argument> &all) {
        return std::all_of(all.begin(), all.end(), is_plain);
    };
    return plain.hasOperation() &&
           (!plain.isC10Op() || (all_plain(schema.arguments()) && all_plain(schema.returns())));
}

void guard_all(const htp_shim_host &host)
{
    for (const std::shared_ptr<Operator> &plain : torch::jit::getAllOperators()) {
        const c10::FunctionSchema &schema = plain->schema();
        if (may_run_while_reading(*plain) &&
            host.is_checked(schema.name().c_str(), c10::toString(schema).c_str())) {
            torch::jit::deregisterOperator(schema);
            torch::jit::registerOperator(guarded(plain));
        }
    }
}

} // namespace

GuardedReading::GuardedReading(const htp_shim_host &host)
{
    static std::once_flag once;
    std::call_once(once, guard_all, host);
    reader = &host;
}

GuardedReading::~GuardedReading()
{
    reader = nullptr;
}

} // namespace htp
