// Makes the module of an archive: its code becomes libtorch's graphs, its pickles objects.
//
// This is torch::jit::load, except for __setstate__ methods: libtorch would run them, and their
// operators may do anything to the machine, so the host interprets them.
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

// Gives an object its attributes by its __setstate__(state). Throws Unsupported if that cannot be
// followed, another std::exception if the method raises.
using Restore = std::function<void(const c10::intrusive_ptr<c10::ivalue::Object> &object,
                                   const c10::IValue &state)>;

// Bytes that replace those of records in the file, by name.
using Given = std::unordered_map<std::string_view, std::string_view>;

// The records of an archive.
struct Records {
    caffe2::serialize::PyTorchStreamReader &reader;
    const Given &given;
};

// Access to an archive.
struct ArchiveAccess {
    const Records records;
    const htp_shim_contents &contents;
    std::function<at::DataPtr(const std::string &record)> read_storage;
    std::function<void(const at::Tensor &)> check_storage; // throws if it exceeds its record
    std::function<void()> note_read; // of records read by the core; throws if the host stops it
    Restore restore;
};

// Reads NAME.pkl, whose storages are records below NAME/.
c10::IValue read_pickle(const Records &records, const std::string &name,
                        torch::jit::TypeResolver find_type, torch::jit::ObjLoader make_object,
                        const std::function<at::DataPtr(const std::string &key)> &read_storage);

// Throws Unsupported if objects cannot be made without forbidden operations, another std::exception
// if the archive is malformed.
torch::jit::Module import_module(const ArchiveAccess &access);

} // namespace htp
