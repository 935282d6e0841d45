// Runs the operators of a program, one at a time: htp/runner.h.
#pragma once

#include "operands.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace htp
{

// Its functions throw std::exception; those of the view do not.
class Runner
{
  public:
    // Both must outlive this object.
    Runner(Model &model, Program &program);
    ~Runner();
    Runner(const Runner &) = delete;
    Runner &operator=(const Runner &) = delete;

    const htp_runner &view() const
    {
        return view_;
    }

    uint32_t find(const char *name, const char *overload)
    {
        return program_.find_operator(name, overload);
    }

    // @return all results of the operator
    std::vector<htp_operand> run(uint32_t schema, htp_run_mode mode, const htp_operand *inputs,
                                 uint32_t count);
    const htp_runner_tensor *make(const htp_making &making);
    const void *contents(const htp_runner_tensor &described, size_t *bytes);

    // nullptr if there is none.
    const htp_runner_tensor *data(uint32_t number);

    uint32_t keep(const htp_runner_tensor &tensor)
    {
        return program_.keep(tensor_of(&tensor));
    }
    uint32_t make_object(uint32_t class_number)
    {
        return program_.make_object(class_number);
    }
    std::vector<htp_operand> evaluate(uint32_t function, uint32_t node, const htp_operand *inputs,
                                      uint32_t count);
    htp_operand describe(const htp_operand &handle);

    // Lets the host give an object its attributes. Throws the host's error.
    void restore(const htp_shim_host &host, const c10::intrusive_ptr<c10::ivalue::Object> &object,
                 const c10::IValue &state);
    bool is_instance(uint32_t function, uint32_t node, const htp_operand &value) const;
    const char *text_of(const htp_operand &operand);
    const htp_runner_facts &facts();
    void begin();
    void end();

    Handouts handouts;         // freed by release()
    bool lacks_memory = false; // since begin(), of a function that cannot say so

  private:
    class Session;
    using Tensors = std::unordered_map<uint32_t, Held>;

    void note_changes(const ProgramOperator &found, const torch::jit::Stack &stack);
    torch::jit::Stack stack_of(const c10::FunctionSchema &schema, const htp_operand *inputs,
                               uint32_t count) const;

    Model &model_;
    Program &program_;
    Operands operands_;
    Tensors data_; // by number; kept
    std::unique_ptr<Session> session_;
    std::unique_ptr<htp_runner_facts> facts_; // on demand
    std::string engine_;
    htp_runner view_;
};

// @p runner is their first argument.
htp_runner runner_table(Runner &runner);

} // namespace htp
