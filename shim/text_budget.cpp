#include "text_budget.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace htp
{

namespace
{

constexpr double kMostText = 1 << 20;   // characters of one text
constexpr double kMostWidth = 1 << 16;  // libtorch puts in one character after the other
constexpr double kMostWork = 1 << 28;   // characters that are read, written or compared
constexpr double kNumberText = 32;      // characters of a number that is written out
constexpr size_t kMostParts = 1u << 15; // of a value that is written out

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

thread_local double work_left = kUnbounded;

bool is_about_texts(const c10::TypePtr &type)
{
    if (type->kind() == c10::TypeKind::StringType) {
        return true;
    }
    const auto contained = type->containedTypes();
    return std::any_of(contained.begin(), contained.end(), is_about_texts);
}

std::string too_long(double most)
{
    return "a text of more than " + std::to_string(static_cast<int64_t>(most)) +
           " characters is made";
}

[[noreturn]] void refuse(double most)
{
    throw std::runtime_error(too_long(most));
}

double text_size(const c10::IValue &value)
{
    double size = value.isString() ? static_cast<double>(value.toStringRef().size()) : 0;
    if (value.isList() && !value.toListRef().empty() && value.toListRef()[0].isString()) {
        for (const c10::IValue &text : value.toListRef()) {
            size += text_size(text);
        }
    }
    return size;
}

void add_parts(const c10::IValue &value, std::vector<c10::IValue> &parts)
{
    if (value.isTuple()) {
        const auto &elements = value.toTupleRef().elements();
        parts.insert(parts.end(), elements.begin(), elements.end());
    } else if (value.isList()) {
        const auto elements = value.toListRef();
        parts.insert(parts.end(), elements.begin(), elements.end());
    } else if (value.isGenericDict()) {
        for (const auto &entry : value.toGenericDict()) {
            parts.push_back(entry.key());
            parts.push_back(entry.value());
        }
    }
}

// Characters of a value that is written out. What is shared within it is written again and again.
double written_size(const c10::IValue &root)
{
    std::vector<c10::IValue> pending = {root};
    double size = 0;
    for (size_t parts = 0; !pending.empty(); parts++) {
        const c10::IValue value = std::move(pending.back());
        pending.pop_back();
        size += value.isString() ? text_size(value) : kNumberText;
        add_parts(value, pending);
        if (parts + pending.size() > kMostParts) {
            refuse(kMostText);
        }
    }
    return size;
}

using Operands = c10::ArrayRef<c10::IValue>;

double sum_of_texts(Operands operands)
{
    double size = 0;
    for (const c10::IValue &operand : operands) {
        size += text_size(operand);
    }
    return size;
}

double joined(Operands operands)
{
    const bool has_list = operands.size() == 2 && operands[1].isList();
    const double between =
        has_list ? static_cast<double>(operands[1].toListRef().size()) * text_size(operands[0]) : 0;
    return sum_of_texts(operands) + between;
}

double written(Operands operands)
{
    double size = 0;
    for (const c10::IValue &operand : operands) {
        size += written_size(operand);
    }
    return size;
}

// The new text may stand between any two characters.
double replaced(Operands operands)
{
    return (text_size(operands[0]) + 1) * (operands.size() > 2 ? text_size(operands[2]) + 1 : 1);
}

double with_tabs(Operands operands)
{
    const bool has_size = operands.size() > 1 && operands[1].isInt();
    return (text_size(operands[0]) + 1) *
           (has_size ? std::max(static_cast<double>(operands[1].toInt()), 1.0) : 1);
}

double widened(Operands operands)
{
    const bool has_width = operands.size() > 1 && operands[1].isInt();
    const double width = has_width ? static_cast<double>(operands[1].toInt()) : 0;
    if (width > kMostWidth) {
        refuse(kMostWidth);
    }
    return std::max(width, 0.0) + sum_of_texts(operands);
}

// Each place of the one text may be compared with all of the other.
double searched(Operands operands)
{
    double product = 1;
    for (const c10::IValue &operand : operands) {
        product *= text_size(operand) + 1;
    }
    return product;
}

struct Cost {
    double (*made)(Operands operands); // characters of the longest text that comes out
    double (*work)(Operands operands); // beyond reading and writing texts once; or none
};

// Of operators that do more than going through their texts once.
const Cost &cost_of(const std::string &name)
{
    static const Cost plain = {sum_of_texts, nullptr};
    static const Cost search = {sum_of_texts, searched};
    static const Cost width = {widened, nullptr};
    static const Cost writing = {written, nullptr};
    static const std::map<std::string, Cost> costs = {
        {"aten::join", {joined, nullptr}},
        {"aten::replace", {replaced, searched}},
        {"aten::expandtabs", {with_tabs, nullptr}},
        {"aten::zfill", width},
        {"aten::ljust", width},
        {"aten::rjust", width},
        {"aten::center", width},
        {"aten::str", writing},
        {"aten::format", writing},
        {"aten::percentFormat", writing},
        {"aten::__contains__", search},
        {"aten::count", search},
        {"aten::find", search},
        {"aten::rfind", search},
        {"aten::index", search},
        {"aten::rindex", search},
        {"aten::split", search},
        {"aten::rsplit", search},
        {"aten::partition", search},
        {"aten::rpartition", search},
        {"aten::strip", search},
        {"aten::lstrip", search},
        {"aten::rstrip", search},
    };
    const auto found = costs.find(name);
    return found == costs.end() ? plain : found->second;
}

} // namespace

bool concerns_texts(const c10::FunctionSchema &schema)
{
    const auto has_texts = [](const c10::Argument &argument) {
        return is_about_texts(argument.type());
    };
    return std::any_of(schema.arguments().begin(), schema.arguments().end(), has_texts) ||
           std::any_of(schema.returns().begin(), schema.returns().end(), has_texts);
}

std::string reason_against_text(size_t characters)
{
    return static_cast<double>(characters) > kMostText ? too_long(kMostText) : "";
}

void charge_texts(const c10::FunctionSchema &schema, Operands operands)
{
    if (operands.empty() || work_left == kUnbounded) {
        return;
    }
    const Cost &cost = cost_of(schema.name());
    const double made = cost.made(operands);
    if (made > kMostText) {
        refuse(kMostText);
    }
    work_left -= sum_of_texts(operands) + made + (cost.work ? cost.work(operands) : 0);
    if (work_left < 0) {
        throw std::runtime_error("texts are made and compared without end");
    }
}

TextBudget::TextBudget()
{
    work_left = kMostWork;
}

TextBudget::~TextBudget()
{
    work_left = kUnbounded;
}

} // namespace htp
