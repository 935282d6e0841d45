#include "operator_facts.h"

#include "libraries.h"
#include "version.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace htp
{

std::string base_name(const c10::FunctionSchema &schema)
{
    return schema.name().substr(schema.name().find("::") + 2);
}

bool means_no_meta_kernel(const std::exception &error)
{
    const std::string text = message_of(error);
    return dynamic_cast<const c10::NotImplementedError *>(&error) != nullptr ||
           text.find("'Meta' backend") != std::string::npos ||
           text.find("Meta tensors") != std::string::npos ||
           text.find("meta tensor") != std::string::npos ||
           text.find("overrideable not implemented") != std::string::npos ||
           text.find("device meta") != std::string::npos ||
           text.find("storage of a tensor that does not have storage") != std::string::npos;
}

namespace
{

// Operators that reach outside the program: files, standard output, other machines, and what the
// process is set to.
bool reaches_out(const std::string &name)
{
    static const std::set<std::string> reaching = {
        "aten::Generator",
        "aten::_backward",
        "aten::_print",
        "aten::backward",
        "aten::confirmed_by_owner",
        "aten::dist_backward",
        "aten::from_file",
        "aten::get_gradients",
        "aten::initial_seed",
        "aten::is_owner",
        "aten::local_value",
        "aten::manual_seed",
        "aten::owner",
        "aten::owner_name",
        "aten::record_stream",
        "aten::save",
        "aten::seed",
        "aten::set_grad_enabled",
        "aten::set_num_threads",
        "aten::to_here",
        "aten::warn",
    };
    return reaching.count(name) != 0;
}

// Of the operators that stand for parts of the language, those that compute something.
bool computes(const std::string &name)
{
    static const std::set<std::string> computing = {
        "prim::AutogradAdd",
        "prim::AutogradZero",
        "prim::EnumName",
        "prim::EnumValue",
        "prim::NumToTensor",
        "prim::StringIndex",
        "prim::TupleIndex",
        "prim::TupleUnpack",
        "prim::VarConcat",
        "prim::VarStack",
        "prim::abs",
        "prim::data",
        "prim::device",
        "prim::dtype",
        "prim::index",
        "prim::is_cpu",
        "prim::is_cuda",
        "prim::is_ipu",
        "prim::is_maia",
        "prim::is_meta",
        "prim::is_mkldnn",
        "prim::is_mps",
        "prim::is_mtia",
        "prim::is_nested",
        "prim::is_quantized",
        "prim::is_sparse",
        "prim::is_sparse_csr",
        "prim::is_vulkan",
        "prim::is_xla",
        "prim::is_xpu",
        "prim::itemsize",
        "prim::layout",
        "prim::max",
        "prim::min",
        "prim::name",
        "prim::nbytes",
        "prim::rangelist",
        "prim::requires_grad",
        "prim::tolist",
        "prim::type",
        "prim::unchecked_cast",
        "prim::unchecked_unwrap_optional",
    };
    return computing.count(name) != 0;
}

// Whether an operator gives nothing and writes to nothing: it exists for what it does besides, or
// is a check.
bool is_only_effect(const c10::FunctionSchema &schema)
{
    static const std::set<std::string> checks = {
        "aten::_assert_async",
        "aten::_assert_scalar",
        "aten::_assert_tensor_metadata",
        "aten::_linalg_check_errors",
        "aten::_validate_compressed_sparse_indices",
        "aten::_validate_sparse_bsc_tensor_args",
        "aten::_validate_sparse_bsr_tensor_args",
        "aten::_validate_sparse_compressed_tensor_args",
        "aten::_validate_sparse_coo_tensor_args",
        "aten::_validate_sparse_csc_tensor_args",
        "aten::_validate_sparse_csr_tensor_args",
        "aten::sym_constrain_range",
        "aten::sym_constrain_range_for_size",
    };
    return schema.returns().empty() && !schema.is_varret() && !schema.is_mutable() &&
           checks.count(schema.name()) == 0;
}

} // namespace

bool may_run(const c10::FunctionSchema &schema)
{
    static const std::set<std::string> spaces = {"aten", "quantized", "_quantized", "torchvision"};
    const std::string &name = schema.name();
    const std::string space = name.substr(0, name.find("::"));
    if (is_loaded(schema)) {
        return true;
    }
    return space == "prim"
               ? computes(name)
               : spaces.count(space) != 0 && !reaches_out(name) && !is_only_effect(schema);
}

bool unique_always_sorts()
{
    static const bool sorts = [] {
        const at::Tensor values = at::arange(4096, at::kLong).mul(2654435761).remainder(1021);
        const auto sorts_them = [](const at::Tensor &x) {
            const at::Tensor found = std::get<0>(at::_unique2(x, false, true, true));
            return at::equal(found, std::get<0>(at::sort(found)));
        };
        return sorts_them(values) && sorts_them(values.to(at::kFloat)) &&
               sorts_them(values.narrow(0, 0, 9)) && sorts_them(values.to(at::kByte));
    }();
    return sorts;
}

bool is_size_operand(const c10::FunctionSchema &schema, size_t argument)
{
    static const std::map<std::string, size_t> operands = {
        {"aten::tensor_split.tensor_indices_or_sections", 1},
        {"aten::_reshape_from_tensor", 1},
    };
    const std::string &overload = schema.overload_name();
    const auto found = operands.find(schema.name() + (overload.empty() ? "" : "." + overload));
    return found != operands.end() && found->second == argument;
}

bool is_uninitialised(const std::string &name)
{
    static const std::string beginnings[] = {"aten::empty",  "aten::_empty",  "aten::new_empty",
                                             "aten::resize", "aten::_resize", "aten::_make_dep"};
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](const std::string &beginning) { return name.rfind(beginning, 0) == 0; });
}

