#include "execute.h"

#include "allocation.h"
#include "libraries.h"
#include "map_tensors.h"
#include "operand_checks.h"
#include "operator_facts.h"
#include "wording.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/core/stack.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <set>

namespace htp
{

bool has_tensors(const Ref &item)
{
    if (item->kind == Item::Kind::List || item->kind == Item::Kind::Tuple) {
        return std::any_of(item->elements.begin(), item->elements.end(), has_tensors);
    }
    return item->is_tensor();
}

bool has_data(const std::vector<Ref> &inputs)
{
    const auto is_fixed = [](const Item &item) { return item.has_lanes && !item.is_data; };
    return !std::all_of(inputs.begin(), inputs.end(),
                        [&](const Ref &input) { return all_of(input, is_fixed); });
}

namespace
{

// Whether libtorch's executor makes a number of the second operand, as which the tracer wrote it: a
// number takes part in type promotion in another way than a tensor without dims. A complex one only
// does beside integers, or a tensor without dims itself.
bool becomes_number(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs)
{
    if (!takes_constants_as_numbers(schema) || !inputs[1]->is_literal || !inputs[1]->is_tensor() ||
        !inputs[1]->is_real || inputs[1]->tensor(0).dim() != 0) {
        return false;
    }
    const bool is_wide = inputs[0]->is_tensor() && inputs[0]->tensor(0).dim() > 0 &&
                         !c10::isIntegralType(inputs[0]->tensor(0).scalar_type(), true);
    return !is_wide || !inputs[1]->tensor(0).is_complex();
}

} // namespace

std::vector<Ref> Executor::run(const torch::jit::Node &node, const std::vector<Ref> &inputs,
                               const Place &place)
{
    const torch::jit::Operator *found = node.maybeOperator();
    if (found == nullptr) {
        throw Unsupported(std::string("this libtorch has no operator ") +
                          node.kind().toQualString() + " for these arguments, " +
                          recording_.describe(place));
    }
    if (becomes_number(found->schema(), inputs)) {
        std::vector<Ref> numbers = inputs;
        numbers[1] = recording_.plain(c10::IValue(inputs[1]->tensor(0).item()));
        const auto scalar = torch::jit::findOperatorFor({found->schema().name(), "Scalar"});
        Call call = {&node, scalar->schema(), scalar->getOperation(), numbers, place};
        return run_call(call);
    }
    Call call = {&node, found->schema(), found->getOperation(&node), inputs, place};
    return run_call(call);
}

// An operator that the program does not name, with one output.
Ref Executor::run_named(const char *name, const char *overload, const std::vector<Ref> &inputs,
                        const Place &place)
{
    return run_all(c10::OperatorName(name, overload), inputs, place).at(0);
}

std::vector<Ref> Executor::run_all(const c10::OperatorName &name, const std::vector<Ref> &inputs,
                                   const Place &place)
{
    const auto found = torch::jit::findOperatorFor(name);
    if (!found) {
        throw Unsupported("this libtorch has no operator " + name.name);
    }
    Call call = {nullptr, found->schema(), found->getOperation(), inputs, place};
    return run_call(call);
}

// Whether neither sizes nor contents change what it gives: cat() of an empty list.
bool Executor::always_gives_the_same(const Call &call)
{
    const auto is_constant = [](const Item &item) { return item.is_constant && !item.is_data; };
    return std::all_of(call.inputs.begin(), call.inputs.end(), [&](const Ref &input) {
        return !has_tensors(input) && all_of(input, is_constant);
    });
}

// Why an operator is not run at all; nullptr for others.
const char *Executor::find_refusal(const Call &call) const
{
    if (makes_nested(call.schema)) {
        return "it makes a nested tensor, which ONNX has no type for; make the encoder with "
               "enable_nested_tensor=False, which computes the same where no mask is";
    }
    if (!may_run(call.schema)) {
        return "it does more than to compute, and is not run for a file";
    }
    if (is_unchecked(call.schema) && !is_sized_alone(call.schema)) {
        return "it is not run, because its kernel does not check what it is given";
    }
    if (has_no_order(call)) {
        return "without sorted=True the order of its output is not defined";
    }
    return squeezes_data(call) ? "the data decides whether its output has that dim" : nullptr;
}

std::vector<Ref> Executor::run_call(Call &call)
{
    refuse_lasting_changes(call.schema, call.inputs, call.place);
    const auto is_known = [](const Item &item) { return item.kind != Item::Kind::Unknown; };
    for (const Ref &input : call.inputs) {
        if (!all_of(input, is_known)) {
            return fail(call, "");
        }
    }
    if (const char *const refusal = find_refusal(call)) {
        return fail(call, refusal);
    }
    try {
        if (const auto outputs = quantized(call)) {
            return *outputs;
        }
        if (gives_unknown_numbers(call)) {
            return make_unknown_numbers(call);
        }
        if (const auto sized = decide_sizes(call)) {
            return make_outputs(call, Mode::Meta, *sized, true);
        }
        Lanes results;
        const Mode mode = choose_mode(call, results);
        if (is_flat(call, results)) {
            return make_flat(call, results);
        }
        if (const auto sized = flattened(call, results)) {
            return make_outputs(call, Mode::Meta, *sized, true);
        }
        const std::vector<Ref> outputs = make_outputs(call, mode, results);
        keep_quantization(call, outputs);
        return outputs;
    } catch (const Unsupported &error) {
        return fail_on_data(call, error.what());
    } catch (const BadInputs &) {
        throw;
    } catch (const std::exception &error) {
        return run_otherwise(call, first_line(error));
    }
}

// What becomes of an operator that raised: sizes that the data decides were made up, and need not
// fit; all others are those of the program.
std::vector<Ref> Executor::run_otherwise(Call &call, const std::string &error)
{
    if (has_data(call.inputs)) {
        if (const auto inputs = fitted(call)) {
            Call other = {call.node, call.schema, call.operation, *inputs, call.place};
            return run_call(other);
        }
        auto sized = has_flats_ ? std::nullopt : reshaped(call);
        sized = sized || has_flats_ ? sized : met(call);
        sized = sized ? sized : padded(call);
        return sized ? make_outputs(call, Mode::Meta, *sized, true)
                     : fail_on_data(call, "sizes that depend on the data do not fit: " + error);
    }
    fail(call, error);
    const std::string text =
        node_kind(call.schema) + " raised " + recording_.describe(call.place) + ": " + error;
    if (always_gives_the_same(call)) {
        throw Raised(text);
    }
    throw BadInputs(text);
}

// unique() that need not sort, and does not.
bool Executor::has_no_order(const Call &call)
{
    const std::string &name = call.schema.name();
    if (name != "aten::_unique" && name != "aten::_unique2") {
        return false;
    }
    const Item &sorted = *call.inputs[1];
    const bool sorts = sorted.is_constant && sorted.lane[0].isBool() && sorted.lane[0].toBool();
    return !sorts && !unique_always_sorts();
}

// squeeze() of a dim whose size the data decides: it goes where that is 1.
bool Executor::squeezes_data(const Call &call) const
{
    const std::string &name = call.schema.name();
    const bool is_squeeze = name == "aten::squeeze" || name == "aten::squeeze_";
    if (!is_squeeze || !call.inputs[0]->is_tensor() || !call.inputs[0]->is_data) {
        return false;
    }
    const int64_t rank = call.inputs[0]->tensor(0).dim();
    std::set<int64_t> dims;
    if (call.inputs.size() > 1 && !call.inputs[1]->is_container()) {
        dims.insert(at::maybe_wrap_dim(call.inputs[1]->lane[0].toInt(), rank));
    }
    for (size_t i = 0; call.inputs.size() > 1 && i < call.inputs[1]->elements.size(); i++) {
        dims.insert(at::maybe_wrap_dim(call.inputs[1]->elements[i]->lane[0].toInt(), rank));
    }
    bool any_unknown = false;
    for (int64_t dim = 0; dim < rank; dim++) {
        const bool is_meant = call.inputs.size() == 1 || dims.count(dim) != 0;
        any_unknown = any_unknown || (is_meant && !recording_.is_fixed(*call.inputs[0], dim));
    }
    return any_unknown;
}

// A number read off contents that nobody knows, or computed from such numbers alone.
bool Executor::gives_unknown_numbers(const Call &call)
{
    const bool is_exact = has_fact(call.schema.name(), HTP_FACT_EXACT_ON_SIZES);
    const auto knows_value = [&](const Item &item) {
        return item.has_lanes && (!item.is_data || is_exact);
    };
    const auto is_known = [&](const Item &item) {
        return !item.is_tensor() || (item.is_real && (!item.is_data || is_exact));
    };
    const auto is_number = [](const c10::TypePtr &type) {
        const auto kind = type->kind();
        return kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType ||
               kind == c10::TypeKind::BoolType || kind == c10::TypeKind::NumberType;
    };
    bool any_tensor = false;
    bool any_unknown = false;
    for (const Ref &input : call.inputs) {
        any_tensor = any_tensor || has_tensors(input);
        any_unknown =
            any_unknown || (!has_tensors(input) && !all_of(input, knows_value)) ||
            (has_fact(call.schema.name(), HTP_FACT_READS_CONTENTS) && !all_of(input, is_known));
    }
    bool gives_numbers = true;
    for (size_t i = 0; i < call.output_count(); i++) {
        gives_numbers = gives_numbers && is_number(call.output_type(i));
    }
    return any_unknown && gives_numbers &&
           (!any_tensor || has_fact(call.schema.name(), HTP_FACT_READS_CONTENTS));
}

// Meta kernels tell the sizes, for real tensors too: what would be large is not computed.
Executor::Mode Executor::choose_mode(Call &call, Lanes &results)
{
    const std::string &name = call.schema.name();
    const auto is_fixed = [](const Item &item) {
        return item.is_tensor() || (item.has_lanes && !item.is_data);
    };
    const bool is_exact = has_fact(name, HTP_FACT_EXACT_ON_SIZES);
    const auto is_real = [&](const Item &item) {
        return !item.is_tensor() || (item.is_real && (!item.is_data || is_exact));
    };
    bool any_tensor = false;
    bool all_real = true;
    for (const Ref &input : call.inputs) {
        if (!all_of(input, is_fixed) && !is_exact && !takes_data_numbers(name)) {
            throw Unsupported("a number that it needs depends on the data");
        }
        any_tensor = any_tensor || has_tensors(input);
        all_real = all_real && all_of(input, is_real);
    }
    const auto &returns = call.schema.returns();
    const bool makes_tensors =
        std::any_of(returns.begin(), returns.end(), [](const c10::Argument &argument) {
            return argument.type()->isSubtypeOf(*c10::TensorType::get()) ||
                   argument.type()->kind() == c10::TypeKind::ListType;
        });
    if (!any_tensor && !makes_tensors) {
        results = run_lanes(call, Mode::Values);
        return Mode::Values;
    }
    if (!makes_tensors) {
        const bool reads = has_fact(name, HTP_FACT_READS_CONTENTS);
        const Mode mode = all_real && reads ? Mode::Real : Mode::Meta;
        results = run_lanes(call, mode);
        return mode;
    }
    if (!all_real || call.is_nondeterministic() || is_uninitialised(name) ||
        trusts_contents(call.schema)) {
        results = run_lanes(call, Mode::Meta);
        return Mode::Meta;
    }
    bool small = true;
    try {
        results = run_lanes(call, Mode::Meta);
        small = fits_real(results);
    } catch (const std::exception &error) {
        // A kernel that exists for real tensors only gets them: they are small.
        if (!any_tensor && !means_no_meta_kernel(error)) {
            throw;
        }
        results.clear();
    }
    try {
        results = small ? run_lanes(call, Mode::Real) : std::move(results);
    } catch (const TooLarge &) {
        if (results.empty()) {
            throw Unsupported("its output, or what it needs for that, is too large to be computed "
                              "while a model is being exported");
        }
        small = false;
    }
    return small ? Mode::Real : Mode::Meta;
}

bool Executor::fits_real(const Lanes &results)
{
    bool fits = true;
    for (const auto &lane : results) {
        for (const c10::IValue &value : lane) {
            map_tensors(value, [&](const at::Tensor &tensor) {
                fits = fits && tensor.numel() <= kRealElements;
                return tensor;
            });
        }
    }
    return fits;
}

// What runs under a condition need not run at all sizes. Where it raises at the smallest ones, it
// has no outputs there, and what it gives elsewhere stands for them; two lanes tell what moves.
Executor::Lanes Executor::run_lanes(Call &call, Mode mode)
{
    constexpr uint32_t kTelling = 2;
    const bool must_run = recording_.block == 0 || call.schema.is_mutable();
    Lanes results;
    call.storages.clear();
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        try {
            results.push_back(run_lane(call, mode, lane));
        } catch (const Unsupported &) {
            throw;
        } catch (const BadInputs &) {
            throw;
        } catch (const TooLarge &) {
            throw;
        } catch (const std::bad_alloc &) {
            throw;
        } catch (const std::exception &error) { // libtorch's own, mostly c10::Error
            if (means_no_meta_kernel(error)) {
                throw;
            }
            if (must_run || lane < kTelling) {
                throw std::runtime_error(worded(recording_, call.inputs, lane, first_line(error)));
            }
            results.push_back(results[0]);
            call.storages.resize(lane);
            call.storages.push_back(call.storages[0]);
        }
    }
    if (mode == Mode::Meta) {
        lay_out(call, results);
    }
    return results;
}

