#include "operator_facts.h"

#include "version.h"

#include <set>

namespace htp
{

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
        "aten::unique_dim",
        "aten::_unique2",
        "aten::_unique",
        "aten::unique_consecutive",
        "aten::nonzero",
        "aten::nonzero_numpy",
        "aten::argwhere",
        "aten::masked_select",
        "torchvision::nms",
        "aten::bincount",
        "aten::set_num_threads",
    };
    return refused.count(name) != 0;
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

} // namespace htp
