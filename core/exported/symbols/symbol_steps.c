#include "exported/symbols/symbol_steps.h"

#include "base/text.h"
#include "exported/symbols/symbol_values.h"

enum {
    LARGEST_STEP = 1024,
    TAKEN_STEPS = 3,          /* multiples of a step that guards must accept */
    TAKEN_NEAR = 64,          /* sizes tried one by one */
    MOST_EVALUATED = 1 << 23, /* evaluated steps per program; nothing is known beyond that */
    NEAR_SIZES = 64,          /* on both sides of the hint */
    FAR_SIZES = 1 << 20,
    LOOKED_AT = 16,  /* places or guards that cost as much as a step of a formula */
    LEAST_TAKEN = 8, /* sizes besides the hint that show that a formula does not depend on it */
};

/* A place in the arguments that guards name, and its size. */
struct place {
    uint32_t symbol;
    const htp_exported_size *size;
};

struct probe {
    const htp_exported_symbols *symbols;
    htp_exported_number *numbers; /* by symbol */
    HTP_VECTOR(struct place) places;
    const uint32_t *owners; /* by guard: the only symbol that it depends on; HTP_NONE: several */
    uint64_t *evaluated;    /* steps of formulas so far, of the program */
};

static htp_exported_number value_of(struct probe *probe, const htp_exported_formula *formula)
{
    *probe->evaluated += formula->count;
    return htp_exported_formula_value(formula, probe->numbers, probe->symbols->symbol_count);
}

static void add_place(struct probe *probe, const char *root, uint32_t dim,
                      const htp_exported_size *size)
{
    uint32_t symbol = htp_exported_symbols_place(probe->symbols, root, dim);
    if (symbol != HTP_NONE) {
        HTP_PUSH(probe->symbols->arena, &probe->places, (struct place){symbol, size});
    }
}

static void list_places(struct probe *probe)
{
    const htp_exported_program *program = probe->symbols->program;
    for (uint32_t i = 0; i < program->input_count; i++) {
        const htp_exported_argument *argument = &program->inputs[i].argument;
        if (!probe->symbols->paths[i] || argument->kind != HTP_EXPORTED_VALUE) {
            continue;
        }
        const htp_exported_value *value = &program->values.items[argument->value];
        for (uint32_t d = 0; value->kind == HTP_TRACE_TENSOR && d < value->rank; d++) {
            add_place(probe, probe->symbols->paths[i], d, &value->sizes[d]);
            add_place(probe, probe->symbols->flat_paths[i], d, &value->sizes[d]);
        }
        if (value->kind == HTP_TRACE_INT) {
            add_place(probe, probe->symbols->paths[i], HTP_NONE, &value->number);
            add_place(probe, probe->symbols->flat_paths[i], HTP_NONE, &value->number);
        }
    }
}

/* Sets the sizes of places from those of the symbols. */
static void set_places(struct probe *probe)
{
    for (size_t i = 0; i < probe->places.count; i++) {
        const struct place *place = &probe->places.items[i];
        probe->numbers[place->symbol] =
            place->size->expression == HTP_NONE
                ? htp_exported_integer(place->size->number)
                : value_of(probe, &probe->symbols->formulas[place->size->expression]);
    }
}

/* Whether guards hold. @param owner  only those that depend on this symbol alone; HTP_NONE: all */
static bool guards_hold(struct probe *probe, uint32_t owner)
{
    bool hold = true;
    *probe->evaluated += (probe->places.count + probe->symbols->program->guard_count) / LOOKED_AT;
    set_places(probe);
    for (uint32_t i = 0; i < probe->symbols->program->guard_count && hold; i++) {
        if (owner == HTP_NONE || probe->owners[i] == owner) {
            const htp_exported_number holds = value_of(probe, &probe->symbols->guards[i]);
            hold = holds.kind == HTP_EXPORTED_TRUTH && holds.whole;
        }
    }
    return hold;
}

static const uint32_t none_yet = HTP_NONE - 1;

