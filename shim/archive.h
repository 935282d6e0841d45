// A TorchScript archive whose weights stay unread.
//
// The file is mapped. While it loads, libtorch's CPU allocator answers requests of some size with
// untouched pages, and the reader that libtorch uses skips the copy into such pages and notes
// where in the file the bytes lie. A storage of stored (uncompressed) bytes thus costs no memory.
#pragma once

#include "version.h"

#include <caffe2/serialize/inline_container.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace htp
{

// Bytes that may be read.
struct Bytes {
    const char *data = nullptr;
    uint64_t size = 0;
    bool is_mapped = false; // they lie in the mapped file
};

// Called with what is done of a total; false stops.
using Tick = std::function<bool(uint64_t done, uint64_t total)>;

class Archive
{
  public:
    // Maps and loads the file. Throws std::exception, also when @p tick gives false.
    Archive(const std::string &path, const Tick &tick);
    ~Archive();
    Archive(const Archive &) = delete;
    Archive &operator=(const Archive &) = delete;

    torch::jit::Module &module()
    {
        return module_;
    }

    // The bytes of a tensor's storage: in the mapped file, or in memory.
    Bytes storage_bytes(const at::Tensor &tensor) const;

    // Whether libtorch may compute with the tensor: its storage was read.
    bool is_readable(const at::Tensor &tensor) const;

    // What a method was traced with, where the archive says (PyTorch 2); empty otherwise. The
    // tensors have dtypes and sizes, but no contents.
    std::vector<c10::IValue> traced_inputs(const std::string &method);

    // The archive's format, as it says itself.
    uint64_t format_version() const;

    // Whether there is a record of that name.
    bool has_record(const std::string &name);

    // Contents of an extra file; nullptr when there is none.
    const std::string *extra_file(const std::string &name);

    struct Mapping;

  private:
    using Records = caffe2::serialize::PyTorchStreamReader;

    void find_storages();
    void load(bool leave_unread, const Tick &tick);

    std::shared_ptr<Mapping> mapping_;
    std::unique_ptr<Records> records_; // finds a record without reading the whole directory again
    std::unordered_map<std::string, std::unique_ptr<std::string>> extra_files_;
    torch::jit::Module module_;
};

} // namespace htp