static at::Tensor copy_of(const at::Tensor &tensor)
{
    return tensor.is_meta() ? tensor.detach()
                            : at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options())
                                  .copy_(tensor);
}

c10::IValue Executor::operand(const Call &call, size_t index, size_t lane, Mode mode)
{
    const auto &arguments = call.schema.arguments();
    c10::TypePtr type = index < arguments.size() ? arguments[index].type() : nullptr;
    if (type && type->hasFreeVariables() && call.node && index < call.node->inputs().size()) {
        type = call.node->inputs()[index]->type(); // of an empty list, nothing else tells it
    }
    c10::IValue value = Recording::value(call.inputs[index], lane, type);
    if (value.isTensor() && index < arguments.size() && is_written(arguments[index])) {
        // Sizes and strides stay as they are, whatever the operator does to them; and so do known
        // contents, which the other side of a branch reads, too.
        const at::Tensor &given = value.toTensor();
        value = mode == Mode::Meta ? given.detach() : copy_of(given);
    }
    if (mode != Mode::Meta) {
        return value;
    }
    if (value.isTensor() && is_size_operand(call.schema, index)) {
        if (!call.inputs[index]->is_real || call.inputs[index]->is_data) {
            throw Unsupported("sizes that it is given depend on the data");
        }
        return value;
    }
    if (value.isDevice()) {
        return at::Device(at::kMeta);
    }
    return map_tensors(value, [](const at::Tensor &tensor) {
        return tensor.is_meta() ? tensor : meta_like(tensor);
    });
}

