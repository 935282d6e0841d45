#include "declared_values.h"

#include "model.h"

#include <torch/csrc/jit/frontend/tree_views.h>

#include <algorithm>
#include <vector>

namespace htp
{

namespace
{

using torch::jit::TreeRef;

constexpr size_t kShownText = 60;

bool is_name(const TreeRef &tree)
{
    const TreeRef *inner = &tree;
    while ((*inner)->kind() == '.') {
        inner = &(*inner)->trees().at(0);
    }
    return (*inner)->kind() == torch::jit::TK_VAR;
}

std::string text_of(const TreeRef &tree)
{
    return tree->range().text().str();
}

// The two calls that PyTorch writes: torch.device("cpu"), and annotate(List[int], []), whose first
// argument is a type.
bool is_literal_call(const torch::jit::Apply &call, std::vector<TreeRef> &pending)
{
    const std::string callee = is_name(call.callee()) ? text_of(call.callee()) : "";
    const auto arguments = call.inputs();
    if (call.attributes().size() > 0) {
        return false;
    }
    if (callee == "annotate" && arguments.size() == 2) {
        pending.push_back(arguments[1]);
        return true;
    }
    return callee == "torch.device" && arguments.size() == 1 &&
           arguments[0].kind() == torch::jit::TK_STRINGLITERAL;
}

// Whether nothing has to run for a value: numbers (of a complex one, the sum or difference of its
// parts), texts, names, and collections of these.
bool is_literal(const TreeRef &value)
{
    std::vector<TreeRef> pending = {value};
    while (!pending.empty()) {
        const TreeRef tree = std::move(pending.back());
        pending.pop_back();
        switch (tree->kind()) {
        case torch::jit::TK_CONST:
        case torch::jit::TK_STRINGLITERAL:
        case torch::jit::TK_TRUE:
        case torch::jit::TK_FALSE:
        case torch::jit::TK_NONE:
        case torch::jit::TK_VAR:
            break;
        case '.':
            if (!is_name(tree)) {
                return false;
            }
            break;
        case '+':
        case '-':
        case torch::jit::TK_UNARY_MINUS:
        case torch::jit::TK_LIST:
        case torch::jit::TK_LIST_LITERAL:
        case torch::jit::TK_TUPLE_LITERAL:
        case torch::jit::TK_DICT_LITERAL:
            pending.insert(pending.end(), tree->trees().begin(), tree->trees().end());
            break;
        case torch::jit::TK_APPLY:
            if (!is_literal_call(torch::jit::Apply(tree), pending)) {
                return false;
            }
            break;
        default:
            return false;
        }
    }
    return true;
}

void check_value(const TreeRef &value, const std::string &what)
{
    if (!is_literal(value)) {
        std::string text = text_of(value);
        std::replace(text.begin(), text.end(), '\n', ' ');
        if (text.size() > kShownText) {
            text = text.substr(0, kShownText) + "...";
        }
        throw Unsupported(
            value->range().source()->filename().value_or("the code") + ", line " +
            std::to_string(value->range().source()->lineno_for_offset(value->range().start()) + 1) +
            ": " + what + " is computed by \"" + text +
            "\", which does not run when a file is opened; write out its value");
    }
}

// Class bodies declare types of attributes, too, under names that are no identifiers:
// __annotations__["0"] = Tensor.
void check_class(const torch::jit::ClassDef &declared)
{
    for (const auto &statement : declared.body()) {
        if (statement.kind() != torch::jit::TK_ASSIGN) {
            continue;
        }
        const torch::jit::Assign assign(statement);
        if (assign.rhs().present() && assign.lhs().kind() != torch::jit::TK_SUBSCRIPT) {
            check_value(assign.rhs().get(),
                        text_of(assign.lhs()) + " of class " + declared.name().name());
        }
    }
}

} // namespace

// Functions may be declared anywhere, also within others.
void check_declared_values(const TreeRef &declaration)
{
    std::vector<TreeRef> pending = {declaration};
    while (!pending.empty()) {
        const TreeRef tree = std::move(pending.back());
        pending.pop_back();
        if (tree->kind() == torch::jit::TK_CLASS_DEF) {
            check_class(torch::jit::ClassDef(tree));
        } else if (tree->kind() == torch::jit::TK_PARAM) {
            const torch::jit::Param parameter(tree);
            if (parameter.defaultValue().present()) {
                check_value(parameter.defaultValue().get(),
                            "the default of argument " + parameter.ident().name());
            }
        }
        pending.insert(pending.end(), tree->trees().begin(), tree->trees().end());
    }
}

} // namespace htp
