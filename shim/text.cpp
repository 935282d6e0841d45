// Strings that a program makes, for its messages above all.
#include "interpreter.h"
#include "text_budget.h"

#include <algorithm>

namespace htp
{

namespace
{

void check_size(const std::string &text)
{
    const std::string reason = reason_against_text(text.size());
    if (!reason.empty()) {
        throw Unsupported(reason);
    }
}

// What is shared within a value is written again and again: it may not become long.
void write(const Ref &item, std::string &text)
{
    if (item->kind == Item::Kind::List || item->kind == Item::Kind::Tuple) {
        text += '[';
        for (size_t i = 0; i < item->elements.size(); i++) {
            text += i ? ", " : "";
            write(item->elements[i], text);
        }
        text += ']';
    } else if (item->is_tensor()) {
        text += c10::str("a tensor of ", item->tensor(0).sizes());
    } else if (item->kind != Item::Kind::Plain || !item->has_lanes) {
        text += '?';
    } else if (item->lane[0].isString()) {
        text += item->lane[0].toStringRef();
    } else {
        text += c10::str(item->lane[0]);
    }
    check_size(text);
}

std::string shown(const Ref &item)
{
    std::string text;
    write(item, text);
    return text;
}

// Only of whole numbers, strings and devices it is certain how TorchScript writes them.
bool is_certain(const Ref &item)
{
    const c10::IValue &value = item->lane[0];
    return item->kind == Item::Kind::Plain && item->is_constant && item->has_lanes &&
           (value.isInt() || value.isString() || value.isDevice());
}

} // namespace

// str(x): no program may branch on a text that this one would write differently.
std::vector<Ref> Interpreter::do_text(const Node &, std::vector<Ref> &inputs, Frame &)
{
    const std::string text = inputs.empty() ? "" : shown(inputs[0]);
    const bool is_constant = !inputs.empty() && is_certain(inputs[0]);
    return {recording_.plain(text, is_constant)};
}

// "{} and {}".format(x, y)
std::vector<Ref> Interpreter::do_format(const Node &, std::vector<Ref> &inputs, Frame &)
{
    const std::string pattern = shown(inputs.at(0));
    std::string text;
    size_t next = 1;
    size_t begin = 0;
    for (size_t at = pattern.find("{}"); at != std::string::npos && next < inputs.size();
         at = pattern.find("{}", begin)) {
        text += pattern.substr(begin, at - begin) + shown(inputs[next++]);
        check_size(text);
        begin = at + 2;
    }
    text += pattern.substr(begin);
    const bool is_constant =
        inputs[0]->is_constant && std::all_of(inputs.begin() + 1, inputs.end(), is_certain);
    return {recording_.plain(text, is_constant)};
}

} // namespace htp
