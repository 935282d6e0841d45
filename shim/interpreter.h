// Runs a TorchScript program abstractly: follows calls, branches and loops, keeps lists and
// objects, and hands every operator to the Executor.
#pragma once

#include "execute.h"
#include "states.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace htp
{

// Thrown where branches that cannot meet follow one another: in an unrolled loop, mostly.
struct TooManyForks : Unsupported {
    using Unsupported::Unsupported;
};

class Interpreter
{
  public:
    // @p prefers_loops records loops where it can, although it is known how often they run
    Interpreter(Recording &recording, std::function<bool(uint64_t)> tick,
                bool prefers_loops = false)
        : recording_(recording), executor_(recording), tick_(std::move(tick)),
          longest_unrolled_(prefers_loops ? 0 : kLongLoop)
    {
    }

    // Runs a method of the root module. @p arguments without self; @p carried is what attributes
    // hold instead of what the archive has.
    std::vector<Ref> run(const std::string &method, std::vector<Ref> arguments,
                         const CarriedStates &carried);

    // The attributes that the run changed or found carried, in the order of modules.
    std::vector<RecordedState> states(const CarriedStates &carried);

    // Reads attributes before anything runs: a change within a branch or loop is of what was there
    // before it.
    void load_early(const Holders &attributes);

    // Those that were first read within a branch or loop.
    const Holders &late() const
    {
        return late_;
    }

  private:
    using Node = torch::jit::Node;
    // A function that is running: in which call of a module, and in which call of its own.
    struct Scope {
        uint32_t id = 0;
        uint32_t call = 0;
        const std::string *function = nullptr;
    };
    struct Frame : std::enable_shared_from_this<Frame> {
        std::unordered_map<const torch::jit::Value *, Ref> values;
        Scope scope;
    };
    using Handler = std::vector<Ref> (Interpreter::*)(const Node &, std::vector<Ref> &, Frame &);

    static const std::unordered_map<std::string, Handler> &handlers();
    static const std::unordered_map<std::string, Handler> &container_handlers();
    static const std::unordered_map<std::string, Handler> &grown_handlers();
    static const std::unordered_map<std::string, Handler> &sequence_handlers();
    static const std::unordered_map<std::string, Handler> &
    list_handlers(const std::vector<Ref> &inputs);

    std::vector<Ref> finish(const Place &place, const std::function<std::vector<Ref>()> &run);
    std::vector<Ref> call(torch::jit::Function &function, std::vector<Ref> arguments, Scope scope);
    uint32_t note_call(const Node &node, const Scope &scope);
    std::vector<Ref> run_block(const torch::jit::Block &block, Frame &frame, const Place &place);
    std::vector<Ref> run_from(const Node *node, const torch::jit::Block &block, Frame &frame,
                              const Place &place);
    void run_node(const Node &node, Frame &frame);
    static void set_outputs(const Node &node, const std::vector<Ref> &outputs, Frame &frame);
    std::vector<Ref> read(at::ArrayRef<const torch::jit::Value *> values, Frame &frame,
                          const Place &place);
    Place place_of(const Node &node, const Scope &scope);
    uint32_t enter(uint32_t module, uint32_t caller, uint32_t site);
    void note_argument(const Ref &argument);
    void require_known(const Ref &item) const;
    bool decide(const Ref &condition, const Place &place) const;
    bool is_decided(const Ref &condition) const;
    bool is_taken(const Ref &condition, bool side) const;
    bool check_lists(const std::string &kind, const std::vector<Ref> &inputs,
                     const Place &place) const;
    int64_t dim_of_size(const Item &number) const;
    void learn_size(const Item &condition, bool side);
    std::optional<bool> find_check(const Node &node, const Ref &condition) const;
    int64_t number(const Ref &item, const Place &place) const;
    size_t position(const Ref &list, const Ref &index, const Place &place) const;

    // Branches (branch.cpp, merge.cpp).
    struct Block;
    struct Merge;
    struct Growth;
    struct Apart;
    struct Fork;
    using Attributes = std::map<Attribute, Ref>;
    using Side = std::function<std::vector<Ref>(bool)>;
    using Sizes = std::array<int64_t, HTP_SHIM_MAX_LANES>; // by lane
    using Next = std::function<std::vector<Ref>(const std::vector<Ref> &)>;
    Block run_nested(const std::function<std::vector<Ref>()> &body);
    void read_anew(const ListJournal &journal);
    std::vector<Ref> do_if(const Node &, std::vector<Ref> &, Frame &);
    static constexpr size_t kAllLive = SIZE_MAX;
    static constexpr size_t kMaxForks = 6; // each one doubles what follows
    std::vector<Ref> branch(const Ref &condition, const Place &place, const Side &side,
                            size_t first_local = kAllLive);
    std::vector<Ref> resume(const Fork &fork, const Next &next, size_t first_local = kAllLive);
    std::vector<Ref> join(const Ref &condition, const Place &place, const Block &then,
                          const Block &otherwise, size_t first_local);
    Ref value_after(const Block &block, const Ref &value);
    Contents contents_after(const Block &block, const Ref &list);
    void reach(Merge &all, const Block &block, const Ref &item);
    void reach_all(Merge &all, const Block &block);
    void set_attribute(const Attribute &attribute, const Ref &value);
    Attributes restore_attributes();
    std::vector<std::pair<Ref, Contents>> merge_lists(Merge &all);
    Contents merge_contents(Merge &all, const Ref &list, const Contents &a, const Contents &b);
    Attributes merge_attributes(Merge &all);
    uint32_t record_control(const char *kind, const std::vector<Ref> &inputs,
                            const std::vector<std::string> &names, const std::vector<Ref> &outputs,
                            std::vector<uint32_t> blocks, const Place &place);
    Ref like(const Item &model);
    void resize(Item &item, int64_t dim, const char *name);
    Ref merge(Merge &all, const Ref &a, const Ref &b);
    Ref merge_apart(Merge &all, const Ref &a, const Ref &b);
    Ref merge_containers(Merge &all, const Ref &a, const Ref &b);
    Ref merge_tensors(const Ref &a, const Ref &b);
    void merge_memories(Merge &all);
    std::function<void()> merge_states(Merge &all);

    // Loops (loop.cpp).
    struct Held;
    struct Loop;
    std::vector<Ref> do_loop(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> unroll(const Node &node, const Ref &limit, int64_t i, std::vector<Ref> state,
                            Frame &frame);
    std::vector<Ref> repeat(const Node &node, const Ref &limit, const Ref &condition,
                            std::vector<Ref> carried, int64_t done, Frame &frame);
    std::vector<Ref> peel(const Node &node, const Ref &limit, const Ref &condition,
                          std::vector<Ref> carried, int64_t done, Frame &frame);
    void run_body(Loop &loop, const Node &node, Frame &frame);
    void end_growth(const Loop &loop);
    Ref make_nothing(const Item &model, const Place &place);
    static bool is_dropped(const Loop &loop, size_t leaf);
    htp_shim_size iterations(const Loop &loop, const Ref &limit, const Ref &condition);
    std::vector<Ref> finish_loop(Loop &loop, const Ref &limit, const Ref &condition);
    Ref stack_of(const Ref &element, const htp_shim_size &count);

    // What a loop carries (loop_state.cpp).
    Ref snapshot(const Ref &value);
    static void restart(Loop &loop);
    static void note_growth(Loop &loop, const Growth &growth);
    void begin_held(Loop &loop);
    void put(const Held &held, const Ref &value);
    void begin_body(Loop &loop, const Node &node, Frame &frame);
    void end_body(Loop &loop, std::vector<Ref> &results);
    Ref carry(Loop &loop, const Ref &initial);
    void compare_all(Loop &loop, const Block &block);
    Ref unset_like(const Item &container);
    void note_moved(Loop &loop, size_t k, const Item &result);
    void compare(Loop &loop, const Ref &input, const Ref &result);
    void compare_tensors(Loop &loop, size_t leaf, const Item &input, const Item &result);
    const std::set<Sizes> &sizes_before(Loop &loop) const;
    bool is_fleeting(Loop &loop, const Item &tensor, int64_t dim) const;
    void find_changes(Loop &loop, const Block &block);
    void find_list_change(Loop &loop, const Ref &list, const Contents &after);
    Ref result_of(Loop &loop, size_t &leaf, const Ref &input, std::vector<Ref> &outputs);
    static bool is_kept(const Loop &loop, const Ref &input);

    // What outlives the call (states.cpp).
    const Holder *holder_of(const c10::intrusive_ptr<c10::ivalue::Object> &object);
    void note_holders(const Holder &holder, const std::string &name, const c10::IValue &value);
    Ref loaded(const Attribute &attribute);
    Ref load(const Holder &holder, size_t slot);
    void begin_states(const CarriedStates &carried, const Place &place);
    Ref carried_part(const StateImage &left, const std::string &name,
                     const std::vector<htp_shim_carry> &parts, size_t &next, const Place &place);
    Ref carried_tensor(const StateImage &left, const std::string &name,
                       const htp_shim_carry &carry);
    Ref carried_number(const StateImage &left, const std::string &name, const Place &place);
    Ref open_number(const StateImage &left, const std::string &name);
    std::optional<bool> compare_carried(const std::string &kind,
                                        const std::vector<Ref> &inputs) const;
    static void pass_on_carried(const std::string &kind, const std::vector<Ref> &inputs,
                                const std::vector<Ref> &outputs);
    void note_shared(std::vector<RecordedState> &states);
    void note_archived(RecordedState &state, const CarriedState *carried) const;

    // Constants and calls (interpreter.cpp).
    std::vector<Ref> do_constant(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_call_method(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_call_function(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_fork(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_raise(const Node &, std::vector<Ref> &, Frame &);
    // Objects, values and containers (structure.cpp).
    std::vector<Ref> do_get_attr(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_set_attr(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_create_object(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_same(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_nothing(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_enter(const Node &node, std::vector<Ref> &, Frame &frame);
    std::vector<Ref> do_unset(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_unwrap(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_is(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_is_not(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_isinstance(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_device(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_list_construct(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_tuple_construct(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_dict_construct(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_unpack(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_tuple_slice(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_get_item(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_set_item(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_len(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_append(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_extend(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_pop(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_insert(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_clear(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_reverse(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_items(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_update(const Node &, std::vector<Ref> &, Frame &);
    void set_key(const Ref &dict, const Ref &key, const Ref &value) const;
    std::vector<Ref> do_get(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_make_dict(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_concatenate(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_slice(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_copy_list(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_contains(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_keys(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_dict_values(const Node &, std::vector<Ref> &, Frame &);
    static const std::vector<Ref> &known_elements(const Ref &list);
    size_t find_key(const Ref &dict, const Ref &key) const;
    Ref value_of_key(const Ref &dict, const Ref &key, const Place &place);
    Ref matches(const Ref &dict, const Ref &key, const Place &place);
    Ref values_of(const Ref &dict);

    // What lists hold whose length the data decides (stacks.cpp).
    Ref row_of(const Ref &element, const Place &place);
    Ref rows_of(const Contents &list);
    Ref begin_stack(const Ref &list, Ref &rows, const std::vector<Ref> &known, const Place &place);
    bool is_alike(const std::vector<Ref> &lists);
    bool takes(const Ref &list, const Ref &element);
    Ref zeros(std::vector<Ref> sizes, at::ScalarType dtype, const Place &place);
    Ref size_like(const Item &tensor, int64_t dim, const std::vector<Ref> &known,
                  const Place &place);
    bool has_same_rows(const Item &a, const Item &b) const;
    Ref join_stacks(std::vector<Ref> stacks, const Place &place);
    Ref stack_up(const Ref &list, const Place &place);
    Ref rows_in(const Ref &list, const Place &place);
    Ref require_rows(const Ref &list, const Place &place);
    bool is_looked_up(const Ref &container, const Ref &index) const;
    Ref look_up(const Ref &list, const Ref &index, const Place &place);
    Ref element_at(const Ref &list, const Ref &stack, const Ref &index, const Place &place);
    Ref grown_list(const Ref &stack, bool has_numbers = false);
    Ref add_rows(const Ref &list, const Ref &more, const Place &place);
    Ref slice_rows(const Ref &stack, const std::vector<Ref> &bounds, const Place &place);

    // And their operators (grown_lists.cpp).
    int64_t dim_to_join(const Ref &dim, int64_t rank, const Place &place) const;
    Ref length_of(const Ref &list, const Place &place);
    Ref reversed_rows(const Ref &stack, const Place &place);
    std::pair<Ref, Ref> cut_rows(const Ref &stack, const Ref &before, const Ref &from,
                                 const Place &place);
    std::vector<Ref> do_grown_stack(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_length(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_item(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_set_item(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_append(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_extend(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_add(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_slice(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_insert(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_pop(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_copy(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_clear(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_reverse(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_tensor(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_grown_sum(const Node &, std::vector<Ref> &, Frame &);

    // The same with tensors of different sizes (sequences.cpp).
    Ref sequence_like(const Item &tensor, bool is_stack);
    void widen(Item &sequence, const Item &element, const Place &place);
    Ref record_sequence(const char *kind, const std::vector<Ref> &inputs,
                        const std::vector<std::string> &names, const Ref &made,
                        const std::vector<Ref> &parts, const Place &place);
    Ref sequence_of(const Ref &list, const Place &place, const Ref &like = nullptr);
    Ref extend_sequence(Ref sequence, const Ref &more, const Place &place);
    void put_into(const char *kind, const std::vector<Ref> &inputs, const Place &place);
    Ref element_of(const Item &sequence);
    Ref sequence_item(const Ref &sequence, const Ref &index, const Place &place);
    Ref as_output(const Ref &value, const Place &place, bool is_side = false);
    std::vector<Ref> do_sequence_join(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_sequence_length(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_sequence_set_item(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_sequence_insert(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_sequence_pop(const Node &, std::vector<Ref> &, Frame &);

    // Tensors taken apart (parts.cpp).
    int64_t find_open_dim(const Node &node, const Ref &tensor, const Ref &dim) const;
    std::vector<Ref> do_unbind(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_split(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_chunk(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_normalization(const Node &node, std::vector<Ref> &inputs, Frame &frame);
    void move_statistics(const std::vector<Ref> &inputs, int64_t first, const Place &place);
    void move_statistic(const Ref &running, const Ref &of_batch, const Ref &momentum,
                        const Place &place);
    Ref parts_of_data_size(const Node &node, const std::vector<Ref> &inputs, const Place &place);
    Ref parts_of(const char *kind, const char *option, const std::vector<Ref> &inputs, int64_t dim,
                 const Place &place);

    // Who else holds a memory (sharing.cpp).
    void share_memory(const Ref &stack, const std::vector<Ref> &parts);
    void require_told(const Item &held, const Place &place) const;
    void require_unchanged(const Ref &list, const Place &place) const;
    void note_sharers(Loop &loop, size_t slot, const Ref &made, std::map<size_t, Ref> &others);
    void find_sharers(Loop &loop);
    void check_earlier(Loop &loop);

    // Strings (text.cpp).
    std::vector<Ref> do_text(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_format(const Node &, std::vector<Ref> &, Frame &);

    Recording &recording_;
    Executor executor_;
    std::function<bool(uint64_t)> tick_;
    static constexpr int64_t kLongLoop = 256;
    int64_t longest_unrolled_; // iterations beyond which a loop stays one where it can
    std::unordered_map<const Node *, Ref> constants_;
    std::unordered_map<const Node *, std::pair<std::string, uint32_t>> sources_;
    Attributes attributes_;
    std::vector<Attributes> attribute_journals_; // as they were before the blocks around
    Attributes before_;                          // those of the archive, as the call found them
    Holders late_;
    std::map<uint32_t, htp_shim_size> open_sizes_; // of carried states, by their number
    std::unordered_map<const c10::ivalue::Object *, Holder> holders_;
    std::unordered_set<const c10::ivalue::Object *> made_;   // by the call
    std::map<const void *, std::set<std::string>> storages_; // of the archive, with who has them
    size_t depth_ = 0;
    std::vector<Ref> arguments_; // of the method, and what they hold
    std::vector<size_t> loops_;  // that are being recorded: the first item of their bodies
    size_t peels_ = 0;           // first iterations around that are apart from their loops
    size_t forks_ = 0;           // branches around that could not meet where they end
    uint64_t steps_ = 0;
};

} // namespace htp
