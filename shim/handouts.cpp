#include "handouts.h"

#include "model.h"

namespace htp
{

void require_plain(const at::Tensor &tensor)
{
    if (tensor.layout() != at::kStrided || tensor.is_nested() || !tensor.has_storage()) {
        throw Unsupported("its output is no plain tensor");
    }
}

Held::Held(at::Tensor given) : htp_runner_tensor{}, tensor(std::move(given))
{
    require_plain(tensor);
    geometry = tensor.sizes().vec();
    geometry.insert(geometry.end(), tensor.strides().begin(), tensor.strides().end());
    type = static_cast<int32_t>(tensor.scalar_type());
    rank = static_cast<uint32_t>(tensor.dim());
    dims = geometry.data();
    strides = geometry.data() + rank;
    offset = tensor.storage_offset();
    elements = tensor.numel();
    storage = reinterpret_cast<uintptr_t>(storage_identity(tensor));
    is_real = !tensor.is_meta();
    is_contiguous = tensor.is_contiguous();
}

uint64_t Handouts::mark()
{
    const Sizes now = {tensors_.size(), arrays_.size(), texts_.size(), values_.size()};
    if (marks_.empty() || marks_.back() != now) {
        marks_.push_back(now);
    }
    return marks_.size() - 1;
}

namespace
{

template <typename T> void shorten(std::deque<T> &all, size_t count)
{
    while (all.size() > count) {
        all.pop_back();
    }
}

} // namespace

void Handouts::release(uint64_t mark)
{
    if (mark >= marks_.size()) {
        return; // an earlier one was gone back to
    }
    marks_.resize(mark + 1);
    const auto &[tensors, arrays, texts, values] = marks_.back();
    shorten(tensors_, tensors);
    shorten(arrays_, arrays);
    shorten(texts_, texts);
    shorten(values_, values);
}

} // namespace htp
