#include "operator_facts.h"

#include "version.h"

#include <map>
#include <set>

namespace htp
{

std::string base_name(const c10::FunctionSchema &schema)
{
    return schema.name().substr(schema.name().find("::") + 2);
}

bool means_no_meta_kernel(const std::exception &error)
{
    const std::string text = error.what();
    return dynamic_cast<const c10::NotImplementedError *>(&error) != nullptr ||
           text.find("'Meta' backend") != std::string::npos ||
           text.find("Meta tensors") != std::string::npos ||
           text.find("meta tensor") != std::string::npos ||
           text.find("overrideable not implemented") != std::string::npos ||
           text.find("device meta") != std::string::npos ||
           text.find("storage of a tensor that does not have storage") != std::string::npos;
}

bool must_not_run(const std::string &name)
{
    static const std::set<std::string> refused = {
        "aten::save",
        "aten::from_file",
        "aten::set_num_threads",
    };
    return refused.count(name) != 0;
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
    return name.rfind("aten::empty", 0) == 0 || name.rfind("aten::new_empty", 0) == 0 ||
           name.rfind("aten::resize", 0) == 0;
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

bool takes_data_numbers(const std::string &name)
{
    static const std::set<std::string> takers = {
        // As sizes.
        "aten::zeros",
        "aten::ones",
        "aten::full",
        "aten::empty",
        "aten::new_zeros",
        "aten::new_ones",
        "aten::new_full",
        "aten::new_empty",
        "aten::arange",
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
        "aten::unsafe_split_with_sizes",
        // As one operand of a formula, or the value of elements.
        "aten::add",
        "aten::sub",
        "aten::rsub",
        "aten::mul",
        "aten::div",
        "aten::true_divide",
        "aten::floor_divide",
        "aten::remainder",
        "aten::fmod",
        "aten::pow",
        "aten::eq",
        "aten::ne",
        "aten::lt",
        "aten::le",
        "aten::gt",
        "aten::ge",
        "aten::clamp",
        "aten::clamp_min",
        "aten::clamp_max",
        "aten::where",
        "aten::masked_fill",
        "aten::fill",
        "aten::full_like",
        "aten::scalar_tensor",
        "aten::index_fill",
        "aten::lerp",
        "prim::NumToTensor",
        // As positions.
        "aten::select",
        "aten::slice",
        "aten::narrow",
        "aten::select_scatter",
        "aten::slice_scatter",
        "aten::roll",
        "aten::triu",
        "aten::tril",
    };
    const bool is_in_place = !name.empty() && name.back() == '_';
    return takers.count(is_in_place ? name.substr(0, name.size() - 1) : name) != 0;
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
