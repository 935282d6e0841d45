// The C ABI: no libtorch type and no exception crosses it.
#include "archived_inputs.h"
#include "guarded_operators.h"
#include "inlined_calls.h"
#include "libraries.h"
#include "program.h"
#include "recording.h"
#include "text_budget.h"
#include "trace.h"
#include "version.h"

#include <ATen/Parallel.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <cstdio>
#include <new>
#include <optional>
#include <stdexcept>

struct htp_shim_model {
    htp_shim_model(const char *path, const htp_shim_contents &contents, const htp::Tick &tick)
        : model(path, contents, tick)
    {
    }

    htp::Model model;
    std::shared_ptr<htp::Trace> trace;
    std::shared_ptr<htp::Trace> first;          // trace of a first call
    std::unique_ptr<htp::InlinedCalls> inlined; // of this trace
    std::optional<std::vector<htp_shim_input>> archived_inputs;
    std::unique_ptr<htp::Program> program; // of the method
};

namespace
{

void fill(htp_shim_error *error, const std::string &message)
{
    std::snprintf(error->message, sizeof(error->message), "%s", message.c_str());
}

// Kernels run on small stand-ins, where threads would mostly wait for each other. The number is one
// of the calling thread; a host's own comes back.
class OneThread
{
  public:
    OneThread() : before_(at::get_num_threads())
    {
        set(1);
    }
    ~OneThread()
    {
        set(before_);
    }
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;

  private:
    void set(int count) const
    {
        if (before_ != 1) {
            at::set_num_threads(count);
        }
    }

    int before_;
};

// Runs @p body; an exception becomes a code and a line. @p otherwise is the code of libtorch's own
// exceptions.
template <typename Body>
htp_shim_code guard(htp_shim_error *error, htp_shim_code otherwise, Body body)
{
    try {
        htp::Silence silence; // no warning speaks of what was asked for
        const htp::WarningGuard silent(&silence);
        body();
        return HTP_SHIM_OK;
    } catch (const htp::NeedsLanes &) {
        fill(error, "a size depends on the data");
        return HTP_SHIM_NEEDS_LANES;
    } catch (const htp::Unsupported &problem) {
        fill(error, problem.what());
        return HTP_SHIM_UNSUPPORTED;
    } catch (const htp::BadInputs &problem) {
        fill(error, problem.what());
        return HTP_SHIM_BAD_INPUTS;
    } catch (const std::bad_alloc &) {
        fill(error, "out of memory");
        return HTP_SHIM_INTERNAL;
    } catch (const std::logic_error &problem) { // such as "stoll", of C++'s library
        fill(error, std::string("libtorch stops with \"") + problem.what() + "\" and says no more");
        return otherwise;
    } catch (const std::exception &problem) {
        fill(error, htp::first_line(problem));
        return otherwise;
    } catch (...) {
        fill(error, "libtorch threw something unknown");
        return otherwise;
    }
}

// libtorch's reason, and what to do where the file needs an operator that nobody registered.
std::string opening_failure(const std::string &message)
{
    static const std::string unknown = "Unknown builtin op: ";
    const size_t found = message.find(unknown);
    if (found == std::string::npos) {
        return message;
    }
    const bool is_own = message.compare(found + unknown.size(), 6, "aten::") == 0;
    const std::string plain = message.substr(0, message.find_last_not_of('.') + 1);
    return plain + (is_own ? ": this libtorch does not have it; a newer one may"
                           : ": pass the library that registers it with --load-library");
}

htp_shim_code open_model(const char *path, const htp_shim_contents *contents, htp_shim_tick tick,
                         void *user, htp_shim_model **model, htp_shim_error *error)
{
    *model = nullptr;
    const htp_shim_code code = guard(error, HTP_SHIM_NOT_MODEL, [&] {
        const OneThread alone;
        htp::guard_operators();
        const htp::TextBudget bounded;
        const htp::CheckWhileReading checked;
        *model = new htp_shim_model(path, *contents, [&](uint64_t done, uint64_t total) {
            return tick == nullptr || tick(user, done, total);
        });
    });
    if (code == HTP_SHIM_NOT_MODEL) {
        fill(error, opening_failure(error->message));
    }
    return code;
}

void close_model(htp_shim_model *model)
{
    delete model;
}

void list_modules(const htp_shim_model *model, const htp_shim_module **modules, uint32_t *count)
{
    *modules = model->model.modules.data();
    *count = static_cast<uint32_t>(model->model.modules.size());
}

void list_weights(const htp_shim_model *model, const htp_shim_weight **weights, uint32_t *count)
{
    *weights = model->model.weights.data();
    *count = static_cast<uint32_t>(model->model.weights.size());
}

void list_arguments(const htp_shim_model *model, const htp_shim_argument **arguments,
                    uint32_t *count)
{
    *arguments = model->model.arguments.data();
    *count = static_cast<uint32_t>(model->model.arguments.size());
}

htp_shim_code list_archived_inputs(htp_shim_model *model, const htp_shim_input **inputs,
                                   uint32_t *count, htp_shim_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL, [&] {
        if (!model->archived_inputs) {
            model->archived_inputs = htp::find_archived_inputs(model->model);
        }
        *inputs = model->archived_inputs->data();
        *count = static_cast<uint32_t>(model->archived_inputs->size());
    });
}

