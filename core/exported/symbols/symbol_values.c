/*
 * Values of symbols and formulas, given the numbers of symbols.
 */
#include "exported/symbols/symbol_values.h"

#include "base/text.h"

#include <inttypes.h>

/* PyTorch's prefixes of data-dependent sizes. */
static bool is_data(const char *name)
{
    return name[0] == 'u' && name[1] >= '0' && name[1] <= '9';
}

bool htp_exported_symbols_is_data(const htp_exported_symbols *symbols, uint32_t symbol)
{
    return symbols->open[symbol] || is_data(symbols->names.strings.items[symbol]);
}

bool htp_exported_symbols_have_data(const htp_exported_symbols *symbols)
{
    bool have = false;
    for (uint32_t i = 0; i < symbols->symbol_count && !have; i++) {
        have = htp_exported_symbols_is_data(symbols, i);
    }
    return have;
}

/* ---- values ---- */

htp_exported_number htp_exported_symbols_value(const htp_exported_symbols *symbols,
                                               const htp_exported_size *size, uint32_t lane)
{
    return size->expression == HTP_NONE
               ? htp_exported_integer(size->number)
               : htp_exported_formula_value(&symbols->formulas[size->expression],
                                            symbols->numbers[lane], symbols->symbol_count);
}

htp_status htp_exported_symbols_size(const htp_exported_symbols *symbols,
                                     const htp_exported_size *size, uint32_t lane, int64_t *number)
{
    htp_exported_number value = htp_exported_symbols_value(symbols, size, lane);
    *number = value.whole;
    if (htp_exported_is_integer(&value) && value.whole >= 0) {
        return HTP_OK;
    }
    if (size->expression == HTP_NONE) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "a size is %" PRId64, size->number);
    }
    const char *problem = symbols->problems[size->expression];
    const char *text = symbols->program->expressions.items[size->expression].text;
    return htp_status_make(HTP_CODE_UNSUPPORTED, "%s",
                           problem ? problem
                                   : htp_arena_printf(symbols->arena,
                                                      "a size has no value, as far as its formula "
                                                      "tells: \"%.200s\"",
                                                      htp_text_printable(symbols->arena, text)));
}

uint32_t htp_exported_symbols_alone(const htp_exported_symbols *symbols,
                                    const htp_exported_size *size)
{
    const htp_exported_formula *formula =
        size->expression == HTP_NONE ? NULL : &symbols->formulas[size->expression];
    bool is_alone =
        formula && formula->count == 1 && formula->steps[0].operation == HTP_EXPORTED_SYMBOL;
    return is_alone ? (uint32_t)formula->steps[0].number.whole : HTP_NONE;
}

/* ---- places ---- */

const char *htp_symbol_place_flat(htp_arena *arena, const char *place)
{
    char *name = htp_arena_strdup(arena, place);
    for (char *at = name; *at; at++) {
        *at = (char)(*at == '.' ? '_' : *at);
    }
    return name;
}

/* A place, as a key without padding. */
struct place_key {
    const char *path;
    uint64_t dim;
};

static uint32_t find_place(const htp_exported_symbols *symbols, const char *path, uint32_t dim)
{
    uint32_t symbol = HTP_NONE;
    const char *place = dim == HTP_NONE
                            ? htp_arena_join(symbols->arena, "L", ".", path)
                            : htp_arena_printf(symbols->arena, "L.%s.size.%u", path, dim);
    (void)htp_map_get(&symbols->places, htp_symbol_place_flat(symbols->arena, place), &symbol);
    return symbol;
}

uint32_t htp_exported_symbols_place(const htp_exported_symbols *symbols, const char *path,
                                    uint32_t dim)
{
    const struct place_key key = {path, dim};
    uint32_t symbol = HTP_NONE;
    if (symbols->places.count > 0 &&
        !htp_map_get_bytes(symbols->found, &key, sizeof(key), &symbol)) {
        struct place_key *kept = HTP_NEW(symbols->arena, struct place_key);
        *kept = key;
        symbol = find_place(symbols, path, dim);
        htp_map_set_bytes(symbols->arena, symbols->found, kept, sizeof(*kept), symbol);
    }
    return symbol;
}

int64_t htp_symbol_sample(const htp_exported_symbols *symbols, uint32_t symbol, uint64_t *chance)
{
    static const int64_t reaches[] = {3, 30, 3000};
    const bool is_open = symbols->open[symbol] && symbols->ranges;
    const int64_t step = is_open ? 1 : symbols->steps[symbol];
    const int64_t end = is_open ? symbols->ranges[symbol].least : symbols->leasts[symbol];
    const int64_t least = end > 1 ? end : 1;
    const int64_t most = is_open ? symbols->ranges[symbol].most : symbols->mosts[symbol];
    *chance = *chance * 6364136223846793005U + 1442695040888963407U; /* Knuth's MMIX */
    const uint64_t number = *chance >> 33;
    const int64_t reach = reaches[number % 3];
    const int64_t away = step * (int64_t)(number / 3 % (uint64_t)reach);
    /* A symbol's own guards accept sizes at multiples of its step from the hint. */
    const int64_t base =
        step > 0 ? symbols->hints[symbol] - (symbols->hints[symbol] - least) / step * step
                 : symbols->hints[symbol];
    return base + away <= most ? base + away : base;
}

const bool *htp_symbol_numbers(const htp_exported_symbols *symbols)
{
    const htp_exported_program *program = symbols->program;
    bool *is_number = HTP_NEW_ARRAY(symbols->arena, bool, (size_t)symbols->symbol_count + 1);
    for (uint32_t i = 0; i < program->input_count; i++) {
        const htp_exported_argument *argument = &program->inputs[i].argument;
        if (argument->kind == HTP_EXPORTED_VALUE &&
            program->values.items[argument->value].kind == HTP_TRACE_INT) {
            uint32_t symbol =
                htp_exported_symbols_alone(symbols, &program->values.items[argument->value].number);
            is_number[symbol < symbols->symbol_count ? symbol : symbols->symbol_count] = true;
        }
    }
    return is_number;
}
