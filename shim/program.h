// The TorchScript program as plain data (htp/program.h), filled on demand.
#pragma once

#include "model.h"

#include <htp/program.h>

#include <ATen/core/function_schema.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace htp
{

// An operator that a schema of the program stands for.
struct ProgramOperator {
    const c10::FunctionSchema *schema;
    const torch::jit::Operator *found;            // nullptr: it is a function's schema, which has
                                                  // an operation if it has no code
    const torch::jit::Node *node;                 // that the operation depends on, or nullptr
    std::shared_ptr<torch::jit::Operator> keeper; // owner of `found`, or nullptr
    std::optional<torch::jit::Operation> operation = {};

    // The operation, made on first use. Throws std::exception.
    torch::jit::Operation &prepare();
};

class Program
{
  public:
    // @p model must outlive this object.
    explicit Program(Model &model);

    // The current tables. The caller sets the functions and the reader.
    htp_program &view()
    {
        return view_;
    }
    const htp_program &view() const
    {
        return view_;
    }

    // Reads a function; libtorch compiles its code if it has not yet.
    void load_function(uint32_t number);

    // The contents of an object's slot, as data.
    uint32_t load_slot(uint32_t object, uint32_t slot);

    // The inputs that a method was traced with, as data; HTP_NONE if unknown.
    uint32_t load_traced_inputs(const std::string &method);

    // A tensor as data, which keeps it.
    uint32_t keep(const at::Tensor &tensor);

    // The schema of an operator by its name and overload; HTP_NONE if there is none.
    uint32_t find_operator(const std::string &name, const std::string &overload);

    // A new object of a class.
    uint32_t make_object(uint32_t class_number);

    // Look-ups by number. They throw std::out_of_range for invalid ones.
    const torch::jit::Node &node_of(uint32_t function, uint32_t node) const
    {
        return *nodes_.at(function).at(node);
    }
    const c10::TypePtr &type_of(uint32_t number) const
    {
        return kept_types_.at(number);
    }
    ProgramOperator &operator_of(uint32_t schema)
    {
        return operators_.at(schema);
    }
    const c10::intrusive_ptr<c10::ivalue::Object> &object_of(uint32_t number) const
    {
        return kept_objects_.at(number);
    }
    torch::jit::Function &function_of(uint32_t number) const
    {
        return *codes_.at(number).function;
    }

    // The number of an object.
    uint32_t object(const c10::intrusive_ptr<c10::ivalue::Object> &object);

    // The tensor of a datum, or nullptr.
    const at::Tensor *tensor_of(uint32_t data) const;

  private:
    class Reader;

    // The code of a function: that of libtorch's function, or the body of a fork.
    struct Code {
        torch::jit::Function *function;
        std::shared_ptr<torch::jit::Graph> graph;
    };

    template <typename T> static uint32_t last_of(const std::vector<T> &table)
    {
        return static_cast<uint32_t>(table.size() - 1);
    }

    uint32_t type(const c10::TypePtr &type);
    uint32_t other_type(const c10::TypePtr &own);
    const char *text(const c10::TypePtr &type, const std::vector<uint32_t> &parts);
    uint32_t schema(const c10::FunctionSchema &schema, ProgramOperator stands_for);
    uint32_t schema(const torch::jit::Operator &found, const torch::jit::Node *node,
                    std::shared_ptr<torch::jit::Operator> keeper = nullptr);
    htp_program_schema describe(const c10::FunctionSchema &schema, bool is_function);
    std::vector<htp_program_argument> arguments(const std::vector<c10::Argument> &declared,
                                                bool is_function);
    uint32_t class_number(const c10::ClassTypePtr &type);
    uint32_t function(const Code &code);
    uint32_t add_object(const c10::intrusive_ptr<c10::ivalue::Object> &object);
    uint32_t data(const c10::IValue &value);
    uint32_t container(const c10::IValue &value);
    htp_tensor_view describe(const at::Tensor &tensor);
    void describe_plain(const c10::IValue &value, htp_program_data &described);
    void renew();

    Model &model_;
    htp_program view_ = {};
    std::vector<htp_program_type> types_;
    std::vector<htp_program_schema> schemas_;
    std::vector<htp_program_data> data_;
    std::vector<htp_program_class> classes_;
    std::vector<htp_program_object> objects_;
    std::vector<htp_program_function> functions_;
    std::vector<c10::TypePtr> kept_types_;                              // by type
    std::deque<ProgramOperator> operators_;                             // by schema
    std::vector<c10::ClassTypePtr> kept_classes_;                       // by class
    std::vector<c10::intrusive_ptr<c10::ivalue::Object>> kept_objects_; // by object
    std::vector<Code> codes_;                                           // by function
    std::vector<std::vector<const torch::jit::Node *>> nodes_;          // by function and node
    std::vector<uint32_t> slots_;         // object by object: data, or HTP_NONE
    std::vector<size_t> slot_ends_;       // by object: behind its last slot
    std::deque<c10::IValue> kept_values_; // whose addresses are keys, or returned
    std::unordered_map<const c10::Type *, uint32_t> type_numbers_;
    uint32_t tensor_type_ = HTP_NONE;
    std::unordered_map<const c10::FunctionSchema *, uint32_t> schema_numbers_;
    std::unordered_map<const c10::Type *, uint32_t> class_numbers_;
    std::unordered_map<const void *, uint32_t> function_numbers_;
    std::unordered_map<const c10::ivalue::Object *, uint32_t> object_numbers_;
    std::unordered_map<const void *, uint32_t> container_numbers_; // data
};

} // namespace htp
