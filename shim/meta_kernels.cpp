#include "meta_kernels.h"

#include "add_meta_kernel.h"
#include "sized_kernels.h"
#include "version.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/Pool.h>

#include <algorithm>
#include <mutex>
#include <tuple>

namespace htp
{

namespace
{

using MaybeTensor = c10::optional<at::Tensor>;

at::Tensor relu(const at::Tensor &self)
{
    return at::empty_like(self);
}

// @p out is undefined, or takes the sizes.
at::Tensor where_into(const at::Tensor &out, const at::Tensor &condition, const at::Tensor &self,
                      const at::Tensor &other)
{
    const at::ScalarType dtype = at::result_type(self, other);
    at::TensorIterator iterator = at::TensorIteratorConfig()
                                      .check_all_same_dtype(false)
                                      .declare_static_dtype(dtype)
                                      .add_owned_output(out)
                                      .add_owned_input(condition)
                                      .add_owned_input(self.to(dtype))
                                      .add_owned_input(other.to(dtype))
                                      .build();
    return iterator.output();
}

at::Tensor where(const at::Tensor &condition, const at::Tensor &self, const at::Tensor &other)
{
    return where_into(at::Tensor(), condition, self, other);
}

// Attention masks rows with it; without a kernel, it would run on stand-ins.
at::Tensor &where_out(const at::Tensor &condition, const at::Tensor &self, const at::Tensor &other,
                      at::Tensor &out)
{
    where_into(out, condition, self, other);
    return out;
}

at::Tensor flip(const at::Tensor &self, at::IntArrayRef dims)
{
    for (const int64_t dim : dims) {
        at::maybe_wrap_dim(dim, self.dim());
    }
    return at::empty_like(self);
}

at::Tensor index_select(const at::Tensor &self, int64_t dim, const at::Tensor &index)
{
    TORCH_CHECK(index.dim() <= 1, "index_select(): index is supposed to be a vector");
    std::vector<int64_t> sizes = self.sizes().vec();
    if (!sizes.empty()) {
        sizes[static_cast<size_t>(at::maybe_wrap_dim(dim, self.dim()))] = index.numel();
    }
    return at::empty(sizes, self.options());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor>
native_batch_norm(const at::Tensor &input, const MaybeTensor &weight, const MaybeTensor &bias,
                  const MaybeTensor &running_mean, const MaybeTensor &running_var, bool training,
                  double, double)
{
    TORCH_CHECK(input.dim() >= 2, "batch_norm: expected at least 2 dims, got ", input.dim());
    const int64_t channels = input.size(1);
    for (const MaybeTensor *tensor : {&weight, &bias, &running_mean, &running_var}) {
        const bool present = tensor->has_value() && (*tensor)->defined();
        TORCH_CHECK(!present || (*tensor)->numel() == channels, "batch_norm: expected ", channels,
                    " elements for each channel, got ", present ? (*tensor)->numel() : 0);
    }
    const bool is_mixed =
        weight.has_value() && weight->defined() && weight->scalar_type() != input.scalar_type();
    const at::ScalarType dtype = is_mixed ? at::kFloat : input.scalar_type();
    const at::Tensor saved = at::empty({training ? channels : 0}, input.options().dtype(dtype));
    return {at::empty_like(input), saved, saved};
}

// libtorch's own reads the number that a tensor holds: no size depends on it.
at::Tensor narrow(const at::Tensor &self, int64_t dim, const at::Tensor &start, int64_t length)
{
    TORCH_CHECK(start.dim() == 0, "start must be an 0-dim integral Tensor.");
    return self.narrow(dim, 0, length);
}

// libtorch's own gives the statistics the dtype that they have on other devices.
std::tuple<at::Tensor, at::Tensor, at::Tensor> native_layer_norm(const at::Tensor &input,
                                                                 at::IntArrayRef normalized_shape,
                                                                 const MaybeTensor &weight,
                                                                 const MaybeTensor &bias, double)
{
    const at::IntArrayRef sizes = input.sizes();
    TORCH_CHECK(!normalized_shape.empty() && normalized_shape.size() <= sizes.size() &&
                    sizes.slice(sizes.size() - normalized_shape.size()) == normalized_shape,
                "layer_norm: expected input of sizes that end in ", normalized_shape, ", got ",
                sizes);
    at::ScalarType dtype = input.scalar_type();
    for (const MaybeTensor *tensor : {&weight, &bias}) {
        const bool present = tensor->has_value() && (*tensor)->defined();
        TORCH_CHECK(!present || (*tensor)->sizes() == normalized_shape,
                    "layer_norm: expected a weight or bias of sizes ", normalized_shape);
        if (present && (*tensor)->scalar_type() != dtype) {
            dtype = at::kFloat; // narrow floats with wider weights
        }
    }
    std::vector<int64_t> kept = sizes.vec();
    std::fill(kept.end() - static_cast<int64_t>(normalized_shape.size()), kept.end(), 1);
    const at::Tensor statistics = at::empty(kept, input.options().dtype(dtype));
    return {at::empty(sizes, input.options()), statistics, statistics};
}

// libtorch's own is a batch norm of channels' groups.
std::tuple<at::Tensor, at::Tensor, at::Tensor>
native_group_norm(const at::Tensor &input, const MaybeTensor &weight, const MaybeTensor &bias,
                  int64_t batch, int64_t channels, int64_t inner, int64_t groups, double)
{
    TORCH_CHECK(groups > 0 && channels % groups == 0 && input.numel() == batch * channels * inner,
                "group_norm: expected ", groups, " groups of ", channels, " channels, got ",
                input.sizes());
    at::ScalarType dtype = input.scalar_type();
    for (const MaybeTensor *tensor : {&weight, &bias}) {
        const bool present = tensor->has_value() && (*tensor)->defined();
        TORCH_CHECK(!present || (*tensor)->numel() == channels, "group_norm: expected ", channels,
                    " elements for each channel, got ", present ? (*tensor)->numel() : 0);
        dtype = present && (*tensor)->scalar_type() != dtype ? at::kFloat : dtype;
    }
    const at::Tensor statistics = at::empty({batch, groups}, input.options().dtype(dtype));
    return {at::empty_like(input, input.suggest_memory_format()), statistics, statistics};
}

// libtorch's own says of zeroes and of ones that they have no factors.
at::Tensor cholesky(const at::Tensor &self, bool)
{
    TORCH_CHECK(self.dim() >= 2 && self.size(-1) == self.size(-2),
                "cholesky: expected square matrices, got ", self.sizes());
    return at::empty(self.sizes(), self.options());
}

// One spatial dim of a convolution's output.
int64_t output_size(int64_t input, int64_t kernel, int64_t stride, int64_t padding,
                    int64_t dilation, bool transposed, int64_t output_padding)
{
    const int64_t extent = dilation * (kernel - 1) + 1;
    if (transposed) {
        return (input - 1) * stride - 2 * padding + extent + output_padding;
    }
    TORCH_CHECK(stride > 0, "non-positive stride is not supported");
    TORCH_CHECK(input + 2 * padding >= extent,
                "Calculated padded input size per channel: ", input + 2 * padding,
                ". Kernel size: ", extent, ". Kernel size can't be greater than actual input size");
    return (input + 2 * padding - extent) / stride + 1;
}

at::Tensor convolution(const at::Tensor &input, const at::Tensor &weight, const MaybeTensor &bias,
                       at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                       bool transposed, at::IntArrayRef output_padding, int64_t groups)
{
    const int64_t channels = weight.size(transposed ? 0 : 1) * (transposed ? 1 : groups);
    TORCH_CHECK(input.dim() == weight.dim() && input.size(1) == channels, "expected input",
                input.sizes(), " to have ", channels, " channels, weight of size ", weight.sizes());
    TORCH_CHECK(input.scalar_type() == weight.scalar_type(), "Input type (", input.scalar_type(),
                ") and weight type (", weight.scalar_type(), ") should be the same");
    const int64_t outputs = transposed ? weight.size(1) * groups : weight.size(0);
    TORCH_CHECK(!bias || !bias->defined() || bias->numel() == outputs,
                "bias does not have one element for each output channel");
    std::vector<int64_t> sizes = {input.size(0), outputs};
    for (int64_t i = 2; i < input.dim(); i++) {
        const auto k = static_cast<size_t>(i - 2);
        sizes.push_back(output_size(input.size(i), weight.size(i), stride[k], padding[k],
                                    dilation[k], transposed, output_padding[k]));
    }
    return at::empty(sizes, input.options());
}

// Number @p axis of a list with one for each axis, or one for all.
int64_t number_for(at::IntArrayRef list, size_t axis)
{
    TORCH_CHECK(list.size() == 1 || list.size() == 3,
                "max_pool3d: expected one number or three, got ", list);
    return list.size() == 1 ? list[0] : list[axis];
}

std::tuple<at::Tensor, at::Tensor> max_pool3d(const at::Tensor &self, at::IntArrayRef kernel,
                                              at::IntArrayRef stride, at::IntArrayRef padding,
                                              at::IntArrayRef dilation, bool ceil_mode)
{
    TORCH_CHECK(self.dim() == 4 || self.dim() == 5,
                "non-empty 4D or 5D (batch mode) tensor expected for input, got ", self.sizes());
    std::vector<int64_t> sizes = self.sizes().vec();
    for (size_t i = 0; i < 3; i++) {
        int64_t &size = sizes[sizes.size() - 3 + i];
        const int64_t window = number_for(kernel, i);
        const int64_t step = stride.empty() ? window : number_for(stride, i);
        const int64_t margin = number_for(padding, i);
        const int64_t spacing = number_for(dilation, i);
        TORCH_CHECK(window > 0 && step > 0 && spacing > 0 && 2 * margin <= window,
                    "max_pool3d: kernel_size, stride and dilation must be greater than zero, and "
                    "padding at most half of kernel_size");
        size = at::native::pooling_output_shape<int64_t>(size, window, margin, step, spacing,
                                                         ceil_mode);
        TORCH_CHECK(size >= 1, "max_pool3d: given input of ", self.sizes(),
                    ", output size is too small");
    }
    return {at::empty(sizes, self.options()), at::empty(sizes, self.options().dtype(at::kLong))};
}

// Channels become pixels, or pixels channels. libtorch's own gives a view where @p factor is one.
at::Tensor shuffled(const at::Tensor &self, int64_t factor, bool to_pixels)
{
    TORCH_CHECK(self.dim() >= 3 && factor > 0,
                "pixel_shuffle and pixel_unshuffle expect at least 3 dims and a positive factor, "
                "got ",
                self.sizes(), " and ", factor);
    const int64_t area = factor * factor;
    std::vector<int64_t> sizes = self.sizes().vec();
    int64_t *const last = &sizes[sizes.size() - 3];
    TORCH_CHECK(to_pixels ? last[0] % area == 0 : last[1] % factor == 0 && last[2] % factor == 0,
                "expected channels, or height and width, divisible by the factor ", factor,
                ", got ", self.sizes());
    last[0] = to_pixels ? last[0] / area : last[0] * area;
    last[1] = to_pixels ? last[1] * factor : last[1] / factor;
    last[2] = to_pixels ? last[2] * factor : last[2] / factor;
    return at::empty(sizes, self.options().memory_format(self.suggest_memory_format()));
}

at::Tensor pixel_shuffle(const at::Tensor &self, int64_t upscale_factor)
{
    return shuffled(self, upscale_factor, true);
}

at::Tensor pixel_unshuffle(const at::Tensor &self, int64_t downscale_factor)
{
    return shuffled(self, downscale_factor, false);
}

// Averages of as many windows as are asked for, in a plane or a volume.
at::Tensor adaptive_average(const at::Tensor &self, at::IntArrayRef output_size)
{
    const auto axes = static_cast<int64_t>(output_size.size());
    TORCH_CHECK(self.dim() == axes + 1 || self.dim() == axes + 2,
                "adaptive_avg_pool: expected an input of ", axes + 1, " or ", axes + 2,
                " dims, got ", self.sizes());
    std::vector<int64_t> sizes = self.sizes().vec();
    std::copy(output_size.begin(), output_size.end(), sizes.end() - axes);
    const bool is_plane = axes == 2;
    return at::empty(sizes, self.options().memory_format(is_plane ? self.suggest_memory_format()
                                                                  : at::MemoryFormat::Contiguous));
}

// Planes and volumes, sampled at the points of a grid.
at::Tensor grid_sampler(const at::Tensor &input, const at::Tensor &grid, int64_t, int64_t, bool)
{
    TORCH_CHECK(input.dim() == grid.dim() && input.size(0) == grid.size(0) &&
                    grid.size(-1) == input.dim() - 2,
                "grid_sampler(): expected a grid with the batch of the input, and with ",
                input.dim() - 2, " coordinates, got input of ", input.sizes(), " and grid of ",
                grid.sizes());
    TORCH_CHECK(input.scalar_type() == grid.scalar_type(),
                "grid_sampler(): expected input and grid to have same dtype, but input has ",
                input.scalar_type(), " and grid has ", grid.scalar_type());
    std::vector<int64_t> sizes = {input.size(0), input.size(1)};
    for (int64_t i = 2; i < input.dim(); i++) {
        TORCH_CHECK(input.size(i) > 0,
                    "grid_sampler(): expected input to have non-empty spatial "
                    "dimensions, got ",
                    input.sizes());
        sizes.push_back(grid.size(i - 1));
    }
    return at::empty(sizes, input.options());
}

using MaybeInt = c10::optional<int64_t>;

// What nn.MultiheadAttention calls in inference; its weights are averaged over heads, or not.
std::tuple<at::Tensor, at::Tensor>
multi_head_attention(const at::Tensor &query, const at::Tensor &key, const at::Tensor &,
                     int64_t embed_dim, int64_t num_head, const at::Tensor &, const at::Tensor &,
                     const at::Tensor &, const at::Tensor &, const MaybeTensor &, bool need_weights,
                     bool average_attn_weights, MaybeInt)
{
    TORCH_CHECK(query.dim() == 3 && key.dim() == 3 && query.size(2) == embed_dim,
                "expected query and key of 3 dims and ", embed_dim, " features, got ",
                query.sizes());
    at::Tensor weights;
    if (need_weights && average_attn_weights) {
        weights = at::empty({query.size(0), query.size(1), key.size(1)}, query.options());
    } else if (need_weights) {
        weights = at::empty({query.size(0), num_head, query.size(1), key.size(1)}, query.options());
    }
    return {at::empty(query.sizes(), query.options()), weights};
}

// What nn.TransformerEncoderLayer calls in inference: the source's own sizes come out.
at::Tensor encoder_layer(const at::Tensor &src, int64_t embed_dim, int64_t, const at::Tensor &,
                         const at::Tensor &, const at::Tensor &, const at::Tensor &, bool, bool,
                         double, const at::Tensor &, const at::Tensor &, const at::Tensor &,
                         const at::Tensor &, const at::Tensor &, const at::Tensor &,
                         const at::Tensor &, const at::Tensor &, const MaybeTensor &, MaybeInt)
{
    TORCH_CHECK(src.dim() == 3 && src.size(2) == embed_dim, "expected a source of 3 dims and ",
                embed_dim, " features, got ", src.sizes());
    return at::empty(src.sizes(), src.options());
}

// Products of groups of rows, of columns, or of what is summed over; see core/lower/grouped.c.
at::Tensor grouped_mm(const at::Tensor &self, const at::Tensor &mat2, const MaybeTensor &offs,
                      const MaybeTensor &, c10::optional<at::ScalarType> dtype)
{
    TORCH_CHECK(self.dim() >= 2 && self.dim() <= 3 && mat2.dim() >= 2 && mat2.dim() <= 3,
                "grouped_mm: expected operands of 2 or 3 dims, got ", self.sizes(), " and ",
                mat2.sizes());
    TORCH_CHECK(self.size(-1) == mat2.size(-2), "grouped_mm: ", self.sizes(), " and ", mat2.sizes(),
                " cannot be multiplied");
    const bool has_groups = offs.has_value() && offs->defined();
    TORCH_CHECK(has_groups || self.dim() + mat2.dim() == 6,
                "grouped_mm: offs is needed where an operand has 2 dims");
    std::vector<int64_t> sizes = {self.size(-2), mat2.size(-1)};
    if (self.dim() == 3 && mat2.dim() == 3) {
        sizes.insert(sizes.begin(), self.size(0));
    } else if (self.dim() == 2 && mat2.dim() == 2) {
        sizes.insert(sizes.begin(), offs->size(0));
    }
    return at::empty(sizes, self.options().dtype(dtype.value_or(self.scalar_type())));
}

// What comes out of a recurrent layer on packed data: as many steps as went in.
at::Tensor recurrent_output(const at::Tensor &data, const at::Tensor &state, int64_t directions)
{
    TORCH_CHECK(data.dim() == 2 && state.dim() == 3,
                "expected packed data of 2 dims and states of ", "3, got ", data.sizes(), " and ",
                state.sizes());
    return at::empty({data.size(0), directions * state.size(2)}, data.options());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> packed_lstm(const at::Tensor &data,
                                                           const at::Tensor &, at::TensorList hx,
                                                           at::TensorList, bool, int64_t, double,
                                                           bool, bool bidirectional)
{
    TORCH_CHECK(hx.size() == 2, "lstm expects two hidden states");
    return {recurrent_output(data, hx[0], bidirectional ? 2 : 1), at::empty_like(hx[0]),
            at::empty_like(hx[1])};
}

std::tuple<at::Tensor, at::Tensor> packed_recurrent(const at::Tensor &data, const at::Tensor &,
                                                    const at::Tensor &hx, at::TensorList, bool,
                                                    int64_t, double, bool, bool bidirectional)
{
    return {recurrent_output(data, hx, bidirectional ? 2 : 1), at::empty_like(hx)};
}

} // namespace

void register_meta_kernels()
{
    static std::once_flag once;
    std::call_once(once, [] {
        add_meta_kernel("aten::relu", "", &relu);
        add_meta_kernel("aten::where", "self", &where);
        add_meta_kernel("aten::where", "self_out", &where_out);
        add_meta_kernel("aten::flip", "", &flip);
        add_meta_kernel("aten::index_select", "", &index_select);
        add_meta_kernel("aten::narrow", "Tensor", &narrow);
        add_meta_kernel("aten::cholesky", "", &cholesky);
        add_meta_kernel("aten::native_batch_norm", "", &native_batch_norm);
        add_meta_kernel("aten::native_group_norm", "", &native_group_norm);
        add_meta_kernel("aten::native_layer_norm", "", &native_layer_norm);
        add_meta_kernel("aten::convolution_overrideable", "", &convolution);
        add_meta_kernel("aten::max_pool3d_with_indices", "", &max_pool3d);
        add_meta_kernel("aten::_adaptive_avg_pool2d", "", &adaptive_average);
        add_meta_kernel("aten::_adaptive_avg_pool3d", "", &adaptive_average);
        add_meta_kernel("aten::pixel_shuffle", "", &pixel_shuffle);
        add_meta_kernel("aten::pixel_unshuffle", "", &pixel_unshuffle);
        add_meta_kernel("aten::grid_sampler_2d", "", &grid_sampler);
        add_meta_kernel("aten::grid_sampler_3d", "", &grid_sampler);
        add_meta_kernel("aten::_native_multi_head_attention", "", &multi_head_attention);
        add_meta_kernel("aten::_transformer_encoder_layer_fwd", "", &encoder_layer);
        add_meta_kernel("aten::_grouped_mm", "", &grouped_mm);
        add_meta_kernel("aten::gru", "data", &packed_recurrent);
        add_meta_kernel("aten::lstm", "data", &packed_lstm);
        add_meta_kernel("aten::rnn_relu", "data", &packed_recurrent);
        add_meta_kernel("aten::rnn_tanh", "data", &packed_recurrent);
        register_sized_kernels();
    });
}

} // namespace htp
