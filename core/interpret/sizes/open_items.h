/*
 * Items of which only the type is known: placeholders for any iteration of a loop, or any side of a
 * branch.
 */
#ifndef HTP_INTERPRET_SIZES_OPEN_ITEMS_H
#define HTP_INTERPRET_SIZES_OPEN_ITEMS_H

#include "interpret/recording/recording.h"

/** An item of the same type, with nothing else known. */
htp_outcome htp_item_like(htp_machine *m, const htp_item *model, htp_item **made);

/** Gives a dim of a tensor a data-dependent size. */
htp_outcome htp_item_resize(htp_machine *m, htp_item *item, int64_t dim, const char *name);

#endif
