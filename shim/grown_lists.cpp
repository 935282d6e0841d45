// The operators of lists whose length only the data tells.
#include "control.h"

#include <algorithm>
#include <set>

namespace htp
{

const std::unordered_map<std::string, Interpreter::Handler> &Interpreter::grown_handlers()
{
    static const std::unordered_map<std::string, Handler> table = {
        {"aten::stack", &Interpreter::do_grown_stack},
        {"aten::cat", &Interpreter::do_grown_stack},
        {"aten::len", &Interpreter::do_grown_length},
        {"aten::__getitem__", &Interpreter::do_grown_item},
        {"aten::_set_item", &Interpreter::do_grown_set_item},
        {"aten::append", &Interpreter::do_grown_append},
        {"aten::extend", &Interpreter::do_grown_extend},
        {"aten::add_", &Interpreter::do_grown_extend},
        {"aten::add", &Interpreter::do_grown_add},
        {"aten::slice", &Interpreter::do_grown_slice},
        {"aten::insert", &Interpreter::do_grown_insert},
        {"aten::pop", &Interpreter::do_grown_pop},
        {"aten::list", &Interpreter::do_grown_copy},
        {"aten::copy", &Interpreter::do_grown_copy},
        {"aten::clear", &Interpreter::do_grown_clear},
        {"aten::reverse", &Interpreter::do_grown_reverse},
        {"aten::tensor", &Interpreter::do_grown_tensor},
        {"aten::sum", &Interpreter::do_grown_sum},
    };
    return table;
}

const std::unordered_map<std::string, Interpreter::Handler> &
Interpreter::list_handlers(const std::vector<Ref> &inputs)
{
    const bool is_sequence = std::any_of(inputs.begin(), inputs.end(), [](const Ref &input) {
        return input->stacked && input->stacked->is_sequence;
    });
    return is_sequence ? sequence_handlers() : grown_handlers();
}

// Whether an operator is given a list whose length the data decides. One that a recorded loop
// appends to has other elements when it runs: nothing else may touch it.
bool Interpreter::check_lists(const std::string &kind, const std::vector<Ref> &inputs,
                              const Place &place) const
{
    static const std::set<std::string> passes = {"prim::CallMethod",
                                                 "prim::CallFunction",
                                                 "aten::__is__",
                                                 "aten::__isnot__",
                                                 "prim::TupleConstruct",
                                                 "prim::ListConstruct",
                                                 "prim::DictConstruct",
                                                 "prim::If",
                                                 "prim::Loop",
                                                 "prim::fork",
                                                 "prim::SetAttr",
                                                 "prim::unchecked_cast",
                                                 "aten::_unwrap_optional",
                                                 "prim::unchecked_unwrap_optional",
                                                 "prim::isinstance"};
    bool any = false;
    for (const Ref &input : inputs) {
        if (input->is_growing && kind != "aten::append" && passes.count(kind) == 0) {
            throw Growth{input, nullptr};
        }
        any = any || input->stacked;
    }
    if (!any || passes.count(kind) != 0) {
        return false;
    }
    if (list_handlers(inputs).count(kind) == 0 || inputs[0]->kind != Item::Kind::List) {
        throw Unsupported(kind + " on a list whose length depends on the data, " +
                          recording_.describe(place));
    }
    for (const Ref &input : inputs) {
        require_unchanged(input, place);
    }
    return true;
}

int64_t Interpreter::dim_to_join(const Ref &dim, int64_t rank, const Place &place) const
{
    const int64_t at = wrapped(number(dim, place), rank);
    if (at < 0) {
        throw BadInputs("a dim that cat() or stack() joins is out of range, " +
                        recording_.describe(place));
    }
    return at;
}

// stack(), cat()
std::vector<Ref> Interpreter::do_grown_stack(const Node &node, std::vector<Ref> &inputs,
                                             Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref grown = inputs[0]->stacked;
    const bool is_cat = node.kind() == torch::jit::aten::cat;
    const int64_t rank = grown->tensor(0).dim() - (is_cat ? 1 : 0);
    const int64_t dim = dim_to_join(inputs[1], rank, place);
    const Ref at = recording_.plain(dim);
    Ref result =
        executor_.run_named("aten::movedim", "int", {grown, recording_.plain(0), at}, place);
    if (is_cat) {
        result = executor_.run_named("aten::flatten", "using_ints",
                                     {result, at, recording_.plain(dim + 1)}, place);
    }
    std::vector<Ref> parts;
    for (const Ref &element : inputs[0]->elements) {
        parts.push_back(is_cat ? element
                               : executor_.run_named("aten::unsqueeze", "", {element, at}, place));
    }
    if (parts.empty()) {
        return {result};
    }
    parts.push_back(result);
    return {executor_.run_named(
        "aten::cat", "", {recording_.sequence(Item::Kind::List, std::move(parts)), at}, place)};
}

Ref Interpreter::length_of(const Ref &list, const Place &place)
{
    const Ref more =
        executor_.run_named("aten::size", "int", {list->stacked, recording_.plain(0)}, place);
    const auto known = static_cast<int64_t>(list->elements.size());
    return known == 0
               ? more
               : executor_.run_named("aten::add", "int", {more, recording_.plain(known)}, place);
}

std::vector<Ref> Interpreter::do_grown_length(const Node &node, std::vector<Ref> &inputs,
                                              Frame &frame)
{
    return {length_of(inputs[0], place_of(node, frame.scope))};
}

std::vector<Ref> Interpreter::do_grown_item(const Node &node, std::vector<Ref> &inputs,
                                            Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    return {element_at(inputs[0], stack_up(inputs[0], place), inputs[1], place)};
}

std::vector<Ref> Interpreter::do_grown_set_item(const Node &node, std::vector<Ref> &inputs,
                                                Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    if (!takes(inputs[0], inputs[2])) {
        return do_sequence_set_item(node, inputs, frame);
    }
    const Ref stack = rows_in(inputs[0], place);
    Ref row = row_of(inputs[2], place);
    row = executor_.run_named("aten::select", "int",
                              {row, recording_.plain(0), recording_.plain(0)}, place);
    const Ref changed = executor_.run_named("aten::select_scatter", "",
                                            {stack, row, recording_.plain(0), inputs[1]}, place);
    share_memory(changed, {stack, row});
    recording_.fill(inputs[0], {{}, changed});
    return {inputs[0]};
}

std::vector<Ref> Interpreter::do_grown_append(const Node &node, std::vector<Ref> &inputs,
                                              Frame &frame)
{
    const Ref added = recording_.sequence(Item::Kind::List, {inputs[1]});
    recording_.fill(inputs[0], {{}, add_rows(inputs[0], added, place_of(node, frame.scope))});
    return {inputs[0]};
}

std::vector<Ref> Interpreter::do_grown_extend(const Node &node, std::vector<Ref> &inputs,
                                              Frame &frame)
{
    const bool has_numbers = inputs[0]->has_numbers || inputs[1]->has_numbers;
    recording_.fill(inputs[0], {{}, add_rows(inputs[0], inputs[1], place_of(node, frame.scope))});
    inputs[0]->has_numbers = has_numbers;
    return {inputs[0]};
}

std::vector<Ref> Interpreter::do_grown_add(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Ref &grown = inputs[0]->stacked ? inputs[0] : inputs[1];
    return {grown_list(add_rows(inputs[0], inputs[1], place_of(node, frame.scope)),
                       grown->has_numbers)};
}

Ref Interpreter::reversed_rows(const Ref &stack, const Place &place)
{
    const Ref dims = recording_.sequence(Item::Kind::List, {recording_.plain(0)});
    const Ref reversed = executor_.run_named("aten::flip", "", {stack, dims}, place);
    share_memory(reversed, {stack});
    return reversed;
}

std::vector<Ref> Interpreter::do_grown_slice(const Node &node, std::vector<Ref> &inputs,
                                             Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref stack = require_rows(inputs[0], place);
    const int64_t step = number(inputs[3], place);
    if (step > 0) {
        return {grown_list(slice_rows(stack, {inputs[1], inputs[2], inputs[3]}, place),
                           inputs[0]->has_numbers)};
    }
    if (step != -1 || !inputs[1]->is_none() || !inputs[2]->is_none()) {
        throw Unsupported("a part of a list whose length depends on the data is taken backwards, " +
                          recording_.describe(place));
    }
    return {grown_list(reversed_rows(stack, place), inputs[0]->has_numbers)};
}

// The rows before and from an index on: Python's rules for it are those of slices.
std::pair<Ref, Ref> Interpreter::cut_rows(const Ref &stack, const Ref &before, const Ref &from,
                                          const Place &place)
{
    const Ref none = recording_.plain(c10::IValue());
    const Ref one = recording_.plain(1);
    return {slice_rows(stack, {none, before, one}, place),
            slice_rows(stack, {from, none, one}, place)};
}

std::vector<Ref> Interpreter::do_grown_pop(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    if (!is_alike({inputs[0]})) {
        return do_sequence_pop(node, inputs, frame);
    }
    const int64_t at = number(inputs[1], place);
    const Ref stack = rows_in(inputs[0], place);
    const Ref taken = element_at(inputs[0], stack, inputs[1], place);
    const Ref none = recording_.plain(c10::IValue());
    const Ref one = recording_.plain(1);
    Ref rest;
    if (at == 0) {
        rest = slice_rows(stack, {one, none, one}, place);
    } else if (at == -1) {
        rest = slice_rows(stack, {none, inputs[1], one}, place);
    } else {
        const auto [first, last] = cut_rows(stack, inputs[1], recording_.plain(at + 1), place);
        rest = join_stacks({first, last}, place);
    }
    recording_.fill(inputs[0], {{}, rest});
    return {taken};
}

std::vector<Ref> Interpreter::do_grown_insert(const Node &node, std::vector<Ref> &inputs,
                                              Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    if (!takes(inputs[0], inputs[2])) {
        return do_sequence_insert(node, inputs, frame);
    }
    const int64_t at = number(inputs[1], place);
    const Ref stack = rows_in(inputs[0], place);
    std::vector<Ref> parts = {row_of(inputs[2], place)};
    if (at == 0) {
        parts.push_back(stack);
    } else {
        const auto [first, last] = cut_rows(stack, inputs[1], inputs[1], place);
        parts = {first, parts[0], last};
    }
    recording_.fill(inputs[0], {{}, join_stacks(std::move(parts), place)});
    return {};
}

std::vector<Ref> Interpreter::do_grown_copy(const Node &node, std::vector<Ref> &inputs,
                                            Frame &frame)
{
    return {grown_list(stack_up(inputs[0], place_of(node, frame.scope)), inputs[0]->has_numbers)};
}

std::vector<Ref> Interpreter::do_grown_clear(const Node &, std::vector<Ref> &inputs, Frame &)
{
    recording_.fill(inputs[0], {});
    return {};
}

std::vector<Ref> Interpreter::do_grown_reverse(const Node &node, std::vector<Ref> &inputs,
                                               Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    recording_.fill(inputs[0], {{}, reversed_rows(require_rows(inputs[0], place), place)});
    return {};
}

// tensor() of a list of numbers
std::vector<Ref> Interpreter::do_grown_tensor(const Node &node, std::vector<Ref> &inputs,
                                              Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref stack = require_rows(inputs[0], place);
    Ref dtype = inputs[1];
    if (dtype->is_none() && stack->is_tensor()) {
        const at::ScalarType type = stack->tensor(0).scalar_type();
        dtype = recording_.plain(static_cast<int64_t>(type == at::kDouble ? at::kFloat : type));
    }
    const Ref no = recording_.plain(false);
    return {executor_.run_named("aten::to", "dtype",
                                {stack, dtype, no, no, recording_.plain(c10::IValue())}, place)};
}

// sum() of a list of numbers
std::vector<Ref> Interpreter::do_grown_sum(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref list = inputs[0];
    const bool is_int = list->stacked->tensor(0).scalar_type() == at::kLong;
    const bool is_float = list->stacked->tensor(0).scalar_type() == at::kDouble;
    if (!list->has_numbers || (!is_int && !is_float)) {
        throw Unsupported("aten::sum on a list whose length depends on the data, " +
                          recording_.describe(place));
    }
    const Ref total = executor_.run_named(
        "aten::sum", "", {stack_up(list, place), recording_.plain(c10::IValue())}, place);
    return {executor_.run_named(is_int ? "aten::Int" : "aten::Float", "Tensor", {total}, place)};
}

} // namespace htp
