#include "checked_sources.h"

#include "archived_code.h"
#include "declared_values.h"

#include <torch/csrc/jit/frontend/parser.h>

#include <algorithm>
#include <cctype>

namespace htp
{

namespace
{

constexpr const char *kFolder = "code/";
constexpr const char *kEnding = ".py";

// Records are found whatever the case of their names.
std::string lower_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// "__torch__.model" of "code/__torch__/model.py"; "" of what is no code.
std::string qualifier_of(const std::string &record)
{
    const std::string name = lower_case(record), folder = kFolder, ending = kEnding;
    if (name.size() <= folder.size() + ending.size() || name.rfind(folder, 0) != 0 ||
        name.compare(name.size() - ending.size(), ending.size(), ending) != 0) {
        return "";
    }
    std::string qualifier =
        record.substr(folder.size(), record.size() - folder.size() - ending.size());
    std::replace(qualifier.begin(), qualifier.end(), '/', '.');
    return qualifier;
}

void add_declarations(const std::shared_ptr<torch::jit::Source> &source,
                      const std::string &qualifier, TupleCosts &tuples)
{
    torch::jit::Parser parser(source);
    auto &lexer = parser.lexer();
    const auto add = [&](const torch::jit::TreeRef &declaration) {
        check_declared_values(declaration);
        tuples.add(declaration, qualifier);
    };
    while (lexer.cur().kind != torch::jit::TK_EOF) {
        switch (lexer.cur().kind) {
        case torch::jit::TK_CLASS_DEF:
            add(parser.parseClass());
            break;
        case torch::jit::TK_DEF:
            add(parser.parseFunction(/*is_method=*/false));
            break;
        default: // a version number, or an import of old files; libtorch refuses anything else
            lexer.next();
        }
    }
}

} // namespace

CheckedSources::CheckedSources(caffe2::serialize::PyTorchStreamReader &records)
{
    for (const std::string &record : records.getAllRecords()) {
        const std::string qualifier = qualifier_of(record);
        const auto source = qualifier.empty() ? nullptr : find_source(records, qualifier);
        if (source) {
            sources_[lower_case(qualifier)] = source;
            add_declarations(source, qualifier, tuples_);
        }
    }
    tuples_.check(0);
}

void CheckedSources::check_constants(const std::vector<c10::IValue> &constants)
{
    double cost = 0;
    for (const c10::IValue &constant : constants) {
        cost = std::max(cost, TupleCosts::cost_of_value(constant));
    }
    tuples_.check(cost);
}

std::shared_ptr<torch::jit::Source> CheckedSources::find(const std::string &qualifier) const
{
    const auto found = sources_.find(lower_case(qualifier));
    return found == sources_.end() ? nullptr : found->second;
}

} // namespace htp
