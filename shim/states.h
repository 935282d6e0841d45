// What outlives a call of the method: attributes that it changes, and what they are when the next
// call begins.
#pragma once

#include "item.h"

#include <ATen/core/ivalue.h>
#include <htp/shim.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace htp
{

// What a call left in an attribute, or a part of it, but for what only the data tells.
struct StateImage {
    Item::Kind kind = Item::Kind::Plain;
    std::array<c10::IValue, HTP_SHIM_MAX_LANES> lane = {}; // of a number, string or None
    bool is_known = true;                                  // a number that constants and sizes tell
    bool is_constant = true;                               // constants alone
    at::ScalarType dtype = at::kFloat;
    std::array<std::vector<int64_t>, HTP_SHIM_MAX_LANES> sizes = {}; // of a tensor
    bool is_shared = false;   // another attribute has the tensor's memory, too
    bool is_archived = false; // the memory is the archive's, changed in place
    std::vector<StateImage> parts = {};
};

using Attribute = std::pair<const c10::ivalue::Object *, size_t>; // an object's slot

// Thrown where a branch or loop changes what an attribute held that was first read within it.
struct NeedsEarlier {
};

// A module of the archive, or an object within an attribute of one.
struct Holder {
    c10::intrusive_ptr<c10::ivalue::Object> object;
    uint32_t module = 0;
    std::string path;
};
using Holders = std::map<Attribute, Holder>;

// An attribute that a call changed, or found changed.
struct RecordedState {
    std::string name; // its path
    Holder holder;
    size_t slot = 0;
    Ref loaded; // what the archive has
    Ref before;
    Ref after;
    StateImage left;
};

// What a later call finds, by the attribute's path.
struct CarriedState {
    Holder holder;
    size_t slot = 0;
    StateImage left;
    std::vector<htp_shim_carry> parts; // leaves of the image, depth first
};
using CarriedStates = std::map<std::string, CarriedState>;

} // namespace htp
