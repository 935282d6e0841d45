#include "exported/symbols/symbol_steps.h"

#include "base/text.h"

enum {
    LARGEST_STEP = 1024,
    TAKEN_STEPS = 3,          /* multiples that a guard must accept */
    TAKEN_BELOW = 64,         /* sizes tried one by one */
    MOST_EVALUATED = 1 << 23, /* evaluated steps per program: beyond, nothing is known */
    NEAR_SIZES = 64,          /* on both sides */
    FAR_SIZES = 1 << 20,
    LEAST_TAKEN = 8, /* of a symbol, to show that a formula does not depend on it */
};

/* A place in the arguments that guards mention, and its size. */
struct place {
    uint32_t symbol;
    const htp_exported_size *size;
};

struct probe {
    const htp_exported_symbols *symbols;
    htp_exported_number *numbers; /* by symbol */
    HTP_VECTOR(struct place) places;
    uint64_t *evaluated; /* steps of formulas, per program */
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

static bool guards_hold(struct probe *probe)
{
    bool hold = true;
    set_places(probe);
    for (uint32_t i = 0; i < probe->symbols->program->guard_count && hold; i++) {
        const htp_exported_number holds = value_of(probe, &probe->symbols->guards[i]);
        hold = holds.kind == HTP_EXPORTED_TRUTH && holds.whole;
    }
    return hold;
}

static void set_symbol(struct probe *probe, uint32_t symbol, int64_t number)
{
    probe->numbers[symbol] = htp_exported_integer(number);
}

/* Whether the guards accept sizes at this distance. */
static bool takes(struct probe *probe, uint32_t symbol, int64_t step)
{
    bool takes = true;
    for (int64_t i = 1; i <= TAKEN_STEPS && takes; i++) {
        set_symbol(probe, symbol, probe->symbols->hints[symbol] + i * step);
        takes = guards_hold(probe);
    }
    set_symbol(probe, symbol, probe->symbols->hints[symbol]);
    return takes;
}

static int64_t find_step(struct probe *probe, uint32_t symbol)
{
    int64_t step = 1;
    while (step <= LARGEST_STEP && *probe->evaluated < MOST_EVALUATED &&
           !takes(probe, symbol, step)) {
        step++;
    }
    return step <= LARGEST_STEP && *probe->evaluated < MOST_EVALUATED ? step : 0;
}

/* Whether the guards accept a symbol's hint minus so many steps. */
static bool takes_below(struct probe *probe, uint32_t symbol, int64_t steps)
{
    const htp_exported_symbols *symbols = probe->symbols;
    bool holds = false;
    if (*probe->evaluated < MOST_EVALUATED) {
        set_symbol(probe, symbol, symbols->hints[symbol] - steps * symbols->steps[symbol]);
        holds = guards_hold(probe);
        set_symbol(probe, symbol, symbols->hints[symbol]);
    }
    return holds;
}

/* The least size down to which the guards accept sizes: near ones one by one, farther ones at
 * doubling distances, then by bisection. */
static int64_t find_least(struct probe *probe, uint32_t symbol)
{
    const htp_exported_symbols *symbols = probe->symbols;
    const int64_t step = symbols->steps[symbol];
    const int64_t hint = symbols->hints[symbol];
    const int64_t bound = symbols->bounds[symbol].least > 1 ? symbols->bounds[symbol].least : 1;
    const int64_t most = step > 0 && hint > bound ? (hint - bound) / step : 0;
    int64_t taken = 0;
    int64_t beyond = most + 1; /* the first distance known to be refused */
    while (taken + 1 < beyond) {
        const int64_t next = beyond <= most        ? taken + (beyond - taken) / 2
                             : taken < TAKEN_BELOW ? taken + 1
                             : taken < most / 2    ? taken * 2
                                                   : most;
        if (takes_below(probe, symbol, next)) {
            taken = next;
        } else {
            beyond = next;
        }
    }
    return hint - taken * step;
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
    symbols->evaluated = HTP_NEW(symbols->arena, uint64_t);
    struct probe probe = begin(symbols);
    for (uint32_t i = 0; i < count; i++) {
        bool has_guards = symbols->program->guard_count > 0 && symbols->hints[i] > 0;
        steps[i] = has_guards ? find_step(&probe, i) : 1;
    }
    symbols->steps = steps;
    for (uint32_t i = 0; i < count; i++) {
        bool has_guards = symbols->program->guard_count > 0 && symbols->hints[i] > 0;
        leasts[i] = has_guards ? find_least(&probe, i) : symbols->bounds[i].least;
    }
    symbols->leasts = leasts;
}

/* ---- formulas that do not move ---- */

/* Whether a formula is constant wherever the guards accept sizes: near and far ones of each symbol,
 * one by one. */
struct settling {
    struct probe *probe;
    const htp_exported_formula *formula;
    htp_exported_number value;
    bool is_settled;
    uint32_t taken; /* accepted sizes of the current symbol */
};

static void try_size(struct settling *settling, uint32_t symbol, int64_t size)
{
    struct probe *probe = settling->probe;
    const htp_exported_bounds *bounds = &probe->symbols->bounds[symbol];
    if (!settling->is_settled || size < bounds->least || size > bounds->most || size < 1) {
        return;
    }
    set_symbol(probe, symbol, size);
    if (guards_hold(probe)) {
        const htp_exported_number value = value_of(probe, settling->formula);
        settling->is_settled = htp_exported_is_integer(&value) &&
                               value.whole == settling->value.whole &&
                               *probe->evaluated < MOST_EVALUATED;
        settling->taken++;
    }
    set_symbol(probe, symbol, probe->symbols->hints[symbol]);
}

static void try_sizes(struct settling *settling, uint32_t symbol)
{
    const htp_exported_symbols *symbols = settling->probe->symbols;
    const int64_t hint = symbols->hints[symbol];
    const int64_t step = symbols->steps[symbol];
    settling->taken = 0;
    for (int64_t i = 1; i <= NEAR_SIZES; i++) {
        try_size(settling, symbol, hint - i * step);
        try_size(settling, symbol, hint + i * step);
    }
    for (int64_t far = NEAR_SIZES * 2; far <= FAR_SIZES; far *= 2) {
        try_size(settling, symbol, hint + far * step);
        try_size(settling, symbol, hint + (far - 1) * step);
    }
    settling->is_settled = settling->is_settled && settling->taken >= LEAST_TAKEN;
}

bool htp_exported_symbols_is_settled(const htp_exported_symbols *symbols, uint32_t expression)
{
    const htp_exported_formula *formula = &symbols->formulas[expression];
    struct probe probe = begin(symbols);
    struct settling settling = {.probe = &probe, .formula = formula};
    settling.value = value_of(&probe, formula);
    settling.is_settled = htp_exported_is_integer(&settling.value);
    for (uint32_t i = 0; i < formula->count && settling.is_settled; i++) {
        if (formula->steps[i].operation == HTP_EXPORTED_SYMBOL) {
            uint32_t symbol = (uint32_t)formula->steps[i].number.whole;
            settling.is_settled = symbols->hints[symbol] > 0 && symbols->steps[symbol] > 0;
            if (settling.is_settled) {
                try_sizes(&settling, symbol);
            }
        }
    }
    return settling.is_settled;
}
