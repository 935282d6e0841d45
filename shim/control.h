// What branches and loops that are recorded as nodes work with.
#pragma once

#include "interpreter.h"

#include <algorithm>
#include <set>

namespace htp
{

// One level more, until the end of the scope.
struct Deeper {
    explicit Deeper(size_t &counter) : depth(counter)
    {
        depth++;
    }
    ~Deeper()
    {
        depth--;
    }
    Deeper(const Deeper &) = delete;
    Deeper &operator=(const Deeper &) = delete;
    size_t &depth;
};

// A dim that may count from the end; -1 where there is none such.
inline int64_t wrapped(int64_t dim, int64_t rank)
{
    const int64_t at = dim < 0 ? dim + rank : dim;
    return at < rank ? std::max<int64_t>(at, -1) : -1;
}

// A block as it was recorded. What it changed outside of itself is taken back, and noted here.
struct Interpreter::Block {
    uint32_t id = 0;
    std::vector<Ref> outputs;
    Executor::Memories memories;                 // what they held at the end
    std::vector<std::pair<Ref, Contents>> lists; // and what older lists held
    Attributes attributes;                       // and the attributes of objects
    std::exception_ptr raised;                   // the program's own exception
};

// The outputs of a branch that is being put together.
struct Interpreter::Merge {
    const Block &then;
    const Block &otherwise;
    size_t first_local; // items from here on are gone when it ends, unless they can be reached
    std::set<const Item *> reached = {};
    bool has_objects = false;         // among these, whose attributes may be anything
    Executor::Memories memories = {}; // what was changed holds, merged
    std::vector<uint32_t> then_ids = {};
    std::vector<uint32_t> else_ids = {};
    std::vector<Ref> frozen = {}; // lists that the outputs may be: they may not change any more
    std::vector<std::pair<Ref, Ref>> shared = {}; // outputs, and tensors that they may be
    std::vector<Ref> outputs = {};
};

// Thrown in the body of a loop that changes the length of a list of outside: it has to be a stack.
struct Interpreter::Growth {
    Ref list;
    Ref rows; // a stack of what it holds, where that is known
};

// Thrown where two values cannot be an output of one node.
struct Interpreter::Apart : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Thrown where the sides of a branch give what no output of a node can be: other ranks, None and a
// tensor. What follows the branch then belongs to both sides, as far as it takes them to meet.
struct Interpreter::Fork {
    Ref condition;
    Place place;
    Side side;          // runs one of them, and gives the outputs of what threw this
    std::string reason; // why they cannot meet
};

// Something of outside that the body changes, and that is carried therefore.
struct Interpreter::Held {
    enum class Kind { Elements, Stack, Attribute };
    Kind kind;
    Ref list;            // or dict
    Ref rows;            // of a list that becomes a stack: what one looks like
    Attribute attribute; // of an object
    Ref initial = nullptr;
};

constexpr size_t kAdditions = SIZE_MAX / 2;

// A loop that is being recorded: its body is run until what it carries keeps its type.
struct Interpreter::Loop {
    // One run of the body: leaves are tensors and numbers within what is carried.
    struct Run {
        bool is_stable = true;
        std::vector<Ref> leaves = {};
        std::vector<Ref> inputs = {};
        std::vector<Ref> results = {};
        std::vector<Ref> carried = {};
        std::vector<Ref> held = {};
        std::vector<Ref> held_results = {};
        std::vector<Ref> memory_inputs = {};
        std::vector<Ref> memory_results = {};
        std::vector<Ref> additions = {};
        std::map<size_t, Ref> begun = {}; // by slot: what stands for it in an iteration
        std::map<size_t, Ref> ended = {}; // and when the loop has ended
        Ref iteration = nullptr;
        Ref go_on = nullptr;
        uint32_t block = 0;
    };

    std::vector<Ref> initial; // what is carried, as the program has it
    Place place;
    int64_t done;                             // iterations that were unrolled
    size_t first_size;                        // sizes that the data decides before the loop
    size_t first_item;                        // values before it
    std::set<size_t> moved = {};              // lists and dicts among it that are replaced
    std::set<size_t> replaced = {};           // tensors among it that are other ones, then
    std::set<size_t> same = {};               // and those that are changed in place only
    std::map<size_t, Ref> grown = {};         // lists among it that become stacks
    std::map<size_t, Ref> grown_initial = {}; // and what they are when the loop begins
    std::vector<Held> held = {};
    std::vector<std::set<int64_t>> moving = {}; // by leaf: dims whose sizes change
    std::vector<Ref> unset = {};                // by leaf: what one without a value becomes
    // Slots are leaves, and what earlier iterations appended to lists, from kAdditions on.
    std::map<size_t, std::set<uint32_t>> aliases = {}; // memories of outside that a slot may be
    std::map<size_t, std::set<size_t>> twins = {};     // slots that may be one memory with it
    std::vector<uint32_t> memories = {};               // that the body changes, by first value
    std::set<uint32_t> lost = {}; // and those of which nobody knows what they hold
    std::vector<Ref> lists = {};  // that it appends to
    std::vector<Ref> rows = {};   // and what a stack of that looks like
    std::set<Sizes> sizes = {};   // of tensors of outside, once has_sizes
    bool has_sizes = false;
    Run run = {}; // the last one
};

} // namespace htp
