// The TorchScript program as plain data: htp/program.h, filled as it is asked for.
#pragma once

#include "model.h"

#include <htp/program.h>

#include <ATen/core/function_schema.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace htp
{

class Program
{
  public:
    // The method that was chosen, of @p model, which outlives this.
    explicit Program(Model &model);

    // The tables as they are now. load_function, load_slot and reader are the caller's to set.
    htp_program &view()
    {
        return view_;
    }

    // Reads a function; libtorch compiles its code where it has not yet.
    void load_function(uint32_t number);

    // What a slot of an object holds, as data.
    uint32_t load_slot(uint32_t object, uint32_t slot);

  private:
    class Reader;

    // Where a function's code comes from: a function, or the body of a fork.
    struct Code {
        torch::jit::Function *function;
        std::shared_ptr<torch::jit::Graph> graph;
    };

    uint32_t type(const c10::TypePtr &type);
    uint32_t schema(const c10::FunctionSchema &schema);
    uint32_t class_number(const c10::ClassTypePtr &type);
    uint32_t function(const Code &code);
    uint32_t object(const c10::intrusive_ptr<c10::ivalue::Object> &object);
    uint32_t data(const c10::IValue &value, uint32_t weight = HTP_PROGRAM_NONE);
    std::vector<htp_program_argument> arguments(const std::vector<c10::Argument> &declared);
    void renew();

    Model &model_;
    htp_program view_ = {};
    std::vector<htp_program_type> types_;
    std::vector<htp_program_schema> schemas_;
    std::vector<htp_program_data> data_;
    std::vector<htp_program_class> classes_;
    std::vector<htp_program_object> objects_;
    std::vector<htp_program_function> functions_;
    std::vector<c10::TypePtr> kept_types_;                              // whose addresses are keys
    std::vector<c10::intrusive_ptr<c10::ivalue::Object>> kept_objects_; // by object
    std::vector<Code> codes_;                                           // by function
    std::vector<std::unordered_map<uint32_t, uint32_t>> slots_;         // by object: data by slot
    std::unordered_map<const c10::Type *, uint32_t> type_numbers_;
    std::unordered_map<const c10::FunctionSchema *, uint32_t> schema_numbers_;
    std::unordered_map<const c10::Type *, uint32_t> class_numbers_;
    std::unordered_map<const void *, uint32_t> function_numbers_;
    std::unordered_map<const c10::ivalue::Object *, uint32_t> object_numbers_;
};

} // namespace htp
