#include "operand_checks.h"

#include <ATen/ATen.h>

#include <limits>
#include <map>
#include <string>

namespace htp
{

namespace
{

// Operands by their schema names.
class Operands
{
  public:
    Operands(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> stack)
        : schema_(schema), stack_(stack)
    {
    }

    const c10::IValue &operator[](const char *name) const
    {
        static const c10::IValue none;
        const auto index = schema_.argumentIndexWithName(name);
        return index && static_cast<size_t>(*index) < stack_.size()
                   ? stack_[static_cast<size_t>(*index)]
                   : none;
    }

    const c10::IValue &at(size_t index) const
    {
        static const c10::IValue none;
        return index < stack_.size() ? stack_[index] : none;
    }

    void check_length(const char *name) const
    {
        const c10::IValue &list = (*this)[name];
        const auto index = schema_.argumentIndexWithName(name);
        if (!index || !list.isList()) {
            return;
        }
        const auto wanted = schema_.arguments()[static_cast<size_t>(*index)].N();
        const size_t length = list.toListRef().size();
        TORCH_CHECK(!wanted || length == static_cast<size_t>(*wanted), "expected ", *wanted,
                    " numbers for ", name, ", got ", length);
    }

    bool gives_whole_number() const
    {
        return schema_.returns().size() == 1 &&
               schema_.returns()[0].type()->kind() == c10::TypeKind::IntType;
    }

    bool flag(const char *name) const
    {
        return (*this)[name].isBool() && (*this)[name].toBool();
    }

