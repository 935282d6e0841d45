// Numbers and sizes that follow from sizes, and are the same at all sizes that were tried, though
// not at all there are: y.size(0) // 100 and y[::100] where no lane has a hundred. What they are is
// left to the data; a window that moves in no lane refuses the lanes, so that other ones are tried.
#include "execute.h"

#include "operator_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <sstream>

namespace htp
{

namespace
{

// Operators that divide and round.
bool divides(const c10::FunctionSchema &schema)
{
    const std::string &name = schema.name();
    return name == "aten::floordiv" || name == "aten::floor_divide" ||
           name == "aten::__round_to_zero_floordiv" ||
           (name == "aten::div" && schema.overload_name().find("mode") != std::string::npos);
}

// A number, or what a tensor of one holds. Whole numbers are exact, however large.
class Number
{
  public:
    explicit Number(const c10::Scalar &scalar)
        : is_whole_(!scalar.isFloatingPoint()), whole_(is_whole_ ? scalar.toLong() : 0),
          real_(scalar.toDouble())
    {
    }

    bool operator==(const Number &other) const
    {
        return is_whole_ && other.is_whole_ ? whole_ == other.whole_ : real_ == other.real_;
    }

    // Whether it is a multiple of another one.
    bool is_multiple(const Number &part) const
    {
        if (part.real_ == 0) {
            return false;
        }
        if (is_whole_ && part.is_whole_) {
            return part.whole_ == -1 || whole_ % part.whole_ == 0;
        }
        return std::fmod(real_, part.real_) == 0;
    }

    // Equal texts are equal numbers of one type.
    void print(std::ostream &text) const
    {
        if (is_whole_) {
            text << whole_;
        } else {
            text << std::hexfloat << real_;
        }
    }

