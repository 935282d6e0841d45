// The C ABI: no libtorch type and no exception crosses it.
#include "archived_inputs.h"
#include "guarded_operators.h"
#include "libraries.h"
#include "meta_kernels.h"
#include "one_thread.h"
#include "program.h"
#include "runner.h"
#include "text_budget.h"
#include "version.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <cstdio>
#include <new>
#include <optional>
#include <stdexcept>

struct htp_shim_model {
    htp_shim_model(const char *path, const htp_shim_contents &contents, const htp_shim_host &host)
        : model(path, contents, host)
    {
    }

    // The program of the method, once it is asked for.
    htp::Program &find_program();

    htp::Model model;
    std::unique_ptr<htp::Program> program;
    std::unique_ptr<htp::Runner> runner; // of the program
    std::optional<std::vector<htp_shim_input>> archived_inputs;
};

namespace
{

void fill(htp_shim_error *error, const std::string &message)
{
    std::snprintf(error->message, sizeof(error->message), "%s", message.c_str());
}

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

htp_shim_code open_model(const char *path, const htp_shim_contents *contents,
                         const htp_shim_host *host, htp_shim_model **model, htp_shim_error *error)
{
    *model = nullptr;
    const htp_shim_code code = guard(error, HTP_SHIM_NOT_MODEL, [&] {
        const htp::OneThread alone;
        htp::guard_operators();
        const htp::TextBudget bounded;
        const htp::CheckWhileReading checked;
        *model = new htp_shim_model(path, *contents, *host);
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

void find_source(const htp_program *program, uint32_t function, uint32_t node,
                 htp_program_source *source)
{
    *source = {"", 0, 0, 0};
    htp_shim_error ignored;
    guard(&ignored, HTP_SHIM_INTERNAL, [&] {
        const auto range = program_of(program).node_of(function, node).sourceRange();
        const auto &code = range.source();
        if (code && code->filename()) {
            const size_t line =
                code->lineno_to_source_lineno(code->lineno_for_offset(range.start()));
            *source = {code->filename()->c_str(), static_cast<uint32_t>(line), range.start(),
                       range.end()};
        }
    });
}

htp_shim_code find_program(htp_shim_model *model, const htp_program **program,
                           htp_shim_error *error)
{
    *program = nullptr;
    return guard(error, HTP_SHIM_NOT_MODEL, [&] { *program = &model->find_program().view(); });
}

htp_shim_code find_runner(htp_shim_model *model, const htp_runner **runner, htp_shim_error *error)
{
    *runner = nullptr;
    return guard(error, HTP_SHIM_NOT_MODEL, [&] {
        if (!model->runner) {
            model->runner = std::make_unique<htp::Runner>(model->model, model->find_program());
        }
        *runner = &model->runner->view();
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

htp_shim_code add_meta_kernels(const htp_meta_kernels *kernels, htp_shim_error *error)
{
    return guard(error, HTP_SHIM_INTERNAL, [&] { htp::add_meta_kernels(*kernels); });
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

htp::Program &htp_shim_model::find_program()
{
    if (!program) {
        program = std::make_unique<htp::Program>(model);
        htp_program &made = program->view();
        made.load_function = load_function;
        made.load_slot = load_slot;
        made.find_source = find_source;
        made.reader = program.get();
    }
    return *program;
}

extern "C" __attribute__((visibility("default"))) const htp_shim *htp_shim_open(uint32_t abi)
{
    static const htp_shim shim = {
        HTP_SHIM_ABI,    HTP_LIBTORCH_VERSION, open_model,     close_model,
        list_modules,    list_weights,         list_arguments, list_archived_inputs,
        find_extra_file, has_operator,         open_library,   choose_method,
        find_program,    find_runner,          list_facts,     add_meta_kernels,
    };
    return abi == HTP_SHIM_ABI ? &shim : nullptr;
}
