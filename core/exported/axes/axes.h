/*
 * The axes of a program's inputs: torch.export's dynamic dims, within the sizes that the program
 * accepts; all others are fixed.
 */
#ifndef HTP_EXPORTED_AXES_H
#define HTP_EXPORTED_AXES_H

#include "exported/symbols/symbols.h"
#include "source/input_search/axes.h"

/**
 * Fixes and joins the dims of inputs like the program: dims of one symbol are one axis, others
 * follow by formulas. Two symbols are two axes, even with equal sizes. An unsupported formula fixes
 * its axis, and those in it.
 */
void htp_exported_axes_find(const htp_exported_symbols *symbols, htp_axes *axes);

/**
 * Narrows the bounds of dynamic input axes by the program's ranges and guards.
 * @return whether there are any
 */
bool htp_exported_axes_bound(const htp_exported_symbols *symbols, const htp_inputs *inputs);

/** Sets htp_inputs.takes and .asked by the guards on several sizes together. @return whether there
 * are any */
bool htp_exported_axes_ask(htp_exported_symbols *symbols, htp_inputs *inputs);

#endif
