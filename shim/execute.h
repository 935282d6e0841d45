// Runs one operator in every lane: on meta tensors, or for real where everything is known.
#pragma once

#include "recording.h"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace htp
{

// Applies @p test to an item, or to every element of a list.
template <typename Test> bool all_of(const Ref &item, Test test)
{
    if (item->kind == Item::Kind::List || item->kind == Item::Kind::Tuple) {
        return std::all_of(item->elements.begin(), item->elements.end(),
                           [&](const Ref &element) { return all_of(element, test); });
    }
    return test(*item);
}

// Whether an operator changes this argument in place.
bool is_written(const c10::Argument &argument);

// Whether an item is a tensor, or holds one.
bool has_tensors(const Ref &item);

// Whether one of them, or an element of it, depends on sizes or numbers that the data decides.
bool has_data(const std::vector<Ref> &inputs);

// An operator with its overload: "aten::add.Tensor".
std::string node_kind(const c10::FunctionSchema &schema);

class Executor
{
  public:
    explicit Executor(Recording &recording) : recording_(recording) {}

    // Runs @p node on @p inputs, records it, and gives its outputs. Throws BadInputs where
    // libtorch raises on these inputs; where it cannot tell the outputs' types, the node is
    // recorded with its failure and its outputs are unknown.
    std::vector<Ref> run(const torch::jit::Node &node, const std::vector<Ref> &inputs,
                         const Place &place);

    // Makes an item an int that only the data can tell, as it may become a size.
    void make_up(Item &item, const std::string &name);
    void make_up(Item &item, const htp_shim_size &size);

    // An operator that the program does not name, with one output.
    Ref run_named(const char *name, const char *overload, const std::vector<Ref> &inputs,
                  const Place &place);

    // The same, with all outputs.
    std::vector<Ref> run_all(const c10::OperatorName &name, const std::vector<Ref> &inputs,
                             const Place &place);

    // Changes of memory are noted from begin_block() on; end_block() takes them back and gives what
    // the older memories held at the end, by their first values.
    using Memories = std::map<uint32_t, Ref>; // by the first value's item
    void begin_block(size_t first_item);
    Memories end_block();

    // What a memory holds now, by its first value; and what it is from now on.
    Ref held(uint32_t first) const;
    void hold(uint32_t first, const Ref &value);

    // Whether two tensors are all of the same memory.
    static bool is_same_memory(const Ref &a, const Ref &b);

    // The first value of the memory that a tensor looks at.
    static uint32_t memory_of(const Ref &tensor);

    // Notes that a tensor may look at the memory whose first value is given: what changes the one
    // may change the other.
    void note_sharing(const Ref &tensor, uint32_t first);

    // Memories that may be one: the number of each one's group, and what else each group holds.
    struct Groups {
        std::vector<size_t> of;
        std::vector<std::vector<uint32_t>> members;
    };
    Groups group(const std::vector<uint32_t> &memories) const;

    // Forgets what a memory holds: it may have been changed under another name.
    void lose(uint32_t first, const std::string &kind, const Place &place);

    // The item that holds what @p item holds now: a tensor that was changed in place, by whatever
    // name or view, is read anew from the newest value of its memory.
    Ref current(const Ref &item, const Place &place);

  private:
    // How operands reach the kernels: no tensors, real tensors, or meta tensors.
    enum class Mode { Values, Real, Meta };

    struct Call {
        const torch::jit::Node *node; // nullptr where no line of the program stands for it
        const c10::FunctionSchema &schema;
        torch::jit::Operation operation;
        const std::vector<Ref> &inputs;
        const Place &place;
        // What the kernel was given, by lane and input: the storages of tensors, of lists' too.
        std::vector<std::vector<std::vector<const void *>>> storages = {};

        bool is_nondeterministic() const
        {
            return node != nullptr && node->isNondeterministic();
        }
        size_t output_count() const
        {
            return node != nullptr ? node->outputs().size() : schema.returns().size();
        }
        c10::TypePtr output_type(size_t index) const
        {
            return node != nullptr ? node->outputs()[index]->type()
                                   : schema.returns()[index].type();
        }
    };
    using Lanes = std::vector<std::vector<c10::IValue>>; // by lane, then output

    struct Change {
        uint64_t epoch;
        Ref latest;
    };
    struct Journal {
        size_t first_item;
        std::vector<std::pair<const Item *, std::optional<Change>>> before = {};
        std::vector<const Item *> refreshed = {};
    };

    void change(const Item *first, const Change &change);
    void refresh(const Item *item, const Ref &seen);

    Lanes run_lanes(Call &call, Mode mode);
    static void run_kernel(Call &call, torch::jit::Stack &stack, Mode mode);
    std::vector<c10::IValue> run_lane(Call &call, Mode mode, size_t lane);
    static std::optional<std::vector<c10::IValue>> run_few_steps(const Call &call,
                                                                 const torch::jit::Stack &given);
    // What stands for a tensor that is argument number @p index, before it is made real.
    using Prepare = at::Tensor (*)(size_t index, const at::Tensor &tensor);
    static std::optional<std::vector<c10::IValue>> try_stand_ins(Call &call, size_t lane, int fill,
                                                                 std::exception_ptr &reason,
                                                                 Prepare prepare = nullptr);
    std::vector<c10::IValue> run_on_stand_ins(Call &call, size_t lane);
    void lay_out(Call &call, Lanes &results);
    static void note_storages(Call &call, const torch::jit::Stack &stack);
    static c10::IValue operand(const Call &call, size_t index, size_t lane, Mode mode);
    Mode choose_mode(Call &call, Lanes &results);
    // Quantised tensors (quantized.cpp).
    struct PackedWeights;
    void find_rounding();
    std::optional<std::vector<Ref>> quantized(const Call &call);
    static void keep_quantization(const Call &call, const std::vector<Ref> &outputs);
    std::vector<Ref> make_like(const Call &call, at::ScalarType type, int64_t last_size);
    std::vector<Ref> quantize(const Call &call);
    std::vector<Ref> dequantize(const Call &call);
    std::vector<Ref> int_repr(const Call &call);
    std::vector<Ref> quantization_number(const Call &call);
    const PackedWeights &unpack(const Ref &object, const char *unpacker);
    std::vector<Ref> packed_linear(const Call &call);
    std::vector<Ref> level_arithmetic(const Call &call);
    std::vector<Ref> cat_levels(const Call &call);
    static bool always_gives_the_same(const Call &call);
    static bool has_no_order(const Call &call);
    bool squeezes_data(const Call &call) const;
    static bool gives_unknown_numbers(const Call &call);
    bool steps(const Call &call, const Lanes &results) const;
    bool is_stepped(const Call &call, const Lanes &results) const;
    bool is_flat(const Call &call, const Lanes &results) const;
    std::string formula(const Call &call) const;
    bool is_covered(const Call &call, int64_t dim) const;
    int64_t flat_dim(const Call &call, const Lanes &results) const;
    std::optional<Lanes> flattened(Call &call, const Lanes &results);
    std::vector<Ref> make_flat(const Call &call, const Lanes &results);
    std::optional<Lanes> decide_sizes(Call &call);
    Lanes lanes_with_size(Call &call, const std::vector<Ref> &inputs, int64_t dim,
                          const htp_shim_size &size);
    Lanes like_first(const Call &call) const;
    std::string identity(const Item &item, int depth) const;
    htp_shim_size size_of(const std::string &what, const std::string &name);
    htp_shim_size count_of(const Ref &mask, const std::string &name);
    htp_shim_size total_of(const Ref &item, const std::string &name);
    htp_shim_size number_in(const Item &item, const std::string &name);
    std::optional<htp_shim_size> total_repeats(const Call &call);
    std::optional<std::vector<Ref>> fitted(const Call &call);
    Ref expanded(const Ref &tensor, const std::vector<int64_t> &sizes, const Place &place);
    std::optional<Lanes> packed(const Call &call);
    std::optional<Lanes> masked(Call &call);
    std::optional<Lanes> moved(Call &call);
    std::optional<Lanes> joined(Call &call);
    std::optional<Lanes> reshaped(Call &call);
    std::optional<Lanes> padded(Call &call) const;
    std::optional<Lanes> met(Call &call);
    void meet(std::vector<Ref> &inputs, int64_t from_end);
    Ref with_size(const Item &tensor, int64_t dim, const Item &model);
    Ref with_size(const Item &tensor, int64_t dim, const htp_shim_size &size);
    std::vector<Ref> make_unknown_numbers(const Call &call);
    static bool fits_real(const Lanes &results);
    std::vector<Ref> make_outputs(const Call &call, Mode mode, const Lanes &results,
                                  bool decides = false);
    static bool knows_empty(const Call &call, size_t output);
    void settle(Item &item);
    Ref make_output(const Lanes &results, size_t index, Mode mode, bool is_constant);
    Ref wrap(const std::vector<c10::IValue> &lanes, Mode mode, bool is_constant);
    std::vector<Ref> fail(const Call &call, const std::string &reason);
    std::vector<Ref> fail_on_data(const Call &call, const std::string &reason);
    uint32_t record(const Call &call, const std::vector<Ref> &outputs, const std::string &failure);
    const char *find_refusal(const Call &call) const;
    std::vector<Ref> run_call(Call &call);
    std::vector<Ref> run_otherwise(Call &call, const std::string &error);
    void note_views(const Call &call, const std::vector<Ref> &outputs);
    bool is_whole_by_chance(const Call &call, const Ref &input) const;
    void note_view(const Call &call, const Ref &tensor, size_t output, size_t element);
    void refuse_lasting_changes(const c10::FunctionSchema &schema, const std::vector<Ref> &inputs,
                                const Place &place);
    void note_changes(const Call &call, const std::vector<Ref> &outputs);
    void note_failed_changes(const Call &call, uint32_t node);
    void lose_behind(const Ref &unknown, const Call &call);
    void write_back(const Ref &written, Ref value, const Place &place);
    Ref put_back(const View &view, const Ref &child, const Ref &value, const Place &place);
    Ref put_back_elements(const View &view, const Ref &value, const Place &place);
    void lose_sharers(const Ref &changed, const Call &call);
    bool has_same_geometry(const Ref &a, const Ref &b) const;
    bool is_whole(const Ref &seen) const;
    Ref look_again(const View &view, const Ref &parent, const Place &place);

    Recording &recording_;
    std::unordered_map<const Item *, Change> changes_;     // by the first value of the memory
    std::unordered_map<const Item *, Ref> refreshed_;      // views, as they were last read anew
    std::unordered_map<std::string, htp_shim_size> sizes_; // by what they are
    std::unordered_map<const void *, std::shared_ptr<const PackedWeights>> packed_; // by object
    bool has_flats_ = false; // some sizes are made up that other lanes may tell (flat_sizes.cpp)
    std::unordered_map<uint32_t, std::vector<uint32_t>> shares_; // memories that may be one
    std::unordered_set<uint32_t> unknown_views_; // nodes that failed and may give views
    std::vector<Journal> journals_;              // of the blocks around, the innermost last
};

} // namespace htp
