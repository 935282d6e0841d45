/*
 * Made-up values of data-dependent sizes. Private to core/exported.
 */
#ifndef HTP_EXPORTED_DATA_SIZES_H
#define HTP_EXPORTED_DATA_SIZES_H

#include "exported/symbols/symbols.h"

/**
 * Gives data-dependent symbols a number in each lane, and lists them. Several lanes tell
 * apart what these sizes are: no symbol is a multiple of another one, or has a constant distance
 * to it, and the dims that follow from them differ between lanes as far as other numbers can make
 * them: Min(u0, 16) is 16 in some and below it in others.
 */
void htp_data_sizes_make_up(htp_exported_symbols *symbols);

#endif
