// Lists whose length only the data tells: what they hold is a tensor, a row for each element.
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

// An element as a row of a stack: with a first dim of one.
Ref Interpreter::row_of(const Ref &element, const Place &place)
{
    Ref tensor = element;
    if (element->is_number()) {
        const bool is_bool = element->lane[0].isBool();
        tensor =
            executor_.run_named("prim::NumToTensor", is_bool ? "bool" : "Scalar", {element}, place);
    } else if (!element->is_tensor() && element->kind != Item::Kind::Unknown) {
        throw Unsupported("a list whose length depends on the data holds something that is no "
                          "tensor and no number, " +
                          recording_.describe(place));
    }
    return executor_.run_named("aten::unsqueeze", "", {tensor, recording_.plain(0)}, place);
}

// What a stack of a list's elements looks like, without rows; nullptr where there is none.
Ref Interpreter::rows_of(const Contents &list)
{
    if (list.stacked || list.elements.empty()) {
        return list.stacked;
    }
    const Item &element = *list.elements.back();
    if (!element.is_tensor() && !element.is_number()) {
        return nullptr;
    }
    Ref rows = recording_.make(Item::Kind::Tensor);
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<int64_t> sizes = {0};
        at::ScalarType type = element.lane[0].isInt()      ? at::kLong
                              : element.lane[0].isDouble() ? at::kDouble
                                                           : at::kBool;
        if (element.is_tensor()) {
            const at::IntArrayRef own = element.tensor(lane).sizes();
            sizes.insert(sizes.end(), own.begin(), own.end());
            type = element.tensor(lane).scalar_type();
        }
        rows->lane[lane] = at::empty(sizes, at::device(at::kMeta).dtype(type));
    }
    rows->has_numbers = element.is_number();
    return rows;
}

// A stack of what a list holds before a loop; @p rows tells what an empty one would hold, and
// becomes a sequence where the list can only be one.
Ref Interpreter::begin_stack(const Ref &list, Ref &rows, const std::vector<Ref> &known,
                             const Place &place)
{
    if (rows->is_sequence) {
        return sequence_of(list, rows, place);
    }
    if (!list->elements.empty() || list->stacked) {
        const Ref stack = stack_up(list, place);
        rows = stack->is_sequence ? stack : rows;
        return stack;
    }
    std::vector<Ref> sizes = {recording_.plain(0)};
    for (int64_t dim = 1; dim < rows->tensor(0).dim(); dim++) {
        const Ref size = size_like(*rows, dim, known, place);
        if (!size) {
            rows = sequence_like(*rows, true);
            return sequence_of(list, rows, place);
        }
        sizes.push_back(size);
    }
    const Ref none = recording_.plain(c10::IValue());
    const Ref dtype = recording_.plain(static_cast<int64_t>(rows->tensor(0).scalar_type()));
    return executor_.run_named(
        "aten::zeros", "",
        {recording_.sequence(Item::Kind::List, std::move(sizes)), dtype, none, none, none}, place);
}

// A size: a number, or that of a tensor which has the same one, whatever the inputs are; nullptr
// where nothing has it.
Ref Interpreter::size_like(const Item &tensor, int64_t dim, const std::vector<Ref> &known,
                           const Place &place)
{
    bool is_fixed = recording_.lane_count > 1;
    for (uint32_t lane = 1; lane < recording_.lane_count; lane++) {
        is_fixed = is_fixed && tensor.tensor(lane).size(dim) == tensor.tensor(0).size(dim);
    }
    if (is_fixed) {
        return recording_.plain(tensor.tensor(0).size(dim));
    }
    for (const Ref &other : known) {
        for (int64_t at = 0; other->is_tensor() && at < other->tensor(0).dim(); at++) {
            bool is_same = true;
            for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
                is_same = is_same && other->tensor(lane).size(at) == tensor.tensor(lane).size(dim);
            }
            if (is_same) {
                return executor_.run_named("aten::size", "int", {other, recording_.plain(at)},
                                           place);
            }
        }
    }
    return nullptr;
}

// Whether all tensors of some lists have the same sizes, as far as is known.
bool Interpreter::is_alike(const std::vector<Ref> &lists)
{
    Ref first;
    const auto fits = [&](const Ref &rows) {
        first = first ? first : rows;
        return !rows || (!rows->is_sequence && has_same_rows(*first, *rows));
    };
    for (const Ref &list : lists) {
        const bool is_list =
            std::all_of(list->elements.begin(), list->elements.end(),
                        [&](const Ref &element) { return fits(rows_of({{element}})); });
        if (!is_list || !fits(list->stacked)) {
            return false;
        }
    }
    return true;
}

// Whether two stacks hold tensors of the same sizes, as far as is known.
bool Interpreter::has_same_rows(const Item &a, const Item &b) const
{
    if (a.kind == Item::Kind::Unknown || b.kind == Item::Kind::Unknown) {
        return true;
    }
    bool fits = a.tensor(0).dim() == b.tensor(0).dim() &&
                a.tensor(0).scalar_type() == b.tensor(0).scalar_type();
    for (int64_t dim = 1; fits && dim < a.tensor(0).dim(); dim++) {
        fits = has_same_size(a, b, dim);
    }
    return fits;
}

// Stacks one behind the other.
Ref Interpreter::join_stacks(std::vector<Ref> stacks, const Place &place)
{
    if (stacks.size() == 1) {
        return stacks[0];
    }
    const Ref joined = executor_.run_named(
        "aten::cat", "", {recording_.sequence(Item::Kind::List, stacks), recording_.plain(0)},
        place);
    share_memory(joined, stacks);
    return joined;
}

