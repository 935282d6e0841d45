/*
 * The axes of a program's inputs: what torch.export made dynamic moves, in the sizes that the
 * program takes; all others are fixed.
 */
#ifndef HTP_EXPORTED_AXES_H
#define HTP_EXPORTED_AXES_H

#include "exported/symbols/symbols.h"
#include "source/input_search/axes.h"

/**
 * Fixes, joins and ties the dims of inputs as the program does: dims of one symbol are one axis,
 * others follow by formulas. Two symbols stay two axes, whatever sizes they had. An axis whose
 * formula is not understood is fixed, and so are those in it.
 */
void htp_exported_axes_find(const htp_exported_symbols *symbols, htp_axes *axes);

/** Narrows the bounds of the axes of inputs that move by what the program's ranges and guards say.
 * @return whether they say anything */
bool htp_exported_axes_bound(const htp_exported_symbols *symbols, const htp_inputs *inputs);

#endif
