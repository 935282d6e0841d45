// Quantised tensors: lanes hold their levels, plain integers, and an Item says what these stand
// for. So libtorch's kernels never see a quantised tensor; operators that keep levels as they are
// run on the integers, and all others must be told here.
#include "execute.h"

#include "operator_facts.h"
#include "version.h"

#include <ATen/Context.h>
#include <ATen/ExpandUtils.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <array>
#include <cmath>
#include <limits>

namespace htp
{

namespace
{

bool is_quantized(const Ref &item)
{
    return item->quantization != nullptr ||
           (item->is_container() &&
            std::any_of(item->elements.begin(), item->elements.end(), is_quantized));
}

// The integers that levels of a quantised dtype are.
at::ScalarType levels_of(const Ref &dtype)
{
    const int64_t type = dtype->is_constant && dtype->lane[0].isInt() ? dtype->lane[0].toInt() : -1;
    if (type == static_cast<int64_t>(at::kQInt8)) {
        return at::kChar;
    }
    if (type == static_cast<int64_t>(at::kQUInt8)) {
        return at::kByte;
    }
    throw Unsupported("only levels of 8 bits (qint8, quint8) are supported");
}

void require_constant(const Ref &item)
{
    const bool is_known = item->is_constant && (!item->is_tensor() || item->is_real);
    if (!is_known && item->weight == HTP_SHIM_NONE) {
        throw Unsupported("its scale or zero point depends on the model's input");
    }
}

double number_of(const Ref &item)
{
    const c10::IValue &value = item->lane[0];
    return value.isTensor() ? value.toTensor().item<double>() : value.toScalar().toDouble();
}

const Quantization &quantization_of(const Ref &item)
{
    if (!item->quantization) {
        throw Unsupported("a tensor that it needs is not quantised");
    }
    return *item->quantization;
}

// Levels of 0 to 255 with these are asked for.
constexpr double kScale = 0.037;
constexpr int64_t kZeroPoint = 101;

// The level of a number by one of the ways that there are.
float level_of(float number, htp_shim_way way)
{
    const float inverse = 1.0F / static_cast<float>(kScale);
    const auto zero_point = static_cast<float>(kZeroPoint);
    const float scaled = number * inverse;
    const float level = way == HTP_SHIM_ZERO_BEHIND ? std::nearbyint(scaled) + zero_point
                        : way == HTP_SHIM_ZERO_BEFORE
                            ? std::nearbyint(scaled + zero_point)
                            : std::nearbyint(std::fma(number, inverse, zero_point));
    return std::min(std::max(level, 0.0F), 255.0F);
}

// Numbers between two levels, and the ones beside them.
at::Tensor make_doubtful()
{
    std::vector<float> numbers;
    for (int i = -kZeroPoint; i < 155; i++) {
        const auto middle = static_cast<float>((i + 0.5) * kScale);
        for (const float towards : {-1e9F, middle, 1e9F}) {
            numbers.push_back(std::nextafter(middle, towards));
        }
    }
    return at::tensor(numbers);
}

// How an operator rounds: @p round gives the levels of a vector.
template <typename Round> htp_shim_rounding ask(Round round)
{
    const auto first = [&](float number) {
        return round(at::full({40}, number)).flatten()[0].template item<double>();
    };
    htp_shim_rounding found = {};
    found.infinity_is_lowest = first(std::numeric_limits<float>::infinity()) == 0;
    found.nan_is_highest = first(std::numeric_limits<float>::quiet_NaN()) != 0;
    const at::Tensor numbers = make_doubtful();
    const at::Tensor levels = round(numbers).to(at::kFloat).contiguous();
    for (const auto way : {HTP_SHIM_ZERO_BEHIND, HTP_SHIM_ZERO_BEFORE, HTP_SHIM_ZERO_IN_ONE}) {
        bool is_same = true;
        for (int64_t i = 0; i < numbers.numel() && is_same; i++) {
            is_same = level_of(numbers.data_ptr<float>()[i], way) == levels.data_ptr<float>()[i];
        }
        found.way = is_same ? way : found.way;
    }
    return found;
}

} // namespace

void Executor::find_rounding()
{
    static const auto fake = ask([](const at::Tensor &x) {
        const at::Tensor made = at::fake_quantize_per_tensor_affine(x, kScale, kZeroPoint, 0, 255);
        return made.div(kScale).add(kZeroPoint).round();
    });
    static const auto tensor = ask([](const at::Tensor &x) {
        return at::quantize_per_tensor(x, kScale, kZeroPoint, at::kQUInt8).int_repr();
    });
    static const auto channel = ask([](const at::Tensor &x) {
        const at::Tensor scale = at::full({1}, kScale, at::kDouble);
        const at::Tensor zero_point = at::full({1}, kZeroPoint, at::kLong);
        return at::quantize_per_channel(x.unsqueeze(0), scale, zero_point, 0, at::kQUInt8)
            .int_repr()
            .squeeze(0);
    });
    recording_.rounding = {fake, tensor, channel};
}

// Packed weights of a layer as constants: whole numbers, what they stand for, and a bias or None.
struct Executor::PackedWeights {
    Ref weight;
    Ref scale;
    Ref zero_point;
    Ref bias;
};

// The outputs of an operator on quantised tensors; nothing where it runs on levels as on any other
// integers, or has none.
std::optional<std::vector<Ref>> Executor::quantized(const Call &call)
{
    using Rule = std::vector<Ref> (Executor::*)(const Call &);
    static const std::unordered_map<std::string, Rule> rules = {
        {"aten::quantize_per_tensor", &Executor::quantize},
        {"aten::quantize_per_channel", &Executor::quantize},
        {"aten::q_scale", &Executor::quantization_number},
        {"aten::q_zero_point", &Executor::quantization_number},
        {"aten::dequantize", &Executor::dequantize},
        {"aten::int_repr", &Executor::int_repr},
        {"aten::cat", &Executor::cat_levels},
        {"quantized::cat", &Executor::cat_levels},
        {"quantized::add", &Executor::level_arithmetic},
        {"quantized::add_relu", &Executor::level_arithmetic},
        {"quantized::mul", &Executor::level_arithmetic},
        {"quantized::mul_relu", &Executor::level_arithmetic},
        {"quantized::linear", &Executor::packed_linear},
        {"quantized::linear_relu", &Executor::packed_linear},
        {"quantized::linear_dynamic", &Executor::packed_linear},
        {"quantized::linear_relu_dynamic", &Executor::packed_linear},
    };
    const std::string &name = call.schema.name();
    const bool is_fake = name.rfind("aten::fake_quantize_per_", 0) == 0;
    const auto found = rules.find(name);
    if (found != rules.end() || is_fake) {
        find_rounding();
    }
    const bool has_levels = std::any_of(call.inputs.begin(), call.inputs.end(), is_quantized);
    const bool is_own = name.rfind("quantized::", 0) == 0;
    const bool is_other = name == "aten::dequantize" || name == "aten::cat"; // without levels
    if (found != rules.end() && (has_levels || !is_other)) {
        return (this->*found->second)(call);
    }
    if (name.rfind("quantized::conv", 0) == 0) {
        throw Unsupported("libtorch rounds it otherwise on machines with other instructions");
    }
    if (is_own || (has_levels && !has_fact(name, HTP_FACT_KEEPS_LEVELS | HTP_FACT_TELLS_SIZE))) {
        throw Unsupported("there is no lowering for it with quantised numbers");
    }
    if (has_levels && !has_fact(name, HTP_FACT_TELLS_SIZE) &&
        call.inputs[0]->quantization == nullptr) {
        throw Unsupported("a quantised tensor is not where one is expected");
    }
    if (has_levels && has_fact(name, HTP_FACT_KEEPS_LEVELS) &&
        call.inputs[0]->quantization->axis >= 0) {
        throw Unsupported("tensors with a scale for each channel can only be dequantised");
    }
    return std::nullopt;
}

void Executor::keep_quantization(const Call &call, const std::vector<Ref> &outputs)
{
    const auto &own = call.inputs.empty() ? nullptr : call.inputs[0]->quantization;
    for (const Ref &output : outputs) {
        if (own && output->is_tensor() && has_fact(call.schema.name(), HTP_FACT_KEEPS_LEVELS)) {
            output->quantization = own;
        }
    }
}

// An output of other sizes or another dtype than input 0.
std::vector<Ref> Executor::make_like(const Call &call, at::ScalarType type, int64_t last_size)
{
    Lanes results;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<int64_t> sizes = call.inputs[0]->tensor(lane).sizes().vec();
        if (last_size >= 0) {
            sizes.at(sizes.size() - 1) = last_size;
        }
        results.push_back({at::empty(sizes, at::device(at::kMeta).dtype(type))});
    }
    return make_outputs(call, Mode::Meta, results);
}

