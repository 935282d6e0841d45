// What a trace has recorded so far: items, nodes and scopes.
#pragma once

#include "item.h"
#include "model.h"
#include "states.h"

#include <ATen/core/function_schema.h>
#include <torch/csrc/jit/ir/ir.h>

#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace htp
{

// Where in the program execution stands.
struct Place {
    uint32_t scope = 0;
    std::string file;
    uint32_t line = 0;
    const torch::jit::Node *node = nullptr;
    const std::string *function = nullptr; // that the node belongs to
    uint32_t call = 0;                     // of that function: calls_made[call - 1]; 0: the method
};

// Thrown where one lane cannot tell a size that the data decides from a fixed one.
struct NeedsLanes {
};

struct RecordedNode {
    std::string kind;
    std::vector<uint32_t> inputs; // items
    std::vector<std::string> input_names;
    std::vector<uint32_t> outputs;
    Place place;
    std::string failure;
    uint32_t block = 0; // that it stands in
    std::vector<uint32_t> blocks = {};
};

// A branch, or the body of a loop: items; HTP_SHIM_NONE for an output that nobody reads.
struct RecordedBlock {
    std::vector<uint32_t> inputs;
    std::vector<uint32_t> outputs;
};

// What a recording held at some time.
struct Mark {
    size_t items;
    size_t nodes;
    size_t scopes;
    size_t blocks;
    size_t calls;
    size_t passed;
    size_t looks;
};

// What a list or dict holds.
struct Contents {
    std::vector<Ref> elements = {};
    Ref stacked = nullptr; // as in an Item
};

Contents contents_of(const Item &list);

// Lists as they were before a block changed them.
struct ListJournal {
    size_t first_item; // older ones are noted
    std::vector<std::pair<Ref, Contents>> lists = {};
};

// Tensors of up to this many elements that follow from sizes and constants alone are computed for
// real; larger ones have no known contents.
constexpr int64_t kRealElements = int64_t{64} * 1024;

class Recording
{
  public:
    Recording(Model &owner, uint32_t lanes) : model(owner), lane_count(lanes) {}

    Model &model;
    const uint32_t lane_count;
    std::vector<Ref> items;
    std::vector<RecordedNode> nodes;
    std::vector<RecordedBlock> blocks = {{}}; // block 0 is forward() itself
    uint32_t block = 0;                       // that is recorded now
    std::vector<ListJournal *> journals;      // of the blocks around, the innermost last
    std::vector<htp_shim_scope> scopes;
    std::vector<htp_shim_passed> passed; // to the scopes, one after the other
    std::vector<Place> calls_made;       // where they stand, in order
    std::vector<uint32_t> calls;         // by module
    std::vector<htp_shim_size> data_sizes;
    struct {
        htp_shim_rounding fake, tensor, channel;
    } rounding = {};    // told where something is rounded to levels
    uint64_t epoch = 0; // mutations so far

    // A new item. Plain values are the same in all lanes.
    Ref make(Item::Kind kind);
    Ref plain(c10::IValue value, bool is_constant = true);
    Ref sequence(Item::Kind kind, std::vector<Ref> elements);

    // A size that the data decides, made up in every lane; @p name lives as long as the model.
    const htp_shim_size &new_size(const std::string &name);

    // An item for a value that is the same in all lanes: lists, tuples and dicts become items of
    // items, tensors constants.
    Ref constant(const c10::IValue &value);

    // Notes what the latest scope was given. @p arguments with self.
    void note_passed(const c10::FunctionSchema &schema, const std::vector<Ref> &arguments);

    // Called before a list changes: nodes that were given it keep what it held.
    void before_change(const Ref &list);

    // Gives a list back what it held, without another word.
    void restore(const Ref &list, Contents contents);

    // Gives a list other contents.
    void fill(const Ref &list, Contents contents);

    // Forgets what was recorded since.
    Mark mark() const;
    void discard(const Mark &mark);

    // The weight in a slot of a module, as a meta tensor (or a real one where it is a buffer of
    // one element).
    Ref weight(uint32_t index);

    // Whether a storage is a constant's of the code, or held by more than an attribute: what a call
    // changes there, the next call reads.
    bool is_state(const void *storage) const;

    // Notes that a tensor's memory is such a one, or that an attribute alone holds a value.
    void note_state(const Item &item);
    void let_change(Item &item);

    // The value in lane @p lane, put together again. @p type tells what a list's elements are,
    // where that is known.
    static c10::IValue value(const Ref &item, size_t lane, const c10::TypePtr &type = nullptr);

    // Whether a dim of a tensor has one size in every lane.
    bool is_fixed(const Item &tensor, int64_t dim) const;

    // Whether dims of two tensors have one size in each lane.
    bool has_same_size(const Item &a, int64_t dim_a, const Item &b, int64_t dim_b) const;

    // "in encoder.layer.0 (model.py:12)".
    std::string describe(const Place &place) const;

  private:
    struct Passing;
    void pass(Passing &passing, const std::string &name, const Ref &item, const c10::TypePtr &type);
    void pass_parts(Passing &passing, const std::string &name, const Item &whole,
                    const c10::TypePtr &type);
    void let_go(const Ref &list);

    int64_t last_prime_ = 7;
    size_t looks_ = 0; // at arguments, beyond those that any call may have
    std::unordered_set<std::string> passed_names_;
    std::unordered_map<uint32_t, Ref> weights_;
    std::unordered_map<const void *, at::Tensor> meta_storages_;
    std::unordered_set<const void *> state_; // storages of the lanes
};

// A tensor without contents of the same geometry.
at::Tensor meta_like(const at::Tensor &tensor);

// Makes a tensor that has no elements in any lane real: there is nothing in it to be unknown.
void settle_empty(Item &item, uint32_t lane_count);

// Takes down the contents of a real tensor that is equal in all lanes.
void note_contents(Item &item, uint32_t lane_count);

} // namespace htp
