#include "operands.h"

#include "kernel_limits.h"
#include "model.h"

#include <algorithm>
#include <cstring>

namespace htp
{

at::Tensor meta_like(const at::Tensor &tensor)
{
    return at::empty_strided(tensor.sizes(), tensor.strides(),
                             tensor.options().device(at::kMeta).requires_grad(false));
}

namespace
{

// The number of elements that a tensor spans in memory.
int64_t extent_of(const at::Tensor &tensor)
{
    int64_t extent = tensor.numel() == 0 ? 0 : 1;
    for (int64_t dim = 0; dim < tensor.dim() && extent > 0; dim++) {
        int64_t reach = 0;
        if (__builtin_mul_overflow(tensor.size(dim) - 1, tensor.stride(dim), &reach) ||
            __builtin_add_overflow(extent, reach, &extent)) {
            return INT64_MAX;
        }
    }
    return extent;
}

} // namespace

at::Tensor probe(const at::Tensor &tensor, int fill)
{
    const int64_t extent = extent_of(tensor);
    if (std::max(extent, tensor.numel()) > kStandInElements) {
        throw TooLarge("a probe would have too many elements");
    }
    if (!tensor.is_meta()) {
        return tensor.clone();
    }
    const at::Tensor memory = at::full({extent}, fill, tensor.options().device(at::kCPU));
    return memory.as_strided(tensor.sizes(), tensor.strides());
}

namespace
{

at::IntArrayRef sizes_of(const htp_making &making)
{
    return {making.dims, making.rank};
}

at::IntArrayRef strides_of(const htp_making &making)
{
    return {making.strides, making.rank};
}

// Refuses sizes with libtorch's message, since it does not check them everywhere.
void check_sizes(at::IntArrayRef sizes)
{
    int64_t elements = 1;
    bool fits = true;
    for (const int64_t size : sizes) {
        TORCH_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ",
                    sizes);
        fits = fits && !__builtin_mul_overflow(elements, std::max<int64_t>(size, 1), &elements);
    }
    TORCH_CHECK(fits, "Storage size calculation overflowed with sizes=", sizes);
}

at::ScalarType type_of(const htp_making &making)
{
    const bool is_known = making.type >= 0 &&
                          making.type < static_cast<int32_t>(at::ScalarType::NumOptions) &&
                          making.type != static_cast<int32_t>(at::ScalarType::Undefined);
    TORCH_CHECK(is_known, "there is no element type ", making.type);
    return static_cast<at::ScalarType>(making.type);
}

at::Tensor make_empty(const htp_making &making)
{
    const auto options = at::device(at::kMeta).dtype(type_of(making));
    check_sizes(sizes_of(making));
    return making.strides == nullptr
               ? at::empty(sizes_of(making), options)
               : at::empty_strided(sizes_of(making), strides_of(making), options);
}

at::Tensor make_filled(const htp_making &making)
{
    const at::ScalarType type = type_of(making);
    const bool is_whole = at::isIntegralType(type, true);
    check_sizes(sizes_of(making));
    const AllocationLimit limit(kRealBytes);
    return at::full(sizes_of(making),
                    is_whole ? at::Scalar(making.number) : at::Scalar(making.real),
                    at::device(at::kCPU).dtype(type));
}

at::Tensor make_of_bytes(const htp_making &making)
{
    check_sizes(sizes_of(making));
    at::Tensor made = at::empty(sizes_of(making), at::device(at::kCPU).dtype(type_of(making)));
    TORCH_CHECK(made.nbytes() == making.byte_count, "a tensor of ", made.nbytes(),
                " bytes is made of ", making.byte_count);
    if (making.byte_count > 0) {
        std::memcpy(made.data_ptr(), making.bytes, making.byte_count);
    }
    return made;
}

at::Tensor copy_of(const at::Tensor &tensor)
{
    return tensor.is_meta() ? tensor.detach()
                            : at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options())
                                  .copy_(tensor);
}

// The result has no memory, so a view that would not fit is valid.
at::Tensor stretched(const at::Tensor &tensor, at::IntArrayRef sizes, at::IntArrayRef strides)
{
    constexpr size_t kEverything = size_t{1} << 60;
    check_sizes(sizes);
    TORCH_CHECK(std::all_of(strides.begin(), strides.end(), [](int64_t step) { return step >= 0; }),
                "a stride is negative: ", strides);
    at::Tensor made = tensor.detach();
    if (!made.is_meta()) {
        return made.as_strided(sizes, strides);
    }
    made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
    made.storage().unsafeGetStorageImpl()->set_nbytes(kEverything);
    return made;
}

} // namespace

at::Tensor make_tensor(const htp_making &making)
{
    switch (making.way) {
    case HTP_MAKE_EMPTY:
        return make_empty(making);
    case HTP_MAKE_FILLED:
        return make_filled(making);
    case HTP_MAKE_OF_BYTES:
        return make_of_bytes(making);
    case HTP_MAKE_WITHOUT:
        return meta_like(tensor_of(making.of));
    case HTP_MAKE_LIKE:
        return at::empty_like(tensor_of(making.of), at::device(at::kMeta));
    case HTP_MAKE_ALIAS:
        return tensor_of(making.of).detach();
    case HTP_MAKE_COPY:
        return copy_of(tensor_of(making.of));
    case HTP_MAKE_VIEW:
        return tensor_of(making.of).detach().as_strided(sizes_of(making), strides_of(making),
                                                        making.offset);
    case HTP_MAKE_STRETCHED:
        return stretched(tensor_of(making.of), sizes_of(making), strides_of(making));
    }
    throw std::runtime_error("there is no such way to make a tensor");
}

// ---- what is handed out
// --------------------------------------------------------------------------

void require_plain(const at::Tensor &tensor)
{
    if (tensor.layout() != at::kStrided || tensor.is_nested() || !tensor.has_storage()) {
        throw Unsupported("its output is no plain tensor");
    }
}

Held::Held(at::Tensor given) : htp_runner_tensor{}, tensor(std::move(given))
{
    require_plain(tensor);
    geometry.reserve(2 * tensor.sizes().size() + 1); // so that there are dims, if none of them
    geometry.insert(geometry.end(), tensor.sizes().begin(), tensor.sizes().end());
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
    is_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
}

void Handouts::drop(const htp_runner_tensor &tensor)
{
    // Those of the program are const, and not dropped: all that are added here are not.
    const_cast<Held &>(static_cast<const Held &>(tensor)).tensor.reset();
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
        return; // undone already
    }
    marks_.resize(mark + 1);
    const auto &[tensors, arrays, texts, values] = marks_.back();
    shorten(tensors_, tensors);
    shorten(arrays_, arrays);
    shorten(texts_, texts);
    shorten(values_, values);
}

} // namespace htp
