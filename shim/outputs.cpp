// What an operator's results are recorded as.
#include "execute.h"

#include "map_tensors.h"
#include "operator_facts.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>

namespace htp
{

namespace
{

// A value has one rank and dtype, whatever the sizes.
void require_same_kind(const std::vector<c10::IValue> &lanes)
{
    const at::Tensor &first = lanes[0].toTensor();
    if (first.dim() > HTP_SHIM_MAX_RANK) {
        throw Unsupported("its output has more than " + std::to_string(HTP_SHIM_MAX_RANK) +
                          " dims");
    }
    for (const c10::IValue &lane : lanes) {
        const at::Tensor &other = lane.toTensor();
        if (other.dim() != first.dim() || other.scalar_type() != first.scalar_type()) {
            throw Unsupported("its output's rank or dtype depends on a dynamic axis");
        }
    }
}

} // namespace

std::string node_kind(const c10::FunctionSchema &schema)
{
    return schema.name() + (schema.overload_name().empty() ? "" : "." + schema.overload_name());
}

std::vector<Ref> Executor::make_unknown_numbers(const Call &call)
{
    std::vector<Ref> outputs;
    for (size_t i = 0; i < call.output_count(); i++) {
        const auto kind = call.output_type(i)->kind();
        const bool reads = kind == c10::TypeKind::NumberType && call.inputs[0]->is_tensor();
        const at::ScalarType read = reads ? call.inputs[0]->tensor(0).scalar_type() : at::kFloat;
        const bool reads_int = reads && at::isIntegralType(read, false);
        const bool is_bool = kind == c10::TypeKind::BoolType || (reads && read == at::kBool);
        Ref item = recording_.plain(is_bool ? c10::IValue(false) : c10::IValue(0.0), false);
        if (kind == c10::TypeKind::IntType || reads_int) {
            const Item &source = *call.inputs.at(0);
            const std::string name = base_name(call.schema);
            make_up(*item,
                    source.is_tensor() ? number_in(source, name) : size_of(formula(call), name));
        }
        item->has_lanes = item->is_data;
        outputs.push_back(item);
    }
    const uint32_t index = record(call, outputs, "");
    for (const Ref &output : outputs) {
        output->producer = index;
    }
    return outputs;
}

// An int that only the data can tell, as it may become a size.
void Executor::make_up(Item &item, const std::string &name)
{
    make_up(item, recording_.new_size(name));
}

void Executor::make_up(Item &item, const htp_shim_size &size)
{
    for (uint32_t lane = 0; lane < recording_.lane_count; lane++) {
        item.lane[lane] = size.sizes[lane];
    }
    item.is_data = true;
}

namespace
{

// Marks what differs between the lanes of an operator's output.
void mark_data(Item &item, uint32_t lane_count)
{
    for (const Ref &element : item.elements) {
        mark_data(*element, lane_count);
    }
    for (uint32_t lane = 1; lane < lane_count && !item.is_data; lane++) {
        item.is_data = item.is_tensor()
                           ? item.tensor(lane).sizes() != item.tensor(0).sizes() ||
                                 (item.is_real && !item.is_constant)
                           : item.kind == Item::Kind::Plain && item.lane[lane] != item.lane[0];
    }
}

} // namespace

std::vector<Ref> Executor::make_outputs(const Call &call, Mode mode, const Lanes &results,
                                        bool decides)
{
    const auto constant = [](const Item &item) { return item.is_settled(); };
    const bool is_data = decides || has_data(call.inputs);
    bool is_constant = !call.is_nondeterministic();
    for (const Ref &input : call.inputs) {
        is_constant = is_constant && all_of(input, constant);
    }
    std::vector<Ref> outputs;
    for (size_t i = 0; i < results[0].size(); i++) {
        outputs.push_back(make_output(results, i, mode, is_constant));
        if (knows_empty(call, i)) {
            settle(*outputs.back());
        }
        if (is_data) {
            mark_data(*outputs.back(), recording_.lane_count);
        }
    }
    const uint32_t index = record(call, outputs, "");
    const bool is_stepped = Executor::is_stepped(call, results);
    for (const Ref &output : outputs) {
        output->producer = index;
        const bool tells_size = call.schema.name() == "aten::slice" || output->is_number() ||
                                (output->is_tensor() && output->is_real);
        output->is_stepped = is_stepped && !output->is_constant && tells_size;
        for (const Ref &element : output->elements) {
            element->producer = index;
        }
    }
    note_views(call, outputs);
    note_changes(call, outputs);
    return outputs;
}

// Some of libtorch's meta kernels leave an output without elements that has some: only views, and
// what is made of tensors without elements or of none, are believed.
bool Executor::knows_empty(const Call &call, size_t output)
{
    const auto is_empty = [](const Item &item) {
        return item.is_tensor() && item.tensor(0).numel() == 0;
    };
    const auto &returns = call.schema.returns();
    bool any_tensor = false;
    for (const Ref &input : call.inputs) {
        const bool all_filled = all_of(input, [&](const Item &item) { return !is_empty(item); });
        any_tensor = any_tensor || has_tensors(input);
        if (!all_filled) {
            return true;
        }
    }
    return !any_tensor || (output < returns.size() && returns[output].alias_info() != nullptr);
}

void Executor::settle(Item &item)
{
    for (const Ref &element : item.elements) {
        settle(*element);
    }
    if (!item.is_tensor() || item.is_real) {
        return;
    }
    settle_empty(item, recording_.lane_count);
    if (item.is_real) {
        item.is_constant = true;
        note_contents(item, recording_.lane_count);
    }
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
    for (size_t i = 0; i < call.output_count(); i++) {
        outputs.push_back(recording_.make(Item::Kind::Unknown));
    }
    const uint32_t index = record(call, outputs, reason);
    for (const Ref &output : outputs) {
        output->producer = index;
    }
    const auto &returns = call.schema.returns();
    if (std::any_of(returns.begin(), returns.end(), [](const c10::Argument &argument) {
            return argument.alias_info() != nullptr;
        })) {
        unknown_views_.insert(index);
    }
    note_failed_changes(call, index);
    return outputs;
}

// Where sizes were made up for what other lanes may tell, these are to be tried.
std::vector<Ref> Executor::fail_on_data(const Call &call, const std::string &reason)
{
    std::vector<Ref> outputs = fail(call, reason);
    if (has_flats_) {
        throw BadInputs(node_kind(call.schema) + " raised " + recording_.describe(call.place) +
                        ": " + reason);
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
    node.kind = node_kind(call.schema);
    node.place = call.place;
    node.failure = failure;
    node.block = recording_.block;
    const auto &arguments = call.schema.arguments();
    for (size_t i = 0; i < call.inputs.size(); i++) {
        call.inputs[i]->is_used = true;
        node.inputs.push_back(call.inputs[i]->id);
        node.input_names.push_back(i < arguments.size() ? arguments[i].name() : "");
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        node.outputs.push_back(outputs[i]->id);
        if (call.node != nullptr && i < call.node->outputs().size()) {
            outputs[i]->name = call.node->outputs()[i]->debugName();
        }
    }
    recording_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(recording_.nodes.size() - 1);
}

} // namespace htp