/* Adds the symbols of a formula to those of a guard: none_yet, one, or HTP_NONE for several. */
static uint32_t join_owners(uint32_t owner, const htp_exported_formula *formula)
{
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_exported_step *step = &formula->steps[i];
        uint32_t symbol = (uint32_t)step->number.whole;
        if (step->operation == HTP_EXPORTED_SYMBOL && owner != symbol) {
            owner = owner == none_yet ? symbol : HTP_NONE;
        }
    }
    return owner;
}

/* The only symbol that a guard depends on, by the sizes of its places; HTP_NONE: several, or none.
 */
static uint32_t find_owner(const struct probe *probe, const htp_exported_size *const *sizes,
                           const htp_exported_formula *guard)
{
    uint32_t owner = none_yet;
    for (uint32_t i = 0; i < guard->count; i++) {
        const htp_exported_step *step = &guard->steps[i];
        const htp_exported_size *size =
            step->operation == HTP_EXPORTED_SYMBOL ? sizes[step->number.whole] : NULL;
        if (size && size->expression != HTP_NONE) {
            owner = join_owners(owner, &probe->symbols->formulas[size->expression]);
        }
    }
    return owner == none_yet ? HTP_NONE : owner;
}

static void find_owners(struct probe *probe)
{
    const htp_exported_symbols *symbols = probe->symbols;
    uint32_t guard_count = symbols->program->guard_count;
    uint32_t *owners = HTP_NEW_ARRAY(symbols->arena, uint32_t, (size_t)guard_count + 1);
    const htp_exported_size **sizes =
        HTP_NEW_ARRAY(symbols->arena, const htp_exported_size *, (size_t)symbols->symbol_count + 1);
    for (size_t i = 0; i < probe->places.count; i++) {
        sizes[probe->places.items[i].symbol] = probe->places.items[i].size;
    }
    for (uint32_t i = 0; i < guard_count; i++) {
        owners[i] = find_owner(probe, sizes, &symbols->guards[i]);
    }
    probe->owners = owners;
}

static void set_symbol(struct probe *probe, uint32_t symbol, int64_t number)
{
    probe->numbers[symbol] = htp_exported_integer(number);
}

/* Whether the guards accept the sizes at multiples of @p step on one side of the example, within
 * the symbol's range. @param owner  as for guards_hold() */
static bool takes(struct probe *probe, uint32_t symbol, int64_t step, uint32_t owner)
{
    const htp_exported_bounds *bounds = &probe->symbols->bounds[symbol];
    const int64_t hint = probe->symbols->hints[symbol];
    bool takes = true;
    int64_t taken = 0;
    for (int64_t i = 1; i <= TAKEN_STEPS && takes; i++) {
        const int64_t size = hint + i * step;
        if (size < 1 || size < bounds->least || size > bounds->most) {
            break;
        }
        set_symbol(probe, symbol, size);
        takes = guards_hold(probe, owner);
        taken += takes;
    }
    set_symbol(probe, symbol, hint);
    return takes && taken > 0;
}

static int64_t find_step_of(struct probe *probe, uint32_t symbol, uint32_t owner)
{
    int64_t step = 1;
    while (step <= LARGEST_STEP && *probe->evaluated < MOST_EVALUATED &&
           !takes(probe, symbol, step, owner) && !takes(probe, symbol, -step, owner)) {
        step++;
    }
    return step <= LARGEST_STEP && *probe->evaluated < MOST_EVALUATED ? step : 0;
}

/* Guards of several symbols may fix one of them while the others stay. They are checked per lane,
 * where all symbols move. */
static int64_t find_step(struct probe *probe, uint32_t symbol)
{
    int64_t step = find_step_of(probe, symbol, HTP_NONE);
    return step > 0 ? step : find_step_of(probe, symbol, symbol);
}

/* Whether a symbol's own guards accept a size. */
static bool takes_size(struct probe *probe, uint32_t symbol, int64_t size)
{
    bool holds = false;
    if (*probe->evaluated < MOST_EVALUATED) {
        set_symbol(probe, symbol, size);
        holds = guards_hold(probe, symbol);
        set_symbol(probe, symbol, probe->symbols->hints[symbol]);
    }
    return holds;
}

/* The number of steps from its hint within which a symbol's own guards accept all sizes: near ones
 * are tried one by one, farther ones at doubling distances, then by bisection.
 * @param step  of the symbol; negative: downwards
 * @param most  steps to its bound */