  private:
    bool is_whole_;
    int64_t whole_;
    double real_;
};

std::optional<Number> number_of(const c10::IValue &value)
{
    if (value.isInt() || value.isDouble() || value.isBool()) {
        return Number(value.toScalar());
    }
    const bool is_one = value.isTensor() && !value.toTensor().is_meta() &&
                        value.toTensor().numel() == 1 && !value.toTensor().is_complex();
    return is_one ? std::optional<Number>(value.toTensor().item()) : std::nullopt;
}

// Whether a division leaves no remainder in any lane.
bool leaves_none(const std::vector<Ref> &inputs, uint32_t lane_count)
{
    bool leaves_none = true;
    for (uint32_t lane = 0; lane < lane_count && leaves_none; lane++) {
        const auto whole = number_of(inputs[0]->lane[lane]);
        const auto part = number_of(inputs[1]->lane[lane]);
        leaves_none = whole && part && whole->is_multiple(*part);
    }
    return leaves_none;
}

// Whether a number is not the same in all lanes, or may be so by chance: a condition on sizes.
bool moves(const Item &item, uint32_t lane_count)
{
    const auto first = number_of(item.lane[0]);
    if (item.is_constant || !first) {
        return false;
    }
    const bool is_condition =
        item.is_tensor() ? item.tensor(0).scalar_type() == at::kBool : item.lane[0].isBool();
    bool differs = is_condition;
    for (uint32_t lane = 1; lane < lane_count && !differs; lane++) {
        differs = !(number_of(item.lane[lane]) == first);
    }
    return differs;
}

bool any_moves(const std::vector<Ref> &inputs, uint32_t lane_count)
{
    const auto stays = [&](const Item &item) { return !moves(item, lane_count); };
    return !std::all_of(inputs.begin(), inputs.end(),
                        [&](const Ref &input) { return all_of(input, stays); });
}

bool takes_steps(const std::vector<Ref> &inputs)
{
    const auto is_smooth = [](const Item &item) { return !item.is_stepped; };
    return !std::all_of(inputs.begin(), inputs.end(),
                        [&](const Ref &input) { return all_of(input, is_smooth); });
}

// Whether a slice ends at a number: what is longer is cut off, though it may not be in any lane.
bool cuts(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs)
{
    const bool has_end = schema.name() == "aten::slice" && inputs.size() > 3 &&
                         inputs[0]->is_tensor() && inputs[3]->lane[0].isInt();
    return has_end && inputs[3]->lane[0].toInt() > 0 &&
           inputs[3]->lane[0].toInt() != std::numeric_limits<int64_t>::max();
}

} // namespace

// Whether an operator takes a step in some lane. A remainder is none where it is 0 in all lanes: a
// program may take multiples alone.
bool Executor::steps(const Call &call, const Lanes &results) const
{
    const std::string &name = call.schema.name();
    const auto is_each = [&](const auto &wanted) {
        bool is_each = !results[0].empty();
        for (uint32_t lane = 0; lane < recording_.lane_count && is_each; lane++) {
            is_each = number_of(results[lane][0]) == wanted(lane);
        }
        return is_each;
    };
    if (has_fact(name, HTP_FACT_ROUNDS)) {
        return !is_each([&](uint32_t lane) { return number_of(call.inputs[0]->lane[lane]); }) ||
               moves(*call.inputs[0], 1);
    }
    if (name == "aten::remainder" || name == "aten::fmod") {
        return !is_each([](uint32_t) { return std::optional<Number>(c10::Scalar(0)); });
    }
    return has_fact(name, HTP_FACT_HAS_LIMIT) || cuts(call.schema, call.inputs) ||
           (divides(call.schema) && !leaves_none(call.inputs, recording_.lane_count));
}

// Whether the outputs may be such numbers.
bool Executor::is_stepped(const Call &call, const Lanes &results) const
{
    return recording_.lane_count > 1 && (takes_steps(call.inputs) || steps(call, results));
}

// Whether the only output is such a number.
bool Executor::is_flat(const Call &call, const Lanes &results) const
{
    const std::string &name = call.schema.name();
    if (results.at(0).size() != 1 || call.schema.is_mutable() || name == "aten::remainder" ||
        name == "aten::fmod" || !is_stepped(call, results)) {
        return false;
    }
    const c10::IValue &result = results[0][0];
    const bool is_condition =
        result.isBool() || (result.isTensor() && result.toTensor().scalar_type() == at::kBool);
    const auto first = is_condition ? std::nullopt : number_of(result);
    return first && any_moves(call.inputs, recording_.lane_count) &&
           std::all_of(results.begin(), results.end(),
                       [&](const auto &lane) { return number_of(lane[0]) == first; });
}

// What a number is computed as: equal texts are equal numbers. Lanes tell sizes apart, and hold
// nothing of what only the data tells and is no size.
std::string Executor::formula(const Call &call) const
{
    std::ostringstream text;
    text << node_kind(call.schema);
    for (const Ref &input : call.inputs) {
        text << " of";
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            const auto number =
                input->has_lanes ? number_of(input->lane[lane]) : std::optional<Number>();
            text << " ";
            if (number) {
                number->print(text);
            } else {
                text << "%" << input->id;
            }
        }
    }
    return text.str();
}

std::vector<Ref> Executor::make_flat(const Call &call, const Lanes &results)
{
    has_flats_ = true;
    if (!results[0][0].isTensor()) {
        return make_unknown_numbers(call);
    }
    const htp_shim_size size = size_of(formula(call), base_name(call.schema));
    Lanes made;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        made.push_back({at::full_like(results[lane][0].toTensor(), size.sizes[lane])});
    }
    return make_outputs(call, Mode::Real, made, true);
}

