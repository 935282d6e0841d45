#include "archived_code.h"

#include <algorithm>

namespace htp
{

std::shared_ptr<torch::jit::Source> find_source(caffe2::serialize::PyTorchStreamReader &records,
                                                const std::string &qualifier)
{
    std::string path = qualifier;
    std::replace(path.begin(), path.end(), '.', '/');
    path = "code/" + path + ".py";
    if (!records.hasRecord(path)) {
        return nullptr;
    }
    auto [code, size] = records.getRecord(path);
    return std::make_shared<torch::jit::Source>(
        std::string(static_cast<const char *>(code.get()), size), path, 1);
}

} // namespace htp
