#include "trace.h"

#include "arguments.h"
#include "interpreter.h"
#include "libraries.h"
#include "meta_kernels.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace htp
{

namespace
{

// Plain data made of a recording.
class Handover final : public Trace
{
  public:
    Handover(std::unique_ptr<Recording> recording, const std::vector<Ref> &inputs,
             const std::vector<Ref> &outputs, std::vector<RecordedState> changed)
        : recording_(std::move(recording)), changed_(std::move(changed))
    {
        for (const Ref &item : recording_->items) {
            values_.push_back(describe(*item));
        }
        for (const RecordedNode &node : recording_->nodes) {
            nodes_.push_back(describe(node));
        }
        for (const Ref &input : inputs) {
            inputs_.push_back(input->id);
        }
        for (const Ref &output : outputs) {
            flatten(output);
        }
        Model &model = recording_->model;
        for (size_t i = 0; i < recording_->calls.size(); i++) {
            model.modules[i].calls = recording_->calls[i];
        }
        view_.values = values_.data();
        view_.value_count = static_cast<uint32_t>(values_.size());
        view_.nodes = nodes_.data();
        view_.node_count = static_cast<uint32_t>(nodes_.size());
        const htp_shim_passed *passed = recording_->passed.data();
        for (htp_shim_scope &scope : recording_->scopes) {
            scope.passed = passed;
            passed += scope.passed_count;
        }
        view_.scopes = recording_->scopes.data();
        view_.scope_count = static_cast<uint32_t>(recording_->scopes.size());
        view_.weights = model.weights.data();
        view_.weight_count = static_cast<uint32_t>(model.weights.size());
        for (const RecordedBlock &block : recording_->blocks) {
            blocks_.push_back({block.inputs.data(), static_cast<uint32_t>(block.inputs.size()),
                               block.outputs.data(), static_cast<uint32_t>(block.outputs.size())});
        }
        for (const Place &place : recording_->calls_made) {
            calls_.push_back({place.scope, place.file.c_str(), place.line, text_of(place),
                              function_of(place), place.call});
        }
        view_.calls = calls_.data();
        view_.call_count = static_cast<uint32_t>(calls_.size());
        view_.blocks = blocks_.data();
        view_.block_count = static_cast<uint32_t>(blocks_.size());
        view_.data_sizes = recording_->data_sizes.data();
        view_.data_size_count = static_cast<uint32_t>(recording_->data_sizes.size());
        view_.fake_rounding = recording_->rounding.fake;
        view_.tensor_rounding = recording_->rounding.tensor;
        view_.channel_rounding = recording_->rounding.channel;
        view_.inputs = inputs_.data();
        view_.input_count = static_cast<uint32_t>(inputs_.size());
        view_.outputs = outputs_.data();
        view_.output_count = static_cast<uint32_t>(outputs_.size());
        for (const RecordedState &state : changed_) {
            states_.push_back({state.name.c_str(), state.holder.module, state.loaded->id,
                               state.before->id, state.after->id});
        }
        view_.states = states_.data();
        view_.state_count = static_cast<uint32_t>(states_.size());
    }

    const htp_shim_trace &view() const override
    {
        return view_;
    }

    const Recording &recording() const override
    {
        return *recording_;
    }

    const std::vector<RecordedState> &states() const override
    {
        return changed_;
    }

  private:
    void flatten(const Ref &output)
    {
        if (output->kind == Item::Kind::Dict) {
            for (size_t i = 1; i < output->elements.size(); i += 2) {
                flatten(output->elements[i]);
            }
        } else if (output->kind == Item::Kind::List || output->kind == Item::Kind::Tuple) {
            for (const Ref &element : output->elements) {
                flatten(element);
            }
        } else {
            outputs_.push_back(output->id);
        }
    }

    htp_shim_value describe(const Item &item)
    {
        htp_shim_value value = {};
        value.name = item.name.c_str();
        value.producer = item.producer;
        value.weight = HTP_SHIM_NONE;
        value.is_constant = item.is_constant;
        value.has_lanes = item.has_lanes;
        switch (item.kind) {
        case Item::Kind::Unknown:
            value.kind = HTP_SHIM_UNKNOWN;
            break;
        case Item::Kind::Tensor:
            describe_tensor(item, value);
            break;
        case Item::Kind::Plain:
            describe_plain(item, value);
            break;
        case Item::Kind::Object:
            value.kind = HTP_SHIM_OPAQUE;
            break;
        default:
            describe_sequence(item, value);
        }
        return value;
    }

    void describe_tensor(const Item &item, htp_shim_value &value)
    {
        if (item.tensor(0).dim() > HTP_SHIM_MAX_RANK) {
            throw Unsupported("a list holds tensors of more than " +
                              std::to_string(HTP_SHIM_MAX_RANK - 1) + " dims");
        }
        value.kind = item.is_sequence ? HTP_SHIM_SEQUENCE : HTP_SHIM_TENSOR;
        for (const int64_t dim : item.varying) {
            value.varying |= uint64_t{1} << dim;
        }
        value.dtype = dtype_of(item.tensor(0).scalar_type());
        value.rank = static_cast<uint32_t>(item.tensor(0).dim());
        value.weight = item.weight;
        for (uint32_t lane = 0; lane < recording_->lane_count; lane++) {
            // The sizes live in the tensor, which the recording keeps.
            value.dims[lane] = item.tensor(lane).sizes().data();
        }
        if (item.is_constant && item.is_real) {
            value.data = item.contents.data();
            value.data_bytes = item.contents.size();
        }
        if (item.quantization) {
            value.is_quantized = true;
            value.scale = item.quantization->scale->id;
            value.zero_point = item.quantization->zero_point->id;
            value.axis = item.quantization->axis;
        }
    }

    void describe_plain(const Item &item, htp_shim_value &value)
    {
        const c10::IValue &first = item.lane[0];
        value.kind = first.isNone()     ? HTP_SHIM_NOTHING
                     : first.isInt()    ? HTP_SHIM_INT
                     : first.isDouble() ? HTP_SHIM_FLOAT
                     : first.isBool()   ? HTP_SHIM_BOOL
                     : first.isString() ? HTP_SHIM_STRING
                                        : HTP_SHIM_OPAQUE;
        for (uint32_t lane = 0; lane < recording_->lane_count; lane++) {
            const c10::IValue &seen = item.lane[lane];
            value.i[lane] = seen.isInt() ? seen.toInt() : (seen.isBool() && seen.toBool() ? 1 : 0);
            value.f[lane] = seen.isDouble() ? seen.toDouble() : 0.0;
        }
        if (first.isString()) {
            value.s = first.toStringRef().c_str();
            value.s_bytes = first.toStringRef().size();
        }
    }

    void describe_sequence(const Item &item, htp_shim_value &value)
    {
        value.kind = HTP_SHIM_LIST;
        const bool is_dict = item.kind == Item::Kind::Dict;
        std::vector<uint32_t> &ids = ids_.emplace_back();
        for (size_t i = is_dict ? 1 : 0; i < item.elements.size(); i += is_dict ? 2 : 1) {
            ids.push_back(item.elements[i]->id);
        }
        value.elements = ids.data();
        value.element_count = static_cast<uint32_t>(ids.size());
    }

    const char *const *list(const std::vector<std::string> &strings)
    {
        std::vector<const char *> &names = names_.emplace_back();
        for (const std::string &string : strings) {
            names.push_back(string.c_str());
        }
        return names.data();
    }

    const char *text_of(const Place &place)
    {
        return place.node == nullptr ? nullptr
                                     : recording_->model.sources.text_of(*place.node).c_str();
    }

    static const char *function_of(const Place &place)
    {
        return place.function == nullptr ? nullptr : place.function->c_str();
    }

    htp_shim_node describe(const RecordedNode &recorded)
    {
        htp_shim_node node = {};
        node.kind = recorded.kind.c_str();
        node.inputs = recorded.inputs.data();
        node.input_count = static_cast<uint32_t>(recorded.inputs.size());
        node.input_names = list(recorded.input_names);
        const std::vector<std::string> types = loaded_types(recorded.kind);
        if (!types.empty()) {
            types_.push_back(types);
            node.input_types = list(types_.back());
        }
        node.block = recorded.block;
        node.blocks = recorded.blocks.data();
        node.block_count = static_cast<uint32_t>(recorded.blocks.size());
        node.outputs = recorded.outputs.data();
        node.output_count = static_cast<uint32_t>(recorded.outputs.size());
        node.scope = recorded.place.scope;
        node.source_file = recorded.place.file.c_str();
        node.source_line = recorded.place.line;
        node.source_text = text_of(recorded.place);
        node.function = function_of(recorded.place);
        node.call = recorded.place.call;
        node.failure = recorded.failure.empty() ? nullptr : recorded.failure.c_str();
        return node;
    }

    std::unique_ptr<Recording> recording_;
    std::vector<RecordedState> changed_;
    std::vector<htp_shim_state> states_;
    std::vector<htp_shim_value> values_;
    std::vector<htp_shim_node> nodes_;
    std::vector<htp_shim_block> blocks_;
    std::vector<htp_shim_call> calls_;
    std::deque<std::vector<uint32_t>> ids_;
    std::deque<std::vector<const char *>> names_;
    std::deque<std::vector<std::string>> types_;
    std::vector<uint32_t> inputs_;
    std::vector<uint32_t> outputs_;
    htp_shim_trace view_ = {};
};

} // namespace

namespace
{

// One run of the method.
struct Run {
    Model &model;
    const std::vector<htp_shim_input> &inputs;
    uint32_t lane_count;
    const CarriedStates &carried;
    const std::function<bool(uint64_t)> &tick;
    bool prefers_loops = false;
    Holders early = {}; // attributes that are read before anything runs
};

// @return nullptr where attributes are to be read earlier, which the run then says
std::unique_ptr<Trace> trace_once(Run &run)
{
    auto recording = std::make_unique<Recording>(run.model, run.lane_count);
    Interpreter interpreter(*recording, run.tick, run.prefers_loops);
    const std::vector<Ref> arguments = make_arguments(*recording, run.inputs);
    std::vector<Ref> given;
    for (const Ref &argument : arguments) {
        given.push_back(as_given(*recording, argument));
    }
    try {
        interpreter.load_early(run.early);
        const std::vector<Ref> outputs = interpreter.run(run.model.method, arguments, run.carried);
        std::vector<RecordedState> states = interpreter.states(run.carried);
        return std::make_unique<Handover>(std::move(recording), given, outputs, std::move(states));
    } catch (const NeedsEarlier &) {
        run.early.insert(interpreter.late().begin(), interpreter.late().end());
        return nullptr;
    } catch (const BadInputs &refusal) {
        const std::vector<Ref> none;
        throw Refused(refusal, std::make_unique<Handover>(std::move(recording), given, none,
                                                          std::vector<RecordedState>()));
    }
}

std::unique_ptr<Trace> trace_early(Run &run)
{
    std::unique_ptr<Trace> trace;
    while (trace == nullptr) {
        trace = trace_once(run);
    }
    return trace;
}

} // namespace

std::unique_ptr<Trace> trace_forward(Model &model, const std::vector<htp_shim_input> &inputs,
                                     uint32_t lane_count, const CarriedStates &carried,
                                     const std::function<bool(uint64_t)> &tick)
{
    register_meta_kernels();
    const at::NoGradGuard no_grad;
    Run run = {model, inputs, lane_count, carried, tick};
    try {
        return trace_early(run);
    } catch (const TooManyForks &) {
        run.prefers_loops = true;
        return trace_early(run);
    }
}

} // namespace htp
