// Tensors that are changed in place, and who else sees it.
#include "execute.h"

#include <algorithm>

namespace htp
{

namespace
{

bool is_written(const c10::Argument &argument)
{
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// The inputs that an operator changes in place.
std::vector<Ref> changed_inputs(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs)
{
    std::vector<Ref> changed;
    for (size_t i = 0; i < schema.arguments().size() && i < inputs.size(); i++) {
        if (is_written(schema.arguments()[i])) {
            changed.push_back(inputs[i]);
        }
    }
    return changed;
}

// Which input an output shares memory with in one lane; the number of inputs for none.
size_t shared_input(const std::vector<Ref> &inputs, const Item &output, size_t lane)
{
    const void *storage = storage_identity(output.tensor(lane));
    const auto shares = [&](const Ref &input) {
        return input->is_tensor() && storage_identity(input->tensor(lane)) == storage;
    };
    return static_cast<size_t>(std::find_if(inputs.begin(), inputs.end(), shares) - inputs.begin());
}

} // namespace

// A result that is its input's memory for some sizes and a copy for others (contiguous(),
// reshape()): changing either in place would mean different things.
void Executor::note_sharing(const Call &call, const Item &output)
{
    if (!output.is_tensor()) {
        return;
    }
    const size_t first = shared_input(call.inputs, output, 0);
    for (uint32_t lane = 1; lane < recording_.lane_count; lane++) {
        const size_t other = shared_input(call.inputs, output, lane);
        if (other == first) {
            continue;
        }
        unclear_.insert(storage_identity(output.tensor(0)));
        const size_t shared = std::min(first, other);
        unclear_.insert(storage_identity(call.inputs[shared]->tensor(0)));
    }
}

// ONNX models have no state: what a call leaves behind for the next would be lost.
void Executor::refuse_lasting_changes(const c10::FunctionSchema &schema,
                                      const std::vector<Ref> &inputs, const Place &place)
{
    for (const Ref &input : changed_inputs(schema, inputs)) {
        const bool is_list = !input->elements.empty();
        if (is_list) {
            throw Unsupported(node_kind(schema) + " changes tensors of a list in place, " +
                              recording_.describe(place));
        }
        if (input->is_tensor() && recording_.is_state(storage_identity(input->tensor(0)))) {
            throw Unsupported(node_kind(schema) +
                              " changes a weight, buffer or constant of the "
                              "model, which the next call would read, " +
                              recording_.describe(place));
        }
    }
}

// A tensor that was changed in place: whoever reads its storage from now on reads the output.
void Executor::note_changes(const Call &call, const std::vector<Ref> &outputs)
{
    for (const Ref &input : changed_inputs(call.schema, call.inputs)) {
        if (!input->is_tensor()) {
            continue;
        }
        const void *storage = storage_identity(input->tensor(0));
        if (unclear_.count(storage) != 0) {
            throw Unsupported("it changes a tensor that shares memory with another one for some "
                              "sizes only");
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
        changes_[storage] = change;
        if (change.latest) {
            changes_[storage_identity(change.latest->tensor(0))] = change;
        }
    }
}

// Nobody knows what is in a tensor after a change that could not be told.
void Executor::note_failed_changes(const Call &call, uint32_t node)
{
    for (const Ref &input : changed_inputs(call.schema, call.inputs)) {
        if (!input->is_tensor()) {
            continue;
        }
        const Ref unknown = recording_.make(Item::Kind::Unknown);
        unknown->producer = node;
        changes_[storage_identity(input->tensor(0))] = {++recording_.epoch, unknown};
    }
}

} // namespace htp
