/*
 * Made-up values of data-dependent sizes. Private to core/exported.
 */
#ifndef HTP_EXPORTED_DATA_SIZES_H
#define HTP_EXPORTED_DATA_SIZES_H

#include "exported/symbols/symbols.h"

/** Gives data-dependent symbols a number in each lane, and lists them. */
void htp_data_sizes_make_up(htp_exported_symbols *symbols);

#endif