// quantize_per_tensor(self, scale, zero_point, dtype),
// quantize_per_channel(self, scales, zero_points, axis, dtype)
std::vector<Ref> Executor::quantize(const Call &call)
{
    const bool has_channels = call.schema.name() == "aten::quantize_per_channel";
    if (!call.inputs[0]->is_tensor()) {
        throw Unsupported("lists of tensors are not supported");
    }
    if (call.inputs[0]->tensor(0).scalar_type() != at::kFloat) {
        throw Unsupported("it takes tensors of float32 only");
    }
    Quantization made = {call.inputs[1], call.inputs[2]};
    require_constant(made.scale);
    require_constant(made.zero_point);
    if (has_channels) {
        if (!call.inputs[3]->is_constant) {
            throw Unsupported("a number that it needs depends on the data");
        }
        const int64_t axis = call.inputs[3]->lane[0].toInt();
        const int64_t rank = call.inputs[0]->tensor(0).dim();
        made.axis = static_cast<int32_t>(axis < 0 ? axis + rank : axis);
    }
    const std::vector<Ref> outputs = make_like(call, levels_of(call.inputs.back()), -1);
    outputs[0]->quantization = std::make_shared<const Quantization>(made);
    return outputs;
}

std::vector<Ref> Executor::dequantize(const Call &call)
{
    quantization_of(call.inputs[0]);
    return make_like(call, at::kFloat, -1);
}

