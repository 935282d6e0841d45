// What a list holds whose length only the data tells: the rows of one tensor.
#include "control.h"

#include <algorithm>

namespace htp
{

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
        return sequence_of(list, place, rows);
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
            return sequence_of(list, place, rows);
        }
        sizes.push_back(size);
    }
    return zeros(std::move(sizes), rows->tensor(0).scalar_type(), place);
}

Ref Interpreter::zeros(std::vector<Ref> sizes, at::ScalarType dtype, const Place &place)
{
    const Ref none = recording_.plain(c10::IValue());
    return executor_.run_named("aten::zeros", "",
                               {recording_.sequence(Item::Kind::List, std::move(sizes)),
                                recording_.plain(static_cast<int64_t>(dtype)), none, none, none},
                               place);
}

// A size: a number, or that of a tensor which has the same one, whatever the inputs are; nullptr
// where nothing has it.
Ref Interpreter::size_like(const Item &tensor, int64_t dim, const std::vector<Ref> &known,
                           const Place &place)
{
    if (recording_.lane_count > 1 && recording_.is_fixed(tensor, dim)) {
        return recording_.plain(tensor.tensor(0).size(dim));
    }
    for (const Ref &other : known) {
        for (int64_t at = 0; other->is_tensor() && at < other->tensor(0).dim(); at++) {
            if (recording_.has_same_size(*other, at, tensor, dim)) {
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

// Whether an element is like all of a list, as far as is known.
bool Interpreter::takes(const Ref &list, const Ref &element)
{
    return is_alike({list, recording_.sequence(Item::Kind::List, {element})});
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
        fits = recording_.has_same_size(a, dim, b, dim);
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
    return is_alike({list}) ? rows_in(list, place) : sequence_of(list, place);
}

// All elements of a list, which are alike, as the rows of one tensor.
Ref Interpreter::rows_in(const Ref &list, const Place &place)
{
    require_unchanged(list, place);
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
    return rows_in(list, place);
}

// A new list of the rows of @p stack, or of a sequence.
Ref Interpreter::grown_list(const Ref &stack, bool has_numbers)
{
    Ref made = recording_.sequence(Item::Kind::List, {});
    made->stacked = stack;
    made->has_numbers = has_numbers;
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

// Whether a number that only a run knows, an index or a key, tells an element.
bool Interpreter::is_looked_up(const Ref &container, const Ref &index) const
{
    return !container->elements.empty() && index->is_number() && !is_decided(index);
}

// The element of a list at such an index.
Ref Interpreter::look_up(const Ref &list, const Ref &index, const Place &place)
{
    const Ref grown = grown_list(stack_up(list, place), list->elements[0]->is_number());
    return element_at(grown, grown->stacked, index, place);
}

// The rows of a list and those of another one behind them.
Ref Interpreter::add_rows(const Ref &list, const Ref &more, const Place &place)
{
    if (!is_alike({list, more})) {
        const bool is_empty = !list->stacked && list->elements.empty();
        return is_empty ? sequence_of(more, place)
                        : extend_sequence(sequence_of(list, place), more, place);
    }
    std::vector<Ref> parts;
    for (const Ref &part : {list, more}) {
        if (part->stacked || !part->elements.empty()) {
            parts.push_back(rows_in(part, place));
        }
    }
    return join_stacks(std::move(parts), place);
}

// @p bounds where to begin, where to end, and the step
Ref Interpreter::slice_rows(const Ref &stack, const std::vector<Ref> &bounds, const Place &place)
{
    return executor_.run_named("aten::slice", "Tensor",
                               {stack, recording_.plain(0), bounds[0], bounds[1], bounds[2]},
                               place);
}

} // namespace htp
