#include "tuple_costs.h"

#include <torch/csrc/jit/frontend/tree_views.h>

#include <algorithm>
#include <stdexcept>

namespace htp
{

namespace
{

using torch::jit::TreeRef;

// In visits of types, of which libtorch makes some ten million a second.
constexpr double kMostOfOne = 1 << 26;
constexpr double kMostOfAll = 1 << 28;
constexpr double kNoticed = 1 << 14;
constexpr double kPlain = 1;    // what is no tuple
constexpr size_t kDeepest = 50; // named tuples in named tuples

[[noreturn]] void refuse(const TreeRef &place, const std::string &what)
{
    const auto &source = place->range().source();
    throw std::runtime_error(source->filename().value_or("the code") + ", line " +
                             std::to_string(source->lineno_for_offset(place->range().start()) + 1) +
                             ": " + what + ", which PyTorch does not write; save the model again");
}

double cost_of_tuple(double elements)
{
    return 1 + 2 * elements;
}

bool is_var(const TreeRef &tree, const char *name)
{
    return tree->kind() == torch::jit::TK_VAR && torch::jit::Var(tree).name().name() == name;
}

// A dotted name; "" for anything else.
std::string name_of(TreeRef tree)
{
    std::string rest;
    while (tree->kind() == '.') {
        const torch::jit::Select select(tree);
        rest = "." + select.selector().name() + rest;
        tree = select.value().tree();
    }
    return tree->kind() == torch::jit::TK_VAR ? torch::jit::Var(tree).name().name() + rest : "";
}

// One function, read in the order of its text. What comes from elsewhere counts as plain here: its
// type is declared, and as large as the archive's largest at most.
class FunctionReader
{
  public:
    FunctionReader(double declared, double &total) : declared_(declared), total_(total) {}

    void read(const TreeRef &body)
    {
        (void)cost(body);
    }

  private:
    double sum(const TreeRef &tree)
    {
        double all = 0;
        for (const TreeRef &child : tree->trees()) {
            all += cost(child);
        }
        return all;
    }

    double largest(const TreeRef &tree)
    {
        double most = kPlain;
        for (const TreeRef &child : tree->trees()) {
            most = std::max(most, cost(child));
        }
        return most;
    }

    double note(const TreeRef &place, double found)
    {
        const double whole = found * declared_;
        total_ += whole > kNoticed ? whole : 0;
        if (whole > kMostOfOne || total_ > kMostOfAll) {
            refuse(place, "tuples are nested too deep or hold too much");
        }
        return found;
    }

    void assign(const TreeRef &target, double value)
    {
        if (target->kind() == torch::jit::TK_VAR) {
            double &known = variables_[torch::jit::Var(target).name().name()];
            known = std::max(known, value);
        } else {
            for (const TreeRef &part : target->trees()) {
                assign(part, value);
            }
        }
    }

    double read_variable(const TreeRef &tree)
    {
        const auto known = variables_.find(torch::jit::Var(tree).name().name());
        return known == variables_.end() ? kPlain : note(tree, std::max(known->second, kPlain));
    }

    double read_assignment(const TreeRef &tree)
    {
        const torch::jit::Assign assignment(tree);
        if (assignment.rhs().present()) {
            const double value = cost(assignment.rhs().get());
            for (const auto &target : assignment.lhs_list()) {
                assign(target, value);
            }
        }
        return kPlain;
    }

    // PyTorch writes all loops with range() or while; others may be compiled once for each element.
    double read_loop(const TreeRef &tree)
    {
        const torch::jit::For loop(tree);
        for (const auto &over : loop.itrs()) {
            const bool is_call = over.kind() == torch::jit::TK_APPLY;
            if (!is_call || !is_var(torch::jit::Apply(over).callee(), "range") ||
                variables_.count("range") > 0) {
                refuse(tree, "a loop is over something else than range()");
            }
        }
        return sum(tree);
    }

    double read_function(const TreeRef &tree)
    {
        const torch::jit::Def def(tree);
        for (const auto &parameter : def.decl().params()) {
            variables_[parameter.ident().name()] = kPlain;
        }
        const bool was_declared = is_declared_;
        is_declared_ = def.decl().return_type().present();
        (void)sum(def.statements().tree());
        is_declared_ = was_declared;
        return kPlain;
    }

    double read_return(const TreeRef &tree)
    {
        if (largest(tree) > kPlain && !is_declared_) {
            refuse(tree, "a function that returns a tuple does not declare it");
        }
        return kPlain;
    }

