#include "archived_inputs.h"

#include "interpreter.h"
#include "meta_kernels.h"

#include <ATen/core/grad_mode.h>

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

    htp_shim_input describe(const Ref &item, int depth = 0)
    {
        if (item->is_tensor()) {
            return htp::describe(item->tensor(0));
        }
        if (!item->is_container()) {
            return describe(item->lane[0], depth);
        }
        if (depth > kMaxNesting) {
            return left_out();
        }
        std::vector<htp_shim_input> items;
        const bool is_dict = item->kind == Item::Kind::Dict;
        for (size_t i = is_dict ? 1 : 0; i < item->elements.size(); i += is_dict ? 2 : 1) {
            add(items, is_dict ? key(item->elements[i - 1]->lane[0]) : std::to_string(i),
                describe(item->elements[i], depth + 1));
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

// What is left out takes its default: that must be what was bundled.
void check_left_out(const c10::Argument &argument, const Ref &item, const htp_shim_input &input)
{
    if (!input.is_none || item->is_tensor() || item->is_container() || item->lane[0].isNone()) {
        return;
    }
    const c10::IValue &value = item->lane[0];
    const auto otherwise = argument.default_value();
    if (!otherwise || !otherwise->isString() || !value.isString() ||
        otherwise->toStringRef() != value.toStringRef()) {
        throw BadInputs("the bundled inputs give argument \"" + argument.name() + "\" a " +
                        value.tagKind() + ", which no input can be; pass --input for the others");
    }
}

// The first of the inputs that torch.utils.bundled_inputs attaches to a method, by running what
// lists them.
std::vector<htp_shim_input> find_bundled(Model &model)
{
    const std::string lister =
        "get_all_bundled_inputs" + (model.method == "forward" ? "" : "_for_" + model.method);
    if (!model.owner().find_method(lister)) {
        return {};
    }
    register_meta_kernels();
    const at::NoGradGuard no_grad;
    Recording recording(model, 1);
    Interpreter interpreter(recording, [](uint64_t) { return true; });
    const std::vector<Ref> results = interpreter.run(lister, {}, {});
    std::vector<htp_shim_input> inputs;
    if (results.empty() || results[0]->elements.empty()) {
        return inputs;
    }
    Describer describer(model);
    const auto &arguments = model.function().getSchema().arguments();
    for (const Ref &item : results[0]->elements[0]->elements) {
        inputs.push_back(describer.describe(item));
        if (inputs.size() < arguments.size()) {
            check_left_out(arguments[inputs.size()], item, inputs.back());
        }
    }
    return inputs;
}

// The dtypes and sizes that the method was traced with.
std::vector<htp_shim_input> find_traced(Model &model)
{
    std::vector<htp_shim_input> inputs;
    Describer describer(model);
    for (const c10::IValue &value : model.archive.traced_inputs(model.method)) {
        inputs.push_back(describer.describe(value));
    }
    return inputs;
}

} // namespace

std::vector<htp_shim_input> find_archived_inputs(Model &model)
{
    std::vector<htp_shim_input> inputs = find_bundled(model);
    const bool is_root = model.owner_number() == 0; // which the archive's own inputs are for
    return inputs.empty() && is_root ? find_traced(model) : inputs;
}

} // namespace htp
