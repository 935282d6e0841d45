#include "sources.h"

#include <torch/csrc/jit/frontend/source_range.h>

namespace htp
{

namespace
{

// The tracer notes a stack as a source of its own, and a range that is all of it.
bool is_stack(const torch::jit::SourceRange &range)
{
    return range.start() == 0 && range.end() == range.source()->size();
}

// Of a call, the archive's debug records know the bracket behind the function's name.
auto original_of(const torch::jit::Node &node)
{
    const torch::jit::SourceRange range = node.sourceRange();
    auto original = range.findSourceRangeThatGenerated();
    const bool is_known = original && original->source() && original->source()->size() > 0;
    if (!is_known && range.source() && node.kind() == torch::jit::prim::CallFunction) {
        original = torch::jit::SourceRange(range.source(), range.end(), range.end())
                       .findSourceRangeThatGenerated();
    }
    return original;
}

// Debug records are read when they are first asked for.
std::string read_text(const torch::jit::Node &node)
{
    try {
        const auto original = original_of(node);
        if (!original || !original->source()) {
            return "";
        }
        const auto &source = original->source();
        return is_stack(*original)
                   ? original->text().str()
                   : ' ' + source->get_line(source->lineno_for_offset(original->start())).str();
    } catch (const std::exception &) {
        return "";
    }
}

torch::jit::SourceRange source_of(const torch::jit::Node &node)
{
    try {
        const auto original = original_of(node);
        return original ? *original : node.sourceRange();
    } catch (const std::exception &) {
        return {};
    }
}

} // namespace

SourcePlace Sources::place_of(const torch::jit::Node &node)
{
    try {
        const auto position = source_of(node).file_line_col();
        if (position) {
            return {files_.insert(std::get<0>(*position)).first->c_str(),
                    static_cast<uint32_t>(std::get<1>(*position))};
        }
    } catch (const std::exception &) {
        return {};
    }
    return {};
}

const std::string &Sources::text_of(const torch::jit::Node &node)
{
    const auto known = texts_.find(&node);
    return known == texts_.end() ? texts_.emplace(&node, read_text(node)).first->second
                                 : known->second;
}

} // namespace htp
