// Makes the module of an archive: its code becomes libtorch's graphs, its pickles objects.
//
// This is what torch::jit::load does, but for __setstate__ methods, which libtorch runs in its
// interpreter, with all that an operator may do to the machine: they are followed by restore.h.
#pragma once

#include "version.h"

#include <htp/shim.h>

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/unpickler.h>

#include <functional>
#include <string>

namespace htp
{

// What the importer needs of an archive.
struct ArchiveAccess {
    caffe2::serialize::PyTorchStreamReader &records;
    const htp_shim_contents &contents;
    std::function<at::DataPtr(const std::string &record)> read_storage;
    std::function<void(const at::Tensor &)> check_storage; // throws where it is not in its record
    std::function<void(const at::Tensor &)> note_change;   // of a storage's bytes
    std::function<bool()> go_on;
};

// Reads NAME.pkl, whose storages are records below NAME/.
c10::IValue read_pickle(caffe2::serialize::PyTorchStreamReader &records, const std::string &name,
                        torch::jit::TypeResolver find_type, torch::jit::ObjLoader make_object,
                        const std::function<at::DataPtr(const std::string &key)> &read_storage);

// Throws Unsupported where objects cannot be made without doing what no file may do, another
// std::exception where the archive is not as it should be.
torch::jit::Module import_module(const ArchiveAccess &access);

} // namespace htp
