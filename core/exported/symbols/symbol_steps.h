/*
 * Steps of sizes that the guards of a program accept: if they require a multiple of 16, the step is
 * 16. Private to core/exported.
 */
#ifndef HTP_EXPORTED_SYMBOL_STEPS_H
#define HTP_EXPORTED_SYMBOL_STEPS_H

#include "exported/symbols/symbols.h"

/** Finds the step of each symbol: the smallest of which the guards accept several, above the
 * exported size, while all other symbols stay; 0: none. And the least sizes that they accept. */
void htp_symbol_steps_find(htp_exported_symbols *symbols);

#endif