static int64_t find_reach(struct probe *probe, uint32_t symbol, int64_t step, int64_t most)
{
    int64_t taken = 0;
    int64_t beyond = most + 1; /* the first distance known to be refused */
    while (taken + 1 < beyond) {
        const int64_t next = beyond <= most       ? taken + (beyond - taken) / 2
                             : taken < TAKEN_NEAR ? taken + 1
                             : taken < most / 2   ? taken * 2
                                                  : most;
        if (takes_size(probe, symbol, probe->symbols->hints[symbol] + next * step)) {
            taken = next;
        } else {
            beyond = next;
        }
    }
    return taken;
}

static int64_t find_least(struct probe *probe, uint32_t symbol)
{
    const htp_exported_symbols *symbols = probe->symbols;
    const int64_t step = symbols->steps[symbol];
    const int64_t hint = symbols->hints[symbol];
    const int64_t bound = symbols->bounds[symbol].least > 1 ? symbols->bounds[symbol].least : 1;
    const int64_t most = step > 0 && hint > bound ? (hint - bound) / step : 0;
    return hint - find_reach(probe, symbol, -step, most) * step;
}

/* The largest accepted size; INT64_MAX if guards accept sizes far from the example. */
static int64_t find_most(struct probe *probe, uint32_t symbol)
{
    const htp_exported_symbols *symbols = probe->symbols;
    const int64_t step = symbols->steps[symbol];
    const int64_t hint = symbols->hints[symbol];
    const int64_t bound = symbols->bounds[symbol].most;
    if (step == 0 || bound < hint || hint > FAR_SIZES) {
        return bound;
    }
    const int64_t far = (int64_t)FAR_SIZES * LARGEST_STEP;
    const int64_t most = ((bound < far ? bound : far) - hint) / step;
    const int64_t reach = find_reach(probe, symbol, step, most);
    return reach == most ? bound : hint + reach * step;
}

static struct probe begin(const htp_exported_symbols *symbols)
{
    struct probe probe = {.symbols = symbols,
                          .numbers = HTP_NEW_ARRAY(symbols->arena, htp_exported_number,
                                                   (size_t)symbols->symbol_count + 1),
                          .evaluated = symbols->evaluated};
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        set_symbol(&probe, i, symbols->hints[i]);
    }
    list_places(&probe);
    return probe;
}

void htp_symbol_steps_find(htp_exported_symbols *symbols)
{
    uint32_t count = symbols->symbol_count;
    int64_t *steps = HTP_NEW_ARRAY(symbols->arena, int64_t, (size_t)count + 1);
    int64_t *leasts = HTP_NEW_ARRAY(symbols->arena, int64_t, (size_t)count + 1);
    int64_t *mosts = HTP_NEW_ARRAY(symbols->arena, int64_t, (size_t)count + 1);
    symbols->evaluated = HTP_NEW(symbols->arena, uint64_t);
    symbols->taken = HTP_NEW_ARRAY(symbols->arena, htp_exported_taken, (size_t)count + 1);
    struct probe probe = begin(symbols);
    find_owners(&probe);
    for (uint32_t i = 0; i < count; i++) {
        bool has_guards = symbols->program->guard_count > 0 && symbols->hints[i] > 0;
        steps[i] = has_guards ? find_step(&probe, i) : 1;
    }
    symbols->steps = steps;
    for (uint32_t i = 0; i < count; i++) {
        bool has_guards = symbols->program->guard_count > 0 && symbols->hints[i] > 0;
        leasts[i] = has_guards ? find_least(&probe, i) : symbols->bounds[i].least;
        mosts[i] = has_guards ? find_most(&probe, i) : symbols->bounds[i].most;
    }
    symbols->leasts = leasts;
    symbols->mosts = mosts;
}

/* ---- arguments that stay inputs ---- */

/* Tries a number beside the example's other sizes. */
static void try_number(struct probe *probe, uint32_t symbol, int64_t number, int64_t *examples,
                       uint32_t *count)
{
    const htp_exported_bounds *bounds = &probe->symbols->bounds[symbol];
    if (*count == HTP_MAX_LANES || number < bounds->least || number > bounds->most ||
        *probe->evaluated >= MOST_EVALUATED) {
        return;
    }
    set_symbol(probe, symbol, number);
    if (guards_hold(probe, HTP_NONE)) {
        examples[(*count)++] = number;
    }
    set_symbol(probe, symbol, probe->symbols->hints[symbol]);
}

