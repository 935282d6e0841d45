// Values of the abstract execution.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>
#include <htp/shim.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace htp
{

struct Item;
using Ref = std::shared_ptr<Item>;

// How a tensor looks at another one's memory: as an output of an operator on it.
struct View {
    Ref parent;
    c10::OperatorName name;
    std::vector<Ref> inputs;
    size_t depth;                       // 1 for a view of a tensor that is no view
    size_t input;                       // which of them is the parent
    size_t output;                      // which of the outputs is the tensor
    size_t element = std::string::npos; // and which element of it, where that is a list
};

// What the levels of a quantised tensor stand for: constants, of all elements or of each channel.
struct Quantization {
    Ref scale;
    Ref zero_point;
    int32_t axis = -1;
};

// What one value is in every lane. Lists, tuples and dicts hold Items, so that the identity of
// what they hold is kept; a list is shared by reference, as in TorchScript.
struct Item {
    enum class Kind { Plain, Tensor, List, Tuple, Dict, Object, Unknown };

    Kind kind = Kind::Plain;
    uint32_t id = 0;
    uint32_t producer = HTP_SHIM_NONE; // node
    std::string name;

    // Plain (None, numbers, strings, devices, functions) and tensors: the value in each lane.
    // A float or bool that only the data can tell has has_lanes == false and a number of its type
    // here; an int has made-up values, which tell where it goes as a size.
    std::array<c10::IValue, HTP_SHIM_MAX_LANES> lane;
    bool has_lanes = true;
    bool is_constant = false; // follows from constants and fixed dims alone
    bool is_data = false;     // its lanes hold what was made up for sizes that the data decides
    bool is_carried = false;  // an earlier call left it, or its size: this one has the same sizes
    bool is_stepped = false;  // a number that may stay the same where sizes differ
    bool is_literal = false;  // a constant that the code holds, rather than an attribute

    // Tensor: lanes hold real contents (small, on the CPU) rather than meta tensors.
    bool is_real = false;
    uint64_t epoch = 0;               // mutations that had happened when it was made
    std::shared_ptr<const View> view; // nullptr: the tensor is all of its memory
    Ref origin;                       // the first value of that memory; nullptr for itself
    uint32_t weight = HTP_SHIM_NONE;
    std::string contents; // bytes of a real constant, taken when it was made
    std::shared_ptr<const Quantization> quantization; // of a tensor of levels: lanes hold integers

    uint32_t birth = 0;      // items that there were when it was made
    bool is_unset = false;   // a value that the program never reads
    bool is_growing = false; // a list that a recorded loop appends to: nothing else may touch it
    bool is_merged = false;  // a list that stands for several: changes of it would be lost on these
    Ref stacked;             // behind the elements: as many more as its first dim tells, or a
                             // sequence of them
    bool is_sequence = false;  // a tensor stands for any number of them, whose sizes it has
    std::set<int64_t> varying; // of a sequence: dims that differ between its tensors
    bool has_numbers = false;  // of a list with stacked elements: they are numbers, no tensors
    bool is_state = false;     // a list or dict of the code: the next call reads it, too
    bool is_late = false;      // held by an attribute that was first read in a branch or loop
    bool is_used = false;      // an input of a recorded node, which keeps the list as it is now
    std::vector<Ref> elements; // List, Tuple; Dict: keys and values in turn

    // Object: a module instance or an object of a script class.
    c10::intrusive_ptr<c10::ivalue::Object> object;
    uint32_t module = HTP_SHIM_NONE;

    bool is_tensor() const
    {
        return kind == Kind::Tensor;
    }
    bool is_container() const
    {
        return kind == Kind::List || kind == Kind::Tuple || kind == Kind::Dict;
    }
    // Whether nothing of it depends on the data: constants, and tensors without elements.
    bool is_settled() const
    {
        return is_constant || (is_tensor() && is_real && tensor(0).numel() == 0);
    }
    bool is_none() const
    {
        return kind == Kind::Plain && lane[0].isNone();
    }
    bool is_number() const
    {
        return kind == Kind::Plain && (lane[0].isInt() || lane[0].isDouble() || lane[0].isBool());
    }
    const at::Tensor &tensor(size_t index) const
    {
        return lane[index].toTensor();
    }
};

} // namespace htp
