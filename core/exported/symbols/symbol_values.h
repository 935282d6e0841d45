/*
 * The look-up of places in arguments. Private to core/exported/symbols.
 */
#ifndef HTP_EXPORTED_SYMBOL_VALUES_H
#define HTP_EXPORTED_SYMBOL_VALUES_H

#include "exported/symbols/symbols.h"

/** A place in the form of look-ups, since items of variadic arguments are written "L.tensors.0" or
 * "L.tensors_0". */
const char *htp_symbol_place_flat(htp_arena *arena, const char *place);

#endif
