#include "execute.h"

#include <ATen/core/stack.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <set>

namespace htp
{

namespace
{

// What a thrown error says of missing kernels rather than of the inputs.
bool means_no_meta_kernel(const std::exception &error)
{
    const std::string text = error.what();
    return dynamic_cast<const c10::NotImplementedError *>(&error) != nullptr ||
           text.find("'Meta' backend") != std::string::npos ||
           text.find("Meta tensors") != std::string::npos ||
           text.find("meta tensor") != std::string::npos ||
           text.find("overrideable not implemented") != std::string::npos ||
           text.find("device meta") != std::string::npos ||
           text.find("storage of a tensor that does not have storage") != std::string::npos;
}

// Operators that reach outside the program, or whose results follow from contents in ways that
// trying them on stand-ins does not show.
bool must_not_run(const std::string &name)
{
    static const std::set<std::string> refused = {
        "aten::save",
        "aten::from_file",
        "aten::unique_dim",
        "aten::_unique2",
        "aten::_unique",
        "aten::unique_consecutive",
        "aten::nonzero",
        "aten::nonzero_numpy",
        "aten::argwhere",
        "aten::masked_select",
        "torchvision::nms",
        "aten::bincount",
        "aten::set_num_threads",
    };
    return refused.count(name) != 0;
}

// Operators whose results' contents are not defined.
bool is_uninitialised(const std::string &name)
{
    return name.rfind("aten::empty", 0) == 0 || name.rfind("aten::new_empty", 0) == 0 ||
           name.rfind("aten::resize", 0) == 0;
}

// Operators that turn a tensor's contents into a number.
bool reads_contents(const std::string &name)
{
    static const std::set<std::string> readers = {
        "aten::item",        "aten::Int",           "aten::Float",          "aten::Bool",
        "aten::IntImplicit", "aten::FloatImplicit", "aten::ScalarImplicit", "aten::is_nonzero",
    };
    return readers.count(name) != 0;
}

bool has_tensors(const Ref &item)
{
    if (item->kind == Item::Kind::List || item->kind == Item::Kind::Tuple) {
        return std::any_of(item->elements.begin(), item->elements.end(), has_tensors);
    }
    return item->is_tensor();
}

// Applies @p test to an item, or to every element of a list.
template <typename Test> bool all_of(const Ref &item, Test test)
{
    if (item->kind == Item::Kind::List || item->kind == Item::Kind::Tuple) {
        return std::all_of(item->elements.begin(), item->elements.end(),
                           [&](const Ref &element) { return all_of(element, test); });
    }
    return test(*item);
}

// The same value with every tensor replaced.
template <typename Replace> c10::IValue map_tensors(const c10::IValue &value, Replace replace)
{
    if (value.isTensor()) {
        return value.toTensor().defined() ? c10::IValue(replace(value.toTensor())) : value;
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor &tensor : value.toTensorVector()) {
            list.push_back(replace(tensor));
        }
        return list;
    }
    if (value.isList()) {
        c10::impl::GenericList list(value.toList().elementType());
        for (const c10::IValue &element : value.toListRef()) {
            list.push_back(map_tensors(element, replace));
        }
        return list;
    }
    return value;
}

bool same_geometry(const at::Tensor &a, const at::Tensor &b)
{
    return a.sizes() == b.sizes() && a.strides() == b.strides() &&
           a.storage_offset() == b.storage_offset() && a.scalar_type() == b.scalar_type();
}

// A value has one rank and dtype, whatever the sizes.
void require_same_kind(const std::vector<c10::IValue> &lanes)
{
    const at::Tensor &first = lanes[0].toTensor();
    for (const c10::IValue &lane : lanes) {
        const at::Tensor &other = lane.toTensor();
        if (other.dim() != first.dim() || other.scalar_type() != first.scalar_type()) {
            throw Unsupported("its output's rank or dtype depends on a dynamic axis");
        }
    }
}

std::string kind_of(const c10::FunctionSchema &schema)
{
    return schema.name() + (schema.overload_name().empty() ? "" : "." + schema.overload_name());
}

} // namespace

Ref Executor::current(const Ref &item, const Place &place)
{
    if (changes_.empty()) {
        return item;
    }
    if (item->kind == Item::Kind::List || item->kind == Item::Kind::Tuple) {
        for (size_t i = 0; i < item->elements.size(); i++) {
            const Ref element = current(item->elements[i], place);
            if (element != item->elements[i]) {
                recording_.before_change(item);
                item->elements[i] = element;
            }
        }
        return item;
    }
    if (!item->is_tensor()) {
        return item;
    }
    const auto found = changes_.find(storage_identity(item->tensor(0)));
    if (found == changes_.end() || found->second.epoch <= item->epoch) {
        return item;
    }
    const Ref latest = found->second.latest;
    if (!latest || !same_geometry(latest->tensor(0), item->tensor(0))) {
        throw Unsupported("a tensor is read after another view of it was changed in place, " +
                          recording_.describe(place));
    }
    return latest;
}

