// The source of a program, and the memory of everything that it returns.
#pragma once

#include "archive.h"

#include <htp/shim.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace htp
{

// Failures that are not libtorch's own exceptions.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A qualified class name without TorchScript's prefix and mangling.
std::string plain_class_name(const std::string &qualified);
std::string plain_class_name(const c10::ClassType &type);

// A type as people write it: "Tuple[Tensor, int]", "model.State".
std::string type_text(const c10::TypePtr &type);

// The fields of a NamedTuple, "0", "1" of another tuple.
std::vector<std::string> field_names(const c10::TupleType &type);

// Strings and arrays of plain data that live as long as the model.
class Keep
{
  public:
    const char *string(const std::string &text);
    template <typename T> const T *array(const std::vector<T> &values)
    {
        static_assert(std::is_trivially_copyable<T>::value, "its bytes are copied");
        return static_cast<const T *>(copy(values.data(), values.size() * sizeof(T)));
    }

  private:
    // Room at the end of the last chunk of a kind.
    struct Chunks {
        std::vector<std::unique_ptr<std::max_align_t[]>> all;
        char *next = nullptr;
        size_t left = 0; // bytes

        void *take(size_t bytes);
    };

    const void *copy(const void *data, size_t bytes);

    Chunks strings_;
    Chunks arrays_; // alignment
};

struct Model {
    Model(const std::string &path, const htp_shim_contents &contents, const htp_shim_host &host)
        : archive(path, contents, host)
    {
    }

    Model() = default; // without a file

    Archive archive;
    Keep keep;
};

} // namespace htp
