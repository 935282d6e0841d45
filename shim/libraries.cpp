#include "operators.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <dlfcn.h>
#include <unistd.h>

#include <set>
#include <stdexcept>

namespace htp
{

namespace
{

using Names = std::set<std::pair<std::string, std::string>>;

Names all_operators()
{
    Names names;
    for (const c10::OperatorName &operation : c10::Dispatcher::singleton().getAllOpNames()) {
        names.emplace(operation.name, operation.overload_name);
    }
    return names;
}

// Operators of opened libraries.
Names &loaded_operators()
{
    static Names names;
    return names;
}

} // namespace

void load_library(const std::string &path)
{
    const Names before = all_operators();
    // A bare name is searched for in the system's folders, but a file in the current one comes
    // first.
    const bool is_file = path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0;
    const std::string found = is_file ? "./" + path : path;
    // Lazy binding: a library of a Python extension refers to functions of Python that are never
    // called here.
    if (dlopen(found.c_str(), RTLD_LAZY | RTLD_GLOBAL) == nullptr) {
        const char *reason = dlerror();
        throw std::runtime_error(reason ? reason : "no reason given");
    }
    for (const auto &name : all_operators()) {
        if (before.count(name) == 0) {
            loaded_operators().insert(name);
        }
    }
}

bool is_loaded(const c10::FunctionSchema &schema)
{
    return loaded_operators().count({schema.name(), schema.overload_name()}) != 0;
}

bool has_loaded()
{
    return !loaded_operators().empty();
}

bool needs_contents(const c10::FunctionSchema &schema)
{
    if (!is_loaded(schema)) {
        return false;
    }
    const auto found = c10::Dispatcher::singleton().findSchema(schema.operator_name());
    return !found || !found->hasKernelForDispatchKey(c10::DispatchKey::Meta);
}

} // namespace htp
