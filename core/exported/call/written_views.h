/*
 * Views that were changed, put back into what they are a part of. Private to core/exported.
 */
#ifndef HTP_EXPORTED_WRITTEN_VIEWS_H
#define HTP_EXPORTED_WRITTEN_VIEWS_H

#include "exported/call/memory.h"

/**
 * Adds the nodes that put a view back.
 * @param view  how it was made
 * @param whole  value of the program that it is a part of
 * @param now   what the view is now; what the whole was before the change is what it reads
 * @return what the whole is; HTP_NONE where nobody knows how
 */
uint32_t htp_written_view_put(htp_tape *r, const htp_lying *view, uint32_t whole, uint32_t now);

#endif