std::vector<Ref> Executor::int_repr(const Call &call)
{
    quantization_of(call.inputs[0]);
    return make_like(call, call.inputs[0]->tensor(0).scalar_type(), -1);
}

// q_scale(), q_zero_point(): known numbers.
std::vector<Ref> Executor::quantization_number(const Call &call)
{
    const Quantization &own = quantization_of(call.inputs[0]);
    const bool is_scale = call.schema.name() == "aten::q_scale";
    const Ref &item = is_scale ? own.scale : own.zero_point;
    if (own.axis >= 0 || (item->is_tensor() && !item->is_real)) {
        throw Unsupported("its scale is not a known number");
    }
    const double number = number_of(item);
    return {recording_.plain(is_scale ? c10::IValue(number)
                                      : c10::IValue(static_cast<int64_t>(number)))};
}

namespace
{

// All pairs of levels, as tensors of 65536 elements each.
std::array<at::Tensor, 2> all_pairs(at::ScalarType type)
{
    const at::Tensor all = at::arange(256, at::kLong).add(type == at::kChar ? -128 : 0).to(type);
    return {all.repeat_interleave(256), all.repeat({256})};
}

// Whether an operator gives the levels that plain float32 arithmetic gives, for all levels of its
// operands, at all places: libtorch computes most elements many at a time and the last ones singly,
// and does not always round alike.
bool is_plain(const c10::FunctionSchema &schema, at::ScalarType type,
              const std::array<const Quantization *, 3> &of)
{
    constexpr int64_t kFew = 15;
    const bool is_sum = schema.name().rfind("quantized::add", 0) == 0;
    const bool has_relu = schema.name().find("_relu") != std::string::npos;
    auto operation = torch::jit::findOperatorFor(schema.operator_name())->getOperation();
    const std::array<at::Tensor, 2> levels = all_pairs(type);
    std::array<at::Tensor, 2> operands;
    std::array<at::Tensor, 2> numbers;
    for (size_t i = 0; i < 2; i++) {
        const double scale = number_of(of[i]->scale);
        const auto zero_point = static_cast<int64_t>(number_of(of[i]->zero_point));
        operands[i] = at::_make_per_tensor_quantized_tensor(levels[i], scale, zero_point);
        numbers[i] = levels[i].to(at::kFloat).sub(zero_point).mul(scale);
    }
    const double scale = number_of(of[2]->scale);
    const auto zero_point = static_cast<int64_t>(number_of(of[2]->zero_point));
    const auto run = [&](const at::Tensor &a, const at::Tensor &b) {
        torch::jit::Stack stack = {a, b, scale, zero_point};
        operation(stack);
        return stack.at(0).toTensor().int_repr();
    };
    at::Tensor sum = is_sum ? numbers[0].add(numbers[1]) : numbers[0].mul(numbers[1]);
    sum = has_relu ? sum.relu() : sum;
    const float inverse = 1.0F / static_cast<float>(scale);
    const int64_t least = type == at::kChar ? -128 : 0;
    const at::Tensor plain =
        sum.mul(inverse).round().add(zero_point).clamp(least, least + 255).to(type);
    bool is_same = at::equal(run(operands[0], operands[1]), plain);
    for (int64_t i = 0; i < plain.numel() && is_same; i += kFew) {
        const int64_t end = std::min(i + kFew, plain.numel());
        is_same = at::equal(
            run(operands[0].slice(0, i, end).clone(), operands[1].slice(0, i, end).clone()),
            plain.slice(0, i, end));
    }
    return is_same;
}

} // namespace

