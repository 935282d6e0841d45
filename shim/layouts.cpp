// How outputs lie in memory, where libtorch's kernels for the CPU decide otherwise than those for
// meta tensors. view() is possible or not by that, and what reshape() and contiguous() give is a
// copy or a view, which in-place changes tell apart.
#include "layouts.h"

#include "execute.h"
#include "operator_facts.h"

#include <algorithm>
#include <numeric>

namespace htp
{

std::vector<size_t> memory_order(const at::Tensor &tensor)
{
    std::vector<size_t> order(static_cast<size_t>(tensor.dim()));
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return tensor.strides()[a] > tensor.strides()[b]; });
    return order;
}

at::Tensor empty_ordered(const at::Tensor &tensor, const std::vector<size_t> &order)
{
    std::vector<int64_t> strides(order.size());
    int64_t step = 1;
    for (size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = step;
        step *= std::max<int64_t>(tensor.sizes()[order[i]], 1);
    }
    return at::empty_strided(tensor.sizes(), strides, tensor.options());
}

static at::Tensor on_memory(const at::Tensor &tensor, at::IntArrayRef sizes,
                            at::IntArrayRef strides)
{
    at::Tensor made = tensor.detach();
    made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
    // Nothing is behind it: views of what does not fit are no less right.
    constexpr size_t kEverything = size_t{1} << 60;
    if (made.is_meta()) {
        made.storage().unsafeGetStorageImpl()->set_nbytes(kEverything);
    }
    return made;
}

at::Tensor resized(const at::Tensor &tensor, int64_t dim, int64_t size)
{
    std::vector<int64_t> sizes = tensor.sizes().vec();
    sizes.at(static_cast<size_t>(dim)) = size;
    return on_memory(tensor, sizes, tensor.strides());
}

at::Tensor reshaped_on_memory(const at::Tensor &tensor, const std::vector<int64_t> &sizes)
{
    std::vector<int64_t> strides(sizes.size());
    int64_t step = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
        strides[i] = step;
        step *= std::max<int64_t>(sizes[i], 1);
    }
    return on_memory(tensor, sizes, strides);
}

namespace
{

// Attention of the first two queries to the first two keys is laid out as that of all is; a mask
// has both as its last dims. What lies between them is left out, which is most.
at::Tensor first_two(size_t index, const at::Tensor &tensor)
{
    const size_t mask = 3;
    at::Tensor first = tensor;
    for (int64_t dim = 0; dim < tensor.dim() - (index == mask ? 0 : 1); dim++) {
        first = first.narrow(dim, 0, std::min<int64_t>(first.size(dim), 2));
    }
    const at::IntArrayRef strides = first.strides();
    const bool is_expanded = std::count(strides.begin(), strides.end(), 0) > 0;
    return first.is_meta() && !is_expanded ? empty_ordered(first, memory_order(first)) : first;
}

bool is_defined(const c10::IValue &value)
{
    return value.isTensor() && value.toTensor().defined();
}

} // namespace

// Gives outputs of meta kernels, in all lanes, the layout that the real kernel gives them in lane
// 0.
void Executor::lay_out(Call &call, Lanes &results)
{
    const auto is_plain = [](const Item &item) {
        return !item.is_tensor() || item.tensor(0).is_contiguous();
    };
    if (!has_fact(call.schema.name(), HTP_FACT_DECIDES_LAYOUT) ||
        std::all_of(call.inputs.begin(), call.inputs.end(),
                    [&](const Ref &input) { return all_of(input, is_plain); })) {
        return;
    }
    std::exception_ptr reason;
    const bool is_attention = call.schema.name() == "aten::scaled_dot_product_attention";
    const auto real = try_stand_ins(call, 0, 1, reason, is_attention ? first_two : nullptr);
    if (!real) {
        std::rethrow_exception(reason);
    }
    for (auto &lane : results) {
        for (size_t i = 0; i < lane.size(); i++) {
            if (is_defined(lane[i]) && is_defined((*real)[i])) {
                lane[i] = empty_ordered(lane[i].toTensor(), memory_order((*real)[i].toTensor()));
            }
        }
    }
}

} // namespace htp