const char *find_extra_file(htp_shim_model *model, const char *name, size_t *bytes)
{
    try {
        const std::string *contents = model->model.archive.extra_file(name);
        *bytes = contents ? contents->size() : 0;
        return contents ? contents->c_str() : nullptr;
    } catch (const std::exception &) {
        *bytes = 0;
        return nullptr;
    }
}

// What the last trace left, as the states are said to be carried.
htp::CarriedStates carried_states(const htp_shim_model &model, const htp_shim_carried *carried,
                                  uint32_t count)
{
    htp::CarriedStates states;
    for (uint32_t i = 0; i < count; i++) {
        const std::vector<htp_shim_carry> parts(carried[i].parts,
                                                carried[i].parts + carried[i].part_count);
        for (const htp::RecordedState &state :
             model.trace ? model.trace->states() : std::vector<htp::RecordedState>()) {
            if (state.name == carried[i].name) {
                states[state.name] = {state.holder, state.slot, state.left, parts};
            }
        }
        if (states.count(carried[i].name) == 0) {
            throw std::runtime_error("a state is carried that the last trace did not have");
        }
    }
    return states;
}

htp_shim_code trace_model(htp_shim_model *model, const htp_shim_input *inputs, uint32_t input_count,
                          uint32_t lane_count, const htp_shim_carried *carried,
                          uint32_t carried_count, htp_shim_tick tick, void *user,
                          const htp_shim_trace **trace, htp_shim_error *error)
{
    *trace = nullptr;
    return guard(error, HTP_SHIM_INTERNAL, [&] {
        const OneThread alone;
        const htp::TextBudget bounded;
        const htp::CarriedStates states = carried_states(*model, carried, carried_count);
        model->inlined.reset();
        model->trace.reset();
        model->first = carried_count > 0 ? model->first : nullptr;
        if (lane_count < 1 || lane_count > HTP_SHIM_MAX_LANES) {
            throw std::runtime_error("a trace has 1 to 4 lanes");
        }
        const std::vector<htp_shim_input> given(inputs, inputs + input_count);
        const auto go_on = [&](uint64_t done) { return tick == nullptr || tick(user, done, 0); };
        try {
            model->trace = htp::trace_forward(model->model, given, lane_count, states, go_on);
            model->first = carried_count > 0 ? model->first : model->trace;
            *trace = &model->trace->view();
        } catch (const htp::Refused &refusal) {
            model->trace = refusal.trace;
            *trace = &model->trace->view();
            throw;
        }
    });
}

htp_shim_code inline_calls(htp_shim_model *model, htp_shim_tick tick, void *user,
                           const htp_shim_inlined **inlined, htp_shim_error *error)
{
    *inlined = nullptr;
    return guard(error, HTP_SHIM_INTERNAL, [&] {
        if (!model->trace) {
            throw std::runtime_error("there is no trace");
        }
        const auto go_on = [&](uint64_t done) { return tick == nullptr || tick(user, done, 0); };
        model->inlined =
            std::make_unique<htp::InlinedCalls>(model->model, model->trace->recording(), go_on);
        *inlined = &model->inlined->view();
    });
}

htp_shim_code choose_method(htp_shim_model *model, const char *module, const char *name,
                            htp_shim_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL, [&] { model->model.choose_method(module, name); });
}

htp::Program &program_of(const htp_program *program)
{
    return *static_cast<htp::Program *>(program->reader);
}

htp_shim_code load_function(const htp_program *program, uint32_t function, htp_shim_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL, [&] { program_of(program).load_function(function); });
}

htp_shim_code load_slot(const htp_program *program, uint32_t object, uint32_t slot, uint32_t *data,
                        htp_shim_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL,
                 [&] { *data = program_of(program).load_slot(object, slot); });
}

htp_shim_code find_program(htp_shim_model *model, const htp_program **program,
                           htp_shim_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL, [&] {
        if (!model->program) {
            model->program = std::make_unique<htp::Program>(model->model);
            htp_program &made = model->program->view();
            made.load_function = load_function;
            made.load_slot = load_slot;
            made.reader = model->program.get();
        }
        *program = &model->program->view();
    });
}

htp_shim_code list_facts(htp_shim_model *model, htp_shim_facts *facts, htp_shim_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL, [&] { *facts = model->model.facts(); });
}

htp_shim_code open_library(const char *path, htp_shim_error *error)
{
    return guard(error, HTP_SHIM_BAD_INPUTS, [&] { htp::load_library(path); });
}

bool has_operator(const char *kind)
{
    try {
        const auto name = torch::jit::parseName(kind);
        for (const auto &known :
             torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name.name))) {
            if (known->schema().overload_name() == name.overload_name) {
                return true;
            }
        }
    } catch (const std::exception &) {
        return false;
    }
    return false;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const htp_shim *htp_shim_open(uint32_t abi)
{
    static const htp_shim shim = {
        HTP_SHIM_ABI,    HTP_LIBTORCH_VERSION, open_model,     close_model,
        list_modules,    list_weights,         list_arguments, list_archived_inputs,
        find_extra_file, trace_model,          has_operator,   open_library,
        choose_method,   find_program,         list_facts,     inline_calls,
    };
    return abi == HTP_SHIM_ABI ? &shim : nullptr;
}
