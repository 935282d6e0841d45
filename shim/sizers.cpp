#include "sizers.h"

#include <string>
#include <unordered_map>

namespace htp
{

at::Tensor meta_tensor(at::IntArrayRef sizes, at::ScalarType type)
{
    return at::empty(sizes, at::device(at::kMeta).dtype(type));
}

int64_t fixed_number(const std::vector<Ref> &inputs, size_t index)
{
    const Item &item = *inputs.at(index);
    if (item.kind != Item::Kind::Plain || !item.is_constant || item.lane[0].isNone()) {
        throw Unsupported("a number that it needs depends on the data");
    }
    return item.lane[0].isBool() ? static_cast<int64_t>(item.lane[0].toBool())
                                 : item.lane[0].toInt();
}

bool is_none(const std::vector<Ref> &inputs, size_t index)
{
    return index >= inputs.size() || inputs[index]->is_none();
}

namespace
{

using Lane = std::vector<c10::IValue>;

const at::Tensor &tensor_of(const std::vector<Ref> &inputs, size_t index, size_t lane)
{
    if (index >= inputs.size() || !inputs[index]->is_tensor()) {
        throw Unsupported("a tensor is missing");
    }
    return inputs[index]->tensor(lane);
}

Lane nonzero(const Choice &c)
{
    // The positions along one dim lie side by side.
    return {meta_tensor({tensor_of(c.inputs, 0, c.lane).dim(), c.size}, at::kLong).t()};
}

Lane nonzero_numpy(const Choice &c)
{
    c10::List<at::Tensor> columns;
    const int64_t rank = std::max<int64_t>(tensor_of(c.inputs, 0, c.lane).dim(), 1);
    for (int64_t i = 0; i < rank; i++) {
        columns.push_back(meta_tensor({c.size}, at::kLong));
    }
    return {columns};
}

Lane masked_select(const Choice &c)
{
    return {meta_tensor({c.size}, tensor_of(c.inputs, 0, c.lane).scalar_type())};
}

// The positions of the inverse have self's shape where they were asked for.
at::Tensor inverse_of(const at::Tensor &self, bool is_asked)
{
    return is_asked ? meta_tensor(self.sizes(), at::kLong) : meta_tensor({0}, at::kLong);
}

at::Tensor counts_of(const Choice &c, bool is_asked)
{
    return meta_tensor({is_asked ? c.size : 0}, at::kLong);
}

// _unique(self, sorted, return_inverse), _unique2(..., return_counts)
Lane unique(const Choice &c)
{
    const at::Tensor &self = tensor_of(c.inputs, 0, c.lane);
    Lane outputs = {meta_tensor({c.size}, self.scalar_type()),
                    inverse_of(self, fixed_number(c.inputs, 2) != 0)};
    if (c.inputs.size() > 3) {
        outputs.emplace_back(counts_of(c, fixed_number(c.inputs, 3) != 0));
    }
    return outputs;
}

Lane unique_along(const Choice &c, int64_t dim, bool inverse, bool counts)
{
    const at::Tensor &self = tensor_of(c.inputs, 0, c.lane);
    std::vector<int64_t> sizes = self.sizes().vec();
    const auto axis = static_cast<size_t>(dim < 0 ? dim + self.dim() : dim);
    const int64_t along = sizes.at(axis);
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis));
    sizes.insert(sizes.begin(), c.size);
    const at::Tensor found = meta_tensor(sizes, self.scalar_type());
    return {found.movedim(0, static_cast<int64_t>(axis)),
            meta_tensor({inverse ? along : 0}, at::kLong), counts_of(c, counts)};
}

// unique_dim(self, dim, sorted, return_inverse, return_counts)
Lane unique_dim(const Choice &c)
{
    return unique_along(c, fixed_number(c.inputs, 1), fixed_number(c.inputs, 3) != 0,
                        fixed_number(c.inputs, 4) != 0);
}

// unique_consecutive(self, return_inverse, return_counts, dim)
Lane unique_consecutive(const Choice &c)
{
    const bool inverse = fixed_number(c.inputs, 1) != 0;
    const bool counts = fixed_number(c.inputs, 2) != 0;
    if (!is_none(c.inputs, 3)) {
        return unique_along(c, fixed_number(c.inputs, 3), inverse, counts);
    }
    const at::Tensor &self = tensor_of(c.inputs, 0, c.lane);
    return {meta_tensor({c.size}, self.scalar_type()), inverse_of(self, inverse),
            counts_of(c, counts)};
}

// bincount(self, weights, minlength)
Lane bincount(const Choice &c)
{
    const bool weighted = !is_none(c.inputs, 1);
    const bool is_float = weighted && tensor_of(c.inputs, 1, c.lane).scalar_type() == at::kFloat;
    return {meta_tensor({c.size}, !weighted ? at::kLong : (is_float ? at::kFloat : at::kDouble))};
}

// one_hot(self, num_classes) where the largest index tells how many classes there are
Lane one_hot(const Choice &c)
{
    std::vector<int64_t> sizes = tensor_of(c.inputs, 0, c.lane).sizes().vec();
    sizes.push_back(c.size);
    return {meta_tensor(sizes, at::kLong)};
}

// nms(boxes, scores, threshold): the kept boxes
Lane kept(const Choice &c)
{
    return {meta_tensor({c.size}, at::kLong)};
}

// repeat_interleave(repeats), repeat_interleave(self, repeats, dim) without output_size
Lane repeat_interleave(const Choice &c)
{
    const at::Tensor &self = tensor_of(c.inputs, 0, c.lane);
    if (c.inputs.size() < 3) {
        return {meta_tensor({c.size}, self.scalar_type())};
    }
    std::vector<int64_t> sizes = {c.size};
    if (!is_none(c.inputs, 2)) {
        const int64_t dim = fixed_number(c.inputs, 2);
        sizes = self.sizes().vec();
        sizes.at(static_cast<size_t>(dim < 0 ? dim + self.dim() : dim)) = c.size;
    }
    return {meta_tensor(sizes, self.scalar_type())};
}

} // namespace

Sizer find_sizer(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs)
{
    static const std::unordered_map<std::string, Sizer> table = {
        {"aten::nonzero", nonzero},
        {"aten::argwhere", nonzero},
        {"aten::nonzero_numpy", nonzero_numpy},
        {"aten::where", nonzero_numpy},
        {"aten::masked_select", masked_select},
        {"aten::_unique", unique},
        {"aten::_unique2", unique},
        {"aten::unique_dim", unique_dim},
        {"aten::unique_consecutive", unique_consecutive},
        {"aten::bincount", bincount},
        {"aten::one_hot", one_hot},
        {"torchvision::nms", kept},
        {"aten::repeat_interleave", repeat_interleave},
    };
    const auto found = table.find(schema.name());
    const bool is_other =
        (schema.name() == "aten::one_hot" && fixed_number(inputs, 1) != -1) ||
        (schema.name() == "aten::repeat_interleave" && schema.overload_name() == "self_int") ||
        (schema.name() == "aten::where" && inputs.size() > 1);
    return found == table.end() || is_other ? nullptr : found->second;
}

} // namespace htp
