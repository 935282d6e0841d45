// Sizes of earlier calls: calls that follow one another have the same sizes.
#include "interpreter.h"

#include <optional>

namespace htp
{

namespace
{

// What a comparison of a size of 1 or more says with no more than 0, and with itself.
struct SizeComparison {
    bool with_nothing;
    std::optional<bool> with_itself;
};

const std::unordered_map<std::string, SizeComparison> &size_comparisons()
{
    static const std::unordered_map<std::string, SizeComparison> table = {
        {"aten::eq", {false, true}},          {"aten::ne", {true, false}},
        {"aten::gt", {true, false}},          {"aten::ge", {true, true}},
        {"aten::lt", {false, false}},         {"aten::le", {false, true}},
        {"aten::Bool", {true, std::nullopt}},
    };
    return table;
}

} // namespace

// What an operator says that compares a size which an earlier call had: calls that follow one
// another have the same sizes.
std::optional<bool> Interpreter::compare_carried(const std::string &kind,
                                                 const std::vector<Ref> &inputs) const
{
    if (inputs.empty() || inputs.size() > 2 ||
        !(inputs[0]->is_carried || inputs.back()->is_carried)) {
        return std::nullopt;
    }
    const auto found = size_comparisons().find(kind);
    for (const Ref &input : inputs) {
        const bool is_known = input->is_number() && input->has_lanes && !input->is_data;
        if (found == size_comparisons().end() || !is_known || !input->lane[0].isInt()) {
            return std::nullopt;
        }
    }
    const bool is_nothing =
        inputs.size() == 1 || (inputs[1]->is_constant && inputs[1]->lane[0].toInt() <= 0);
    if (is_nothing && inputs[0]->is_carried) {
        return found->second.with_nothing;
    }
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        if (inputs[0]->lane[lane] != inputs.back()->lane[lane]) {
            return std::nullopt;
        }
    }
    return found->second.with_itself;
}

// The sizes of a tensor that an earlier call left are that call's, too.
void Interpreter::pass_on_carried(const std::string &kind, const std::vector<Ref> &inputs,
                                  const std::vector<Ref> &outputs)
{
    if (inputs.empty() || !inputs[0]->is_carried ||
        (kind != "aten::size" && kind != "aten::len" && kind != "aten::__getitem__")) {
        return;
    }
    for (const Ref &output : outputs) {
        output->is_carried = true;
        for (const Ref &size : output->elements) {
            size->is_carried = true;
        }
    }
}

} // namespace htp