namespace
{

bool holds_any(const std::string &name, const std::vector<std::string> &parts)
{
    return std::any_of(parts.begin(), parts.end(), [&](const std::string &part) {
        return name.find(part) != std::string::npos;
    });
}

} // namespace

bool makes_nested(const c10::FunctionSchema &schema)
{
    return schema.name().rfind("aten::_nested_tensor_from", 0) == 0;
}

bool is_unchecked(const c10::FunctionSchema &schema)
{
    // Those of libtorch's that are meant for programs: others are its backends' own.
    static const std::set<std::string> namespaces = {"aten", "prim", "quantized"};
    static const std::vector<std::string> parts = {
        // Gradients are put where indices say.
        "_backward",
        // Forms of tensors that are taken apart by what their own indices say, and of weights.
        "sparse", "csr", "coo_", "coalesce", "_nested_from", "_nested_view", "_nested_get",
        "jagged", "fbgemm", "mkldnn", "cudnn", "miopen", "_cslt", "_wrapped_",
        // Labels, lengths, samples, pivots.
        "ctc_loss", "segment_reduce", "fractional_max_pool", "histogramdd", "embedding_renorm",
        "ldl_solve",
        // Parameters and heads of attention.
        "_transform_bias_rescale"};
    const std::string &name = schema.name();
    const std::string space = name.substr(0, name.find("::"));
    if (namespaces.count(space) == 0) {
        return !is_loaded(schema);
    }
    return space == "aten" && holds_any(name, parts);
}

bool is_sized_alone(const c10::FunctionSchema &schema)
{
    static const std::set<std::string> sized = {
        "aten::segment_reduce",
        "aten::histogramdd",
        "aten::ctc_loss",
        "aten::embedding_renorm",
        "aten::embedding_renorm_",
        "aten::fractional_max_pool2d",
        "aten::fractional_max_pool3d",
        "aten::linalg_lu_solve",
        "aten::lu_solve",
        "aten::lu_unpack",
    };
    return sized.count(schema.name()) != 0;
}

bool trusts_contents(const c10::FunctionSchema &schema)
{
    static const std::vector<std::string> parts = {
        "embedding_bag",       "max_unpool",           "searchsorted", "::roi_", "::ps_roi_",
        "_native_multi_head_", "_transformer_encoder", "::gru",        "::lstm", "::rnn_"};
    return holds_any(schema.name(), parts) || is_sized_alone(schema);
}

bool reads_contents(const std::string &name)
{
    static const std::set<std::string> readers = {
        "aten::item",        "aten::Int",           "aten::Float",          "aten::Bool",
        "aten::IntImplicit", "aten::FloatImplicit", "aten::ScalarImplicit", "aten::is_nonzero",
    };
    return readers.count(name) != 0;
}

