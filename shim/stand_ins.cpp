// Where libtorch has no meta kernel: the real one, on tensors of zeroes and of ones, shows the
// outputs' sizes.
#include "execute.h"

#include "allocation.h"
#include "map_tensors.h"
#include "operand_checks.h"
#include "operator_facts.h"

#include <algorithm>
#include <optional>

namespace htp
{

namespace
{

constexpr int64_t kMaxElements = int64_t{1} << 26;
constexpr const char *kCannotTell = "this libtorch cannot tell its output's size";

// How many elements a tensor spans in memory.
int64_t extent_of(const at::Tensor &tensor)
{
    int64_t extent = tensor.numel() == 0 ? 0 : 1;
    for (int64_t dim = 0; dim < tensor.dim() && extent > 0; dim++) {
        extent += (tensor.size(dim) - 1) * tensor.stride(dim);
    }
    return extent;
}

// A real tensor that lies in memory as the given one does.
at::Tensor stand_in(const at::Tensor &tensor, int fill)
{
    const int64_t extent = extent_of(tensor);
    if (std::max(extent, tensor.numel()) > kMaxElements) {
        throw Unsupported(kCannotTell);
    }
    if (!tensor.is_meta()) {
        return tensor.clone();
    }
    const at::Tensor memory = at::full({extent}, fill, tensor.options().device(at::kCPU));
    return memory.as_strided(tensor.sizes(), tensor.strides());
}

// A tensor of which nothing but its sizes is known.
at::Tensor hidden(size_t, const at::Tensor &tensor)
{
    return tensor.is_meta() ? tensor : meta_like(tensor);
}

bool same_sizes(const std::vector<c10::IValue> &a, const std::vector<c10::IValue> &b)
{
    for (size_t i = 0; i < a.size(); i++) {
        if (a[i].isTensor() && a[i].toTensor().defined() &&
            a[i].toTensor().sizes() != b[i].toTensor().sizes()) {
            return false;
        }
    }
    return true;
}

} // namespace

// The outputs for tensors full of @p fill; nothing where the kernel refuses them: a division by
// zero, an index of one that is out of range.
std::optional<std::vector<c10::IValue>> Executor::try_stand_ins(Call &call, size_t lane, int fill,
                                                                std::exception_ptr &reason,
                                                                Prepare prepare)
{
    const auto &arguments = call.schema.arguments();
    torch::jit::Stack stack;
    for (size_t i = 0; i < call.inputs.size(); i++) {
        const c10::TypePtr type = i < arguments.size() ? arguments[i].type() : nullptr;
        stack.push_back(map_tensors(
            Recording::value(call.inputs[i], lane, type), [&](const at::Tensor &tensor) {
                return stand_in(prepare ? prepare(i, tensor) : tensor, fill);
            }));
    }
    try {
        check_operands(call.schema, stack);
        const AllocationLimit limit(static_cast<size_t>(kMaxElements) * sizeof(double));
        call.operation(stack);
    } catch (const TooLarge &) {
        throw Unsupported(kCannotTell);
    } catch (const std::exception &) {
        reason = std::current_exception();
        return std::nullopt;
    }
    std::vector<c10::IValue> outputs;
    for (const c10::IValue &value : stack) {
        outputs.push_back(map_tensors(value, meta_like));
    }
    return outputs;
}

std::vector<c10::IValue> Executor::run_on_stand_ins(Call &call, size_t lane)
{
    const auto &arguments = call.schema.arguments();
    for (size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].alias_info() == nullptr) {
            continue;
        }
        if (!arguments[i].alias_info()->isWrite() || call.schema.returns().size() != 1) {
            throw Unsupported(kCannotTell);
        }
        return {operand(call, i, lane, Mode::Meta)}; // in place: the result is the operand
    }
    if (is_unchecked(call.schema)) {
        throw Unsupported(kCannotTell);
    }
    const bool hides = trusts_contents(call.schema);
    const Prepare prepare = hides ? hidden : nullptr;
    std::exception_ptr reason;
    const auto ones = hides ? std::nullopt : try_stand_ins(call, lane, 1, reason, prepare);
    const auto zeroes = try_stand_ins(call, lane, 0, reason, prepare);
    if (!zeroes && !ones) {
        std::rethrow_exception(reason);
    }
    if (zeroes && ones && !same_sizes(*zeroes, *ones)) {
        throw Unsupported("its output's size depends on the data");
    }
    return zeroes ? *zeroes : *ones;
}

} // namespace htp
