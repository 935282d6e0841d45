/*
 * The look-up of places in arguments. Private to core/exported/symbols.
 */
#ifndef HTP_EXPORTED_SYMBOL_VALUES_H
#define HTP_EXPORTED_SYMBOL_VALUES_H

#include "exported/symbols/symbols.h"

/** A place in the form of look-ups, since items of variadic arguments are written "L.tensors.0" or
 * "L.tensors_0". */
const char *htp_symbol_place_flat(htp_arena *arena, const char *place);

/** A size of a symbol within its bounds and steps, or a number that stays an input, near its least
 * or far from it. @param chance  of the next one */
int64_t htp_symbol_sample(const htp_exported_symbols *symbols, uint32_t symbol, uint64_t *chance);

/** By symbol: whether an argument is this number. */
const bool *htp_symbol_numbers(const htp_exported_symbols *symbols);

#endif
