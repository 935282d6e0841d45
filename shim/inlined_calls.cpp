#include "inlined_calls.h"

#include "inliner.h"

#include <torch/csrc/jit/ir/scope.h>

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace htp
{

namespace
{

// A place in the archive's code. Each operator and call has one of its own there, but for what
// libtorch's compiler unrolls or adds.
struct Position {
    const torch::jit::Source *source = nullptr;
    size_t begin = 0;
    size_t end = 0;

    bool operator==(const Position &other) const
    {
        return source == other.source && begin == other.begin && end == other.end;
    }
};

Position position_of(const torch::jit::SourceRange &range)
{
    return {range.source().get(), range.start(), range.end()};
}

// Something at a place in a frame: a call, or an operator of a kind.
struct Key {
    uint32_t frame = 0;
    Position position;
    uint32_t kind = 0; // of a node; 0 for calls

    bool operator==(const Key &other) const
    {
        return frame == other.frame && kind == other.kind && position == other.position;
    }
};

struct KeyHash {
    size_t operator()(const Key &key) const
    {
        constexpr size_t kFactor = 0x9e3779b97f4a7c15U;
        size_t hash = std::hash<const void *>()(key.position.source);
        for (const size_t part :
             {key.position.begin, key.position.end, size_t{key.frame}, size_t{key.kind}}) {
            hash = (hash ^ part) * kFactor;
            hash ^= hash >> 32;
        }
        return hash;
    }
};

Key key_of(uint32_t frame, const torch::jit::Node &node)
{
    return {frame, position_of(node.sourceRange()), static_cast<uint32_t>(node.kind())};
}

// What a call enters.
enum class Entry {
    Unseen,  // nothing is known of it
    Nothing, // a function, or another method than forward(): the same modules are running
    Module,
    Unknown, // or several: calls that stand at one place are made on different objects
};

using Object = c10::intrusive_ptr<c10::ivalue::Object>;

// An attribute that is an object; null where it is none.
Object attribute_of(const c10::ivalue::Object &object, const std::string &name)
{
    const auto slot = object.type()->findAttributeSlot(name);
    return slot && object.getSlot(*slot).isObject() ? object.getSlot(*slot).toObject() : Object();
}

// A path of calls from the method on.
struct Frame {
    uint32_t caller = HTP_SHIM_NONE;
    Entry entry = Entry::Unseen;
    uint32_t module = HTP_SHIM_NONE;
    std::optional<uint32_t> running = {}; // once it is asked for
};

// Reads the inlined graph of a method.
class Reader
{
  public:
    Reader(Model &model, Inliner &inliner) : model_(model), inliner_(inliner)
    {
        frames_.push_back({HTP_SHIM_NONE, Entry::Module, model.owner_number()});
        torch::jit::Function &method = model.function();
        graph_ = inliner.inlined(method);
        instances_[graph_->inputs().at(0)] = model.owner()._ivalue();
        read(*graph_->block());
    }

    // The frame of a call at a place; HTP_SHIM_NONE where there is none.
    uint32_t find_frame(uint32_t caller, const torch::jit::Node &call) const
    {
        const auto found = numbers_.find({caller, position_of(call.sourceRange())});
        return found == numbers_.end() ? HTP_SHIM_NONE : found->second;
    }

    bool has_node(uint32_t frame, const torch::jit::Node &node) const
    {
        return nodes_.count(key_of(frame, node)) != 0;
    }

    // The running module of a frame; HTP_SHIM_NONE where it is not known.
    uint32_t running_in(uint32_t frame, std::vector<htp_shim_running> &all);

  private:
    using Node = torch::jit::Node;

    void read(torch::jit::Block &block);
    void read_mark(const Node &mark);
    Node *open_interface(Node *call);
    void rebase(const Node *from, const Node *to, uint32_t frame);
    uint32_t frame_of(const Node &node);
    uint32_t frame_at(uint32_t caller, const torch::jit::SourceRange &range);
    Object instance_of(const torch::jit::Value *value);

    Model &model_;
    Inliner &inliner_;
    std::shared_ptr<torch::jit::Graph> graph_;
    std::vector<Frame> frames_; // 0: the method; callers come first
    std::unordered_map<Key, uint32_t, KeyHash> numbers_;
    std::unordered_set<Key, KeyHash> nodes_;
    // By call stack: the frame that its outermost call stands in, where that is not the method; and
    // the frame of its innermost one. Nodes that one call brought share stacks.
    std::unordered_map<const torch::jit::InlinedCallStack *, uint32_t> bases_;
    std::unordered_map<const torch::jit::InlinedCallStack *, uint32_t> stacks_;
    std::unordered_map<const torch::jit::Value *, Object> instances_; // null: none is known
    size_t depth_ = 0;                                                // of blocks
};

uint32_t Reader::frame_at(uint32_t caller, const torch::jit::SourceRange &range)
{
    const auto [known, is_new] =
        numbers_.emplace(Key{caller, position_of(range)}, static_cast<uint32_t>(frames_.size()));
    if (is_new) {
        frames_.push_back({caller});
    }
    return known->second;
}

uint32_t Reader::frame_of(const Node &node)
{
    const auto stack = node.callstack();
    if (!stack) {
        return 0;
    }
    const auto known = stacks_.find(stack->get());
    if (known != stacks_.end()) {
        return known->second;
    }
    const auto base = bases_.find(stack->get());
    uint32_t frame = base == bases_.end() ? 0 : base->second;
    for (auto call = stack; call; call = (*call)->callee()) {
        frame = frame_at(frame, (*call)->source_range());
    }
    stacks_[stack->get()] = frame;
    return frame;
}

// The object that a value is: an attribute of an object that is known.
Object Reader::instance_of(const torch::jit::Value *value)
{
    std::vector<const torch::jit::Value *> way;
    auto known = instances_.find(value);
    while (known == instances_.end() && value->node()->kind() == torch::jit::prim::GetAttr) {
        way.push_back(value);
        value = value->node()->input(0);
        known = instances_.find(value);
    }
    Object object = known == instances_.end() ? Object() : known->second;
    for (size_t i = way.size(); i-- > 0;) {
        object = object ? attribute_of(*object, way[i]->node()->s(c10::attr::name)) : Object();
        instances_[way[i]] = object;
    }
    return object;
}

// A mark stands before what its call became.
void Reader::read_mark(const Node &mark)
{
    Frame found;
    found.entry = Entry::Nothing;
    if (Inliner::is_of_forward(mark)) {
        const Object object = instance_of(mark.input(0));
        found.module = object ? model_.module_of(object.get()) : HTP_SHIM_NONE;
        found.entry = found.module == HTP_SHIM_NONE ? Entry::Unknown : Entry::Module;
    }
    Frame &frame = frames_[frame_at(frame_of(mark), mark.sourceRange())];
    const bool is_same = frame.entry == found.entry && frame.module == found.module;
    if (frame.entry == Entry::Unseen) {
        frame.entry = found.entry;
        frame.module = found.module;
    } else if (!is_same) {
        frame.entry = Entry::Unknown;
    }
}

// What inlining at last brought begins its call stacks where it was called.
void Reader::rebase(const Node *from, const Node *to, uint32_t frame)
{
    for (const Node *node = from; node != to; node = node->next()) {
        if (const auto stack = node->callstack()) {
            bases_[stack->get()] = frame;
        }
        for (const torch::jit::Block *inner : node->blocks()) {
            rebase(*inner->nodes().begin(), inner->return_node(), frame);
        }
    }
}

// A call that is left goes to an interface: which class it is, the object tells.
Reader::Node *Reader::open_interface(Node *call)
{
    const Object object = instance_of(call->input(0));
    torch::jit::Function *const callee =
        object ? object->type()->findMethod(call->s(c10::attr::name)) : nullptr;
    const uint32_t frame = frame_of(*call);
    Node *const after = call->next();
    Node *const mark = callee != nullptr ? inliner_.inline_call(call, *callee) : nullptr;
    if (mark == nullptr) {
        return after;
    }
    rebase(mark->next(), after, frame);
    return mark;
}

void Reader::read(torch::jit::Block &block)
{
    const Inliner::Deeper deeper(depth_);
    for (Node *node = *block.nodes().begin(); node != block.return_node();) {
        if (node->kind() == torch::jit::prim::CallMethod) {
            node = open_interface(node);
            continue;
        }
        if (Inliner::is_mark(*node)) {
            read_mark(*node);
        } else {
            nodes_.insert(key_of(frame_of(*node), *node));
        }
        for (torch::jit::Block *inner : node->blocks()) {
            read(*inner);
        }
        node = node->next();
    }
}

uint32_t Reader::running_in(uint32_t frame, std::vector<htp_shim_running> &all)
{
    std::vector<uint32_t> way;
    for (; !frames_[frame].running && frames_[frame].caller != HTP_SHIM_NONE;
         frame = frames_[frame].caller) {
        way.push_back(frame);
    }
    if (!frames_[frame].running) {
        all.push_back({model_.modules[model_.owner_number()].path, HTP_SHIM_NONE});
        frames_[frame].running = 0;
    }
    uint32_t running = *frames_[frame].running;
    for (size_t i = way.size(); i-- > 0;) {
        Frame &next = frames_[way[i]];
        const bool is_known = next.entry == Entry::Nothing || next.entry == Entry::Module;
        running = is_known ? running : HTP_SHIM_NONE;
        if (running != HTP_SHIM_NONE && next.entry == Entry::Module) {
            all.push_back({model_.modules[next.module].path, running});
            running = static_cast<uint32_t>(all.size() - 1);
        }
        next.running = running;
    }
    return running;
}

} // namespace

InlinedCalls::InlinedCalls(Model &model, const Program &program, at::ArrayRef<htp_shim_stand> calls,
                           at::ArrayRef<htp_shim_stand> nodes,
                           const std::function<bool(uint64_t)> &tick)
{
    const auto node_of = [&](const htp_shim_stand &stand) {
        return stand.function == HTP_SHIM_NONE ? nullptr
                                               : &program.node_of(stand.function, stand.node);
    };
    Inliner inliner(tick);
    Reader reader(model, inliner);
    std::vector<uint32_t> frames = {0}; // by call, from 1 on
    for (const htp_shim_stand &call : calls) {
        const torch::jit::Node *const node = node_of(call);
        const uint32_t caller = frames.at(call.call);
        frames.push_back(caller == HTP_SHIM_NONE || node == nullptr
                             ? HTP_SHIM_NONE
                             : reader.find_frame(caller, *node));
    }
    running_.reserve(frames.size());
    for (const htp_shim_stand &stand : nodes) {
        const torch::jit::Node *const node = node_of(stand);
        const uint32_t frame = frames.at(stand.call);
        const bool is_found =
            frame != HTP_SHIM_NONE && node != nullptr && reader.has_node(frame, *node);
        nodes_.push_back(is_found ? reader.running_in(frame, running_) : HTP_SHIM_NONE);
    }
    view_ = {running_.data(), static_cast<uint32_t>(running_.size()), nodes_.data(),
             static_cast<uint32_t>(nodes_.size())};
}

} // namespace htp
