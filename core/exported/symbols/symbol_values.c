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
