#include "runner.h"

#include "kernel_limits.h"

#include <cstdio>
#include <new>

namespace htp
{

namespace
{

Runner &runner_of(void *self)
{
    return *static_cast<Runner *>(self);
}

void fill(htp_error *error, const char *message)
{
    std::snprintf(error->message, sizeof(error->message), "%s", message);
}

// Whether an error means a missing kernel rather than bad inputs.
bool means_no_meta_kernel(const std::exception &error)
{
    const std::string text = message_of(error);
    return dynamic_cast<const c10::NotImplementedError *>(&error) != nullptr ||
           text.find("'Meta' backend") != std::string::npos ||
           text.find("Meta tensors") != std::string::npos ||
           text.find("meta tensor") != std::string::npos ||
           text.find("overrideable not implemented") != std::string::npos ||
           text.find("device meta") != std::string::npos ||
           text.find("storage of a tensor that does not have storage") != std::string::npos;
}

htp_run_code tell(htp_error *error, const std::exception &problem)
{
    if (dynamic_cast<const Unsupported *>(&problem) != nullptr) {
        fill(error, problem.what());
        return HTP_RUN_UNSUPPORTED;
    }
    fill(error, message_of(problem).c_str());
    if (dynamic_cast<const TooLarge *>(&problem) != nullptr) {
        return HTP_RUN_TOO_LARGE;
    }
    if (dynamic_cast<const std::bad_alloc *>(&problem) != nullptr) {
        return HTP_RUN_NO_MEMORY;
    }
    return means_no_meta_kernel(problem) ? HTP_RUN_NO_KERNEL : HTP_RUN_RAISED;
}

// Runs @p body; an exception becomes a code and a message.
template <typename Body> htp_run_code guard(htp_error *error, Body body)
{
    try {
        try {
            body();
            return HTP_RUN_OK;
        } catch (const std::exception &problem) {
            return tell(error, problem);
        }
    } catch (const std::bad_alloc &) { // of the message
        fill(error, "out of memory");
        return HTP_RUN_NO_MEMORY;
    } catch (...) {
        fill(error, "libtorch threw something unknown");
        return HTP_RUN_RAISED;
    }
}

// The result of @p body, or @p otherwise if it throws; lacks_memory() tells why.
template <typename Value, typename Body> Value guarded(void *self, Value otherwise, Body body)
{
    try {
        return body();
    } catch (const std::bad_alloc &) {
        runner_of(self).lacks_memory = true;
        return otherwise;
    } catch (...) {
        return otherwise;
    }
}

uint32_t find(void *self, const char *name, const char *overload)
{
    return guarded(self, HTP_NONE, [&] { return runner_of(self).find(name, overload); });
}

htp_run_code run(void *self, uint32_t schema, htp_run_mode mode, const htp_operand *inputs,
                 uint32_t input_count, const htp_operand **outputs, uint32_t *output_count,
                 htp_error *error)
{
    *outputs = nullptr;
    *output_count = 0;
    return guard(error, [&] {
        Runner &runner = runner_of(self);
        auto made = runner.run(schema, mode, inputs, input_count);
        const auto count = static_cast<uint32_t>(made.size());
        *outputs = runner.handouts.add(std::move(made));
        *output_count = count;
    });
}

htp_run_code evaluate(void *self, uint32_t function, uint32_t node, const htp_operand *inputs,
                      uint32_t input_count, const htp_operand **outputs, uint32_t *output_count,
                      htp_error *error)
{
    return guard(error, [&] {
        Runner &runner = runner_of(self);
        auto made = runner.evaluate(function, node, inputs, input_count);
        *output_count = static_cast<uint32_t>(made.size());
        *outputs = runner.handouts.add(std::move(made));
    });
}

bool describe_handle(void *self, const htp_operand *handle, htp_operand *described)
{
    return guarded(self, false, [&] {
        *described = runner_of(self).describe(*handle);
        return true;
    });
}

htp_run_code make(void *self, const htp_making *making, const htp_runner_tensor **tensor,
                  htp_error *error)
{
    *tensor = nullptr;
    return guard(error, [&] { *tensor = runner_of(self).make(*making); });
}

const void *contents(void *self, const htp_runner_tensor *tensor, size_t *bytes)
{
    *bytes = 0;
    const void *const none = nullptr;
    return guarded(self, none, [&] { return runner_of(self).contents(*tensor, bytes); });
}

const htp_runner_tensor *data(void *self, uint32_t number)
{
    const htp_runner_tensor *const none = nullptr;
    return guarded(self, none, [&] { return runner_of(self).data(number); });
}

uint32_t keep(void *self, const htp_runner_tensor *tensor)
{
    return guarded(self, HTP_NONE, [&] { return runner_of(self).keep(*tensor); });
}

uint32_t make_object(void *self, uint32_t class_number)
{
    return guarded(self, HTP_NONE, [&] { return runner_of(self).make_object(class_number); });
}

bool is_instance(void *self, uint32_t function, uint32_t node, const htp_operand *value)
{
    return guarded(self, false,
                   [&] { return runner_of(self).is_instance(function, node, *value); });
}

bool is_equal(void *self, const htp_operand *a, const htp_operand *b)
{
    return guarded(self, false, [&] {
        const auto &one = *static_cast<const c10::IValue *>(a->as.other);
        const auto &other = *static_cast<const c10::IValue *>(b->as.other);
        return one.type()->kind() == other.type()->kind() && one == other;
    });
}

const char *text_of(void *self, const htp_operand *operand)
{
    const char *const otherwise = "?";
    return guarded(self, otherwise, [&] { return runner_of(self).text_of(*operand); });
}

const htp_runner_facts *facts(void *self)
{
    static const htp_runner_facts otherwise = {false, false, "an unknown engine", 0, 0, 0};
    return guarded(self, &otherwise, [&] { return &runner_of(self).facts(); });
}

bool lacks_memory(void *self)
{
    return runner_of(self).lacks_memory;
}

void begin(void *self)
{
    runner_of(self).lacks_memory = false;
    guarded(self, false, [&] {
        runner_of(self).begin();
        return true;
    });
}

void end(void *self)
{
    guarded(self, false, [&] {
        runner_of(self).end();
        return true;
    });
}

void drop(void *self, const htp_runner_tensor *tensor)
{
    guarded(self, false, [&] {
        runner_of(self).handouts.drop(*tensor);
        return true;
    });
}

uint64_t mark(void *self)
{
    return guarded(self, UINT64_MAX, [&] { return runner_of(self).handouts.mark(); });
}

void release(void *self, uint64_t mark)
{
    guarded(self, false, [&] {
        runner_of(self).handouts.release(mark);
        return true;
    });
}

} // namespace

htp_runner runner_table(Runner &runner)
{
    htp_runner table = {};
    table.self = &runner;
    table.find = find;
    table.run = run;
    table.evaluate = evaluate;
    table.describe = describe_handle;
    table.make = make;
    table.contents = contents;
    table.data = data;
    table.keep = keep;
    table.make_object = make_object;
    table.is_instance = is_instance;
    table.is_equal = is_equal;
    table.text_of = text_of;
    table.facts = facts;
    table.lacks_memory = lacks_memory;
    table.begin = begin;
    table.end = end;
    table.drop = drop;
    table.mark = mark;
    table.release = release;
    return table;
}

} // namespace htp
