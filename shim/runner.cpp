#include "runner.h"

#include "kernel_limits.h"
#include "operands.h"
#include "operators.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstdint>

namespace htp
{

// State around all runs of an interpretation.
class Runner::Session
{
  public:
    Session() : silent_(&silence_) {}

  private:
    Silence silence_; // the user did not ask for this run, so its warnings mean nothing
    const WarningGuard silent_;
    const OneThread alone_;
    const at::NoGradGuard no_grad_;
};

Runner::Runner(Model &model, Program &program)
    : model_(model), program_(program), operands_(program, handouts), view_(runner_table(*this))
{
}

Runner::~Runner() = default;

void Runner::begin()
{
    session_.reset();
    session_ = std::make_unique<Session>();
}

void Runner::end()
{
    session_.reset();
}

// ---- runs ---------------------------------------------------------------------------------------

torch::jit::Stack Runner::stack_of(const c10::FunctionSchema &schema, const htp_operand *inputs,
                                   uint32_t count) const
{
    const auto &arguments = schema.arguments();
    torch::jit::Stack stack;
    for (uint32_t i = 0; i < count; i++) {
        const c10::TypePtr declared = i < arguments.size() ? arguments[i].type() : nullptr;
        stack.push_back(operands_.value(inputs[i], declared));
    }
    return stack;
}

namespace
{

bool is_real(const htp_operand &operand)
{
    if (operand.kind == HTP_OPERAND_LIST || operand.kind == HTP_OPERAND_TUPLE) {
        return std::all_of(operand.as.elements, operand.as.elements + operand.count, is_real);
    }
    return operand.kind != HTP_OPERAND_TENSOR || operand.as.tensor->is_real;
}

size_t limit_of(htp_run_mode mode, const htp_operand *inputs, uint32_t count)
{
    switch (mode) {
    case HTP_RUN_AS_IS:
        return std::all_of(inputs, inputs + count, is_real) ? kRealBytes : SIZE_MAX;
    case HTP_RUN_FREE:
    case HTP_RUN_SIZES:
    case HTP_RUN_ELSEWHERE:
    case HTP_RUN_WHOLE:
        return SIZE_MAX;
    default:
        return static_cast<size_t>(kStandInElements) * sizeof(double);
    }
}

at::Tensor without_contents(const at::Tensor &tensor)
{
    require_plain(tensor);
    return meta_like(tensor);
}

} // namespace

// A method without code may change any of its arguments.
void Runner::note_changes(const ProgramOperator &found, const torch::jit::Stack &stack)
{
    for (size_t i = 0; i < stack.size(); i++) {
        const auto &arguments = found.schema->arguments();
        const auto *alias = i < arguments.size() ? arguments[i].alias_info() : nullptr;
        if (found.found == nullptr || (alias != nullptr && alias->isWrite())) {
            map_tensors(stack[i], [this](const at::Tensor &tensor) {
                model_.archive.note_change(tensor);
                return tensor;
            });
        }
    }
}

std::vector<htp_operand> Runner::run(uint32_t schema, htp_run_mode mode, const htp_operand *inputs,
                                     uint32_t count)
{
    ProgramOperator &found = program_.operator_of(schema);
    torch::jit::Operation &operation = found.prepare();
    torch::jit::Stack stack = stack_of(*found.schema, inputs, count);
    const bool has_probes = mode == HTP_RUN_ONES || mode == HTP_RUN_ZEROES;
    for (size_t i = 0; i < stack.size() && has_probes; i++) {
        stack[i] = map_tensors(stack[i], [&](const at::Tensor &tensor) {
            return probe(tensor, mode == HTP_RUN_ONES ? 1 : 0);
        });
    }
    if (mode == HTP_RUN_WHOLE) {
        note_changes(found, stack);
    }
    {
        const at::NoGradGuard no_grad;
        const AllocationLimit limited(limit_of(mode, inputs, count));
        const Elsewhere elsewhere(mode == HTP_RUN_ELSEWHERE);
        operation(stack);
    }
    std::vector<htp_operand> outputs;
    for (const c10::IValue &value : stack) {
        if (mode == HTP_RUN_WHOLE) {
            outputs.push_back(operands_.hand_out(value));
            continue;
        }
        outputs.push_back(
            htp::describe(has_probes ? map_tensors(value, without_contents) : value, handouts));
    }
    return outputs;
}

// ---- tensors ------------------------------------------------------------------------------------

const htp_runner_tensor *Runner::make(const htp_making &making)
{
    return handouts.add(make_tensor(making));
}

const void *Runner::contents(const htp_runner_tensor &described, size_t *bytes)
{
    static const char nothing = 0;
    const at::Tensor &tensor = tensor_of(&described);
    if (tensor.is_meta() || !model_.archive.is_readable(tensor)) {
        return nullptr;
    }
    const at::Tensor packed = tensor.resolve_conj().resolve_neg().contiguous();
    handouts.add(c10::IValue(packed));
    *bytes = packed.nbytes();
    return *bytes == 0 ? &nothing : packed.data_ptr();
}

const htp_runner_tensor *Runner::data(uint32_t number)
{
    const at::Tensor *const tensor = program_.tensor_of(number);
    return tensor == nullptr ? nullptr : &data_.try_emplace(number, *tensor).first->second;
}

// ---- values -------------------------------------------------------------------------------------

namespace
{

using torch::jit::Stack;

Stack evaluate_node(const torch::jit::Node &node, const Stack &inputs)
{
    switch (node.kind()) {
    case torch::jit::prim::GetAttr:
        return {inputs.at(0).toObject()->getAttr(node.s(c10::attr::name))};
    case torch::jit::prim::SetAttr:
        inputs.at(0).toObject()->setAttr(node.s(c10::attr::name), inputs.at(1));
        return {};
    case torch::jit::prim::ListConstruct: {
        const auto &type = node.output()->type()->expectRef<c10::ListType>();
        c10::impl::GenericList list(type.getElementType());
        for (const c10::IValue &input : inputs) {
            list.push_back(input);
        }
        return {std::move(list)};
    }
    case torch::jit::prim::TupleConstruct:
        return {c10::ivalue::Tuple::create(inputs)};
    case torch::jit::prim::DictConstruct: {
        const auto &type = node.output()->type()->expectRef<c10::DictType>();
        c10::impl::GenericDict dict(type.getKeyType(), type.getValueType());
        for (size_t i = 0; i + 1 < inputs.size(); i += 2) {
            dict.insert_or_assign(inputs[i], inputs[i + 1]);
        }
        return {std::move(dict)};
    }
    default: // ListUnpack, TupleUnpack
        return inputs.at(0).isTuple() ? inputs[0].toTupleRef().elements().vec()
                                      : inputs[0].toListRef().vec();
    }
}

} // namespace

std::vector<htp_operand> Runner::evaluate(uint32_t function, uint32_t node,
                                          const htp_operand *inputs, uint32_t count)
{
    Stack values;
    for (uint32_t i = 0; i < count; i++) {
        values.push_back(operands_.value(inputs[i]));
    }
    std::vector<htp_operand> outputs;
    for (const c10::IValue &value : evaluate_node(program_.node_of(function, node), values)) {
        outputs.push_back(operands_.hand_out(value));
    }
    return outputs;
}

htp_operand Runner::describe(const htp_operand &handle)
{
    return htp::describe(operands_.value(handle), handouts);
}

void Runner::restore(const htp_shim_host &host,
                     const c10::intrusive_ptr<c10::ivalue::Object> &object,
                     const c10::IValue &state)
{
    const uint64_t before = handouts.mark();
    const htp_operand given = operands_.hand_out(state);
    htp_error error = {};
    const htp_shim_code code =
        host.restore(host.user, &program_.view(), &view_, program_.object(object), &given, &error);
    handouts.release(before);
    switch (code) {
    case HTP_SHIM_OK:
        return;
    case HTP_SHIM_UNSUPPORTED:
        throw Unsupported(error.message);
    case HTP_SHIM_INTERNAL:
        throw std::bad_alloc();
    default:
        throw std::runtime_error(error.message);
    }
}

bool Runner::is_instance(uint32_t function, uint32_t node, const htp_operand &value) const
{
    const c10::TypePtr type = operands_.value(value).type();
    const auto &wanted = program_.node_of(function, node).tys(c10::attr::types);
    return std::any_of(wanted.begin(), wanted.end(), [&](const c10::TypePtr &candidate) {
        return type->isSubtypeOf(*candidate);
    });
}

const char *Runner::text_of(const htp_operand &operand)
{
    return handouts.add(c10::str(operands_.value(operand))).c_str();
}

const htp_runner_facts &Runner::facts()
{
    if (!facts_) {
        const at::QEngine engine = at::globalContext().qEngine();
        engine_ = at::toString(engine);
        facts_ = std::make_unique<htp_runner_facts>();
        facts_->knows_engine = engine == at::QEngine::FBGEMM || engine == kX86Engine;
        facts_->engine = engine_.c_str();
        facts_->has_libraries = has_loaded();
        facts_->dtypes = static_cast<int64_t>(at::ScalarType::NumOptions);
        facts_->layouts = static_cast<int64_t>(at::Layout::NumOptions);
        facts_->memory_formats = static_cast<int64_t>(at::MemoryFormat::NumOptions);
    }
    return *facts_;
}

} // namespace htp