  private:
    const c10::FunctionSchema &schema_;
    c10::ArrayRef<c10::IValue> stack_;
};

// A row of offsets is read as one, whatever its rank.
void check_bags(const Operands &operands)
{
    const c10::IValue &offsets = operands["offsets"];
    TORCH_CHECK(!offsets.isTensor() || offsets.toTensor().dim() == 1,
                "offsets has to be a 1D Tensor");
}

void check_state(const at::Tensor &state, int64_t layers)
{
    TORCH_CHECK(state.dim() >= 2 && state.size(0) == layers, "expected hidden states of ", layers,
                " layers first, got ", state.sizes());
}

// The states are taken apart into as many layers as there are, which is not checked.
void check_recurrent(const Operands &operands)
{
    const c10::IValue &state = operands["hx"];
    if (!operands["num_layers"].isInt()) {
        return;
    }
    const int64_t layers =
        operands["num_layers"].toInt() * (operands.flag("bidirectional") ? 2 : 1);
    if (state.isTensor()) {
        check_state(state.toTensor(), layers);
    } else if (state.isTensorList()) {
        for (const at::Tensor &tensor : state.toTensorVector()) {
            check_state(tensor, layers);
        }
    }
}

// Whether a whole number, or one in a tensor with known contents, is @p wanted.
bool holds(const c10::IValue &value, int64_t wanted)
{
    if (value.isInt()) {
        return value.toInt() == wanted;
    }
    if (!value.isTensor() || !value.toTensor().defined() || value.toTensor().is_meta()) {
        return false;
    }
    return at::isIntegralType(value.toTensor().scalar_type(), false) &&
           value.toTensor().to(at::kLong).eq(wanted).any().item().toBool();
}

// The quotient of the least number and -1 is none: processors stop at it.
void check_quotient(const c10::IValue &whole, const c10::IValue &part)
{
    if (!holds(part, -1)) {
        return;
    }
    for (const int64_t least : {std::numeric_limits<int64_t>::min(),
                                static_cast<int64_t>(std::numeric_limits<int32_t>::min())}) {
        const bool has_type = least == std::numeric_limits<int64_t>::min() ||
                              (whole.isTensor() && whole.toTensor().scalar_type() == at::kInt);
        TORCH_CHECK(!has_type || !holds(whole, least), least, " is divided by -1");
    }
}

// Neither is that of a whole number and 0; libtorch looks at those in tensors itself.
void check_division(const Operands &operands)
{
    const c10::IValue &part = operands.at(1);
    TORCH_CHECK(!operands.gives_whole_number() || !part.isInt() || part.toInt() != 0,
                "division by 0");
    check_quotient(operands.at(0), operands.at(1));
}

// Both ways: the other one may be the divisor.
void check_common_divisor(const Operands &operands)
{
    check_quotient(operands.at(0), operands.at(1));
    check_quotient(operands.at(1), operands.at(0));
}

void check_shift(const Operands &operands)
{
    const c10::IValue &by = operands.at(1);
    TORCH_CHECK(!by.isInt() || (by.toInt() >= 0 && by.toInt() < 64),
                "a number is shifted by less than 0 or more than 63 bits");
}

// What is written down in a few bytes, and takes gigabytes.
void check_repeated(const Operands &operands)
{
    constexpr int64_t kMost = int64_t{1} << 24;
    for (const size_t index : {size_t{0}, size_t{1}}) {
        const c10::IValue &list = operands.at(index);
        const c10::IValue &times = operands.at(1 - index);
        if (times.isInt() && (list.isList() || list.isString())) {
            const auto length = static_cast<int64_t>(list.isList() ? list.toListRef().size()
                                                                   : list.toStringRef().size());
            TORCH_CHECK(length == 0 || times.toInt() <= kMost / length,
                        "a list or string of more than ", kMost, " elements is made");
        }
    }
}

// Rows are exchanged as pivots say, wherever those lead: only the sizes are asked for.
void check_pivots(const Operands &operands)
{
    for (const char *name : {"pivots", "LU_pivots"}) {
        const c10::IValue &pivots = operands[name];
        TORCH_CHECK(!pivots.isTensor() || !pivots.toTensor().defined() ||
                        pivots.toTensor().is_meta(),
                    "it is not run, because its kernel does not check its pivots");
    }
}

void check_factorial(const Operands &operands)
{
    TORCH_CHECK(!operands.at(0).isInt() || operands.at(0).toInt() <= 20,
                "factorial() of more than 20 does not fit into an int");
}

// Lists that have as many numbers as the schema says: kernels read these at once.
void check_lengths(const Operands &operands)
{
    operands.check_length("padding");
    operands.check_length("output_size");
}

void check_groups(const Operands &operands)
{
    const c10::IValue &groups = operands["groups"];
    TORCH_CHECK(!groups.isInt() || groups.toInt() > 0, "expected groups, got ", groups.toInt());
}

// They are summed up before they are looked at.
void check_repeats(const Operands &operands)
{
    const c10::IValue &repeats = operands["repeats"];
    if (repeats.isTensor() && !repeats.toTensor().is_meta()) {
        TORCH_CHECK(repeats.toTensor().ge(0).all().item().toBool(), "repeats cannot be negative");
    }
}

using Check = void (*)(const Operands &operands);

// By the operator's name, as a change in place or not; NULL for one that needs none.
Check find_check(const c10::FunctionSchema &schema)
{
    static const std::map<std::string, Check> checks = {
        {"aten::embedding_bag", check_bags},
        {"aten::gru", check_recurrent},
        {"aten::lstm", check_recurrent},
        {"aten::rnn_relu", check_recurrent},
        {"aten::rnn_tanh", check_recurrent},
        {"aten::div", check_division},
        {"aten::divide", check_division},
        {"aten::divmod", check_division},
        {"aten::floor_divide", check_division},
        {"aten::floordiv", check_division},
        {"aten::__round_to_zero_floordiv", check_division},
        {"aten::remainder", check_division},
        {"aten::fmod", check_division},
        {"aten::mod", check_division},
        {"aten::gcd", check_common_divisor},
        {"aten::lcm", check_common_divisor},
        {"aten::__lshift__", check_shift},
        {"aten::__rshift__", check_shift},
        {"aten::mul", check_repeated},
        {"aten::factorial", check_factorial},
        {"aten::repeat_interleave", check_repeats},
        {"aten::reflection_pad1d", check_lengths},
        {"aten::reflection_pad2d", check_lengths},
        {"aten::reflection_pad3d", check_lengths},
        {"aten::replication_pad1d", check_lengths},
        {"aten::replication_pad2d", check_lengths},
        {"aten::replication_pad3d", check_lengths},
        {"aten::max_unpool2d", check_lengths},
        {"aten::max_unpool3d", check_lengths},
        {"aten::native_channel_shuffle", check_groups},
        {"aten::channel_shuffle", check_groups},
        {"aten::linalg_lu_solve", check_pivots},
        {"aten::lu_solve", check_pivots},
        {"aten::lu_unpack", check_pivots},
    };
    const std::string &name = schema.name();
    const bool is_in_place = schema.is_mutable() && !name.empty() && name.back() == '_';
    const auto found = checks.find(is_in_place ? name.substr(0, name.size() - 1) : name);
    return found == checks.end() ? nullptr : found->second;
}

} // namespace

bool has_operand_check(const c10::FunctionSchema &schema)
{
    return find_check(schema) != nullptr;
}

void check_operands(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> operands)
{
    if (const Check check = find_check(schema)) {
        check(Operands(schema, operands));
    }
}

} // namespace htp
