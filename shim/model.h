// A loaded model: its archive, and its modules, weights and arguments as plain data.
#pragma once

#include "archive.h"

#include <htp/shim.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace htp
{

// Failures that are not libtorch's own exceptions.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct BadInputs : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// A qualified class name without TorchScript's prefix and mangling.
std::string plain_class_name(const std::string &qualified);
std::string plain_class_name(const c10::ClassType &type);

// A type as people write it: "Tuple[Tensor, int]", "model.State".
std::string type_text(const c10::TypePtr &type);

// The fields of a NamedTuple, "0", "1" of another tuple.
std::vector<std::string> field_names(const c10::TupleType &type);

htp_dtype dtype_of(at::ScalarType type);

// Strings and arrays of plain data that live as long as the model.
class Keep
{
  public:
    const char *string(const std::string &text)
    {
        return strings_.emplace_back(text).c_str();
    }
    template <typename T> const T *array(const std::vector<T> &values)
    {
        static_assert(std::is_trivially_copyable<T>::value, "its bytes are copied");
        return static_cast<const T *>(copy(values.data(), values.size() * sizeof(T)));
    }

  private:
    const void *copy(const void *data, size_t bytes);

    std::deque<std::string> strings_;
    std::vector<std::unique_ptr<std::max_align_t[]>> chunks_;
    size_t size_ = 0; // of the last chunk
    size_t left_ = 0; // at its end
};

class Model
{
  public:
    Model(const std::string &path, const htp_shim_contents &contents, const htp_shim_host &host);

    Archive archive;
    Keep keep;
    std::vector<htp_shim_module> modules;
    std::vector<htp_shim_weight> weights;
    std::vector<at::Tensor> weight_tensors;   // by weight
    std::string method;                       // that is traced; "" until it is chosen
    std::vector<htp_shim_argument> arguments; // of the method

    // Chooses the method, and describes its arguments.
    // @param module  a path of the module that has it, "" for the root
    void choose_method(const std::string &module, const std::string &name);

    // The method with its schema: argument 0 is self.
    torch::jit::Function &function() const
    {
        return owner().get_method(method).function();
    }

    // The module that has the method, and its number.
    const torch::jit::Module &owner() const
    {
        return instances_[owner_];
    }
    uint32_t owner_number() const
    {
        return owner_;
    }

    // The methods of that module.
    std::vector<std::string> methods() const;

    // What the archive says of itself and of the method.
    htp_shim_facts facts();

    // The module of an object; HTP_SHIM_NONE when it is no module of this model.
    uint32_t module_of(const c10::ivalue::Object *object) const;

    // The weight in a slot of an object; HTP_SHIM_NONE when there is none.
    uint32_t weight_of(const c10::ivalue::Object *object, size_t slot) const;

    // Describes a tensor as a weight.
    htp_shim_weight describe(const at::Tensor &tensor, const std::string &name);

  private:
    void add_modules();
    void add_weights(uint32_t module, const torch::jit::Module &instance);
    htp_shim_argument describe(const std::string &name, const c10::TypePtr &type, int depth,
                               size_t &items);
    void add_items(htp_shim_argument &argument, const c10::TypePtr &type, int depth, size_t &items);

    uint32_t find_module(const std::string &path) const;

    std::vector<torch::jit::Module> instances_; // by module
    uint32_t owner_ = 0;                        // of the method
    std::unordered_map<const c10::ivalue::Object *, uint32_t> by_object_;
    std::unordered_map<const c10::ivalue::Object *, std::unordered_map<size_t, uint32_t>> slots_;
    std::unordered_map<const void *, uint64_t> storages_;
};

} // namespace htp