std::vector<Ref> Executor::run(const torch::jit::Node &node, const std::vector<Ref> &inputs,
                               const Place &place)
{
    const torch::jit::Operator *found = node.maybeOperator();
    if (found == nullptr) {
        throw Unsupported(std::string("this libtorch has no operator ") +
                          node.kind().toQualString() + " for these arguments, " +
                          recording_.describe(place));
    }
    Call call = {node, found->schema(), found->getOperation(&node), inputs, place};
    const auto is_known = [](const Item &item) { return item.kind != Item::Kind::Unknown; };
    for (const Ref &input : inputs) {
        if (!all_of(input, is_known)) {
            return fail(call, "");
        }
    }
    if (must_not_run(call.schema.name())) {
        return fail(call, "its output's size depends on the data");
    }
    try {
        if (gives_unknown_numbers(call)) {
            return make_unknown_numbers(call);
        }
        Lanes results;
        const Mode mode = choose_mode(call, results);
        return make_outputs(call, mode, results);
    } catch (const Unsupported &error) {
        return fail(call, error.what());
    } catch (const BadInputs &) {
        throw;
    } catch (const std::exception &error) {
        throw BadInputs(kind_of(call.schema) + " raised " + recording_.describe(place) + ": " +
                        first_line(error));
    }
}

// A number read off contents that nobody knows, or computed from such numbers alone.
bool Executor::gives_unknown_numbers(const Call &call) const
{
    const auto knows_value = [](const Item &item) { return item.has_lanes; };
    const auto is_known = [](const Item &item) { return !item.is_tensor() || item.is_real; };
    const auto is_number = [](const torch::jit::Value *output) {
        const auto kind = output->type()->kind();
        return kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType ||
               kind == c10::TypeKind::BoolType || kind == c10::TypeKind::NumberType;
    };
    bool any_tensor = false;
    bool any_unknown = false;
    for (const Ref &input : call.inputs) {
        any_tensor = any_tensor || has_tensors(input);
        any_unknown = any_unknown || !all_of(input, knows_value) ||
                      (reads_contents(call.schema.name()) && !all_of(input, is_known));
    }
    const auto outputs = call.node.outputs();
    return any_unknown && (!any_tensor || reads_contents(call.schema.name())) &&
           std::all_of(outputs.begin(), outputs.end(), is_number);
}

std::vector<Ref> Executor::make_unknown_numbers(const Call &call)
{
    std::vector<Ref> outputs;
    for (const torch::jit::Value *output : call.node.outputs()) {
        const auto kind = output->type()->kind();
        const bool is_bool = kind == c10::TypeKind::BoolType;
        const bool is_int = kind == c10::TypeKind::IntType;
        const c10::IValue stand_in =
            is_bool ? c10::IValue(false) : (is_int ? c10::IValue(0) : c10::IValue(0.0));
        Ref item = recording_.plain(stand_in, false);
        item->has_lanes = false;
        outputs.push_back(item);
    }
    const uint32_t index = record(call, outputs, "");
    for (const Ref &output : outputs) {
        output->producer = index;
    }
    return outputs;
}

// Meta kernels tell the sizes, for real tensors too: what would be large is not computed.
Executor::Mode Executor::choose_mode(Call &call, Lanes &results)
{
    const auto knows_value = [](const Item &item) { return item.has_lanes; };
    const auto is_real = [](const Item &item) { return !item.is_tensor() || item.is_real; };
    bool any_tensor = false;
    bool all_real = true;
    for (const Ref &input : call.inputs) {
        if (!all_of(input, knows_value)) {
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
        const bool reads = reads_contents(call.schema.name());
        const Mode mode = all_real && reads ? Mode::Real : Mode::Meta;
        results = run_lanes(call, mode);
        return mode;
    }
    if (!all_real || call.node.isNondeterministic() || is_uninitialised(call.schema.name())) {
        results = run_lanes(call, Mode::Meta);
        return Mode::Meta;
    }
    bool small = true;
    try {
        results = run_lanes(call, Mode::Meta);
        small = fits_real(results);
    } catch (const std::exception &error) {
        // A kernel that exists for real tensors only gets them: they are small.
        small = any_tensor || means_no_meta_kernel(error);
    }
    if (small) {
        results = run_lanes(call, Mode::Real);
        return Mode::Real;
    }
    return Mode::Meta;
}

bool Executor::fits_real(const Lanes &results) const
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

Executor::Lanes Executor::run_lanes(Call &call, Mode mode)
{
    Lanes results;
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        results.push_back(run_lane(call, mode, lane));
    }
    return results;
}

