// Runs a TorchScript program abstractly: follows calls, branches and loops, keeps lists and
// objects, and hands every operator to the Executor.
#pragma once

#include "execute.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace htp
{

class Interpreter
{
  public:
    Interpreter(Recording &recording, std::function<bool(uint64_t)> tick)
        : recording_(recording), executor_(recording), tick_(std::move(tick))
    {
    }

    // Whether a node's operator never becomes a node of a trace: it is followed by this class.
    static bool evaluates(const torch::jit::Node &node);

    // Runs a method of the root module. @p arguments without self.
    std::vector<Ref> run(const std::string &method, std::vector<Ref> arguments);

  private:
    using Node = torch::jit::Node;
    struct Frame {
        std::unordered_map<const torch::jit::Value *, Ref> values;
        uint32_t scope = 0;
    };
    using Handler = std::vector<Ref> (Interpreter::*)(const Node &, std::vector<Ref> &, Frame &);

    static const std::unordered_map<std::string, Handler> &handlers();
    static const std::unordered_map<std::string, Handler> &container_handlers();

    std::vector<Ref> call(torch::jit::Function &function, std::vector<Ref> arguments,
                          uint32_t scope);
    void run_block(const torch::jit::Block &block, Frame &frame);
    void run_node(const Node &node, Frame &frame);
    std::vector<Ref> read(at::ArrayRef<const torch::jit::Value *> values, Frame &frame,
                          const Place &place);
    std::vector<Ref> block_outputs(const torch::jit::Block &block, Frame &frame,
                                   const Place &place);
    Place place_of(const Node &node, uint32_t scope);
    uint32_t enter(uint32_t module, uint32_t caller);
    void require_known(const Ref &item) const;
    bool decide(const Ref &condition, const Place &place) const;
    bool is_decided(const Ref &condition) const;
    void check_lists(const std::string &kind, const std::vector<Ref> &inputs,
                     const Place &place) const;
    std::optional<bool> find_check(const Node &node, const Ref &condition) const;
    int64_t number(const Ref &item, const Place &place) const;
    size_t position(const Ref &list, const Ref &index, const Place &place) const;

    // Branches (branch.cpp).
    struct Block;
    struct Merge;
    Block run_nested(const torch::jit::Block &block, Frame &frame, const Place &place,
                     const std::function<void()> &begin);
    std::vector<Ref> do_if(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> branch(const Node &node, const Ref &condition, Frame &frame);
    uint32_t record_control(const char *kind, const std::vector<Ref> &inputs,
                            const std::vector<std::string> &names, const std::vector<Ref> &outputs,
                            std::vector<uint32_t> blocks, const Place &place);
    Ref like(const Item &model);
    void resize(Item &item, int64_t dim, const char *name);
    Ref merge(Merge &all, const Ref &a, const Ref &b);
    bool has_same_size(const Item &a, const Item &b, int64_t dim) const;
    Ref merge_tensors(const Ref &a, const Ref &b);
    std::function<void()> merge_states(Merge &all, const Block &then, const Block &otherwise);

    // Loops (loop.cpp).
    struct Loop;
    std::vector<Ref> do_loop(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> repeat(const Node &node, const Ref &limit, const Ref &condition,
                            std::vector<Ref> carried, int64_t done, Frame &frame);
    void run_body(Loop &loop, const Node &node, Frame &frame);
    static void end_growth(const Loop &loop);
    Ref carry(Loop &loop, const Ref &initial);
    void compare(Loop &loop, const Ref &input, const Ref &result);
    void compare_tensors(Loop &loop, size_t leaf, const Item &input, const Item &result);
    bool is_fleeting(const Loop &loop, const Item &tensor, int64_t dim) const;
    void find_changes(Loop &loop, const Block &block);
    Ref make_nothing(const Item &model, const Place &place);
    Ref result_of(Loop &loop, size_t &leaf, const Ref &input, std::vector<Ref> &outputs);
    htp_shim_size iterations(const Loop &loop, const Ref &limit, const Ref &condition);
    std::vector<Ref> finish_loop(Loop &loop, const Ref &limit, const Ref &condition);
    Ref stack_of(const Item &element, const htp_shim_size &count);

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
    std::vector<Ref> do_stack(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_append(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_extend(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_pop(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_insert(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_clear(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_reverse(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_items(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_get(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_make_dict(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_concatenate(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_slice(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_copy_list(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_contains(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_keys(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_dict_values(const Node &, std::vector<Ref> &, Frame &);
    size_t find_key(const Ref &dict, const Ref &key) const;

    // Strings (text.cpp).
    std::vector<Ref> do_text(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_format(const Node &, std::vector<Ref> &, Frame &);

    Recording &recording_;
    Executor executor_;
    std::function<bool(uint64_t)> tick_;
    std::unordered_map<const Node *, Ref> constants_;
    std::unordered_map<const Node *, std::pair<std::string, uint32_t>> sources_;
    std::map<std::pair<const c10::ivalue::Object *, size_t>, Ref> attributes_;
    std::set<std::pair<const c10::ivalue::Object *, size_t>> state_; // attributes read as loaded
    size_t depth_ = 0;
    uint64_t steps_ = 0;
};

} // namespace htp
