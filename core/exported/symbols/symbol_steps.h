/*
 * Steps of sizes that the guards of a program accept: if they require a multiple of 16, the step is
 * 16. Private to core/exported.
 */
#ifndef HTP_EXPORTED_SYMBOL_STEPS_H
#define HTP_EXPORTED_SYMBOL_STEPS_H

#include "exported/symbols/symbols.h"

/** Finds, for each symbol while all others keep their hints, the smallest step of which the guards
 * accept several multiples from the exported size; 0: none. Also the least and largest accepted
 * sizes. */
void htp_symbol_steps_find(htp_exported_symbols *symbols);

/** What an argument that stays an input is in each lane: numbers that the guards take beside the
 * example's other sizes. They differ if there are as many; all are the example's otherwise. */
const int64_t *htp_symbol_steps_examples(htp_exported_symbols *symbols, uint32_t symbol);

#endif
