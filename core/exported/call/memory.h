/*
 * Memory of a program: which values lie in the memory of others, and what is changed in its place.
 * A trace has no memory: a change gives a new value, and so does each value that shares the memory
 * when it is read again. Private to core/exported.
 */
#ifndef HTP_EXPORTED_MEMORY_H
#define HTP_EXPORTED_MEMORY_H

#include "exported/call/tape.h"

/** Begins without any. */
void htp_lying_begin(htp_tape *r);

/** A node gives a value, which lies in the memory of another one. @param node  how it is made */
void htp_lying_note_view(htp_tape *r, uint32_t value, uint32_t of, const htp_exported_node *node);

/** A node gives the very value that it was given. */
void htp_lying_note_same(htp_tape *r, uint32_t value, uint32_t as);

/** A value is changed: it is @p now, and so is what lies in its memory. */
void htp_lying_change(htp_tape *r, uint32_t value, uint32_t now);

/** What a value of the program is now; HTP_NONE: nothing has made it. */
uint32_t htp_lying_read(htp_tape *r, uint32_t value);

/** Whether a value was changed since it was made. */
bool htp_lying_is_changed(const htp_tape *r, uint32_t value);

#endif
