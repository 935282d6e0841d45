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
    bool decide(const Ref &condition, const Place &place) const;
    std::optional<bool> find_check(const Node &node, const Ref &condition) const;
    int64_t number(const Ref &item, const Place &place) const;
    size_t position(const Ref &list, const Ref &index, const Place &place) const;

    // Control flow and calls (interpreter.cpp).
    std::vector<Ref> do_constant(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_if(const Node &, std::vector<Ref> &, Frame &);
    std::vector<Ref> do_loop(const Node &, std::vector<Ref> &, Frame &);
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
    std::vector<Ref> do_none(const Node &, std::vector<Ref> &, Frame &);
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