c10::IValue Executor::operand(const Call &call, size_t index, size_t lane, Mode mode) const
{
    const auto &arguments = call.schema.arguments();
    const c10::TypePtr type = index < arguments.size() ? arguments[index].type() : nullptr;
    c10::IValue value = Recording::value(call.inputs[index], lane, type);
    if (mode != Mode::Meta) {
        return value;
    }
    if (value.isDevice()) {
        return at::Device(at::kMeta);
    }
    return map_tensors(value, [](const at::Tensor &tensor) {
        return tensor.is_meta() ? tensor : meta_like(tensor);
    });
}

std::vector<c10::IValue> Executor::run_lane(Call &call, Mode mode, size_t lane)
{
    torch::jit::Stack stack;
    for (size_t i = 0; i < call.inputs.size(); i++) {
        stack.push_back(operand(call, i, lane, mode));
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
    }
    try {
        call.operation(stack);
    } catch (const c10::Error &error) {
        if (mode != Mode::Meta || !means_no_meta_kernel(error)) {
            throw;
        }
        return run_on_stand_ins(call, lane);
    }
    return {stack.begin(), stack.end()};
}

// Where libtorch has no meta kernel: the real one, on tensors of zeroes and then of ones, shows
// the outputs' sizes. Sizes that differ between the two depend on the data.
std::vector<c10::IValue> Executor::run_on_stand_ins(Call &call, size_t lane)
{
    constexpr int64_t kMaxElements = int64_t{1} << 26;
    const auto run_on = [&](int fill) {
        torch::jit::Stack stack;
        for (size_t i = 0; i < call.inputs.size(); i++) {
            const auto &arguments = call.schema.arguments();
            const c10::TypePtr type = i < arguments.size() ? arguments[i].type() : nullptr;
            stack.push_back(map_tensors(
                Recording::value(call.inputs[i], lane, type), [&](const at::Tensor &tensor) {
                    if (!tensor.is_meta()) {
                        return tensor.clone();
                    }
                    if (tensor.numel() > kMaxElements) {
                        throw Unsupported("this libtorch cannot tell its output's size");
                    }
                    return at::full(tensor.sizes(), fill, tensor.options().device(at::kCPU));
                }));
        }
        call.operation(stack);
        std::vector<c10::IValue> outputs;
        for (const c10::IValue &value : stack) {
            outputs.push_back(map_tensors(value, meta_like));
        }
        return outputs;
    };
    for (const c10::Argument &argument : call.schema.arguments()) {
        if (argument.alias_info() != nullptr) {
            throw Unsupported("this libtorch cannot tell its output's size");
        }
    }
    std::vector<c10::IValue> zeroes = run_on(0);
    std::vector<c10::IValue> ones;
    try {
        ones = run_on(1);
    } catch (const c10::Error &) {
        return zeroes; // an index of one may be out of range
    }
    for (size_t i = 0; i < zeroes.size(); i++) {
        if (zeroes[i].isTensor() && zeroes[i].toTensor().defined() &&
            zeroes[i].toTensor().sizes() != ones[i].toTensor().sizes()) {
            throw Unsupported("its output's size depends on the data");
        }
    }
    return zeroes;
}

std::vector<Ref> Executor::make_outputs(const Call &call, Mode mode, const Lanes &results)
{
    const auto constant = [](const Item &item) { return item.is_constant; };
    bool is_constant = !call.node.isNondeterministic();
    for (const Ref &input : call.inputs) {
        is_constant = is_constant && all_of(input, constant);
    }
    std::vector<Ref> outputs;
    for (size_t i = 0; i < results[0].size(); i++) {
        outputs.push_back(make_output(results, i, mode, is_constant));
    }
    note_changes(call, outputs);
    const uint32_t index = record(call, outputs, "");
    for (const Ref &output : outputs) {
        output->producer = index;
        for (const Ref &element : output->elements) {
            element->producer = index;
        }
    }
    return outputs;
}

Ref Executor::make_output(const Lanes &results, size_t index, Mode mode, bool is_constant)
{
    std::vector<c10::IValue> lanes;
    for (const auto &lane : results) {
        lanes.push_back(lane[index]);
    }
    return wrap(lanes, mode, is_constant);
}

