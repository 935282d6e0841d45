/*
 * Memory of a program: which values share storage, and in-place changes. A trace has no memory: a
 * change makes a new value, and values that share the memory are made anew when they are read.
 * Private to core/exported.
 */
#ifndef HTP_EXPORTED_MEMORY_H
#define HTP_EXPORTED_MEMORY_H

#include "exported/call/tape.h"

/** How a value lies in the memory of another one. */
typedef enum htp_lying_kind {
    HTP_LIES_ALONE, /**< it has memory of its own */
    HTP_LIES_SAME,  /**< it is that value */
    HTP_LIES_VIEW,  /**< it is a part of it, or the whole in another shape */
    HTP_LIES_MAYBE, /**< it is one of these, or a copy */
} htp_lying_kind;

/** A value of the program, and the memory that it lies in. */
typedef struct htp_lying {
    htp_lying_kind kind;
    uint32_t of;                   /**< value of the program; HTP_NONE if it lies alone */
    uint32_t root;                 /**< the value whose memory it may share */
    uint32_t node;                 /**< of the trace, which makes the view */
    const htp_exported_node *from; /**< this node in the program */
    uint32_t index;                /**< of a view: index among the outputs */
    uint32_t seen;                 /**< how many changes of the root its value includes */
    uint32_t changes;              /**< of a root: how many there were */
} htp_lying;

/** Begins: every value lies alone. */
void htp_lying_begin(htp_tape *r);

/** Notes a node's effects on memory: its output may share that of its first argument, and it may
 * change that. @param made  the node in the trace */
void htp_lying_note(htp_tape *r, const htp_exported_schema *schema, const htp_exported_node *node,
                    uint32_t made);

/** Changes a value of the program in place to @p now, a value of the trace, and with it the known
 * values that it is a part of. */
void htp_lying_change(htp_tape *r, uint32_t value, uint32_t now);

/** Notes that a value is another one. */
void htp_lying_note_same(htp_tape *r, uint32_t value, uint32_t as);

/** The current value in the trace; HTP_NONE: it was not made. */
uint32_t htp_lying_read(htp_tape *r, uint32_t value);

/** Whether a value was changed since it was made. */
bool htp_lying_is_changed(const htp_tape *r, uint32_t value);

#endif