// add(qa, qb, scale, zero_point), mul(qa, qb, scale, zero_point)
std::vector<Ref> Executor::level_arithmetic(const Call &call)
{
    const Ref &a = call.inputs[0];
    const Ref &b = call.inputs[1];
    const Quantization made = {call.inputs.at(2), call.inputs.at(3)};
    if (quantization_of(a).axis >= 0 || quantization_of(b).axis >= 0) {
        throw Unsupported("tensors with a scale for each channel can only be dequantised");
    }
    require_constant(made.scale);
    require_constant(made.zero_point);
    const at::ScalarType type = a->tensor(0).scalar_type();
    if (type != b->tensor(0).scalar_type()) {
        throw std::runtime_error("its operands are of two dtypes");
    }
    if (!is_plain(call.schema, type, {a->quantization.get(), b->quantization.get(), &made})) {
        throw Unsupported("with these scales libtorch rounds some levels in more than one way");
    }
    Lanes results;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        const auto sizes = at::infer_size(a->tensor(lane).sizes(), b->tensor(lane).sizes());
        results.push_back({at::empty(sizes, a->tensor(lane).options())});
    }
    const std::vector<Ref> outputs = make_outputs(call, Mode::Meta, results);
    outputs[0]->quantization = std::make_shared<const Quantization>(made);
    return outputs;
}

// aten::cat(tensors, dim), with the scale of the first one; quantized::cat(qx, dim, scale?,
// zero_point?)
std::vector<Ref> Executor::cat_levels(const Call &call)
{
    const std::vector<Ref> &parts = call.inputs[0]->elements;
    Quantization made = quantization_of(parts.at(0));
    for (const Ref &part : parts) {
        if (quantization_of(part).axis >= 0) {
            throw Unsupported("tensors with a scale for each channel can only be dequantised");
        }
    }
    if (call.inputs.size() == 4 && !call.inputs[2]->is_none()) {
        made.scale = call.inputs[2];
    }
    if (call.inputs.size() == 4 && !call.inputs[3]->is_none()) {
        made.zero_point = call.inputs[3];
    }
    require_constant(made.scale);
    require_constant(made.zero_point);
    if (!call.inputs[1]->is_constant) {
        throw Unsupported("a number that it needs depends on the data");
    }
    Lanes results;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        std::vector<at::Tensor> tensors;
        for (const Ref &part : parts) {
            tensors.push_back(part->tensor(lane));
        }
        results.push_back({at::cat(tensors, call.inputs[1]->lane[lane].toInt())});
    }
    const std::vector<Ref> outputs = make_outputs(call, Mode::Meta, results);
    outputs[0]->quantization = std::make_shared<const Quantization>(made);
    return outputs;
}

