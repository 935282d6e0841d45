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

htp_shim_input describe(const c10::IValue &value)
{
    if (value.isTensor()) {
        return describe(value.toTensor());
    }
    htp_shim_input input = {};
    input.is_scalar = value.isInt() || value.isDouble() || value.isBool();
    input.is_none = !input.is_scalar;
    if (input.is_scalar) {
        input.scalar = value.isDouble() ? value.toDouble()
                       : value.isInt()  ? static_cast<double>(value.toInt())
                                        : static_cast<double>(value.toBool());
    }
    return input;
}

// The first of the inputs that torch.utils.bundled_inputs attaches to a model, by running the
// method that lists them.
std::vector<htp_shim_input> find_bundled(Model &model)
{
    static const char *const method = "get_all_bundled_inputs";
    if (!model.archive.module().find_method(method)) {
        return {};
    }
    register_meta_kernels();
    const at::NoGradGuard no_grad;
    Recording recording(model, 1);
    Interpreter interpreter(recording, [](uint64_t) { return true; });
    const std::vector<Ref> results = interpreter.run(method, {});
    std::vector<htp_shim_input> inputs;
    if (results.empty() || results[0]->elements.empty()) {
        return inputs;
    }
    for (const Ref &item : results[0]->elements[0]->elements) {
        inputs.push_back(item->is_tensor() ? describe(item->tensor(0)) : describe(item->lane[0]));
    }
    return inputs;
}

// The dtypes and sizes that the model was traced with.
std::vector<htp_shim_input> find_traced(Model &model)
{
    std::vector<htp_shim_input> inputs;
    for (const c10::IValue &value : model.archive.traced_inputs()) {
        inputs.push_back(describe(value));
    }
    return inputs;
}

} // namespace

std::vector<htp_shim_input> find_archived_inputs(Model &model)
{
    std::vector<htp_shim_input> inputs = find_bundled(model);
    return inputs.empty() ? find_traced(model) : inputs;
}

} // namespace htp
