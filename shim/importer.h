// Makes the module of an archive: its code becomes libtorch's graphs, its pickles objects.
//
// This is what torch::jit::load does, but for __setstate__ methods, which libtorch runs in its
// interpreter, with all that an operator may do to the machine: the host follows them.
#pragma once

#include "version.h"

#include <htp/shim.h>

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/unpickler.h>

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace htp
{

// Gives an object its attributes by its __setstate__(state). Throws Unsupported for what is not
// followed, another std::exception where the method raises.
using Restore = std::function<void(const c10::intrusive_ptr<c10::ivalue::Object> &object,
                                   const c10::IValue &state)>;

// Bytes that stand for records in the place of those in the file, by name.
using Given = std::unordered_map<std::string_view, std::string_view>;

// The records of an archive.
struct Records {
    caffe2::serialize::PyTorchStreamReader &reader;
    const Given &given;
};

// What the importer needs of an archive.
struct ArchiveAccess {
    const Records records;
    const htp_shim_contents &contents;
    std::function<at::DataPtr(const std::string &record)> read_storage;
    std::function<void(const at::Tensor &)> check_storage; // throws where it is not in its record
    std::function<void()> note_read; // of what the core read; throws where the host stops it
    Restore restore;
};

// Reads NAME.pkl, whose storages are records below NAME/.
c10::IValue read_pickle(const Records &records, const std::string &name,
                        torch::jit::TypeResolver find_type, torch::jit::ObjLoader make_object,
                        const std::function<at::DataPtr(const std::string &key)> &read_storage);

// Throws Unsupported where objects cannot be made without doing what no file may do, another
// std::exception where the archive is not as it should be.
torch::jit::Module import_module(const ArchiveAccess &access);

} // namespace htp