// All elements of a list as the rows of one tensor, or as a sequence where their sizes differ.
Ref Interpreter::stack_up(const Ref &list, const Place &place)
{
    require_unchanged(list, place);
    if (!is_alike({list})) {
        return sequence_of(list, nullptr, place);
    }
    std::vector<Ref> parts;
    for (const Ref &element : list->elements) {
        parts.push_back(row_of(element, place));
    }
    if (list->stacked) {
        parts.push_back(list->stacked);
    }
    return join_stacks(std::move(parts), place);
}

// All elements of a list as rows, where nothing else will do.
Ref Interpreter::require_rows(const Ref &list, const Place &place)
{
    if (!is_alike({list})) {
        throw Unsupported("a list whose length depends on the data holds tensors of different "
                          "sizes, and is sliced or reversed, " +
                          recording_.describe(place));
    }
    return stack_up(list, place);
}

// A new list of the rows of @p stack, which are what the elements of @p like are.
Ref Interpreter::grown_list(const Ref &like, const Ref &stack)
{
    Ref made = recording_.sequence(Item::Kind::List, {});
    made->stacked = stack;
    made->has_numbers = like->has_numbers;
    return made;
}

Ref Interpreter::element_at(const Ref &list, const Ref &stack, const Ref &index, const Place &place)
{
    if (stack->is_sequence) {
        return sequence_item(stack, index, place);
    }
    const Ref row =
        executor_.run_named("aten::select", "int", {stack, recording_.plain(0), index}, place);
    if (!list->has_numbers || !row->is_tensor()) {
        return row;
    }
    const at::ScalarType type = row->tensor(0).scalar_type();
    const char *const reader = type == at::kBool   ? "aten::Bool"
                               : type == at::kLong ? "aten::Int"
                                                   : "aten::Float";
    return executor_.run_named(reader, "Tensor", {row}, place);
}

// stack(), cat()
std::vector<Ref> Interpreter::do_grown_stack(const Node &node, std::vector<Ref> &inputs,
                                             Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref grown = inputs[0]->stacked;
    const bool is_cat = node.kind() == torch::jit::aten::cat;
    const int64_t rank = grown->tensor(0).dim() - (is_cat ? 1 : 0);
    int64_t dim = number(inputs[1], place);
    dim += dim < 0 ? rank : 0;
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
    if (!is_alike({inputs[0], recording_.sequence(Item::Kind::List, {inputs[2]})})) {
        return do_sequence_set_item(node, inputs, frame);
    }
    const Ref stack = stack_up(inputs[0], place);
    Ref row = row_of(inputs[2], place);
    row = executor_.run_named("aten::select", "int",
                              {row, recording_.plain(0), recording_.plain(0)}, place);
    const Ref changed = executor_.run_named("aten::select_scatter", "",
                                            {stack, row, recording_.plain(0), inputs[1]}, place);
    share_memory(changed, {stack, row});
    recording_.fill(inputs[0], {{}, changed});
    return {inputs[0]};
}

// The rows of a list and those of another one behind them.
Ref Interpreter::add_rows(const Ref &list, const Ref &more, const Place &place)
{
    if (!is_alike({list, more})) {
        const bool is_empty = !list->stacked && list->elements.empty();
        return is_empty ? sequence_of(more, nullptr, place)
                        : extend_sequence(sequence_of(list, nullptr, place), more, place);
    }
    std::vector<Ref> parts;
    for (const Ref &part : {list, more}) {
        if (part->stacked || !part->elements.empty()) {
            parts.push_back(stack_up(part, place));
        }
    }
    return join_stacks(std::move(parts), place);
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
    return {grown_list(inputs[0]->stacked ? inputs[0] : inputs[1],
                       add_rows(inputs[0], inputs[1], place_of(node, frame.scope)))};
}

std::vector<Ref> Interpreter::do_grown_slice(const Node &node, std::vector<Ref> &inputs,
                                             Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref stack = require_rows(inputs[0], place);
    return {grown_list(inputs[0], slice_rows(stack, {inputs[1], inputs[2], inputs[3]}, place))};
}

// @p bounds where to begin, where to end, and the step
Ref Interpreter::slice_rows(const Ref &stack, const std::vector<Ref> &bounds, const Place &place)
{
    return executor_.run_named("aten::slice", "Tensor",
                               {stack, recording_.plain(0), bounds[0], bounds[1], bounds[2]},
                               place);
}

// pop() of the last element, or of the first one.
std::vector<Ref> Interpreter::do_grown_pop(const Node &node, std::vector<Ref> &inputs, Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const int64_t at = number(inputs[1], place);
    if (!is_alike({inputs[0]})) {
        return do_sequence_pop(node, inputs, frame);
    }
    if (at != 0 && at != -1) {
        throw Unsupported("pop() within a list whose length depends on the data, " +
                          recording_.describe(place));
    }
    const Ref stack = stack_up(inputs[0], place);
    const Ref none = recording_.plain(c10::IValue());
    const Ref taken = element_at(inputs[0], stack, inputs[1], place);
    const std::vector<Ref> bounds = {at == 0 ? recording_.plain(1) : none,
                                     at == 0 ? none : recording_.plain(-1), recording_.plain(1)};
    recording_.fill(inputs[0], {{}, slice_rows(stack, bounds, place)});
    return {taken};
}

std::vector<Ref> Interpreter::do_grown_copy(const Node &node, std::vector<Ref> &inputs,
                                            Frame &frame)
{
    return {grown_list(inputs[0], stack_up(inputs[0], place_of(node, frame.scope)))};
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
    const Ref dims = recording_.sequence(Item::Kind::List, {recording_.plain(0)});
    const Ref stack = require_rows(inputs[0], place);
    const Ref reversed = executor_.run_named("aten::flip", "", {stack, dims}, place);
    share_memory(reversed, {stack});
    recording_.fill(inputs[0], {{}, reversed});
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
