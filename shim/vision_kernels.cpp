#include "vision_kernels.h"

#include "version.h"

#include <torch/library.h>

#include <deque>
#include <tuple>

namespace htp
{

namespace
{

using Pair = std::tuple<at::Tensor, at::Tensor>;

void check_regions(const at::Tensor &input, const at::Tensor &rois, int64_t height, int64_t width)
{
    TORCH_CHECK(input.dim() == 4, "expected an input of 4 dims, got ", input.sizes());
    TORCH_CHECK(rois.dim() == 2 && rois.size(1) == 5, "expected rois of sizes [K, 5], got ",
                rois.sizes());
    TORCH_CHECK(input.scalar_type() == rois.scalar_type(),
                "expected input and rois of one dtype, got ", input.scalar_type(), " and ",
                rois.scalar_type());
    TORCH_CHECK(height > 0 && width > 0, "expected a pooled size above 0");
}

at::Tensor roi_align(const at::Tensor &input, const at::Tensor &rois, double, int64_t height,
                     int64_t width, int64_t, bool)
{
    check_regions(input, rois, height, width);
    return at::empty({rois.size(0), input.size(1), height, width}, input.options());
}

Pair roi_pool(const at::Tensor &input, const at::Tensor &rois, double, int64_t height,
              int64_t width)
{
    check_regions(input, rois, height, width);
    const at::Tensor pooled =
        at::empty({rois.size(0), input.size(1), height, width}, input.options());
    return {pooled, at::empty(pooled.sizes(), input.options().dtype(at::kInt))};
}

at::Tensor position_sensitive(const at::Tensor &input, const at::Tensor &rois, int64_t height,
                              int64_t width)
{
    check_regions(input, rois, height, width);
    TORCH_CHECK(input.size(1) % (height * width) == 0,
                "input channels must be a multiple of pooling height * pooling width");
    return at::empty({rois.size(0), input.size(1) / (height * width), height, width},
                     input.options());
}

Pair ps_roi_pool(const at::Tensor &input, const at::Tensor &rois, double, int64_t height,
                 int64_t width)
{
    const at::Tensor pooled = position_sensitive(input, rois, height, width);
    return {pooled, at::empty(pooled.sizes(), input.options().dtype(at::kInt))};
}

Pair ps_roi_align(const at::Tensor &input, const at::Tensor &rois, double scale, int64_t height,
                  int64_t width, int64_t)
{
    return ps_roi_pool(input, rois, scale, height, width);
}

int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation)
{
    TORCH_CHECK(stride > 0 && dilation > 0 && pad >= 0, "the window is not valid");
    const int64_t count = (size + 2 * pad - (dilation * (kernel - 1) + 1)) / stride + 1;
    TORCH_CHECK(count > 0, "Calculated output size too small: ", count);
    return count;
}

at::Tensor deform_conv2d(const at::Tensor &input, const at::Tensor &weight,
                         const at::Tensor &offset, const at::Tensor &, const at::Tensor &,
                         int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w,
                         int64_t dilation_h, int64_t dilation_w, int64_t, int64_t, bool)
{
    TORCH_CHECK(input.dim() == 4 && weight.dim() == 4 && offset.dim() == 4,
                "expected an input, a weight and an offset of 4 dims");
    const int64_t height = window_count(input.size(2), weight.size(2), stride_h, pad_h, dilation_h);
    const int64_t width = window_count(input.size(3), weight.size(3), stride_w, pad_w, dilation_w);
    TORCH_CHECK(offset.size(2) == height && offset.size(3) == width, "expected an offset of ",
                height, " by ", width, ", got ", offset.sizes());
    return at::empty({input.size(0), weight.size(0), height, width}, input.options());
}

template <typename Kernel> void add(const char *name, Kernel kernel)
{
    static std::deque<torch::Library> registrations;
    const std::string full = std::string("torchvision::") + name;
    const auto found = c10::Dispatcher::singleton().findSchema({full, ""});
    if (!found || found->hasKernelForDispatchKey(c10::DispatchKey::Meta)) {
        return;
    }
    registrations.emplace_back(torch::Library::IMPL, "torchvision", c10::DispatchKey::Meta,
                               __FILE__, static_cast<uint32_t>(__LINE__));
    registrations.back().impl(full.c_str(), kernel);
}

} // namespace

void register_vision_kernels()
{
    add("roi_align", &roi_align);
    add("roi_pool", &roi_pool);
    add("ps_roi_align", &ps_roi_align);
    add("ps_roi_pool", &ps_roi_pool);
    add("deform_conv2d", &deform_conv2d);
}

} // namespace htp
