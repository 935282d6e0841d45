// Lists whose length only the data tells and whose tensors have different sizes: what they hold is
// an ONNX sequence, recorded with the operators that lists have.
#include "control.h"

#include <algorithm>

namespace htp
{

namespace
{

const std::string kUnfit = "a list whose length depends on the data holds tensors of different "
                           "ranks or dtypes, or what ONNX sequences do not take, ";

} // namespace

const std::unordered_map<std::string, Interpreter::Handler> &Interpreter::sequence_handlers()
{
    static const std::unordered_map<std::string, Handler> table = {
        {"aten::stack", &Interpreter::do_sequence_join},
        {"aten::cat", &Interpreter::do_sequence_join},
        {"aten::len", &Interpreter::do_sequence_length},
        {"aten::__getitem__", &Interpreter::do_grown_item},
        {"aten::_set_item", &Interpreter::do_sequence_set_item},
        {"aten::append", &Interpreter::do_grown_append},
        {"aten::extend", &Interpreter::do_grown_extend},
        {"aten::add_", &Interpreter::do_grown_extend},
        {"aten::add", &Interpreter::do_grown_add},
        {"aten::insert", &Interpreter::do_sequence_insert},
        {"aten::pop", &Interpreter::do_sequence_pop},
        {"aten::list", &Interpreter::do_grown_copy},
        {"aten::copy", &Interpreter::do_grown_copy},
        {"aten::clear", &Interpreter::do_grown_clear},
    };
    return table;
}

// A sequence of tensors like @p tensor: a row of one where @p is_stack.
Ref Interpreter::sequence_like(const Item &tensor, bool is_stack)
{
    Ref made = like(tensor);
    for (uint32_t lane = 0; is_stack && lane < recording_.lane_count; lane++) {
        made->lane[lane] = at::empty(tensor.tensor(lane).sizes().slice(1),
                                     tensor.tensor(lane).options().device(at::kMeta));
    }
    made->is_sequence = true;
    return made;
}

// Makes the tensors of a sequence what they are with another one among them.
void Interpreter::widen(Item &sequence, const Item &element, const Place &place)
{
    const bool fits = element.is_tensor() && !element.quantization &&
                      element.tensor(0).dim() == sequence.tensor(0).dim() &&
                      element.tensor(0).scalar_type() == sequence.tensor(0).scalar_type() &&
                      !element.tensor(0).is_complex();
    if (!fits) {
        throw Unsupported(kUnfit + recording_.describe(place));
    }
    for (int64_t dim = 0; dim < element.tensor(0).dim(); dim++) {
        if (!recording_.has_same_size(sequence, dim, element, dim)) {
            resize(sequence, dim, "element");
        }
    }
}

// A list's operator on sequences. @p parts what may be in @p made in place of a copy
Ref Interpreter::record_sequence(const char *kind, const std::vector<Ref> &inputs,
                                 const std::vector<std::string> &names, const Ref &made,
                                 const std::vector<Ref> &parts, const Place &place)
{
    record_control(kind, inputs, names, {made}, {}, place);
    share_memory(made, parts);
    return made;
}

// All elements of a list as a sequence; @p like tells what one without any would hold.
Ref Interpreter::sequence_of(const Ref &list, const Place &place, const Ref &like)
{
    require_unchanged(list, place);
    const std::vector<Ref> &elements = list->elements;
    if (list->stacked && list->stacked->is_sequence) {
        if (!elements.empty()) {
            throw Unsupported("a list whose length depends on the data begins with tensors of "
                              "different sizes, " +
                              recording_.describe(place));
        }
        return list->stacked;
    }
    if (list->stacked) {
        const Ref rows = stack_up(list, place);
        return record_sequence("aten::unbind.int", {rows, recording_.plain(0)}, {"self", "dim"},
                               sequence_like(*rows, true), {rows}, place);
    }
    const Ref &model = elements.empty() ? like : elements[0];
    if (!model->is_tensor()) {
        throw Unsupported(kUnfit + recording_.describe(place));
    }
    const Ref made = sequence_like(*model, false);
    for (const Ref &element : elements) {
        widen(*made, *element, place);
    }
    return record_sequence("prim::ListConstruct", elements,
                           std::vector<std::string>(elements.size(), "element"), made, elements,
                           place);
}

// A sequence with the elements of @p more behind its own.
Ref Interpreter::extend_sequence(Ref sequence, const Ref &more, const Place &place)
{
    if (more->stacked) {
        throw Unsupported("a list of tensors of different sizes is extended by one whose length "
                          "depends on the data, " +
                          recording_.describe(place));
    }
    for (const Ref &element : more->elements) {
        const Ref made = sequence_like(*sequence, false);
        widen(*made, *element, place);
        sequence = record_sequence("aten::append.t", {sequence, element}, {"self", "el"}, made,
                                   {sequence, element}, place);
    }
    return sequence;
}

// What a tensor of a sequence looks like.
Ref Interpreter::element_of(const Item &sequence)
{
    const Ref made = like(sequence);
    made->is_sequence = false;
    made->varying.clear();
    for (const int64_t dim : sequence.varying) {
        resize(*made, dim, "element");
    }
    return made;
}

Ref Interpreter::sequence_item(const Ref &sequence, const Ref &index, const Place &place)
{
    return record_sequence("aten::__getitem__.t", {sequence, index}, {"self", "idx"},
                           element_of(*sequence), {sequence}, place);
}

// stack(), cat(): sizes that differ between elements are equal then, or libtorch would refuse.
std::vector<Ref> Interpreter::do_sequence_join(const Node &node, std::vector<Ref> &inputs,
                                               Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const bool is_stack = node.kind() == torch::jit::aten::stack;
    const Ref sequence = sequence_of(inputs[0], place);
    const int64_t rank = sequence->tensor(0).dim() + (is_stack ? 1 : 0);
    const int64_t dim = dim_to_join(inputs[1], rank, place);
    const Ref made = element_of(*sequence);
    for (uint32_t lane = 0; is_stack && lane < recording_.lane_count; lane++) {
        made->lane[lane] = made->tensor(lane).unsqueeze(dim);
    }
    resize(*made, dim, is_stack ? "stack" : "cat");
    record_control(is_stack ? "aten::stack" : "aten::cat", {sequence, recording_.plain(dim)},
                   {"tensors", "dim"}, {made}, {}, place);
    return {made};
}

std::vector<Ref> Interpreter::do_sequence_length(const Node &node, std::vector<Ref> &inputs,
                                                 Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref length = like(*recording_.plain(0));
    record_control("aten::len.t", {sequence_of(inputs[0], place)}, {"a"}, {length}, {}, place);
    return {length};
}

// Puts an element into a list, in place of another one or between two.
void Interpreter::put_into(const char *kind, const std::vector<Ref> &inputs, const Place &place)
{
    const Ref sequence = sequence_of(inputs[0], place);
    const Ref made = sequence_like(*sequence, false);
    widen(*made, *inputs[2], place);
    const Ref changed = record_sequence(kind, {sequence, inputs[1], inputs[2]}, {"l", "idx", "el"},
                                        made, {sequence, inputs[2]}, place);
    recording_.fill(inputs[0], {{}, changed});
}

std::vector<Ref> Interpreter::do_sequence_set_item(const Node &node, std::vector<Ref> &inputs,
                                                   Frame &frame)
{
    put_into("aten::_set_item.t", inputs, place_of(node, frame.scope));
    return {inputs[0]};
}

std::vector<Ref> Interpreter::do_sequence_insert(const Node &node, std::vector<Ref> &inputs,
                                                 Frame &frame)
{
    put_into("aten::insert.t", inputs, place_of(node, frame.scope));
    return {};
}

std::vector<Ref> Interpreter::do_sequence_pop(const Node &node, std::vector<Ref> &inputs,
                                              Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const Ref sequence = sequence_of(inputs[0], place);
    const Ref taken = sequence_item(sequence, inputs[1], place);
    recording_.fill(inputs[0],
                    {{},
                     record_sequence("aten::Delete.t", {sequence, inputs[1]}, {"self", "idx"},
                                     sequence_like(*sequence, false), {sequence}, place)});
    return {taken};
}

// What the method returns, with lists whose length the data decides as one value each: tensors as
// a sequence, numbers as a tensor. @p is_side where the branch's other side may give another
// length.
Ref Interpreter::as_output(const Ref &value, const Place &place, bool is_side)
{
    const std::vector<Ref> &all = value->elements;
    const auto is_tensor = [](const Ref &element) { return element->is_tensor(); };
    const bool has_tensors = is_side && value->kind == Item::Kind::List && !all.empty() &&
                             !value->stacked && std::all_of(all.begin(), all.end(), is_tensor);
    if (has_tensors) {
        return grown_list(sequence_of(value, place));
    }
    if (value->stacked && (!is_side || !value->has_numbers)) {
        const Ref made = value->has_numbers ? stack_up(value, place) : sequence_of(value, place);
        return is_side ? grown_list(made) : made;
    }
    if (!value->is_container()) {
        return value;
    }
    std::vector<Ref> elements;
    for (const Ref &element : all) {
        elements.push_back(as_output(element, place, is_side));
    }
    return elements == all ? value : recording_.sequence(value->kind, std::move(elements));
}

} // namespace htp
