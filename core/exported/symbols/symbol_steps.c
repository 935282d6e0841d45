#include "exported/symbols/symbol_steps.h"

#include "base/text.h"

#include <string.h>

enum {
    LARGEST_STEP = 1024,
    TAKEN_STEPS = 3,          /* that a guard must take */
    MOST_EVALUATED = 1 << 23, /* steps of formulas, of a whole program: then none is known */
};

/* A place in the arguments that guards speak of, and its size. */
struct place {
    uint32_t symbol;
    const htp_exported_size *size;
};

struct probe {
    const htp_exported_symbols *symbols;
    htp_exported_number *numbers; /* by symbol */
    HTP_VECTOR(struct place) places;
    uint64_t evaluated;
};

static htp_exported_number value_of(struct probe *probe, const htp_exported_formula *formula)
{
    probe->evaluated += formula->count;
    return htp_exported_formula_value(formula, probe->numbers, probe->symbols->symbol_count);
}

static void add_place(struct probe *probe, const char *root, uint32_t dim,
                      const htp_exported_size *size)
{
    htp_arena *arena = probe->symbols->arena;
    uint32_t symbol = 0;
    if (htp_map_get(&probe->symbols->names.known,
                    htp_arena_printf(arena, "L.%s.size.%u", root, dim), &symbol)) {
        HTP_PUSH(arena, &probe->places, (struct place){symbol, size});
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

/* The places have the sizes that follow from those of the symbols. */
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

/* Whether the guards take sizes that are so far apart. */
static bool takes(struct probe *probe, uint32_t symbol, int64_t step)
{
    bool takes = true;
    for (int64_t i = 1; i <= TAKEN_STEPS && takes; i++) {
        probe->numbers[symbol] = htp_exported_integer(probe->symbols->hints[symbol] + i * step);
        takes = guards_hold(probe);
    }
    probe->numbers[symbol] = htp_exported_integer(probe->symbols->hints[symbol]);
    return takes;
}

static int64_t find_step(struct probe *probe, uint32_t symbol)
{
    int64_t step = 1;
    while (step <= LARGEST_STEP && probe->evaluated < MOST_EVALUATED &&
           !takes(probe, symbol, step)) {
        step++;
    }
    return step <= LARGEST_STEP && probe->evaluated < MOST_EVALUATED ? step : 0;
}

const int64_t *htp_symbol_steps_find(const htp_exported_symbols *symbols)
{
    htp_arena *arena = symbols->arena;
    uint32_t count = symbols->symbol_count;
    int64_t *steps = HTP_NEW_ARRAY(arena, int64_t, (size_t)count + 1);
    struct probe probe = {.symbols = symbols,
                          .numbers = HTP_NEW_ARRAY(arena, htp_exported_number, (size_t)count + 1)};
    for (uint32_t i = 0; i < count; i++) {
        probe.numbers[i] = htp_exported_integer(symbols->hints[i]);
    }
    list_places(&probe);
    for (uint32_t i = 0; i < count; i++) {
        bool has_guards = symbols->program->guard_count > 0 && symbols->hints[i] > 0;
        steps[i] = has_guards ? find_step(&probe, i) : 1;
    }
    return steps;
}