namespace
{

bool has_windows(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs)
{
    const bool is_scaled = schema.name().rfind("aten::upsample_", 0) == 0 &&
                           schema.overload_name() == "vec" && inputs[1]->is_none();
    return is_scaled || has_fact(schema.name(), HTP_FACT_HAS_WINDOWS);
}

// Whether an operator's steps along a dim are longer than one.
bool has_long_steps(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs)
{
    const auto &arguments = schema.arguments();
    for (size_t i = 0; i < inputs.size() && i < arguments.size(); i++) {
        const c10::IValue &value = inputs[i]->lane[0];
        if (arguments[i].name() == "step") {
            return (value.isInt() && value.toInt() != 1) ||
                   (value.isDouble() && value.toDouble() != 1);
        }
    }
    return false;
}

} // namespace

// Whether a window is larger than a dim of the input in all lanes, one of which is far away: it is
// the only one, as a pooling of all there is.
bool Executor::is_covered(const Call &call, int64_t dim) const
{
    const auto &arguments = call.schema.arguments();
    const Item &input = *call.inputs[0];
    for (size_t i = 1; i < call.inputs.size() && i < arguments.size(); i++) {
        const auto &sizes = call.inputs[i]->elements;
        const int64_t from_end = input.tensor(0).dim() - dim;
        if (arguments[i].name() != "kernel_size" || from_end > static_cast<int64_t>(sizes.size())) {
            continue;
        }
        const c10::IValue &size = sizes[sizes.size() - static_cast<size_t>(from_end)]->lane[0];
        bool is_covered = size.isInt();
        for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
            is_covered = is_covered && size.toInt() > input.tensor(lane).size(dim);
        }
        return is_covered;
    }
    return false;
}

// The first dim of the output that has one size in all lanes, although that of the first input
// differs; -1 where there is none.
int64_t Executor::flat_dim(const Call &call, const Lanes &results) const
{
    const Item &input = *call.inputs[0];
    const at::Tensor &first = results[0][0].toTensor();
    for (int64_t dim = 0; input.is_tensor() && dim < input.tensor(0).dim(); dim++) {
        bool differs = false;
        bool is_flat = dim < first.dim();
        for (uint32_t lane = 1; lane < recording_.lane_count && is_flat; lane++) {
            differs = differs || input.tensor(lane).size(dim) != input.tensor(0).size(dim);
            is_flat = results[lane][0].toTensor().size(dim) == first.size(dim);
        }
        if (differs && is_flat && !is_covered(call, dim)) {
            return dim;
        }
    }
    return -1;
}

// The outputs of an operator along whose dims it goes in steps, with a size that the data decides
// where that is flat; nothing for other operators. Throws where windows do not move.
std::optional<Executor::Lanes> Executor::flattened(Call &call, const Lanes &results)
{
    const std::string &name = call.schema.name();
    const uint32_t lane_count = recording_.lane_count;
    const bool is_made = name == "aten::arange";
    const bool is_cut = name == "aten::slice" || name == "aten::unfold";
    const bool is_windowed = has_windows(call.schema, call.inputs);
    const bool is_padded =
        (name == "aten::pad" || name == "aten::constant_pad_nd") && takes_steps({call.inputs[1]});
    const bool is_stepping = (is_made || is_cut) && has_long_steps(call.schema, call.inputs);
    if (lane_count == 1 || !(is_windowed || is_padded || is_stepping) ||
        !results[0][0].isTensor()) {
        return std::nullopt;
    }
    // Windows as large as the tensor are alike for good; ranges and padding follow numbers.
    if (any_moves(call.inputs, lane_count) != (is_made || is_padded)) {
        return std::nullopt;
    }
    int64_t dim = flat_dim(call, results);
    if (is_made) {
        const auto is_same = [&](const auto &lane) {
            return lane[0].toTensor().numel() == results[0][0].toTensor().numel();
        };
        dim = std::all_of(results.begin(), results.end(), is_same) ? 0 : -1;
    }
    if (dim < 0) {
        return std::nullopt;
    }
    if (is_windowed) {
        throw std::runtime_error("dim " + std::to_string(dim) +
                                 " of its output has one size at all sizes that were tried");
    }
    has_flats_ = true;
    return lanes_with_size(call, call.inputs, dim, recording_.new_size(base_name(call.schema)));
}

} // namespace htp
