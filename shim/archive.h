// A TorchScript archive whose weights stay unread.
//
// The file is mapped. A large uncompressed storage is a part of the mapping, and costs no memory
// until it is read. libtorch's own loader runs code of the archive in its interpreter, so
// importer.h makes the objects instead.
#pragma once

#include "importer.h"

#include <htp/program.h>

#include <caffe2/serialize/inline_container.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace htp
{

class Archive
{
  public:
    // Maps the file. Throws std::exception.
    Archive(const std::string &path, const htp_shim_contents &contents, const htp_shim_host &host);
    Archive(); // without a file
    ~Archive();
    Archive(const Archive &) = delete;
    Archive &operator=(const Archive &) = delete;

    // Makes the module. Throws std::exception, also when the host stops it.
    void load(const htp_shim_contents &contents, const Restore &restore);

    // Notes that a tensor's storage no longer equals the file.
    void note_change(const at::Tensor &tensor);

    torch::jit::Module &module()
    {
        return module_;
    }

    // Finds the bytes of a tensor's storage: in the mapped file, or in memory.
    void find_bytes(const at::Tensor &tensor, htp_tensor_view &view) const;

    // Whether libtorch may compute with the tensor: its storage is not a page of the file.
    bool is_readable(const at::Tensor &tensor) const;

    // The inputs that a method was traced with, if the archive has them (PyTorch 2); else empty.
    // The tensors have dtypes and sizes, but no contents.
    std::vector<c10::IValue> traced_inputs(const std::string &method);

    struct Mapping;

  private:
    using Reader = caffe2::serialize::PyTorchStreamReader;

    void note_read();
    at::DataPtr read_storage(const std::string &name);
    void check_storage(const at::Tensor &tensor) const;
    bool is_page(const void *address) const;

    std::shared_ptr<Mapping> mapping_;
    std::unique_ptr<Reader> reader_;
    std::unordered_map<std::string_view, const htp_archive_record *> table_;
    Given given_;
    struct Storage {
        uint64_t size;
        const char *record; // its name
    };
    std::unordered_map<const void *, Storage> storages_; // that were read
    std::unordered_set<const void *> changed_;           // pages that __setstate__ wrote to
    torch::jit::Module module_;
};

} // namespace htp
