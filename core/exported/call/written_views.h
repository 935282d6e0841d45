/*
 * Writes changed views back into the values that they are parts of. Private to core/exported.
 */
#ifndef HTP_EXPORTED_WRITTEN_VIEWS_H
#define HTP_EXPORTED_WRITTEN_VIEWS_H

#include "exported/call/memory.h"

/**
 * Adds the nodes that write a view back.
 * @param view  its operator
 * @param whole  the program's value that it is a part of
 * @param now   the view's new value; the whole's old value is its operand
 * @return the whole's new value; HTP_NONE if that is not supported
 */
uint32_t htp_written_view_put(htp_tape *r, const htp_lying *view, uint32_t whole, uint32_t now);

#endif