/* Far from all sizes, or downwards from the bound, or near the example. */
static uint32_t find_examples(struct probe *probe, uint32_t symbol, int64_t *examples)
{
    /* Has many divisors: programs split axes into equal parts. */
    enum { FAR = 5040, FIRST = 1009, APART = 64 };
    const int64_t hint = probe->symbols->hints[symbol];
    const int64_t most = probe->symbols->bounds[symbol].most;
    uint32_t count = 0;
    for (int64_t i = 0; i < (int64_t)HTP_MAX_LANES; i++) {
        try_number(probe, symbol, FAR * (FIRST + symbol * APART + i), examples, &count);
    }
    if (count < HTP_MAX_LANES) {
        count = 0;
        for (int64_t i = 0; i < NEAR_SIZES && most < FAR_SIZES; i++) {
            try_number(probe, symbol, most - i, examples, &count);
        }
        for (int64_t i = NEAR_SIZES; i > -NEAR_SIZES && most >= FAR_SIZES; i--) {
            try_number(probe, symbol, hint + i, examples, &count);
        }
    }
    return count;
}

const int64_t *htp_symbol_steps_examples(htp_exported_symbols *symbols, uint32_t symbol)
{
    if (!symbols->examples[symbol]) {
        int64_t *examples = HTP_NEW_ARRAY(symbols->arena, int64_t, HTP_MAX_LANES);
        uint32_t count = 0;
        *symbols->evaluated += symbols->program->input_count;
        if (*symbols->evaluated < MOST_EVALUATED) {
            struct probe probe = begin(symbols);
            count = find_examples(&probe, symbol, examples);
        }
        for (uint32_t i = 0; i < HTP_MAX_LANES && count < HTP_MAX_LANES; i++) {
            examples[i] = symbols->hints[symbol];
        }
        symbols->examples[symbol] = examples;
    }
    return symbols->examples[symbol];
}

/* A symbol's range without numbers at its ends that its own guards refuse. */
static htp_exported_bounds find_range(struct probe *probe, uint32_t symbol)
{
    htp_exported_bounds range = probe->symbols->bounds[symbol];
    for (int64_t i = 0; i < NEAR_SIZES && range.least > INT64_MIN && range.least < range.most &&
                        !takes_size(probe, symbol, range.least);
         i++) {
        range.least++;
    }
    for (int64_t i = 0; i < NEAR_SIZES && range.most < INT64_MAX && range.most > range.least &&
                        !takes_size(probe, symbol, range.most);
         i++) {
        range.most--;
    }
    return range;
}

void htp_exported_symbols_find_ranges(htp_exported_symbols *symbols)
{
    htp_exported_bounds *ranges =
        HTP_NEW_ARRAY(symbols->arena, htp_exported_bounds, (size_t)symbols->symbol_count + 1);
    struct probe probe = begin(symbols);
    uint64_t evaluated = 0; /* besides the budget of the search for sizes */
    probe.evaluated = &evaluated;
    find_owners(&probe);
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        ranges[i] = symbols->open[i] ? find_range(&probe, i) : symbols->bounds[i];
    }
    symbols->ranges = ranges;
}

/* ---- guards that restrict more than that ---- */

struct htp_symbol_samples {
    struct probe probe;
    const bool *is_number; /* by symbol: an argument is this number */
};

htp_symbol_samples *htp_exported_symbols_sample(const htp_exported_symbols *symbols)
{
    htp_symbol_samples *samples = HTP_NEW(symbols->arena, htp_symbol_samples);
    samples->probe = begin(symbols);
    samples->probe.evaluated = symbols->sampled; /* apart from the search for sizes */
    samples->is_number = htp_symbol_numbers(symbols);
    return samples;
}