void Executor::note_storages(Call &call, const torch::jit::Stack &stack)
{
    auto &inputs = call.storages.emplace_back();
    for (const c10::IValue &value : stack) {
        auto &found = inputs.emplace_back();
        map_tensors(value, [&](const at::Tensor &tensor) {
            found.push_back(storage_identity(tensor));
            return tensor;
        });
    }
}

// What follows from sizes and constants alone is small, and so is what a kernel needs for it.
void Executor::run_kernel(Call &call, torch::jit::Stack &stack, Mode mode)
{
    constexpr size_t kRealBytes = size_t{64} << 20;
    check_operands(call.schema, stack);
    const AllocationLimit limit(mode == Mode::Meta ? SIZE_MAX : kRealBytes);
    call.operation(stack);
}

std::vector<c10::IValue> Executor::run_lane(Call &call, Mode mode, size_t lane)
{
    torch::jit::Stack stack;
    for (size_t i = 0; i < call.inputs.size(); i++) {
        stack.push_back(operand(call, i, lane, mode));
    }
    note_storages(call, stack);
    if (mode == Mode::Meta && needs_contents(call.schema)) {
        return run_on_stand_ins(call, lane);
    }
    if (mode == Mode::Meta) {
        // Factories without a device would make real tensors.
        const auto &arguments = call.schema.arguments();
        for (size_t i = 0; i < stack.size() && i < arguments.size(); i++) {
            if (arguments[i].name() == "device" && stack[i].isNone() &&
                !has_tensors(call.inputs[0])) {
                stack[i] = at::Device(at::kMeta);
            }
        }
        if (auto outputs = run_few_steps(call, stack)) {
            return *outputs;
        }
    }
    try {
        run_kernel(call, stack, mode);
    } catch (const c10::Error &error) {
        if (mode != Mode::Meta || !means_no_meta_kernel(error)) {
            throw;
        }
        return run_on_stand_ins(call, lane);
    }
    return {stack.begin(), stack.end()};
}

} // namespace htp
