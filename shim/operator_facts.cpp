#include "operator_facts.h"

#include "libraries.h"
#include "version.h"

#include <htp/facts.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

namespace htp
{

namespace
{

// Whether an operator, by its name without overload, has one of these facts of htp/facts.def.
bool has_fact(const std::string &name, unsigned facts)
{
    enum Fact : unsigned {
#define HTP_FACT(fact) fact = HTP_FACT_##fact,
#define HTP_FACTS(name, facts)
#include <htp/facts.def>
#undef HTP_FACTS
#undef HTP_FACT
    };
    static const std::unordered_map<std::string, unsigned> table = {
#define HTP_FACT(fact)
#define HTP_FACTS(name, facts) {name, facts},
#include <htp/facts.def>
#undef HTP_FACTS
#undef HTP_FACT
    };
    const auto found = table.find(name);
    return found != table.end() && (found->second & facts) != 0;
}

} // namespace

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

// Whether an operator gives nothing and writes to nothing: it exists for what it does besides, or
// is a check.
bool is_only_effect(const c10::FunctionSchema &schema)
{
    return schema.returns().empty() && !schema.is_varret() && !schema.is_mutable() &&
           !has_fact(schema.name(), HTP_FACT_CHECKS);
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
    return space == "prim" ? has_fact(name, HTP_FACT_COMPUTES)
                           : spaces.count(space) != 0 && !has_fact(name, HTP_FACT_REACHES_OUT) &&
                                 !is_only_effect(schema);
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

} // namespace htp