// The weights that an object of libtorch's own has packed.
const Executor::PackedWeights &Executor::unpack(const Ref &object, const char *unpacker)
{
    if (object->kind != Item::Kind::Object) {
        throw Unsupported("its packed weights are not known");
    }
    std::shared_ptr<const PackedWeights> &known = packed_[object->object.get()];
    if (known) {
        return *known;
    }
    const auto found = torch::jit::findOperatorFor(c10::OperatorName(unpacker, ""));
    if (!found) {
        throw Unsupported("this libtorch cannot unpack its weights");
    }
    torch::jit::Stack stack = {object->object};
    found->getOperation()(stack);
    const at::Tensor weight = stack.at(0).toTensor();
    const at::Tensor bias = stack.at(1).isNone() ? at::Tensor() : stack.at(1).toTensor();
    if (!weight.is_quantized() || weight.scalar_type() != at::kQInt8) {
        throw Unsupported("only weights of qint8 are supported");
    }
    const bool is_single = weight.qscheme() == at::kPerTensorAffine;
    if (!is_single && weight.q_per_channel_axis() != 0) {
        throw Unsupported("only scales for each output channel are supported");
    }
    const at::Tensor scale = is_single ? at::scalar_tensor(weight.q_scale(), at::kDouble)
                                       : weight.q_per_channel_scales();
    const at::Tensor zero_point = is_single ? at::scalar_tensor(weight.q_zero_point(), at::kLong)
                                            : weight.q_per_channel_zero_points().to(at::kLong);
    known = std::make_shared<const PackedWeights>(PackedWeights{
        recording_.constant(weight.int_repr().contiguous()),
        recording_.constant(scale.to(at::kFloat).contiguous()), recording_.constant(zero_point),
        bias.defined() ? recording_.constant(bias.detach().contiguous())
                       : recording_.plain(c10::IValue())});
    return *known;
}

// linear(X, W_prepack, Y_scale_i, Y_zero_point_i), linear_dynamic(X, W_prepack, reduce_range): the
// node is given the weights in place of the object that has packed them.
std::vector<Ref> Executor::packed_linear(const Call &call)
{
    const at::QEngine engine = at::globalContext().qEngine();
    if (engine != at::QEngine::FBGEMM && engine != kX86Engine) {
        throw Unsupported("this libtorch computes it with " + at::toString(engine) +
                          ", whose rounding is not known");
    }
    const PackedWeights &packed = unpack(call.inputs[1], "quantized::linear_unpack");
    const bool is_dynamic = call.inputs.size() == 3;
    if (!is_dynamic) {
        quantization_of(call.inputs[0]);
        require_constant(call.inputs[2]);
        require_constant(call.inputs[3]);
    } else if (is_quantized(call.inputs[0]) ||
               call.inputs[0]->tensor(0).scalar_type() != at::kFloat) {
        throw Unsupported("it takes tensors of float32 only");
    }
    const std::vector<int64_t> weight = packed.weight->tensor(0).sizes().vec();
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        const at::Tensor &x = call.inputs[0]->tensor(lane);
        if (x.dim() == 0 || x.size(x.dim() - 1) != weight.at(1)) {
            throw std::runtime_error("the features of its input do not fit its weight");
        }
    }
    const std::vector<Ref> outputs =
        make_like(call, is_dynamic ? at::kFloat : at::kByte, weight.at(0));
    RecordedNode &node = recording_.nodes[outputs[0]->producer];
    node.inputs = {node.inputs[0], packed.weight->id, packed.scale->id, packed.zero_point->id,
                   packed.bias->id};
    node.input_names = {"X", "weight", "weight_scale", "weight_zero_point", "bias"};
    for (size_t i = 2; i < call.inputs.size(); i++) {
        node.inputs.push_back(call.inputs[i]->id);
        node.input_names.push_back(call.schema.arguments()[i].name());
    }
    if (!is_dynamic) {
        outputs[0]->quantization =
            std::make_shared<const Quantization>(Quantization{call.inputs[2], call.inputs[3]});
    }
    return outputs;
}

} // namespace htp
