#include "archived_inputs.h"

#include <algorithm>

namespace htp
{

namespace
{

htp_shim_input describe(const at::Tensor &tensor)
{
    htp_shim_input input = {};
    if (tensor.dim() > HTP_SHIM_MAX_RANK) {
        input.is_none = true;
        return input;
    }
    input.dtype = dtype_of(tensor.scalar_type());
    input.rank = static_cast<uint32_t>(tensor.dim());
    std::copy_n(tensor.sizes().begin(), input.rank, input.dims[0]);
    return input;
}

constexpr int kMaxNesting = 32;

// Something that cannot be an input is left out.
htp_shim_input left_out()
{
    htp_shim_input input = {};
    input.is_none = true;
    return input;
}

// A double holds every whole number up to here.
constexpr int64_t kExactLimit = int64_t{1} << 53;

htp_shim_input describe_plain(const c10::IValue &value)
{
    htp_shim_input input = {};
    const bool is_exact =
        !value.isInt() || (value.toInt() <= kExactLimit && value.toInt() >= -kExactLimit);
    input.is_scalar = (value.isInt() && is_exact) || value.isDouble() || value.isBool();
    input.is_none = !input.is_scalar;
    if (input.is_scalar) {
        input.dtype = value.isDouble() ? HTP_DTYPE_FLOAT64
                      : value.isInt()  ? HTP_DTYPE_INT64
                                       : HTP_DTYPE_BOOL;
        input.scalar = value.isDouble() ? value.toDouble()
                       : value.isInt()  ? static_cast<double>(value.toInt())
                                        : static_cast<double>(value.toBool());
    }
    return input;
}

// Makes the items of a container, which it keeps.
class Describer
{
  public:
    explicit Describer(Model &model) : model_(model) {}

    htp_shim_input describe(const c10::IValue &value, int depth = 0)
    {
        if (value.isTensor()) {
            return value.toTensor().defined() ? htp::describe(value.toTensor()) : left_out();
        }
        if (depth > kMaxNesting) {
            return left_out();
        }
        std::vector<htp_shim_input> items;
        if (value.isList()) {
            for (const c10::IValue &element : value.toListRef()) {
                add(items, std::to_string(items.size()), describe(element, depth + 1));
            }
        } else if (value.isTuple()) {
            for (const c10::IValue &element : value.toTupleRef().elements()) {
                add(items, std::to_string(items.size()), describe(element, depth + 1));
            }
        } else if (value.isGenericDict()) {
            for (const auto &entry : value.toGenericDict()) {
                add(items, key(entry.key()), describe(entry.value(), depth + 1));
            }
        } else {
            return describe_plain(value);
        }
        return nested(std::move(items));
    }

  private:
    static std::string key(const c10::IValue &value)
    {
        return value.isString() ? value.toStringRef()
               : value.isInt()  ? std::to_string(value.toInt())
                                : "";
    }

    void add(std::vector<htp_shim_input> &items, const std::string &name, htp_shim_input item)
    {
        item.name = model_.keep.string(name);
        items.push_back(item);
    }

    htp_shim_input nested(std::vector<htp_shim_input> &&items)
    {
        htp_shim_input input = {};
        input.is_nested = true;
        input.count = static_cast<uint32_t>(items.size());
        input.items = model_.keep.array(items);
        return input;
    }

    Model &model_;
};

} // namespace

std::vector<htp_shim_input> find_archived_inputs(Model &model)
{
    std::vector<htp_shim_input> inputs;
    if (model.owner_number() != 0) {
        return inputs; // they are for the root
    }
    Describer describer(model);
    for (const c10::IValue &value : model.archive.traced_inputs(model.method)) {
        inputs.push_back(describer.describe(value));
    }
    return inputs;
}

} // namespace htp