bool is_exact_on_sizes(const std::string &name)
{
    static const std::set<std::string> exact = {
        "aten::add",    "aten::sub",         "aten::mul",           "aten::neg",
        "aten::Int",    "aten::item",        "aten::IntImplicit",   "aten::ScalarImplicit",
        "aten::select", "prim::NumToTensor", "aten::scalar_tensor", "aten::tensor",
        "aten::stack",  "aten::cat",         "aten::unsqueeze",     "aten::squeeze",
        "aten::view",   "aten::reshape",     "aten::clone",         "aten::detach",
        "aten::prod",   "aten::contiguous",  "aten::lift_fresh",    "aten::alias",
    };
    return exact.count(name) != 0;
}

namespace
{

// Numbers that are sizes of the output, or how many there are.
bool takes_sizes(const std::string &name)
{
    static const std::set<std::string> takers = {"aten::zeros",
                                                 "aten::ones",
                                                 "aten::full",
                                                 "aten::empty",
                                                 "aten::new_zeros",
                                                 "aten::new_ones",
                                                 "aten::new_full",
                                                 "aten::new_empty",
                                                 "aten::arange",
                                                 "aten::linspace",
                                                 "aten::logspace",
                                                 "aten::view",
                                                 "aten::reshape",
                                                 "aten::_unsafe_view",
                                                 "aten::expand",
                                                 "aten::broadcast_to",
                                                 "aten::repeat",
                                                 "aten::tile",
                                                 "aten::unflatten",
                                                 "aten::constant_pad_nd",
                                                 "aten::pad",
                                                 "aten::eye",
                                                 "aten::upsample_nearest1d",
                                                 "aten::upsample_nearest2d",
                                                 "aten::upsample_nearest3d",
                                                 "aten::upsample_linear1d",
                                                 "aten::upsample_bilinear2d",
                                                 "aten::upsample_trilinear3d",
                                                 "aten::upsample_bicubic2d",
                                                 "aten::split",
                                                 "aten::split_with_sizes",
                                                 "aten::unsafe_split_with_sizes"};
    return takers.count(name) != 0;
}

// Numbers that are one operand of a formula, or the value of elements.
bool takes_operands(const std::string &name)
{
    static const std::set<std::string> takers = {
        "aten::add",         "aten::sub",         "aten::rsub",         "aten::mul",
        "aten::div",         "aten::true_divide", "aten::floor_divide", "aten::remainder",
        "aten::fmod",        "aten::pow",         "aten::eq",           "aten::ne",
        "aten::lt",          "aten::le",          "aten::gt",           "aten::ge",
        "aten::clamp",       "aten::clamp_min",   "aten::clamp_max",    "aten::where",
        "aten::masked_fill", "aten::fill",        "aten::full_like",    "aten::scalar_tensor",
        "aten::index_fill",  "aten::lerp",        "prim::NumToTensor"};
    return takers.count(name) != 0;
}

// Numbers that are positions.
bool takes_positions(const std::string &name)
{
    static const std::set<std::string> takers = {
        "aten::select",        "aten::slice", "aten::narrow", "aten::select_scatter",
        "aten::slice_scatter", "aten::roll",  "aten::triu",   "aten::tril"};
    return takers.count(name) != 0;
}

} // namespace

bool takes_data_numbers(const std::string &name)
{
    const bool is_in_place = !name.empty() && name.back() == '_';
    const std::string functional = is_in_place ? name.substr(0, name.size() - 1) : name;
    return takes_sizes(functional) || takes_operands(functional) || takes_positions(functional);
}

bool takes_constants_as_numbers(const c10::FunctionSchema &schema)
{
    static const std::set<std::string> takers = {"aten::add", "aten::div", "aten::mul",
                                                 "aten::sub"};
    return schema.overload_name() == "Tensor" && takers.count(schema.name()) != 0;
}

bool broadcasts(const std::string &name)
{
    static const std::set<std::string> found = {
        "aten::add",          "aten::sub",        "aten::rsub",
        "aten::mul",          "aten::div",        "aten::pow",
        "aten::remainder",    "aten::fmod",       "aten::maximum",
        "aten::minimum",      "aten::where",      "aten::masked_fill",
        "aten::eq",           "aten::ne",         "aten::lt",
        "aten::le",           "aten::gt",         "aten::ge",
        "aten::logical_and",  "aten::logical_or", "aten::logical_xor",
        "aten::__and__",      "aten::__or__",     "aten::bitwise_and",
        "aten::bitwise_or",   "aten::addcmul",    "aten::addcdiv",
        "aten::floor_divide", "aten::atan2",      "aten::masked_select",
    };
    return found.count(name) != 0;
}

} // namespace htp
