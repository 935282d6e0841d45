// Views of a tensor's memory, read anew and written back by operators that change nothing in place.
#include "execute.h"

#include "operator_facts.h"

namespace htp
{

namespace
{

// Where a permutation takes each dim; empty when the dims are not known.
std::vector<int64_t> inverse_of(const Ref &dims, int64_t rank)
{
    std::vector<int64_t> inverse(static_cast<size_t>(rank), -1);
    for (size_t i = 0; i < dims->elements.size(); i++) {
        const Item &dim = *dims->elements[i];
        if (dim.kind != Item::Kind::Plain || !dim.is_constant) {
            return {};
        }
        const int64_t at = dim.lane[0].toInt();
        inverse.at(static_cast<size_t>(at < 0 ? at + rank : at)) = static_cast<int64_t>(i);
    }
    return inverse;
}

} // namespace

bool Executor::has_same_geometry(const Ref &a, const Ref &b) const
{
    if (!a->is_tensor() || !b->is_tensor()) {
        return false;
    }
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        const at::Tensor &left = a->tensor(lane);
        const at::Tensor &right = b->tensor(lane);
        if (left.sizes() != right.sizes() || left.strides() != right.strides() ||
            left.scalar_type() != right.scalar_type()) {
            return false;
        }
    }
    return true;
}

// Whether a view shows all of its parent as it lies in memory.
bool Executor::is_whole(const Ref &seen) const
{
    const Ref &parent = seen->view->parent;
    if (!has_same_geometry(seen, parent)) {
        return false;
    }
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        if (seen->tensor(lane).storage_offset() != parent->tensor(lane).storage_offset()) {
            return false;
        }
    }
    return true;
}

// The view's operator on another value of its parent.
Ref Executor::look_again(const View &view, const Ref &parent, const Place &place)
{
    std::vector<Ref> inputs = view.inputs;
    inputs[view.input] = parent;
    const Ref output = run_all(view.name, inputs, place).at(view.output);
    if (view.element == std::string::npos || output->kind == Item::Kind::Unknown) {
        return output;
    }
    return output->elements.at(view.element);
}

// The parent's value with @p value in place of what the view @p child shows of it.
Ref Executor::put_back(const View &view, const Ref &child, const Ref &value, const Place &place)
{
    const std::string &name = view.name.name;
    const std::vector<Ref> &inputs = view.inputs;
    if (child->tensor(0).scalar_type() != view.parent->tensor(0).scalar_type()) {
        throw Unsupported("a tensor is changed through a view of another dtype, " +
                          recording_.describe(place));
    }
    if (view.input != 0) {
        return put_back_elements(view, value, place);
    }
    if (has_fact(name, HTP_FACT_RESHAPES)) {
        return run_named("aten::reshape_as", "", {value, view.parent}, place);
    }
    if (name == "aten::t" || name == "aten::numpy_T") {
        return run_named(name.c_str(), "", {value}, place);
    }
    if (name == "aten::transpose") {
        return run_named("aten::transpose", "int", {value, inputs[1], inputs[2]}, place);
    }
    const std::vector<int64_t> inverse = name == "aten::permute"
                                             ? inverse_of(inputs[1], value->tensor(0).dim())
                                             : std::vector<int64_t>();
    if (!inverse.empty()) {
        std::vector<Ref> dims;
        for (const int64_t dim : inverse) {
            dims.push_back(recording_.plain(dim));
        }
        const Ref list = recording_.sequence(Item::Kind::List, std::move(dims));
        return run_named("aten::permute", "", {value, list}, place);
    }
    if (name == "aten::select") {
        return run_named("aten::select_scatter", "", {view.parent, value, inputs[1], inputs[2]},
                         place);
    }
    if (name == "aten::slice") {
        return run_named("aten::slice_scatter", "",
                         {view.parent, value, inputs[1], inputs[2], inputs[3], inputs[4]}, place);
    }
    return put_back_elements(view, value, place);
}

// The same for any view: the view of the elements' positions tells where the elements go.
Ref Executor::put_back_elements(const View &view, const Ref &value, const Place &place)
{
    const auto number = [&](int64_t value_of) { return recording_.plain(value_of); };
    const Ref none = recording_.plain(c10::IValue());
    const Ref flat = recording_.sequence(Item::Kind::List, {number(-1)});
    const auto flatten = [&](const Ref &tensor) {
        return run_named("aten::reshape", "", {tensor, flat}, place);
    };
    const Ref count = run_named("aten::numel", "", {view.parent}, place);
    const Ref dtype = number(static_cast<int64_t>(at::kLong));
    const Ref positions = run_named("aten::arange", "", {count, dtype, none, none, none}, place);
    const Ref shaped = run_named("aten::reshape_as", "", {positions, view.parent}, place);
    const Ref seen = look_again(view, shaped, place);
    const Ref scattered =
        run_named("aten::scatter", "src",
                  {flatten(view.parent), number(0), flatten(seen), flatten(value)}, place);
    return run_named("aten::reshape_as", "", {scattered, view.parent}, place);
}

} // namespace htp