Ref Executor::wrap(const std::vector<c10::IValue> &lanes, Mode mode, bool is_constant)
{
    if (lanes[0].isList() || lanes[0].isTuple()) {
        std::vector<Ref> elements;
        const auto items = [](const c10::IValue &value) {
            return value.isList() ? value.toListRef().vec() : value.toTupleRef().elements().vec();
        };
        const size_t count = items(lanes[0]).size();
        std::vector<std::vector<c10::IValue>> by_element(count);
        for (const c10::IValue &lane : lanes) {
            const std::vector<c10::IValue> values = items(lane);
            if (values.size() != count) {
                throw Unsupported("the length of a list depends on a dynamic dim");
            }
            for (size_t i = 0; i < count; i++) {
                by_element[i].push_back(values[i]);
            }
        }
        for (const auto &element : by_element) {
            elements.push_back(wrap(element, mode, is_constant));
        }
        return recording_.sequence(lanes[0].isList() ? Item::Kind::List : Item::Kind::Tuple,
                                   std::move(elements));
    }
    if (lanes[0].isTensor() && !lanes[0].toTensor().defined()) {
        return recording_.plain(c10::IValue()); // an output that was not asked for
    }
    const bool is_tensor = lanes[0].isTensor();
    if (is_tensor) {
        require_same_kind(lanes);
    }
    Ref item = recording_.make(is_tensor ? Item::Kind::Tensor : Item::Kind::Plain);
    std::copy(lanes.begin(), lanes.end(), item->lane.begin());
    item->is_constant = is_constant;
    if (is_tensor) {
        // Some operators give real tensors for meta ones: a tensor of sizes.
        item->is_real = !item->tensor(0).is_meta();
        item->is_constant = item->is_real && (is_constant || mode == Mode::Meta);
        if (item->is_constant) {
            note_contents(*item, recording_.lane_count);
        }
    } else if (mode == Mode::Meta || !is_constant) {
        // A number read off tensors follows from their sizes; it is constant where no lane differs.
        item->is_constant =
            mode == Mode::Meta && std::all_of(lanes.begin(), lanes.end(), [&](const auto &lane) {
                return lane.type()->kind() == lanes[0].type()->kind() && lane == lanes[0];
            });
    }
    return item;
}

std::vector<Ref> Executor::fail(const Call &call, const std::string &reason)
{
    std::vector<Ref> outputs;
    for (size_t i = 0; i < call.node.outputs().size(); i++) {
        outputs.push_back(recording_.make(Item::Kind::Unknown));
    }
    const uint32_t index = record(call, outputs, reason);
    for (const Ref &output : outputs) {
        output->producer = index;
    }
    return outputs;
}

uint32_t Executor::record(const Call &call, const std::vector<Ref> &outputs,
                          const std::string &failure)
{
    constexpr size_t kMaxNodes = size_t{1} << 24;
    if (recording_.nodes.size() >= kMaxNodes) {
        throw Unsupported("the program runs more than 16 million operators");
    }
    RecordedNode node;
    node.kind = kind_of(call.schema);
    node.place = call.place;
    node.failure = failure;
    const auto &arguments = call.schema.arguments();
    for (size_t i = 0; i < call.inputs.size(); i++) {
        call.inputs[i]->is_used = true;
        node.inputs.push_back(call.inputs[i]->id);
        node.input_names.push_back(i < arguments.size() ? arguments[i].name() : "");
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        node.outputs.push_back(outputs[i]->id);
        if (i < call.node.outputs().size()) {
            outputs[i]->name = call.node.outputs()[i]->debugName();
        }
    }
    recording_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(recording_.nodes.size() - 1);
}

// A tensor that was changed in place: whoever reads its storage from now on reads the output.
void Executor::note_changes(const Call &call, const std::vector<Ref> &outputs)
{
    const auto &arguments = call.schema.arguments();
    for (size_t i = 0; i < arguments.size() && i < call.inputs.size(); i++) {
        const auto *alias = arguments[i].alias_info();
        const Ref &input = call.inputs[i];
        if (alias == nullptr || !alias->isWrite() || !input->is_tensor()) {
            continue;
        }
        const auto is_output = [&](const Ref &output) {
            return output->is_tensor() && output->tensor(0).sizes() == input->tensor(0).sizes() &&
                   output->tensor(0).scalar_type() == input->tensor(0).scalar_type();
        };
        const auto output = std::find_if(outputs.begin(), outputs.end(), is_output);
        recording_.epoch++;
        Change change = {recording_.epoch, output == outputs.end() ? nullptr : *output};
        if (change.latest) {
            change.latest->epoch = recording_.epoch;
        }
        changes_[storage_identity(input->tensor(0))] = change;
        if (change.latest) {
            changes_[storage_identity(change.latest->tensor(0))] = change;
        }
    }
}

} // namespace htp
