// What libtorch's compiler takes for the tuples in an archive's code.
//
// Its alias analysis goes through the elements of a tuple's type twice at each level, and through
// what a tuple shares as often as it is there: `t = (t, t)`, thirty times, takes it hours. What
// loops over tuples is compiled once for each element.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/frontend/tree.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace htp
{

class TupleCosts
{
  public:
    // Takes a declaration of a function or class, @p qualifier its module ("__torch__.model").
    // Those of all records are needed: named tuples may lie anywhere.
    void add(const torch::jit::TreeRef &declaration, const std::string &qualifier);

    // Throws std::runtime_error, with the place, for code that would keep the compiler busy. To be
    // called when all is added. @p constant is the cost of what the code may take from elsewhere.
    void check(double constant);

    // That of a value's type.
    static double cost_of_value(const c10::IValue &value);

  private:
    double cost_of_type(const torch::jit::TreeRef &type);
    double cost_of_name(const std::string &name, const torch::jit::TreeRef &place);

    struct NamedTuple {
        std::vector<torch::jit::TreeRef> fields; // their types
        double cost = 0;                         // 0: not known yet
        bool is_under_way = false;
    };

    std::vector<torch::jit::TreeRef> declarations_;
    std::unordered_map<std::string, NamedTuple> named_; // by qualified name
    size_t depth_ = 0;
};

} // namespace htp
