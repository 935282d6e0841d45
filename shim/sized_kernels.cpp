#include "sized_kernels.h"

#include "add_meta_kernel.h"

#include <ATen/ATen.h>
#include <ATen/WrapDimUtils.h>

#include <tuple>
#include <vector>

namespace htp
{

namespace
{

constexpr int64_t kMostBins = int64_t{1} << 40;
constexpr int64_t kMostCoordinates = int64_t{1} << 16;

using MaybeTensor = c10::optional<at::Tensor>;

bool is_there(const MaybeTensor &tensor)
{
    return tensor.has_value() && tensor->defined();
}

// Segments of one dim, told by how long they are, or by where they begin and the last one ends.
at::Tensor segment_reduce(const at::Tensor &data, c10::string_view, const MaybeTensor &lengths,
                          const MaybeTensor &indices, const MaybeTensor &offsets, int64_t axis,
                          bool, const c10::optional<at::Scalar> &)
{
    TORCH_CHECK(!is_there(indices), "segment_reduce(): indices are not supported yet");
    TORCH_CHECK(is_there(lengths) || is_there(offsets),
                "segment_reduce(): either lengths or offsets must be defined");
    const bool has_offsets = is_there(offsets);
    const at::Tensor &cuts = has_offsets ? *offsets : *lengths;
    axis = at::maybe_wrap_dim(axis, data.dim());
    TORCH_CHECK(axis == cuts.dim() - 1 && data.dim() >= cuts.dim() &&
                    cuts.sizes().slice(0, static_cast<size_t>(axis)) ==
                        data.sizes().slice(0, static_cast<size_t>(axis)),
                "segment_reduce(): expected lengths or offsets of the dims up to axis ", axis,
                " of ", data.sizes(), ", got ", cuts.sizes());
    std::vector<int64_t> sizes = data.sizes().vec();
    sizes[static_cast<size_t>(axis)] = cuts.size(axis) - (has_offsets ? 1 : 0);
    TORCH_CHECK(sizes[static_cast<size_t>(axis)] >= 0,
                "segment_reduce(): expected one offset at least");
    return at::empty(sizes, data.options());
}

using Histogram = std::tuple<at::Tensor, std::vector<at::Tensor>>;

// Counts of points, the rows of self, in a box for each choice of a bin in every dim.
Histogram histogram_of(const at::Tensor &self, at::IntArrayRef bins)
{
    TORCH_CHECK(self.dim() >= 2, "histogramdd: expected points of 2 dims at least, got ",
                self.sizes());
    TORCH_CHECK(self.size(-1) == static_cast<int64_t>(bins.size()),
                "histogramdd: expected bins for each of ", self.size(-1), " coordinates, got ",
                bins.size());
    std::vector<at::Tensor> edges;
    for (const int64_t count : bins) {
        TORCH_CHECK(count > 0 && count <= kMostBins,
                    "histogramdd: expected bins to be positive, and not above 2^40, got ", count);
        edges.push_back(at::empty({count + 1}, self.options()));
    }
    return {at::empty(bins, self.options()), edges};
}

Histogram histogramdd(const at::Tensor &self, at::IntArrayRef bins,
                      c10::optional<at::ArrayRef<double>>, const MaybeTensor &, bool)
{
    return histogram_of(self, bins);
}

Histogram histogramdd_alike(const at::Tensor &self, int64_t bins,
                            c10::optional<at::ArrayRef<double>>, const MaybeTensor &, bool)
{
    TORCH_CHECK(
        self.dim() >= 2 && self.size(-1) <= kMostCoordinates,
        "histogramdd: expected points of 2 dims at least, with up to 65536 coordinates, got ",
        self.sizes());
    return histogram_of(self, std::vector<int64_t>(static_cast<size_t>(self.size(-1)), bins));
}

Histogram histogramdd_between(const at::Tensor &self, at::TensorList bins,
                              c10::optional<at::ArrayRef<double>>, const MaybeTensor &, bool)
{
    std::vector<int64_t> counts;
    for (const at::Tensor &edges : bins) {
        TORCH_CHECK(edges.dim() == 1, "histogramdd: expected edges of one dim, got ",
                    edges.sizes());
        counts.push_back(edges.size(0) - 1);
    }
    return histogram_of(self, counts);
}

// A loss for each sequence, or one.
at::Tensor ctc_loss_of(const at::Tensor &log_probs, int64_t reduction)
{
    TORCH_CHECK(log_probs.dim() == 2 || log_probs.dim() == 3,
                "ctc_loss: expected log_probs of 2 or 3 dims, got ", log_probs.sizes());
    return reduction == at::Reduction::None && log_probs.dim() == 3
               ? at::empty({log_probs.size(1)}, log_probs.options())
               : at::empty({}, log_probs.options());
}

at::Tensor ctc_loss(const at::Tensor &log_probs, const at::Tensor &, at::IntArrayRef,
                    at::IntArrayRef, int64_t, int64_t reduction, bool)
{
    return ctc_loss_of(log_probs, reduction);
}

at::Tensor ctc_loss_of_tensors(const at::Tensor &log_probs, const at::Tensor &, const at::Tensor &,
                               const at::Tensor &, int64_t, int64_t reduction, bool)
{
    return ctc_loss_of(log_probs, reduction);
}

at::Tensor embedding_renorm(const at::Tensor &self, const at::Tensor &, double, double)
{
    return at::empty_like(self);
}

} // namespace

void register_sized_kernels()
{
    add_meta_kernel("aten::segment_reduce", "", &segment_reduce);
    add_meta_kernel("aten::histogramdd", "", &histogramdd);
    add_meta_kernel("aten::histogramdd", "int_bins", &histogramdd_alike);
    add_meta_kernel("aten::histogramdd", "TensorList_bins", &histogramdd_between);
    add_meta_kernel("aten::ctc_loss", "IntList", &ctc_loss);
    add_meta_kernel("aten::ctc_loss", "Tensor", &ctc_loss_of_tensors);
    add_meta_kernel("aten::embedding_renorm", "", &embedding_renorm);
}

} // namespace htp
