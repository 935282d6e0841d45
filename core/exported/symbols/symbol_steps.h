/*
 * How far sizes are apart that the guards of a program take: where they ask for a multiple of 16,
 * that is 16. Private to core/exported.
 */
#ifndef HTP_EXPORTED_SYMBOL_STEPS_H
#define HTP_EXPORTED_SYMBOL_STEPS_H

#include "exported/symbols/symbols.h"

/** Finds the steps, by symbol: the smallest one that the guards take several of, behind the size
 * that the program was exported with, while all other symbols stay; 0 where there is none. And the
 * least sizes that they take. */
void htp_symbol_steps_find(htp_exported_symbols *symbols);

#endif
