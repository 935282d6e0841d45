// The C ABI: no libtorch type and no exception crosses it.
#include "kernel_limits.h"
#include "operators.h"
#include "program.h"
#include "runner.h"
#include "version.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <cstdio>
#include <new>
#include <stdexcept>

struct htp_shim_model {
    htp_shim_model(const char *path, const htp_shim_contents &contents, const htp_shim_host &host)
        : model(path, contents, host)
    {
    }
    htp_shim_model() = default; // without a file

    // Loads the modules.
    void load(const htp_shim_contents &contents, const htp_shim_host &host);

    // The program, and the runner of its operators, on first use.
    htp::Program &find_program();
    htp::Runner &find_runner();

    htp::Model model;
    std::unique_ptr<htp::Program> program;
    std::unique_ptr<htp::Runner> runner;
};

namespace
{

void fill(htp_error *error, const std::string &message)
{
    std::snprintf(error->message, sizeof(error->message), "%s", message.c_str());
}

// Runs @p body; an exception becomes a code and a message. @p otherwise is the code of libtorch's
// own exceptions.
template <typename Body> htp_shim_code guard(htp_error *error, htp_shim_code otherwise, Body body)
{
    try {
        htp::Silence silence; // the user did not ask for this run, so its warnings mean nothing
        const htp::WarningGuard silent(&silence);
        body();
        return HTP_SHIM_OK;
    } catch (const htp::Unsupported &problem) {
        fill(error, problem.what());
        return HTP_SHIM_UNSUPPORTED;
    } catch (const std::bad_alloc &) {
        fill(error, "out of memory");
        return HTP_SHIM_INTERNAL;
    } catch (const std::logic_error &problem) { // such as "stoll", from the C++ library
        fill(error, std::string("libtorch stops with \"") + problem.what() + "\" and says no more");
        return otherwise;
    } catch (const std::exception &problem) {
        fill(error, htp::message_of(problem));
        return otherwise;
    } catch (...) {
        fill(error, "libtorch threw something unknown");
        return otherwise;
    }
}

htp::Program &program_of(const htp_program *program)
{
    return *static_cast<htp::Program *>(program->reader);
}

htp_shim_code load_function(const htp_program *program, uint32_t function, htp_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL, [&] { program_of(program).load_function(function); });
}

htp_shim_code load_slot(const htp_program *program, uint32_t object, uint32_t slot, uint32_t *data,
                        htp_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL,
                 [&] { *data = program_of(program).load_slot(object, slot); });
}

void find_source(const htp_program *program, uint32_t function, uint32_t node,
                 htp_program_source *source)
{
    *source = {"", 0, 0, 0};
    htp_error ignored;
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

htp_shim_code load_traced_inputs(const htp_program *program, const char *method, uint32_t *data,
                                 htp_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL,
                 [&] { *data = program_of(program).load_traced_inputs(method); });
}

htp_shim_code open_model(const char *path, const htp_shim_contents *contents,
                         const htp_shim_host *host, htp_shim_model **model, htp_error *error)
{
    *model = nullptr;
    return guard(error, HTP_SHIM_NOT_MODEL, [&] {
        const htp::OneThread alone;
        const htp::GuardedReading guarded(*host);
        auto opened = std::make_unique<htp_shim_model>(path, *contents, *host);
        opened->load(*contents, *host);
        *model = opened.release();
    });
}

htp_shim_code open_empty(htp_shim_model **model, htp_error *error)
{
    *model = nullptr;
    return guard(error, HTP_SHIM_INTERNAL, [&] { *model = new htp_shim_model(); });
}

htp_shim_code evaluate_model(htp_shim_model *model, htp_error *error)
{
    return guard(error, HTP_SHIM_NOT_MODEL, [&] { model->model.archive.module().eval(); });
}

void close_model(htp_shim_model *model)
{
    delete model;
}

htp_program *find_program(htp_shim_model *model)
{
    return &model->find_program().view();
}

htp_shim_code find_runner(htp_shim_model *model, const htp_runner **runner, htp_error *error)
{
    *runner = nullptr;
    return guard(error, HTP_SHIM_NOT_MODEL, [&] { *runner = &model->find_runner().view(); });
}

htp_shim_code open_library(const char *path, htp_error *error)
{
    return guard(error, HTP_SHIM_BAD_INPUTS, [&] { htp::load_library(path); });
}

htp_shim_code add_meta_kernels(const htp_meta_kernels *kernels, htp_error *error)
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
        made.load_traced_inputs = load_traced_inputs;
        made.find_source = find_source;
        made.reader = program.get();
    }
    return *program;
}

htp::Runner &htp_shim_model::find_runner()
{
    if (!runner) {
        runner = std::make_unique<htp::Runner>(model, find_program());
    }
    return *runner;
}

// Facts about objects that are being restored become invalid afterwards.
void htp_shim_model::load(const htp_shim_contents &contents, const htp_shim_host &host)
{
    model.archive.load(contents, [&](const auto &object, const c10::IValue &state) {
        find_runner().restore(host, object, state);
    });
    runner.reset();
    program.reset();
    (void)find_program().object(model.archive.module()._ivalue());
}

// Makes failed allocations throw. Without a handler, an operator new that is written in C, such as
// mimalloc's, aborts the process.
static void throw_without_memory()
{
    if (std::get_new_handler() == nullptr) {
        std::set_new_handler([] { throw std::bad_alloc(); });
    }
}

extern "C" __attribute__((visibility("default"))) const htp_shim *htp_shim_open(uint32_t abi)
{
    throw_without_memory();
    static const htp_shim shim = {
        HTP_SHIM_ABI,   HTP_LIBTORCH_VERSION, open_model,       open_empty,
        evaluate_model, close_model,          has_operator,     open_library,
        find_program,   find_runner,          add_meta_kernels,
    };
    return abi == HTP_SHIM_ABI ? &shim : nullptr;
}