bool htp_exported_symbols_restricts(htp_symbol_samples *samples, uint32_t guard)
{
    enum { SAMPLES = 256, MOST_OF_ONE = 1 << 16, MOST_OF_ALL = 1 << 26 };
    struct probe *probe = &samples->probe;
    const htp_exported_symbols *symbols = probe->symbols;
    const uint64_t before = *probe->evaluated;
    uint64_t chance = 1;
    bool holds = before < MOST_OF_ALL;
    uint64_t tried = 0;
    for (; tried < SAMPLES && holds; tried++) {
        for (uint32_t k = 0; k < symbols->symbol_count; k++) {
            if (symbols->hints[k] > 0 && (!samples->is_number[k] || symbols->open[k])) {
                set_symbol(probe, k, htp_symbol_sample(symbols, k, &chance));
            }
        }
        set_places(probe);
        const htp_exported_number value = value_of(probe, &symbols->guards[guard]);
        holds = value.kind == HTP_EXPORTED_TRUTH && value.whole &&
                *probe->evaluated - before < MOST_OF_ONE;
    }
    *probe->evaluated += tried * ((uint64_t)symbols->symbol_count + probe->places.count);
    return !holds;
}

/* ---- formulas that are constant ---- */

/* Notes a size of a symbol that the guards accept while the other symbols have their hints. */
static void try_size(struct probe *probe, uint32_t symbol, int64_t size)
{
    const htp_exported_bounds *bounds = &probe->symbols->bounds[symbol];
    if (size < bounds->least || size > bounds->most || size < 1 ||
        *probe->evaluated >= MOST_EVALUATED) {
        return;
    }
    set_symbol(probe, symbol, size);
    if (guards_hold(probe, HTP_NONE)) {
        HTP_PUSH(probe->symbols->arena, &probe->symbols->taken[symbol], size);
    }
}

/* Finds accepted sizes once per symbol, near its hint and far from it, for the many formulas. */
static void find_taken(struct probe *probe, uint32_t symbol)
{
    const int64_t hint = probe->symbols->hints[symbol];
    const int64_t step = probe->symbols->steps[symbol];
    if (probe->symbols->taken[symbol].count > 0) {
        return;
    }
    HTP_PUSH(probe->symbols->arena, &probe->symbols->taken[symbol], hint);
    for (int64_t i = 1; i <= NEAR_SIZES; i++) {
        try_size(probe, symbol, hint - i * step);
        try_size(probe, symbol, hint + i * step);
    }
    for (int64_t far = (int64_t)NEAR_SIZES * 2; far <= FAR_SIZES; far *= 2) {
        try_size(probe, symbol, hint + far * step);
        try_size(probe, symbol, hint + (far - 1) * step);
    }
    set_symbol(probe, symbol, hint);
}

/* Whether a formula has one value at all accepted sizes of a symbol. */
static bool is_still(struct probe *probe, const htp_exported_formula *formula, uint32_t symbol,
                     int64_t wanted)
{
    const htp_exported_symbols *symbols = probe->symbols;
    if (symbols->hints[symbol] <= 0 || symbols->steps[symbol] <= 0) {
        return false;
    }
    find_taken(probe, symbol);
    bool is_still = symbols->taken[symbol].count > LEAST_TAKEN;
    for (size_t i = 0; i < symbols->taken[symbol].count && is_still; i++) {
        set_symbol(probe, symbol, symbols->taken[symbol].items[i]);
        const htp_exported_number value = value_of(probe, formula);
        is_still = htp_exported_is_integer(&value) && value.whole == wanted &&
                   *probe->evaluated < MOST_EVALUATED;
    }
    set_symbol(probe, symbol, symbols->hints[symbol]);
    return is_still;
}

bool htp_exported_symbols_is_settled(const htp_exported_symbols *symbols, uint32_t expression)
{
    const htp_exported_formula *formula = &symbols->formulas[expression];
    struct probe probe = begin(symbols);
    const htp_exported_number value = value_of(&probe, formula);
    bool is_settled = htp_exported_is_integer(&value);
    for (uint32_t i = 0; i < formula->count && is_settled; i++) {
        if (formula->steps[i].operation == HTP_EXPORTED_SYMBOL) {
            uint32_t symbol = (uint32_t)formula->steps[i].number.whole;
            is_settled = is_still(&probe, formula, symbol, value.whole);
        }
    }
    return is_settled;
}