    double cost(const TreeRef &tree)
    {
        switch (tree->kind()) {
        case torch::jit::TK_VAR:
            return read_variable(tree);
        case torch::jit::TK_ASSIGN:
            return read_assignment(tree);
        case torch::jit::TK_FOR:
            return read_loop(tree);
        case torch::jit::TK_DEF:
            return read_function(tree);
        case torch::jit::TK_RETURN:
            return read_return(tree);
        case torch::jit::TK_LIST_COMP:
        case torch::jit::TK_DICT_COMP:
            refuse(tree, "a list or dict is made by a loop of its own");
        case torch::jit::TK_TUPLE_LITERAL:
            return note(tree, cost_of_tuple(sum(torch::jit::TupleLiteral(tree).inputs().tree())));
        case '+': { // joins tuples
            const double both = sum(tree);
            return both > 2 * kPlain ? note(tree, both) : kPlain;
        }
        case torch::jit::TK_AUG_ASSIGN: {
            const torch::jit::AugAssign change(tree);
            const double both = cost(change.lhs()) + cost(change.rhs());
            assign(change.lhs(), both > 2 * kPlain ? note(tree, both) : kPlain);
            return kPlain;
        }
        case torch::jit::TK_LIST:         // of statements, expressions, arguments
        case torch::jit::TK_LIST_LITERAL: // lists and dicts are gone through once
        case torch::jit::TK_DICT_LITERAL:
        case torch::jit::TK_STARRED:
        case torch::jit::TK_IF_EXPR:
        case torch::jit::TK_SUBSCRIPT:
        case torch::jit::TK_OPTION:
            return largest(tree);
        default:
            return read_rest(tree);
        }
    }

    // The result of anything else has a type that is declared, or that of an operator.
    double read_rest(const TreeRef &tree)
    {
        if (!tree->isAtom()) {
            (void)sum(tree);
        }
        return kPlain;
    }

    double declared_;
    double &total_;
    bool is_declared_ = true;
    std::unordered_map<std::string, double> variables_;
};

bool is_type(const TreeRef &tree)
{
    return tree->kind() == torch::jit::TK_SUBSCRIPT &&
           tree->trees().at(0)->kind() == torch::jit::TK_VAR;
}

// All parts of a tree that may be types: names with others in brackets.
std::vector<TreeRef> types_in(const TreeRef &root)
{
    std::vector<TreeRef> found, pending = {root};
    while (!pending.empty()) {
        const TreeRef tree = std::move(pending.back());
        pending.pop_back();
        if (is_type(tree)) {
            found.push_back(tree);
        } else if (!tree->isAtom()) {
            pending.insert(pending.end(), tree->trees().begin(), tree->trees().end());
        }
    }
    return found;
}

} // namespace

void TupleCosts::add(const TreeRef &declaration, const std::string &qualifier)
{
    declarations_.push_back(declaration);
    if (declaration->kind() != torch::jit::TK_CLASS_DEF) {
        return;
    }
    const torch::jit::ClassDef declared(declaration);
    if (!declared.superclass().present() || !is_var(declared.superclass().get(), "NamedTuple")) {
        return;
    }
    NamedTuple &named = named_[qualifier + "." + declared.name().name()];
    for (const auto &statement : declared.body()) {
        if (statement.kind() == torch::jit::TK_ASSIGN &&
            torch::jit::Assign(statement).type().present()) {
            named.fields.push_back(torch::jit::Assign(statement).type().get());
        }
    }
}

double TupleCosts::cost_of_name(const std::string &name, const TreeRef &place)
{
    const auto found = named_.find(name);
    if (found == named_.end()) {
        return kPlain;
    }
    NamedTuple &named = found->second;
    if (named.cost == 0) {
        if (named.is_under_way || ++depth_ > kDeepest) {
            refuse(place, "named tuples are nested too deep");
        }
        named.is_under_way = true;
        double fields = 0;
        for (const TreeRef &field : named.fields) {
            fields += cost_of_type(field);
        }
        named.cost = cost_of_tuple(fields);
        named.is_under_way = false;
        depth_--;
    }
    return named.cost;
}

double TupleCosts::cost_of_type(const TreeRef &type)
{
    double cost = kPlain;
    if (type->kind() == torch::jit::TK_SUBSCRIPT) {
        double elements = 0;
        for (const auto &element : torch::jit::Subscript(type).subscript_exprs()) {
            elements += cost_of_type(element);
        }
        cost = cost_of_tuple(elements);
    } else {
        cost = cost_of_name(name_of(type), type);
    }
    if (cost > kMostOfOne) {
        refuse(type, "tuples are nested too deep or hold too much");
    }
    return cost;
}

// The core has seen to it that values are neither too deep nor unfold to too much.
double TupleCosts::cost_of_value(const c10::IValue &value)
{
    if (!value.isTuple()) {
        return kPlain;
    }
    double elements = 0;
    for (const c10::IValue &element : value.toTupleRef().elements()) {
        elements += cost_of_value(element);
    }
    return cost_of_tuple(elements);
}

void TupleCosts::check(double constant)
{
    if (constant > kMostOfOne) {
        throw std::runtime_error("damaged archive: constants.pkl: tuples are nested too deep");
    }
    double declared = std::max(kPlain, constant);
    for (const auto &[name, named] : named_) {
        for (const TreeRef &field : named.fields) {
            declared = std::max(declared, cost_of_type(field));
        }
    }
    for (const TreeRef &declaration : declarations_) {
        for (const TreeRef &type : types_in(declaration)) {
            declared = std::max(declared, cost_of_type(type));
        }
    }
    double total = 0;
    for (const TreeRef &declaration : declarations_) {
        if (declaration->kind() == torch::jit::TK_DEF) {
            FunctionReader(declared, total).read(declaration);
            continue;
        }
        for (const auto &statement : torch::jit::ClassDef(declaration).body()) {
            if (statement.kind() == torch::jit::TK_DEF) {
                FunctionReader(declared, total).read(statement.tree());
            }
        }
    }
}

} // namespace htp
